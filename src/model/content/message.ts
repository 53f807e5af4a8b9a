/** The request message, as handlers see it (specification 5). The SDK exports it. */
import type { Readable } from 'node:stream'
import type { FullNameOf, OperationName, TypedGateway, UriDocumentOf } from '../typed-operation.ts'
import type { Schema, SchemaOutput } from './standard-schema.ts'
import type { XmlDocument, XmlElement } from './xml.ts'

/**
 * The request: URL values, headers and body (specification 5.2, 5.10 to 5.12). The body is received completely before
 * the handler starts; it can be read several times, in any of the forms below, or not at all.
 *
 * With the type of the configuration and the name of the operation, `getUriDocument` knows the operation's variables
 * (specification 11.1). A handler of several operations names them all: `'KEY_VALUE_GET' | 'KEY_VALUE_DELETE'`.
 * @example
 * ```ts
 * import {
 *   defineGateway,
 *   type Handler,
 *   type HandlerContext,
 *   type RequestMessage,
 * } from 'integration-gateway'
 *
 * const gateway = defineGateway({
 *   // A handler of a project imports its type from gateway.config.ts.
 *   documents: [
 *     {
 *       name: 'PAGE',
 *       elements: { parameter1: { type: 'String' }, size: { type: 'Integer' } },
 *     },
 *   ],
 *   messages: [{ name: 'PAGE_PARAMETERS', document: 'PAGE' }],
 *   operations: [
 *     {
 *       service: 'SAMPLES',
 *       name: 'PAGE',
 *       method: 'GET',
 *       uriTemplates: ['pages/{parameter1}{?size}'],
 *       documentTemplate: 'PAGE_PARAMETERS',
 *       handler: 'handlers/page.ts',
 *     },
 *   ],
 * })
 *
 * export default class Page implements Handler {
 *   onRequest(
 *     request: RequestMessage<typeof gateway, 'PAGE_GET'>,
 *     context: HandlerContext,
 *   ) {
 *     const { parameter1, size = 20 } = request.getUriDocument() // string, number
 *     const response = context.broker.createMessage(request.operationName, 'response')
 *     response.setContentString(`${size.toFixed()} lines of ${parameter1.toUpperCase()}`)
 *     return response
 *   }
 * }
 * ```
 */
export interface RequestMessage<
  Gateway extends TypedGateway = TypedGateway,
  Name extends OperationName<Gateway> = OperationName<Gateway>,
