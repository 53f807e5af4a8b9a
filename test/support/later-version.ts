/** What a later version of the gateway does to a database when it starts: one more migration of its own. */
import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { migrateGateway } from '../../src/store/migrations.ts'
import { openPostgres } from '../../src/store/postgres/open-postgres.ts'
import { openSqlite } from '../../src/store/sqlite/open-sqlite.ts'

/** @returns the operators as that version has them */
export async function migrateAsLater(url: string): Promise<unknown[]> {
  const { main, close } = await openMain(url)
  try {
    const known = await main.reader.selectFrom('ig_migration').select('name').execute()
    const later = {
      name: '0099-later',
      up: async (transaction: typeof main.reader) =>
        void (await sql`alter table ig_operator add column later text`.execute(transaction)),
    }
    await migrateGateway(main, [...known.map(({ name }) => ({ name, up: () => assert.fail() })), later])
    return (await sql`select id, later from ig_operator`.execute(main.reader)).rows
  } finally {
    await close()
  }
}

async function openMain(url: string) {
  if (!url.startsWith('postgres:')) {
    const { main, cache } = await openSqlite(url)
    return { main, close: () => Promise.all([main.close(), cache.close()]) }
  }
  const { own, handlers } = await openPostgres(url, {})
  return { main: own, close: () => Promise.all([own.close(), handlers.close()]) }
}
