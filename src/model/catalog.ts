/** The catalog: the configuration, compiled once into what a call looks up; immutable, swapped in by one assignment. */
import type { Configuration } from './configuration.ts'
import type { Method, Operation } from './operation.ts'

export interface Catalog {
  readonly configuration: Configuration
  /** Names of the active nodes, the default local node among them. */
  readonly nodes: ReadonlySet<string>
  readonly defaultNode: string
  /** The ANONYMOUS node's default user. */
  readonly anonymousOperatorId: string | undefined
  /** By `<alias>.<version>`, then by method. Active operations only. */
  readonly services: ReadonlyMap<string, ReadonlyMap<Method, Operation>>
  /** By `NAME_METHOD.v1`. */
  readonly operations: ReadonlyMap<string, Operation>
  readonly routings: readonly Routing[]
  /** Permission lists by name → ids of the operations they permit. */
  readonly permissionLists: ReadonlyMap<string, ReadonlySet<string>>
}

/** Generated, read-only: one per operation. */
export interface Routing {
  readonly operationId: string
  readonly description: 'Any to default local node'
  readonly node: string
}
