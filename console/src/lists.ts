/** The lists of the configuration and the fields of their items, which forms and tables show (specification 19.7). */
import type { Schemas } from './api/client.ts'

export type ListName = Exclude<Schemas['Change']['list'], 'gateway'>
type Operation = Schemas['OperationInput']

const verifications = [
  'NONE',
  'Basic',
  'OAuth2',
  'SSL',
  'BasicSSL',
  'OAuth2SSL',
  'Token',
  'TokenSSL',
  'Certificate',
] satisfies Operation['verification'][]

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
  /** Warning shown if there is no value. */
  readonly missing?: string
  /** The default. */
  readonly fallback?: string | number | boolean
  readonly options?: readonly string[]
  /** The list that a reference names an item of. */
  readonly of?: ListName
}

export interface ListFacts {
  readonly path: string
  readonly one: string
  readonly many: string
  /** Below the heading of the list. */
  readonly help?: string
  readonly fields: readonly Field[]
  /** The values of a new item. */
  readonly start: Readonly<Record<string, unknown>>
}

const name: Field = {
  path: 'name',
  label: 'Name',
  kind: 'text',
  help: '1 to 30 uppercase letters, digits and underscores',
}
const description: Field = { path: 'description', label: 'Description', kind: 'area' }

export const lists: Readonly<Record<ListName, ListFacts>> = {
  operations: {
    path: 'operations',
    one: 'operation',
    many: 'Operations',
    start: { name: '', method: 'GET', service: '', handler: '', uriTemplates: [] },
    fields: [
      { path: 'service', label: 'Service', kind: 'reference', of: 'services' },
      { ...name, help: 'Without the method, which the gateway appends: KEY_VALUE with POST becomes KEY_VALUE_POST' },
      {
        path: 'method',
        label: 'Method',
        help: 'In PeopleSoft: Rest Method',
        kind: 'select',
        options: ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD'] satisfies Operation['method'][],
      },
      { path: 'version', label: 'Version', kind: 'text', fallback: 'v1' },
      { path: 'alias', label: 'Alias', kind: 'text', help: 'Replaces the name in URLs' },
      description,
      {
        path: 'isActive',
        label: 'Active',
        kind: 'switch',
        fallback: true,
        help: 'Callers of an inactive operation get "not found"',
      },
      {
        path: 'verification',
        label: 'Request verification',
        kind: 'select',
        fallback: 'NONE',
        options: verifications,
        help: "How callers authenticate; Basic is Basic Authentication. In PeopleSoft: Req Verification. With NONE, calls without credentials run as the ANONYMOUS node's default user",
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
        help: 'Names that stay readable in logged messages if ig.log.masking is strict, one per line',
      },
      {
        path: 'errorStyle',
        label: 'Error style',
        kind: 'select',
        options: ['observed', 'standard'] satisfies Operation['errorStyle'][],
        help: "Default: the gateway's own",
      },
      {
        path: 'cacheKeyPolicy',
        label: 'Cached responses',
        kind: 'select',
        options: ['shared', 'perOperator'] satisfies Operation['cacheKeyPolicy'][],
        help: 'Shared by all callers, or kept per caller. Default: shared',
      },
      {
        path: 'responseTypes',
        label: 'Response types',
        kind: 'lines',
        help: 'Media types that the handler can return, the preferred one first, one per line',
      },
      {
        path: 'cacheVary',
        label: 'Cached per',
        kind: 'lines',
        help: 'accept or accept-language, one per line: each preference has its own cached responses',
      },
      {
        path: 'unknownParameters',
        label: 'Unknown query parameters',
        kind: 'select',
        options: ['ignore', 'refuse'] satisfies Operation['unknownParameters'][],
        help: 'Query parameters that no URI template names. Default: ignore',
      },
      {
        path: 'idempotency',
        label: 'Idempotency-Key',
        kind: 'select',
        options: ['off', 'accepted', 'required'] satisfies Operation['idempotency'][],
        help: 'A call repeated with the same key gets the first response. Default: accepted',
      },
      {
        path: 'allowedAddresses',
        label: 'Allowed addresses',
        kind: 'lines',
        help: 'Only calls from these addresses and networks are accepted, such as 10.1.0.0/16, one per line',
      },
      { path: 'allowsOptions', label: 'Answer OPTIONS, with CORS headers', kind: 'switch', fallback: false },
      {
        path: 'timeout',
        label: 'Time limit',
        kind: 'text',
        help: 'Of the handler, such as 5s; at most ig.limits.handlerTimeout',
      },
      {
        path: 'bodyLimit',
        label: 'Body limit',
        kind: 'text',
        help: 'Maximum request body, such as 64KiB; at most ig.limits.body',
      },
      {
        path: 'deprecated.since',
        label: 'Deprecated since',
        kind: 'text',
        help: 'A date, 2026-12-31. Every response announces it',
      },
      { path: 'deprecated.sunset', label: 'Removed on', kind: 'text', help: 'A date, if it is known' },
      {
        path: 'deprecated.successor',
        label: 'Successor',
        kind: 'reference',
        of: 'operations',
        help: 'The operation that replaces it, or a URL',
      },
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
      {
        path: 'sessionTokenKeys',
        label: 'Session token keys',
        kind: 'lines',
        help: 'Public keys of another gateway, one per line: its session tokens for this node are accepted',
      },
      {
        path: 'upstream.passThrough',
        label: 'Upstream',
        kind: 'text',
        help: 'URL of another server, which answers the operations of this node that this gateway does not have',
      },
      {
        path: 'upstream.verification',
        label: 'Verification of these operations',
        kind: 'select',
        options: verifications,
        help: 'How callers of operations that are passed on authenticate',
      },
      {
        path: 'upstream.permissionLists',
        label: 'Permission lists of these operations',
        kind: 'references',
        of: 'permissionLists',
        help: 'Who may call operations that are passed on',
      },
      {
        path: 'upstream.credentials',
        label: 'Credentials for the upstream',
        kind: 'select',
        options: ['none', 'caller', 'service'],
        fallback: 'none',
      },
      {
        path: 'upstream.cookies',
        label: 'Cookies of the upstream',
        kind: 'select',
        options: ['drop', 'rename'],
        fallback: 'drop',
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
        help: 'Permits all operations of these services',
      },
      { path: 'operations', label: 'Single operations', kind: 'references', of: 'operations' },
    ],
  },
  oauth2ServiceApps: {
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
        help: 'Sufficient alone: issuer and endpoints are fetched from it',
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
  jobs: {
    path: 'jobs',
    one: 'job',
    many: 'Jobs',
    start: { name: '', every: '1h', handler: '' },
    fields: [
      name,
      description,
      {
        path: 'isActive',
        label: 'Active',
        kind: 'switch',
        fallback: true,
        help: 'An inactive job runs only on request',
      },
      { path: 'every', label: 'Interval', kind: 'text', help: '30s, 5min, 12h, 7d. Either this or a cron expression' },
      {
        path: 'at',
        label: 'Cron expression',
        kind: 'text',
        help: 'Minute, hour, day of the month, month, day of the week: 0 3 * * *',
      },
      {
        path: 'timeZone',
        label: 'Time zone',
        kind: 'text',
        help: 'Of the cron expression, such as Europe/Berlin. Default: UTC',
      },
      {
        path: 'handler',
        label: 'Handler',
        kind: 'text',
        help: 'The class that runs: handlers/clean-up.ts, or handlers/clean-up.ts#CleanUp',
      },
      {
        path: 'timeLimit',
        label: 'Time limit',
        kind: 'text',
        fallback: '5min',
        help: 'A longer run is ended and rolled back',
      },
      { path: 'retries', label: 'Retries', kind: 'number', fallback: 0, help: 'How often a failed run is repeated' },
    ],
  },
  limits: {
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
      help: 'Only for the kind document',
    },
    {
      path: `${message}.contentType`,
      label: 'Content type',
      kind: 'text',
      ...(message === 'faultMessage'
        ? { help: 'Default: that of the response' }
        : { fallback: 'text/xml; encoding="UTF-8"' }),
    },
    {
      path: `${message}.httpCode`,
      label: 'HTTP code',
      kind: 'number',
      fallback: message === 'faultMessage' ? 500 : 200,
    },
    { path: `${message}.description`, label: 'Description', kind: 'area', help: 'For descriptions of the API' },
  ] satisfies readonly Field[] as readonly Field[],
}))

/** @param one `operation` */
export function withArticle(one: string): string {
  return `${/^[aeiou]/i.test(one) ? 'an' : 'a'} ${one}`
}

export function pathOf(list: ListName, id?: string): string {
  return `/${lists[list].path}${id === undefined ? '' : `/${encodeURIComponent(id)}`}`
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
