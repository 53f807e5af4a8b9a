/**
 * The last minutes in steps of five seconds, by operation, for the overview of administration (specification 20.8).
 * Times are those of the database, so that the steps of all instances align.
 */

import type { Report } from '../../observe/metrics/report.ts'
import { addTo, type CallCounts, CallSum } from './call-sum.ts'

/** Milliseconds. */
export const stepLength = 5_000
/** The number of steps kept: a quarter of an hour. */
export const stepsKept = 180

export interface TimeStep {
  /** Its begin in epoch milliseconds: a multiple of its length. */
  readonly time: number
  readonly operations: readonly OperationStep[]
}

export interface OperationStep extends CallCounts {
  readonly operation: string
  readonly method: string
}

export interface Steps {
  add(report: ReportCounts): void
  /** Finished ones, oldest first. */
  finished(): readonly TimeStep[]
}

/** The most called operations of a step; the rest is one entry. This limits memory and the database. */
const maxOperations = 50
export const others = '(others)'
const health = '(health)'

/** What steps and minutes take of a report. */
export type ReportCounts = Pick<Report, 'calls' | 'refusals' | 'callers'>

/** Sums of calls by operation. */
export type CallSums = Map<string, CallSum>

export function openSteps(now: () => number): Steps {
  const finished: TimeStep[] = []
  let time = begin(now())
  let sums: CallSums = new Map()

  const turn = () => {
    const current = begin(now())
    if (current === time) return
    // A step without calls counts, too. If a clock was set, or the machine slept, the missing steps are not invented.
    const gap = (current - time) / stepLength
    for (let at = 0; at < Math.min(gap, stepsKept); at += 1) {
      finished.push({ time: time + at * stepLength, operations: at === 0 ? close(sums) : [] })
    }
    if (gap < 0) finished.length = 0
    finished.splice(0, finished.length - stepsKept)
    time = current
    sums = new Map()
  }
  return {
    add(report) {
      turn()
      addReport(sums, report)
    },
    finished() {
      turn()
      return finished
    },
  }
}

function begin(time: number): number {
  return Math.floor(time / stepLength) * stepLength
}

/** Health checks are no operation's calls. */
export function addReport(sums: CallSums, { calls, refusals, callers = [] }: ReportCounts): void {
  for (const count of calls) if (count.operation !== health) sumOf(sums, count.operation).addCount(count)
  for (const { operation, code, count } of refusals) addTo(sumOf(sums, operation).refusals, code, count)
  for (const { operation, operator, count } of callers)
    if (operation !== health) sumOf(sums, operation).addCaller(operator, count)
}

export function sumOf(sums: CallSums, operation: string): CallSum {
  const known = sums.get(operation)
  if (known) return known
  const sum = new CallSum()
  sums.set(operation, sum)
  return sum
}

/** Those that precede others, and the most called ones; the rest is one sum. */
export function keepMostCalled(sums: CallSums, max: number, precedes = (_operation: string) => false): CallSums {
  const sorted = [...sums].sort(
    ([name, one], [otherName, other]) =>
      Number(precedes(otherName)) - Number(precedes(name)) || other.calls - one.calls,
  )
  const rest = sorted.splice(max)
  const kept: CallSums = new Map(sorted)
  for (const [, sum] of rest) sumOf(kept, others).addSum(sum)
  return kept
}

function close(sums: CallSums): OperationStep[] {
  return [...keepMostCalled(sums, maxOperations)].map(([operation, sum]) => ({
    operation,
    method: sum.method,
    ...sum.counts(),
  }))
}
