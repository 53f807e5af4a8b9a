/** The kind of credentials that the operation of a request reads (specification 3.5, 27.1). */
import type { Call } from '../../model/call.ts'
import type { Catalog } from '../../model/catalog.ts'
import { type CredentialKind, requiredKindOf } from '../../model/verification.ts'
import type { Settings } from '../../settings.ts'
import { findOperation } from '../find-operation.ts'
import { readTarget } from '../read-target.ts'

/** Basic also where credentials are optional, and if the pipeline refuses the request before it checks them. */
export function credentialKindOf(
  call: Pick<Call, 'method' | 'target'>,
  catalog: Catalog,
  gateway: { readonly settings: Settings },
): CredentialKind {
  try {
    const target = readTarget(call, catalog, gateway)
    if (target.kind !== 'operation') return 'basic'
    const { verification } = findOperation(target, call.method, catalog, gateway)
    return requiredKindOf(verification) ?? 'basic'
  } catch {
    return 'basic'
  }
}
