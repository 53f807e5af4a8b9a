/** The REST cache of several processes on one store (specification 17.8, 6.8, 6.12). */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Entries } from '../../../src/features/rest-cache/entries.ts'
import { RestCache, type RestCacheOptions } from '../../../src/features/rest-cache/rest-cache.ts'
import { emptyBody, type OperationResponse } from '../../../src/model/call.ts'
import type { Observe } from '../../../src/model/observation.ts'
import type { Store } from '../../../src/store/store.ts'
import { findDatabase, forEachDatabase, type TestDatabase } from '../../support/databases.ts'
import { poll } from '../../support/poll.ts'
import { cacheRowsOf, openTestStore } from '../../support/stores.ts'

const operationId = 'CACHED_TIME_GET.v1'
const key = `${operationId} fingerprint /url`
const minute = 60_000
let time = 1_800_000_000_000
const now = () => time

async function openRestCache(options: Pick<RestCacheOptions, 'store' | 'observe'>) {
  const settings = { restCache: { maxBytes: 1e6, maxEntries: 100 }, limits: { handlerTimeout: minute } }
  const cache = new RestCache({ ...options, settings, now })
  await cache.follow()
  return cache
}

/** As in two processes that have not seen each other's changes. */
async function openTwo(t: TestContext, database: TestDatabase): Promise<[RestCache, RestCache]> {
  const { store, openAnother } = await openTestStore(t, database)
  const observe = (observation: unknown) => assert.fail(JSON.stringify(observation))
  const open = (store: Store) => openRestCache({ store: cacheRowsOf(store), observe })
  return [await open(store), await open(await openAnother())]
}

function made(text: string, lifetime = minute): OperationResponse {
  return { status: 200, headers: ['x-own', text], body: { bytes: Buffer.from(text) }, cacheExpires: time + lifetime }
}

function keep(cache: RestCache, response: OperationResponse | Promise<OperationResponse>) {
  return cache.answer(key, operationId, async () => response)
}

async function read(cache: RestCache) {
  return (await cache.find(key, operationId))?.body.bytes.toString()
}

test('6.7, 7.8 a response knows whether the cache still has it in memory', () => {
  const entries = new Entries({ maxBytes: 10_000, maxEntries: 1 })
  const responses = ['first', 'second', 'third'].map((text) => made(text))
  const isHeld = () => responses.map(({ body }) => body.cacheHold?.isHeld)
  const place = (index: number, response = responses[index] ?? made('')) =>
    entries.set(`${index}`, { operationId, generation: 0, expires: time, response })
  place(0)
  assert.deepEqual(isHeld(), [true, undefined, undefined])
  place(1) // there is room for one
  assert.deepEqual(isHeld(), [false, true, undefined])
  place(1)
  assert.deepEqual(isHeld(), [false, true, undefined])
  entries.dropResponses(operationId)
  assert.deepEqual(isHeld(), [false, false, undefined])
  place(2, made('x'.repeat(10_000))) // too long
  place(2)
  entries.remove('2')
  assert.deepEqual(isHeld(), [false, false, false])
  place(2, { status: 200, headers: [], body: emptyBody })
  assert.equal(emptyBody.cacheHold, undefined)
})

test('6.7 the oldest responses leave the memory first, but not one that was used since', () => {
  const entries = new Entries({ maxBytes: 10_000, maxEntries: 2 })
  const place = (name: string) => entries.set(name, { operationId, generation: 0, expires: time, response: made(name) })
  const kept = () => ['a', 'b', 'c', 'd', 'e'].filter((name) => entries.has(name)).join('')
  for (const name of ['a', 'b', 'c']) place(name)
  assert.equal(kept(), 'bc')
  entries.get('b')
  place('d')
  assert.equal(kept(), 'bd')
  place('e')
  assert.equal(kept(), 'de')
})

test('6.12 a store that fails is a miss, logged once until it answers again, and counted', async (t) => {
  const { store } = await openTestStore(t, findDatabase('SQLite'))
  const rows = cacheRowsOf(store)
  const logged: string[] = []
  const observe: Observe = (one) => void logged.push(one.kind === 'event' ? one.name : one.kind)
  let isAway = true
  const find: typeof rows.find = async (id) => {
    if (isAway) throw new Error('away')
    return rows.find(id)
  }
  const cache = await openRestCache({ store: { ...rows, find }, observe })
  for (let asked = 0; asked < 3; asked += 1) assert.equal(await read(cache), undefined)
  assert.deepEqual([logged, cache.failures], [['restCacheFailed'], 3])
  isAway = false
  await read(cache)
  isAway = true
  await read(cache)
  assert.deepEqual([logged, cache.failures], [['restCacheFailed', 'restCacheFailed'], 4])
})

