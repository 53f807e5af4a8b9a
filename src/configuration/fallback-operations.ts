/** The operations that answer what a node does not have here, one for each method, with the rules of any other (specification 36.19). */
import { listContributions } from '../features.ts'
import { methods } from '../model/operation-terms.ts'
import { type Configuration, itemSchemas, type OperationDefinition } from './configuration.ts'

export interface FallbackOperation {
  readonly node: string
  readonly definition: OperationDefinition
  readonly permissionLists: readonly string[]
}

/** The fields of an operation, without its name and method. */
export interface FallbackFields {
  readonly permissionLists: readonly string[]
  readonly [field: string]: unknown
}

/** Replaces the version, and no operation has such a one: `PSFT_HR_GET.upstream`. */
const fallbackVersion = 'upstream'

const rows = listContributions<(node: Configuration['nodes'][number]) => FallbackFields | undefined>('fallbackOf')

/** The fallback operations of active nodes. */
export function listFallbacks({ nodes }: Pick<Configuration, 'nodes'>): readonly FallbackOperation[] {
  return nodes.flatMap((node) => {
    const { name } = node
    const stated = node.isActive ? rows.flatMap((fallbackOf) => fallbackOf(node) ?? []) : []
    return stated.flatMap(({ permissionLists, ...fields }) =>
      methods.map((method) => {
        const operation = itemSchemas.operations.parse({ ...fields, service: name, name, method })
        return { node: name, permissionLists, definition: { ...operation, version: fallbackVersion } }
      }),
    )
  })
}
