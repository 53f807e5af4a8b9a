/** A response body from a description: its example, or a minimal instance of its schema (specification 16.8). */
import type { Json, References } from './json-reference.ts'

export function isXmlType(contentType: string): boolean {
  return /[/+]xml\b/i.test(contentType)
}

export function writeExample(media: Json, isXml: boolean, references: References): string {
  const value = findExample(media, references)
  if (typeof value === 'string' && (isXml || !isJsonValue(media, references))) return value
  return isXml ? emptyXml : `${JSON.stringify(value ?? {}, null, 2)}\n`
}

export const emptyXml = '<?xml version="1.0"?><response/>'

/** A string with a string schema is JSON only if quoted; any other string is a serialized JSON document. */
function isJsonValue({ schema }: Json, references: References): boolean {
  return references.follow(schema ?? {}, 'a response').type === 'string'
}

function findExample({ example, examples, schema }: Json, references: References): unknown {
  if (example !== undefined) return example
  const [first] = Object.values((examples ?? {}) as Json)
  if (first !== undefined) {
    const { value } = references.follow(first, 'an example')
    if (value !== undefined) return value
  }
  return schema === undefined ? undefined : instanceOf(schema, { references, left: mostValues }, [])
}

/** Larger than any body that people read. */
const mostValues = 10_000
const deepest = 32

interface Writing {
  readonly references: References
  /** How many more values are allowed. */
  left: number
}

/** @param around the enclosing schemas */
function instanceOf(given: unknown, writing: Writing, around: readonly Json[]): unknown {
  const schema = writing.references.follow(given, 'a response')
  writing.left -= 1
  const { example, examples, default: fallback, const: only, enum: values, allOf, oneOf, anyOf, type } = schema
  for (const stated of [example, only, fallback, asList(examples)[0], asList(values)[0]])
    if (stated !== undefined) return stated
  if (writing.left < 0 || around.length >= deepest || isNested(schema, around)) return null
  const within = [...around, schema]
  if (Array.isArray(allOf)) {
    const parts = allOf.map((part) => instanceOf(part, writing, within))
    return Object.assign(
      {},
      ...parts.filter((part) => typeof part === 'object' && part !== null),
      objectOf(schema, writing, within),
    )
  }
  const [option] = [...asList(oneOf), ...asList(anyOf)]
  if (option !== undefined) return instanceOf(option, writing, within)
  const plain = asList(type).find((one) => one !== 'null') ?? type
  if (plain === 'object' || schema.properties) return objectOf(schema, writing, within)
  if (plain === 'array') return schema.minItems ? [instanceOf(schema.items ?? {}, writing, within)] : []
  if (plain === 'integer' || plain === 'number')
    return typeof schema.minimum === 'number' && schema.minimum > 0 ? schema.minimum : 0
  if (plain === 'boolean') return false
  if (plain === 'string') return texts[String(schema.format)] ?? ''
  return {}
}

/** A recursive schema is expanded once. */
function isNested(schema: Json, around: readonly Json[]): boolean {
  return around.indexOf(schema) !== around.lastIndexOf(schema)
}

/** All declared properties, so that a client finds what it reads. */
function objectOf({ properties }: Json, writing: Writing, within: readonly Json[]): Json {
  const entries = Object.entries((properties ?? {}) as Json)
  return Object.fromEntries(entries.map(([name, property]) => [name, instanceOf(property, writing, within)]))
}

const texts: Readonly<Record<string, string>> = {
  date: '2026-01-01',
  'date-time': '2026-01-01T00:00:00Z',
  time: '00:00:00Z',
  uuid: '00000000-0000-4000-8000-000000000000',
  email: 'someone@example.com',
  uri: 'https://example.com/',
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
