/**
 * Records transactions for the monitor (specification 21.1 to 21.5): an observer. During a call it
 * only takes references, of a limited number of calls a second, errors first, and calls without an operation last; once
 * a second it builds the rows, free of secrets.
 */

import { preciseTime } from '../../base/precise-time.ts'
import { type AnsweredCall, recordCall } from '../../model/call-record.ts'
import type { Observe } from '../../model/observation.ts'
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

/** Maximum bytes of held messages; further transactions are stored without messages. */
const maxHeld = 4 * 1024 ** 2

export function openRecorder(options: RecorderOptions): Recorder {
  const { instance, perSecond, bodyBytes, masking = maskings.known, now = preciseTime, every = 1000 } = options
  const queue = openMonitorQueue({ ...options, now })
  let held = 0
  const selection = openSelection<HeldCall>({
    max: perSecond,
    maxStrays: Math.max(1, Math.floor(perSecond / 10)),
    every,
    begin(items, lost) {
      queue.lose('rate', true, lost.failed + lost.stray)
      queue.lose('rate', false, lost.done)
      held = 0
      return items.sort((one, other) => one.ended - other.ended)
    },
    write: (calls) => queue.put(calls.map((each) => describeCall(each, instance, masking))),
    onError(error) {
      const message = 'The monitor lost the transactions of one second, because it could not assemble them.'
      options.observe({ kind: 'event', level: 'exception', name: 'monitorFailed', message, error })
    },
  })
  const hold = (answered: AnsweredCall): HeldCall => {
    const messages = held < maxHeld ? holdMessages(answered, bodyBytes) : undefined
    if (messages) held += sizeOf(messages)
    return { ...recordCall(answered), messages }
  }
  return {
    lost: queue.lost,
    get trouble() {
      return queue.trouble
    },
    observe(observation) {
      if (observation.kind === 'job') return selection.add('failed', () => holdRun(observation))
      if (observation.kind !== 'answered') return
      const { transaction, refusal } = observation
      const isTransaction = transaction.operation || refusal // health checks, descriptions and OPTIONS are none
      if (isTransaction) selection.add(rankOf(observation), () => hold(observation))
    },
    async close() {
      await selection.close()
      await queue.close()
    },
  }
}
