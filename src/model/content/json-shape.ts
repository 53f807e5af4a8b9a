/** The shape of the JSON that a handler's class states, as JSON Schema, where its library offers that (specification 5.21). */
import type { HandlerClass } from '../handler.ts'
import { isSchema, type Schema } from './standard-schema.ts'

export type ReadShape = { readonly shape: Readonly<Record<string, unknown>> } | { readonly fault: string }

const read = new WeakMap<Schema, Map<string, ReadShape>>()

/** Undefined if the class states no such schema. */
export function readShape(
  { requestSchema, responseSchema }: HandlerClass,
  side: 'request' | 'response',
): ReadShape | undefined {
  const schema = side === 'request' ? requestSchema : responseSchema
  if (schema === undefined) return undefined
  if (!isSchema(schema)) return { fault: 'is not a Standard Schema, so it cannot be used' }
  const known = read.get(schema) ?? new Map<string, ReadShape>()
  read.set(schema, known)
  const shape = known.get(side) ?? convert(schema, side)
  known.set(side, shape)
  return shape
}

/** What clients send is the input of a schema, and what they receive the output. */
function convert(schema: Schema, side: 'request' | 'response'): ReadShape {
  const { jsonSchema, vendor } = schema['~standard']
  if (!jsonSchema) {
    return { fault: `has no shape for descriptions: ${vendor} offers no Standard JSON Schema for it` }
  }
  try {
    const options = { target: 'draft-2020-12' } // the dialect of OpenAPI 3.1
    const written = side === 'request' ? jsonSchema.input(options) : jsonSchema.output(options)
    const { $schema: _, ...shape } = JSON.parse(JSON.stringify(written))
    return { shape }
  } catch (error) {
    return { fault: `has no shape for descriptions: ${error instanceof Error ? error.message : String(error)}` }
  }
}
