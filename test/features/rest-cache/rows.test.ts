/** Rows of the REST cache, on both databases (specification 6). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CacheRow } from '../../../src/features/rest-cache/contract.ts'
import { openCacheRows } from '../../../src/features/rest-cache/rows.ts'
import { cacheMigrations } from '../../../src/store/gateway-migrations.ts'
import { migrateGateway } from '../../../src/store/migrations.ts'
import { openSqlite } from '../../../src/store/sqlite/open-sqlite.ts'
import { findDatabase, forEachDatabase } from '../../support/databases.ts'
import { begin, cacheRowsOf, openTestStore, readNotes } from '../../support/stores.ts'

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
    const cache = cacheRowsOf(store)
    assert.equal(await cache.find('key'), undefined)
    await cache.put('key', row, now)
    await store.close()
    const again = cacheRowsOf(await openAnother())
    const found = await again.find('key')
    assert.deepEqual(found, row)
    assert.ok(Buffer.isBuffer(found?.body))
    assert.deepEqual([...(await again.changedSince(-1)).generations], [['CACHED_TIME_GET.v1', 0]])
    assert.equal(await again.find('KEY'), undefined)
  })

  test(`17.8 an expired entry is replaced, an unexpired one stays, and a later writer learns of it (${database.name})`, async (t) => {
    const { store } = await openTestStore(t, database)
    const cache = cacheRowsOf(store)
    assert.equal(await cache.put('key', row, now), true)
    const later = { ...row, expires: row.expires + 1000, body: Buffer.from('later') }
    assert.equal(await cache.put('key', later, now), false)
    assert.deepEqual(await cache.find('key'), row)
    assert.equal(await cache.put('key', later, row.expires), true)
    assert.deepEqual(await cache.find('key'), later)
    await cache.deleteOperation(row.operationId)
    assert.equal(await cache.put('key', { ...row, generation: 1 }, row.expires - 1e12), true) // over a mark
    assert.equal(await cache.put('key', later, later.expires), false) // begun before the deletion
  })

  test(`6.7 all processes of one store share its entries (${database.name})`, async (t) => {
    const { store, openAnother } = await openTestStore(t, database)
    const cache = cacheRowsOf(store)
    const otherCache = cacheRowsOf(await openAnother())
    const { epoch } = await otherCache.changedSince(-1)
    await cache.put('key', row, now)
    assert.deepEqual([...(await otherCache.changedSince(epoch)).generations], [['CACHED_TIME_GET.v1', 0]])
    assert.deepEqual((await otherCache.find('key'))?.body, row.body)
  })

  test(`6.8 deleted entries are gone everywhere, and only those of the operation (${database.name})`, async (t) => {
    const { store, openAnother } = await openTestStore(t, database)
    const cache = cacheRowsOf(store)
    const otherCache = cacheRowsOf(await openAnother())
    await cache.put('one', row, now)
    await cache.put('two', { ...row, operationId: 'OTHER_GET.v1' }, now)
    const { epoch } = await otherCache.changedSince(-1)
    assert.equal(await cache.deleteOperation('CACHED_TIME_GET.v1'), 1)
    const mark = await otherCache.find('one')
    assert.deepEqual([mark?.status, mark?.headers, mark?.body.length], [0, [], 0]) // of the entry nothing is left
    assert.deepEqual((await otherCache.find('two'))?.body, row.body)
    const changes = await otherCache.changedSince(epoch)
    assert.deepEqual([...changes.generations], [['CACHED_TIME_GET.v1', 1]])
    assert.deepEqual([...(await otherCache.changedSince(changes.epoch)).generations], [])
    assert.equal(await otherCache.deleteOperation('CACHED_TIME_GET.v1'), 2)
  })

  test(`6.8 an entry created before its deletion and stored after it stays deleted (${database.name})`, async (t) => {
    const { store } = await openTestStore(t, database)
    const cache = cacheRowsOf(store)
    await cache.deleteOperation(row.operationId)
    await cache.put('key', { ...row, generation: 1, body: Buffer.from('new') }, now)
    await cache.put('key', { ...row, generation: 0, body: Buffer.from('old') }, now)
    assert.deepEqual((await cache.find('key'))?.body, Buffer.from('new'))
    await cache.put('late', { ...row, generation: 0 }, now)
    assert.equal(await cache.find('late'), undefined)
  })

  test(`6.7 the cache is bounded in entries and in bytes, the oldest going first (${database.name})`, async (t) => {
    const { store } = await openTestStore(t, database)
    const cache = cacheRowsOf(store)
    const keys = ['a', 'b', 'c', 'd']
    const kept = async () => {
      const found = await Promise.all(keys.map((key) => cache.find(key)))
      return keys.filter((_, index) => found[index]).join('')
    }
    for (const key of keys) await cache.put(key, { ...row, body: Buffer.alloc(1000) }, now)
    await cache.put('a', { ...row, body: Buffer.alloc(1000) }, row.expires) // stored anew, hence the newest
    await cache.prune(0, { maxBytes: 1e9, maxEntries: 4 })
    assert.equal(await kept(), 'abcd')
    await cache.prune(0, { maxBytes: 1e9, maxEntries: 3 })
    assert.equal(await kept(), 'acd')
    await cache.prune(0, { maxBytes: 2500, maxEntries: 100 })
    assert.equal(await kept(), 'ad')
    await cache.prune(row.expires + 1, { maxBytes: 1e9, maxEntries: 100 })
    assert.equal(await kept(), 'ad', 'marks of what was cached')
    await cache.prune(row.expires + 3_600_001, { maxBytes: 1e9, maxEntries: 100 })
    assert.equal(await kept(), '')
  })

  test(`5.9 the cache neither waits for a handler's open transaction nor is rolled back with it (${database.name})`, async (t) => {
    const { store } = await openTestStore(t, database)
    const cache = cacheRowsOf(store)
    const transaction = begin(store)
    await transaction.database.insertInto('NOTE').values({ ID: 1, TEXT: 'open' }).execute()
    await cache.put('key', row, now)
    await cache.put('gone', { ...row, operationId: 'OTHER_GET.v1' }, now)
    await cache.deleteOperation('OTHER_GET.v1')
    await cache.prune(0, { maxBytes: 1e9, maxEntries: 100 })
    await cache.changedSince(-1)
    await transaction.rollback()
    assert.deepEqual((await cache.find('key'))?.body, row.body)
    assert.deepEqual(await readNotes(store), [])
  })

  test(`6.8, 18.27 the entries of one URL are listed and deleted, leaving marks; the others stay (${database.name})`, async (t) => {
    const { store, openAnother } = await openTestStore(t, database)
    const restCache = cacheRowsOf(store)
    const otherCache = cacheRowsOf(await openAnother())
    await restCache.put('one', { ...row, url: '/one' }, now)
    await restCache.put('mine', { ...row, url: '/one', operator: 'KIM' }, now)
    await restCache.put('two', { ...row, url: '/two' }, now)
    await restCache.put('past', { ...row, url: '/past', expires: 1 }, now)
    const list = async () => {
      const { total, bytes, entries } = await otherCache.list({ now: Date.now(), offset: 0, limit: 2 })
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
    const [mark, kept] = [await otherCache.find('one'), await otherCache.find('two')]
    assert.deepEqual([mark?.status, mark?.body.length, mark?.generation], [0, 0, 1])
    assert.deepEqual(kept, { ...row, generation: 1 })
    await restCache.put('one', { ...row, url: '/one' }, now) // begun before the deletion
    assert.equal((await restCache.find('one'))?.status, 0)
    assert.deepEqual(await restCache.deleteSome(row.operationId, { url: '/past' }), { generation: 2, deleted: 0 })
  })
})

forEachDatabase((database) => {
  test(`6.8 the entries of one operator are deleted; those of others stay (${database.name})`, async (t) => {
    const { store, openAnother } = await openTestStore(t, database)
    const cache = cacheRowsOf(store)
    const otherCache = cacheRowsOf(await openAnother())
    await cache.put('one', { ...row, url: '/', operator: 'KIM' }, now)
    await cache.put('two', { ...row, url: '/', operator: 'LEE' }, now)
    assert.deepEqual(await cache.deleteSome(row.operationId, { operator: 'KIM' }), {
      generation: 1,
      deleted: 1,
    })
    assert.equal((await otherCache.find('one'))?.status, 0)
    assert.equal((await otherCache.find('two'))?.status, row.status)
  })
})

test("17.10, 18.27 the list of the REST cache uses the database's clock", async (t) => {
  const { remove, url } = await findDatabase('SQLite').open()
  t.after(remove)
  const { main, cache } = await openSqlite(url)
  t.after(() => Promise.all([main.close(), cache.close()]))
  await migrateGateway(cache, cacheMigrations)
  const ahead = 60_000
  const [here, there] = [openCacheRows({ cache }, () => ahead), openCacheRows({ cache }, () => 0)]
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
