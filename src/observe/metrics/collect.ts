/**
 * Adds up all reports of an instance: since its start for the scrape, in steps for the overview (specification 20.2,
 * 20.8).
 */
import type { Report } from './report.ts'
import { openSteps, type Steps } from './steps.ts'
import { openTotal, type Total } from './total.ts'

export interface Collected {
  readonly total: Total
  readonly steps: Steps
  add(report: Report): void
  /** Counters from before this process began: of the instance, but of no step. */
  addEarlier(reports: readonly Report[]): void
}

export interface CollectOptions {
  /** Operations with series of their own. */
  readonly maxOperations: number
  /** Epoch milliseconds of the database. */
  readonly now: () => number
}

export function openCollected({ maxOperations, now }: CollectOptions): Collected {
  const total = openTotal(maxOperations)
  const steps = openSteps(now)
  return {
    total,
    steps,
    add(report) {
      total.add(report)
      steps.add(report)
    },
    addEarlier(reports) {
      for (const report of reports) total.add(report)
    },
  }
}
