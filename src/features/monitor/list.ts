/**
 * Pages of the monitored transactions (specification 21.8 to 21.10). Every filter but one becomes an operation, an
 * operator, and the matching classes; for each class an index has its transactions in order of time, so the cost of a
 * page is one lookup for each class, even if nothing matches.
 */
import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import { withClaimed } from '../../model/claimed-name.ts'
import type { RefusalCode } from '../../model/refusal.ts'
import type { Tables } from '../../store/tables.ts'
import { findClasses, hasClassFilter, ofClasses } from './classes.ts'
import {
  type ListedTransaction,
  type MonitorCount,
  type MonitorFilter,
  type MonitorNews,
  type MonitorPage,
  type MonitorPlace,
  toPlace,
} from './monitored-transaction.ts'

export interface PageRequest {
  readonly filter: MonitorFilter
  /** Only entries after this position. */
  readonly before?: MonitorPlace | undefined
  readonly limit: number
}

/** How many transactions are searched at once for a part of a URL or a claimed name, or for new entries. */
export const lookedThrough = 10_000

export type Reader = Kysely<Tables>
type Rows<Found = object> = SelectQueryBuilder<Tables, 'ig_monitor', Found>

export async function listTransactions(reader: Reader, request: PageRequest): Promise<MonitorPage> {
  const latest = await readLatest(reader)
  const { filter, limit } = request
  const { found, next } = await (isSearch(filter) ? scan(reader, request) : seek(reader, request))
  const places = found.slice(0, limit)
  const transactions = await readTransactions(reader, places)
  return { transactions, next: found.length > limit ? places.at(-1) : next, latest }
}

/** How many match, up to 10,000: from the indexes alone, or of what a search looks through at once. */
export async function countTransactions(reader: Reader, filter: MonitorFilter): Promise<MonitorCount> {
  const request = { filter, limit: lookedThrough }
  if (isSearch(filter)) {
    const { found, next } = await scan(reader, request)
    return { count: found.length, isComplete: next === undefined }
  }
  const ofClass = within(withOwners(reader.selectFrom('ig_monitor'), filter), spanOf(request))
    .where('class', '=', ownClass)
    .select('sequence')
    .limit(lookedThrough + 1)
  const counts = await ofClasses(reader, filter)
    .select(() =>
      reader
        .selectFrom(ofClass.as('near'))
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .as('count'),
    )
    .execute()
  const count = counts.reduce((sum, each) => sum + Number(each.count), 0)
  return { count: Math.min(count, lookedThrough), isComplete: count <= lookedThrough }
}

/** Entries stored after a number: for pollers. */
export async function listNews(
  reader: Reader,
  filter: MonitorFilter,
  after: number,
  limit: number,
): Promise<MonitorNews> {
  const latest = await readLatest(reader)
  const from = Math.max(after, latest - lookedThrough)
  const stored = reader // separate, so that it is not looked up by time
    .selectFrom('ig_monitor')
    .select(['sequence', 'time', 'class', 'operation', 'operator', 'transaction_id', 'url', 'reason'])
    .where('sequence', '>', from)
    .where('sequence', '<=', latest)
    .orderBy('sequence', 'desc')
    .limit(lookedThrough)
  const rows = within(reader.selectFrom(stored.as('ig_monitor')) as Rows, spanOf({ filter, limit }))
  const found = await newest(withAll(rows, filter, await findClasses(reader, filter)), limit + 1)
  const transactions = await readTransactions(reader, found.slice(0, limit))
  return { transactions, latest, isComplete: from === after && found.length <= limit }
}

interface PlacePage<Place = MonitorPlace> {
  /** One more than the page holds, if there are more. */
  readonly found: readonly Place[]
  /** Where the search stopped before the end. */
  readonly next?: MonitorPlace | undefined
}

/** From the indexes alone. */
async function seek(reader: Reader, request: PageRequest): Promise<PlacePage> {
  const { filter, limit } = request
  const span = spanOf(request)
  const all = reader.selectFrom('ig_monitor')
  if (!hasClassFilter(filter) && filter.operation === undefined && filter.operator === undefined)
    return { found: await newest(within(all, span), limit + 1) }
  const owned = withOwners(all, filter)
  const heads = await readHeads(reader, within(owned, span), filter)
  const least = heads[limit]?.newest ?? span.from // as many classes have an entry that precedes all older ones
  const near = heads.filter(({ newest }) => newest >= least).map(({ id }) => id)
  if (near.length === 0) return { found: [] }
  const ofClass = inOrder(within(owned.where('class', '=', ownClass), { ...span, from: least }), limit + 1)
  const lists = await reader
    .selectFrom('ig_monitor_class')
    .select(() => reader.selectFrom(ofClass.as('near')).select(asText).as('places'))
    .where('id', 'in', near)
    .execute()
  const found = lists.flatMap(({ places }) => places?.split(',').map(toPlace) ?? [])
  return { found: found.sort((one, other) => other.time - one.time || other.sequence - one.sequence) }
}

const ownClass = sql<number>`ig_monitor_class.id`
/** Aggregates many rows to one value, with a function that both databases have. */
const asText = sql<string | null>`string_agg(time || '-' || sequence, ',')`.as('places')

/** The time of the newest entry of each class; the newest classes first. */
async function readHeads(reader: Reader, owned: Rows, filter: MonitorFilter) {
  const newest = () => owned.where('class', '=', ownClass).select('time').orderBy('time', 'desc').limit(1).as('newest')
  const heads = await ofClasses(reader, filter).select('id').select(newest).execute()
  return heads
    .flatMap(({ id, newest }) => (newest === null ? [] : [{ id, newest }]))
    .sort((one, other) => other.newest - one.newest)
}

