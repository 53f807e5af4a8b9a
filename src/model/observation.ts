/** Every notable event, as one union; logs, metrics, monitor, traces, alerts and webhooks read it (specification 8.5). */
import { boundThrown } from '../base/bound-error.ts'
import { cutText } from '../base/cut-text.ts'
import type { AnsweredCall } from './call-record.ts'
import type { Operation } from './operation.ts'
import type { Transaction } from './transaction.ts'

export type Observation = AnsweredCall | Note | Event | JobRun

/** A note of a handler, or of a part of the gateway, about one call. */
export interface Note {
  readonly kind: 'note'
  readonly level: LogLevel
  readonly transaction?: Transaction
  readonly message: string
  readonly detail?: Readonly<Record<string, unknown>>
  readonly error?: unknown
}

/** An event outside calls: keys fetched, store unreachable, configuration activated. */
export interface Event {
  readonly kind: 'event'
  readonly level: LogLevel
  readonly name: string
  readonly message: string
  readonly detail?: Readonly<Record<string, unknown>>
  readonly error?: unknown
}

/** A run of a job ended. */
export interface JobRun {
  readonly kind: 'job'
  readonly level: LogLevel
  /** With the name of the job, the id of the run, and when it began. */
  readonly transaction: Transaction & { readonly job: string }
  readonly outcome: JobOutcome
  readonly attempt: number
  /** Epoch milliseconds. */
  readonly ended: number
  readonly message: string
  readonly error?: unknown
  readonly detail?: undefined
}

export const jobOutcomes = ['succeeded', 'failed', 'timedOut', 'lost', 'stopped'] as const
/** How a run of a job ended, `succeeded`, `failed`, `timedOut`, `lost` or `stopped`: see the table of `Job`. */
export type JobOutcome = (typeof jobOutcomes)[number]

/** The severity of an entry of the log. `exception` is a bug of the gateway itself. */
export type LogLevel = 'exception' | 'error' | 'warning' | 'information' | 'debug'

/** Never throws and never waits. */
export type Observe = (observation: Observation) => void

/** Whether observers may keep the bodies of this operation's messages: `transaction.message.loggedBody` is then its first part. */
export function wantsBodies(logLevel: number, operation: Pick<Operation, 'logDetail'>): boolean {
  return logLevel >= 5 || operation.logDetail === 'headerAndDetail'
}

/** One stream, several observers. */
export function toAll(observers: readonly Observe[]): Observe {
  return (observation) => {
    const bounded = bound(observation)
    for (const observe of observers) observe(bounded)
  }
}

/** Characters: room for the message of an error, and for what is said of it. */
const maxMessage = 16 * 1024

/** A refusal has bounded its error itself. */
function bound(observation: Observation): Observation {
  if (observation.kind === 'answered') return observation
  const message = cutText(observation.message, maxMessage)
  const error = boundThrown(observation.error)
  if (message === observation.message && error === observation.error) return observation
  return { ...observation, message, error }
}
