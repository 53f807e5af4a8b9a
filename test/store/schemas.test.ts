/** The schema of the gateway's own tables on PostgreSQL (specification 17.23). */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { openIdempotencyRows } from '../../src/features/idempotency/rows.ts'
import { StoreUnavailable } from '../../src/store/faults.ts'
import { findPendingMigrations, openStore, openStoreDuringOutage } from '../../src/store/open-store.ts'
import { beginning, type Store } from '../../src/store/store.ts'
import { findDatabase, runOutside } from '../support/databases.ts'
import { notes } from '../support/store-process.ts'
import { begin, cacheRowsOf, readNotes } from '../support/stores.ts'

/** A database whose role has the usual search path `"$user", public`, and may create in both. */
async function openPlace(t: TestContext) {
  const { url: admin, remove } = await findDatabase('PostgreSQL').open()
  const role = `ig_role_${randomBytes(6).toString('hex')}`
  const database = new URL(admin).pathname.slice(1)
  await runOutside(
    admin,
    `create role ${role} login password 'p'; grant all on database ${database} to ${role}; grant all on schema public to ${role}`,
  )
  const url = Object.assign(new URL(admin), { username: role, password: 'p' }).href
  const opened: Store[] = []
  t.after(async () => {
    for (const store of opened) await store.close()
    await runOutside(admin, `drop owned by ${role} cascade`)
    await remove()
    const { url: other, remove: removeOther } = await findDatabase('PostgreSQL').open()
    await runOutside(other, `drop role ${role}`)
    await removeOther()
  })
  const open = async () => {
    const store = await openStore(url)
    opened.push(store)
    return store
  }
  const schemasOf = async (table: string) => {
    const rows = await runOutside(
      admin,
      `select table_schema as name from information_schema.tables where table_name = '${table}'`,
    )
    return rows.map(({ name }) => name)
  }
  return {
    admin,
    url,
    role,
    open,
    schemasOf,
    createSchema: () => runOutside(admin, `create schema authorization ${role}`),
  }
}

const answer = { request: '', status: 200, answer: Buffer.of(), operator: '', now: 0, expires: 1, size: 1 }

/** An operator, a stored claim, a response that is not kept and a handler's row: builder and raw SQL, in and outside transactions. */
async function use(store: Store, id: string) {
  assert.equal(await store.operators.add({ id, permissionLists: ['ALL'] }), true)
  const claim = { key: id, owner: 'me' }
  assert.equal(await openIdempotencyRows(store.databases).claim(claim, 1000, 0), 'claimed')
  await openIdempotencyRows(store.databases).release([claim])
  await cacheRowsOf(store).claim(id, 'me', 1000)
  const transaction = begin(store)
  await transaction.database.insertRows('NOTE', ['ID', 'TEXT'], [[1, id]])
  const final = {
    query: openIdempotencyRows(store.databases).keep({ ...claim, ...answer }),
    fail: () => new Error('no claim'),
  }
  await assert.rejects(transaction.commit(final), /no claim/)
}

test('17.23 a schema named as the role, made after the installation, changes nothing, also for a process that runs (PostgreSQL)', async (t) => {
  const { open, createSchema, schemasOf, url } = await openPlace(t)
  const running = await open()
  await running.migrate([notes])
  await use(running, 'BEFORE')
  await createSchema()
  await use(running, 'RUNNING')
  const later = await open()
  await later.migrate([
    notes,
    { name: '0002-more', up: async (database) => void (await sql`create table more (id integer)`.execute(database)) },
  ])
  await use(later, 'LATER')
  assert.deepEqual(
    [running.schema, later.schema, await later.identify()],
    ['public', 'public', await running.identify()],
  )
  const { operators } = await later.operators.page({
    offset: 0,
    limit: 10,
    sort: 'permissionLists',
    isDescending: false,
  })
  assert.deepEqual(operators.map(({ id }) => id).sort(), ['BEFORE', 'LATER', 'RUNNING'])
  assert.deepEqual(await findPendingMigrations(url, [notes]), { own: [], project: [] })
  for (const table of ['ig_migration', 'ig_operator', 'ig_job', 'NOTE', 'more'])
    assert.deepEqual(await schemasOf(table), ['public'])
  const path = begin(later)
  const { rows } = await sql`show search_path`.execute(path.database)
  await path.rollback()
  assert.deepEqual([rows, await readNotes(later)], [[{ search_path: '"$user", public' }], []])
})

