/** Operations and their callers, from the monitor (specification 40.2). */
import type { RefusalCode } from './refusal.ts'

export interface UsageRow {
  /** `JOB_GET.v1` */
  readonly operation: string
  /** Undefined: refused before it was known. */
  readonly operator: string | undefined
  readonly refusal: RefusalCode | undefined
  readonly calls: number
  /** Epoch milliseconds. */
  readonly last: number
}

/** A call that was answered and not refused. */
export interface RecordedCall {
  readonly transactionId: string
  /** Epoch milliseconds. */
  readonly time: number
  readonly method: string
  /** Secrets are masked. */
  readonly url: string
  readonly operator: string
  readonly remoteAddress: string
}

export interface Usage {
  readonly rows: readonly UsageRow[]
  /** Calls of operations that do not exist, the newest first. */
  readonly notFound: readonly { readonly method: string; readonly url: string; readonly time: number }[]
  /** Calls that were passed on for a node, the newest first: the operation of its upstream, and the URL. */
  readonly passedOn: readonly (Omit<UsageRow, 'calls'> & { readonly method: string; readonly url: string })[]
  /** False if older transactions of the time were not read. */
  readonly isComplete: boolean
}
