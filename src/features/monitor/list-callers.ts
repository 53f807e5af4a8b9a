/** The callers of an operation, from the transactions in the monitor (specification 18.14). */
import type { Kysely } from 'kysely'
import type { Tables } from '../../store/tables.ts'
import { findNewest } from './newest.ts'

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

const maxCallers = 100

export async function listCallers(reader: Kysely<Tables>, operation: string, from: number): Promise<OperationCallers> {
  const { after, reachBack } = await findNewest(reader, from)
  const rows = await reader
    .selectFrom('ig_monitor')
    .select(({ fn }) => ['operator', fn.countAll<number>().as('calls'), fn.max('time').as('last')])
    .where('sequence', '>', after)
    .where('operation', '=', operation)
    .where('time', '>=', from)
    .groupBy('operator')
    .orderBy('last', 'desc')
    .limit(maxCallers + 1)
    .execute()
  const callers = rows
    .slice(0, maxCallers)
    .map(({ operator, calls, last }) => ({ operator: operator ?? undefined, calls, last }))
  return { callers, isComplete: rows.length <= maxCallers && reachBack }
}
