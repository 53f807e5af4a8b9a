/** A database that can be read and not written, as a replica that took over is, or that hangs: changes are followed all the same (specification 17.7). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { openStore } from '../../src/store/open-store.ts'
import { basic } from '../support/client.ts'
import { findDatabase, forEachDatabase } from '../support/databases.ts'
import { openReference } from '../support/gateway.ts'
import { poll } from '../support/poll.ts'
import { begin, cacheRowsOf } from '../support/stores.ts'

const refuseWrites = [
  "create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$",
  'create trigger refuse before insert on ig_rest_cache_generation for each row execute function refuse()',
]
const allowWrites = ['drop trigger refuse on ig_rest_cache_generation']

test('17.7, 6.8 a deletion from the cache that the database refuses is repeated, and hides no change of an operator (PostgreSQL)', async (t) => {
  const gateway = await openReference({ database: findDatabase('PostgreSQL') })
  t.after(() => gateway.close())
  const other = await openStore(gateway.settings.database)
  t.after(() => other.close())
  const execute = async (statements: readonly string[]) => {
    const transaction = begin(other)
    for (const statement of statements) await sql.raw(statement).execute(transaction.database)
    await transaction.commit()
  }
  const { restCache } = gateway.gateway
  const rows = cacheRowsOf(other)
  const generation = async () => (await rows.changedSince(-1)).generations.get('CACHED_TIME_GET.v1') ?? 0
  const until = async (isSo: () => Promise<boolean>) => {
    while (!(await isSo()) && !t.signal.aborted) await new Promise(setImmediate)
  }

  await execute(refuseWrites)
  await assert.rejects(restCache.deleteOperation('CACHED_TIME_GET.v1'), /refused/)
  await other.operators.setLocked('DEMO', true)
  const callAsDemo = () => gateway.call('GET METADATA_BASIC.v1', { headers: basic('DEMO') })
  await until(async () => (await callAsDemo()).status === 401)
  const isReportedAway = gateway.observations.some((one) => one.kind === 'event' && one.name === 'storeAway')
  assert.equal(isReportedAway, false, 'the database answers')
  assert.equal(await generation(), 0)

  await execute(allowWrites)
  await until(async () => (await generation()) > 0)
})

forEachDatabase((database) => {
  test(`17.7, 6.8 while a deletion from the cache hangs, an operator that is locked is refused (${database.name})`, async (t) => {
    const gateway = await openReference({ database })
    const hanging = Promise.withResolvers<never>()
    t.after(() => hanging.reject(new Error('away'))) // before the gateway closes, which waits for it
    t.after(() => gateway.close())
    const other = await openStore(gateway.settings.database)
    t.after(() => other.close())
    const { restCache, store } = gateway.gateway
    const begins = t.mock.method(store.databases.cache, 'begin', async () => Promise.reject(new Error('away')))
    await assert.rejects(restCache.deleteOperation('CACHED_TIME_GET.v1'), /away/)
    begins.mock.mockImplementation(() => hanging.promise)
    const before = begins.mock.callCount()
    await poll(() => begins.mock.callCount() > before)

    await other.operators.setLocked('DEMO', true)
    await poll(async () => (await gateway.call('GET METADATA_BASIC.v1', { headers: basic('DEMO') })).status === 401)
    assert.equal(begins.mock.callCount(), before + 1, 'it is repeated once at a time')
  })
})
