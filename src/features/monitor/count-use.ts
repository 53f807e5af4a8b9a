/** Calls, refused and failed ones and the last call, by caller or by operation: from an index alone (specification 21.22, 21.23). */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../store/tables.ts'
import { containing } from './list.ts'

export interface CallUse {
  readonly calls: number
  readonly refused: number
  readonly failed: number
  /** Epoch milliseconds. */
  readonly last: number
}

export interface OperationCaller extends CallUse {
  /** Undefined: refused before it was known. */
  readonly operator: string | undefined
}

export interface CallerQuery {
  readonly operation: string
  /** Epoch milliseconds. */
  readonly from: number
  /** Part of the id, case-insensitive. */
  readonly search?: string | undefined
  readonly sort: 'operator' | keyof CallUse
  readonly isDescending: boolean
  readonly offset: number
  readonly limit: number
}

export interface CallerPage {
  readonly callers: readonly OperationCaller[]
  readonly total: number
}

export async function listCallers(reader: Kysely<Tables>, query: CallerQuery): Promise<CallerPage> {
  const { operation, from, search, sort, isDescending, offset, limit } = query
  let calls = reader.selectFrom('ig_monitor').where('operation', '=', operation).where('time', '>=', from)
  if (search !== undefined) calls = calls.where(sql<boolean>`lower(operator) like ${containing(search)} escape '!'`)
  const counted = calls
    .select('operator')
    .select(await countsSince(reader, from))
    .groupBy('operator')
  const rows = await reader
    .selectFrom(counted.as('counted'))
    .selectAll()
    .select(sql<number>`count(*) over ()`.as('total'))
    .orderBy(sql.ref(sort), (order) => (isDescending ? order.desc() : order.asc()).nullsLast())
    .orderBy('operator', (order) => order.asc().nullsLast())
    .offset(offset)
    .limit(limit)
    .execute()
  const callers = rows.map(({ operator, ...counts }) => ({ operator: operator ?? undefined, ...toUse(counts) }))
  if (rows.length > 0 || offset === 0) return { callers, total: Number(rows[0]?.total ?? 0) }
  return { callers, total: (await listCallers(reader, { ...query, offset: 0, limit: 1 })).total }
}

export interface UseOf extends CallUse {
  readonly id: string
  /** How many different ones called an operation, whenever that was; of a caller 1. */
  readonly callers: number
}

/** @param from counts calls since then; the last call may be older */
export async function countUse(
  reader: Kysely<Tables>,
  by: 'operation' | 'operator',
  ids: readonly string[],
  from: number,
): Promise<readonly UseOf[]> {
  const rows = await reader
    .selectFrom('ig_monitor')
    .where(by, 'in', ids)
    .select(sql<string>`${sql.ref(by)}`.as('id'))
    .select(sql<number>`count(distinct operator)`.as('callers'))
    .select(await countsSince(reader, from))
    .groupBy(by)
    .execute()
  return rows.map(({ id, callers, ...counts }) => ({ id, callers: Number(callers), ...toUse(counts) }))
}

/** By the classes, of which there are hundreds: no row of a call is read. */
async function countsSince(reader: Kysely<Tables>, from: number) {
  const classes = await reader.selectFrom('ig_monitor_class').select(['id', 'outcome']).execute()
  const byOutcome = Map.groupBy(classes, ({ outcome }) => outcome)
  const sumOf = (outcome: 'refused' | 'failed') => {
    const ids = [-1, ...(byOutcome.get(outcome) ?? []).map(({ id }) => id)]
    return sql<number>`sum(case when time >= ${from} and class in (${sql.join(ids)}) then 1 else 0 end)`.as(outcome)
  }
  return [
    sql<number>`sum(case when time >= ${from} then 1 else 0 end)`.as('calls'),
    sumOf('refused'),
    sumOf('failed'),
    sql<number>`max(time)`.as('last'),
  ] as const
}

/** PostgreSQL returns its sums as text. */
function toUse({ calls, refused, failed, last }: Record<keyof CallUse, number | string>): CallUse {
  return { calls: Number(calls), refused: Number(refused), failed: Number(failed), last: Number(last) }
}
