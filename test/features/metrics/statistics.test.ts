/** The last minutes of a cluster, as the overview of administration has them (specification 20.8 to 20.10). */
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { inSlices } from '../../../src/base/in-slices.ts'
import { CallSum, percentile } from '../../../src/features/metrics/call-sum.ts'
import { openCollected } from '../../../src/features/metrics/collect.ts'
import { drawHistory, drawOperations, sortOperations } from '../../../src/features/metrics/draw-history.ts'
import { findAlerts, type Thresholds } from '../../../src/features/metrics/find-alerts.ts'
import { openHeartbeat } from '../../../src/features/metrics/heartbeat.ts'
import { chooseView, type HistoryView } from '../../../src/features/metrics/history-view.ts'
import type { Instance } from '../../../src/features/metrics/list-instances.ts'
import type { WrittenRow } from '../../../src/features/metrics/metric-row.ts'
import { openMinutes } from '../../../src/features/metrics/minutes.ts'
import { drawOverview, type OperationFigures } from '../../../src/features/metrics/overview.ts'
import { openMetricRows } from '../../../src/features/metrics/rows.ts'
import { openSteps } from '../../../src/features/metrics/steps.ts'
import type { Observation } from '../../../src/model/observation.ts'
import { Refusal } from '../../../src/model/refusal.ts'
import { openCallCounter } from '../../../src/observe/metrics/count-calls.ts'
import { bounds } from '../../../src/observe/metrics/report.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { openTestAdmin } from '../../support/admin.ts'
import { send } from '../../support/client.ts'
import { findDatabase, forEachDatabase } from '../../support/databases.ts'
import { root } from '../../support/gateway.ts'
import { poll } from '../../support/poll.ts'
import { reportOf, writeMinutes } from './minutes.ts'

const start = Date.parse('2026-03-01T12:00:00Z')

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
  other.add(reportOf('A_GET.v1', 4, { cache: 'miss' }))
  other.add(reportOf('A_GET.v1', 2, { cache: 'miss', outcome: 'failed' }))
  other.add(reportOf('A_GET.v1', 4, { cache: 'miss', outcome: 'refused', seconds: 0, longest: 0, buckets: [] }))
  other.add({ calls: [], refusals: [{ operation: 'A_GET.v1', code: 'permissionDenied', count: 4 }] })
  now += 5_000
  other.add(reportOf('B_POST.v1', 5, { method: 'POST' }))
  other.add(reportOf('(health)', 1000))
  now += 8_000
  const steps = [one.finished(), other.finished()]
  const drawn = drawOverview(steps, { now, minutes: 1 })
  assert.deepEqual([drawn.points.length, drawn.to], [12, start + 10_000])
  const [before, last] = drawn.points.slice(-2)
  assert.deepEqual([before?.time, before?.calls, before?.perSecond], [start, 30, 6])
  assert.deepEqual([before?.refused, before?.failed, before?.failureRate], [4, 2, 0.07692], '2 of 26')
  assert.deepEqual([before?.mean, before?.p50, before?.p99, before?.longest], [1, 0.875, 0.9975, 1], 'of 26')
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
        rows: openMetricRows(store.databases),
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
    const rows = openMetricRows(store.databases)
    for (const started of [1000, 2000]) {
      await rows.writeSteps([{ instance: 'a:1', time: 500, counts: '[]' }], 0)
      await store.instances.beat(row(started), 0)
    }
    await store.instances.remove('a:1', 1000)
    assert.deepEqual(await store.instances.list(), [row(2000)])
    assert.equal((await rows.stepsSince(0)).length, 1)
    await store.instances.remove('a:1', 2000)
    assert.deepEqual(await store.instances.list(), [])
  })
})

