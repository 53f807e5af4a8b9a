/** What a feature may contribute to the configuration; each member is optional (decisions D-1300). */
import type { ZodRawShape } from 'zod'
import type { Problem } from '../model/problem.ts'
import type { Configuration, OperationDefinition } from './configuration.ts'
import type { FieldChange } from './diff-configurations.ts'
import type { References } from './find-uses.ts'
import type { KnownNames } from './known-names.ts'
import type { FeatureOperation, HandlerForm, ListRow } from './list-row.ts'
import type { UncheckedDefinition } from './unchecked-definition.ts'

export interface ConfigurationPart {
  /** Lists of the configuration, and rules of their fields together: an invalid one is null. */
  readonly lists?: Readonly<Record<string, ListRow>>
  check?(unchecked: UncheckedDefinition, known: KnownNames): Iterable<Problem | undefined>
  /** Fields of an operation, each optional, of which it may have one instead of a handler. */
  readonly handlerFields?: ZodRawShape
  /** Other forms of an operation's `handler`, by their first member. */
  readonly handlerForms?: Readonly<Record<string, HandlerForm>>
  /** Other fields of an operation, each optional. */
  readonly operationFields?: ZodRawShape
  /** Milliseconds after which a call of the operation is slow. */
  slowAfterOf?(operation: OperationDefinition): number | undefined
  /** Fields of a node, each optional. */
  readonly nodeFields?: ZodRawShape
  /** Finds the fields that name items of other lists, by list. */
  readonly references?: References
  /** Why a change of a node's fields breaks URLs that clients use. */
  findNodeBreach?(fields: readonly FieldChange[], node: Configuration['nodes'][number]): string | undefined
  /** Operations that it makes of its lists and fields. */
  operationsOf?(configuration: Configuration): readonly FeatureOperation[]
  /** Their ids in a configuration that is not checked yet. */
  operationIds?(unchecked: UncheckedDefinition): readonly string[]
}
