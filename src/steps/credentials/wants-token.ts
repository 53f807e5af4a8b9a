/** Whether the operation of a request requires a bearer token (specification 3.5). */
import type { Call } from '../../model/call.ts'
import type { Catalog } from '../../model/catalog.ts'
import type { Settings } from '../../settings.ts'
import { findOperation } from '../find-operation.ts'
import { readTarget } from '../read-target.ts'

/** False if the pipeline refuses the request before it checks credentials. */
export function wantsToken(
  call: Pick<Call, 'method' | 'target'>,
  catalog: Catalog,
  gateway: { readonly settings: Settings },
): boolean {
  try {
    const target = readTarget(call, catalog, gateway)
    if (target.kind !== 'operation') return false
    return findOperation(target, call.method, catalog, gateway).verification.startsWith('OAuth2')
  } catch {
    return false
  }
}
