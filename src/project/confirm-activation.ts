/**
 * Checks whether every known process serves an activation, and otherwise activates the previous revision (specification
 * 13.17, 13.18): for the command line and administration.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Activation } from '../configuration/revision.ts'
import type { Problem } from '../model/problem.ts'
import { instanceOf, listProcesses, type ServingProcess } from '../store/processes.ts'
import type { RevisionStore } from '../store/revision-store.ts'
import type { Store } from '../store/store.ts'

export interface Confirmation {
  /** Processes that serve it. */
  readonly serving: number
  /** Processes that refuse it or did not report in time, as paths. */
  readonly problems: readonly Problem[]
  /** Another revision was activated since. */
  readonly overtakenBy: number | undefined
  /** The reports of the processes could not be read; `problems` has the reason. */
  readonly isUnknown: boolean
}

export interface ConfirmOptions {
  readonly store: Pick<Store, 'instances' | 'revisions' | 'clockOffset'>
  /** Milliseconds. */
  readonly limit: number
  /** Epoch milliseconds. */
  readonly now: () => number
  /** Processes that have not reported yet. */
  readonly onWaiting?: (processes: readonly string[]) => void
}

/** Polling interval in milliseconds. */
const pollInterval = 100

/** Never rejects: the activation is committed, whatever happens here. */
export async function confirmActivation(activation: Activation, options: ConfirmOptions): Promise<Confirmation> {
  try {
    return await awaitReports(activation, options)
  } catch (error) {
    const problem = { path: 'processes', message: `their reports cannot be read: ${(error as Error).message}` }
    return { ...nothing, problems: [problem], isUnknown: true }
  }
}

const nothing: Confirmation = {
  serving: 0,
  problems: [],
  overtakenBy: undefined,
  isUnknown: false,
}

async function awaitReports(activation: Activation, options: ConfirmOptions): Promise<Confirmation> {
  const { store, limit, now, onWaiting } = options
  const { sequence } = activation
  const deadline = performance.now() + limit
  for (;;) {
    const processes = await listProcesses(store.instances, now() + store.clockOffset)
    const active = await store.revisions.active()
    if (active && active.sequence !== sequence) return { ...nothing, overtakenBy: active.revision }
    const waiting = processes.filter(({ process }) => process.sequence < sequence)
    if (waiting.length === 0 || performance.now() >= deadline) {
      const settled = processes.filter(({ process }) => process.sequence >= sequence)
      const refusing = settled.filter(({ process }) => process.refusal !== undefined)
      const seconds = Math.round(limit / 1000)
      return {
        ...nothing,
        serving: settled.length - refusing.length,
        problems: [
          ...refusing.map((each) => ({ path: nameOf(each), message: `refuses it: ${each.process.refusal}` })),
          ...waiting.map((each) => ({ path: nameOf(each), message: `has not reported within ${seconds} s` })),
        ],
      }
    }
    onWaiting?.(waiting.map(nameOf))
    await sleep(pollInterval)
  }
}

/** The activation after a refused one. */
export function revertedNote(revision: number): string {
  return `revision ${revision} is not served everywhere`
}

/**
 * Activates the former revision again. @returns undefined if another one was activated in the meantime, and stays
 * active
 */
export async function revertActivation(
  { revision, sequence }: Activation,
  former: number,
  revisions: Pick<RevisionStore, 'activate'>,
  time: number,
): Promise<Activation | undefined> {
  const note = revertedNote(revision)
  const expected = { expectedActive: revision, expectedSequence: sequence }
  const outcome = await revisions.activate(former, { ...expected, note, time: Math.floor(time) })
  return 'activation' in outcome ? outcome.activation : undefined
}

/** `gw1:8080 (process 4711)` */
function nameOf(process: ServingProcess): string {
  return `${instanceOf(process)} (process ${process.process.pid})`
}
