/** The last minutes of a cluster, as the overview of administration has them (specification 20.8 to 20.10). */
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { openCollected } from '../../src/observe/metrics/collect.ts'
import { drawOverview, percentile } from '../../src/observe/metrics/overview.ts'
import { bounds, type Report } from '../../src/observe/metrics/report.ts'
import { openSteps } from '../../src/observe/metrics/steps.ts'
import { openHeartbeat } from '../../src/serve/heartbeat.ts'
import { openStore } from '../../src/store/open-store.ts'
import { openTestAdmin } from '../support/admin.ts'
import { send } from '../support/client.ts'
import { findDatabase, forEachDatabase } from '../support/databases.ts'
import { root } from '../support/gateway.ts'

const start = Date.parse('2026-03-01T12:00:00Z')

function reportOf(operation: string, calls: number, more: Partial<Report['calls'][number]> = {}): Report {
  const call = {
    operation,
    method: 'GET',
    status: '2xx',
    cache: 'none',
    seconds: 0,
    failed: 0,
    buckets: [8, calls],
    ...more,
  } as const
  return { worker: 0, calls: [call], refusals: [], counters: {}, gauges: {} }
}

test('20.8 percentiles are read between two bounds, and are null without calls', () => {
  const at = (seconds: number) => bounds.indexOf(seconds)
  const buckets = new Float64Array(bounds.length + 1)
  assert.equal(percentile(buckets, 0, 0.5), null)
  buckets[at(0.002)] = 90
  buckets[at(0.1)] = 10
  assert.equal(percentile(buckets, 100, 0.5), 1.778)
  assert.equal(percentile(buckets, 100, 0.9), 2)
  assert.equal(percentile(buckets, 100, 0.95), 87.5)
  buckets[bounds.length] = 100
  assert.equal(percentile(buckets, 200, 0.99), 60_000, 'beyond the last bound')
})

test('20.8 points cover five seconds of all instances together, up to a few seconds ago', () => {
  let now = start
  const [one, other] = [openSteps(() => now), openSteps(() => now)]
  one.add(reportOf('A_GET.v1', 20, { cache: 'hit' }))
  other.add(reportOf('A_GET.v1', 10, { cache: 'miss', failed: 4 }))
  other.add({ calls: [], refusals: [{ operation: 'A_GET.v1', code: 'permissionDenied', count: 4 }] })
  now += 5_000
  other.add(reportOf('B_POST.v1', 5, { method: 'POST' }))
  other.add(reportOf('(health)', 1000))
  now += 8_000
  const steps = [one.finished(), other.finished()]
  const drawn = drawOverview(steps, { now, minutes: 1 })
  assert.deepEqual([drawn.points.length, drawn.to], [12, start + 10_000])
  const [before, last] = drawn.points.slice(-2)
  assert.deepEqual([before?.time, before?.calls, before?.perSecond, before?.failed], [start, 30, 6, 4])
  assert.deepEqual([before?.cacheHits, before?.cacheMisses, before?.cacheHitRate], [20, 10, 0.6667])
  assert.deepEqual([last?.calls, last?.cacheHitRate, before?.refusals], [5, null, { permissionDenied: 4 }])
  assert.equal(drawn.total.calls, 35)
  assert.deepEqual(
    drawn.operations.map(({ operation, method, calls }) => [operation, method, calls]),
    [
      ['A_GET.v1', 'GET', 30],
      ['B_POST.v1', 'POST', 5],
    ],
  )
  const ofOne = drawOverview(steps, { now, minutes: 1, operation: 'B_POST.v1' })
  assert.deepEqual([ofOne.total.calls, ofOne.operations.length], [5, 2])
})

test('20.8 15 minutes are kept, and for each step the fifty operations with the most calls', () => {
  let now = start
  const steps = openSteps(() => now)
  for (let index = 0; index < 60; index += 1) steps.add(reportOf(`OP${index}_GET.v1`, 100 - index))
  now += 5_000
  const [step] = steps.finished()
  assert.equal(step?.operations.length, 51)
  const rest = step?.operations.at(-1)
  assert.deepEqual([rest?.operation, rest?.calls], ['(others)', 455])
  now += 3_600_000
  assert.equal(steps.finished().length, 180)
  now -= 7_200_000 // the clock was set: what was in the future is no more
  assert.equal(steps.finished().length, 0)
})

