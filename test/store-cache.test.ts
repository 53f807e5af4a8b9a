/** Rows of the REST cache, on both databases (specification 6). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CacheRow } from '../src/store/store.ts'
import { forEachDatabase } from './support/databases.ts'
import { begin, openTestStore, readNotes } from './support/stores.ts'

const row: CacheRow = {
  operationId: 'CACHED_TIME_GET.v1',
  generation: 0,
  expires: 2_000_000_000_000.125,
  status: 200,
  headers: ['content-type', 'text/xml; encoding="UTF-8"', 'x-own', 'é "'],
  body: Buffer.from([0, 1, 127, 128, 255]),
}

forEachDatabase((database) => {
  test(`6.7 an entry survives a restart, byte for byte (${database.name})`, async (t) => {
    const { store, openAnother } = await openTestStore(t, database)
    assert.equal(await store.restCache.find('key'), undefined)
    await store.restCache.put('key', row)
    await store.close()
    const again = await openAnother()
    const found = await again.restCache.find('key')
    assert.deepEqual(found, row)
    assert.ok(Buffer.isBuffer(found?.body))
    assert.deepEqual([...(await again.restCache.generations())], [['CACHED_TIME_GET.v1', 0]])
    assert.equal(await again.restCache.find('KEY'), undefined)
  })

  test(`6.7 a later entry replaces an earlier one (${database.name})`, async (t) => {
    const { store } = await openTestStore(t, database)
    await store.restCache.put('key', row)
    await store.restCache.put('key', { ...row, body: Buffer.from('later') })
    assert.deepEqual((await store.restCache.find('key'))?.body, Buffer.from('later'))
  })

  test(`6.7 all processes of one store share its entries (${database.name})`, async (t) => {
    const { store, openAnother } = await openTestStore(t, database)
    const other = await openAnother()
    const { cursor } = await other.changesSince(undefined)
    await store.restCache.put('key', row)
    assert.deepEqual([...(await other.changesSince(cursor)).cacheGenerations], [['CACHED_TIME_GET.v1', 0]])
    assert.deepEqual((await other.restCache.find('key'))?.body, row.body)
  })

  test(`6.8 deleted entries are gone everywhere, and only those of the operation (${database.name})`, async (t) => {
    const { store, openAnother } = await openTestStore(t, database)
    const other = await openAnother()
    await store.restCache.put('one', row)
    await store.restCache.put('two', { ...row, operationId: 'OTHER_GET.v1' })
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

  test(`6.8 an entry made before its deletion and stored after it stays gone (${database.name})`, async (t) => {
    const { store } = await openTestStore(t, database)
    await store.restCache.deleteOperation(row.operationId)
    await store.restCache.put('key', { ...row, generation: 1, body: Buffer.from('new') })
    await store.restCache.put('key', { ...row, generation: 0, body: Buffer.from('old') })
    assert.deepEqual((await store.restCache.find('key'))?.body, Buffer.from('new'))
    await store.restCache.put('late', { ...row, generation: 0 })
    assert.equal(await store.restCache.find('late'), undefined)
  })

  test(`6.7 the cache is bounded in entries and in bytes, the oldest going first (${database.name})`, async (t) => {
    const { store } = await openTestStore(t, database)
    const keys = ['a', 'b', 'c', 'd']
    const kept = async () => {
      const found = await Promise.all(keys.map((key) => store.restCache.find(key)))
      return keys.filter((_, index) => found[index]).join('')
    }
    for (const key of keys) await store.restCache.put(key, { ...row, body: Buffer.alloc(1000) })
    await store.restCache.put('a', { ...row, body: Buffer.alloc(1000) }) // stored anew, hence the newest
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

  test(`5.9 the cache waits for no handler's open transaction, nor is it rolled back with it (${database.name})`, async (t) => {
    const { store } = await openTestStore(t, database)
    const transaction = begin(store)
    await transaction.database.insertInto('NOTE').values({ ID: 1, TEXT: 'open' }).execute()
    await store.restCache.put('key', row)
    await store.restCache.put('gone', { ...row, operationId: 'OTHER_GET.v1' })
    await store.restCache.deleteOperation('OTHER_GET.v1')
    await store.restCache.prune(0, { maxBytes: 1e9, maxEntries: 100 })
    await store.changesSince(undefined)
    await transaction.rollback()
    assert.deepEqual((await store.restCache.find('key'))?.body, row.body)
    assert.deepEqual(await readNotes(store), [])
  })
})