test('17.23 a second installation that comes while a process runs gets none of its rows, and then no process starts (PostgreSQL)', async (t) => {
  const { admin, role, open, createSchema, schemasOf } = await openPlace(t)
  const running = await open()
  await running.migrate([notes])
  await createSchema()
  await runOutside(
    admin,
    `create table ${role}.ig_migration (like public.ig_migration); create table ${role}.ig_operator (like public.ig_operator)`,
  )
  await use(running, 'RUNNING')
  assert.equal((await running.changesSince(beginning)).operators.length, 1)
  assert.deepEqual((await schemasOf('ig_operator')).sort(), [role, 'public'].sort())
  await assert.rejects(open(), (error) => {
    assert.ok(error instanceof StoreUnavailable)
    assert.match(error.message, new RegExp(`two installations, in the schemas ${role} and public`))
    return true
  })
})

test('17.23 a temporary table of another session is no installation (PostgreSQL)', async (t) => {
  const { admin, open } = await openPlace(t)
  const running = await open()
  await running.migrate([notes])
  const session = new pg.Client({ connectionString: admin })
  session.on('error', () => {}) // if the test fails, the end of the database ends it
  await session.connect()
  await session.query('create temporary table ig_migration (a int)')
  await use(await open(), 'LATER')
  await use(running, 'RUNNING')
  await session.end()
})

test('17.23 no installation is made beside one that the search path does not have (PostgreSQL)', async (t) => {
  const { admin, role, open, createSchema, schemasOf } = await openPlace(t)
  await open()
  await createSchema()
  await runOutside(admin, `alter role ${role} set search_path = ${role}`)
  await assert.rejects(open(), /in the schema public, which is not in the search path.*set search_path = public/)
  assert.deepEqual(await schemasOf('ig_migration'), ['public'])
  await runOutside(admin, `revoke usage on schema public from public`)
  await runOutside(admin, `revoke usage on schema public from ${role}`)
  await assert.rejects(open(), /in the schema public, which is not in the search path/)
  await runOutside(admin, `grant usage on schema public to public`)
  await runOutside(admin, `alter role ${role} set search_path = nowhere, public`)
  assert.equal((await open()).schema, 'public')
})

test('17.24 a missing right and a missing table are reported with table, role and statement (PostgreSQL)', async (t) => {
  const { admin, role, open } = await openPlace(t)
  const store = await open()
  await runOutside(admin, 'create table locked (id integer)')
  const run = async (statement: string) => {
    const transaction = begin(store)
    const failed = await sql
      .raw(statement)
      .execute(transaction.database)
      .then(String, ({ message }) => message)
    await transaction.rollback()
    return failed
  }
  assert.equal(
    await run('insert into locked values (1)'),
    `permission denied for table locked: the role ${role} may not run this INSERT`,
  )
  assert.match(
    await run('select * from nowhere'),
    new RegExp(`relation "nowhere" does not exist in the search path of the role ${role}: run the migration`),
  )
  await runOutside(admin, `revoke all on ig_operator from ${role}`)
  await assert.rejects(
    store.operators.list(),
    new RegExp(`permission denied for table ig_operator: the role ${role} may not run this SELECT`),
  )
  await runOutside(admin, 'alter table ig_operator rename to gone')
  await assert.rejects(
    store.operators.list(),
    /ig_operator" does not exist: it is a table of the gateway, which no command creates again; restore/,
  )
})

test('17.24 a database whose encoding is not UTF8 is refused (PostgreSQL)', async (t) => {
  const { url: admin, remove } = await findDatabase('PostgreSQL').open()
  const name = `ig_latin_${randomBytes(6).toString('hex')}`
  await runOutside(admin, `create database ${name} encoding 'LATIN1' locale 'C' template template0`)
  t.after(() => runOutside(admin, `drop database ${name} with (force)`))
  t.after(remove)
  const url = Object.assign(new URL(admin), { pathname: name }).href
  await assert.rejects(openStore(url), (error) => {
    assert.ok(error instanceof StoreUnavailable)
    assert.match(error.message, /encoding of the database is LATIN1, and must be UTF8. Run: create database/)
    return true
  })
})

test('17.15, 17.23 a start during an outage uses the schema of the last-good copy (PostgreSQL)', async (t) => {
  const { url, open, createSchema } = await openPlace(t)
  const { schema } = await open()
  await createSchema()
  const later = await openStoreDuringOutage(url, { isOutage: true, clockOffset: 0, schema })
  t.after(() => later.store.close())
  await later.open([notes])
  await use(later.store, 'LATER')
  assert.equal(later.store.schema, 'public')
})