/** One by one, in limited batches. */
export async function scan(reader: Reader, request: PageRequest): Promise<PlacePage<TimedPlace>> {
  const { filter, limit } = request
  const span = spanOf(request)
  const classes = await findClasses(reader, filter)
  const all = reader.selectFrom('ig_monitor')
  if (filter.transactionId !== undefined)
    return { found: await timed(withAll(within(all, span), filter, classes), limit + 1) }
  const [last] = await inOrder(within(all, span), 1)
    .offset(lookedThrough - 1)
    .execute()
  const near = within(all, { ...span, from: last?.time ?? span.from, least: last })
  return { found: await timed(withAll(near, filter, classes), limit + 1), next: last }
}

/** Over an index with one bound at each end: a database uses one index and only filters by the rest. */
interface Span {
  readonly from: number
  readonly to: number
  readonly before: MonitorPlace | undefined
  /** Its last position. */
  readonly least?: MonitorPlace | undefined
}

export function spanOf({ filter: { from = 0, to = Number.MAX_SAFE_INTEGER }, before }: PageRequest): Span {
  return { from, to: Math.min(to - 1, before?.time ?? to), before }
}

export function within(rows: Rows, { from, to, before, least }: Span): Rows {
  const inTime = rows.where('time', '>=', from).where('time', '<=', to)
  const behind = before
    ? inTime.where(({ or, eb }) => or([eb('time', '<', before.time), eb('sequence', '<', before.sequence)]))
    : inTime
  return least
    ? behind.where(({ or, eb }) => or([eb('time', '>', least.time), eb('sequence', '>=', least.sequence)]))
    : behind
}

export function withOwners(rows: Rows, { operation, operator }: MonitorFilter): Rows {
  const ofOperation = operation === undefined ? rows : rows.where('operation', '=', operation)
  return operator === undefined ? ofOperation : ofOperation.where('operator', '=', operator)
}

/** All filters, for rows that are read anyway: written as expressions, so that no database chooses another index. */
function withAll(rows: Rows, filter: MonitorFilter, classes: readonly number[]): Rows {
  const { transactionId, operation, operator, url, claimed } = filter
  let all = rows
  if (operation !== undefined) all = all.where(sql<boolean>`operation || '' = ${operation}`)
  if (operator !== undefined) all = all.where(sql<boolean>`operator || '' = ${operator}`)
  if (transactionId !== undefined) all = all.where('transaction_id', '=', transactionId)
  if (url !== undefined) all = all.where(sql<boolean>`lower(url) like ${containing(url)} escape '!'`)
  if (claimed !== undefined) {
    const pattern = containing(withClaimed('', claimed))
    all = all.where(sql<boolean>`lower(reason) like ${pattern} escape '!'`)
  }
  if (!hasClassFilter(filter)) return all
  return all.where(sql<boolean>`class + 0 in (${sql.join([-1, ...classes])})`)
}

export function containing(text: string): string {
  return `%${text.toLowerCase().replace(/[!%_]/g, '!$&')}%`
}

function inOrder(rows: Rows, limit: number) {
  return rows.select(['time', 'sequence']).orderBy('time', 'desc').orderBy('sequence', 'desc').limit(limit)
}

function newest(rows: Rows, limit: number): Promise<MonitorPlace[]> {
  return inOrder(rows, limit).execute()
}

export interface TimedPlace extends MonitorPlace {
  /** Milliseconds. */
  readonly duration: number
}

/** For rows that are read anyway. */
function timed(rows: Rows, limit: number): Promise<TimedPlace[]> {
  return inOrder(rows, limit).select('duration').execute()
}

/** Whether a field without an index filters. */
export function isSearch({ transactionId, url, claimed }: MonitorFilter): boolean {
  return [transactionId, url, claimed].some((value) => value !== undefined)
}

export async function readTransactions(
  reader: Reader,
  places: readonly MonitorPlace[],
): Promise<readonly ListedTransaction[]> {
  if (places.length === 0) return []
  const rows = await reader
    .selectFrom('ig_monitor as transaction')
    .innerJoin('ig_monitor_class as class', 'class.id', 'transaction.class')
    .select([
      'sequence',
      'time',
      'operation',
      'operator',
      'transaction_id',
      'duration',
      'url',
      'reason',
      'remote_address',
      'revision',
      'instance',
      'method',
      'status',
      'outcome',
      'refusal',
      'ended_by',
      'node',
      'is_cached',
      'is_slow',
      (expression) => expression('messages', 'is not', null).as('has_messages'),
    ])
    .where(
      'sequence',
      'in',
      places.map(({ sequence }) => sequence),
    )
    .execute()
  return rows
    .toSorted((one, other) => other.time - one.time || other.sequence - one.sequence)
    .map((row) => ({
      transactionId: row.transaction_id,
      time: row.time,
      durationMs: row.duration,
      method: row.method,
      url: row.url,
      httpStatus: row.status,
      outcome: row.outcome,
      refusal: row.refusal === '' ? undefined : (row.refusal as RefusalCode),
      endedBy: row.ended_by,
      reason: row.reason ?? undefined,
      node: row.node === '' ? undefined : row.node,
      operation: row.operation ?? undefined,
      operator: row.operator ?? undefined,
      isCached: row.is_cached === -1 ? undefined : row.is_cached === 1,
      isSlow: row.is_slow === 1,
      remoteAddress: row.remote_address,
      revision: row.revision ?? undefined,
      instance: row.instance,
      hasMessages: Boolean(row.has_messages),
    }))
}

/** The last number; 0 if a restore left out the monitor's rows, until the next transaction. */
export async function readLatest(reader: Kysely<Tables>): Promise<number> {
  const state = await reader.selectFrom('ig_monitor_state').select('sequence').executeTakeFirst()
  return state?.sequence ?? 0
}
