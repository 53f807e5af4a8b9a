/** An operation of the configuration, with its messages (specification 2). */
import { z } from 'zod'
import { handlerForms, mergeContributions } from '../features.ts'
import { errorStyles, methods, varyingHeaders } from '../model/operation-terms.ts'
import { verificationNames, verificationOf } from '../model/verification.ts'
import { deprecated } from './deprecated-schema.ts'
import { allowedAddresses, description, handler, logDetail, name, size, someOf, time } from './fields.ts'
import { contentType, defaultContentType, strictObject } from './schema.ts'

const alias = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_-]{0,59}$/, 'must be 1 to 60 letters, digits, underscores and hyphens, a letter first')
const version = z
  .string()
  .regex(/^(?:v[1-9][0-9]{0,8}|none)$/, 'must be v and a positive whole number: v1; or none, without a version in URLs')

const routings =
  'cannot be configured: routings are generated, one for each operation, "Any to default local node". ' +
  'A manual routing would prevent the REST logic from being triggered. Remove it'
export const noRoutings = { routing: routings, routings }
const messageFields = {
  kind: z.enum(['nonRowset', 'document']).default('nonRowset').meta({
    title: 'Kind',
    description:
      '`nonRowset`: the handler decodes and encodes the body. `document`: the message is built on a document',
  }),
  document: name.optional().meta({
    title: 'Document',
    description: 'Only for the kind `document`',
    'x-form': { of: 'documents' },
  }),
  description: description.describe('For descriptions of the API'),
  examples: z
    .array(z.string())
    .readonly()
    .optional()
    .describe('Bodies as sent, for API descriptions. Those of a JSON message must be JSON'),
}
const requestMessage = strictObject({
  ...messageFields,
  contentType: contentType.default(defaultContentType).meta({
    title: 'Content type',
    description: 'The media type, with its parameters',
  }),
  httpCode: z
    .int()
    .min(200, 'must be 200 to 299')
    .max(299, 'must be 200 to 299: the handler sets the status of a refusal')
    .default(200)
    .meta({ title: 'HTTP code', description: 'The status of the response, unless the handler sets another' }),
})
const responseMessage = requestMessage
const faultMessage = strictObject({
  ...messageFields,
  contentType: contentType.optional().meta({
    title: 'Content type',
    description: 'Default: that of the response',
  }),
  httpCode: z
    .int()
    .refine(
      (code) => (code >= 200 && code <= 299) || (code >= 400 && code <= 599),
      'must be 400 to 599, or 200 to 299 for clients that expect faults there',
    )
    .default(500)
    .meta({
      title: 'HTTP code',
      description: '400 to 599, or 200 to 299 for clients that expect faults there',
    }),
})

/** Fields of features, of which an operation may have one instead of a handler. */
export const handlerFields = mergeContributions('handlerFields')

