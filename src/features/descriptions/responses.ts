/**
 * The OpenAPI responses of an operation: its own, the fault message's, and the refusals (specification 12.7). Equal
 * responses are written once and referenced.
 */
import { isJsonType } from '../../model/content/json.ts'
import { isBodiless, type MessageDefinition } from '../../model/content/message-definition.ts'
import type { Operation } from '../../model/operation.ts'
import type { RefusalCode, RefusalForm } from '../../model/refusal.ts'
import { explainRefusal, findRefusals, headersOf, type RefusalSettings } from './refusals.ts'
import type { Reference, Schema } from './schemas.ts'
import type { Shapes } from './shapes.ts'

export interface ResponseDescription {
  readonly description: string
  readonly headers: Readonly<Record<string, Reference | { readonly description: string; readonly schema: Schema }>>
  readonly content?: Content
}

export type Content = Readonly<Record<string, MediaType>>

export interface MediaType {
  readonly schema: Schema
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
}

export interface ResponseOptions extends RefusalSettings {
  readonly platformName: string
}

export interface Responses {
  /** Status → reference; adds the referenced responses to `components`. */
  describe(operation: Operation): Readonly<Record<string, Reference>>
  readonly components: Readonly<Record<string, ResponseDescription>>
}

export function openResponses(settings: ResponseOptions, shapes: Shapes): Responses {
  const { platformName } = settings
  const components: Record<string, ResponseDescription> = {}
  const references = new Map<string, Reference>()
  const refer = (parts: Parts): Reference => {
    const key = JSON.stringify(parts)
    const known = references.get(key)
    if (known) return known
    const name = findFreeName(nameResponse(parts), components)
    components[name] = describeResponse(parts, platformName)
    const reference = { $ref: `#/components/responses/${name}` }
    references.set(key, reference)
    return reference
  }

  return {
    components,
    describe(operation) {
      const refusals = new Map(findRefusals(operation, settings).map((refusal) => [refusal.status, refusal]))
      const { answers, faults } = ownResponses(operation)
      const statuses = new Set([...[...answers, ...faults].map(({ httpCode }) => httpCode), ...refusals.keys()])
      const withStatus = (messages: readonly MessageDefinition[], status: number) =>
        messages
          .filter(({ httpCode }) => httpCode === status)
          .map(({ contentType, description, examples }) => ({ contentType, description, examples }))
      const hasAnswer = (status: number) => answers.some(({ httpCode }) => httpCode === status)
      const entries = [...statuses]
        .sort((a, b) => a - b)
        .map((status): [string, Reference] => {
          const parts: Parts = {
            status,
            hasBody: operation.method !== 'HEAD',
            answers: withStatus(answers, status),
            faults: withStatus(faults, status),
            shape: hasAnswer(status) ? shapes.refer(operation, 'response') : undefined,
            isRecorded: operation.substitute?.responses !== undefined,
            isRepeated: operation.idempotency !== undefined && hasAnswer(status),
            codes: refusals.get(status)?.codes ?? [],
            bodies: refusals.get(status)?.bodies ?? [],
          }
          return [String(status), refer(parts)]
        })
      return Object.fromEntries(entries)
    },
  }
}

/** A handler answers with its response and its fault; a substitute may list all its responses, and has no `onError`. */
export function ownResponses({ substitute, response, responseTypes, fault }: Operation): {
  readonly answers: readonly MessageDefinition[]
  readonly faults: readonly MessageDefinition[]
} {
  return substitute?.responses
    ? { answers: substitute.responses, faults: [] }
    : {
        answers: responseTypes?.map((contentType) => ({ ...response, contentType })) ?? [response],
        faults: [fault],
      }
}

/** All meanings of one status. */
interface Parts {
  readonly status: number
  readonly hasBody: boolean
  /** The response message or the fault message, if it has this status. */
  readonly answers: readonly Body[]
  readonly faults: readonly Body[]
  /** The shape of the answers, if the handler states it. */
  readonly shape: Reference | undefined
  /** Answered by a stand-in (specification 16). */
  readonly isRecorded: boolean
  /** Answers with an Idempotency-Key are repeated (specification 26). */
  readonly isRepeated: boolean
  readonly codes: readonly RefusalCode[]
  readonly bodies: readonly RefusalForm['body'][]
}

/** What is known of a body. */
export type Body = Pick<MessageDefinition, 'contentType' | 'description' | 'examples'>

/** `200-text-xml-permissionDenied` */
function nameResponse({ status, hasBody, answers, faults, codes }: Parts): string {
  const types = [...answers, ...faults].map(mediaTypeOf)
  return [String(status), ...(hasBody ? [] : ['HEAD']), ...types, ...codes].join('-').replace(/[^\w.-]/g, '-')
}

function findFreeName(name: string, taken: Readonly<Record<string, unknown>>): string {
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? name : `${name}-${number}`
    if (!Object.hasOwn(taken, candidate)) return candidate
  }
}

