/** Opening the store: migrations, restarts, and databases that cannot be used (specification 8.4, 8.7, 9.15). */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { inspect, promisify } from 'node:util'
import { sql } from 'kysely'
import { openStore } from '../../src/store/open-store.ts'
import { findDatabase, forEachDatabase } from '../support/databases.ts'
import { migrateAsLater } from '../support/later-version.ts'
import { notes } from '../support/store-process.ts'
import { begin, openTestStore, readNotes } from '../support/stores.ts'

forEachDatabase((database) => {
  test(`8.4 ig.database alone selects the database (${database.name})`, async (t) => {
    const { store } = await openTestStore(t, database)
    assert.equal(store.dbType, database.name.toUpperCase())
  })

  test(`9.15 a second start keeps the data, and runs no migration again (${database.name})`, async (t) => {
    const { store, openAnother } = await openTestStore(t, database)
    await store.operators.add({ id: 'DEMO', passwordHash: 'hash', permissionLists: ['ADMIN'] })
    const transaction = begin(store)
    await transaction.database.insertInto('NOTE').values({ ID: 1, TEXT: 'kept' }).execute()
    await transaction.commit()
    const before = await store.operators.list()
    await store.close()
    const again = await openAnother()
    assert.deepEqual(await again.migrate([notes]), [])
    assert.deepEqual(await again.operators.list(), before)
    assert.deepEqual(await readNotes(again), ['kept'])
  })

  test(`9.15 processes that start at the same time migrate once, and end by themselves (${database.name})`, async (t) => {
    const { url, remove } = await database.open()
    t.after(remove)
    const script = new URL('../support/store-process.ts', import.meta.url).pathname
    const start = () => promisify(execFile)(process.execPath, [...process.execArgv, script, 'migrate', url])
    await Promise.all([start(), start(), start()])
    const store = await openStore(url)
    const reading = begin(store)
    assert.deepEqual(await reading.database.selectFrom('NOTE').select('ID').execute(), [{ ID: 0 }])
    await reading.rollback()
    assert.deepEqual(await store.migrate([notes]), [])
    await store.close()
  })

  test(`9.15 a project's later migrations run on existing data, in order of name (${database.name})`, async (t) => {
    const { store } = await openTestStore(t, database)
    const order: string[] = []
    const step = (name: string) => ({
      name,
      up: async (handler: ReturnType<typeof begin>['database']) => {
        order.push(name)
        await handler.insertRows('NOTE', ['ID', 'TEXT'], [[order.length, name]])
      },
    })
    assert.deepEqual(await store.migrate([step('0003-c'), notes, step('0002-b')]), ['0002-b', '0003-c'])
    assert.deepEqual(await readNotes(store), ['0002-b', '0003-c'])
  })

  test(`9.15 a failed migration leaves nothing behind, and is retried (${database.name})`, async (t) => {
    const { store } = await openTestStore(t, database)
    const failing = {
      name: '0002-failing',
      up: async (handler: ReturnType<typeof begin>['database']) => {
        await handler.schema.createTable('HALF').addColumn('ID', 'integer').execute()
        throw new Error('half-way')
      },
    }
    await assert.rejects(store.migrate([failing]), /half-way/)
    const up = async (handler: ReturnType<typeof begin>['database']) =>
      void (await handler.schema.createTable('HALF').addColumn('ID', 'integer').execute())
    assert.deepEqual(await store.migrate([{ ...failing, up }]), ['0002-failing'])
  })

  test(`9.15 a database of an older version is migrated and keeps its data (${database.name})`, async (t) => {
    const { store, url } = await openTestStore(t, database)
    await store.operators.add({ id: 'DEMO' })
    await store.close()
    assert.deepEqual(await migrateAsLater(url), [{ id: 'DEMO', later: null }])
    await assert.rejects(openStore(url), {
      name: 'StoreUnavailable',
      message:
        'The database is newer than this gateway: it has the migration 0099-later. Start the gateway version that made it, or a later one.',
    })
  })
})

