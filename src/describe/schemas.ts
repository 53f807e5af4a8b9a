/** Elements of document templates as JSON Schema and in words (specification 12.6). */
import type { DocumentElement, PrimitiveType } from '../model/document-template.ts'
import type { Variable } from '../model/uri/uri-template.ts'

export type Schema = Readonly<Record<string, unknown>>

/** What a client may send: always accepted by the element, but not every accepted form. */
export function toSchema({ element, list }: Variable): Schema {
  const schema = valueSchema(element, list === 'comma')
  return list === 'none' ? schema : { type: 'array', items: schema }
}

/** @param name of the value in its place */
export function describeElement(element: DocumentElement, name: string): string {
  const { type, length, isCollection } = element
  const what = `${element.name === name ? '' : `Element \`${element.name}\`: `}${isCollection ? 'collection of ' : ''}${type}`
  const limit =
    length === undefined ? '' : `, at most ${length} character${length === 1 ? '' : 's'}${isCollection ? ' each' : ''}`
  return `${what}${limit}.`
}

function valueSchema({ type, length, values }: DocumentElement, isInCommaList: boolean): Schema {
  if (values) return enumerate(type, values)
  const { schema, limit = byLength } = primitives[type]
  const pattern = isInCommaList && !('format' in schema) && schema.type === 'string' ? { pattern: '^[^,]*$' } : {}
  return { ...schema, ...(length === undefined ? {} : limit(length)), ...pattern }
}

/** Numbers and Booleans only if enumerated values are written as such. */
function enumerate(type: PrimitiveType, values: readonly string[]): Schema {
  const typed = values.map((value) => readTyped(type, value))
  if (typed.every((value, at) => value !== undefined && String(value) === values[at])) {
    return { type: primitives[type].schema.type, enum: typed }
  }
  return { type: 'string', enum: values }
}

function readTyped(type: PrimitiveType, value: string): string | number | boolean | undefined {
  if (type === 'Integer' || type === 'Decimal') return Number(value)
  if (type !== 'Boolean') return value
  return value === 'true' || value === 'false' ? value === 'true' : undefined
}

interface PrimitiveSchema {
  readonly schema: Schema
  /** The effect of the length, which limits the characters of the text for every type. */
  readonly limit?: (length: number) => Schema
}

const byLength = (length: number): Schema => ({ maxLength: length })
const byDigits = (length: number): Schema =>
  length > 15 ? {} : { minimum: length > 1 ? -(10 ** (length - 1) - 1) : 0, maximum: 10 ** length - 1 }
const text = { schema: { type: 'string' } }

const primitives: Readonly<Record<PrimitiveType, PrimitiveSchema>> = {
  Binary: { schema: { type: 'string', contentEncoding: 'base64url' } },
  Boolean: { schema: { type: 'boolean' }, limit: () => ({}) },
  Character: text,
  Date: { schema: { type: 'string', format: 'date' } },
  DateTime: { schema: { type: 'string', format: 'date-time' } },
  Decimal: { schema: { type: 'number' }, limit: byDigits },
  Integer: {
    schema: { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
    limit: byDigits,
  },
  String: text,
  Text: text,
  Time: { schema: { type: 'string', format: 'time' } },
}
