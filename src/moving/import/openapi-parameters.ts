/** Parameters of OpenAPI as variables of a URI template (specification 16.8). What a template cannot express is noted. */
import type { PrimitiveType } from '../../model/document-template.ts'
import type { DescribedParameter } from './described.ts'
import { asList, type Json, type References } from './json-reference.ts'
import { noteUnread, objectOf } from './members.ts'
import { readSchema } from './read-schema.ts'
import { quoteNames } from './write-notes.ts'

/** What a call has of each style; any other is one text. */
interface Serialization {
  readonly list?: DescribedParameter['list']
  /** What precedes the value in its segment. */
  readonly prefix?: (name: string) => string
  /** The query name of each property of an object. */
  readonly member?: (name: string, property: string) => string
}

const comma = { list: 'comma' } as const
const label = { prefix: () => '.' }
const matrix = { prefix: (name: string) => `;${name}=` }
const deepObject = { member: (name: string, property: string) => `${name}[${property}]` }

/** Maximum number of members of an object in the query. */
const maxMembers = 100

/** The serializations by place, style, kind of value, and `explode` where it matters. */
const serializations: Readonly<Record<string, Serialization>> = {
  'path simple value': {},
  'path simple list': comma,
  'path simple list explode': comma,
  'path label value': label,
  'path label list': { ...label, ...comma },
  'path matrix value': matrix,
  'path matrix list': { ...matrix, ...comma },
  'query form value': {},
  'query form list': comma,
  'query form list explode': { list: 'repeated' },
  'query form object explode': { member: (_, property) => property },
  'query deepObject object': deepObject,
  'query deepObject object explode': deepObject,
}

export interface ReadParameters {
  readonly parameters: readonly DescribedParameter[]
  /** The path with the prefixes of the styles. */
  readonly path: string
}

/** @param given with the references followed */
export function readParameters(
  given: readonly Json[],
  path: string,
  place: string,
  references: References,
): ReadParameters {
  const others = given.filter(({ in: where }) => where !== 'path' && where !== 'query').flatMap(nameOther)
  if (others.length > 0)
    references.note(place, `leaves out parameters that are neither in the path nor in the query: ${quoteNames(others)}`)
  const read = given.flatMap((one) => readParameter(one, place, references))
  const absent = read.filter((one) => one.in === 'path' && !path.includes(`{${one.name}}`)).map(({ name }) => name)
  if (absent.length > 0)
    references.note(place, `leaves out parameters that its path does not have: ${quoteNames(absent)}`)
  const prefixed = read.reduce((text, { name, prefix }) => {
    return prefix === undefined ? text : text.replaceAll(`{${name}}`, `${prefix}{${name}}`)
  }, path)
  return { parameters: read, path: prefixed }
}

/** Headers that every call has are no parameters (OpenAPI, Parameter Object). */
function nameOther({ in: where, name }: Json): readonly string[] {
  const isCommon = where === 'header' && /^(?:accept|authorization|content-type)$/i.test(String(name))
  return isCommon || name === undefined ? [] : [`${String(where)} ${String(name)}`]
}

type StyledParameter = DescribedParameter & { readonly prefix?: string }

function readParameter(parameter: Json, place: string, references: References): readonly StyledParameter[] {
  const { name, in: where, required, content } = parameter
  if (where !== 'path' && where !== 'query') return []
  if (typeof name !== 'string') {
    references.note(place, `leaves out a parameter of the ${where} without a name`)
    return []
  }
  const { style = where === 'path' ? 'simple' : 'form', explode = style === 'form' } = parameter
  const at = `${place} parameter ${JSON.stringify(name)}`
  noteUnread(Object.keys(parameter), 'parameter', at, references.note)
  const outer = readSchema(parameter.schema, place, references)
  const kind = kindOf(outer.schema)
  const key = `${where} ${String(style)} ${kind}${explode === true && kind !== 'value' ? ' explode' : ''}`
  const properties = Object.entries(objectOf(outer.schema, 'properties', at, references.note))
  const known = content === undefined && properties.length <= maxMembers ? serializations[key] : undefined
  const { member } = known ?? {}
  const isRequired = where === 'path' || required === true
  if (member) {
    const needed = asList(outer.schema.required)
    return properties.flatMap(([property, schema]) => {
      const inner = { in: 'query', name: member(name, property), schema, explode: false }
      return readParameter({ ...inner, required: isRequired && needed.includes(property) }, place, references)
    })
  }
  noteUnread(Object.keys(outer.schema), 'schema', at, references.note)
  const inner = kind === 'list' ? readSchema(outer.schema.items, place, references) : outer
  noteUnread(Object.keys(inner.schema), 'schema', at, references.note)
  const isText = known === undefined || outer.isUnion || inner.isUnion
  if (known === undefined) {
    const reason = content === undefined ? `${kind} in the style ${String(style)}` : 'with a media type'
    references.note(place, `takes the parameter ${JSON.stringify(name)} as one text: ${reason}`)
  } else if (isText)
    references.note(place, `takes the parameter ${JSON.stringify(name)} as a text: its values have several types`)
  const schema = isText ? {} : inner.schema
  const values = asList(schema.enum)
    .filter((one) => one !== null)
    .map(String)
  const prefix = known?.prefix?.(name)
  return [
    {
      name,
      in: where,
      isRequired,
      type: readType(schema),
      list: known?.list ?? 'none',
      length: readLength(schema.maxLength),
      values: values.length > 0 ? values : undefined,
      literal: where === 'query' && required === true && values.length === 1 && kind !== 'list' ? values[0] : undefined,
      ...(prefix !== undefined && { prefix }),
    },
  ]
}

function kindOf({ type, properties }: Json): 'value' | 'list' | 'object' {
  if (type === 'array') return 'list'
  return type === 'object' || (type === undefined && properties !== undefined) ? 'object' : 'value'
}

/** Invalid lengths are ignored. */
function readLength(maxLength: unknown): number | undefined {
  return Number.isSafeInteger(maxLength) && Number(maxLength) > 0 ? Number(maxLength) : undefined
}

function readType({ type, format, contentEncoding }: Json): PrimitiveType {
  if (type === 'integer') return 'Integer'
  if (type === 'number') return 'Decimal'
  if (type === 'boolean') return 'Boolean'
  if (/^base64/.test(String(contentEncoding ?? ''))) return 'Binary'
  return formats[String(format)] ?? 'String'
}

const formats: Readonly<Record<string, PrimitiveType>> = { date: 'Date', 'date-time': 'DateTime', time: 'Time' }
