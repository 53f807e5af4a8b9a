/**
 * The fields of an operation, in the order in which a person makes one: name, who may call, handler, limits, the rest
 * (specification 19.33).
 */
import { verificationNames, verificationOf } from '../../src/model/verification.ts'
import type { Schemas } from './api/client.ts'
import { handlerFields } from './features.ts'
import type { Field } from './field.ts'

type Operation = Schemas['OperationInput']

const nameFields: readonly Field[] = [
  {
    path: 'name',
    label: 'Name',
    kind: 'text',
    isRequired: true,
    help: 'Without the method, which the gateway appends: KEY_VALUE with POST becomes KEY_VALUE_POST',
  },
  {
    path: 'method',
    label: 'Method',
    help: 'In PeopleSoft: Rest Method',
    kind: 'select',
    isRequired: true,
    options: ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD'] satisfies Operation['method'][],
  },
  { path: 'version', label: 'Version', kind: 'text', fallback: 'v1' },
  {
    path: 'service',
    label: 'Service',
    kind: 'reference',
    of: 'services',
    isRequired: true,
    help: 'Groups operations: a permission list can permit a whole service. A new name adds the service',
  },
]

const aboutFields: readonly Field[] = [
  { path: 'alias', label: 'Alias', kind: 'text', help: 'Replaces the name in URLs' },
  { path: 'description', label: 'Description', kind: 'area' },
  {
    path: 'isActive',
    label: 'Active',
    kind: 'switch',
    fallback: true,
    help: 'Callers of an inactive operation get "not found"',
  },
]

const callerFields: readonly Field[] = [
  {
    path: 'verification',
    label: 'Request verification',
    kind: 'choice',
    isRequired: true,
    options: verificationNames,
    meanings: Object.fromEntries(verificationNames.map((name) => [name, verificationOf(name).meaning])),
    help: 'How callers authenticate. In PeopleSoft: Req Verification',
  },
  {
    path: 'allowedAddresses',
    label: 'Allowed addresses',
    kind: 'lines',
    help: 'Only calls from these addresses and networks are accepted, such as 10.1.0.0/16, one per line',
  },
]

const limitFields: readonly Field[] = [
  {
    path: 'cacheKeyPolicy',
    label: 'Cached responses',
    kind: 'select',
    options: ['shared', 'perOperator'] satisfies Operation['cacheKeyPolicy'][],
    help: 'Shared by all callers, or kept per caller. Default: shared',
  },
  {
    path: 'cacheVary',
    label: 'Cached per',
    kind: 'lines',
    help: 'accept or accept-language, one per line: each preference has its own cached responses',
  },
  {
    path: 'timeout',
    label: 'Time limit',
    kind: 'text',
    help: 'Time limit of the handler, such as 5s; at most ig.limits.handlerTimeout',
  },
  {
    path: 'bodyLimit',
    label: 'Body limit',
    kind: 'text',
    help: 'Maximum request body, such as 64KiB; at most ig.limits.body',
  },
  {
    path: 'idempotency',
    label: 'Idempotency-Key',
    kind: 'select',
    options: ['off', 'accepted', 'required'] satisfies Operation['idempotency'][],
    help: 'A call repeated with the same key gets the first response. Default: accepted',
  },
  {
    path: 'transaction',
    label: 'Database transaction',
    kind: 'select',
    options: ['read', 'write'] satisfies Operation['transaction'][],
    help: 'write: calls at the same time have the effect of calls one after the other. Default: read for GET and HEAD, otherwise write',
  },
  {
    path: 'unknownParameters',
    label: 'Unknown query parameters',
    kind: 'select',
    options: ['ignore', 'refuse'] satisfies Operation['unknownParameters'][],
    help: 'What to do with query parameters that no URI template names. Default: ignore',
  },
]

const otherFields: readonly Field[] = [
  {
    path: 'errorStyle',
    label: 'Error style',
    kind: 'select',
    options: ['observed', 'standard'] satisfies Operation['errorStyle'][],
    help: "Default: the gateway's own",
  },
  { path: 'allowsOptions', label: 'Answer OPTIONS, with CORS headers', kind: 'switch', fallback: false },
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
    path: 'deprecated.since',
    label: 'Deprecated since',
    kind: 'text',
    help: 'A date, such as 2026-12-31. Every response announces it',
  },
  { path: 'deprecated.sunset', label: 'Removed on', kind: 'text', help: 'A date, if it is known' },
  {
    path: 'deprecated.successor',
    label: 'Successor',
    kind: 'reference',
    of: 'operations',
    help: 'The operation that replaces it, or a URL',
  },
]

export const documentField: Field = {
  path: 'documentTemplate',
  label: 'Document template',
  kind: 'reference',
  of: 'messages',
  help: 'A message of type Document, with an element for each variable of the URI templates',
}

export const handlerField: Field = {
  path: 'handler',
  label: 'Handler',
  kind: 'text',
  isRequired: true,
  orElse: Object.keys(handlerFields),
}

export const responseTypes: Field = {
  path: 'responseTypes',
  label: 'Response types',
  kind: 'lines',
  help: 'Media types that the handler can return, the preferred one first, one per line',
}

/** The parts of the editor. */
export const operationParts = {
  name: nameFields,
  about: aboutFields,
  callers: callerFields,
  limits: limitFields,
  other: otherFields,
}

export const operationFields: readonly Field[] = [
  ...nameFields,
  ...aboutFields,
  documentField,
  ...callerFields,
  handlerField,
  ...limitFields,
  responseTypes,
  ...otherFields,
]

const messages = [
  ['requestMessage', 'Request'],
  ['responseMessage', 'Response'],
  ['faultMessage', 'Fault'],
] as const

export const messageFields = messages.map(([message, title]) => ({
  message,
  title,
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

const pathsOf = (fields: readonly Field[]) => fields.map(({ path }) => path)

/** The tabs of the editor, with the fields whose errors they count. */
export const operationTabs = [
  {
    name: 'general',
    title: 'General',
    paths: [...pathsOf([...nameFields, ...aboutFields, documentField, ...callerFields, handlerField]), 'uriTemplates'],
  },
  { name: 'limits', title: 'Cache and limits', paths: pathsOf(limitFields) },
  {
    name: 'messages',
    title: 'Messages',
    paths: [responseTypes.path, ...messageFields.map(({ message }) => message)],
  },
  { name: 'other', title: 'Other settings', paths: pathsOf(otherFields) },
  { name: 'uri', title: 'Test URLs', paths: [] },
  { name: 'routings', title: 'Routings', paths: ['routings', 'routing'], isLater: true },
  { name: 'versions', title: 'Versions', paths: [], isLater: true },
] as const satisfies readonly OperationTab[]

interface OperationTab {
  readonly name: string
  readonly title: string
  readonly paths: readonly string[]
  /** Only of an operation that exists. */
  readonly isLater?: boolean
}
