/** Checks new passwords by the rule of both planes (specification 3.23). */

import { AdminProblem } from '../actions/problem-details.ts'
import { findPasswordProblem } from '../model/password-policy.ts'
import { hashPassword } from '../verification/password.ts'

/** @param owner id of an operator, name of an administrator @throws AdminProblem `invalid` */
export function requirePassword(password: string, owner: string): void {
  const message = findPasswordProblem(password, owner)
  if (message === undefined) return
  throw new AdminProblem('invalid', `The password ${message}.`, { problems: [{ path: 'password', message }] })
}

/** @returns its hash @throws AdminProblem `invalid` */
export function hashNewPassword(password: string, owner: string): Promise<string> {
  requirePassword(password, owner)
  return hashPassword(password)
}
