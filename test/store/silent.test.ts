/** A PostgreSQL server behind a proxy: it falls silent, or refuses to begin (specification 5.5, 5.8, 5.9, 5.14, 6.6). */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { Transform } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { openStore, type StoreOptions } from '../../src/store/open-store.ts'
import { beginning, type Store } from '../../src/store/store.ts'
import { findDatabase } from '../support/databases.ts'
import { patience, scaled } from '../support/patience.ts'
import { poll } from '../support/poll.ts'
import { notes } from '../support/store-process.ts'
import { begin, cacheRowsOf, readNotes } from '../support/stores.ts'

test('5.5 a handler’s time limit applies with a silent server too, in every state of its transaction (PostgreSQL)', async (t) => {
  const { store, silence } = await openBehindProxy(t)
  const beginnings = [begin, begin].map((open) => {
    const aborting = new AbortController()
    return { aborting, transaction: open(store, { signal: aborting.signal }) }
  })
  const [running, starting] = beginnings
  assert(running && starting)
  await running.transaction.database.insertInto('NOTE').values({ ID: 1, TEXT: 'begun' }).execute()
  const idle = begin(store)
  await idle.database.insertInto('NOTE').values({ ID: 2, TEXT: 'idle' }).execute()
  await idle.rollback() // its connection waits in the pool for the next one
  silence()
  const statements = beginnings.map(({ transaction }) =>
    assert.rejects(transaction.database.insertInto('NOTE').values({ ID: 3, TEXT: 'silent' }).execute()),
  )
  for (const { aborting, transaction } of beginnings) {
    aborting.abort()
    await transaction.rollback()
  }
  await Promise.all(statements)
})

test('5.9 a transaction that a silent server does not begin is overloaded (PostgreSQL)', async (t) => {
  const { store, silence } = await openBehindProxy(t)
  const first = begin(store)
  await first.database.insertInto('NOTE').values({ ID: 1, TEXT: 'idle' }).execute()
  await first.rollback()
  silence()
  const refused = begin(store, { wait: 50 })
  const statement = refused.database.insertInto('NOTE').values({ ID: 2 }).execute()
  await assert.rejects(statement, { name: 'Refusal', code: 'overloaded' })
  await refused.rollback()
})

test('5.14 the server ends a transaction whose gateway is gone, so its locks block no other call (PostgreSQL)', async (t) => {
  const { url, remove } = await findDatabase('PostgreSQL').open()
  const other = await openStore(url)
  await other.migrate([notes])
  const lost = await openStore(url, { idleLimit: 500, handlerConnections: 1 })
  t.after(async () => {
    await Promise.all([lost.close(), other.close()])
    await remove()
  })
  const change = (transaction: ReturnType<typeof begin>, TEXT: string) =>
    transaction.database.updateTable('NOTE').set({ TEXT }).where('ID', '=', 0).execute()
  const first = begin(lost) // a handler's own limit ends with its transaction
  await sql`set idle_in_transaction_session_timeout = 0`.execute(first.database)
  await first.commit()
  const abandoned = begin(lost)
  await change(abandoned, 'abandoned')
  const next = begin(other)
  await change(next, 'next') // waits for the lock of the row
  await next.commit()
  await assert.rejects(abandoned.commit())
  const seen = begin(other)
  const rows = await seen.database.selectFrom('NOTE').select('TEXT').execute()
  await seen.commit()
  assert.deepEqual(rows, [{ TEXT: 'next' }])
})

test('5.8 if the server does not begin, the first statement is not stored on its own (PostgreSQL)', async (t) => {
  const { store, spoilBegin } = await openBehindProxy(t)
  spoilBegin()
  const transaction = begin(store)
  await assert.rejects(transaction.database.insertInto('NOTE').values({ ID: 1, TEXT: 'alone' }).execute(), /begun/)
  await assert.rejects(transaction.commit(), /begun/)
  assert.deepEqual(await readNotes(store), [])
  const next = begin(store)
  await next.database.insertInto('NOTE').values({ ID: 2, TEXT: 'next' }).execute()
  await next.commit()
  assert.deepEqual(await readNotes(store), ['next'])
})

test('6.6 a cache lookup on a silent server fails, and closing still ends (PostgreSQL)', async (t) => {
  const { store, silence, clients } = await openBehindProxy(t)
  silence()
  await assert.rejects(cacheRowsOf(store).find('key'), /timeout/i)
  const left = [...clients].map((client) => once(client, 'close'))
  await store.close()
  for (const client of clients) client.resume() // to notice that the other side has gone
  await Promise.all(left)
})

