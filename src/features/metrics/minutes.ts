/**
 * Adds up the reports of an instance by minute and by hour, as rows of the history (specification 43.1, 43.2). Times are
 * those of the database. Nothing here happens during a call.
 */
import { inSlices } from '../../base/in-slices.ts'
import type { Report } from '../../observe/metrics/report.ts'
import { type CallCounts, CallSum } from './call-sum.ts'
import type { MetricRow, Resolution } from './metric-row.ts'
import { addReport, type CallSums, keepMostCalled, others, sumOf } from './steps.ts'

export interface Minutes {
  add(report: Report): void
  /** Rows to store, some thousands at most: of ended minutes, and of their hours; the same again until they are stored. */
  due(): Promise<readonly MetricRow[]>
  stored(rows: readonly MetricRow[]): void
  /** At the end of the process: the current minute is due as well. */
  end(): void
}

/** What a row has besides its columns. */
export interface MetricDetails
  extends Omit<CallCounts, 'calls' | 'refused' | 'failed' | 'slow' | 'seconds' | 'longest'> {
  readonly method: string
}

/** Details of the row of all calls. */
export interface InstanceDetails extends MetricDetails {
  /** Seconds in which calls were counted. */
  readonly covered: number
  /** Bytes of all processes together: the highest of its minutes. */
  readonly memory: number
  /** Seconds that the event loop was late, at most. */
  readonly delay: number
  /** Whether only the most called operations have rows. */
  readonly isCut: boolean
}

/** Operations with a row: the most called ones of a minute, the first ones of an hour. */
const maxOfMinute = 200
const maxOfHour = 1000
/** Rows of minutes that wait for the store; the oldest are dropped first, and leave a gap. */
const maxWaiting = 20_000
const maxAtOnce = 2_000
const minuteLength = 60_000

interface Span {
  /** Epoch milliseconds. */
  readonly time: number
  readonly sums: CallSums
  /** The sum of all operations. */
  readonly total: CallSum
  covered: number
  memory: number
  delay: number
  isCut: boolean
}

/** @param now epoch milliseconds of the database @param hasObjective operations that have a row before others */
export function openMinutes(now: () => number, hasObjective?: (operation: string) => boolean): Minutes {
  let begun = 0
  let minute: Span | undefined
  let hour = openSpan(0, 3600)
  /** Calls before the clock of the database is known: they count for the first minute. */
  const early: CallSums = new Map()
  const ended: Span[] = []
  const memory = new Map<number, number>()
  const waiting = new Map<string, MetricRow>()

  function* put(rows: Iterable<MetricRow>): Generator<void, void> {
    for (const row of rows) {
      const key = keyOf(row)
      waiting.delete(key)
      waiting.set(key, row) // an hour's row replaces that of the minute before
      yield
    }
    for (const key of waiting.keys()) {
      if (waiting.size <= maxWaiting) break
      waiting.delete(key)
    }
  }
  /** @param until at most the end of the minute */
  const close = (span: Span, until: number) => {
    span.covered = Math.max(0, until - begun) / 1000
    span.memory = [...memory.values()].reduce((sum, bytes) => sum + bytes, 0)
    memory.clear() // of processes that have ended
    if (span.covered > 0 || span.sums.size > 0) ended.push(span)
  }
  /** @returns the current minute */
  const turn = (): Span => {
    const current = now()
    if (minute && current >= minute.time && current < minute.time + minuteLength) return minute
    const end = minute ? minute.time + minuteLength : current
    const isNext = current >= end && current < end + minuteLength // else the clock was set, or the machine slept: a gap
    if (minute) close(minute, current < minute.time ? begun : end)
    begun = isNext ? end : current
    minute = minute ? openSpan(current, 60) : { ...openSpan(current, 60), sums: early }
    return minute
  }
  /** Of ended minutes: ten thousand operations in slices, because calls may run in this process. */
  function* gather(): Generator<void, void> {
    for (let span = ended.shift(); span; span = ended.shift()) {
      if (hour.time !== beginOf(span.time, 3600)) hour = openSpan(span.time, 3600)
      yield* join(hour, span)
      const changed = new Set([...span.sums.keys(), others])
      span.isCut = span.sums.size > maxOfMinute
      yield* put(writeRows(span, 60, keepMostCalled(span.sums, maxOfMinute, hasObjective)))
      yield* put(writeRows(hour, 3600, new Map([...hour.sums].filter(([name]) => changed.has(name)))))
    }
  }
  return {
    add(report) {
      const { process_resident_memory_bytes: bytes, nodejs_eventloop_lag_max_seconds: delay = 0 } = report.gauges
      const current = minute && turn()
      addReport(current?.sums ?? early, report)
      if (bytes !== undefined) memory.set(report.worker, bytes)
      if (current) current.delay = Math.max(current.delay, delay)
    },
    async due() {
      turn()
      if (ended.length > 0) await inSlices(gather())
      return [...waiting.values()].slice(0, maxAtOnce)
    },
    stored(rows) {
      for (const row of rows) if (waiting.get(keyOf(row)) === row) waiting.delete(keyOf(row))
    },
    end() {
      close(turn(), now())
    },
  }
}

function keyOf({ resolution, time, operation }: MetricRow): string {
  return `${resolution} ${time} ${operation}`
}

function openSpan(time: number, resolution: Resolution): Span {
  return {
    time: beginOf(time, resolution),
    sums: new Map(),
    total: new CallSum(),
    covered: 0,
    memory: 0,
    delay: 0,
    isCut: false,
  }
}

function beginOf(time: number, resolution: Resolution): number {
  return Math.floor(time / (resolution * 1000)) * resolution * 1000
}

/** Adds the minute to its hour, and its operations up. */
function* join(hour: Span, minute: Span): Generator<void, void> {
  hour.covered += minute.covered
  hour.memory = Math.max(hour.memory, minute.memory)
  hour.delay = Math.max(hour.delay, minute.delay)
  for (const [name, sum] of minute.sums) {
    minute.total.addSum(sum)
    const isNamed = hour.sums.has(name) || hour.sums.size < maxOfHour
    hour.isCut ||= !isNamed
    const into = sumOf(hour.sums, isNamed ? name : others)
    into.addSum(sum)
    if (isNamed) into.method ||= sum.method
    yield
  }
  hour.total.addSum(minute.total)
}

/** @param sums of operations that have a row */
function* writeRows(span: Span, resolution: Resolution, sums: CallSums): Generator<MetricRow, void> {
  const { time, total, covered, memory, delay, isCut } = span
  yield writeRow({ resolution, time, operation: '' }, total, { covered, memory, delay, isCut })
  for (const [operation, sum] of sums) yield writeRow({ resolution, time, operation }, sum)
}

function writeRow(place: Pick<MetricRow, 'resolution' | 'time' | 'operation'>, sum: CallSum, more = {}): MetricRow {
  const { calls, refused, failed, slow, seconds, longest, ...rest } = sum.counts()
  const details = JSON.stringify({ method: sum.method, ...rest, ...more })
  return { ...place, calls, refused, failed, slow, seconds, longest, details }
}
