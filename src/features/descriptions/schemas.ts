/** Elements of document templates as JSON Schema and in words (specification 2.28, 2.29, 2.33, 12.6). */
import { compareDecimals, normalizeDecimal } from '../../base/decimal.ts'
import type { DocumentElement, PrimitiveType } from '../../model/document-template.ts'
import { readPrimitive } from '../../model/primitive.ts'
import type { Variable } from '../../model/uri/uri-template.ts'

export interface Reference {
  readonly $ref: string
}

export type Schema = Readonly<Record<string, unknown>>

/** What a client may send: always accepted by the element, but not every accepted form. */
export function toSchema({ element, list }: Variable): Schema {
  const schema = valueSchema(element, list === 'comma')
  return list === 'none' ? schema : { type: 'array', items: schema }
}

/** @param name of the value in its place */
export function describeElement(element: DocumentElement, name: string): string {
  const { type, length, isCollection, minimum, maximum, pattern, description } = element
  const what = `${element.name === name ? '' : `Element \`${element.name}\`: `}${isCollection ? 'collection of ' : ''}${type}`
  const limit =
    length === undefined ? '' : `, at most ${length} character${length === 1 ? '' : 's'}${isCollection ? ' each' : ''}`
  const bounds = [
    ...(minimum === undefined ? [] : [`at least ${minimum}`]),
    ...(maximum === undefined ? [] : [`at most ${maximum}`]),
    ...(pattern === undefined ? [] : [`matching \`${pattern}\``]),
  ].map((rule) => `, ${rule}`)
  return `${what}${limit}${bounds.join('')}.${description === undefined ? '' : ` ${description}`}`
}

function valueSchema(element: DocumentElement, isInCommaList: boolean): Schema {
  const { type, length, values } = element
  if (values) {
    const enumerated = enumerate(type, values)
    return { ...enumerated, ...describeExamples(element, enumerated.type === 'string') }
  }
  const { schema, limit = byLength } = primitives[type]
  const isText = !('format' in schema) && schema.type === 'string'
  const pattern = isText && isInCommaList ? { pattern: '^[^,]*$' } : isText ? describePattern(element) : {}
  const limits = narrow({ ...schema, ...(length === undefined ? {} : limit(length)) }, element)
  return { ...limits, ...pattern, ...describeExamples(element, schema.type === 'string') }
}

/** The narrower of two bounds; one that a number of JSON cannot state exactly is left to the description. */
function narrow(schema: Schema, { minimum, maximum }: DocumentElement): Schema {
  const rows = [
    ['minimum', minimum, 1],
    ['maximum', maximum, -1],
  ] as const
  const narrower = rows.flatMap(([key, bound, sign]) => {
    if (bound === undefined || normalizeDecimal(Number(bound)) !== bound) return []
    const other = schema[key] as number | undefined
    const counts = other === undefined || sign * compareDecimals(bound, normalizeDecimal(other) ?? bound) > 0
    return counts ? [[key, Number(bound)] as const] : []
  })
  return { ...schema, ...Object.fromEntries(narrower) }
}

/** Only one that JSON Schema, which has the patterns of JavaScript, reads as RE2 does, or more narrowly. */
function describePattern({ pattern }: DocumentElement): Schema {
  if (pattern === undefined || onlyRe2.test(pattern)) return {}
  try {
    const anchored = `^(?:${pattern})$`
    new RegExp(anchored, 'u')
    return { pattern: anchored }
  } catch {
    return {}
  }
}

/** Classes by name, and white space, of which JavaScript has more; flags. */
const onlyRe2 = /\[\[:|\\s|\(\?[a-zA-Z-]+[:)]/

/** As values of the schema; one that JSON cannot state exactly is omitted. */
function describeExamples({ type, examples = [] }: DocumentElement, isText: boolean): Schema {
  const stated = examples.flatMap((text) => {
    const value = isText ? text : readExample(type, text)
    return value === undefined ? [] : [value]
  })
  return stated.length > 0 ? { examples: stated } : {}
}

function readExample(type: PrimitiveType, text: string): unknown {
  if (type !== 'Integer' && type !== 'Decimal') return readPrimitive(type, text).value
  return normalizeDecimal(Number(text)) === normalizeDecimal(text) ? Number(text) : undefined
}

/** As JSON has it, if that is written in the same way. */
function readExact(type: PrimitiveType, text: string): string | number | boolean | undefined {
  const value = readTyped(type, text)
  return String(value) === text ? value : undefined
}

/** Numbers and Booleans only if enumerated values are written as such. */
function enumerate(type: PrimitiveType, values: readonly string[]): Schema {
  const typed = values.map((value) => readExact(type, value))
  if (typed.every((value) => value !== undefined)) {
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