test('8.4 a PostgreSQL is found by the parameters of a URL without a host, and an error says where, without the password (PostgreSQL)', async (t) => {
  const { url, remove } = await findDatabase('PostgreSQL').open()
  t.after(remove)
  const { username, password, hostname, port, pathname } = new URL(url)
  const withHost = (host: string, secret = password) =>
    `postgres://${username}:${secret}@${pathname}?host=${host}&port=${port}`
  const store = await openStore(withHost(hostname))
  await store.close()
  await assert.rejects(openStore(withHost('/nowhere', 'secret')), ({ message }) => {
    assert.match(
      message,
      new RegExp(`^Cannot open the PostgreSQL database ${pathname.slice(1)} at /nowhere:${port} as ${username}: `),
    )
    assert.doesNotMatch(message, /secret/)
    return true
  })
})

test('8.7 a PostgreSQL that is unreachable or refuses the login is named, without its password (PostgreSQL)', async (t) => {
  const { url, remove } = await findDatabase('PostgreSQL').open()
  t.after(remove)
  const secret = 'do-not-show-me'
  const withSecret = (change: Partial<URL>) => Object.assign(new URL(url), { password: secret, ...change }).href
  const { port, pathname } = new URL(url)
  const rows = [
    {
      url: withSecret({}),
      says: `${pathname.slice(1)} at 127.0.0.1:${port} as postgres: password authentication failed`,
    },
    { url: withSecret({ port: '1' }), says: 'at 127.0.0.1:1 as postgres: connect ECONNREFUSED' },
    { url: `postgres://user:${secret}%zz@[nonsense/x`, says: 'is not valid' },
    { url: `postgres://user:${secret}%zz@127.0.0.1:1/x`, says: '127.0.0.1:1' },
    { url: `mysql://user:${secret}@127.0.0.1/x`, says: 'mysql:// is neither' },
  ]
  for (const { url, says } of rows) {
    const error = await openStore(url).then(
      () => assert.fail(),
      (error: Error) => error,
    )
    assert.equal(error.name, 'StoreUnavailable', inspect(error))
    assert.ok(error.message.includes(says), error.message)
    assert.ok(!inspect(error, { depth: 9 }).includes(secret), inspect(error))
  }
})

test('8.4 an SQLite file is created with its folder, for its owner only, and a file that is no database is refused', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'ig-open-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'deep', 'er', 'gateway.sqlite')
  const store = await openStore(file)
  await store.close()
  assert.equal(statSync(file).mode & 0o077, 0)
  assert.equal(statSync(join(folder, 'deep', 'er', 'gateway-cache.sqlite')).mode & 0o077, 0)
  const other = join(folder, 'letter.txt')
  writeFileSync(other, 'Dear reader, this is no database at all.'.repeat(100))
  await assert.rejects(openStore(other), {
    name: 'StoreUnavailable',
    message: /letter\.txt is damaged: file is not a database/,
  })
})

/** The database with the gateway's main tables, below the store. */

test("17.9 a start that waits too long for the migrations' lock fails, and names its holder (PostgreSQL)", async (t) => {
  const { store, openAnother } = await openTestStore(t, findDatabase('PostgreSQL'), { migrationWait: 50 })
  const holding = begin(store)
  const taken = sql<{ pid: number }>`select pg_backend_pid() as pid, pg_advisory_lock(x'69676d69'::bigint)`
  const { rows } = await taken.execute(holding.database)
  const pid = rows[0]?.pid
  await assert.rejects(openAnother(), (error: Error) => {
    assert.equal(error.name, 'StoreUnavailable')
    assert.match(error.message, new RegExp(`: process ${pid} of the PostgreSQL server, role postgres, application `))
    assert.match(error.message, new RegExp(`pg_terminate_backend\\(${pid}\\)$`))
    return true
  })
  await holding.rollback()
  await openAnother()
})

test('17.9 once a migration has the lock, it waits for other locks as long as they take (PostgreSQL)', async (t) => {
  const { store } = await openTestStore(t, findDatabase('PostgreSQL'), { migrationWait: 4321 })
  const found: unknown[] = []
  const up = async (database: Parameters<typeof readTimeout>[0]) => void found.push(await readTimeout(database))
  await store.migrate([{ name: '0002-locks', up }])
  assert.deepEqual(found, ['0'])
})

async function readTimeout(database: ReturnType<typeof begin>['database']): Promise<unknown> {
  const { rows } = await sql<{ value: string }>`select current_setting('lock_timeout') as value`.execute(database)
  return rows[0]?.value
}
