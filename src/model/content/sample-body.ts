/**
 * A request body for calls that are shown (specification 9.15): the operation's own example, else one of the shape that
 * its handler states, else a small one of the content type.
 */
import type { Operation } from '../operation.ts'
import { isJsonType } from './json.ts'
import { readShape } from './json-shape.ts'

export interface SampleBody {
  readonly mediaType: string
  /** Undefined for types that are no text, such as images. */
  readonly text: string | undefined
}

export function sampleBody({ request, handler }: Pick<Operation, 'request' | 'handler'>): SampleBody {
  const [stated = ''] = request.contentType.split(';')
  const isJson = isJsonType(stated)
  const mediaType = isJson || handler.requestSchema === undefined ? stated.trim() : 'application/json'
  const [example] = request.examples ?? []
  if (example !== undefined) return { mediaType: stated.trim(), text: example }
  const read = readShape(handler, 'request')
  if (read && 'shape' in read) return { mediaType, text: JSON.stringify(sampleOf(read.shape, read.shape, 0)) }
  if (isJsonType(mediaType)) return { mediaType, text: '{"key":"hello","value":"world"}' }
  if (/[/+]xml$/i.test(mediaType))
    return { mediaType, text: '<request><row><key>hello</key><value>world</value></row></request>' }
  return { mediaType, text: /^text\//i.test(mediaType) ? 'hello' : undefined }
}

type Shape = Readonly<Record<string, unknown>>

/** One within another: a schema may refer to itself. */
const maxReferences = 2

function sampleOf(shape: Shape, root: Shape, references: number): unknown {
  const { examples, const: fixed, enum: values, anyOf, oneOf, allOf, $ref, type } = shape
  for (const [given] of [examples, fixed === undefined ? undefined : [fixed], values].filter(Array.isArray))
    if (given !== undefined) return given
  const inner = (part: unknown) => sampleOf(isShape(part) ? part : {}, root, references)
  if (typeof $ref === 'string') {
    const found = references < maxReferences ? follow($ref, root) : undefined
    return isShape(found) ? sampleOf(found, root, references + 1) : null
  }
  for (const [first] of [anyOf, oneOf].filter(Array.isArray)) return inner(first)
  if (Array.isArray(allOf)) return inner(Object.assign({}, ...allOf, { ...shape, allOf: undefined }))
  const [kind] = [type].flat()
  return typeof kind === 'string' ? samples[kind]?.(shape, inner) : 'hello'
}

type Sample = (shape: Shape, inner: (part: unknown) => unknown) => unknown

const samples: Readonly<Record<string, Sample>> = {
  object({ properties, required }, inner) {
    const names = Array.isArray(required) ? required : []
    return Object.fromEntries(names.map((name) => [name, inner(isShape(properties) ? properties[name] : undefined)]))
  },
  array({ items, prefixItems, minItems }, inner) {
    if (Array.isArray(prefixItems)) return prefixItems.map(inner)
    const count = Math.min(100, Math.max(1, Number(minItems ?? 1)))
    return Array.from({ length: count }, () => inner(items)).filter((item) => item !== null)
  },
  string({ format, minLength, maxLength }) {
    const text = formats[String(format)] ?? 'hello'
    return text.padEnd(Math.min(1000, Number(minLength ?? 0)), text).slice(0, Number(maxLength ?? text.length + 1000))
  },
  integer: sampleNumber,
  number: sampleNumber,
  boolean: () => true,
  null: () => null,
}

const formats: Readonly<Record<string, string>> = {
  date: '2026-01-31',
  'date-time': '2026-01-31T09:30:00Z',
  time: '09:30:00',
  duration: 'P1D',
  email: 'ann@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com/',
  uuid: '123e4567-e89b-42d3-a456-426614174000',
}

/** 1, or the number within the bounds that is next to it. */
function sampleNumber({ minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf }: Shape): number {
  const step = Number(multipleOf ?? 1)
  const min = exclusiveMinimum === undefined ? Number(minimum ?? step) : Number(exclusiveMinimum) + step
  const max = exclusiveMaximum === undefined ? Number(maximum ?? Infinity) : Number(exclusiveMaximum) - step
  return Math.min(Math.ceil(Math.max(step, min) / step) * step, max)
}

function isShape(part: unknown): part is Shape {
  return typeof part === 'object' && part !== null && !Array.isArray(part)
}

/** `#/$defs/Item`; undefined if there is none. */
function follow(reference: string, root: Shape): unknown {
  return reference
    .split('/')
    .slice(1)
    .reduce<unknown>((part, name) => (isShape(part) ? part[name] : undefined), root)
}
