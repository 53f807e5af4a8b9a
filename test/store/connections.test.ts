/** A PostgreSQL server that takes few connections: who has one waits for it (specification 5.9). */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { openStore } from '../../src/store/open-store.ts'
import type { Store } from '../../src/store/store.ts'
import { findDatabase } from '../support/databases.ts'
import { patience } from '../support/patience.ts'
import { notes } from '../support/store-process.ts'
import { begin, readNotes } from '../support/stores.ts'

test('5.9 if the role may open no more connections, transactions wait for the open ones (PostgreSQL)', async (t) => {
  const { store, asked } = await openLimited(t, 4)
  await settle(Array.from({ length: 60 }, (_, index) => insert(store, index + 1)))
  assert.equal((await readNotes(store)).length, 60)
  assert.ok(asked() <= 30, `${asked()} connections were asked for`)
})

test('5.9 if there is none at all, a transaction waits for one within its bound (PostgreSQL)', async (t) => {
  const { store, openAnother, asked } = await openLimited(t, 2)
  const other = await openAnother()
  const refused = Array.from({ length: 20 }, () => insert(store, 1, 50))
  for (const each of refused) await assert.rejects(each, { name: 'Refusal', code: 'overloaded' })
  const waiting = Array.from({ length: 20 }, (_, index) => insert(store, index + 1))
  await other.end()
  await settle(waiting)
  assert.equal((await readNotes(store)).length, 20)
  assert.ok(asked() <= 30, `${asked()} connections were asked for`)
})

test('5.9 the gateway’s own reads wait too, and a pool opens more connections when it may again (PostgreSQL)', async (t) => {
  const { store, openAnother, unlimit } = await openLimited(t, 2)
  await openAnother()
  await settle(Array.from({ length: 8 }, () => store.operators.list()))
  await unlimit()
  const transactions = Array.from({ length: 3 }, () => begin(store))
  for (const [index, { database }] of transactions.entries())
    await database
      .insertInto('NOTE')
      .values({ ID: index + 1, TEXT: 'held' })
      .execute()
  for (const transaction of transactions) await transaction.commit()
})

interface Limited {
  readonly store: Store
  /** A connection of the same role that is not the store's. */
  openAnother(): Promise<pg.Client>
  /** How many connections the store has asked for. */
  asked(): number
  unlimit(): Promise<void>
}

/** @param limit of the role's connections; the store's own has one of them */
async function openLimited(t: TestContext, limit: number): Promise<Limited> {
  const { url, remove } = await findDatabase('PostgreSQL').open()
  const role = `limited_${new URL(url).pathname.slice(1)}`
  const administer = async (...statements: string[]) => {
    const client = new pg.Client(url)
    await client.connect()
    for (const statement of statements) await client.query(statement)
    await client.end()
  }
  await administer(
    `create role ${role} login password 'limited'`,
    `grant all on schema public to ${role}`,
    `alter role ${role} connection limit ${limit}`,
  )
  const limited = Object.assign(new URL(url), { username: role, password: 'limited' })
  let asked = 0
  const proxy = createServer((client) => {
    asked += 1
    const server = connect(Number(limited.port), limited.hostname)
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const)
      one.on('error', () => other.destroy()).pipe(other)
  }).listen(0, '127.0.0.1')
  const stack = new AsyncDisposableStack()
  t.after(() => stack.disposeAsync())
  stack.defer(remove)
  stack.defer(() => void proxy.close())
  await once(proxy, 'listening')
  const { port } = proxy.address() as { port: number }
  const store = await openStore(Object.assign(new URL(limited.href), { port }).href, { handlerConnections: 10 })
  stack.defer(() => administer(`drop owned by ${role} cascade`, `drop role ${role}`))
  stack.defer(() => store.close())
  await store.migrate([notes])
  const others: pg.Client[] = []
  stack.defer(async () => {
    for (const client of others) await client.end()
  })
  const openAnother = async () => {
    const client = new pg.Client(limited.href)
    others.push(client)
    await client.connect()
    return client
  }
  const unlimit = () => administer(`alter role ${role} connection limit -1`)
  return { store, openAnother, asked: () => asked, unlimit }
}

/** None of them is at work any more when one failed. */
async function settle(all: readonly Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(all)).filter(({ status }) => status === 'rejected')
  assert.deepEqual(failed, [])
}

async function insert(store: Store, id: number, wait = patience): Promise<void> {
  const transaction = begin(store, { wait })
  try {
    await transaction.database.insertInto('NOTE').values({ ID: id, TEXT: 'stored' }).execute()
    await transaction.commit()
  } catch (error) {
    await transaction.rollback()
    throw error
  }
}