forEachDatabase((database) => {
  test(`43.1, 43.2, 43.3, 43.4, 43.5 minutes and hours of several processes add up, a gap stays a gap, and both expire (${database.name})`, async (t) => {
    const { url, remove } = await (database.openMigrated ?? database.open)()
    t.after(remove)
    const store = await openStore(url)
    const history = openMetricRows(store.databases)
    t.after(() => store.close())
    const minute = 60_000
    const callers = [
      { operation: 'A_GET.v1', operator: 'DEMO', count: 3 },
      { operation: 'A_GET.v1', operator: '', count: 1 },
    ]
    const gauges = { process_resident_memory_bytes: 5e7, nodejs_eventloop_lag_max_seconds: 0.02 }
    const ofA = (count: number, outcome: 'served' | 'failed') =>
      reportOf('A_GET.v1', count, { code: 200, seconds: count / 100, longest: 0.03, outcome }).calls
    const calls = (failed: number) => ({
      ...reportOf('A_GET.v1', 0),
      calls: [...ofA(4 - failed, 'served'), ...(failed > 0 ? ofA(failed, 'failed') : [])],
      callers,
      gauges,
    })
    const rare = reportOf('B_GET.v1', 1, { code: 503, seconds: 2, longest: 2, outcome: 'failed', buckets: [29, 1] })
    // One instance restarts after five minutes; another has a clock that is 20 s behind; for an hour neither runs.
    const first = await writeMinutes(start, Array(5).fill([calls(1)]))
    const restarted = await writeMinutes(start + 5 * minute, Array(5).fill([calls(0)]))
    const other = await writeMinutes(start - 20_000, [[rare], ...Array(9).fill([])])
    const resumed = await writeMinutes(start + 70 * minute, Array(5).fill([calls(0)]))
    const now = start + 75 * minute + 10_000
    for (const [writer, rows] of Object.entries({
      'a:1/x': first,
      'a:1/y': restarted,
      'b:1/z': other,
      'a:1/w': resumed,
    }))
      await history.write(writer, rows, now)
    await history.write('a:1/x', first, now) // once more, as after a lost answer

    const view = chooseView({ minutes: 80 }, now) as HistoryView
    assert.deepEqual(
      [view.step, view.to, view.sums.map(({ resolution }) => resolution)],
      [minute, start + 75 * minute, [60, 3600]],
    )
    const all = await history.read('', view.points)
    const drawn = await inSlices(drawHistory(all, undefined, view))
    assert.deepEqual(
      drawn.points.map(({ time, calls }) => [(time - start) / minute, calls]),
      [[-1, 1], ...[...Array(10).keys()].map((at) => [at, 4]), ...[70, 71, 72, 73, 74].map((at) => [at, 4])],
    )
    const { total } = drawn
    assert.deepEqual([total.calls, total.failed, total.statuses], [61, 6, { 200: 60, 503: 1 }])
    assert.deepEqual([total.longest, total.mean, total.p50], [2000, round((0.6 + 2) / 61), 0.8771])
    assert.deepEqual(
      [drawn.callers, drawn.otherCallers],
      [
        [
          { operator: 'DEMO', calls: 45 },
          { operator: null, calls: 15 },
        ],
        0,
      ],
    )
    assert.deepEqual(
      drawn.instances.map(({ id, points }) => [id, points.length, points[1]?.memory, points[1]?.delay]),
      [
        ['a:1', 15, 5e7, 20],
        ['b:1', 10, null, 0],
      ],
    )
    assert.equal(drawn.points[1]?.perSecond, round(4 / 60 / 1000), 'the rate of a whole minute')

    const own = await inSlices(drawHistory(all, await history.read('B_GET.v1', view.points), view))
    assert.deepEqual([own.points.length, own.total.calls, own.points[1]?.calls, own.points[1]?.p50], [16, 1, 0, null])
    const long = chooseView({ minutes: 300 }, now) as HistoryView
    assert.deepEqual(
      long.sums.map(({ resolution }) => resolution),
      [60, 3600],
    )
    const sorted = sortOperations(await history.sum(long.sums), 'mean')
    assert.deepEqual(
      sorted.map(({ operation, calls, failed }) => [operation, calls, failed]),
      [
        ['B_GET.v1', 1, 1],
        ['A_GET.v1', 60, 5],
      ],
    )
    const [a] = await inSlices(drawOperations(['A_GET.v1'], await history.details(['A_GET.v1'], long.sums), 900))
    assert.deepEqual([a?.calls, a?.method, a?.p95], [60, 'GET', 0.9875])

    await history.write('a:1/w', [], now + 49 * 3_600_000)
    await history.write('a:1/w', [], now + 49 * 3_600_000)
    await history.write('a:1/w', [], now + 49 * 3_600_000)
    assert.deepEqual(await history.read('', view.points), [])
    const week = chooseView({ minutes: 10_080 }, now + 49 * 3_600_000) as HistoryView
    const hours = await inSlices(drawHistory(await history.read('', week.points), undefined, week))
    assert.deepEqual([week.step, hours.total.calls, hours.points.length], [3_600_000, 61, 3])
    assert.equal(hours.points[1]?.perSecond, round(40 / 600 / 1000), 'ten minutes of this hour were counted')
    await history.write('a:1/w', [], now + 10 * 24 * 3_600_000)
    assert.deepEqual(await history.read('', week.points), [])
  })
})

