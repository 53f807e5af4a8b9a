/** The fields of `gateway.config.ts`, from the schema that checks them. */
import { z } from 'zod'
import { configurationSchema, itemSchemas } from '../../src/configuration/configuration.ts'
import type { ListRow } from '../../src/configuration/list-row.ts'
import { sampleOperator } from '../../src/configuration/sample-operator.ts'
import { mergeContributions } from '../../src/features.ts'
import { code, writeTable } from './write-table.ts'

interface FieldSchema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly string[]
  readonly const?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly items?: FieldSchema
  readonly default?: unknown
}

const { documents, operations } = itemSchemas
const { requestMessage, faultMessage, deprecated } = shapeOf(operations)
const element = (unwrap(shapeOf(documents).elements) as z.ZodRecord).valueType as z.ZodType

const sections: readonly (readonly [title: string, schema: z.ZodType])[] = [
  ['The whole configuration', withoutLists()],
  ['nodes', itemSchemas.nodes],
  ...sectionsOfFields('nodes', 'nodeFields'),
  ['documents', documents],
  ['documents: elements', element],
  ['messages', itemSchemas.messages],
  ['services', itemSchemas.services],
  ['operations', operations],
  ['operations: requestMessage and responseMessage', unwrap(requestMessage)],
  ['operations: faultMessage', unwrap(faultMessage)],
  ['operations: deprecated', unwrap(deprecated)],
  ...sectionsOfFields('operations', 'handlerFields'),
  ...sectionsOfFields('operations', 'operationFields'),
  ['permissionLists', itemSchemas.permissionLists],
  ['oauth2ServiceApps', itemSchemas.oauth2ServiceApps],
  ...Object.entries<ListRow>(mergeContributions('lists')).map(([title, { schema }]) => [title, schema] as const),
  ['limits', itemSchemas.limits],
  ['sampleOperators', sampleOperator],
]

/** Of fields of features that are objects, or lists of objects: their fields. */
function sectionsOfFields(
  list: string,
  member: 'nodeFields' | 'handlerFields' | 'operationFields',
): [string, z.ZodType][] {
  return Object.entries<z.ZodType>(mergeContributions(member)).flatMap(([field, stated]) => {
    const { out = stated } = unwrap(stated).def as { readonly out?: z.ZodType }
    const { element = unwrap(out) } = unwrap(out) as z.ZodArray
    const schema = unwrap(element)
    return schema instanceof z.ZodObject ? [[`${list}: ${field}`, schema]] : []
  })
}

export function writeConfiguration(): string {
  return sections
    .map(([title, schema]) => {
      const rows = Object.entries(shapeOf(schema)).map(([key, field]) => {
        const { title = '', description } = field.meta() ?? {}
        return [code(key), title, defaultOf(field), valuesOf(field), description === undefined ? '' : `${description}.`]
      })
      return `## ${title}\n\n${writeTable(['field', 'in the console', 'default', 'values', 'meaning'], rows)}`
    })
    .join('\n\n')
}

/** Its fields that are no lists of items. */
function withoutLists(): z.ZodType {
  const fields = Object.entries(shapeOf(configurationSchema)).filter(([key]) => !(key in itemSchemas))
  return z.object(Object.fromEntries(fields))
}

function shapeOf(schema: unknown): Readonly<Record<string, z.ZodType>> {
  return (unwrap(schema) as z.ZodObject).shape as Readonly<Record<string, z.ZodType>>
}

/** The schema below defaults, options and `readonly`. */
function unwrap(schema: unknown): z.ZodType {
  const { innerType } = (schema as z.ZodType).def as { readonly innerType?: z.ZodType }
  return innerType ? unwrap(innerType) : (schema as z.ZodType)
}

function schemaOf(field: z.ZodType): FieldSchema {
  return z.toJSONSchema(field, { io: 'input', unrepresentable: 'any' }) as FieldSchema
}

function defaultOf(field: z.ZodType): string {
  if (!field.safeParse(undefined).success) return 'required'
  const stated = schemaOf(field).default
  return stated === undefined || typeof stated === 'object' ? '' : code(String(stated))
}

function valuesOf(field: z.ZodType): string {
  const inner = unwrap(field)
  const { type, enum: values, minimum, maximum, items } = schemaOf(inner)
  if (values) return values.map(code).join(', ')
  if (type === 'boolean') return '`true`, `false`'
  if (type === 'integer') return reportRange(minimum ?? Number.MIN_SAFE_INTEGER, maximum ?? Number.MAX_SAFE_INTEGER)
  if (type === 'array') return items?.type === 'object' ? 'list of objects' : 'list of texts'
  if (type === 'object') return 'object'
  if (type === 'string') return reportText(inner)
  return Array.isArray(type) ? 'number, or its digits as a text' : 'text, or list of objects'
}

function reportRange(least: number, max: number): string {
  const low = least > Number.MIN_SAFE_INTEGER
  const high = max < Number.MAX_SAFE_INTEGER
  if (low) return high ? `${least} to ${max}` : `whole number from ${least}`
  return 'whole number'
}

/** What the schema answers to a text that it cannot take. */
function reportText(schema: z.ZodType): string {
  const { error } = schema.safeParse('\n')
  return /^must be (?:an? )?(.*)$/.exec(error?.issues[0]?.message ?? '')?.[1] ?? 'text'
}
