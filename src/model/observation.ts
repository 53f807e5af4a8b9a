/** Everything worth noticing, as one union: the logs, and later metrics, monitor and audit, are its readers. */
import type { Call, Reply } from './call.ts'
import type { Refusal } from './refusal.ts'
import type { Transaction } from './transaction.ts'

export type Observation =
  /** A call ended; `refusal` where it was refused. `requestText`/`responseText` only where the log wants whole messages. */
  | { readonly kind: 'answered'; readonly call: Call; readonly transaction: Transaction; readonly reply: Reply; readonly refusal?: Refusal; readonly requestBody?: Buffer }
  /** A handler, or a part of the gateway, has something to say about one call. */
  | { readonly kind: 'note'; readonly level: LogLevel; readonly transaction?: Transaction; readonly message: string; readonly detail?: Readonly<Record<string, unknown>>; readonly error?: unknown }
  /** Something the gateway met outside any call: keys fetched, store unreachable, configuration activated. */
  | { readonly kind: 'event'; readonly level: LogLevel; readonly name: string; readonly message: string; readonly detail?: Readonly<Record<string, unknown>>; readonly error?: unknown }

/** Levels of ig.log.level: −100 nothing, −1 language exceptions, 1 standard exceptions, 2 errors, 3 warnings and important, 4 information, 5 everything. */
export type LogLevel = 'exception' | 'error' | 'warning' | 'information' | 'debug'

export type Observe = (observation: Observation) => void
