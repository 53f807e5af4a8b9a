/** The operations that features make of other parts of the configuration, with the rules of any other (specification 36.19). */
import { listContributions } from '../features.ts'
import type { Operation } from '../model/operation.ts'
import type { Method } from '../model/operation-terms.ts'
import { type Configuration, itemSchemas, type OperationDefinition } from './configuration.ts'

export interface Generated {
  /** What permission lists and limits may name. */
  readonly id: string
  readonly name: string
  readonly version: string
  readonly method: Method
  /** Where the configuration states it: `nodes[0].upstream`. */
  readonly place: string
  /** Lists that hold it, besides those that name it. */
  readonly permissionLists?: readonly string[]
  /** The other fields of an operation. */
  readonly fields: Readonly<Record<string, unknown>>
  readonly alias: string
  readonly ofNode?: string
  readonly checkBody?: Operation['checkBody']
}

export interface GeneratedOperation extends Generated {
  readonly definition: OperationDefinition
}

const rows = listContributions<(configuration: Configuration) => readonly Generated[]>('operationsOf')

export function listGenerated(configuration: Configuration): readonly GeneratedOperation[] {
  return rows
    .flatMap((operationsOf) => operationsOf(configuration))
    .map((generated) => {
      const { name, version, method, fields } = generated
      const definition = itemSchemas.operations.parse({ ...fields, service: 'GENERATED', name: 'GENERATED', method })
      return { ...generated, definition: { ...definition, service: generated.alias, name, version } }
    })
}
