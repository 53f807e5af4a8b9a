/**
 * A transaction of the monitor, and the filters of its list (specification 21). All texts are free of secrets and safe
 * to display.
 */
import type { CallOutcome, RefusalCode } from '../../model/refusal.ts'
import type { Step } from '../../model/step.ts'
import type { Wait } from '../../model/timeline.ts'

export interface MonitoredTransaction {
  readonly transactionId: string
  /** End of the call; epoch milliseconds, whole. */
  readonly time: number
  readonly durationMs: number
  readonly method: string
  readonly url: string
  readonly httpStatus: number
  readonly outcome: CallOutcome
  readonly refusal: RefusalCode | undefined
  /** The step that answered or refused. */
  readonly endedBy: Step
  /** The reason of a refusal, which the caller did not get; or how a stream ended. */
  readonly reason: string | undefined
  /** Undefined fields are unknown: the call was refused before. */
  readonly node: string | undefined
  readonly operation: string | undefined
  readonly operator: string | undefined
  readonly isCached: boolean | undefined
  readonly isSlow: boolean
  readonly remoteAddress: string
  readonly revision: number | undefined
  /** The process that answered. */
  readonly instance: string
  /** Undefined for a run of a job. */
  readonly timeline?: MonitoredTimeline | undefined
  /** Undefined if the operation's log detail keeps none. */
  readonly messages: MonitoredMessages | undefined
}

/** Milliseconds from the beginning of the call: when its steps ended, and what its handler waited for. */
export interface MonitoredTimeline {
  readonly steps: readonly (readonly [step: Step, end: number])[]
  readonly waits: readonly (readonly [
    kind: Wait['kind'],
    summary: string,
    from: number,
    until: number,
    failure: string | undefined,
  ])[]
}

/** An entry of the list: its timeline and messages are read separately. */
export interface ListedTransaction extends Omit<MonitoredTransaction, 'timeline' | 'messages'> {
  readonly hasMessages: boolean
}

export interface MonitoredMessages {
  readonly request: MonitoredMessage
  readonly response: MonitoredMessage
}

export interface MonitoredMessage {
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** Undefined if the log detail keeps headers only. */
  readonly body: string | undefined
}

/** A refusal, or an HTTP status of 400 or above: the original calls it Error. */
export function isError({ httpStatus, refusal }: Pick<MonitoredTransaction, 'httpStatus' | 'refusal'>): boolean {
  return refusal !== undefined || httpStatus >= 400
}

/** Minimum durations in milliseconds that a list can filter by. */
export const durationSteps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000] as const

/** How many of the steps it reaches. */
export function durationStepOf(durationMs: number): number {
  const longer = durationSteps.findIndex((step) => durationMs < step)
  return longer < 0 ? durationSteps.length : longer
}

/** For each field, only transactions with that value. */
export interface MonitorFilter {
  readonly transactionId?: string | undefined
  readonly isError?: boolean | undefined
  readonly outcome?: CallOutcome | undefined
  readonly httpStatus?: number | undefined
  readonly refusal?: RefusalCode | undefined
  readonly method?: string | undefined
  readonly node?: string | undefined
  readonly operation?: string | undefined
  readonly operator?: string | undefined
  readonly isCached?: boolean | undefined
  readonly isSlow?: boolean | undefined
  /** Minimum: one of `durationSteps`. */
  readonly durationMs?: number | undefined
  /** Epoch milliseconds: from this time on; before this time. */
  readonly from?: number | undefined
  readonly to?: number | undefined
  /** A substring, case-insensitive. */
  readonly url?: string | undefined
  /** The name that a refused caller claimed, case-insensitive. */
  readonly claimed?: string | undefined
}

/** A position in the list, which is ordered by time. */
export interface MonitorPlace {
  readonly time: number
  readonly sequence: number
}

/** @param text `<time>-<sequence>` */
export function toPlace(text: string): MonitorPlace {
  const [time = 0, sequence = 0] = text.split('-').map(Number)
  return { time, sequence }
}

export interface MonitorPage {
  /** The newest first. */
  readonly transactions: readonly ListedTransaction[]
  /** The next page begins before this one. Undefined at the end. */
  readonly next: MonitorPlace | undefined
  /** All of these and older ones were stored when this number was the highest: later ones have a higher number. */
  readonly latest: number
}

export interface MonitorCount {
  readonly count: number
  /** False if there are more, or older ones that were not searched. */
  readonly isComplete: boolean
}

export interface MonitorNews {
  /** The newest first. */
  readonly transactions: readonly ListedTransaction[]
  readonly latest: number
  /** False if there were too many to look through at once: the older ones are missing. */
  readonly isComplete: boolean
}

/** Why a transaction is not in the list: too many in a second, or the database failed. */
export type LossReason = 'rate' | 'database'

export interface Loss {
  /** Epoch milliseconds of its start. */
  readonly minute: number
  readonly instance: string
  readonly reason: LossReason
  readonly isError: boolean
  readonly transactions: number
}

export interface MonitorBatch {
  readonly transactions: readonly MonitoredTransaction[]
  readonly losses: readonly Loss[]
  /** An earlier attempt may have stored it. */
  readonly isRepeated: boolean
}
