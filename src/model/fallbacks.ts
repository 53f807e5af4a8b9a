/** What answers the operations of a node that this gateway does not have (specification 36.19, 36.20). */
import type { Operation } from './operation.ts'
import { withVersion } from './operation-name.ts'
import type { Method } from './operation-terms.ts'
import type { Target } from './uri/target.ts'

export interface Fallbacks {
  /** Undefined: the call is answered as if the node had no fallback. */
  find(target: Pick<Target, 'node' | 'service'>, method: string): Operation | undefined
}

/**
 * @param passing of active nodes
 * @param own all operations of this gateway, inactive ones too, which stay refused
 */
export function openFallbacks(passing: readonly Operation[], own: Iterable<Operation>): Fallbacks {
  if (passing.length === 0) return { find: () => undefined }
  const byNode = new Map<string | undefined, Map<string, Operation>>()
  for (const operation of passing) {
    const { ofNode, method } = operation
    byNode.set(ofNode, (byNode.get(ofNode) ?? new Map<string, Operation>()).set(method, operation))
  }
  const reserved = new Set<string>()
  for (const { name, alias, version, method } of own)
    for (const known of [name, alias])
      for (const as of method === 'GET' ? (['GET', 'HEAD'] satisfies Method[]) : [method])
        reserved.add(keyOf(as, withVersion(known, version)))
  return {
    find({ node, service }, method) {
      const operation = byNode.get(node)?.get(method)
      return operation && plain.test(service) && !reserved.has(keyOf(method, service)) ? operation : undefined
    },
  }
}

/** The form of URLs, without parameters, encodings and separators that the other server could read in another way. */
const plain = /^(?:[A-Za-z][A-Za-z0-9_-]{0,59}\.[vV][1-9][0-9]{0,8}|[a-z][a-z0-9_-]{0,59})$/

/** The other server may not tell capitals from small letters. */
function keyOf(method: string, service: string): string {
  return `${method} ${service.toUpperCase()}`
}
