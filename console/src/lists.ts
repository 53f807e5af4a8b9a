/** The lists of the configuration and the fields of their items, which forms and tables show (specification 19.7). */
import { featureLists, nodeFields } from './features.ts'
import type { ListName } from './field.ts'
import { description, type ListFacts, name } from './list-facts.ts'
import { messageFields, operationFields } from './operation-fields.ts'

export type { Field, ListName } from './field.ts'
export type { ListFacts } from './list-facts.ts'

export const lists: Readonly<Record<ListName, ListFacts>> = {
  operations: {
    path: 'operations',
    one: 'operation',
    many: 'Operations',
    start: { name: '', method: 'GET', service: '', handler: '', uriTemplates: [] },
    fields: operationFields,
  },
  services: { path: 'services', one: 'service', many: 'Services', start: { name: '' }, fields: [name, description] },
  documents: {
    path: 'documents',
    one: 'document',
    many: 'Documents',
    start: { name: '', elements: {} },
    fields: [name, description, { path: 'elements', label: 'Elements', kind: 'elements' }],
  },
  messages: {
    path: 'messages',
    one: 'message',
    many: 'Messages',
    start: { name: '', document: '' },
    fields: [
      name,
      description,
      { path: 'document', label: 'Document', kind: 'reference', of: 'documents', isRequired: true },
    ],
  },
  nodes: {
    isUnnamed: true,
    path: 'nodes',
    one: 'node',
    many: 'Nodes',
    start: { name: '' },
    fields: [
      name,
      description,
      {
        path: 'isActive',
        label: 'Active',
        kind: 'switch',
        fallback: true,
        help: 'An inactive node cannot be called',
      },
      {
        path: 'isDefaultLocal',
        label: 'Default local node',
        kind: 'switch',
        fallback: false,
        help: 'On for exactly one node: the target of the generated routings',
      },
      {
        path: 'defaultUser',
        label: 'Default user',
        kind: 'text',
        help: 'Only for the node ANONYMOUS: the operator that calls without credentials run as',
      },
      ...nodeFields,
    ],
  },
  permissionLists: {
    path: 'permission-lists',
    one: 'permission list',
    many: 'Permission lists',
    start: { name: '', operations: [], services: [] },
    fields: [
      name,
      description,
      {
        path: 'services',
        label: 'Services',
        kind: 'references',
        of: 'services',
        help: 'Permits all operations of these services',
      },
      { path: 'operations', label: 'Single operations', kind: 'references', of: 'operations' },
    ],
  },
  oauth2ServiceApps: {
    isUnnamed: true,
    path: 'oauth2-service-apps',
    one: 'OAuth2 service app',
    many: 'OAuth2 service apps',
    help: 'Identity providers whose access tokens are accepted. In PeopleSoft: Create OAuth2 Service Apps.',
    start: { name: '', metadataUrl: '' },
    fields: [
      { ...name, help: 'The name to set in ig.AuthorizationServer' },
      description,
      {
        path: 'metadataUrl',
        label: 'Metadata URL',
        kind: 'text',
        help: 'Sufficient on its own: the gateway fetches issuer and endpoints from it',
      },
      { path: 'issuer', label: 'Issuer', kind: 'text' },
      { path: 'authorizationEndpoint', label: 'Authorization endpoint', kind: 'text' },
      { path: 'tokenEndpoint', label: 'Token endpoint', kind: 'text' },
      {
        path: 'audience',
        label: 'Audience',
        kind: 'lines',
        help: 'One per line; a token must contain at least one',
        missing:
          'Warning: without an audience, every access token of this provider is accepted, even one issued for another API',
      },
      {
        path: 'scopes',
        label: 'Scopes',
        kind: 'lines',
        help: 'One per line; a token must contain all. Empty: scopes are not checked',
      },
    ],
  },
  ...featureLists,
  limits: {
    isUnnamed: true,
    path: 'limits',
    one: 'limit',
    many: 'Limits',
    start: { name: '', by: ['operator'], calls: 100, per: '1min' },
    fields: [
      { ...name, help: 'Callers read it in RateLimit-Policy: letters, digits, underscores and hyphens' },
      description,
      {
        path: 'by',
        label: 'Count separately by',
        kind: 'lines',
        help: 'One per line: operator, address, network, operation. Empty: all calls together',
      },
      { path: 'calls', label: 'Calls', kind: 'number', help: 'Maximum number of calls in the time below' },
      { path: 'per', label: 'Per', kind: 'text', help: '1s, 1min, 24h' },
      {
        path: 'burst',
        label: 'Burst',
        kind: 'number',
        help: 'Maximum number of calls at once. Default: a tenth of the calls',
      },
      {
        path: 'concurrency',
        label: 'Concurrency',
        kind: 'number',
        help: 'Maximum number of concurrent calls per process',
      },
      {
        path: 'queue',
        label: 'Queue',
        kind: 'number',
        help: 'Maximum number of waiting calls; only by operation, or for all calls',
      },
      { path: 'operations', label: 'Only operations', kind: 'references', of: 'operations', help: 'Empty: all' },
      { path: 'services', label: 'Only services', kind: 'references', of: 'services' },
      { path: 'operators', label: 'Only operators', kind: 'lines', help: 'One per line. Empty: all' },
      { path: 'exceptOperators', label: 'Except operators', kind: 'lines', help: 'One per line' },
    ],
  },
}

/** @param one `operation` */
export function withArticle(one: string): string {
  return `${/^[aeiou]/i.test(one) ? 'an' : 'a'} ${one}`
}

export function pathOf(list: ListName, id?: string): string {
  return `/${lists[list].path}${id === undefined ? '' : `/${encodeURIComponent(id)}`}`
}

/** The fields whose errors the form of an item shows beside them. */
export function shownPaths(list: ListName): readonly string[] {
  const own = lists[list].fields.map(({ path }) => path)
  return list === 'operations' ? [...own, 'uriTemplates', ...messageFields.map(({ message }) => message)] : own
}

/** The required fields that have no value, as the API would report them. */
export function findMissing(
  list: ListName,
  value: Value,
): readonly { readonly path: string; readonly message: string }[] {
  const isEmpty = (path: string) => [undefined, ''].includes(getField(value, path) as '')
  return lists[list].fields
    .filter(({ path, isRequired, orElse = [] }) => isRequired && [path, ...orElse].every(isEmpty))
    .map(({ path }) => ({ path, message: 'is required' }))
}

/** The page of an operation's figures. @param search of a page, whose time span it keeps */
export function pathOfFigures(operation: string, search = ''): string {
  return `/overview/${encodeURIComponent(operation)}${search}`
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
