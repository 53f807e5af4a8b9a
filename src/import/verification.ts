/** An import never weakens: what one operation asks of its callers, where several declarations are merged (specification 16.18). */
import type { Method } from '../model/operation-terms.ts'
import type { Problem } from '../model/problem.ts'
import type { Verification } from '../model/verification.ts'

export const weakestFirst = ['NONE', 'Basic', 'Token', 'OAuth2', 'Certificate'] as const

/** The strictest kind of credentials, over TLS if one of them requires it. */
export function findStrictest(verifications: readonly Verification[]): Verification {
  const kinds = new Set(verifications.map((one) => one.replace(/SSL$/, '') || 'NONE'))
  const kind = weakestFirst.findLast((known) => kinds.has(known)) ?? 'NONE'
  return verifications.some((one) => one.endsWith('SSL')) ? withTls(kind) : kind
}

/** A certificate is presented over TLS in any case. */
export function withTls(kind: (typeof weakestFirst)[number]): Verification {
  if (kind === 'Certificate') return kind
  return kind === 'NONE' ? 'SSL' : `${kind}SSL`
}

export function isOpen({ verification }: { readonly verification: string }): boolean {
  return verification === 'NONE' || verification === 'SSL'
}

interface Declared {
  readonly alias: string
  readonly version: string
  readonly method: Method
  readonly verification: Verification
  readonly isDeclaredOpen: boolean
}

/** Operations that nothing declares open require Basic credentials instead, with a note. */
export function closeUndeclared<Operation extends Declared>(
  operations: readonly Operation[],
  notices: Problem[],
): readonly Operation[] {
  return operations.map((operation) => {
    const { alias, version, method, verification } = operation
    if (!isOpen(operation) || operation.isDeclaredOpen) return operation
    const closed = verification === 'SSL' ? 'BasicSSL' : 'Basic'
    const message = `gets ${closed} verification: nothing says that it needs no credentials. --open imports it with ${verification}`
    notices.push({ path: `${alias}.${version} ${method}`, message })
    return { ...operation, verification: closed }
  })
}
