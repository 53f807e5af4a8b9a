/**
 * Records transactions for the monitor (specification 21.1 to 21.5): an observer. During a call it
 * only takes references, of a limited number of calls a second, errors first, and calls without an operation last; once
 * a second it builds the rows, free of secrets.
 */

import { setImmediate as endTurn } from 'node:timers/promises'
import { preciseTime } from '../../base/precise-time.ts'
import { setTimeout } from '../../base/timers.ts'
import { type AnsweredCall, recordCall } from '../../model/call-record.ts'
import type { JobRun, Observe } from '../../model/observation.ts'
import { type Masking, maskings } from '../../observe/masking/masking.ts'
import { openSelection, rankOf } from '../../observe/selection.ts'
import { type MonitorQueue, type MonitorQueueOptions, openMonitorQueue } from './monitor-queue.ts'
import { describeCall, type HeldCall, holdMessages, holdRun, sizeOf } from './monitored-call.ts'

export interface RecorderOptions extends Omit<MonitorQueueOptions, 'now'> {
  /** Maximum transactions of a second, by this process. */
  readonly perSecond: number
  readonly bodyBytes: number
  readonly masking?: Masking
  readonly now?: () => number
  /** Milliseconds; tests pass others. */
  readonly every?: number
}

export interface Recorder {
  readonly observe: Observe
  /** Lost transactions since the start, by reason. */
  readonly lost: MonitorQueue['lost']
  /** Why it stores no transactions. */
  readonly trouble: string | undefined
  /** Stores pending ones, if possible. */
  close(): Promise<void>
}

/** A thousand rows at once blocked calls for 10 to 15 ms on PostgreSQL, where the serving thread serializes them. */
const batchSize = 100
/** Maximum bytes of held messages; further transactions are stored without messages. */
const maxHeld = 4 * 1024 ** 2

export function openRecorder(options: RecorderOptions): Recorder {
  const { instance, perSecond, bodyBytes, masking = maskings.known, now = preciseTime, every = 1000 } = options
  const queue = openMonitorQueue({ ...options, now })
  const selection = openSelection<HeldCall>(perSecond, Math.max(1, Math.floor(perSecond / 10)))
  let held = 0
  let timer: NodeJS.Timeout | undefined
  let preparing = Promise.resolve()

  const take = (answered: AnsweredCall) => {
    timer ??= setTimeout(flush, every).unref()
    selection.add(rankOf(answered), () => hold(answered))
  }
  const takeRun = (run: JobRun) => {
    timer ??= setTimeout(flush, every).unref()
    selection.add('failed', () => holdRun(run))
  }
  const hold = (answered: AnsweredCall): HeldCall => {
    const messages = held < maxHeld ? holdMessages(answered, bodyBytes) : undefined
    if (messages) held += sizeOf(messages)
    return { ...recordCall(answered), messages }
  }
  const flush = () => {
    timer = undefined
    const { items, lost } = selection.take()
    queue.lose('rate', true, lost.failed + lost.stray)
    queue.lose('rate', false, lost.done)
    held = 0
    const taken = items.sort((one, other) => one.ended - other.ended)
    preparing = preparing.then(() => prepare(taken)).catch(reportFault)
  }
  const reportFault = (error: unknown) => {
    const message = 'The monitor lost the transactions of one second, because it could not assemble them.'
    options.observe({ kind: 'event', level: 'exception', name: 'monitorFailed', message, error })
  }
  const prepare = async (taken: readonly HeldCall[]) => {
    for (let from = 0; from < Math.max(1, taken.length); from += batchSize) {
      if (from > 0) await endTurn()
      queue.put(taken.slice(from, from + batchSize).map((each) => describeCall(each, instance, masking)))
    }
  }
  return {
    lost: queue.lost,
    get trouble() {
      return queue.trouble
    },
    observe(observation) {
      if (observation.kind === 'job') return takeRun(observation)
      if (observation.kind !== 'answered') return
      const { transaction, refusal } = observation
      if (transaction.operation || refusal) take(observation) // health checks, descriptions and OPTIONS are not transactions
    },
    async close() {
      clearTimeout(timer)
      flush()
      await preparing
      await queue.close()
    },
  }
}
