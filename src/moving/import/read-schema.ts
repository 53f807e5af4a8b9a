/** A JSON schema as the type of a value: without `null`, with the parts of `allOf` (specification 16.8). */
import { asList, asObject, type Json, type References } from './json-reference.ts'

export interface ReadSchema {
  /** Its `type` is one text, or absent. */
  readonly schema: Json
  /** Its values may have several types. */
  readonly isUnion: boolean
}

const none: ReadSchema = { schema: {}, isUnion: false }

/** Maximum depth of schemas within schemas; deeper ones are ignored. */
const maxDepth = 32

/** Each schema is read once, so that schemas that contain each other many times take no longer. */
const known = new WeakMap<Json, ReadSchema>()

export function readSchema(given: unknown, place: string, references: References, depth = 0): ReadSchema {
  const followed = references.follow(given ?? {}, place)
  if (depth >= maxDepth) references.note(place, `leaves out a schema within more than ${maxDepth} others`)
  const earlier = depth >= maxDepth ? none : known.get(followed)
  if (earlier) return earlier
  known.set(followed, none) // for a schema that contains itself
  const { oneOf, anyOf, allOf, ...own } = followed
  const read = (one: unknown) => readSchema(one, place, references, depth + 1)
  const options = [...asList(oneOf), ...asList(anyOf)].map(read).filter(({ schema }) => schema.type !== 'null')
  const parts = [...asList(allOf).map(read), ...(options.length === 1 ? options : [])]
  const types = asList(own.type).filter((one) => one !== 'null')
  const schemas = [...parts.map(({ schema }) => schema), own]
  const type = Array.isArray(own.type) ? { type: types[0] ?? 'null' } : {}
  const properties = Object.assign({}, ...schemas.map((schema) => asObject(schema.properties)))
  const result = {
    schema: { ...Object.assign({}, ...schemas), ...type, ...(Object.keys(properties).length > 0 && { properties }) },
    isUnion: types.length > 1 || options.length > 1 || parts.some(({ isUnion }) => isUnion),
  }
  known.set(followed, result)
  return result
}