test('6.8 a deletion that failed in the store is repeated when it answers again', async (t) => {
  const { store } = await openTestStore(t, findDatabase('SQLite'))
  const rows = cacheRowsOf(store)
  let isAway = true
  const deleteOperation: typeof rows.deleteOperation = async (id) => {
    if (isAway) throw new Error('away')
    return rows.deleteOperation(id)
  }
  const cache = await openRestCache({ store: { ...rows, deleteOperation }, observe() {} })
  const generations = async () => [...(await rows.changedSince(-1)).generations]
  await assert.rejects(cache.deleteOperation(operationId), /away/)
  await cache.follow()
  assert.deepEqual(await generations(), [], 'and it hides no change of others')
  isAway = false
  await poll(async () => {
    await cache.follow()
    return (await generations()).length > 0
  })
  await cache.follow()
  assert.deepEqual(await generations(), [[operationId, 1]])
})

test('6.8 a deletion that the store is making counts also when the cache is read again', async (t) => {
  const { store } = await openTestStore(t, findDatabase('SQLite'))
  const rows = cacheRowsOf(store)
  const [begun, stored] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const deleteOperation: typeof rows.deleteOperation = async (id) => {
    begun.resolve()
    await stored.promise
    return rows.deleteOperation(id)
  }
  const cache = await openRestCache({ store: { ...rows, deleteOperation }, observe() {} })
  await keep(cache, made('deleted'))
  await cache.flush()
  const deleting = cache.deleteOperation(operationId)
  await begun.promise
  cache.reset()
  await cache.follow()
  assert.equal(await read(cache), undefined)
  stored.resolve()
  await deleting
  assert.equal(await read(cache), undefined)
})

test('6.8 a stop waits for a deletion that is repeated', async (t) => {
  const { store } = await openTestStore(t, findDatabase('SQLite'))
  const rows = cacheRowsOf(store)
  let attempts = 0
  const deleteOperation: typeof rows.deleteOperation = async (id) => {
    attempts += 1
    if (attempts === 1) throw new Error('away')
    return rows.deleteOperation(id)
  }
  const cache = await openRestCache({ store: { ...rows, deleteOperation }, observe() {} })
  await assert.rejects(cache.deleteOperation(operationId), /away/)
  await cache.follow()
  await cache.flush()
  assert.deepEqual([...(await rows.changedSince(-1)).generations], [[operationId, 1]])
})

test('6.8 a deletion that the store is making is not repeated: responses made after it stay', async (t) => {
  const { store } = await openTestStore(t, findDatabase('SQLite'))
  const rows = cacheRowsOf(store)
  const made = Promise.withResolvers<void>()
  const deleteOperation: typeof rows.deleteOperation = async (id) => {
    await made.promise
    return rows.deleteOperation(id)
  }
  const cache = await openRestCache({ store: { ...rows, deleteOperation }, observe() {} })
  const deleting = cache.deleteOperation(operationId)
  const following = cache.follow()
  made.resolve()
  await Promise.all([deleting, following])
  assert.deepEqual([...(await rows.changedSince(-1)).generations], [[operationId, 1]])
})

forEachDatabase(({ name, ...database }) => {
  test(`17.8 of concurrent responses all processes serve the one that was stored first (${name})`, async (t) => {
    const [first, second] = await openTwo(t, { name, ...database })
    await keep(first, made('first'))
    await first.flush()
    await keep(second, made('second', 2 * minute))
    await second.flush()
    const shared = await second.find(key, operationId)
    assert.ok(shared)
    assert.deepEqual([shared.headers, shared.body.bytes.toString()], [['x-own', 'first'], 'first'])
    assert.equal(await read(first), 'first')
    time += minute
    assert.equal(await read(second), undefined, 'it ends with the one that is shared')
    await keep(second, made('third'))
    await second.flush()
    assert.equal(await read(first), 'third')
  })

  test(`17.8 of its own concurrent responses a process serves the first (${name})`, async (t) => {
    const [first, second] = await openTwo(t, { name, ...database })
    await Promise.all([keep(first, made('first')), keep(first, made('second'))])
    assert.equal(await read(first), 'first')
    await first.flush()
    assert.equal(await read(first), 'first')
    await second.follow()
    assert.equal(await read(second), 'first')
  })

  test(`17.8, 6.8 a response that another process has deleted meanwhile does not come back (${name})`, async (t) => {
    const [first, second] = await openTwo(t, { name, ...database })
    await keep(first, made('first'))
    await first.flush()
    const handler = Promise.withResolvers<OperationResponse>()
    const kept = keep(second, handler.promise)
    await first.deleteOperation(operationId)
    handler.resolve(made('second'))
    await kept
    await second.flush()
    assert.equal(await read(second), undefined, 'though it has not heard of the deletion')
    await keep(first, made('third'))
    await first.flush()
    await second.follow()
    assert.equal(await read(second), 'third')
  })
})
