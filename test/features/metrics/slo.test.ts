/** The objectives of operations: slow calls, alerts of errors that burn their budget, and what is left (specification 43.10 to 43.13). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { GatewayDefinition } from '../../../src/configuration/configuration.ts'
import { parseConfiguration } from '../../../src/configuration/parse-configuration.ts'
import { findBurning } from '../../../src/features/metrics/find-burning.ts'
import { errorsLeft, objectivesOf } from '../../../src/features/metrics/objectives.ts'
import { openMetricRows } from '../../../src/features/metrics/rows.ts'
import type { Observation } from '../../../src/model/observation.ts'
import { formatProblem } from '../../../src/model/problem.ts'
import { Refusal } from '../../../src/model/refusal.ts'
import { openCallCounter } from '../../../src/observe/metrics/count-calls.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { hasMonitor, openTestAdmin } from '../../support/admin.ts'
import { send } from '../../support/client.ts'
import { findDatabase, forEachDatabase } from '../../support/databases.ts'
import { root } from '../../support/gateway.ts'
import { poll } from '../../support/poll.ts'
import { parseScrape, sumOf } from '../../support/scrape.ts'
import { reportOf, writeMinutes } from './minutes.ts'

const start = Date.parse('2026-03-01T12:00:00Z')
const minute = 60_000

type Slo = Readonly<Record<string, unknown>>

function parse(slos: Readonly<Record<string, Slo>>) {
  return parseConfiguration({
    nodes: [{ name: 'LOCAL_NODE', isDefaultLocal: true }],
    services: [{ name: 'S' }],
    operations: Object.entries(slos).map(([name, slo]) => {
      return { service: 'S', name, method: 'GET', handler: 'handlers/a.ts', slo }
    }),
  } as GatewayDefinition)
}

function objectives(slos: Readonly<Record<string, Slo>>) {
  const parsed = parse(slos)
  assert.ok('configuration' in parsed, JSON.stringify(parsed))
  return objectivesOf(parsed.configuration)
}

test('43.10 an slo has a share of good calls from 90% to 99.999%, a latency, or both; the share is 99% if left out', () => {
  const good = {
    A: { availability: '99.9%', latency: '300ms' },
    B: { availability: '90%' },
    C: { latency: '2s' },
    D: { availability: '99.999 %' },
  }
  assert.deepEqual(Object.fromEntries(objectives(good)), {
    'A_GET.v1': { allowed: 0.001, latency: 300 },
    'B_GET.v1': { allowed: 0.1, latency: undefined },
    'C_GET.v1': { allowed: 0.01, latency: 2000 },
    'D_GET.v1': { allowed: 0.000_01, latency: undefined },
  })
  const problemOf = (slo: Slo) => {
    const parsed = parse({ A: slo })
    return 'problems' in parsed ? parsed.problems.map(formatProblem).join('; ') : undefined
  }
  const share = 'operations[0].slo.availability must be a percentage of calls, from 90% to 99.999%: 99.9%'
  for (const availability of ['100%', '0%', '89.9%', '99.9', '99.9999%', '', '999%'])
    assert.equal(problemOf({ availability }), share)
  const time = 'operations[0].slo.latency must be a time with its unit, up to 24h: 500ms, 30s, 5min'
  for (const latency of ['300', '0ms', '-1s']) assert.equal(problemOf({ latency }), time)
  assert.match(problemOf({ availability: 99.9 }) ?? '', /availability must be a string, not 99\.9/)
  assert.match(problemOf({ latency: '1s', errors: '1%' }) ?? '', /slo\.errors is not a known field/)
  assert.match(problemOf({}) ?? '', /^operations\[0\]\.slo needs availability, latency or both/)
})

test('43.11 a call is slow if it was served and took longer than the latency', () => {
  const counter = openCallCounter({})
  const operation = { id: 'A_GET.v1', method: 'GET', slowAfter: 300 }
  const answer = (ended: number, status = 200, refusal?: Refusal, of = operation) => {
    const transaction = { operation: of, begun: 0 }
    counter.observe({
      kind: 'answered',
      call: {},
      transaction,
      reply: { status },
      refusal,
      ended,
    } as never as Observation)
  }
  answer(300)
  answer(301)
  answer(900, 404)
  answer(900, 500)
  answer(900, 403, new Refusal('permissionDenied', 'no list'))
  answer(900, 200, undefined, { id: 'B_GET.v1', method: 'GET' } as typeof operation)
  const slow = counter.take().calls.map(({ operation, code, slow }) => [operation, code, slow])
  assert.deepEqual(slow, [
    ['A_GET.v1', 200, 1],
    ['A_GET.v1', 404, 1],
    ['A_GET.v1', 500, 0],
    ['A_GET.v1', 403, 0],
    ['B_GET.v1', 200, 0],
  ])
})

test('20.8, 43.11, 43.13 slow calls are counted in statistics, history and scrape, and marked in the monitor; the history says which share of the errors is left', async (t) => {
  let now = Date.now()
  let taken = 0
  const { ask, opened } = await openTestAdmin(t, {
    database: findDatabase('SQLite'),
    now: () => (now += taken),
    properties: hasMonitor ? { 'ig.monitor': 'on' } : {},
    configure: (configuration) => ({
      ...configuration,
      operations: configuration.operations.map((operation) => {
        const slo = { METADATA: { availability: '90%', latency: '1ms' }, METADATA_BASIC: { latency: '24h' } }
        return { ...operation, slo: slo[operation.name as keyof typeof slo] }
      }),
    }),
  })
  const scrape = async () => parseScrape((await ask('GET /metrics')).body)
  const slowOf = (scraped: Awaited<ReturnType<typeof scrape>>) =>
    scraped.get('ig_slow_calls_total')?.samples.map(({ labels, value }) => [labels.operation, value])
  const first = await scrape()
  assert.deepEqual(slowOf(first), [
    ['METADATA_GET.v1', 0],
    ['METADATA_BASIC_GET.v1', 0],
  ])
  assert.equal(sumOf(first, 'ig_slo_errors_allowed', { operation: 'METADATA_GET.v1' }), 0.1)
  assert.equal(sumOf(first, 'ig_slo_errors_allowed', { operation: 'METADATA_BASIC_GET.v1' }), 0.01)

  const call = () => send(opened.url, `GET ${root}/METADATA.v1/`)
  taken = 5
  const { headers } = await call()
  taken = 0
  for (let times = 0; times < 39; times += 1) await call()
  assert.equal(sumOf(await scrape(), 'ig_slow_calls_total', { operation: 'METADATA_GET.v1' }), 1)
  now += 9_000
  const { body } = await ask('GET /api/statistics?minutes=1', { as: 'viewer' })
  const slow = body.operations.map((each: { operation: string; slow: number }) => [each.operation, each.slow])
  assert.deepEqual([body.total.slow, slow], [1, [['METADATA_GET.v1', 1]]])
  const history = async (query: string) => (await ask(`GET /api/metrics/history?${query}`, { as: 'viewer' })).body
  const ofOperation = 'minutes=5&operation=METADATA_GET.v1'
  assert.deepEqual((await history(ofOperation)).objective, { allowed: 0.1, latency: 1, left: 0.75 })
  assert.equal((await history('minutes=5')).objective, null)
  assert.equal((await history('minutes=5&operation=ECHO_GET.v1')).objective, null)
  now += 2 * minute
  await poll(async () => (await history('minutes=60&operation=METADATA_GET.v1')).total.slow === 1)

  if (!hasMonitor) return
  const transactions = async (query: string) =>
    (await ask(`GET /api/monitor/transactions?${query}`, { as: 'viewer' })).body.items
  await poll(async () => (await transactions('isSlow=true')).length > 0)
  const [{ transactionId, isSlow }, ...others] = await transactions('isSlow=true')
  assert.deepEqual([transactionId, isSlow, others.length], [headers['ig-transaction-id'], true, 0])
})

test('43.13 of the errors that an slo allows less than nothing may be left', () => {
  const objective = { allowed: 0.1, latency: undefined }
  assert.equal(errorsLeft(objective, { calls: 1000, refused: 900, failed: 20, slow: 10 }), -2)
  assert.equal(errorsLeft(objective, { calls: 100, refused: 100, failed: 0, slow: 0 }), 1)
})

test('43.2 minutes of operations with an slo are stored before those of operations with more calls', async () => {
  const many = Array.from({ length: 250 }, (_, index) => reportOf(`OP${index}_GET.v1`, 300 - index))
  const names = (await writeMinutes(start, [many], (operation) => operation === 'OP249_GET.v1'))
    .filter(({ resolution }) => resolution === 60)
    .map(({ operation }) => operation)
  assert.deepEqual(
    ['OP249_GET.v1', 'OP198_GET.v1', 'OP199_GET.v1'].map((name) => names.includes(name)),
    [true, true, false],
  )
})

forEachDatabase((database) => {
  test(`43.12 an alert begins if errors burn over the long and the short time, with at least 20 calls (${database.name})`, async (t) => {
    const { url, remove } = await (database.openMigrated ?? database.open)()
    t.after(remove)
    const store = await openStore(url)
    t.after(() => store.close())
    const rows = openMetricRows(store.databases)
    /** The minutes of an operation, from six hours ago: 1,000 calls in each, of which so many failed or were slow. */
    const of = (name: string, errors: (ago: number) => number, calls = 1000) =>
      Array.from({ length: 360 }, (_, at) => {
        const bad = errors(360 - at)
        return [
          reportOf(`${name}_GET.v1`, calls - bad),
          reportOf(`${name}_GET.v1`, bad / 2, { outcome: 'failed' }),
          reportOf(`${name}_GET.v1`, bad / 2, { slow: bad / 2 }),
          reportOf(`${name}_GET.v1`, calls, { outcome: 'refused' }),
        ]
      })
    const shapes: readonly (readonly [name: string, errors: (ago: number) => number, calls?: number])[] = [
      ['FAST', (ago) => (ago <= 60 ? 16 : 0)], // 1.6 % of an hour: 16 times; 0.27 % of six: less than 6 times
      ['SLOWLY', () => 8],
      ['BOTH', () => 20],
      ['OVER', (ago) => (ago > 31 ? 20 : 0)], // six hours, but not in the last half
      ['JUST_OVER', (ago) => (ago > 6 && ago <= 60 ? 100 : 0)], // in the last half hour, not in the last five minutes
      ['SHORT', (ago) => (ago <= 5 ? 100 : 0)], // 8.3 times in an hour
      ['FINE', () => 1],
      ['NONE', () => 500], // without an slo
      ['FEW', () => 0.05, 0.05], // all, but 18 in six hours
    ]
    const minutes = shapes.map(([name, errors, calls]) => of(name, errors, calls))
    const reports = Array.from({ length: 360 }, (_, at) => minutes.flatMap((each) => each[at] ?? []))
    for (let at = 0; at < 360; at += 60)
      await rows.write('a:1/x', await writeMinutes(start + at * minute, reports.slice(at, at + 60)), start)
    const named = shapes.flatMap(([name]) => (name === 'NONE' ? [] : [[name, { availability: '99.9%' }]]))
    const latest = start + 360 * minute
    const found = await findBurning(rows, objectives(Object.fromEntries(named)), latest)
    const sorted = found.map(({ name, subject }) => `${name} ${subject}`).sort()
    assert.deepEqual(sorted, [
      'GatewayObjectiveFarMissed BOTH_GET.v1',
      'GatewayObjectiveFarMissed FAST_GET.v1',
      'GatewayObjectiveMissed BOTH_GET.v1',
      'GatewayObjectiveMissed JUST_OVER_GET.v1',
      'GatewayObjectiveMissed SLOWLY_GET.v1',
    ])
    assert.equal(
      found.find(({ subject }) => subject === 'FAST_GET.v1')?.detail,
      '1.6 % of its calls failed or were slow in the last 1 h, 1.6 % in the last 5 minutes (its slo allows 0.1 %)',
    )
  })

  test(`43.7, 43.12 an operation that misses its objective is listed with the other alerts (${database.name})`, async (t) => {
    let now = Date.now()
    const { ask, opened } = await openTestAdmin(t, {
      database,
      now: () => now,
      configure: (configuration) => ({
        ...configuration,
        operations: configuration.operations.map((operation) =>
          operation.name === 'ECHO' ? { ...operation, slo: { availability: '99%' } } : operation,
        ),
      }),
    })
    const ended = Math.floor(now / minute) * minute
    const reports = Array.from({ length: 4 }, () => [reportOf('ECHO_GET.v1', 30, { outcome: 'failed' })])
    const rows = openMetricRows(opened.gateway.store.databases)
    await rows.write('gateway-1:8080/writer', await writeMinutes(ended - 4 * minute, reports), now)
    now += minute // they are looked for once a minute
    const list = async () => (await ask('GET /api/alerts', { as: 'viewer' })).body.items
    await poll(async () => (await list()).length === 2)
    const found = (await list()).map((each: { id: string; operation: string }) => [each.id, each.operation])
    assert.deepEqual(found.sort(), [
      ['GatewayObjectiveFarMissed:ECHO_GET.v1', 'ECHO_GET.v1'],
      ['GatewayObjectiveMissed:ECHO_GET.v1', 'ECHO_GET.v1'],
    ])
  })
})
