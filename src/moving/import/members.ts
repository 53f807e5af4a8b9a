/**
 * Members of what others wrote: of each object or element one list of what is read of it, or says nothing about requests
 * and answers. Anything else, and what is of another kind than it should be, is noted with its place (specification 16.9).
 */
import { asList, asObject, type Json } from './json-reference.ts'

export type Note = (place: string, message: string) => void

const documented = 'summary description tags externalDocs'
const members = {
  document: `openapi info servers paths components security jsonSchemaDialect ${documented}`,
  path: `$ref servers parameters security get put post delete patch head ${documented}`,
  operation: `$ref operationId servers parameters requestBody responses security ${documented}`,
  parameter: '$ref name in description required schema content style explode example examples',
  requestBody: '$ref description required content',
  response: '$ref summary description content',
  media: 'schema example examples',
  schema:
    '$ref title description type format enum items properties required maxLength nullable allOf oneOf anyOf default ' +
    'example examples contentEncoding contentMediaType externalDocs xml discriminator readOnly writeOnly deprecated',
  collection: 'info item variable auth event',
  folder: 'id name description item variable auth event protocolProfileBehavior',
  item: 'id uid name description request response variable auth event protocolProfileBehavior',
  request: 'method url header body auth description',
  savedResponse: 'id uid name originalRequest code status header cookie body responseTime',
  application: 'doc resources resource_type method representation param',
  resources: 'doc resource',
  resource: 'doc param method resource',
  method: 'doc request response',
  methodRequest: 'doc param representation',
  methodResponse: 'doc representation',
  representation: 'doc',
  param: 'doc option',
}
const read = new Map(Object.entries(members).map(([kind, names]) => [kind, new Set(names.split(' '))]))

/** Members of other programs (`x-…`, `_…`) are passed over. */
export function noteUnread(names: Iterable<string>, kind: keyof typeof members, place: string, note: Note): void {
  for (const name of new Set(names))
    if (!read.get(kind)?.has(name) && !/^(?:x-|_)/i.test(name)) note(place, `leaves out ${name}`)
}

/** None if it is absent; none, and a note, if it is something else. */
export function listOf(owner: Json, name: string, place: string, note: Note): readonly unknown[] {
  const value = owner[name] ?? []
  if (!Array.isArray(value)) note(place, `leaves out ${name}, which is no list`)
  return asList(value)
}

export function objectOf(owner: Json, name: string, place: string, note: Note): Json {
  const value = owner[name] ?? {}
  if (asObject(value) !== value) note(place, `leaves out ${name}, which is no object`)
  return asObject(value)
}
