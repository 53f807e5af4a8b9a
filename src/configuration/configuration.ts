/**
 * The configuration: one typed document; its schema gives the type, the validation and the editors (specification 2).
 * `parse-configuration.ts` checks one.
 */

import { z } from 'zod'
import { isNetwork, networkRule } from '../base/address-list.ts'
import { parseSize, sizeRule } from '../base/units.ts'
import { handlerForms, together } from '../features.ts'
import { errorStyles, methods, varyingHeaders } from '../model/operation-terms.ts'
import { verificationNames } from '../model/verification.ts'
import { deprecated } from './deprecated-schema.ts'
import { element, elementName, noCompounds } from './element-schema.ts'
import { handler, name, time } from './fields.ts'
import { limit } from './limit-schema.ts'
import type { ListRow } from './list-row.ts'
import { contentType, defaultContentType, listOf, operatorId, strictObject } from './schema.ts'
import { oauth2ServiceApp } from './service-app-schema.ts'

/** As it is written: fields with a default may be omitted. */
export type GatewayDefinition = z.input<typeof configurationSchema>
/** The same for the compiler: an operation has either a handler or a field instead of it. */
export type AuthoredGateway = Omit<GatewayDefinition, 'operations'> & {
  readonly operations?: readonly AuthoredOperation[] | undefined
}
/** As it is used: validated, with all defaults. */
export type Configuration = z.output<typeof configurationSchema>
export type OperationDefinition = Configuration['operations'][number]
export type DocumentDefinition = Configuration['documents'][number]
export type ServiceAppDefinition = Configuration['oauth2ServiceApps'][number]
export type LimitDefinition = Configuration['limits'][number]

type OperationFields = NonNullable<GatewayDefinition['operations']>[number]
type HandlerField = 'handler' | keyof typeof handlerFields
type AuthoredOperation = Omit<OperationFields, HandlerField> &
  {
    [Field in HandlerField]: { readonly [Only in Field]: NonNullable<OperationFields[Only]> } & {
      readonly [Other in Exclude<HandlerField, Field>]?: undefined
    }
  }[HandlerField]

const alias = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_-]{0,59}$/, 'must be 1 to 60 letters, digits, underscores and hyphens, a letter first')
const version = z.string().regex(/^v[1-9][0-9]{0,8}$/, 'must be v and a positive whole number: v1')

const routings =
  'cannot be configured: routings are generated, one for each operation, "Any to default local node". ' +
  'A manual routing would prevent the REST logic from being triggered. Remove it'
const noRoutings = { routing: routings, routings }
const node = strictObject(
  {
    name,
    description: z.string().optional(),
    /** True for exactly one node, the target of the generated routings. */
    isDefaultLocal: z.boolean().default(false),
    /** Calls to an inactive node are refused. */
    isActive: z.boolean().default(true),
    /** For the node `ANONYMOUS` only: the operator that runs calls without credentials. */
    defaultUser: operatorId.optional(),
    ...together('nodeFields'),
  },
  noRoutings,
)

const document = strictObject(
  {
    name,
    description: z.string().optional(),
    /** The elements by name. Each variable of a URI template is one of these names. */
    elements: z.record(elementName, element).readonly(),
  },
  noCompounds,
)

/** A message of type Document: what operations name as their document template. */
const message = strictObject({
  name,
  description: z.string().optional(),
  /** The document that the message is built on. */
  document: name,
})

const service = strictObject({ name, description: z.string().optional() }, noRoutings)

const messageKinds = ['nonRowset', 'document'] as const
const messageFields = {
  /** `nonRowset`: the handler decodes and encodes the body. `document`: the message is built on a document. */
  kind: z.enum(messageKinds).default('nonRowset'),
  /** The document of a message of kind `document`. */
  document: name.optional(),
  description: z.string().optional(),
  /** Bodies as sent, for API descriptions. Those of a JSON message must be JSON. */
  examples: z.array(z.string()).readonly().optional(),
}
const successCode = z
  .int()
  .min(200, 'must be 200 to 299')
  .max(299, 'must be 200 to 299: the handler sets the status of a refusal')
  .default(200)
const requestMessage = strictObject({
  ...messageFields,
  /** The media type, with its parameters. */
  contentType: contentType.default(defaultContentType),
  /** The status of the response, unless the handler sets another. */
  httpCode: successCode,
})
const responseMessage = requestMessage
const faultCode = z
  .int()
  .refine(
    (code) => (code >= 200 && code <= 299) || (code >= 400 && code <= 599),
    'must be 400 to 599, or 200 to 299 for clients that expect faults there',
  )
  .default(500)
const faultMessage = strictObject({
  ...messageFields,
  /** Default: the content type of the response. */
  contentType: contentType.optional(),
  /** 400 to 599, or 200 to 299 for clients that expect faults there. */
  httpCode: faultCode,
})

/** Fields of features, of which an operation may have one instead of a handler. */
const handlerFields = together('handlerFields')

