/**
 * The generation of an operator's tokens: raised when they end, and kept when the operator is removed (specification
 * 27.12).
 */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { ColumnTypes } from './database.ts'
import type { ValueChange } from './operator-store.ts'
import type { Tables } from './tables.ts'

export async function createTokenGenerations(database: Kysely<Tables>, { text }: ColumnTypes): Promise<void> {
  await sql`create table ig_session_generation (
    operator_id ${text} primary key, generation bigint not null, time double precision not null,
    changed bigint not null)`.execute(database)
}

/** @param clock of the database: tokens of other nodes that were issued before are refused @param changed an epoch of the operators */
export async function raiseGeneration(
  transaction: Kysely<Tables>,
  operatorId: string,
  clock: RawBuilder<number>,
  changed: number,
): Promise<ValueChange<{ readonly generation: number }>> {
  const known = transaction
    .selectFrom('ig_session_generation')
    .select('generation')
    .where('operator_id', '=', operatorId)
  const before = (await known.executeTakeFirst())?.generation ?? 0
  await raiseGenerations(transaction, [operatorId], clock, changed)
  return { before: { generation: before }, after: { generation: before + 1 } }
}

/** The same for many, whose previous generations are not needed. */
export async function raiseGenerations(
  transaction: Kysely<Tables>,
  operatorIds: readonly string[],
  clock: RawBuilder<number>,
  changed: number,
): Promise<void> {
  if (operatorIds.length === 0) return
  await transaction
    .insertInto('ig_session_generation')
    .values(operatorIds.map((operator_id) => ({ operator_id, generation: 1, time: clock, changed })))
    .onConflict((conflict) =>
      conflict.column('operator_id').doUpdateSet(({ eb, ref }) => ({
        generation: eb('ig_session_generation.generation', '+', 1),
        time: ref('excluded.time'),
        changed: ref('excluded.changed'),
      })),
    )
    .execute()
}
