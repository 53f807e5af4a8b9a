/**
 * Checks whether every known process serves an activation, and otherwise activates the previous revision (specification
 * 13.17, 13.18): for the command line and administration.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Activation } from '../model/configuration/revision.ts'
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
  /** Revisions that the refusing processes serve instead: one of them may just be behind. */
  readonly instead: readonly number[]
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
const lookEvery = 100

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
  instead: [],
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
        instead: refusing.flatMap(({ revision }) => revision ?? []),
      }
    }
    onWaiting?.(waiting.map(nameOf))
    await sleep(lookEvery)
  }
}

/** Milliseconds: a revision that was active this long is not a bad deploy. */
const settledAfter = 60_000

/**
 * The revision to return to: the one that was active before. If a process refuses that one too, it may be a bad deploy
 * itself: then the newest revision that was active for longer, or that the refusing processes serve.
 */
export async function choosePrevious(
  { revision: failed, sequence, time }: Activation,
  { before, instead }: { readonly before: number; readonly instead: readonly number[] },
  revisions: Pick<RevisionStore, 'activations'>,
): Promise<number> {
  const isServed = (revision: number) => instead.every((each) => each === revision)
  if (isServed(before)) return before
  let end = time
  for (const earlier of await revisions.activations()) {
    if (earlier.sequence >= sequence) continue
    const isSettled = isServed(earlier.revision) || end - earlier.time >= settledAfter
    if (isSettled && earlier.revision !== failed) return earlier.revision
    end = earlier.time
  }
  return before
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