function describeResponse(parts: Parts, platform: string): ResponseDescription {
  const { status, hasBody, answers, faults, shape, isRecorded, codes, bodies } = parts
  const content: Content = {
    ...Object.assign({}, ...answers.map((body) => contentOf(body, shape))),
    ...Object.assign({}, ...faults.map((body) => contentOf(body))),
    ...Object.assign({}, ...bodies.map((body) => contents[body])),
  }
  const isEmpty = !hasBody || isBodiless(status) || Object.keys(content).length === 0
  const sentences = [
    ...answers.map((body) => describeBody(body, isRecorded ? 'What was recorded' : 'What the handler answers')),
    ...faults.map((body) => describeBody(body, 'What the handler answers when it failed')),
    ...codes.map(explainRefusal),
  ]
  return {
    description: sentences.join('\n\n'),
    headers: { ...everyResponse(platform), ...refusalHeaders(codes, platform), ...(parts.isRepeated && repeated) },
    ...(isEmpty ? {} : { content }),
  }
}

function describeBody({ contentType, description }: Body, what: string): string {
  return `${description === undefined ? '' : `${description} `}${what}, as \`${contentType}\`.`
}

function refusalHeaders(codes: readonly RefusalCode[], platform: string): ResponseDescription['headers'] {
  const headers = [...headersOf(codes, platform)].map(([name, values]) => [
    name,
    { description: 'Of the refusal.', schema: { type: 'string', enum: [...values] }, ...headerRows[name] },
  ])
  return Object.fromEntries(headers)
}

/** Without a schema, the values are those of the refusals. */
const headerRows: Readonly<Record<string, { readonly description: string; readonly schema?: Schema }>> = {
  'ig-refusal': { description: 'The code of the refusal, where the call was refused.' },
  'www-authenticate': { description: 'What credentials are asked for.' },
  'retry-after': { description: 'Seconds after which to try again.', schema: { type: 'integer', minimum: 1 } },
}

function everyResponse(platform: string): ResponseDescription['headers'] {
  return Object.fromEntries(
    Object.keys(headerComponents(platform)).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  )
}

const repeated: ResponseDescription['headers'] = {
  'ig-idempotent-replay': {
    description: 'The first answer to this Idempotency-Key, repeated; `truncated`: its body was not kept.',
    schema: { type: 'string', enum: ['true', 'truncated'] },
  },
}

/** Headers of every response (specification 4.13, 7.1, 7.3). */
export function headerComponents(platform: string) {
  const header = (description: string, schema: Schema = { type: 'string' }) => ({ description, schema })
  return {
    'ig-transaction-id': header('The id of the transaction, in the logs too.', { type: 'string', format: 'uuid' }),
    'set-cookie': header('`JSESSIONID`: a session cookie, which grants nothing.'),
    [`x-${platform}-dms-ecid`]: header(
      'The execution context: the trace id of a `traceparent` that the request brought.',
    ),
    [`x-${platform}-dms-rid`]: header('The place of the request in its execution context.'),
  }
}

/** The media type without parameters: `text/xml` of `text/xml; encoding="UTF-8"`. */
export function mediaTypeOf({ contentType }: Pick<MessageDefinition, 'contentType'>): string {
  return (contentType.split(';')[0] ?? '').trim().toLowerCase()
}

/** The handler encodes and decodes: of a body only the content type is known (specification 2.10). */
function schemaOf(message: Pick<MessageDefinition, 'contentType'>): Schema {
  const type = mediaTypeOf(message)
  return /^text\/|[/+]xml$/.test(type) ? { type: 'string' } : {}
}

/** @param shape of JSON: whatever the message says, the content is JSON then (specification 5.3) */
export function contentOf(body: Body, shape?: Reference): Content {
  const { examples = [] } = body
  const isJson = isJsonType(body.contentType)
  const entries = examples.map(
    (text, at) => [`example-${at + 1}`, { value: isJson ? JSON.parse(text) : text }] as const,
  )
  const stated = entries.length > 0 ? { examples: Object.fromEntries(entries) } : {}
  const type = shape && !isJson ? 'application/json' : mediaTypeOf(body)
  return { [type]: { schema: shape ? { ...shape } : schemaOf(body), ...stated } }
}

const contents: Readonly<Record<RefusalForm['body'], Content>> = {
  empty: {},
  page: { 'text/html': { schema: { type: 'string' } } },
  problem: {
    'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
    'application/problem+xml': { schema: { $ref: '#/components/schemas/Problem' } },
  },
}

/** RFC 9457 (specification 4.8). */
export const problemSchema: Schema = {
  type: 'object',
  description: 'Problem details after RFC 9457.',
  required: ['type', 'title', 'status', 'detail', 'code', 'transactionId'],
  properties: {
    type: { type: 'string', format: 'uri-reference', description: 'Always `about:blank`.' },
    title: { type: 'string', description: 'The phrase of the status.' },
    status: { type: 'integer', description: 'The status of the response.' },
    detail: { type: 'string', description: 'What the caller did wrong.' },
    code: { type: 'string', description: 'The code of the refusal, as in `ig-refusal`.' },
    transactionId: {
      type: 'string',
      format: 'uuid',
      description: 'The id of the transaction, as in `ig-transaction-id`.',
    },
    errors: {
      type: 'array',
      maxItems: 100,
      description: 'Where and why the body does not match its schema.',
      items: {
        type: 'object',
        required: ['pointer', 'detail'],
        properties: {
          pointer: { type: 'string', format: 'json-pointer', description: 'After RFC 6901.' },
          detail: { type: 'string', description: "In the schema's words." },
        },
      },
    },
    development: { type: 'string', description: 'Why the handler failed, while the gateway serves for development.' },
  },
  xml: { name: 'problem', namespace: 'urn:ietf:rfc:7807' },
}