test('43.1 calls of an operation are counted by status and by caller, in whatever order they come', () => {
  const counter = openCallCounter({})
  const operation = { id: 'OP_GET.v1', method: 'GET' }
  const call = (caller: string, status: number) => {
    const transaction = { operation, operator: { id: caller }, begun: 0 }
    counter.observe({
      kind: 'answered',
      call: {},
      transaction,
      reply: { status },
      ended: 1,
    } as unknown as unknown as Observation)
  }
  for (let round = 0; round < 2; round += 1) {
    for (const [caller, status] of [
      ['A', 200],
      ['B', 404],
      ['B', 200],
      ['A', 404],
      ['A', 200],
    ] as const)
      call(caller, status)
    for (let other = 0; other < 100; other += 1) call(`OTHER_${other}`, 200)
    const { calls, callers } = counter.take()
    assert.deepEqual(
      calls.map(({ code, buckets }) => [code, buckets[1]]),
      [
        [200, 103],
        [404, 2],
      ],
    )
    const counts = new Map(callers?.map(({ operator, count }) => [operator, count]))
    assert.deepEqual(
      ['A', 'B', 'OTHER_0', 'OTHER_97', 'OTHER_98', '(others)'].map((name) => counts.get(name)),
      [3, 2, 1, 1, undefined, 2],
    )
  }
  counter.take()
  assert.deepEqual(counter.take().calls, [])
})

test('20.3, 20.8 the deliberate delay of a refused call is in no duration, percentile or maximum', () => {
  const counter = openCallCounter({})
  const transaction = { operation: { id: 'OP_GET.v1', method: 'GET' }, begun: 0 }
  const answer = (ended: number, refusal?: Refusal) =>
    counter.observe({
      kind: 'answered',
      call: {},
      transaction,
      reply: { status: 401 },
      refusal,
      ended,
    } as unknown as Observation)
  answer(15)
  answer(30_000, new Refusal('basicRejected', 'a wrong password'))
  const sum = new CallSum()
  for (const count of counter.take().calls) sum.addCount(count)
  const { calls, refused, failed, p99, mean, longest } = sum.figures(5)
  assert.deepEqual([calls, refused, failed, p99, mean, longest], [2, 1, 0, 14.95, 15, 15])
})

test('43.2 the most called operations of a minute have rows of their own, and callers beyond the bound are added up', async () => {
  const many = Array.from({ length: 1200 }, (_, index) => reportOf(`OP${index}_GET.v1`, 2000 - index))
  const callers = Array.from({ length: 500 }, (_, index) => ({
    operation: 'OP0_GET.v1',
    operator: `O${index}`,
    count: index,
  }))
  const rows = await writeMinutes(start, [[...many, { ...reportOf('OP0_GET.v1', 1), callers }]])
  const of = (resolution: number) => rows.filter((row) => row.resolution === resolution)
  assert.deepEqual([of(60).length, of(3600).length], [202, 1002])
  for (const resolution of [60, 3600]) {
    const [all, ...each] = of(resolution)
    assert.equal(all?.operation, '')
    assert.equal(
      each.reduce((sum, { calls }) => sum + calls, 0),
      all?.calls,
    )
    assert.equal(JSON.parse(all?.details ?? '').isCut, true)
    const named = JSON.parse(each.find(({ operation }) => operation === 'OP0_GET.v1')?.details ?? '').callers
    assert.deepEqual([Object.keys(named).length, named.O499], [21, 499])
    assert.equal(
      Object.values<number>(named).reduce((sum, count) => sum + count, 0),
      (500 * 499) / 2,
    )
  }
})