const operation = strictObject(
  {
    /** The service that owns the operation. */
    service: name,
    /** Without the method, which is appended: `KEY_VALUE` with POST becomes `KEY_VALUE_POST`. */
    name,
    /** Replaces the name in URLs. All methods and versions of a name share it. */
    alias: alias.optional(),
    /** The HTTP method. */
    method: z.enum(methods),
    /** Each version is a separate operation with its own fields. */
    version: version.default('v1'),
    description: z.string().optional(),
    /** Calls to an inactive operation are answered as if it did not exist. */
    isActive: z.boolean().default(true),
    /** How callers authenticate. With `NONE`, calls without credentials run as the default user of the node `ANONYMOUS`. */
    verification: z.enum(verificationNames).default('NONE'),
    /** Paths below `<operation>.<version>/`, such as `echo/{parameter1}`. An empty list means `/`. */
    uriTemplates: z.array(z.string()).readonly().default([]),
    /** A message with an element for each variable of the templates; leave it out if they have none. */
    documentTemplate: name.optional(),
    /** What the handler receives. */
    requestMessage: requestMessage.prefault({}),
    /** What the handler returns. */
    responseMessage: responseMessage.prefault({}),
    /** What `onError` of the handler returns. */
    faultMessage: faultMessage.prefault({}),
    /** The class that answers: `handlers/echo.ts` for its default export, `handlers/echo.ts#Echo` for another. Or `passThrough('https://…')`: another server answers. */
    handler: z.union([handler, ...handlerForms.map(({ schema }) => schema)]).optional(),
    ...handlerFields,
    /** What the message log and the monitor keep of a call. */
    logDetail: z.enum(['none', 'header', 'headerAndDetail']).default('none'),
    /** Members, elements, query parameters and headers that `ig.log.masking=strict` leaves readable. */
    logFields: z.array(z.string().min(1)).readonly().optional(),
    /** Overrides `ig.errorStyle`. */
    errorStyle: z.enum(errorStyles).optional(),
    /** Whether all permitted callers share a cached response, or each operator has its own. Default: `shared`, with a warning if the handler reads the identity or a header outside `cacheVary`. */
    cacheKeyPolicy: z.enum(['shared', 'perOperator']).optional(),
    /** Media types of the handler's responses, the preferred one first: the request's `getAcceptedType` chooses one. */
    responseTypes: z.array(contentType).min(1, 'must have at least one value, or be left out').readonly().optional(),
    /** Request headers that are part of the cache key: `accept` (with `responseTypes`), `accept-language`. */
    cacheVary: z
      .array(z.enum(varyingHeaders))
      .min(1, 'must have at least one value, or be left out')
      .readonly()
      .optional(),
    /** What happens to query parameters that no URI template of the operation names. Default: `ignore`. */
    unknownParameters: z.enum(['ignore', 'refuse']).optional(),
    /** Whether calls may have an `Idempotency-Key`, with which a repeated call gets the first response; not for GET and HEAD. Default: `accepted`. */
    idempotency: z.enum(['off', 'accepted', 'required']).optional(),
    /** The handler's database transaction. With `write`, concurrent calls have the effect of calls one after the other. Default: `read` for GET and HEAD, otherwise `write`. */
    transaction: z.enum(['read', 'write']).optional(),
    /** Calls are accepted only from these addresses and networks, such as `10.1.0.0/16`. */
    allowedAddresses: z
      .array(z.string().refine(isNetwork, networkRule))
      .min(1, 'must have at least one value, or be left out')
      .readonly()
      .optional(),
    /** Answers OPTIONS requests, with CORS headers. */
    allowsOptions: z.boolean().default(false),
    /** Time limit of the handler, such as `5s`; `ig.limits.handlerTimeout` is the most. */
    timeout: time.optional(),
    /** Maximum request body, such as `64KiB`; `ig.limits.body` is the most. */
    bodyLimit: z
      .string()
      .refine((text) => parseSize(text) !== undefined, sizeRule)
      .optional(),
    /** Announced to callers in every response. */
    deprecated: deprecated.optional(),
  },
  noRoutings,
)

const permissionList = strictObject({
  name,
  description: z.string().optional(),
  /** Operations with method and version, such as `METADATA_GET.v1`. */
  operations: listOf(z.string()),
  /** Services all of whose operations are permitted. */
  services: listOf(z.string()),
})

type Lists = Readonly<Record<string, ListRow>>

function mapSchemas<Parts extends Lists>(lists: Parts) {
  const schemas = Object.entries(lists).map(([name, { schema }]) => [name, schema])
  return Object.fromEntries(schemas) as { readonly [Name in keyof Parts]: Parts[Name]['schema'] }
}

function mapFields<Parts extends Lists>(lists: Parts) {
  const fields = Object.entries(lists).map(([name, { schema }]) => [name, listOf(schema)])
  return Object.fromEntries(fields) as {
    readonly [Name in keyof Parts]: ReturnType<typeof listOf<Parts[Name]['schema']>>
  }
}

/** The singular of each list, for views that show or edit one item. */
export const itemSchemas = {
  nodes: node,
  documents: document,
  messages: message,
  services: service,
  operations: operation,
  permissionLists: permissionList,
  oauth2ServiceApps: oauth2ServiceApp,
  ...mapSchemas(together('lists')),
  limits: limit,
} as const

export const configurationSchema = strictObject(
  {
    /** Column values that handlers get. `portable`: the same on both databases; otherwise as each database returns them. */
    databaseValues: z.literal('portable', { error: 'must be portable, or be left out' }).optional(),
    nodes: listOf(itemSchemas.nodes),
    documents: listOf(itemSchemas.documents),
    messages: listOf(itemSchemas.messages),
    services: listOf(itemSchemas.services),
    operations: listOf(itemSchemas.operations),
    permissionLists: listOf(itemSchemas.permissionLists),
    oauth2ServiceApps: listOf(itemSchemas.oauth2ServiceApps),
    ...mapFields(together('lists')),
    limits: listOf(itemSchemas.limits),
  },
  {
    ...noRoutings,
    operators: 'are not part of the configuration: the store holds them. Add them with ig operator add',
  },
)