export const operation = strictObject(
  {
    service: name.meta({
      title: 'Service',
      description: 'Groups operations: a permission list can permit a whole service',
      'x-form': { of: 'services' },
    }),
    name: name.meta({
      title: 'Name',
      description: 'Without the method, which the gateway appends: `KEY_VALUE` with POST becomes `KEY_VALUE_POST`',
    }),
    alias: alias.optional().meta({
      title: 'Alias',
      description: 'Replaces the name in URLs. All methods and versions of a name share it',
    }),
    method: z.enum(methods).meta({ title: 'Method', description: 'In PeopleSoft: Rest Method' }),
    version: version.default('v1').meta({
      title: 'Version',
      description:
        'Each version is a separate operation with its own fields. `none`: URLs have the alias alone, in lower case',
      'x-form': { options: ['v1', 'none'] },
    }),
    description,
    isActive: z.boolean().default(true).meta({
      title: 'Active',
      description: 'Callers of an inactive operation get "not found"',
    }),
    verification: z
      .enum(verificationNames)
      .default('NONE')
      .meta({
        title: 'Request verification',
        description: 'How callers authenticate. In PeopleSoft: Req Verification',
        'x-form': {
          isRequired: true,
          meanings: Object.fromEntries(verificationNames.map((name) => [name, verificationOf(name).meaning])),
        },
      }),
    uriTemplates: z.array(z.string()).readonly().default([]).meta({
      title: 'URI templates',
      description: 'Paths below `<operation>.<version>/`, such as `echo/{parameter1}`. An empty list means `/`',
    }),
    documentTemplate: name.optional().meta({
      title: 'Document template',
      description: 'A message of type Document, with an element for each variable of the URI templates',
      'x-form': { of: 'messages' },
    }),
    requestMessage: requestMessage.prefault({}).meta({ title: 'Request', description: 'What the handler receives' }),
    responseMessage: responseMessage.prefault({}).meta({ title: 'Response', description: 'What the handler returns' }),
    faultMessage: faultMessage.prefault({}).meta({
      title: 'Fault',
      description: 'What `onError` of the handler returns',
    }),
    handler: z
      .union([handler, ...handlerForms.map(({ schema }) => schema)])
      .optional()
      .meta({
        title: 'Handler',
        description:
          "The class that answers: `handlers/echo.ts` for its default export, `handlers/echo.ts#Echo` for another. Or `passThrough('https://…')`: another server answers",
        'x-form': { isRequired: true, orElse: Object.keys(handlerFields) },
      }),
    ...handlerFields,
    logDetail,
    logFields: z.array(z.string().min(1)).readonly().optional().meta({
      title: 'Readable in logs',
      description:
        'Members, elements, query parameters and headers that stay readable in logged messages if `ig.log.masking` is `strict`',
    }),
    errorStyle: z.enum(errorStyles).optional().meta({
      title: 'Error style',
      description: "Default: the gateway's own, `ig.errorStyle`",
    }),
    cacheKeyPolicy: z.enum(['shared', 'perOperator']).optional().meta({
      title: 'Cached responses',
      description:
        'Shared by all callers, or kept per caller. Default: `shared`, with a warning if the handler reads the identity or a header outside `cacheVary`',
    }),
    responseTypes: someOf(contentType).meta({
      title: 'Response types',
      description:
        "Media types that the handler can return, the preferred one first: the request's `getAcceptedType` chooses one",
    }),
    cacheVary: someOf(z.enum(varyingHeaders)).meta({
      title: 'Cached per',
      description: '`accept` (with `responseTypes`) or `accept-language`: each preference has its own cached responses',
    }),
    unknownParameters: z.enum(['ignore', 'refuse']).optional().meta({
      title: 'Unknown query parameters',
      description: 'What to do with query parameters that no URI template of the operation names. Default: `ignore`',
    }),
    idempotency: z.enum(['off', 'accepted', 'required']).optional().meta({
      title: 'Idempotency-Key',
      description:
        'A call repeated with the same key gets the first response; not for GET and HEAD. Default: `accepted`',
    }),
    transaction: z.enum(['read', 'write']).optional().meta({
      title: 'Database transaction',
      description:
        '`write`: calls at the same time have the effect of calls one after the other. Default: `read` for GET and HEAD, otherwise `write`',
    }),
    allowedAddresses,
    allowsOptions: z.boolean().default(false).meta({ title: 'Answer OPTIONS, with CORS headers' }),
    timeout: time.optional().meta({
      title: 'Time limit',
      description: 'Time limit of the handler, such as `5s`; at most `ig.limits.handlerTimeout`',
    }),
    bodyLimit: size.optional().meta({
      title: 'Body limit',
      description: 'Maximum request body, such as `64KiB`; at most `ig.limits.body`',
    }),
    deprecated: deprecated.optional().describe('Announced to callers in every response'),
    ...mergeContributions('operationFields'),
  },
  noRoutings,
)
