/** Everything worth noticing, as one union: the logs, and later metrics, monitor and audit, are its readers (specification 8.5). */
import type { Call, Reply } from './call.ts'
import type { Operation } from './operation.ts'
import type { Refusal } from './refusal.ts'
import type { Transaction } from './transaction.ts'

export type Observation = Answered | Note | Event

/** A call ended; `refusal` where it was refused. */
export interface Answered {
  readonly kind: 'answered'
  readonly call: Call
  readonly transaction: Transaction
  readonly reply: Reply
  readonly refusal?: Refusal
  /** Epoch milliseconds with a fraction, as `transaction.begun`: read once for all who look at it. */
  readonly ended: number
}

/** A handler, or a part of the gateway, has something to say about one call. */
export interface Note {
  readonly kind: 'note'
  readonly level: LogLevel
  readonly transaction?: Transaction
  readonly message: string
  readonly detail?: Readonly<Record<string, unknown>>
  readonly error?: unknown
}

/** Something the gateway met outside any call: keys fetched, store unreachable, configuration activated. */
export interface Event {
  readonly kind: 'event'
  readonly level: LogLevel
  readonly name: string
  readonly message: string
  readonly detail?: Readonly<Record<string, unknown>>
  readonly error?: unknown
}

/** How grave it is; which `ig.log.level` writes it is the log's to decide. `exception`: a fault of the gateway itself. */
export type LogLevel = 'exception' | 'error' | 'warning' | 'information' | 'debug'

/** Never throws and never waits. */
export type Observe = (observation: Observation) => void

/** A log holds the first part of a body only. */
export const loggedBodyBytes = 64 * 1024

/**
 * Whether the log wants the bodies of this operation's messages, or the monitor where there is one: then
 * `transaction.requestBody` gets the first part.
 */
export function wantsBodies(logLevel: number, operation: Pick<Operation, 'logDetail'>, monitor?: object): boolean {
  return logLevel >= 5 || ((logLevel >= 3 || monitor !== undefined) && operation.logDetail === 'headerAndDetail')
}

/** One stream, several readers. */
export function toAll(readers: readonly Observe[]): Observe {
  return (observation) => {
    for (const observe of readers) observe(observation)
  }
}