test('5.14 while a server is silent calls are refused at once, until it answers again (PostgreSQL)', async (t) => {
  const { store, silence, speak } = await openBehindProxy(t, { silentAfter: scaled(200), readWait: 600_000 })
  const wait = 600_000 // what ends sooner is ended by the silence
  const begun = begin(store, { wait })
  await begun.database.insertInto('NOTE').values({ ID: 1, TEXT: 'begun' }).execute()
  silence()
  const away = { name: 'Refusal', code: 'overloaded', message: /not answered/ }
  await Promise.all([
    assert.rejects(begun.database.insertInto('NOTE').values({ ID: 2, TEXT: 'under way' }).execute(), away),
    assert.rejects(begin(store, { wait }).database.selectFrom('NOTE').selectAll().execute(), away),
    assert.rejects(store.changesSince(beginning), away),
  ])
  await assert.rejects(begin(store, { wait }).database.selectFrom('NOTE').selectAll().execute(), away)
  await assert.rejects(begun.commit(), away)
  speak()
  await poll(() =>
    store.changesSince(beginning).then(
      () => true,
      () => false,
    ),
  )
  assert.deepEqual(await readNotes(store), [])
})

test('5.14 a locked table is not silence: what needs it waits, and everything else continues (PostgreSQL)', async (t) => {
  const { store, other, connected } = await openBehindProxy(t, { silentAfter: scaled(1_000), readWait: 600_000 })
  const locking = begin(other)
  await sql`lock table "NOTE" in access exclusive mode`.execute(locking.database)
  const waiting = begin(store, { wait: 600_000 })
  const statement = waiting.database.insertInto('NOTE').values({ ID: 1, TEXT: 'waited' }).execute()
  for (let asked = 0; asked < 5; asked += 1) await connected() // by a question that costs nothing
  await locking.rollback()
  await statement
  await waiting.commit()
  assert.deepEqual(await readNotes(store), ['waited'])
})

test('5.14 if the connections of a pool are silent and new ones answer, one call is refused for all of them (PostgreSQL)', async (t) => {
  const { store, silence, speak } = await openBehindProxy(t, { silentAfter: scaled(2_000) })
  await idleConnections(store, 4)
  silence()
  speak()
  const refusals: unknown[] = []
  for (let callers = 0; callers < 4; callers += 1) {
    const transaction = begin(store, { wait: patience })
    const statement = transaction.database.selectFrom('NOTE').selectAll().execute()
    await statement.catch(({ name, code, message }) => refusals.push({ name, code, message }))
    await transaction.rollback()
  }
  const message = 'The database has not answered for seconds'
  assert.deepEqual(refusals, [{ name: 'Refusal', code: 'overloaded', message }])
})

test("5.14 a call with a shorter wait for the database also closes all of its pool's idle connections (PostgreSQL)", async (t) => {
  const { store, silence, speak } = await openBehindProxy(t, { readWait: scaled(2_000) })
  await idleConnections(store, 4)
  await Promise.all([1, 2, 3, 4].map((key) => cacheRowsOf(store).find(`${key}`)))
  silence()
  speak()
  let refused = 0
  for (let callers = 0; callers < 4; callers += 1) {
    const transaction = begin(store, { wait: callers === 0 ? 50 : patience })
    const statement = transaction.database.selectFrom('NOTE').selectAll().execute()
    await statement.catch(() => (refused += 1))
    await transaction.rollback()
  }
  assert.equal(refused, 1)
})

test('5.14 a read that reaches its time limit closes the idle connections too (PostgreSQL)', async (t) => {
  const { store, silence, speak } = await openBehindProxy(t, { readWait: 2_000 })
  await Promise.all([1, 2, 3, 4].map((key) => cacheRowsOf(store).find(`${key}`)))
  silence()
  speak()
  let failed = 0
  for (let reads = 0; reads < 4; reads += 1)
    await cacheRowsOf(store)
      .find('key')
      .catch(() => (failed += 1))
  assert.equal(failed, 1)
})

