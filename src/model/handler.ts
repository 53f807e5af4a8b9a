/** The interface of a handler: what it receives and what it returns (specification 5). The SDK exports all of it. */

import type { Answer } from './content/answer.ts'
import type { RequestMessage } from './content/message.ts'
import type { ResponseMessage } from './content/response.ts'
import type { Schema } from './content/standard-schema.ts'
import type { Broker, TypedBroker } from './handler-broker.ts'
import type { HandlerDatabase } from './handler-database.ts'
import type { SessionTokenContext } from './handler-session-token.ts'
import type { TypedGateway } from './typed-operation.ts'

/**
 * The class registered on an operation; a new instance serves each request. It may declare the schemas of its JSON,
 * from any library that implements Standard Schema, such as zod, valibot or arktype (specification 5.21). Descriptions
 * show them if the library implements Standard JSON Schema.
 */
export interface HandlerClass {
  new (): Handler
  /** The schema that `request.getJson()` validates the body against. */
  readonly requestSchema?: Schema | undefined
  /** For descriptions only: responses are not validated. */
  readonly responseSchema?: Schema | undefined
}

/**
 * Answers the calls of an operation (specification 5.1). The response of `onRequest` is sent after its writes to
 * `context.database` are committed. It ends in one of these ways:
 *
 * | `onRequest` | writes | response |
 * |---|---|---|
 * | returns a response of 200–299 | committed | the response |
 * | returns a response of 400–499 | rolled back | the response |
 * | returns or throws an `Answer` | committed for 200–299, else rolled back | the `Answer` |
 * | throws a `Refusal`, or does not catch one of the request or the database | rolled back | the refusal |
 * | throws anything else, or exceeds its time limit | rolled back | the return value of `onError`, or `handlerFailed` or `handlerTimedOut` |
 * | returns anything else, or its commit fails | rolled back | `handlerFailed` |
 * | is still running when the client disconnects | rolled back | none |
 *
 * The time limit (`ig.limits.handlerTimeout`, 30 seconds) ends a handler that waits; no limit can end a handler that
 * computes without yielding.
 * @example
 * ```ts
 * import type { Handler, HandlerContext, RequestMessage } from 'integration-gateway'
 *
 * export default class WhoAmI implements Handler {
 *   onRequest(request: RequestMessage, context: HandlerContext) {
 *     const response = context.broker.createMessage(request.operationName, 'response')
 *     response.setContentString(JSON.stringify({ currentUser: context.operator.id }))
 *     return response
 *   }
 * }
 * ```
 */
export interface Handler {
  /** Answers one call. A thrown error ends it as the table shows. */
  onRequest(request: RequestMessage, context: HandlerContext): HandlerResponse | Promise<HandlerResponse>
  /**
   * Called when `onRequest` threw or timed out, with `request.exception` set (specification 5.5). A non-empty string becomes the
   * body; an empty one, or an error thrown here, gives `handlerFailed`. It has the same time limit, and no database:
   * all writes are rolled back, and no more are possible.
   * @example
   * ```ts
   * import type {
   *   Handler,
   *   HandlerContext,
   *   RequestMessage,
   *   ResponseMessage,
   * } from 'integration-gateway'
   *
   * export default class OutOfStock implements Handler {
   *   onErrorHttpResponseCode = 409
   *   onErrorContentType = 'text/plain'
   *
   *   onRequest(_request: RequestMessage, _context: HandlerContext): ResponseMessage {
   *     throw new Error('none left')
   *   }
   *
   *   onError(request: RequestMessage) {
   *     return `Sorry: ${request.exception?.message}`
   *   }
   * }
   * ```
   */
  onError?(request: RequestMessage, context: HandlerContext): string | Promise<string>
  /** Overrides the fault message's status for the response of `onError`: 200–299 or 400–599. */
  onErrorHttpResponseCode?: number
  /** Overrides the fault message's content type for the response of `onError`. */
  onErrorContentType?: string
}

/** What `onRequest` returns. An `Answer` may also be thrown. */
export type HandlerResponse = ResponseMessage | Answer

/**
 * The context of a handler, with what `ProcessContext` has (specification 5.4). With the types of the project's tables
 * and configuration, the compiler checks queries, and the names, versions and variables passed to `broker` (5.40).
 * @example
 * ```ts
 * import {
 *   defineGateway,
 *   type Handler,
 *   type HandlerContext,
 *   type RequestMessage,
 * } from 'integration-gateway'
 *
 * interface Tables {
 *   VISITS: { OPRID: string }
 * }
 *
 * const gateway = defineGateway({
 *   // A handler of a project imports its type from gateway.config.ts.
 *   documents: [{ name: 'PATH', elements: { parameter1: { type: 'String' } } }],
 *   messages: [{ name: 'PATH_PARAMETERS', document: 'PATH' }],
 *   operations: [
 *     {
 *       service: 'SAMPLES',
 *       name: 'ECHO',
 *       method: 'GET',
 *       uriTemplates: ['echo/{parameter1}'],
 *       documentTemplate: 'PATH_PARAMETERS',
 *       handler: 'handlers/echo.ts',
 *     },
 *   ],
 * })
 *
 * export default class Visitors implements Handler {
 *   async onRequest(
 *     request: RequestMessage,
 *     { broker, database }: HandlerContext<Tables, typeof gateway>,
 *   ) {
 *     const rows = await database
 *       .selectFrom('VISITS')
 *       .select('OPRID')
 *       .distinct()
 *       .execute()
 *     const links = rows.map(({ OPRID }) =>
 *       broker.getUrl('ECHO_GET', 'v1', 1, { parameter1: OPRID }),
 *     )
 *     const response = broker.createMessage(request.operationName, 'response')
 *     response.setContentString(links.join('\n'))
 *     return response
 *   }
 * }
 * ```
 */
