/**
 * Keeps transactions for the monitor (specification 21.1 to 21.5): a reader of the observations. While a call is answered
 * only references are taken, of at most so many calls a second, errors before the others, and last what reached no
 * operation; what is stored is put together once a second, free of secrets.
 */
import { setImmediate as endTurn } from 'node:timers/promises'
import type { MonitoredTransaction } from '../model/monitored-transaction.ts'
import type { Answered, Observe } from '../model/observation.ts'
import { type Masking, maskings } from './masking.ts'
import { type MonitorQueue, type MonitorQueueOptions, openMonitorQueue } from './monitor-queue.ts'
import { describeCall, type EndedCall, endCall, holdMessages, sizeOf } from './monitored-call.ts'
import { openSelection, rankOf } from './selection.ts'

export interface MonitorOptions extends Omit<MonitorQueueOptions, 'now'> {
  /** Transactions of a second, by this process. */
  readonly perSecond: number
  readonly bodyBytes: number
  readonly masking?: Masking
  readonly now?: () => number
  /** Milliseconds; tests take others. */
  readonly every?: number
}

export interface Monitor {
  readonly observe: Observe
  /** Transactions since the start that were not kept, by reason. */
  readonly lost: MonitorQueue['lost']
  /** Why it stores no transactions. */
  readonly trouble: string | undefined
  /** Stores what is pending, where it can. */
  close(): Promise<void>
}

/** So many are put together at a time before calls have their turn again. */
const sliceSize = 50
/** A thousand rows at once kept calls waiting for 10 to 15 ms on PostgreSQL, where the thread that answers writes them out. */
const batchSize = 100
/** Bytes of messages that are held at a time; transactions beyond that are kept without. */
const mostHeld = 4 * 1024 ** 2

export function openMonitor(options: MonitorOptions): Monitor {
  const { instance, perSecond, bodyBytes, masking = maskings.known, now = preciseTime, every = 1000 } = options
  const queue = openMonitorQueue({ ...options, now })
  const selection = openSelection<EndedCall>(perSecond, Math.max(1, Math.floor(perSecond / 10)))
  let held = 0
  let timer: NodeJS.Timeout | undefined
  let preparing = Promise.resolve()

  const take = (answered: Answered) => {
    timer ??= setTimeout(flush, every).unref()
    const rank = rankOf(answered)
    if (selection.hasRoom(rank)) selection.put(rank, hold(answered))
  }
  const hold = (answered: Answered): EndedCall => {
    const messages = held < mostHeld ? holdMessages(answered, bodyBytes) : undefined
    if (messages) held += sizeOf(messages)
    return endCall(answered, messages)
  }
  const flush = () => {
    timer = undefined
    const { items, lost } = selection.take()
    queue.lose('rate', true, lost.failed + lost.stray)
    queue.lose('rate', false, lost.done)
    held = 0
    const taken = items.sort((one, other) => one.ended - other.ended)
    preparing = preparing.then(() => prepare(taken)).catch(tellFault)
  }
  const tellFault = (error: unknown) => {
    const message = 'The monitor lost the transactions of one second, because it could not assemble them.'
    options.observe({ kind: 'event', level: 'exception', name: 'monitorFailed', message, error })
  }
  const prepare = async (taken: readonly EndedCall[]) => {
    for (let from = 0; from < Math.max(1, taken.length); from += batchSize) {
      const batch: MonitoredTransaction[] = []
      for (const [index, each] of taken.slice(from, from + batchSize).entries()) {
        if (index % sliceSize === 0 && index > 0) await endTurn()
        batch.push(describeCall(each, instance, masking))
      }
      queue.put(batch)
    }
  }
  return {
    lost: queue.lost,
    get trouble() {
      return queue.trouble
    },
    observe(observation) {
      if (observation.kind !== 'answered') return
      const { transaction, refusal } = observation
      if (transaction.operation || refusal) take(observation) // health, descriptions and OPTIONS are no transactions
    },
    async close() {
      clearTimeout(timer)
      flush()
      await preparing
      await queue.close()
    },
  }
}

/** With a fraction, as calls are timed. */
function preciseTime(): number {
  return performance.timeOrigin + performance.now()
}
