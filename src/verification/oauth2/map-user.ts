/** Claims → operator, evaluated at every use, so that a changed address is effective at once (specification 3.13). */
import { quoteClaim as quote, withClaimed } from '../../model/claimed-name.ts'
import type { Operator } from '../../model/operator.ts'
import type { Settings } from '../../settings.ts'
import { openOperatorIndex } from '../operator-index.ts'

export interface UserClaims {
  readonly sub: unknown
  readonly email: unknown
}

export type UserMapping = (claims: UserClaims, operators: ReadonlyMap<string, Operator>) => Operator | MappingFailure

/** Why no operator was found, for the log. */
export class MappingFailure {
  readonly reason: string
  constructor(reason: string) {
    this.reason = reason
  }
}

export function openUserMapping(mapping: Settings['userMapping'], now: () => number): UserMapping {
  return { 'sub+email': bySubjectAndEmail, sub: bySubject, email: openByEmail(now) }[mapping]
}

const bySubjectAndEmail: UserMapping = (claims, operators) => {
  const operator = bySubject(claims, operators)
  if (operator instanceof MappingFailure || hasAddress(operator, claims.email)) return operator
  const claimed = `${operator.id}, ${quote(claims.email)}${otherCase(operator, claims.email)}`
  return new MappingFailure(withClaimed('email is not an address recorded for the operator', claimed))
}

/** The most common mistake, and hard to see. */
function otherCase({ emails }: Operator, email: unknown): string {
  if (typeof email !== 'string') return ''
  const recorded = emails.find(({ address }) => address.toLowerCase() === email.toLowerCase())
  return recorded ? `; recorded is ${quote(recorded.address)}, and letter case counts` : ''
}

const bySubject: UserMapping = ({ sub }, operators) => {
  if (typeof sub !== 'string') return new MappingFailure(withClaimed('sub is not an operator id', quote(sub)))
  const operator = operators.get(sub)
  if (operator) return operator
  const known = [sub.toUpperCase(), sub.toLowerCase()].find((id) => operators.has(id))
  const hint = known === undefined ? '' : `; there is ${quote(known)}, and letter case counts`
  return new MappingFailure(withClaimed('sub is not an operator id', `${quote(sub)}${hint}`))
}

function openByEmail(now: () => number): UserMapping {
  const find = openOperatorIndex(({ emails }) => emails.map(({ address }) => address), now)
  return ({ email }, operators) => {
    if (typeof email !== 'string') return new MappingFailure(withClaimed('email is not an address', quote(email)))
    const found = find(email, operators)
    if (found.length > 1)
      return new MappingFailure(withClaimed(`email is an address of ${found.length} operators`, quote(email)))
    return found[0] ?? new MappingFailure(withClaimed("email is not an operator's address", quote(email)))
  }
}

function hasAddress(operator: Operator, email: unknown): boolean {
  return operator.emails.some(({ address }) => address === email)
}
