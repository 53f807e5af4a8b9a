/**
 * Adds up all reports of an instance: since its start for the scrape, in steps for the overview, and in
 * minutes for the history (specification 20.2, 20.8, 43.1).
 */

import type { Report } from '../../observe/metrics/report.ts'
import { openTotal, type Total } from '../../observe/metrics/total.ts'
import { type Minutes, openMinutes } from './minutes.ts'
import { openSteps, type Steps } from './steps.ts'

export interface CollectedMetrics {
  readonly total: Total
  readonly steps: Steps
  readonly minutes: Minutes
  add(report: Report): void
  /** Counters from before this process began: of the instance, but of no step. */
  addEarlier(reports: readonly Report[]): void
}

export interface CollectOptions {
  /** Operations with series of their own. */
  readonly maxOperations: number
  /** Epoch milliseconds of the database. */
  readonly now: () => number
  /** Operations whose minutes are stored before others. */
  readonly hasObjective?: (operation: string) => boolean
}

export function openCollected({ maxOperations, now, hasObjective }: CollectOptions): CollectedMetrics {
  const total = openTotal(maxOperations)
  const steps = openSteps(now)
  const minutes = openMinutes(now, hasObjective)
  return {
    total,
    steps,
    minutes,
    add(report) {
      total.add(report)
      steps.add(report)
      minutes.add(report)
    },
    addEarlier(reports) {
      for (const report of reports) total.add(report)
    },
  }
}
