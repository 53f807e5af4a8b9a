/** The objectives of the operations that have an `slo`, and their metrics (specification 43.10, 43.12). */
import type { Configuration } from '../../configuration/configuration.ts'
import { operationIdOf } from '../../model/operation-name.ts'
import { seriesOf } from '../../observe/metrics/report.ts'
import type { Total } from '../../observe/metrics/total.ts'
import type { CallSum } from './call-sum.ts'
import { type OperationWithSlo, parseAvailability, slowAfterOf } from './configuration.ts'

export interface Objective {
  /** The share of calls, of those not refused, that may fail or be slow: 0.001. */
  readonly allowed: number
  /** Milliseconds; a served call that takes longer is slow. Undefined: none is. */
  readonly latency: number | undefined
}

/** By the id of the operation. */
export type Objectives = ReadonlyMap<string, Objective>

const known = new WeakMap<Configuration, Objectives>()

export function objectivesOf(configuration: Configuration): Objectives {
  const objectives =
    known.get(configuration) ??
    new Map(
      configuration.operations.flatMap((operation) => {
        const objective = toObjective(operation)
        return objective ? [[operationIdOf(operation), objective]] : []
      }),
    )
  known.set(configuration, objectives)
  return objectives
}

function toObjective(operation: OperationWithSlo): Objective | undefined {
  if (!operation.slo) return undefined
  const good = parseAvailability(operation.slo.availability ?? '99%') ?? 0
  return { allowed: Number((1 - good / 100).toFixed(5)), latency: slowAfterOf(operation) }
}

/** Calls that failed or were slow. */
export type Errors = Pick<CallSum, 'calls' | 'refused' | 'failed' | 'slow'>

/** The share of calls, of those not refused, that failed or were slow; 0 without any. */
export function errorShareOf({ calls, refused, failed, slow }: Errors): number {
  return calls === refused ? 0 : (failed + slow) / (calls - refused)
}

/** The share of the errors that it allows in these calls that is left; below 0: more were made. */
export function errorsLeft({ allowed }: Objective, sum: Errors): number {
  return Number((1 - errorShareOf(sum) / allowed).toPrecision(4))
}

/** Series of the scrape: a counter exists from the start, because an increase from nothing is not visible. */
export function writeObjectives(objectives: Objectives, { calls }: Pick<Total, 'calls'>): Record<string, number> {
  const series: Record<string, number> = {}
  const slowOf = (operation: string) => seriesOf('ig_slow_calls_total', { operation })
  for (const [operation, { allowed, latency }] of objectives) {
    series[seriesOf('ig_slo_errors_allowed', { operation })] = allowed
    if (latency !== undefined) series[slowOf(operation)] = 0
  }
  for (const { operation, slow } of calls)
    if (slow > 0) series[slowOf(operation)] = (series[slowOf(operation)] ?? 0) + slow
  return series
}
