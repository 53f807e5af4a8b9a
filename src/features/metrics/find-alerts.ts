/** Which alerts apply now: calls of the last five minutes, instances of the last three, conditions (specification 43.7). */
import type { AlertRows } from '../../model/alert.ts'
import type { alerts } from './alert-table.ts'
import { burnRates, leastCalls } from './burn-rates.ts'
import type { Instance } from './list-instances.ts'
import type { WrittenRow } from './metric-row.ts'
import type { InstanceDetails } from './minutes.ts'
import type { OperationFigures } from './overview.ts'

export interface Thresholds {
  /** Percent of the calls of an operation that were not refused. */
  readonly failures: number | undefined
  /** Milliseconds, of the 95th percentile. */
  readonly latency: number | undefined
  /** Milliseconds that the event loop is late. */
  readonly delay: number | undefined
  /** Bytes of all processes of an instance. */
  readonly memory: number | undefined
}

export interface AlertFacts {
  readonly operations: readonly OperationFigures[]
  /** Of all calls, of the last minutes. */
  readonly rows: readonly WrittenRow[]
  readonly instances: readonly Instance[]
  /** Epoch milliseconds of the database. */
  readonly now: number
}

export interface FoundAlert {
  readonly name: string
  /** The id of an operation, or of an instance: `host:8080`. */
  readonly subject: string
  /** With the value and its threshold, for people. */
  readonly detail: string
}

/** Milliseconds without a report. */
export const missingAfter = 15_000

/** Alerts of an operation; the others are of an instance. */
const ofOperations: ReadonlySet<string> = new Set<keyof typeof alerts>([
  'GatewayFaults',
  'GatewaySlow',
  ...(Object.keys(burnRates) as (keyof typeof burnRates)[]),
])

export function isOfOperation(name: string): boolean {
  return ofOperations.has(name)
}

export function findAlerts(facts: AlertFacts, thresholds: Thresholds, table: AlertRows): readonly FoundAlert[] {
  return [
    ...findOperationAlerts(facts.operations, thresholds),
    ...findLoadAlerts(facts.rows, thresholds),
    ...findInstanceAlerts(facts, table),
  ]
}

function* findOperationAlerts(
  operations: readonly OperationFigures[],
  { failures = Number.POSITIVE_INFINITY, latency = Number.POSITIVE_INFINITY }: Thresholds,
): Generator<FoundAlert> {
  for (const { operation: subject, calls, refused, failureRate, p95 } of operations) {
    if (calls - refused < leastCalls || subject.startsWith('(')) continue
    const failed = (failureRate ?? 0) * 100
    if (failed > failures) {
      const detail = `${show(failed)} % of its calls failed in the last 5 minutes (threshold ${failures} %)`
      yield named({ name: 'GatewayFaults', subject, detail })
    }
    if (p95 !== null && p95 > latency) {
      const detail = `one in twenty calls took longer than ${show(p95)} ms in the last 5 minutes (threshold ${show(latency)} ms)`
      yield named({ name: 'GatewaySlow', subject, detail })
    }
  }
}

function* findLoadAlerts(
  rows: readonly WrittenRow[],
  { delay = Number.POSITIVE_INFINITY, memory = Number.POSITIVE_INFINITY }: Thresholds,
): Generator<FoundAlert> {
  for (const [subject, own] of Map.groupBy(rows, ({ instance }) => instance)) {
    const details = own.map((row) => JSON.parse(row.details) as InstanceDetails)
    if (details.length < 3) continue
    const late = Math.min(...details.map((each) => each.delay * 1000))
    const used = Math.min(...details.map((each) => each.memory))
    if (late > delay) {
      const detail = `its event loop was delayed by ${show(late)} ms for 3 minutes (threshold ${show(delay)} ms)`
      yield named({ name: 'GatewayEventLoopLate', subject, detail })
    }
    if (used > memory) {
      const detail = `its processes used ${showMemory(used)} for 3 minutes (threshold ${showMemory(memory)})`
      yield named({ name: 'GatewayMemory', subject, detail })
    }
  }
}

function* findInstanceAlerts({ instances, now }: AlertFacts, table: AlertRows): Generator<FoundAlert> {
  for (const { id: subject, seen, conditions } of instances) {
    if (now - seen > missingAfter)
      yield named({ name: 'GatewayMissing', subject, detail: `last report at ${new Date(seen).toISOString()}` })
    for (const [name, row] of Object.entries(table)) {
      const condition = conditions.find((each) => row.conditions?.includes(each.name))
      if (condition) yield { name, subject, detail: condition.detail }
    }
  }
}

function named(alert: FoundAlert & { readonly name: keyof typeof alerts }): FoundAlert {
  return alert
}

const show = (value: number) => value.toLocaleString('en', { maximumSignificantDigits: 3 })
const showMemory = (bytes: number) => `${show(bytes / 1024 ** 2)} MiB`
