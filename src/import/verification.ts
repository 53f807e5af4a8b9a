/**
 * An import never weakens (specification 16.18): an operation is open only where every declaration and every call of it says
 * so, those that are left out included; otherwise it gets the strictest of what they demand, and what is not understood is Basic.
 */
import type { Method } from '../model/operation-terms.ts'
import type { Problem } from '../model/problem.ts'
import { type Verification, verificationNames, verificationOf } from '../model/verification.ts'

/** What a declaration or a call says of the credentials of its operation. */
export interface Claim {
  readonly verification: Verification
  /** It says that no credentials are needed; saying nothing is not enough. */
  readonly isDeclaredOpen: boolean
  /** Credentials that no verification has: Basic takes their place. */
  readonly unknown?: readonly string[]
}

/** It says nothing. */
export const silent: Claim = { verification: 'NONE', isDeclaredOpen: false }
export const open: Claim = { verification: 'NONE', isDeclaredOpen: true }

export function demand(verification: Verification): Claim {
  return { verification, isDeclaredOpen: false }
}

/** For credentials that no verification has. */
export function demandUnknown(...unknown: readonly string[]): Claim {
  return { ...demand('Basic'), unknown }
}

/** A 401 or 403 without a known challenge: what it asks for is what other calls have, else Basic. */
export const refused = demandUnknown('what a 401 or 403 asks for')

export function mergeClaims(claims: readonly Claim[]): Claim {
  const named = claims.filter((one) => !isOpen(one) && one.unknown?.[0] !== refused.unknown?.[0])
  const unknown = [...new Set((named.length > 0 ? named : claims).flatMap((one) => one.unknown ?? []))]
  return {
    verification: findStrictest(claims.map(({ verification }) => verification)),
    isDeclaredOpen: claims.length > 0 && claims.every(({ isDeclaredOpen }) => isDeclaredOpen),
    ...(unknown.length > 0 && { unknown }),
  }
}

/** The strictest credentials, over TLS if one of them requires it; a certificate is presented over TLS in any case. */
export function findStrictest(verifications: readonly Verification[]): Verification {
  const rows = verifications.map(verificationOf)
  const { mode } = rows.reduce((one, other) => (other.strength > one.strength ? other : one), verificationOf('NONE'))
  const overTls = verificationNames.find((name) => name !== mode && verificationOf(name).mode === mode)
  return (rows.some(({ needsTls }) => needsTls) && overTls) || mode
}

export function isOpen({ verification }: { readonly verification: string }): boolean {
  return verificationOf(verification).isOptional === true
}

interface Named extends Claim {
  readonly alias: string
  readonly version: string
  readonly method: Method
}

/**
 * Operations of which nothing says whether they need credentials require Basic ones, unless `--open` is given. One note for
 * all of them, and one for each kind of credentials that Basic takes the place of.
 */
export function closeUndeclared<Operation extends Named>(
  operations: readonly Operation[],
  notices: Problem[],
  { open = false, advice = ' (--open imports them with NONE)' } = {},
): readonly Operation[] {
  const isUndeclared = (one: Operation) => !open && isOpen(one) && !one.isDeclaredOpen
  const note = (message: string, group: readonly Operation[]) => {
    const names = [...new Set(group.map(nameOf))] // an access log has the same at several nodes
    if (names.length > 0) notices.push({ path: 'operations', message: `${message}: ${joinNames(names)}` })
  }
  const replaced = operations.filter(({ unknown }) => unknown !== undefined)
  const groups = Map.groupBy(replaced, ({ verification, unknown = [] }) => {
    return `get ${verification} verification in place of ${joinNames(unknown)}`
  })
  for (const [message, group] of groups) note(message, group)
  note(`that nothing declares open get Basic verification${advice}`, operations.filter(isUndeclared))
  return operations.map((one) => {
    return isUndeclared(one) ? { ...one, verification: findStrictest([one.verification, 'Basic']) } : one
  })
}

export function nameOf({ alias, version, method }: Omit<Named, keyof Claim>): string {
  return `${alias}.${version} ${method}`
}

const maxNamed = 50

export function joinNames(names: readonly string[]): string {
  const rest = names.length - maxNamed
  return names.slice(0, maxNamed).join(', ') + (rest > 0 ? ` and ${rest} more` : '')
}
