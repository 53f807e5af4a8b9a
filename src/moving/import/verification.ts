/**
 * An import never weakens (specification 16.18): an operation is open only where every declaration and every call of it says
 * so, those that are left out included; otherwise it gets the strictest of what they demand, and what is not understood is Basic.
 */
import { segmentOf } from '../../model/operation-name.ts'
import type { Method } from '../../model/operation-terms.ts'
import type { Problem } from '../../model/problem.ts'
import { type Verification, verificationNames, verificationOf } from '../../model/verification.ts'
import { joinNames } from './write-notes.ts'

/** What a declaration or a call says of the credentials of its operation. */
export interface Claim {
  readonly verification: Verification
  /** It says that no credentials are needed; saying nothing is not enough. */
  readonly isDeclaredOpen: boolean
  /** What says so, if no verification has it: Basic takes its place. */
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

/** It may be credentials: closed, unless `--open` is given. */
export function doubt(what: string): Claim {
  return { ...silent, unknown: [what] }
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

export function overTls(claim: Claim): Claim {
  return { ...claim, verification: findStrictest([claim.verification, 'SSL']) }
}

export function isOpen({ verification }: { readonly verification: string }): boolean {
  return verificationOf(verification).allowsAnonymous === true
}

interface ClaimedOperation extends Claim {
  readonly alias: string
  readonly version: string
  readonly method: Method
}

/**
 * Operations that may need credentials, and of which nothing says that they do, require Basic ones, unless `--open` is
 * given. A note says why of each that is closed without credentials of its own.
 */
export function closeUndeclared<Operation extends ClaimedOperation>(
  operations: readonly Operation[],
  notices: Problem[],
  { open = false, advice = ' (--open imports them with NONE)' } = {},
): readonly Operation[] {
  const reasons = new Map<string, Set<string>>()
  const closed = operations.map((one) => {
    const { unknown, isDeclaredOpen } = one
    const isUndeclared = !open && isOpen(one) && !isDeclaredOpen
    const verification = isUndeclared ? findStrictest([one.verification, 'Basic']) : one.verification
    const gets = `get ${verification} verification`
    const why = unknown ? `${gets} in place of ${joinNames(unknown)}` : `that nothing declares open ${gets}`
    const reason = why + (isUndeclared ? advice : '')
    if (isUndeclared || (unknown && !isOpen(one)))
      reasons.set(reason, (reasons.get(reason) ?? new Set()).add(nameOf(one))) // a log has the same at several nodes
    return { ...one, verification }
  })
  for (const [reason, names] of reasons)
    notices.push({ path: 'operations', message: `${reason}: ${joinNames([...names])}` })
  return closed
}

export function nameOf(operation: Omit<ClaimedOperation, keyof Claim>): string {
  return `${segmentOf(operation)} ${operation.method}`
}