// biome-ignore lint/suspicious/noExplicitAny: without stated tables every table and column is allowed
export interface HandlerContext<Tables = any, Gateway extends TypedGateway = TypedGateway> extends SessionTokenContext {
  /** The operator that the handler runs as. Reading it is recorded: see `setRestCache`. */
  readonly operator: HandlerOperator
  /** The request's transaction id, a GUID. */
  readonly transactionId: string
  /**
   * One transaction per request, from its first statement: committed before the response is sent, rolled back on
   * failure. A wait beyond the limit ends in `overloaded`. With `transaction: 'write'`, the default except for GET and
   * HEAD, concurrent calls have the effect of calls one after the other (5.74). Use `insertRows` for many rows.
   * @example
   * ```ts
   * import type { Handler, HandlerContext, RequestMessage } from 'integration-gateway'
   *
   * export default class CountVisits implements Handler {
   *   async onRequest(request: RequestMessage, context: HandlerContext) {
   *     await context.database
   *       .insertInto('VISITS')
   *       .values({ OPRID: context.operator.id })
   *       .execute()
   *     const { count } = await context.database
   *       .selectFrom('VISITS')
   *       .select(({ fn }) => fn.countAll<number>().as('count'))
   *       .executeTakeFirstOrThrow()
   *     const response = context.broker.createMessage(request.operationName, 'response')
   *     response.setContentString(JSON.stringify({ count }))
   *     return response
   *   }
   * }
   * ```
   */
  readonly database: HandlerDatabase<Tables>
  /**
   * The database as of the commit, for the source of `setContentStream`: read-only, on a separate connection, and
   * unchanged until the stream ends. `stream()` of a query keeps only a few rows in memory. A statement before the
   * commit is an error.
   * @throws Refusal `overloaded` if `ig.limits.streams` others of this process are open (specification 5.32, 5.33)
   */
  readonly snapshot: HandlerDatabase<Tables>
  /** Makes the response, builds URLs of operations, and removes cached responses. */
  readonly broker: TypedGateway extends Gateway ? Broker : TypedBroker<Gateway>
  /**
   * Runs work after the call's writes are committed, in the order of the calls of `afterCommit`, while the client receives
   * the response (specification 5.42): sending an e-mail, calling another service. Never after a rollback or in a trial.
   * It gets the handler's time limit again, and no database. A failure is logged; a crash loses the work.
   * @throws Error after `onRequest` has ended, and in `onError`
   * @example
   * ```ts
   * import type { Handler, HandlerContext, RequestMessage } from 'integration-gateway'
   *
   * export default class Visit implements Handler {
   *   async onRequest(request: RequestMessage, context: HandlerContext) {
   *     await context.database
   *       .insertInto('VISITS')
   *       .values({ OPRID: context.operator.id })
   *       .execute()
   *     context.afterCommit(() => context.log.information('a visit was stored'))
   *     return context.broker.createMessage(request.operationName, 'response')
   *   }
   * }
   * ```
   */
  afterCommit(work: () => void | Promise<void>): void
  /**
   * `traceparent`, and `tracestate` if there is one, for calls that the handler makes, so that they belong to the
   * trace of this call (specification 20.14).
   * @example
   * ```ts
   * import type { Handler, HandlerContext, RequestMessage } from 'integration-gateway'
   *
   * export default class Stock implements Handler {
   *   async onRequest(request: RequestMessage, context: HandlerContext) {
   *     const { signal, traceHeaders: headers } = context
   *     // The URL of another service
   *     const stock = await fetch('data:,twelve hats', { headers, signal })
   *     const response = context.broker.createMessage(request.operationName, 'response')
   *     response.setContentString(await stock.text())
   *     return response
   *   }
   * }
   * ```
   */
  readonly traceHeaders: Readonly<Record<string, string>>
  /** The gateway and its database, for a response that describes them. */
  readonly server: ServerDescription
}

/** The operator that a handler runs as. */
export interface HandlerOperator {
  /** Case-sensitive, 1–30 characters. */
  readonly id: string
  /** A text for people, such as the operator's name. */
  readonly description: string
  /** Sorted names of the operator's permission lists, so that a response can show more to some operators. */
  readonly permissionLists: readonly string[]
}

/** Facts about the gateway for the metadata response. */
export interface ServerDescription {
  /** The setting `ig.dbname`. */
  readonly dbname: string
  /** The database of the gateway. */
  readonly dbType: 'SQLITE' | 'POSTGRESQL'
  /** The setting `ig.toolsRelease`, by default the gateway's version. */
  readonly toolsRelease: string
  /** The setting `ig.platformName`, which is in the names of headers. */
  readonly platformName: string
  /** The server's time zone abbreviation, such as `UTC` or `CET`. */
  readonly timeZone: string
}