forEachDatabase((database) => {
  test(`20.9 every instance shows the calls and the revision of all instances that report (${database.name})`, async (t) => {
    const { url, remove } = await database.open()
    t.after(remove)
    let now = start + 0.119_072 // as the gateway's clock has it
    const failures: unknown[] = []
    const open = async (port: number, revision: number) => {
      const store = await openStore(url)
      t.after(() => store.close())
      const clock = { instances: store.instances, clockOffset: 0 }
      const collected = openCollected({ maxOperations: 100, now: () => now })
      const facts = { url: `http://127.0.0.1:${port}`, version: '1.2.3' }
      const heartbeat = openHeartbeat({
        store: clock,
        collected,
        facts,
        revision: () => revision,
        now: () => now,
        every: 1e9,
        observe: (failure) => void failures.push(failure),
      })
      return { collected, heartbeat }
    }
    const one = await open(8080, 4)
    const other = await open(8090, 5)
    one.collected.add(reportOf('A_GET.v1', 7))
    other.collected.add(reportOf('A_GET.v1', 3))
    now += 5_000
    await Promise.all([one.heartbeat.beat(), other.heartbeat.beat()])
    for (const { heartbeat } of [one, other]) {
      const { isAlone, instances, steps } = await heartbeat.readAll()
      assert.equal(isAlone, false)
      assert.deepEqual(
        instances.map(({ url, revision, processes }) => [url, revision, processes]),
        [
          ['http://127.0.0.1:8080', 4, 1],
          ['http://127.0.0.1:8090', 5, 1],
        ],
      )
      assert.equal(drawOverview(steps, { now: now + 5_000, minutes: 1 }).total.calls, 10)
    }

    await other.heartbeat.close()
    assert.equal((await one.heartbeat.readAll()).instances.length, 1)
    const again = await open(8090, 5)
    await again.heartbeat.beat()
    const kept = await again.heartbeat.readAll()
    assert.equal(drawOverview(kept.steps, { now: now + 5_000, minutes: 1 }).total.calls, 10, 'also its own of before')

    now += 1_000_000
    await one.heartbeat.beat()
    const late = await one.heartbeat.readAll()
    assert.deepEqual([late.instances.length, drawOverview(late.steps, { now, minutes: 15 }).total.calls], [1, 0])
    assert.deepEqual(failures, [])
    await one.heartbeat.close()
    await again.heartbeat.close()
  })

  test(`20.9 a restarted instance takes over its row, and the end of the old one leaves it (${database.name})`, async (t) => {
    const { url, remove } = await database.open()
    t.after(remove)
    const store = await openStore(url)
    t.after(() => store.close())
    const row = (started: number) => ({ id: 'a:1', started, seen: started, facts: '{}' })
    await store.instances.beat(row(1000), [{ instance: 'a:1', time: 500, counts: '[]' }], 0)
    await store.instances.beat(row(2000), [{ instance: 'a:1', time: 500, counts: '[]' }], 0)
    await store.instances.remove('a:1', 1000)
    assert.deepEqual(await store.instances.list(), [row(2000)])
    assert.equal((await store.instances.stepsSince(0)).length, 1)
    await store.instances.remove('a:1', 2000)
    assert.deepEqual(await store.instances.list(), [])
  })
})

test('20.8, 20.9 the API returns the last minutes and the instances, to viewers too', async (t) => {
  let now = Date.now()
  const { ask, opened } = await openTestAdmin(t, { database: findDatabase('SQLite'), now: () => now })
  const call = (path: string) => send(opened.url, `GET ${root}/${path}`)
  for (let times = 0; times < 3; times += 1) await call('METADATA.v1/')
  await call('METADATA_BASIC.v1/')
  await ask('GET /metrics') // counts what has not been told yet
  now += 9_000
  const { status, body } = await ask('GET /api/statistics?minutes=1&sort=failed&limit=1', { as: 'viewer' })
  assert.equal(status, 200)
  assert.deepEqual([body.stepSeconds, body.points.length, body.instances, body.isPartial], [5, 12, 1, false])
  assert.deepEqual([body.total.calls, body.total.failed, body.total.refusals], [4, 1, { basicRejected: 1 }])
  assert.ok(body.total.p50 > 0 && body.total.p99 >= body.total.p50)
  assert.deepEqual(
    body.operations.map((each: { operation: string }) => each.operation),
    ['METADATA_BASIC_GET.v1'],
  )
  assert.equal(body.operationCount, 2)
  const one = (await ask('GET /api/statistics?operation=METADATA_GET.v1')).body
  assert.deepEqual([one.total.calls, one.points.length, one.operations.length], [3, 60, 2])

  const { items, activeRevision, isPartial } = (await ask('GET /api/instances', { as: 'viewer' })).body
  assert.deepEqual([items.length, activeRevision, isPartial], [1, 1, false])
  const { url, revision, processes, state, isThis } = items[0]
  assert.deepEqual([url, revision, processes, state, isThis], [opened.url, 1, 1, 'current', true])
})

test('20.10 during a store outage an instance returns its own calls, marked as partial', async (t) => {
  let now = Date.now()
  const { ask, opened, observations } = await openTestAdmin(t, { database: findDatabase('SQLite'), now: () => now })
  await send(opened.url, `GET ${root}/METADATA.v1/`)
  await ask('GET /metrics')
  now += 9_000
  const cache = new DatabaseSync(opened.gateway.settings.database.replace(/\.sqlite$/, '-cache.sqlite'))
  cache.exec('drop table ig_instance_step')
  cache.close()
  const { status, body } = await ask('GET /api/statistics')
  assert.deepEqual([status, body.isPartial, body.instances, body.total.calls], [200, true, 1, 1])
  const { items, isPartial } = (await ask('GET /api/instances')).body
  assert.deepEqual([items.length, items[0].isThis, isPartial], [1, true, true])
  const told = () => observations.filter((each) => each.kind === 'event' && each.name === 'heartbeatFailed').length
  while (told() === 0) await pause(20)
  assert.equal(told(), 1)
})

test('20.7 with metrics off nothing is counted, and the API says so', async (t) => {
  const { ask } = await openTestAdmin(t, { database: findDatabase('SQLite'), properties: { 'ig.metrics': 'off' } })
  for (const path of ['/metrics', '/api/statistics', '/api/instances']) {
    const { status, body } = await ask(`GET ${path}`)
    assert.deepEqual([status, body.code], [409, 'metricsOff'], path)
  }
})
