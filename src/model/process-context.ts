/**
 * What handlers and jobs have in common: parts that live as long as the process, and the log (specification 5.42 to
 * 5.53). The SDK exports all of it.
 */
import type { FetchOptions } from './handler-fetch.ts'
import type { HandlerMetrics } from './handler-metrics.ts'
import type { Setting } from './handler-setting.ts'

/** What the contexts of handlers and jobs have in common. */
export interface ProcessContext {
  /** Writes to the gateway's logs, with the transaction id of the call. */
  readonly log: HandlerLog
  /**
   * Aborted at the time limit and if the client disconnects; pass it to everything that takes long. While a handler's
   * stream is sent, it is aborted if the stream ends early (specification 5.34).
   */
  readonly signal: AbortSignal
  /** Counters and histograms in the gateway's metrics, summed over its processes (specification 5.48). */
  readonly metrics: HandlerMetrics
  /** Epoch milliseconds with a fraction down to microseconds. */
  now(): number
  /**
   * Calls another HTTP service (specification 5.50): within 10 seconds and the time of the call, with its trace headers
   * and its signal. GET, HEAD and OPTIONS are tried up to three times; an origin that fails five times in a row is not
   * asked for five seconds. Link-local, private and loopback addresses are refused, unless `ig.fetch.origins` lists the
   * origin; `ig dev` and the testing kit allow loopback. A body may have 10 MiB, unless it `isStreamed`.
   * @returns the answer, whatever its status
   * @throws FetchError without an answer, whose `code` says why; TypeError for a URL or an option that is not allowed
   * @example
   * ```ts
   * import {
   *   FetchError,
   *   type Handler,
   *   type HandlerContext,
   *   type RequestMessage,
   * } from 'integration-gateway'
   *
   * export default class Rates implements Handler {
   *   async onRequest(request: RequestMessage, context: HandlerContext) {
   *     const response = context.broker.createMessage(request.operationName, 'response')
   *     try {
   *       // A private address: list it in ig.fetch.origins
   *       const rates = await context.fetch('http://10.0.0.7/rates')
   *       response.setContentString(await rates.text())
   *     } catch (error) {
   *       if (!(error instanceof FetchError)) throw error
   *       context.log.warning('no rates', { code: error.code })
   *     }
   *     return response
   *   }
   * }
   * ```
   */
  readonly fetch: (url: string | URL, options?: FetchOptions) => Promise<Response>
  /**
   * The value that the resource's `open` returned: one for all calls of this process (specification 5.45). Opens it at
   * the first use.
   * @throws what `open` threw, or an Error if it took longer than 10 seconds; further uses within a second receive the
   * same error
   */
  resource<Value>(resource: Resource<Value>): Promise<Value>
  /**
   * The value of a setting that `defineSettings` declared (specification 5.43).
   * @throws Error if it is absent or malformed, which a start and `ig check` report already
   */
  setting<Value>(setting: Setting<Value>): Value
}

/** The log of a call or run. `ig.log.level` decides what is written; `detail` is JSON in the structured log. */
export interface HandlerLog {
  /** Something failed. Written from level 2. */
  error(message: string, detail?: Readonly<Record<string, unknown>>): void
  /** Something needs attention, although the work goes on. Written from level 2. */
  warning(message: string, detail?: Readonly<Record<string, unknown>>): void
  /** Something happened as it should. Written from level 4, which `ig dev` has; `ig start` has 3. */
  information(message: string, detail?: Readonly<Record<string, unknown>>): void
  /** An entry that helps to find an error. It is written from level 5. */
  debug(message: string, detail?: Readonly<Record<string, unknown>>): void
}

/** What `open` receives: no operator, because all calls share the resource. */
export type ResourceContext = Pick<
  ProcessContext,
  'fetch' | 'log' | 'metrics' | 'now' | 'resource' | 'setting' | 'signal'
>

/** A resource as `defineResource` takes it. */
export interface ResourceDefinition<Value> {
  /** For logs. Default: the file and the line of the definition. */
  readonly name?: string
  /**
   * Has 10 seconds; then `context.signal` is aborted, and a value that still comes is closed. Concurrent calls wait for
   * it together. If it fails, they fail; the next use after a second tries again.
   */
  open(context: ResourceContext): Value | Promise<Value>
  /** Called when the process stops, after its calls; has at most 5 seconds of the stop's grace time. */
  close(value: Value): void | Promise<void>
  /** Whether it still works, for `/readyz`: throws if not. Only used for required resources. */
  check?(value: Value): void | Promise<void>
  /** `start`: before the process serves its first call; a failure does not prevent the start. Default: `firstUse`. */
  readonly openAt?: 'start' | 'firstUse'
  /** The process is not ready (`/readyz`) while it is not open or its check fails; it is opened at the start. Default: false. */
  readonly isRequired?: boolean
}

/** Made by `defineResource`, opened and shared by `context.resource`. */
export class Resource<Value = unknown> {
  /** The argument of `defineResource`. */
  readonly definition: ResourceDefinition<Value>
  /** Its name in logs. */
  readonly name: string

  constructor(definition: ResourceDefinition<Value>, name: string) {
    this.definition = definition
    this.name = name
    Object.freeze(this)
  }

  /** Whether it is opened before the process serves its first call. */
  get isOpenedAtStart(): boolean {
    return this.definition.openAt === 'start' || this.definition.isRequired === true
  }
}
