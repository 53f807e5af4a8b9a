/**
 * The identity that a handler runs under (specification 3). Operators are rows of the store; this is one row,
 * immutable.
 */
export interface Operator {
  /** Case-sensitive, 1–30 characters. */
  readonly id: string
  readonly description: string
  /** An argon2id hash in PHC form, or `firstLoginMark`; undefined for an operator that cannot use Basic authentication. */
  readonly passwordHash: string | undefined
  readonly emails: readonly EmailAddress[]
  readonly isLocked: boolean
  /** Names of its client certificates; undefined for none. */
  readonly certificates?: readonly string[] | undefined
  /** Names of the granted permission lists. */
  readonly permissionLists: readonly string[]
}

/** Instead of a hash: the original or an LDAP server verifies the first password (specification 37.9). */
export const firstLoginMark = 'first login'

export function hasPassword({ passwordHash }: Pick<Operator, 'passwordHash'>): boolean {
  return passwordHash !== undefined && passwordHash !== firstLoginMark
}

export interface EmailAddress {
  /** `business`, `home`, `other`… */
  readonly type: string
  readonly address: string
  readonly isPrimary: boolean
}
