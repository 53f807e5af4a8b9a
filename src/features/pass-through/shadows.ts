/**
 * The shadow runs of a process (specification 36.15 to 36.17): a bounded queue behind the calls, worked off one by one
 * while no call waits for the database; what they find is counted and kept.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import { setInterval, setTimeout } from '../../base/timers.ts'
import type { Observe } from '../../model/observation.ts'
import {
  type DifferingCall,
  maxDiffering,
  maxLeftOut,
  noFindings,
  type ShadowFindings,
  type ShadowRows,
} from './rows.ts'

export interface ShadowRun {
  readonly operation: string
  /** @returns undefined if it gave way, or could not be compared */
  run(signal: AbortSignal, outside: (what: string) => void): Promise<DifferingCall | 'same' | undefined>
}

export interface Shadows {
  /** Without `run` the call counts as one that cannot be compared. */
  offer(operation: string, run?: ShadowRun['run']): void
  /** Notes a header that pass-through left out: `request x-custom`. */
  leaveOut(operation: string, header: string): void
  /** Resolves when no comparison waits or runs, and the results are stored. */
  settled(): Promise<void>
  close(): Promise<void>
}

export interface ShadowOptions {
  readonly store: ShadowRows | undefined
  readonly observe: Observe
  /** A call waits for a connection, or on SQLite for the writer. */
  readonly isBusy: () => boolean
}

/** Each may hold a body and an answer of 256 KiB. */
const maxWaiting = 50
/** Milliseconds between two checks for waiting calls, and maximum milliseconds that a run waits for its turn. */
const pollInterval = 5
const patience = 1_000
/** Milliseconds between stores of what was found. */
const storeEvery = 1_000

type MutableFindings = { -readonly [Name in keyof ShadowFindings]: ShadowFindings[Name] }

export function openShadows({ store, observe, isBusy }: ShadowOptions): Shadows {
  const waiting: ShadowRun[] = []
  const found = new Map<string, MutableFindings>()
  const warned = new Set<string>()
  let working: Promise<void> | undefined
  let storing: NodeJS.Timeout | undefined
  let isClosed = false

  const foundOf = (operation: string): MutableFindings => {
    const known = found.get(operation) ?? { ...noFindings }
    found.set(operation, known)
    storing ??= setTimeout(() => void flush(), storeEvery).unref()
    return known
  }
  const flush = async () => {
    clearTimeout(storing)
    storing = undefined
    const all = [...found]
    found.clear()
    for (const [operation, findings] of all)
      await store?.add(operation, findings).catch((error) => {
        const message = `What the shadow of ${operation} found could not be stored.`
        observe({ kind: 'event', level: 'warning', name: 'shadowNotStored', message, error })
      })
  }
  const note = (operation: string, outcome: DifferingCall | 'same' | undefined) => {
    const findings = foundOf(operation)
    if (outcome === undefined) findings.notRun += 1
    else findings.calls += 1
    const name = outcome === undefined ? 'shadowNotRun' : outcome === 'same' ? 'shadowSame' : 'shadowDiffers'
    if (outcome === undefined || outcome === 'same') {
      observe({ kind: 'event', level: 'debug', name, message: `The shadow of ${operation} ${ends[name]}.` })
      return
    }
    findings.differ += 1
    findings.differing = [...findings.differing, outcome].slice(-maxDiffering)
    const message = `The shadow of ${operation} differs, transaction ${outcome.transactionId}: ${outcome.differences.join(', ')}`
    observe({ kind: 'event', level: 'information', name, message })
  }
  const warn = (operation: string, what: string) => {
    const findings = foundOf(operation)
    if (!findings.outside.includes(what)) findings.outside = [...findings.outside, what]
    if (warned.has(`${operation} ${what}`)) return
    warned.add(`${operation} ${what}`)
    const message = `The shadow of ${operation} uses ${what}: what it does outside the database is not undone.`
    observe({ kind: 'event', level: 'warning', name: 'shadowOutside', message })
  }
  const leftOut = new Map<string, Set<string>>()
  const leaveOut = (operation: string, header: string) => {
    const [direction] = header.split(' ')
    const list = `${operation} ${direction}`
    const names = leftOut.get(list) ?? new Set()
    if (names.has(header) || names.size > maxLeftOut) return
    leftOut.set(list, names.add(header))
    const isTold = names.size <= maxLeftOut
    if (isTold) {
      const findings = foundOf(operation)
      findings.leftOut = [...findings.leftOut, header]
    }
    const message = isTold
      ? `Pass-through of ${operation} leaves out a header: ${header}. Its requestHeaders or responseHeaders can name it.`
      : `Pass-through of ${operation} leaves out more than ${maxLeftOut} headers of ${direction}s: further names are not logged.`
    observe({ kind: 'event', level: 'information', name: 'headerLeftOut', message })
  }
  const runOne = async ({ operation, run }: ShadowRun) => {
    for (const end = performance.now() + patience; isBusy(); await sleep(pollInterval))
      if (isClosed || performance.now() > end) return note(operation, undefined)
    const controller = new AbortController()
    const poll = setInterval(() => (isBusy() || isClosed) && controller.abort(new Error('A call waits')), pollInterval)
    const outcome = await run(controller.signal, (what) => warn(operation, what))
      .catch(() => undefined)
      .finally(() => clearInterval(poll))
    note(operation, controller.signal.aborted ? undefined : outcome)
  }
  const work = async () => {
    await sleep(0) // the reply of the call goes first
    for (let next = waiting.shift(); next; next = waiting.shift()) await runOne(next)
    working = undefined
  }
  return {
    offer(operation, run) {
      if (!run || isClosed || waiting.length >= maxWaiting) return note(operation, undefined)
      waiting.push({ operation, run })
      working ??= work()
    },
    leaveOut,
    async settled() {
      while (working) await working
      await flush()
    },
    async close() {
      isClosed = true
      waiting.length = 0
      await working
      await flush()
    },
  }
}

const ends = { shadowSame: 'answers the same', shadowNotRun: 'did not run, or gave way to calls', shadowDiffers: '' }
