/** A PostgreSQL server whose role changes: it is a standby, or has lost its own (specification 17.18, 17.19). */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { StoreUnavailable } from '../../src/store/faults.ts'
import { openStore } from '../../src/store/open-store.ts'
import { beginning } from '../../src/store/store.ts'
import { type PostgresServer, startPostgres } from '../support/postgres.ts'
import { notes } from '../support/store-process.ts'
import { begin, readNotes } from '../support/stores.ts'

test('17.18 a server that is a standby counts as away until it is promoted (PostgreSQL)', async (t) => {
  const { server, store, administer } = await openOnOwnServer(t)
  await write(store, 1)
  server.end()
  await server.restart({ isStandby: true })
  await until(t, () => administer('select 1').then(Boolean, () => false))

  await assert.rejects(write(store, 2), { name: 'Refusal', code: 'overloaded', message: /standby/ })
  await assert.rejects(store.changesSince(beginning), /standby/)
  await assert.rejects(openStore(server.url), (error) => error instanceof StoreUnavailable && error.isOutage)

  await administer('select pg_promote()')
  await until(t, () =>
    write(store, 3).then(
      () => true,
      () => false,
    ),
  )
  assert.deepEqual(await readNotes(store), ['1', '3'])
})

test('17.19 a commit that the server acknowledges without its synchronous standby is not acknowledged to the caller (PostgreSQL)', async (t) => {
  const { store, administer } = await openOnOwnServer(t)
  await write(store, 1)
  await administer("alter system set synchronous_standby_names = '*'")
  await administer('select pg_reload_conf()')
  await until(t, async () => (await administer('show synchronous_standby_names'))[0]?.synchronous_standby_names === '*')
  await administer('checkpoint') // by the process that makes commits wait: it has read the new settings by then

  const cancel = "select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'"
  for (const unsure of [() => write(store, 2), () => write(store, 3, insertBeforeSelect)]) {
    const refused = assert.rejects(unsure, /not confirmed: The server gave up waiting for its synchronous standby/)
    await Promise.all([refused, until(t, async () => (await administer(cancel)).length > 0)])
  }

  await administer('alter system reset synchronous_standby_names')
  await administer('select pg_reload_conf()')
  await write(store, 4)
  assert.deepEqual(await readNotes(store), ['1', '2', '3', '4'], 'the unconfirmed rows may be stored')
})

async function openOnOwnServer(t: TestContext) {
  const server: PostgresServer = await startPostgres({ isDurable: true })
  const store = await openStore(server.url)
  t.after(async () => {
    await store.close()
    await server.stop()
  })
  await store.migrate([notes])
  const administer = async (sql: string) => {
    const client = new pg.Client({ connectionString: server.url })
    client.on('error', () => {})
    await client.connect()
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows
    } finally {
      await client.end()
    }
  }
  return { server, store, administer }
}

type Insert = (database: ReturnType<typeof begin>['database'], ID: number) => Promise<unknown>

const insert: Insert = (database, ID) =>
  database
    .insertInto('NOTE')
    .values({ ID, TEXT: String(ID) })
    .execute()

/** A `select` that writes. */
const insertBeforeSelect: Insert = (database, ID) =>
  database
    .with('written', (query) =>
      query
        .insertInto('NOTE')
        .values({ ID, TEXT: String(ID) })
        .returning('ID'),
    )
    .selectFrom('written')
    .select('ID')
    .execute()

async function write(store: Awaited<ReturnType<typeof openStore>>, ID: number, run = insert): Promise<void> {
  const transaction = begin(store)
  try {
    await run(transaction.database, ID)
  } catch (error) {
    await transaction.rollback()
    throw error
  }
  await transaction.commit()
}

async function until(t: TestContext, isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo()) && !t.signal.aborted) await new Promise(setImmediate)
}