test('5.14 work in progress on a silent connection is refused if new ones answer, and nothing of it is stored (PostgreSQL)', async (t) => {
  const { store, silence, speak } = await openBehindProxy(t, { silentAfter: scaled(2_000), readWait: 600_000 })
  const wait = 600_000
  const begun = begin(store, { wait })
  await begun.database.insertInto('NOTE').values({ ID: 1, TEXT: 'begun' }).execute()
  await idleConnections(store, 1)
  silence()
  speak()
  const refusal = { name: 'Refusal', code: 'overloaded' }
  await Promise.all([
    assert.rejects(begun.database.insertInto('NOTE').values({ ID: 2, TEXT: 'under way' }).execute(), refusal),
    assert.rejects(begin(store, { wait }).database.selectFrom('NOTE').selectAll().execute(), refusal),
  ])
  await assert.rejects(begun.commit(), refusal)
  assert.deepEqual(await readNotes(store), [])
})

test('5.14 a lost connection ends no statement that waits on another (PostgreSQL)', async (t) => {
  const { store, other, silence, speak } = await openBehindProxy(t, { silentAfter: scaled(2_000), readWait: 600_000 })
  await idleConnections(store, 1)
  silence()
  speak()
  const locking = begin(other)
  await sql`lock table "NOTE" in access exclusive mode`.execute(locking.database)
  const lost = assert.rejects(sql`select 1`.execute(begin(store, { wait: 600_000 }).database), /not answered/)
  const waiting = begin(store, { wait: 600_000 })
  await sql`select 1`.execute(waiting.database)
  const statement = waiting.database.insertInto('NOTE').values({ ID: 1, TEXT: 'waited' }).execute()
  await lost
  await locking.rollback()
  await statement
  await waiting.commit()
  assert.deepEqual(await readNotes(store), ['waited'])
})

/** So many in the pool of handlers. */
async function idleConnections(store: Store, count: number): Promise<void> {
  const transactions = Array.from({ length: count }, () => begin(store))
  await Promise.all(transactions.map(({ database }) => sql`select 1`.execute(database)))
  await Promise.all(transactions.map((transaction) => transaction.rollback()))
  await poll(() => store.load().handlers?.idle === count)
}

interface Proxied {
  /** On the server itself. */
  readonly other: Store
  readonly store: Store
  readonly clients: ReadonlySet<Socket>
  connected(): Promise<unknown>
  /** From now on no byte passes. */
  silence(): void
  /** New connections pass again. */
  speak(): void
  /** The server does not understand the next begin. */
  spoilBegin(): void
}

async function openBehindProxy(t: TestContext, options: StoreOptions = { readWait: scaled(300) }): Promise<Proxied> {
  const { url, remove } = await findDatabase('PostgreSQL').open()
  const { hostname, port } = new URL(url)
  const clients = new Set<Socket>()
  const servers = new Set<Socket>()
  let isSilent = false
  let isSpoilt = false
  const proxy = createServer((client) => {
    clients.add(client)
    client.on('error', () => {})
    client.once('close', () => clients.delete(client))
    if (isSilent) return
    const server = connect(Number(port), hostname)
    servers.add(server)
    server.on('error', () => {})
    const spoil = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        const at = isSpoilt ? chunk.indexOf('begin;') : -1
        if (at >= 0) {
          chunk.write('begun', at)
          isSpoilt = false
        }
        done(null, chunk)
      },
    })
    client.pipe(spoil).pipe(server).pipe(client)
    client.once('close', () => server.destroy())
  }).listen(0, '127.0.0.1')
  const stack = new AsyncDisposableStack()
  t.after(() => stack.disposeAsync())
  stack.defer(remove)
  stack.defer(() => {
    for (const socket of [...clients, ...servers]) socket.destroy()
    proxy.close()
  })
  await once(proxy, 'listening')
  const address = proxy.address()
  assert(typeof address === 'object' && address)
  const other = await openStore(url)
  stack.defer(() => other.close())
  await other.migrate([notes])
  const store = await openStore(Object.assign(new URL(url), { port: address.port }).href, {
    closeWait: 50,
    ...options,
  })
  stack.defer(() => store.close())
  const silence = () => {
    isSilent = true
    for (const server of servers) server.unpipe().pause()
    for (const client of clients) client.unpipe().pause()
  }
  const speak = () => {
    isSilent = false
  }
  const spoilBegin = () => {
    isSpoilt = true
  }
  const connected = () => once(proxy, 'connection')
  return { store, other, clients, connected, silence, speak, spoilBegin }
}
