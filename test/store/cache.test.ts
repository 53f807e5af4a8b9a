/** Rows of the REST cache, on both databases (specification 6). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cacheMigrations } from '../../src/store/gateway-migrations.ts'
import { migrateGateway } from '../../src/store/migrations.ts'
import { openRestCacheRows } from '../../src/store/rest-cache.ts'
import { openSqlite } from '../../src/store/sqlite/open-sqlite.ts'
import type { CacheRow } from '../../src/store/store.ts'
import { findDatabase, forEachDatabase } from '../support/databases.ts'
import { begin, openTestStore, readNotes } from '../support/stores.ts'

const row: CacheRow = {
  operationId: 'CACHED_TIME_GET.v1',
  generation: 0,
  expires: 2_000_000_000_000.125,
  status: 200,
  headers: ['content-type', 'text/xml; encoding="UTF-8"', 'x-own', 'é "'],
  body: Buffer.from([0, 1, 127, 128, 255]),
}
/** Of those who store it. */
const now = row.expires - 1

forEachDatabase((database) => {
  test(`6.7 an entry survives a restart, byte for byte (${database.name})`, async (t) => {
    const { store, openAnother } = await openTestStore(t, database)
    assert.equal(await store.restCache.find('key'), undefined)
    await store.restCache.put('key', row, now)
    await store.close()
    const again = await openAnother()
    const found = await again.restCache.find('key')
    assert.deepEqual(found, row)
    assert.ok(Buffer.isBuffer(found?.body))
    assert.deepEqual([...(await again.restCache.generations())], [['CACHED_TIME_GET.v1', 0]])
    assert.equal(await again.restCache.find('KEY'), undefined)
  })

  test(`17.8 an expired entry is replaced, an unexpired one stays, and a later writer learns of it (${database.name})`, async (t) => {
    const { store } = await openTestStore(t, database)
    assert.equal(await store.restCache.put('key', row, now), true)
    const later = { ...row, expires: row.expires + 1000, body: Buffer.from('later') }
    assert.equal(await store.restCache.put('key', later, now), false)
    assert.deepEqual(await store.restCache.find('key'), row)
    assert.equal(await store.restCache.put('key', later, row.expires), true)
    assert.deepEqual(await store.restCache.find('key'), later)
    await store.restCache.deleteOperation(row.operationId)
    assert.equal(await store.restCache.put('key', { ...row, generation: 1 }, row.expires - 1e12), true) // over a mark
    assert.equal(await store.restCache.put('key', later, later.expires), false) // begun before the deletion
  })

  test(`6.7 all processes of one store share its entries (${database.name})`, async (t) => {
    const { store, openAnother } = await openTestStore(t, database)
    const other = await openAnother()
    const { cursor } = await other.changesSince(undefined)
    await store.restCache.put('key', row, now)
    assert.deepEqual([...(await other.changesSince(cursor)).cacheGenerations], [['CACHED_TIME_GET.v1', 0]])
    assert.deepEqual((await other.restCache.find('key'))?.body, row.body)
  })

  test(`6.8 deleted entries are gone everywhere, and only those of the operation (${database.name})`, async (t) => {
    const { store, openAnother } = await openTestStore(t, database)
    const other = await openAnother()
    await store.restCache.put('one', row, now)
    await store.restCache.put('two', { ...row, operationId: 'OTHER_GET.v1' }, now)
    const { cursor } = await other.changesSince(undefined)
    assert.equal(await store.restCache.deleteOperation('CACHED_TIME_GET.v1'), 1)
    const mark = await other.restCache.find('one')
    assert.deepEqual([mark?.status, mark?.headers, mark?.body.length], [0, [], 0]) // of the entry nothing is left
    assert.deepEqual((await other.restCache.find('two'))?.body, row.body)
    const changes = await other.changesSince(cursor)
    assert.deepEqual([...changes.cacheGenerations], [['CACHED_TIME_GET.v1', 1]])
    assert.deepEqual([...(await other.changesSince(changes.cursor)).cacheGenerations], [])
    assert.equal(await other.restCache.deleteOperation('CACHED_TIME_GET.v1'), 2)
  })

  test(`6.8 an entry created before its deletion and stored after it stays deleted (${database.name})`, async (t) => {
    const { store } = await openTestStore(t, database)
    await store.restCache.deleteOperation(row.operationId)
    await store.restCache.put('key', { ...row, generation: 1, body: Buffer.from('new') }, now)
    await store.restCache.put('key', { ...row, generation: 0, body: Buffer.from('old') }, now)
    assert.deepEqual((await store.restCache.find('key'))?.body, Buffer.from('new'))
    await store.restCache.put('late', { ...row, generation: 0 }, now)
    assert.equal(await store.restCache.find('late'), undefined)
  })

  test(`6.7 the cache is bounded in entries and in bytes, the oldest going first (${database.name})`, async (t) => {
    const { store } = await openTestStore(t, database)
    const keys = ['a', 'b', 'c', 'd']
    const kept = async () => {
      const found = await Promise.all(keys.map((key) => store.restCache.find(key)))
      return keys.filter((_, index) => found[index]).join('')
    }
    for (const key of keys) await store.restCache.put(key, { ...row, body: Buffer.alloc(1000) }, now)
    await store.restCache.put('a', { ...row, body: Buffer.alloc(1000) }, row.expires) // stored anew, hence the newest
    await store.restCache.prune(0, { maxBytes: 1e9, maxEntries: 4 })
    assert.equal(await kept(), 'abcd')
    await store.restCache.prune(0, { maxBytes: 1e9, maxEntries: 3 })
    assert.equal(await kept(), 'acd')
    await store.restCache.prune(0, { maxBytes: 2500, maxEntries: 100 })
    assert.equal(await kept(), 'ad')
    await store.restCache.prune(row.expires + 1, { maxBytes: 1e9, maxEntries: 100 })
    assert.equal(await kept(), 'ad', 'marks of what was cached')
    await store.restCache.prune(row.expires + 3_600_001, { maxBytes: 1e9, maxEntries: 100 })
    assert.equal(await kept(), '')
  })

  test(`5.9 the cache neither waits for a handler's open transaction nor is rolled back with it (${database.name})`, async (t) => {
    const { store } = await openTestStore(t, database)
    const transaction = begin(store)
    await transaction.database.insertInto('NOTE').values({ ID: 1, TEXT: 'open' }).execute()
    await store.restCache.put('key', row, now)
    await store.restCache.put('gone', { ...row, operationId: 'OTHER_GET.v1' }, now)
    await store.restCache.deleteOperation('OTHER_GET.v1')
    await store.restCache.prune(0, { maxBytes: 1e9, maxEntries: 100 })
    await store.changesSince(undefined)
    await transaction.rollback()
    assert.deepEqual((await store.restCache.find('key'))?.body, row.body)
    assert.deepEqual(await readNotes(store), [])
  })

  test(`6.8, 18.27 the entries of one URL are listed and deleted, leaving marks; the others stay (${database.name})`, async (t) => {
    const { store, openAnother } = await openTestStore(t, database)
    const other = await openAnother()
    const { restCache } = store
    await restCache.put('one', { ...row, url: '/one' }, now)
    await restCache.put('mine', { ...row, url: '/one', operator: 'KIM' }, now)
    await restCache.put('two', { ...row, url: '/two' }, now)
    await restCache.put('past', { ...row, url: '/past', expires: 1 }, now)
    const list = async () => {
      const { total, bytes, entries } = await other.restCache.list({ now: Date.now(), offset: 0, limit: 2 })
      return [total, bytes > 0, entries.map(({ url, operator, expires }) => [url, operator, expires])]
    }
    assert.deepEqual(await list(), [
      3,
      true,
      [
        ['/two', null, row.expires],
        ['/one', 'KIM', row.expires],
      ],
    ])
    assert.deepEqual(await restCache.deleteSome(row.operationId, { url: '/one' }), { generation: 1, deleted: 2 })
    assert.deepEqual(await list(), [1, true, [['/two', null, row.expires]]])
    const [mark, kept] = [await other.restCache.find('one'), await other.restCache.find('two')]
    assert.deepEqual([mark?.status, mark?.body.length, mark?.generation], [0, 0, 1])
    assert.deepEqual(kept, { ...row, generation: 1 })
    await restCache.put('one', { ...row, url: '/one' }, now) // begun before the deletion
    assert.equal((await restCache.find('one'))?.status, 0)
    assert.deepEqual(await restCache.deleteSome(row.operationId, { url: '/past' }), { generation: 2, deleted: 0 })
  })
})

