/** Work that handlers leave for the time after their commit (specification 5.42): the reply does not wait for it. */
import { setImmediate } from '../../base/timers.ts'
import { within } from '../../base/within.ts'
import { HandlerTimeout } from './failure.ts'

export type WorkAfterCommit = () => void | Promise<void>

/** The handler run that left the work. */
export interface LeftBy {
  /** Milliseconds for all of its work. */
  readonly limit: number
  /** Aborts its signal. */
  abort(reason: Error): void
  note(level: 'error' | 'information', message: string, error?: unknown): void
}

export interface AfterCommit {
  begin(work: readonly WorkAfterCommit[], run: LeftBy): void
  /** Resolves when no work is left. */
  settled(): Promise<void>
  /** Waits for the given number of milliseconds, then aborts the remaining work. */
  close(milliseconds: number): Promise<void>
}

/** Milliseconds that aborted work may take to end. */
const abortTime = 100

export function openAfterCommit(): AfterCommit {
  const running = new Map<Promise<void>, LeftBy>()
  const settled = async () => {
    while (running.size > 0) await Promise.all(running.keys())
  }
  return {
    settled,
    begin(work, run) {
      const working: Promise<void> = runInOrder(work, run).finally(() => running.delete(working))
      running.set(working, run)
    },
    async close(milliseconds) {
      if (running.size === 0) return
      await within(Math.max(0, milliseconds), settled()).catch(async () => {
        const reason = new Error('The gateway is stopping, and the grace time has ended')
        for (const run of running.values()) {
          run.abort(reason)
          run.note('error', 'Work after the commit was cut off by the stop', reason)
        }
        await within(abortTime, settled()).catch(() => running.clear())
      })
    },
  }
}

/** `ig try` and the console's Try it: what a call would cause elsewhere does not happen. */
export const noAfterCommit: AfterCommit = {
  begin(work, run) {
    run.note('information', `A trial: the work after the commit is not done (${work.length})`)
  },
  settled: async () => {},
  close: async () => {},
}

async function runInOrder(work: readonly WorkAfterCommit[], { limit, abort, note }: LeftBy): Promise<void> {
  await new Promise(setImmediate) // the reply goes first
  const end = performance.now() + limit
  for (const [index, each] of work.entries()) {
    const late = new HandlerTimeout(`The work after the commit exceeded the handler's time of ${limit} ms.`)
    try {
      await within(end - performance.now(), (async () => each())(), late)
    } catch (error) {
      note('error', `Work after the commit failed (${index + 1} of ${work.length})`, error)
      if (error !== late) continue
      abort(late)
      return
    }
  }
}
