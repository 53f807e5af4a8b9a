/** A clock that was ahead and is right again (specification 17.10). */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { openIdempotencyRows } from '../../../src/features/idempotency/rows.ts'
import { openJobs } from '../../../src/features/jobs/rows.ts'
import { leaseTime } from '../../../src/features/jobs/tables.ts'
import { deleteEvery } from '../../../src/store/claim-times.ts'
import { besides } from '../../../src/store/sqlite/files.ts'
import { openCluster } from '../../support/cluster.ts'
import { findDatabase, forEachDatabase, runOutside } from '../../support/databases.ts'
import { poll } from '../../support/poll.ts'
import { cacheRowsOf } from '../../support/stores.ts'
import { fiveMinutes, type JobInstance, openJobCluster } from './cluster.ts'

const hour = 3_600_000
/** Entries in the cache, whose clock was ahead, would be valid for longer. */
const entry = { operationId: 'X_GET.v1', generation: 0, status: 200, headers: [], body: Buffer.from('x') }

/** Where the database is slow, jobs give up their turn, and try again at the next. */
async function plan(instance: JobInstance): Promise<void> {
  const rows = openJobs(instance.gateway.store.databases)
  await poll(async () => {
    await instance.run()
    return (await rows.list()).length > 0
  })
}

forEachDatabase((database) => {
  test(`17.10, 24.3 when a clock that was ahead is set back, jobs run on, and what was cached meanwhile is deleted (${database.name})`, async (t) => {
    const cluster = await openJobCluster(t, { database, work() {} })
    cluster.advance(Date.now() + hour - cluster.now())
    const instance = await cluster.open()
    const { store } = instance.gateway
    await plan(instance)
    cluster.advance(fiveMinutes)
    await poll(async () => {
      await instance.run()
      return instance.runs.length > 0
    })
    assert.deepEqual(instance.runs, ['succeeded 1'])
    const now = cluster.now()
    const ofBefore = now - 2 * hour
    const cache = cacheRowsOf(store)
    await cache.put('before', { ...entry, expires: now + 9 * hour }, ofBefore)
    await cache.put('ahead', { ...entry, expires: now + 9 * hour }, now)
    await store.instances.beat({ id: 'gone', seen: Math.floor(now), started: 0, facts: '{}' }, 0)
    await runOutside(cluster.url, `update ig_job set token = 'of a dead process', until = ${now + leaseTime}`)
    await runOutside(
      cluster.url,
      `insert into ig_session_key (id, public_key, private_key, created, signs) values ('key', 'x', 'x', ${now}, ${now})`,
    )
    const { epoch } = (await runOutside(cluster.url, "select epoch from ig_epoch where name = 'operators'"))[0] ?? {}
    cluster.advance(-hour - fiveMinutes)
    await poll(async () => (await cache.find('ahead')) === undefined)
    assert.ok(await cache.find('before'))
    const [instanceRow] = await store.instances.list()
    const [job] = await runOutside(cluster.url, 'select until, last, begun, ended from ig_job')
    const [key] = await runOutside(cluster.url, 'select signs from ig_session_key') // without one that signs now, no token is made
    const [after] = await runOutside(cluster.url, "select epoch from ig_epoch where name = 'operators'")
    assert.ok(Number(after?.epoch) > Number(epoch))
    const times = [instanceRow?.seen, key?.signs, job?.last, job?.begun, job?.ended, Number(job?.until) - leaseTime]
    assert.deepEqual(
      times.filter((time) => Number(time) > Date.now() + 1),
      [],
    )
    await runOutside(cluster.url, 'update ig_job set token = null')
    await poll(async () => {
      cluster.advance(fiveMinutes) // the clock of the database may have been compared meanwhile
      await instance.run()
      return instance.runs.length > 1
    })
    assert.deepEqual(instance.runs, ['succeeded 1', 'succeeded 1'])
  })

  test(`17.10 times that are legitimately in the future stay, and so does everything while the clock is right (${database.name})`, async (t) => {
    const cluster = await openJobCluster(t, { database, work() {} })
    cluster.advance(Date.now() - cluster.now())
    const instance = await cluster.open()
    const { store } = instance.gateway
    await plan(instance)
    const cache = cacheRowsOf(store)
    await cache.put('key', { ...entry, expires: cluster.now() + hour }, cluster.now())
    await runOutside(
      cluster.url,
      `update ig_job set retry = ${Date.now() + hour}, token = 'held', until = ${Date.now() + leaseTime}`,
    )
    const deletion = { key: 'deletion', owner: 'another process' }
    assert.equal(await openIdempotencyRows(store.databases).claim(deletion, deleteEvery, cluster.now()), 'claimed')
    const before = await runOutside(cluster.url, 'select * from ig_job')
    const writers = database.name === 'SQLite' ? [cluster.url, besides(cluster.url, 'cache')] : []
    const held = writers.map((file) => new DatabaseSync(file))
    for (const writer of held) writer.exec('begin immediate') // it is read, and not written
    assert.equal(await store.correctFutureTimes(cluster.now()), 0)
    for (const writer of held) writer.close()
    assert.deepEqual(await runOutside(cluster.url, 'select * from ig_job'), before)
    assert.ok(await cache.find('key'))
  })
})

const preload = pathToFileURL(join(import.meta.dirname, '../../support/settable-clock.mjs')).href
const ahead = { NODE_OPTIONS: `--import ${preload}` }

test('17.10 a process notices that its clock was set back, and the next one that the clock of an earlier one was ahead (SQLite)', async (t) => {
  const { start, env } = await openCluster(t, findDatabase('SQLite'))
  const cacheFile = besides(String(env.IG_DATABASE), 'cache')
  /** A response is stored after it was sent: before that there is nothing that could be deleted. */
  const stored = (query: string) =>
    poll(async () => {
      const rows = await runOutside(cacheFile, 'select url from ig_rest_cache where status <> 0')
      return rows.some(({ url }) => String(url).includes(query))
    })
  const first = await start(['--workers', '1'], ahead)
  const made = await first.call('GET CACHED.v1/?a', 'ttl=60000')
  assert.equal((await first.call('GET CACHED.v1/?a', 'ttl=60000')).text, made.text)
  await stored('?a')
  first.process.kill('SIGUSR2')
  await first.until(/"event":"clockSetBack","message":"The clock was ahead and has been set back\./)
  assert.notEqual((await first.call('GET CACHED.v1/?a', 'ttl=60000')).text, made.text)
  await first.stop()

  const second = await start(['--workers', '1'], ahead)
  const later = await second.call('GET CACHED.v1/?b', 'ttl=60000')
  await stored('?b')
  await second.stop()
  const third = await start(['--workers', '1'])
  await third.until(/"event":"clockSetBack"/)
  assert.notEqual((await third.call('GET CACHED.v1/?b', 'ttl=60000')).text, later.text)
  await third.stop()
})
