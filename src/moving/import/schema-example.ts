/** A response body from a description: its example, or a minimal instance of its schema (specification 16.8). */
import { asList, type Json, type References } from './json-reference.ts'
import { objectOf } from './members.ts'

export function isXmlType(contentType: string): boolean {
  return /[/+]xml\b/i.test(contentType)
}

export interface Examples {
  readonly references: References
  /** The characters that all bodies of a document may still have. */
  left: number
}

export function writeExample(media: Json, isXml: boolean, place: string, examples: Examples): string {
  if (examples.left <= 0) {
    examples.references.note(place, 'gets an empty body: those of the other responses are too long together')
    return ''
  }
  const writing = { references: examples.references, place, values: maxValues, characters: examples.left }
  const value = findExample(media, writing)
  const isText = typeof value === 'string' && (isXml || !isJsonValue(media, writing))
  if (isXml && !isText && value !== undefined)
    examples.references.note(place, 'gets an empty XML body: it has no example that is a text')
  const text = isText ? value : isXml ? emptyXml : `${JSON.stringify(value ?? {}, null, 2)}\n`
  examples.left = Math.min(writing.characters, examples.left - text.length)
  return text
}

export const emptyXml = '<?xml version="1.0"?><response/>'

/** A string with a string schema is JSON only if quoted; any other string is a serialized JSON document. */
function isJsonValue({ schema }: Json, { references, place }: ExampleContext): boolean {
  return references.follow(schema ?? {}, place).type === 'string'
}

function findExample(media: Json, writing: ExampleContext): unknown {
  const { example, schema } = media
  if (example !== undefined) return example
  const { references, place } = writing
  const [first, ...others] = Object.values(objectOf(media, 'examples', place, references.note))
  if (others.length > 0) references.note(place, 'responds with the first of its examples only')
  if (first !== undefined) {
    const { value, externalValue } = references.follow(first, place)
    if (value !== undefined) return value
    if (externalValue !== undefined)
      references.note(place, `has an example outside the document, ${JSON.stringify(externalValue)}`)
  }
  return schema === undefined ? undefined : instanceOf(schema, writing, [])
}

/** Maximum number of values in a body: more than people read. */
const maxValues = 10_000
const maxDepth = 32
/** That a value counts for, so that as many small ones take no longer than large ones. */
const minCharacters = 20

interface ExampleContext {
  readonly references: References
  readonly place: string
  /** How many more are allowed. */
  values: number
  characters: number
}

/** @param around the enclosing schemas */
function instanceOf(given: unknown, writing: ExampleContext, around: readonly Json[]): unknown {
  const { references, place } = writing
  const schema = references.follow(given, place)
  writing.values -= 1
  writing.characters -= minCharacters
  if (writing.values < 0 || writing.characters < 0) {
    references.note(place, `has a response of more than ${maxValues} values, or too long a one: the others are null`)
    return null
  }
  const { example, examples, default: fallback, const: only, enum: values, allOf, oneOf, anyOf, type } = schema
  for (const stated of [example, only, fallback, asList(examples)[0], asList(values)[0]])
    if (stated !== undefined) {
      writing.characters -= JSON.stringify(stated).length
      return stated
    }
  const isDeep = around.length >= maxDepth
  if (isDeep || isNested(schema, around)) {
    references.note(
      place,
      `responds with null where ${isDeep ? `its schema is deeper than ${maxDepth}` : 'a schema contains itself again'}`,
    )
    return null
  }
  const within = [...around, schema]
  if (Array.isArray(allOf)) {
    const parts = allOf.map((part) => instanceOf(part, writing, within))
    return Object.assign(
      {},
      ...parts.filter((part) => typeof part === 'object' && part !== null),
      instanceOfObject(schema, writing, within),
    )
  }
  const options = [...asList(oneOf), ...asList(anyOf)].filter((one) => references.follow(one, place).type !== 'null')
  const types = asList(type).filter((one) => one !== 'null')
  if (options.length > 1 || types.length > 1)
    references.note(place, 'may respond with one of several types: the first is the response')
  if (options.length > 0) return instanceOf(options[0], writing, within)
  const plain = types[0] ?? (asList(type)[0] || type)
  if (plain === 'null') return null
  if (plain === 'object' || schema.properties) return instanceOfObject(schema, writing, within)
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
function instanceOfObject(schema: Json, writing: ExampleContext, within: readonly Json[]): Json {
  const entries = Object.entries(objectOf(schema, 'properties', writing.place, writing.references.note))
  return Object.fromEntries(
    entries.map(([name, property]) => {
      writing.characters -= name.length
      return [name, instanceOf(property, writing, within)]
    }),
  )
}

const texts: Readonly<Record<string, string>> = {
  date: '2026-01-01',
  'date-time': '2026-01-01T00:00:00Z',
  time: '00:00:00Z',
  uuid: '00000000-0000-4000-8000-000000000000',
  email: 'someone@example.com',
  uri: 'https://example.com/',
}