test('43.1 rows wait for the store, the end of a process brings its last minute, and a sleeping machine leaves a gap', async () => {
  let now = start
  const minutes = openMinutes(() => now)
  minutes.add({ ...reportOf('A_GET.v1', 9), gauges: { process_resident_memory_bytes: 5e7 } })
  now += 60_000
  assert.deepEqual(await minutes.due(), [], 'the clock of the database is not known before')
  minutes.add(reportOf('A_GET.v1', 1))
  now += 60_000
  const [first] = await minutes.due()
  assert.deepEqual([first?.time, first?.calls], [start + 60_000, 10])
  assert.equal(JSON.parse(first?.details ?? '').memory, 5e7, 'as it was last reported')
  assert.deepEqual((await minutes.due())[0], first)
  minutes.add(reportOf('A_GET.v1', 2))
  now += 600_000
  minutes.add(reportOf('A_GET.v1', 3))
  now += 20_000
  minutes.end()
  const times = (await minutes.due()).filter(({ resolution, operation }) => resolution === 60 && operation === '')
  assert.deepEqual(
    times.map(({ time, calls, details }) => [(time - start) / 60_000, calls, JSON.parse(details).covered]),
    [
      [1, 10, 60],
      [2, 2, 60],
      [12, 3, 20],
    ],
  )
})

test('43.4 the steps of a time span are long enough for 400 points, and an hour where minutes are no more', () => {
  const day = 24 * 3_600_000
  const of = (span: Parameters<typeof chooseView>[0]) => {
    const view = chooseView(span, start)
    return view && [view.step / 60_000, (view.to - view.from) / view.step]
  }
  assert.deepEqual(of({ minutes: 60 }), [1, 60])
  assert.deepEqual(of({ minutes: 1440 }), [5, 289])
  assert.deepEqual(of({ minutes: 2870 }), [10, 288])
  assert.deepEqual(of({ minutes: 10_080 }), [60, 169])
  assert.deepEqual(of({ minutes: 60, to: start - 3 * day }), [60, 1])
  assert.deepEqual(of({ minutes: 60, from: start - 90 * day }), [60, 216])
  assert.equal(of({ minutes: 60, from: start }), undefined)
  assert.equal(of({ minutes: 60, from: start - 1000, to: start - 2000 }), undefined)
})

test('43.7 an alert names an operation or an instance that exceeds a threshold, is missing or has a condition', () => {
  const operation = (name: string, calls: number, failed: number, p95: number, refused = 0) => ({
    operation: name,
    calls: calls + refused,
    refused,
    failureRate: failed / calls,
    p95,
  })
  const operations = [
    operation('A_GET.v1', 100, 6, 900, 100),
    operation('D_GET.v1', 19, 19, 1500, 100),
    operation('B_GET.v1', 100, 5, 1500),
    operation('C_GET.v1', 19, 19, 1500),
    operation('(unknown)', 100, 100, 1),
  ] as OperationFigures[]
  const rows = [0.3, 0.25, 0.21].flatMap((delay, at) =>
    ['a:1', 'b:1'].map((instance) => ({
      instance,
      details: JSON.stringify({ delay: instance === 'b:1' && at === 2 ? 0 : delay, memory: 5e8 }),
    })),
  ) as WrittenRow[]
  const described = { title: '', severity: 'warning', means: '', action: '' } as const
  const instances = [
    { id: 'a:1', seen: start - 14_000, conditions: [{ name: 'stopping', detail: '' }] },
    { id: 'b:1', seen: start - 16_000, conditions: [] },
    { id: 'c:1', seen: start, conditions: [{ name: 'storeFull', detail: 'The disk is full.' }] },
  ] as unknown as Instance[]
  const find = (thresholds: Partial<Thresholds>) =>
    findAlerts(
      { operations, rows, instances, now: start },
      { failures: undefined, latency: undefined, delay: undefined, memory: undefined, ...thresholds },
      { GatewayStoreFull: { ...described, conditions: ['storeFull'] }, GatewayFaults: described },
    ).map(({ name, subject, detail }) => `${name} ${subject}: ${detail}`)
  const found = [
    `GatewayMissing b:1: last report at ${new Date(start - 16_000).toISOString()}`,
    'GatewayStoreFull c:1: The disk is full.',
  ]
  assert.deepEqual(find({}), found)
  assert.deepEqual(find({ failures: 5, latency: 1000, delay: 200, memory: 6e8 }), [
    'GatewayFaults A_GET.v1: 6 % of its calls failed in the last 5 minutes (threshold 5 %)',
    'GatewaySlow B_GET.v1: one in twenty calls took longer than 1,500 ms in the last 5 minutes (threshold 1,000 ms)',
    'GatewayEventLoopLate a:1: its event loop was delayed by 210 ms for 3 minutes (threshold 200 ms)',
    ...found,
  ])
  assert.equal(find({ memory: 4e8 }).length, 4)
})

