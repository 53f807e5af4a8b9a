/**
 * The queue of the monitor, and the count of lost transactions (specification 21.4, 21.5): limited, retried during a
 * database outage, logged once.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Observe } from '../../model/observation.ts'
import {
  isError,
  type Loss,
  type LossReason,
  type MonitorBatch,
  type MonitoredTransaction,
} from './monitored-transaction.ts'

export interface MonitorQueueOptions {
  /** The id of this process. */
  readonly instance: string
  /** Stores a batch completely or, if it rejects, not at all. */
  readonly append: (batch: MonitorBatch) => Promise<void>
  /** Called when the database fails, and when it works again. */
  readonly observe: Observe
  readonly now: () => number
  /** Milliseconds; tests pass others. */
  readonly retryDelay?: number
}

export interface MonitorQueue {
  put(transactions: readonly MonitoredTransaction[]): void
  lose(reason: LossReason, isError: boolean, transactions: number): void
  /** Lost transactions since the start. */
  readonly lost: Readonly<Record<LossReason, number>>
  /** Why it stores no transactions. */
  readonly trouble: string | undefined
  /** Stores pending batches, if possible. */
  close(): Promise<void>
}

/** In batches. */
const maxBatches = 100
/** After this many failures the batch itself is invalid, or the outage is long. */
const maxAttempts = 30

export function openMonitorQueue(options: MonitorQueueOptions): MonitorQueue {
  const { instance, append, observe, now, retryDelay = 1000 } = options
  const waiting: (readonly MonitoredTransaction[])[] = []
  const losses = new Map<string, Loss>()
  const closing = new AbortController()
  const lost = { rate: 0, database: 0 }
  let storing: Promise<void> | undefined
  let trouble: string | undefined

  const addLoss = (loss: Loss) => {
    if (loss.transactions === 0) return
    const key = `${loss.minute} ${loss.reason} ${loss.isError}`
    losses.set(key, { ...loss, transactions: loss.transactions + (losses.get(key)?.transactions ?? 0) })
  }
  const lose: MonitorQueue['lose'] = (reason, isError, transactions) => {
    lost[reason] += transactions
    addLoss({ minute: Math.floor(now() / 60_000) * 60_000, instance, reason, isError, transactions })
  }
  const loseBatch = (transactions: readonly MonitoredTransaction[]) => {
    for (const transaction of transactions) lose('database', isError(transaction), 1)
  }
  const report = (error: Error | undefined) => {
    const event = { kind: 'event', level: error ? 'error' : 'warning' } as const
    const message =
      error &&
      `The monitor stores no transactions: ${error.message.replace(/\.$/, '')}. Calls are not affected; dropped transactions are counted.`
    if (message && !trouble) observe({ ...event, name: 'monitorAway', message, error })
    if (!message && trouble)
      observe({ ...event, name: 'monitorBack', message: 'The monitor stores transactions again.' })
    trouble = message
  }
  const store = async () => {
    let attempt = 1
    while (waiting.length > 0 || losses.size > 0) {
      const [transactions = []] = waiting
      const reported = [...losses.values()]
      losses.clear()
      const error = await append({ transactions, losses: reported, isRepeated: attempt > 1 }).then(
        () => undefined,
        asError,
      )
      report(error)
      if (!error) waiting.shift()
      else for (const loss of reported) addLoss(loss)
      attempt = error ? attempt + 1 : 1
      if (error && closing.signal.aborted) return
      if (attempt > maxAttempts) {
        loseBatch(waiting.shift() ?? [])
        attempt = 1
      }
      if (error) await sleep(retryDelay, undefined, { ref: false, signal: closing.signal }).catch(() => {})
    }
  }
  const begin = () => {
    storing ??= store().finally(() => {
      storing = undefined
    })
    return storing
  }
  return {
    put(transactions) {
      if (waiting.length >= maxBatches) loseBatch(transactions)
      else if (transactions.length > 0) waiting.push(transactions)
      void begin()
    },
    lose,
    lost,
    get trouble() {
      return trouble
    },
    async close() {
      closing.abort()
      await storing
      await begin()
    },
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