forEachDatabase((database) => {
  test(`5.41 the entries of one operator are deleted; those of others stay (${database.name})`, async (t) => {
    const { store, openAnother } = await openTestStore(t, database)
    const { restCache } = await openAnother()
    await store.restCache.put('one', { ...row, url: '/', operator: 'KIM' }, now)
    await store.restCache.put('two', { ...row, url: '/', operator: 'LEE' }, now)
    assert.deepEqual(await store.restCache.deleteSome(row.operationId, { operator: 'KIM' }), {
      generation: 1,
      deleted: 1,
    })
    assert.equal((await restCache.find('one'))?.status, 0)
    assert.equal((await restCache.find('two'))?.status, row.status)
  })
})

test("17.10, 18.27 the list of the REST cache uses the database's clock", async (t) => {
  const { remove, url } = await findDatabase('SQLite').open()
  t.after(remove)
  const { main, cache } = await openSqlite(url)
  t.after(() => Promise.all([main.close(), cache.close()]))
  await migrateGateway(cache, cacheMigrations)
  const ahead = 60_000
  const [here, there] = [openRestCacheRows(cache, () => ahead), openRestCacheRows(cache, () => 0)]
  const now = Date.now()
  await here.put('key', { ...row, url: '/', expires: now + 30_000 }, now) // to the other one, whose clock is right: 90 s
  const expiriesOf = async (rows: typeof here) => {
    const { entries } = await rows.list({ now, offset: 0, limit: 10 })
    return entries.map(({ expires }) => expires)
  }
  assert.deepEqual(await expiriesOf(here), [now + 30_000])
  assert.deepEqual(await expiriesOf(there), [now + 30_000 + ahead])
  assert.equal((await there.list({ now: now + 40_000, offset: 0, limit: 10 })).total, 1)
  assert.equal((await here.list({ now: now + 40_000, offset: 0, limit: 10 })).total, 0)
  assert.equal((await here.deleteSome(row.operationId, { url: '/' })).deleted, 1)
  assert.deepEqual(await expiriesOf(there), [])
})
