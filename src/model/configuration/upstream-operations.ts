/** The operations that stand for a node's upstream, one for each method, with the rules of any other (specification 36.19). */
import { methods } from '../operation-terms.ts'
import { type Configuration, itemSchemas, type OperationDefinition } from './configuration.ts'

export interface UpstreamOperation {
  readonly node: string
  readonly definition: OperationDefinition
  readonly permissionLists: readonly string[]
}

/** In place of a version, which no operation has: `PSFT_HR_GET.upstream`. */
const upstreamVersion = 'upstream'

/** Of active nodes. */
export function listUpstreams({ nodes }: Pick<Configuration, 'nodes'>): readonly UpstreamOperation[] {
  return nodes.flatMap(({ name, isActive, upstream }) => {
    if (!isActive || !upstream) return []
    const { passThrough, credentials, cookies, requestHeaders, responseHeaders, permissionLists, ...fields } = upstream
    const handler = { passThrough, credentials, cookies, requestHeaders, responseHeaders }
    return methods.map((method) => {
      const stated = itemSchemas.operations.parse({ ...fields, service: name, name, method, handler })
      return { node: name, permissionLists, definition: { ...stated, version: upstreamVersion } }
    })
  })
}
