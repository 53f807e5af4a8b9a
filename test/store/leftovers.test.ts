/** What SQL of handlers and migrations leaves in the session of a pooled connection (specification 5.17), on a real PostgreSQL. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { HandlerDatabase } from '../../src/sdk.ts'
import type { Store } from '../../src/store/store.ts'
import { findDatabase } from '../support/databases.ts'
import { begin, openTestStore, readNotes } from '../support/stores.ts'

const leaving = [
  'set search_path = pg_catalog',
  "set statement_timeout = '1h'",
  "select set_config('app.caller', 'KIM', false)",
  'create temp table "NOTE" ("ID" integer, "TEXT" date)',
  'create temp view "SEEN" as select 1 as one',
  'create function pg_temp.found() returns int language sql as $$ select 1 $$',
  'prepare asked as select 1',
  'declare held cursor with hold for select 1',
  'listen changes',
  'select pg_advisory_lock(7)',
  "create temp sequence counted; select nextval('counted')",
  'set role pg_monitor',
].flatMap((text) => text.split('; '))

/** Of the one connection that handlers have. */
const left = sql<Record<string, unknown>>`select pg_backend_pid() as pid, current_user::text as role,
  current_setting('search_path') as path, current_setting('statement_timeout') as timeout,
  coalesce(current_setting('app.caller', true), '') as caller, '"NOTE"'::regclass::text as note,
  (select count(*)::int from pg_class where relnamespace = pg_my_temp_schema()) as temporary,
  (select count(*)::int from pg_proc where pronamespace = pg_my_temp_schema()) as functions,
  (select count(*)::int from pg_prepared_statements where from_sql) as prepared,
  (select count(*)::int from pg_cursors where is_holdable) as cursors,
  (select count(*)::int from pg_listening_channels()) as channels,
  (select count(*)::int from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()) as locks`

async function look(store: Store): Promise<Record<string, unknown> | undefined> {
  const transaction = begin(store)
  const { rows } = await left.execute(transaction.database)
  await transaction.commit()
  return rows[0]
}

for (const end of ['commit', 'rollback'] as const) {
  test(`5.17 what a handler's SQL left in its session is gone for the next call, after its ${end} (PostgreSQL)`, async (t) => {
    const { store } = await openTestStore(t, findDatabase('PostgreSQL'), { handlerConnections: 1 })
    const clean = await look(store)
    const transaction = begin(store)
    for (const statement of leaving) await sql.raw(statement).execute(transaction.database)
    await transaction[end]()
    assert.deepEqual(await look(store), clean)
    const next = begin(store)
    await assert.rejects(sql`select lastval()`.execute(next.database), /not yet defined/)
    await next.rollback()
  })
}

test('5.17 a temporary table does not affect the types of later inserts into the table that it hid (PostgreSQL)', async (t) => {
  const { store } = await openTestStore(t, findDatabase('PostgreSQL'), { handlerConnections: 1 })
  const hiding = begin(store)
  await sql`create temp table "NOTE" ("ID" integer, "TEXT" date)`.execute(hiding.database)
  await hiding.database.insertRows('NOTE', ['ID', 'TEXT'], [[1, '2026-11-22 10:00']])
  await hiding.commit()
  const writing = begin(store)
  await writing.database.insertRows('NOTE', ['ID', 'TEXT'], [[1, '2026-11-22 10:00']])
  await writing.commit()
  assert.deepEqual(await readNotes(store), ['2026-11-22 10:00'])
})

test('5.17 a migration leaves nothing in the session of the gateway (PostgreSQL)', async (t) => {
  const { store } = await openTestStore(t, findDatabase('PostgreSQL'), { ownConnections: 1 })
  const up = async (database: HandlerDatabase) => {
    await sql`create temp table ig_operator (id text)`.execute(database)
    await sql`set search_path = pg_catalog`.execute(database)
  }
  await store.migrate([{ name: '0002-leaves', up }])
  assert.equal(await store.operators.add({ id: 'KIM' }), true)
  assert.equal((await store.operators.find('KIM'))?.id, 'KIM')
})
