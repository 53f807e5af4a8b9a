/** The lists of the configuration and the fields of their items: what forms and tables show is read from here (specification 19.7). */
import type { Schemas } from './api/client.ts'

export type ListName = Schemas['Change']['list']
type Operation = Schemas['OperationInput']

export type FieldKind =
  | 'text'
  | 'area'
  | 'switch'
  | 'select'
  | 'number'
  | 'lines'
  | 'reference'
  | 'references'
  | 'elements'

export interface Field {
  /** `responseMessage.contentType` */
  readonly path: string
  readonly label: string
  readonly kind: FieldKind
  readonly help?: string
  /** Shown as a warning where there is no value. */
  readonly missing?: string
  /** What a missing value means. */
  readonly fallback?: string | number | boolean
  readonly options?: readonly string[]
  /** What a reference names. */
  readonly of?: ListName
}

export interface ListFacts {
  readonly path: string
  readonly one: string
  readonly many: string
  readonly fields: readonly Field[]
  /** Of a new one. */
  readonly start: Readonly<Record<string, unknown>>
}

const name: Field = { path: 'name', label: 'Name', kind: 'text', help: '1 to 30 capitals, digits and underscores' }
const description: Field = { path: 'description', label: 'Description', kind: 'area' }

export const lists: Readonly<Record<ListName, ListFacts>> = {
  operations: {
    path: 'operations',
    one: 'operation',
    many: 'Operations',
    start: { name: '', method: 'GET', service: '', handler: '', uriTemplates: [] },
    fields: [
      { path: 'service', label: 'Service', kind: 'reference', of: 'services' },
      { ...name, help: 'Without the method, which is appended: KEY_VALUE with POST is KEY_VALUE_POST' },
      {
        path: 'method',
        label: 'Method',
        kind: 'select',
        options: ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD'] satisfies Operation['method'][],
      },
      { path: 'version', label: 'Version', kind: 'text', fallback: 'v1' },
      { path: 'alias', label: 'Alias', kind: 'text', help: 'What stands in URLs in place of the name' },
      description,
      { path: 'isActive', label: 'Active', kind: 'switch', fallback: true, help: 'What is not active is not found' },
      {
        path: 'verification',
        label: 'Request verification',
        kind: 'select',
        fallback: 'NONE',
        options: ['NONE', 'Basic', 'OAuth2', 'SSL', 'BasicSSL', 'OAuth2SSL'] satisfies Operation['verification'][],
        help: "How the caller is known. With NONE, calls without credentials run as the ANONYMOUS node's default user",
      },
      {
        path: 'logDetail',
        label: 'Log detail',
        kind: 'select',
        fallback: 'none',
        options: ['none', 'header', 'headerAndDetail'] satisfies Operation['logDetail'][],
      },
      {
        path: 'logFields',
        label: 'Readable in logs',
        kind: 'lines',
        help: 'One name a line: what stays readable of messages where ig.log.masking is strict',
      },
      {
        path: 'errorStyle',
        label: 'Error style',
        kind: 'select',
        options: ['observed', 'standard'] satisfies Operation['errorStyle'][],
        help: "Left out: the gateway's own",
      },
      {
        path: 'cacheKeyPolicy',
        label: 'Cached responses',
        kind: 'select',
        options: ['shared', 'perOperator'] satisfies Operation['cacheKeyPolicy'][],
        help: 'For all callers, or for its own caller only. Left out: shared',
      },
      { path: 'allowsOptions', label: 'Answers OPTIONS, with CORS headers', kind: 'switch', fallback: false },
    ],
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
    fields: [name, description, { path: 'document', label: 'Document', kind: 'reference', of: 'documents' }],
  },
  nodes: {
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
        help: 'What is not active cannot be called',
      },
      {
        path: 'isDefaultLocal',
        label: 'Default local node',
        kind: 'switch',
        fallback: false,
        help: 'True for exactly one node: the target of the generated routings',
      },
      {
        path: 'defaultUser',
        label: 'Default user',
        kind: 'text',
        help: 'Of the node ANONYMOUS only: the operator that calls without credentials run as',
      },
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
        help: 'Meaning all of their operations',
      },
      { path: 'operations', label: 'Single operations', kind: 'references', of: 'operations' },
    ],
  },
  oauth2ServiceApps: {
    path: 'oauth2-service-apps',
    one: 'OAuth2 service app',
    many: 'OAuth2 service apps',
    start: { name: '', metadataUrl: '' },
    fields: [
      { ...name, help: 'What ig.AuthorizationServer names' },
      description,
      {
        path: 'metadataUrl',
        label: 'Metadata URL',
        kind: 'text',
        help: 'Alone, it is enough: the rest is fetched from it',
      },
      { path: 'issuer', label: 'Issuer', kind: 'text' },
      { path: 'authorizationEndpoint', label: 'Authorization endpoint', kind: 'text' },
      { path: 'tokenEndpoint', label: 'Token endpoint', kind: 'text' },
      {
        path: 'audience',
        label: 'Audience',
        kind: 'lines',
        help: 'One a line; one of them must be in the token',
        missing: 'Warning: without one, any access token of this provider is accepted, also one for another API',
      },
      {
        path: 'scopes',
        label: 'Scopes',
        kind: 'lines',
        help: 'One a line; all of them must stand in a token. Left out, they are not checked',
      },
    ],
  },
}

export const messageFields = ['requestMessage', 'responseMessage', 'faultMessage'].map((message) => ({
  message,
  fields: [
    {
      path: `${message}.kind`,
      label: 'Kind',
      kind: 'select',
      options: ['nonRowset', 'document'],
      fallback: 'nonRowset',
    },
    {
      path: `${message}.document`,
      label: 'Document',
      kind: 'reference',
      of: 'documents',
      help: 'Of kind document only',
    },
    {
      path: `${message}.contentType`,
      label: 'Content type',
      kind: 'text',
      ...(message === 'faultMessage'
        ? { help: 'Left out: that of the response' }
        : { fallback: 'text/xml; encoding="UTF-8"' }),
    },
    {
      path: `${message}.httpCode`,
      label: 'HTTP code',
      kind: 'number',
      fallback: message === 'faultMessage' ? 500 : 200,
    },
  ] satisfies readonly Field[] as readonly Field[],
}))

/** @param one `operation` */
export function withArticle(one: string): string {
  return `${/^[aeiou]/i.test(one) ? 'an' : 'a'} ${one}`
}

export function pathOf(list: ListName, id?: string): string {
  return `/${lists[list].path}${id === undefined ? '' : `/${encodeURIComponent(id)}`}`
}

export type Value = Readonly<Record<string, unknown>>

export function getField(value: Value, path: string): unknown {
  return path.split('.').reduce<unknown>((inner, key) => (inner as Value | undefined)?.[key], value)
}

/** What is undefined is left out. */
export function setField(value: Value, path: string, to: unknown): Value {
  const [key = '', ...rest] = path.split('.')
  const next = rest.length > 0 ? setField((value[key] as Value | undefined) ?? {}, rest.join('.'), to) : to
  const { [key]: _, ...others } = value
  return next === undefined ? others : { ...value, [key]: next }
}
