/**
 * A page of the monitor where a million transactions are kept, on both databases: every subset of the filters, each with
 * values that many, few and no transactions have, the first page and one far back. Among the transactions are the two
 * that are worst for an index of one column: an operator who made a fifth of them, and an operation that was called in
 * another fifth, but never by that operator.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type MonitorStore, openMonitorStore } from '../src/features/monitor/monitor-store.ts'
import type {
  MonitoredTransaction,
  MonitorFilter,
  MonitorPlace,
} from '../src/features/monitor/monitored-transaction.ts'
import { startPostgres } from '../test/support/postgres.ts'

export interface MonitorResult {
  readonly database: 'SQLite' | 'PostgreSQL'
  readonly pages: number
  /** Milliseconds. */
  readonly slowest: number
  readonly p99: number
  readonly median: number
  readonly slowestFilter: string
  /** Transactions stored in a second, in batches of 1,000. */
  readonly appended: number
  /** Milliseconds of a slice that is deleted, the longest. */
  readonly slice: number
}

const limit = 100
const week = 7 * 24 * 3_600_000

export async function measureMonitor(transactions: number): Promise<MonitorResult[]> {
  const folder = mkdtempSync(join(tmpdir(), 'ig-bench-'))
  const server = await startPostgres({ isDurable: true })
  try {
    return [
      await measure('SQLite', join(folder, 'gateway.sqlite'), transactions),
      await measure('PostgreSQL', server.url, transactions),
    ]
  } finally {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measure(
  name: MonitorResult['database'],
  database: string,
  transactions: number,
): Promise<MonitorResult> {
  const store = await openMonitorStore(database)
  try {
    const begun = performance.now()
    await fill(store, transactions)
    const appended = (transactions / (performance.now() - begun)) * 1000
    const { pages, slowestFilter } = await readPages(store)
    const sorted = pages.toSorted((one, other) => one - other)
    const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN
    const slice = await measureSlices(store)
    const figures = { slowest: at(1), p99: at(0.99), median: at(0.5) }
    return { database: name, pages: pages.length, ...figures, slowestFilter, appended, slice }
  } finally {
    await store.close()
  }
}

/** The same numbers at every run. */
function openRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const end = Date.parse('2026-11-21T12:00:00Z')
const batchSize = 1000

async function fill(store: MonitorStore, transactions: number): Promise<void> {
  const random = openRandom(1)
  for (let from = 0; from < transactions; from += batchSize) {
    const batch = Array.from({ length: Math.min(batchSize, transactions - from) }, (_, index) =>
      makeTransaction(from + index, transactions, random),
    )
    await store.append({ transactions: batch, losses: [], isRepeated: false })
  }
}

const refusals = ['permissionDenied', 'basicRejected', 'uriNotMatched', 'handlerFailed', 'overloaded'] as const
const methods = ['GET', 'POST', 'PUT', 'DELETE'] as const

/** Few have the most, as it is with operations and operators; one operation and one operator are long gone. */
function makeTransaction(number: number, of: number, random: () => number): MonitoredTransaction {
  const which = random()
  const isOld = number < of / 100 && random() < 0.01
  const refusal = random() < 0.03 ? refusals[Math.floor(random() * refusals.length)] : undefined
  const operation =
    which < 0.2 ? 'BUSY_GET.v1' : isOld ? 'GONE_POST.v1' : `OPERATION_${Math.floor(random() ** 3 * 500)}_GET.v1`
  const operator = which > 0.8 ? 'BUSY' : isOld ? 'GONE' : `OPERATOR_${Math.floor(random() ** 2 * 20_000)}`
  const hasMessages = random() < 0.01
  return {
    transactionId: `00000000-0000-4000-8000-${number.toString(16).padStart(12, '0')}`,
    time: Math.floor(end - week + (number / of) * week),
    durationMs: 0.3 + random() ** 8 * 30_000,
    method: methods[Math.floor(random() ** 2 * methods.length)] ?? 'GET',
    url: `/PSIGW/RESTListeningConnector/LOCAL_NODE/${operation}/items/${number}?of=${number % 97}`,
    httpStatus: refusal ? 403 : random() < 0.02 ? 404 : 200,
    outcome: refusal ? 'refused' : 'served',
    refusal,
    endedBy: refusal ? 'permission' : 'handler',
    reason: refusal && 'why it was refused, in a sentence of the usual length',
    node: random() < 0.01 ? 'OTHER_NODE' : 'LOCAL_NODE',
    operation,
    operator: refusal === 'basicRejected' ? undefined : operator,
    isCached: refusal ? undefined : random() < 0.1,
    isSlow: false,
    remoteAddress: '10.1.2.3',
    revision: 12,
    instance: 'gateway 1',
    messages: hasMessages
      ? { request: { headers: [['accept', '*/*']], body: 'x'.repeat(900) }, response: { headers: [], body: 'y' } }
      : undefined,
  }
}

/** Values that many, few and none have. */
const values = {
  isError: [true, false],
  httpStatus: [200, 404, 599],
  refusal: ['permissionDenied', 'overloaded', 'rateLimited'],
  method: ['GET', 'DELETE', 'PATCH'],
  node: ['LOCAL_NODE', 'OTHER_NODE', 'NO_NODE'],
  operation: ['BUSY_GET.v1', 'OPERATION_0_GET.v1', 'OPERATION_499_GET.v1', 'GONE_POST.v1', 'NO_GET.v1'],
  operator: ['BUSY', 'OPERATOR_0', 'OPERATOR_19999', 'GONE', 'NOBODY'],
  isCached: [true, false],
  durationMs: [1, 100, 50_000],
  from: [end - week, end - week / 2, end + 1],
  to: [end + 1, end - week / 2, end - week - 1],
  url: ['items', '/items/9', 'nowhere'],
} as const satisfies { readonly [Field in keyof MonitorFilter]?: readonly MonitorFilter[Field][] }

const fields = Object.keys(values) as (keyof typeof values)[]

async function readPages(store: MonitorStore) {
  const random = openRandom(2)
  const pages: number[] = []
  let slowest = 0
  let slowestFilter = ''
  const deep: MonitorPlace = { time: Math.floor(end - week / 3), sequence: Number.MAX_SAFE_INTEGER }
  for (const before of [undefined, deep])
    for (let subset = 0; subset < 2 ** fields.length; subset += 1) {
      const filter = drawFilter(subset, random)
      const begun = performance.now()
      await store.list({ filter, limit, before })
      const milliseconds = performance.now() - begun
      pages.push(milliseconds)
      if (milliseconds <= slowest) continue
      slowest = milliseconds
      slowestFilter = `${JSON.stringify(filter)}${before ? ' far back' : ''}`
    }
  return { pages, slowestFilter }
}

/** A bit of the subset for each field. */
function drawFilter(subset: number, random: () => number): MonitorFilter {
  const drawn = fields.flatMap((field, bit) => {
    const choices = values[field]
    return (subset >> bit) & 1 ? [[field, choices[Math.floor(random() * choices.length)]]] : []
  })
  return Object.fromEntries(drawn)
}

async function measureSlices(store: MonitorStore): Promise<number> {
  let longest = 0
  for (let slice = 0; slice < 40; slice += 1) {
    const begun = performance.now()
    await store.prune(end, { days: 1, transactions: 1_000_000_000, bytes: 1024 ** 5 })
    longest = Math.max(longest, performance.now() - begun)
  }
  return longest
}
