/**
 * What handlers and jobs have in common: parts that live as long as the process, and the log (specification 5.42 to
 * 5.53). The SDK exports all of it.
 */
import type { Resource } from './handler-resource.ts'
import type { Setting } from './handler-setting.ts'

export interface ProcessContext {
  /** Writes to the gateway's logs, with the transaction id of the call. */
  readonly log: HandlerLog
  /** Aborted at the time limit and if the client disconnects; pass it to everything that takes long. */
  readonly signal: AbortSignal
  /** Epoch milliseconds with a fraction down to microseconds. */
  now(): number
  /**
   * The value that the resource's `open` returned: one for all calls of this process (specification 5.45). Opens it at
   * the first use.
   * @throws (the promise) what `open` threw, or an Error if it took longer than 10 seconds; further uses within a
   * second receive the same error
   */
  resource<Value>(resource: Resource<Value>): Promise<Value>
  /**
   * The value of a setting that `defineSettings` declared (specification 5.43).
   * @throws Error if it is absent or malformed, which a start and `ig check` report already
   */
  setting<Value>(setting: Setting<Value>): Value
}

export interface HandlerLog {
  error(message: string, detail?: Readonly<Record<string, unknown>>): void
  warning(message: string, detail?: Readonly<Record<string, unknown>>): void
  information(message: string, detail?: Readonly<Record<string, unknown>>): void
  debug(message: string, detail?: Readonly<Record<string, unknown>>): void
}
