/** The operations that features make of other parts of the configuration, with the rules of any other (specification 36.19). */
import { listContributions } from '../features.ts'
import { type Configuration, itemSchemas, type OperationDefinition } from './configuration.ts'
import type { FeatureOperation } from './list-row.ts'

export interface GeneratedOperation extends FeatureOperation {
  readonly definition: OperationDefinition
}

const rows = listContributions<(configuration: Configuration) => readonly FeatureOperation[]>('operationsOf')

export function listGenerated(configuration: Configuration): readonly GeneratedOperation[] {
  return rows
    .flatMap((operationsOf) => operationsOf(configuration))
    .map((generated) => {
      const { name, version, method, fields } = generated
      const definition = itemSchemas.operations.parse({ ...fields, service: 'GENERATED', name: 'GENERATED', method })
      return { ...generated, definition: { ...definition, service: generated.alias, name, version } }
    })
}
