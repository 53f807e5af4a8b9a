/** Counters of changes, which other processes poll. */
import { type Kysely, sql } from 'kysely'
import type { ColumnTypes } from './database.ts'
import type { Tables } from './tables.ts'

export async function createEpoch(database: Kysely<Tables>, { text }: ColumnTypes, name: string): Promise<void> {
  await sql`create table if not exists ig_epoch (name ${text} primary key, epoch bigint not null)`.execute(database)
  await database.insertInto('ig_epoch').values({ name, epoch: 0 }).execute()
}

/** Locks the counter until the transaction ends: epochs become visible in order. */
export async function nextEpoch(transaction: Kysely<Tables>, name: string): Promise<number> {
  const { epoch } = await transaction
    .updateTable('ig_epoch')
    .set((expression) => ({ epoch: expression('epoch', '+', 1) }))
    .where('name', '=', name)
    .returning('epoch')
    .executeTakeFirstOrThrow()
  return epoch
}

export async function readEpoch(reader: Kysely<Tables>, name: string): Promise<number> {
  const row = await reader.selectFrom('ig_epoch').select('epoch').where('name', '=', name).executeTakeFirstOrThrow()
  return row.epoch
}
