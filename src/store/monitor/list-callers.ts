/** Who calls an operation, from the transactions that the monitor keeps (specification 2.34). */
import type { Kysely } from 'kysely'
import type { Tables } from '../tables.ts'
import { readLatest } from './list.ts'

export interface OperationCaller {
  /** Undefined: refused before it was known. */
  readonly operator: string | undefined
  readonly calls: number
  /** Epoch milliseconds. */
  readonly last: number
}

export interface OperationCallers {
  /** The latest first. */
  readonly callers: readonly OperationCaller[]
  /** Older transactions of the time span were not read, or there are more callers. */
  readonly isComplete: boolean
}

/** The newest transactions of all operations: a range of the table, whatever it holds. */
const lookedThrough = 100_000
const mostCallers = 100

export async function listCallers(reader: Kysely<Tables>, operation: string, from: number): Promise<OperationCallers> {
  const first = (await readLatest(reader)) - lookedThrough
  const rows = await reader
    .selectFrom('ig_monitor')
    .select(({ fn }) => ['operator', fn.countAll<number>().as('calls'), fn.max('time').as('last')])
    .where('sequence', '>', first)
    .where('operation', '=', operation)
    .where('time', '>=', from)
    .groupBy('operator')
    .orderBy('last', 'desc')
    .limit(mostCallers + 1)
    .execute()
  const older = await reader
    .selectFrom('ig_monitor')
    .select('time')
    .where('sequence', '<=', first)
    .orderBy('sequence', 'desc')
    .limit(1)
    .executeTakeFirst()
  const callers = rows
    .slice(0, mostCallers)
    .map(({ operator, calls, last }) => ({ operator: operator ?? undefined, calls, last }))
  return { callers, isComplete: rows.length <= mostCallers && (older?.time ?? 0) < from }
}
