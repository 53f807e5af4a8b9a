/**
 * Passwords that came in another form than ours: stored as the argon2id hash of their text, after the name of the form
 * (specification 37.6).
 */
import { findForm, type PasswordForm } from '../../model/password-form.ts'
import { hashPassword, verifyPassword } from '../password.ts'

/** @param digest as the file has it */
export async function wrapDigest({ prefix }: Pick<PasswordForm, 'prefix'>, digest: string): Promise<string> {
  return prefix + (await hashPassword(digest))
}

export function isOldPassword(passwordHash: string): boolean {
  return findForm(passwordHash) !== undefined
}

/** @throws if `passwordHash` is not an argon2 hash */
export async function verifyOperatorPassword(passwordHash: string, password: string): Promise<boolean> {
  const form = findForm(passwordHash)
  if (!form) return verifyPassword(passwordHash, password)
  return verifyPassword(passwordHash.slice(form.prefix.length), form.digest(password))
}
