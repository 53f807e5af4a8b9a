/**
 * A transaction as the monitor keeps it, and what a list of them can be asked for (specification 21). All texts are free
 * of secrets and harmless to show.
 */
import type { RefusalCode } from './refusal.ts'

export interface MonitoredTransaction {
  readonly transactionId: string
  /** When it ended; epoch milliseconds, whole. */
  readonly time: number
  readonly durationMs: number
  readonly method: string
  readonly url: string
  readonly status: number
  readonly refusal: RefusalCode | undefined
  /** What the caller of a refused one was not told. */
  readonly reason: string | undefined
  /** What is undefined was not found out: the call was refused before. */
  readonly node: string | undefined
  readonly operation: string | undefined
  readonly operator: string | undefined
  readonly isCached: boolean | undefined
  readonly remoteAddress: string
  readonly revision: number | undefined
  /** Which process answered. */
  readonly instance: string
  /** Undefined where the operation's log detail keeps none. */
  readonly messages: MonitoredMessages | undefined
}

/** One of a list: its messages are read on their own. */
export interface ListedTransaction extends Omit<MonitoredTransaction, 'messages'> {
  readonly hasMessages: boolean
}

export interface MonitoredMessages {
  readonly request: MonitoredMessage
  readonly response: MonitoredMessage
}

export interface MonitoredMessage {
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** Undefined where the log detail keeps headers only. */
  readonly body: string | undefined
}

/** A refusal, or a status from 400 on: what the original calls Error. */
export function hasFailed({ status, refusal }: Pick<MonitoredTransaction, 'status' | 'refusal'>): boolean {
  return refusal !== undefined || status >= 400
}

/** Durations in milliseconds that a list can be asked for at least. */
export const durationSteps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000] as const

/** How many of the steps it reaches. */
export function durationStepOf(durationMs: number): number {
  const longer = durationSteps.findIndex((step) => durationMs < step)
  return longer < 0 ? durationSteps.length : longer
}

/** Of each field only transactions that have that value. */
export interface MonitorFilter {
  readonly transactionId?: string | undefined
  readonly hasFailed?: boolean | undefined
  readonly status?: number | undefined
  readonly refusal?: RefusalCode | undefined
  readonly method?: string | undefined
  readonly node?: string | undefined
  readonly operation?: string | undefined
  readonly operator?: string | undefined
  readonly isCached?: boolean | undefined
  /** At least: one of `durationSteps`. */
  readonly durationMs?: number | undefined
  /** Epoch milliseconds: from then on; before then. */
  readonly from?: number | undefined
  readonly to?: number | undefined
  /** Part of it, letter case aside. */
  readonly url?: string | undefined
}

/** A place in the list, which goes by time. */
export interface MonitorPlace {
  readonly time: number
  readonly sequence: number
}

export interface MonitorPage {
  /** The newest first. */
  readonly transactions: readonly ListedTransaction[]
  /** Where the next page begins: before this one. Undefined at the end. */
  readonly next: MonitorPlace | undefined
  /** All of these and older ones were stored when the number was this: what comes later has a higher one. */
  readonly latest: number
}

export interface MonitorNews {
  /** The newest first. */
  readonly transactions: readonly ListedTransaction[]
  readonly latest: number
  /** False where more came than are looked through at a time: the older ones of them are missing. */
  readonly isComplete: boolean
}

/** Why a transaction is not in the list: too many in a second; the database took none. */
export type LossReason = 'rate' | 'database'

export interface Loss {
  /** Epoch milliseconds of its begin. */
  readonly minute: number
  readonly instance: string
  readonly reason: LossReason
  readonly hasFailed: boolean
  readonly transactions: number
}

export interface MonitorBatch {
  readonly transactions: readonly MonitoredTransaction[]
  readonly losses: readonly Loss[]
  /** It was tried before, and perhaps it was stored. */
  readonly isRepeated: boolean
}