> {
  /** Full name, method suffix included: `ECHO_GET`. */
  readonly operationName: FullNameOf<Name>
  /** The version of the operation: `v1`, or `none`. */
  readonly operationVersion: string
  /** A GUID, unique for each transaction. */
  readonly transactionId: string
  /** The index of the URI template that matched, from 1, in the order of the configuration. */
  readonly uriResourceIndex: number
  /** The error for which `onError` runs; undefined in `onRequest`. */
  readonly exception: Error | undefined
  /**
   * The URL's values by element name of the document template: a value for a primitive, an array for a collection,
   * undefined if the URL had none. Integer and Decimal are numbers (a Decimal beyond 15 digits is a string), Boolean is
   * a boolean, Binary a Buffer, all others are strings.
   * @example
   * ```ts
   * import type { Handler, HandlerContext, RequestMessage } from 'integration-gateway'
   *
   * export default class Greeting implements Handler {
   *   onRequest(request: RequestMessage, context: HandlerContext) {
   *     const { parameter1 } = request.getUriDocument()
   *     const response = context.broker.createMessage(request.operationName, 'response')
   *     response.setContentString(`Hello ${parameter1}`)
   *     return response
   *   }
   * }
   * ```
   */
  getUriDocument(): UriDocumentOf<Gateway, Name>
  /**
   * The query of the URL: the values of each parameter, decoded, in order; including parameters that no URI template
   * names. Prefer `getUriDocument` for the others: it checks and types them.
   * @example
   * ```ts
   * import type { Handler, HandlerContext, RequestMessage } from 'integration-gateway'
   *
   * export default class Filter implements Handler {
   *   onRequest(request: RequestMessage, context: HandlerContext) {
   *     // ?colour=red&colour=blue → ['red', 'blue']
   *     const colours = request.getQuery().get('colour') ?? []
   *     const response = context.broker.createMessage(request.operationName, 'response')
   *     response.setJson({ colours })
   *     return response
   *   }
   * }
   * ```
   */
  getQuery(): ReadonlyMap<string, readonly string[]>
  /** A header of the request by its name, in any letter case; repeated headers are joined by `, `. */
  getHeader(name: string): string | undefined
  /**
   * The names of the request's headers, in lower case, without those that `getHeader` does not return.
   * @example
   * ```ts
   * import type { Handler, HandlerContext, RequestMessage } from 'integration-gateway'
   *
   * export default class Headers implements Handler {
   *   onRequest(request: RequestMessage, { broker }: HandlerContext) {
   *     const response = broker.createMessage(request.operationName, 'response')
   *     response.setJson(request.getHeaderNames()) // ['host', 'accept']
   *     return response
   *   }
   * }
   * ```
   */
  getHeaderNames(): readonly string[]
  /**
   * The media type among the operation's `responseTypes` that the request's `Accept` prefers, or the first of several
   * equal ones. Without `responseTypes`, the content type of the response. To cache the responses, see `cacheVary`
   * (specification 6.14).
   * @returns undefined if none is acceptable: answer with 406, or with the type that you prefer
   * @example
   * ```ts
   * import type { Handler, HandlerContext, RequestMessage } from 'integration-gateway'
   *
   * export default class Rates implements Handler {
   *   onRequest(request: RequestMessage, context: HandlerContext) {
   *     const response = context.broker.createMessage(request.operationName, 'response')
   *     response.contentType = request.getAcceptedType() ?? 'application/json'
   *     response.setContentString(
   *       response.contentType === 'text/csv' ? 'EUR,1' : '{"EUR":1}',
   *     )
   *     return response
   *   }
   * }
   * ```
   */
  getAcceptedType(): string | undefined
  /**
   * The whole body as text. Its encoding is that of its byte order mark, else of the charset parameter of its content
   * type, else of its XML declaration, else UTF-8.
   * @throws Refusal `contentUnsupported` for another charset, `bodyMalformed` for bytes that are invalid in it
   * @example
   * ```ts
   * import type { Handler, HandlerContext, RequestMessage } from 'integration-gateway'
   *
   * export default class Length implements Handler {
   *   async onRequest(request: RequestMessage, context: HandlerContext) {
   *     const { length } = await request.getContentString()
   *     const response = context.broker.createMessage(request.operationName, 'response')
   *     response.setContentString(JSON.stringify({ length }))
   *     return response
   *   }
   * }
   * ```
   */
  getContentString(): Promise<string>
  /**
   * The whole body as JSON, validated against a schema: the given one, or the `requestSchema` of the handler's class
   * (specification 5.20, 5.21). The type of the value is that of the given schema; without one it is unknown.
   * @param schema from any library that implements Standard Schema, such as zod, valibot or arktype
   * @throws Refusal `contentUnsupported` unless the content type is `application/json` or ends in `+json`
   * @throws Refusal `bodyMalformed` for an empty body, invalid JSON, more than `ig.limits.json` (10 MiB), nesting beyond 64
   * levels, a duplicate name in an object, the name `__proto__`, and half of a surrogate pair
   * @throws Refusal `bodyInvalid` if it does not match the schema: the caller receives the errors, each with
   * a JSON pointer and the schema's message, without the value
   * @throws Refusal `bodyTooLarge` or `overloaded` where the memory budget has no room for it
   * @example
   * ```ts
   * import type { Handler, HandlerContext, RequestMessage } from 'integration-gateway'
   * import { z } from 'zod'
   *
   * export default class Hire implements Handler {
   *   static requestSchema = z.object({
   *     name: z.string().min(1),
   *     salary: z.number().positive(),
   *   })
   *
   *   async onRequest(request: RequestMessage, context: HandlerContext) {
   *     // string, number
   *     const { name, salary } = await request.getJson(Hire.requestSchema)
   *     const response = context.broker.createMessage(request.operationName, 'response')
   *     response.setJson({ name, monthly: salary / 12 })
   *     return response
   *   }
   * }
   * ```
   */
  getJson<Of extends Schema>(schema: Of): Promise<SchemaOutput<Of>>
  getJson(): Promise<unknown>
  /**
   * The whole body as bytes, such as an uploaded file. A large one counts against the memory budget until the call
   * ends: see `getContentStream` for bodies that need not be in memory.
   * @throws Refusal `bodyTooLarge` or `overloaded` where the memory budget has no room for it
   * @example
   * ```ts
   * import type { Handler, HandlerContext, RequestMessage } from 'integration-gateway'
   *
   * export default class Copy implements Handler {
   *   async onRequest(request: RequestMessage, context: HandlerContext) {
   *     const response = context.broker.createMessage(request.operationName, 'response')
   *     response.contentType = 'application/octet-stream'
   *     response.setContentBytes(await request.getContentBytes())
   *     return response
   *   }
   * }
   * ```
   */
  getContentBytes(): Promise<Buffer>
  /** The body's bytes, from the start at each call. The stream ends with the call: do not keep it. */
  getContentStream(): Readable
  /**
   * The whole body as an XML tree, which takes up to thirty times the memory of the body. For large bodies, see
   * `getXmlElements`.
   * @throws Refusal `bodyTooLarge` or `overloaded` where the memory budget has no room for it
   * @throws Refusal `bodyMalformed` for XML that is ill-formed, has a DOCTYPE or exceeds a limit; an empty body is ill-formed
   * @example
   * ```ts
   * import {
   *   createXmlDoc,
   *   type Handler,
   *   type HandlerContext,
   *   type RequestMessage,
   * } from 'integration-gateway'
   *
   * export default class CountRows implements Handler {
   *   async onRequest(request: RequestMessage, context: HandlerContext) {
   *     const { root } = await request.getXmlDoc()
   *     const document = createXmlDoc('response')
   *     document.root.addElement('count', String(root.elements('row').length))
   *     const response = context.broker.createMessage(request.operationName, 'response')
   *     response.setXmlDoc(document)
   *     return response
   *   }
   * }
   * ```
   */
  getXmlDoc(): Promise<XmlDocument>
  /**
   * The body as a stream of the elements directly below the root, each as a small tree, in constant memory. XML errors
   * are reported when they are reached, and all writes to the database are rolled back.
   * @param rootName refuses another root element as `bodyMalformed`
   * @throws Refusal as `getXmlDoc` does
   * @example
   * ```ts
   * import type { Handler, HandlerContext, RequestMessage } from 'integration-gateway'
   *
   * export default class TotalLength implements Handler {
   *   async onRequest(request: RequestMessage, context: HandlerContext) {
   *     let total = 0
   *     for await (const row of request.getXmlElements('request'))
   *       total += row.child('value')?.text.length ?? 0
   *     const response = context.broker.createMessage(request.operationName, 'response')
   *     response.setContentString(String(total))
   *     return response
   *   }
   * }
   * ```
   */
  getXmlElements(rootName?: string): AsyncIterable<XmlElement>
  /** Has no effect on a request (specification 6.1). */
  setRestCache(expires: Date | number): void
}