/** Milliseconds of seconds, with four digits. */
function round(seconds: number): number {
  return Number((seconds * 1000).toPrecision(4))
}

test('20.8, 20.9, 43.4, 43.6 the API returns the last minutes, the history and the instances, to viewers too', async (t) => {
  let now = Date.now()
  const { ask, opened } = await openTestAdmin(t, { database: findDatabase('SQLite'), now: () => now })
  const call = (path: string) => send(opened.url, `GET ${root}/${path}`)
  for (let times = 0; times < 3; times += 1) await call('METADATA.v1/')
  await call('METADATA_BASIC.v1/')
  await ask('GET /metrics') // counts what has not been told yet
  now += 9_000
  const { status, body } = await ask('GET /api/statistics?minutes=1&sort=p95&limit=1', { as: 'viewer' })
  assert.equal(status, 200)
  assert.deepEqual([body.stepSeconds, body.points.length, body.instances, body.isPartial], [5, 12, 1, false])
  const { calls, refused, failed, failureRate, refusals } = body.total
  assert.deepEqual([calls, refused, failed, failureRate, refusals], [4, 1, 0, 0, { basicRejected: 1 }])
  assert.deepEqual([body.total.p99, body.total.longest], [0, 0], 'not above the longest: the clock stands still')
  assert.deepEqual(
    body.operations.map((each: { operation: string }) => each.operation),
    ['METADATA_GET.v1'],
  )
  assert.equal(body.operationCount, 2)
  const one = (await ask('GET /api/statistics?operation=METADATA_GET.v1')).body
  assert.deepEqual([one.total.calls, one.points.length, one.operations.length], [3, 60, 2])

  const live = (await ask('GET /api/metrics/history?minutes=5&sort=mean&limit=1', { as: 'viewer' })).body
  assert.deepEqual([live.stepSeconds, live.total.calls, live.total.statuses], [5, 4, { 200: 3, 401: 1 }])
  assert.ok(live.points.length < 10, 'no points before the start')
  assert.deepEqual([live.operations.length, live.operationCount], [1, 2])
  assert.ok(live.callers.some(({ operator }: { operator: string | null }) => operator === null))
  now += 120_000
  const history = async (query: string) => (await ask(`GET /api/metrics/history?${query}`, { as: 'viewer' })).body
  await poll(async () => (await history('minutes=60')).total.calls === 4)
  const stored = await history('minutes=60&operation=METADATA_GET.v1')
  assert.deepEqual([stored.stepSeconds, stored.total.calls, stored.operationCount], [60, 3, 2])
  assert.deepEqual([stored.isPartial, stored.isCut, stored.instances.length], [false, false, 1])
  assert.ok(stored.instances[0].points[0].memory > 1e7)
  const day = (await ask('GET /api/metrics/operations?id=METADATA_GET.v1&id=ECHO_GET.v1', { as: 'viewer' })).body.items
  assert.deepEqual(
    day.map((each: OperationFigures) => [each.operation, each.calls]),
    [['METADATA_GET.v1', 3]],
  )
  assert.equal((await ask('GET /api/metrics/history?from=2020-01-01T00:00:00Z&to=2020-01-02T00:00:00Z')).status, 400)

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
  await poll(() => told() > 0)
  assert.equal(told(), 1)
})

test('20.7 with metrics off nothing is counted, and the API says so', async (t) => {
  const { ask } = await openTestAdmin(t, { database: findDatabase('SQLite'), properties: { 'ig.metrics': 'off' } })
  for (const path of [
    '/metrics',
    '/api/statistics',
    '/api/instances',
    '/api/metrics/history',
    '/api/metrics/operations?id=A',
    '/api/alerts',
  ]) {
    const { status, body } = await ask(`GET ${path}`)
    assert.deepEqual([status, body.code], [409, 'metricsOff'], path)
  }
})
