/** The lists of the configuration; what their items have is in the schema (specification 19.7). */
import { fields } from './api/fields.ts'
import { featureLists } from './features.ts'
import type { ListName } from './field.ts'
import type { ListFacts } from './list-facts.ts'

export type { Field, ListName } from './field.ts'
export type { ListFacts } from './list-facts.ts'

export const lists: Readonly<Record<ListName, ListFacts>> = {
  operations: {
    path: 'operations',
    one: 'operation',
    many: 'Operations',
    start: { name: '', method: 'GET', service: '', handler: '', uriTemplates: [] },
  },
  services: { path: 'services', one: 'service', many: 'Services', start: { name: '' } },
  documents: { path: 'documents', one: 'document', many: 'Documents', start: { name: '', elements: {} } },
  messages: { path: 'messages', one: 'message', many: 'Messages', start: { name: '', document: '' } },
  nodes: { isUnnamed: true, path: 'nodes', one: 'node', many: 'Nodes', start: { name: '' } },
  permissionLists: {
    path: 'permission-lists',
    one: 'permission list',
    many: 'Permission lists',
    start: { name: '', operations: [], services: [] },
  },
  oauth2ServiceApps: {
    isUnnamed: true,
    path: 'oauth2-service-apps',
    one: 'OAuth2 service app',
    many: 'OAuth2 service apps',
    help: 'Identity providers whose access tokens are accepted. In PeopleSoft: Create OAuth2 Service Apps.',
    start: { name: '', metadataUrl: '' },
  },
  ...featureLists,
  limits: {
    isUnnamed: true,
    path: 'limits',
    one: 'limit',
    many: 'Limits',
    start: { name: '', by: ['operator'], calls: 100, per: '1min' },
  },
}

/** @param one `operation` */
export function withArticle(one: string): string {
  return `${/^[aeiou]/i.test(one) ? 'an' : 'a'} ${one}`
}

export function pathOf(list: ListName, id?: string): string {
  return `/${lists[list].path}${id === undefined ? '' : `/${encodeURIComponent(id)}`}`
}

/** Where an item is edited: an operation opens to be read. */
export function pathOfForm(list: ListName, id: string): string {
  return `${pathOf(list, id)}${list === 'operations' ? '?tab=general' : ''}`
}

/** The required fields that have no value, as the API would report them. */
export function findMissing(
  list: ListName,
  value: Value,
): readonly { readonly path: string; readonly message: string }[] {
  const isEmpty = (path: string) => [undefined, ''].includes(getField(value, path) as '')
  return fields[list]
    .filter(({ path, isRequired, orElse = [] }) => isRequired && [path, ...orElse].every(isEmpty))
    .map(({ path }) => ({ path, message: 'is required' }))
}

/** The page of an operation's figures, or of a group's: `(others)`. @param search of a page, whose time span it keeps */
export function pathOfFigures(operation: string, search = ''): string {
  const page = operation.startsWith('(') ? 'home' : lists.operations.path
  return `/${page}/${encodeURIComponent(operation)}${search}`
}

export type Value = Readonly<Record<string, unknown>>

export function getField(value: Value, path: string): unknown {
  return path.split('.').reduce<unknown>((inner, key) => (inner as Value | undefined)?.[key], value)
}

/** Removes a field that is set to undefined, and an object without fields. */
export function setField(value: Value, path: string, to: unknown): Value {
  const [key = '', ...rest] = path.split('.')
  const inner = rest.length > 0 ? setField((value[key] as Value | undefined) ?? {}, rest.join('.'), to) : undefined
  const next = inner ? (Object.keys(inner).length > 0 ? inner : undefined) : to
  const { [key]: _, ...others } = value
  return next === undefined ? others : { ...value, [key]: next }
}

/** `100 in 1min, 5 at a time by operator` */
export function describeLimit({ calls, per, concurrency, by }: Value): string {
  const rate = typeof calls === 'number' ? [`${calls} in ${per}`] : []
  const slots = typeof concurrency === 'number' ? [`${concurrency} at a time`] : []
  const parts = Array.isArray(by) && by.length > 0 ? ` by ${by.join(' and ')}` : ''
  return [...rate, ...slots].join(', ') + parts
}
