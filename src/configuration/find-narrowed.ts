/** Elements of a document that accept less than before (specification 2.30): callers that were served are refused. */
import { compareDecimals, normalizeDecimal } from '../base/decimal.ts'
import type { Configuration, OperationDefinition } from './configuration.ts'

interface FieldChange {
  readonly field: string
  readonly before: unknown
  readonly after: unknown
}

/** @returns by the name of a document, its active operations */
export function openUsers({
  messages,
  operations,
}: Configuration): ReadonlyMap<string, readonly OperationDefinition[]> {
  const documents = new Map(messages.map(({ name, document }) => [name, document]))
  const active = operations.filter(({ isActive, documentTemplate }) => isActive && documentTemplate !== undefined)
  return Map.groupBy(active, ({ documentTemplate = '' }) => documents.get(documentTemplate) ?? '')
}

/** `limit (minimum 1)`: elements that existed, with a rule that is new or narrower. */
export function findNarrowed(fields: readonly FieldChange[]): readonly string[] {
  const added = new Set(
    fields.flatMap(({ field, before }) => (before === undefined && /\.type$/.exec(field) ? [field] : [])),
  )
  return fields.flatMap(({ field, before, after }) => {
    const [, element = '', rule = ''] = /^elements\.(\w+)\.(minimum|maximum|pattern)$/.exec(field) ?? []
    const isNarrower = narrowing[rule]
    if (!isNarrower || after === undefined || added.has(`elements.${element}.type`)) return []
    return before === undefined || isNarrower(before, after) ? [`${element} (${rule} ${after})`] : []
  })
}

const narrowing: Readonly<Record<string, (before: unknown, after: unknown) => boolean>> = {
  minimum: (before, after) => compareDecimals(textOf(after), textOf(before)) > 0,
  maximum: (before, after) => compareDecimals(textOf(after), textOf(before)) < 0,
  pattern: (before, after) => before !== after,
}

function textOf(bound: unknown): string {
  return normalizeDecimal(bound as string | number) ?? ''
}
