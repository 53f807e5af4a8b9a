/** Rate and concurrency limits of one process, over a real socket (specification 25). */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, beforeEach, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { z } from 'zod'
import { compileCatalog } from '../../../src/configuration/catalog.ts'
import { compileLimits } from '../../../src/configuration/compile-limits.ts'
import { limit } from '../../../src/configuration/limit-schema.ts'
import { parseConfiguration } from '../../../src/configuration/parse-configuration.ts'
import { CallLimits } from '../../../src/features/limits/limits.ts'
import { LoadWatch } from '../../../src/features/limits/load-watch.ts'
import type { Handler } from '../../../src/model/handler.ts'
import type { Observe } from '../../../src/model/observation.ts'
import type { Refusal } from '../../../src/model/refusal.ts'
import { type Answer, basic } from '../../support/client.ts'
import { findDatabase } from '../../support/databases.ts'
import { openReference, type WireGateway } from '../../support/gateway.ts'

let gateway: WireGateway
let time = Date.parse('2026-11-23T12:00:00Z')
/** Handlers at work, until they are let go. */
const running: (() => void)[] = []
const begun: string[] = []

/** Waits until the test lets it answer. */
class Slow implements Handler {
  async onRequest(request: Parameters<Handler['onRequest']>[0], context: Parameters<Handler['onRequest']>[1]) {
    begun.push(context.operator.id)
    await new Promise<void>((resolve) => {
      running.push(resolve)
      context.signal.addEventListener('abort', () => resolve())
    })
    const response = context.broker.createMessage(request.operationName, 'response')
    response.setContentString('done')
    return response
  }
}

before(async () => {
  gateway = await openReference({
    database: findDatabase('SQLite'),
    now: () => time,
    configure: (configuration) => {
      const [echo] = configuration.operations.filter(({ name }) => name === 'ECHO')
      assert.ok(echo)
      const slow = { ...echo, name: 'SLOW', uriTemplates: [], documentTemplate: undefined, handler: 'slow.ts' }
      return { ...configuration, operations: [...configuration.operations, slow] }
    },
    handlers: { 'slow.ts': Slow },
  })
})
after(() => gateway.close())
beforeEach(() => {
  time += 24 * 3_600_000 // nothing is spent
  begun.length = 0
})

type LimitInput = z.input<typeof limit>

/** Activates these limits. */
function setLimits(...limits: readonly LimitInput[]): void {
  const { configuration } = gateway.gateway.catalog
  const { operations, permissionLists } = configuration
  const handlers = new Map(
    [...gateway.gateway.catalog.operations.values()].map(({ id, handler }) => {
      const definition = operations.find(({ name, method, version }) => `${name}_${method}.${version}` === id)
      return [String(definition?.handler), handler] as const
    }),
  )
  const changed = { ...configuration, permissionLists, limits: limits.map((each) => limit.parse(each)) }
  gateway.gateway.catalog = compileCatalog(changed, handlers)
}

async function callTimes(count: number, line: string, headers = {}): Promise<readonly Answer[]> {
  const answers: Answer[] = []
  for (let each = 0; each < count; each += 1) answers.push(await gateway.call(line, { headers }))
  return answers
}

const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status)

test('25.1 every error of a limit is reported, with its path', () => {
  const limits = [
    { name: 'no spaces' },
    { name: 'half', calls: 10 },
    { name: 'half', per: '90ms', burst: 0 },
    { name: 'lonely', burst: 5, queue: 3 },
    { name: 'queued', by: ['operator'], concurrency: 5, queue: 3 },
    { name: 'both', by: ['address', 'network', 'planet'], calls: 1.5, per: '1s' },
    { name: 'strangers', calls: 1, per: '1s', operations: ['ECHO_GET.v2'], services: ['REFERENC'], operators: [''] },
  ]
  const parsed = parseConfiguration({ ...gateway.gateway.catalog.configuration, limits })
  assert.ok('problems' in parsed)
  assert.deepEqual(
    parsed.problems.map(({ path, message }) => `${path}: ${message}`),
    [
      "limits[0]: needs calls or concurrency: calls: 100 with per: '1min', or concurrency: 10",
      'limits[0].name: must be 1 to 30 letters, digits, underscores and hyphens, a letter first',
      "limits[1].per: is missing: the time in which the calls are allowed, such as '1min'",
      "limits[2]: needs calls or concurrency: calls: 100 with per: '1min', or concurrency: 10",
      'limits[2].burst: must be 1 to 1000000000',
      'limits[2].burst: has no effect without calls: set calls too, or leave it out',
      'limits[2].name: repeats half of limits[1]: give it another name',
      'limits[2].per: must be whole seconds, minutes or hours, 1s to 24h: 1s, 1min, 24h',
      'limits[2].per: has no effect without calls: set calls too, or leave it out',
      "limits[3]: needs calls or concurrency: calls: 100 with per: '1min', or concurrency: 10",
      'limits[3].burst: has no effect without calls: set calls too, or leave it out',
      'limits[3].queue: has no effect without concurrency: set concurrency too, or leave it out',
      'limits[4].queue: cannot be combined with operator, address or network in by: calls beyond those are refused, not queued',
      'limits[5].by: names address and network: an address belongs to one network, so leave network out',
      'limits[5].by[2]: must be one of operator, address, network, operation',
      'limits[5].calls: must be a whole number, not 1.5',
      'limits[6].operations[0]: names no operation of this configuration: "ECHO_GET.v2"; did you mean ECHO_GET.v1?',
      'limits[6].operators[0]: must be an operator id: 1 to 30 characters, without a colon',
      'limits[6].services[0]: names no service of this configuration: "REFERENC"; did you mean REFERENCE?',
    ],
  )
})

test('25.1 the limits of the guide are valid', () => {
  const guide = readFileSync(join(import.meta.dirname, '../../../docs/how-to/limits.md'), 'utf8')
  const [, rows = ''] = /^ {2}limits: \[\n(.*?)^ {2}\],/ms.exec(guide) ?? []
  const parsed = (new Function(`return [${rows}]`)() as unknown[]).map((row) => limit.parse(row))
  assert.deepEqual(
    parsed.map(({ name }) => name),
    ['address', 'operator', 'search', 'reports', 'all'],
  )
})

test('25.2 limits by address come before authentication, those by operator after it and before the permission', async () => {
  setLimits(
    { name: 'address', by: ['address'], calls: 4, per: '1h', burst: 4 },
    { name: 'operator', by: ['operator'], calls: 1, per: '1h' },
  )
  const lines = [
    ['GET METADATA_BASIC.v9/', basic('DEMO'), 200, 'operationNotFound'],
    ['GET METADATA_BASIC.v1/', basic('DEMO', 'wrong'), 401, undefined],
    ['GET METADATA_BASIC.v1/', basic('NOPERM'), 200, 'permissionDenied'],
    ['GET METADATA_BASIC.v1/', basic('NOPERM'), 429, 'rateLimited'],
    ['GET METADATA_BASIC.v1/', basic('DEMO'), 200, undefined],
    ['GET METADATA_BASIC.v1/', basic('DEMO', 'wrong'), 429, 'rateLimited'],
    ['GET /healthz', {}, 200, undefined],
  ] as const
  for (const [line, headers, status, refusal] of lines) {
    const answer = await gateway.call(line, { headers })
    assert.deepEqual([answer.status, answer.headers['ig-refusal']], [status, refusal], line)
  }
})

test('25.3 an operator spends a limit, and gets a call back after each interval', async () => {
  setLimits({ name: 'operator', by: ['operator'], calls: 60, per: '1min', burst: 3 })
  assert.deepEqual(statuses(await callTimes(5, 'GET METADATA_BASIC.v1/', basic('DEMO'))), [200, 200, 200, 429, 429])
  assert.equal((await gateway.call('GET METADATA_BASIC.v1/', { headers: basic('DEMO2') })).status, 200)
  time += 999
  assert.equal((await gateway.call('GET ECHO.v1/echo/x', { headers: basic('DEMO') })).status, 429)
  time += 1
  assert.deepEqual(statuses(await callTimes(2, 'GET METADATA_BASIC.v1/', basic('DEMO'))), [200, 429])
})

test('25.3 limits are combined: a call refused by one spends nothing of the others', async () => {
  setLimits(
    { name: 'all', calls: 5, per: '1h', burst: 5 },
    { name: 'echo', by: ['operation', 'operator'], calls: 2, per: '1h', burst: 2, operations: ['ECHO_GET.v1'] },
    { name: 'demo2', calls: 1, per: '1h', operators: ['DEMO2'] },
    { name: 'others', by: ['operator'], calls: 3, per: '1h', burst: 3, exceptOperators: ['DEMO2'] },
  )
  const by = async (id: string, line: string) => (await gateway.call(line, { headers: basic(id) })).headers
  const limited = async (id: string, line: string) =>
    /"(\w+)";r=(\d+)/.exec((await by(id, line)).ratelimit ?? '')?.slice(1)
  const [echo, metadata] = ['GET ECHO.v1/echo/x', 'GET METADATA_BASIC.v1/']
  assert.deepEqual(await limited('DEMO', echo), ['echo', '1'])
  assert.deepEqual(await limited('DEMO', echo), ['echo', '0'])
  for (let each = 0; each < 3; each += 1) assert.deepEqual(await limited('DEMO', echo), ['echo', '0'])
  assert.deepEqual(await limited('DEMO', metadata), ['others', '0'])
  assert.deepEqual(await limited('DEMO2', metadata), ['demo2', '0'])
  assert.deepEqual(await limited('DEMO2', metadata), ['demo2', '0'])
  assert.deepEqual(await limited('GUEST', 'GET METADATA.v1/'), ['all', '0'])
  assert.equal((await by('GUEST', 'GET METADATA.v1/'))['ig-refusal'], 'rateLimited')
})

test('25.3 responses of the REST cache count', async () => {
  setLimits({ name: 'operator', by: ['operator'], calls: 2, per: '1h', burst: 2 })
  const [first, second, third] = await callTimes(3, 'GET CACHED_TIME.v1/', basic('DEMO'))
  assert.equal(first?.text, second?.text)
  assert.deepEqual([first?.status, second?.status, third?.status], [200, 200, 429])
})

test('25.3 IPv6 addresses count by /64, networks by /24 and /48; IPv4 within IPv6 is IPv4', () => {
  const limits = new CallLimits({ observe() {}, now: () => 0 })
  const subjects = (by: 'address' | 'network', ...addresses: readonly string[]) => {
    const { limits: compiled } = compileOne({ name: by, by: [by], calls: 1, per: '1s' })
    return addresses.map(
      (address) => limits.peek(compiled, { operationId: 'X', address, operatorId: undefined })?.subject,
    )
  }
  assert.deepEqual(subjects('address', '2001:db8:1:2::9', '2001:db8:1:2:ffff::1', '::ffff:192.0.2.7', '192.0.2.7'), [
    '2001:db8:1:2',
    '2001:db8:1:2',
    '192.0.2.7',
    '192.0.2.7',
  ])
  assert.deepEqual(subjects('network', '2001:db8:1:2::9', '2001:db8:1:fff::1', '192.0.2.7', '127.0.0.1'), [
    '2001:db8:1::/48',
    '2001:db8:1::/48',
    '192.0.2.0/24',
    'loopback',
  ])
})

for (const style of ['observed', 'standard'] as const) {
  test(`25.4 a call over a limit is 429 with Retry-After and problem details; every counted call says what is left (${style})`, async () => {
    setLimits(
      { name: 'operator', by: ['operator'], calls: 100, per: '1min', burst: 2 },
      { name: 'all', calls: 1000, per: '1s' },
    )
    const { catalog } = gateway.gateway
    const operations = catalog.configuration.operations.map((each) => ({ ...each, errorStyle: style }))
    gateway.gateway.catalog = { ...catalog, configuration: { ...catalog.configuration, operations } }
    setLimits(
      { name: 'operator', by: ['operator'], calls: 100, per: '1min', burst: 2 },
      { name: 'all', calls: 1000, per: '1s' },
    )
    const [first, , refused] = await callTimes(3, 'GET METADATA_BASIC.v1/', basic('DEMO'))
    assert.ok(first && refused)
    assert.equal(first.headers['ratelimit-policy'], '"operator";q=100;w=60, "all";q=1000;w=1')
    assert.equal(first.headers.ratelimit, '"operator";r=1;t=1')
    assert.equal(first.headers['retry-after'], undefined)
    assert.equal(refused.status, 429)
    assert.equal(refused.headers['retry-after'], '1')
    assert.equal(refused.headers['ratelimit-policy'], '"operator";q=100;w=60')
    assert.equal(refused.headers.ratelimit, '"operator";r=0;t=2')
    assert.equal(refused.headers['content-type'], 'application/problem+json')
    const { code, status, title } = JSON.parse(refused.text)
    assert.deepEqual([code, status, title], ['rateLimited', 429, 'Too Many Requests'])
    time += 3_600_000
    setLimits()
    const free = await gateway.call('GET METADATA_BASIC.v1/', { headers: basic('DEMO') })
    assert.deepEqual([free.headers.ratelimit, free.headers['ratelimit-policy']], [undefined, undefined])
  })
}

test('25.5 an operator has so many calls at a time; further ones are refused at once', async () => {
  setLimits({ name: 'operator', by: ['operator'], concurrency: 2 })
  const calls = [slow('DEMO'), slow('DEMO')]
  await untilBegun(2)
  const refused = await slow('DEMO')
  assert.deepEqual([refused.status, refused.headers['retry-after'], refused.headers.ratelimit], [429, '1', undefined])
  assert.equal((await gateway.call('GET METADATA_BASIC.v1/', { headers: basic('DEMO2') })).status, 200)
  letGo()
  assert.deepEqual(statuses(await Promise.all(calls)), [200, 200])
  assert.equal((await gateway.call('GET METADATA_BASIC.v1/', { headers: basic('DEMO') })).status, 200)
})

test('25.6, 25.12 handlers of an operation run so many at a time; operators take turns in the queue, and the rest are 503', async () => {
  setLimits({ name: 'slow', by: ['operation'], concurrency: 1, queue: 3, services: ['REFERENCE'] })
  const before = refusedBy('slow')
  const first = slow('DEMO')
  await untilBegun(1)
  const many = [slow('DEMO'), slow('DEMO')]
  await untilWaiting(2)
  const other = slow('DEMO2')
  await untilWaiting(3)
  const refused = await slow('DEMO')
  assert.deepEqual(
    [refused.status, refused.headers['ig-refusal'], refused.headers['retry-after']],
    [503, 'overloaded', '1'],
  )
  assert.equal((await slow('DEMO2')).status, 503)
  assert.equal((await gateway.call('GET METADATA.v1/')).status, 200) // another operation has its own slots
  for (let each = 2; each <= 4; each += 1) {
    letGo()
    await untilBegun(each)
  }
  letGo()
  assert.deepEqual(begun, ['DEMO', 'DEMO', 'DEMO2', 'DEMO'])
  assert.deepEqual(statuses(await Promise.all([first, other, ...many])), [200, 200, 200, 200])
  assert.equal(refusedBy('slow') - before, 2)
})

const refusedBy = (limit: string) => gateway.gateway.limits.refused.get(limit) ?? 0

test('25.6 a call whose client leaves the queue gives its place in it to another', async () => {
  setLimits({ name: 'slow', by: ['operation'], concurrency: 1, queue: 1 })
  const first = slow('DEMO')
  await untilBegun(1)
  const before = refusedBy('slow')
  const leaving = new AbortController()
  const left = slow('DEMO', leaving.signal).catch(() => 'left')
  await untilWaiting(1)
  leaving.abort()
  assert.equal(await left, 'left')
  await untilWaiting(0)
  const next = slow('DEMO2')
  await untilWaiting(1)
  letGo()
  await untilBegun(2)
  letGo()
  assert.deepEqual(statuses(await Promise.all([first, next])), [200, 200])
  assert.deepEqual(begun, ['DEMO', 'DEMO2'])
  assert.equal(refusedBy('slow'), before)
})

test('25.9 of many subjects the ones that called least lately are forgotten, which an event tells', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const events: string[] = []
  const observe = (observation: { readonly kind: string; readonly name?: string }) => {
    if (observation.name !== 'limitReached') events.push(observation.name ?? '')
  }
  const limits = new CallLimits({ observe, now: () => 0, subjects: 1000 })
  const { limits: compiled } = compileOne({ name: 'address', by: ['address'], calls: 1, per: '24h' })
  const admit = (address: string) => {
    try {
      limits.admit([compiled], { operationId: 'X', address, operatorId: undefined }, [])
      return 'admitted'
    } catch {
      return 'refused'
    }
  }
  assert.equal(admit('10.0.0.1'), 'admitted')
  for (let each = 0; each < 20_000; each += 1) {
    assert.equal(admit(`2001:db8:${each.toString(16)}::1`), 'admitted')
    if (each % 400 === 0) assert.equal(admit('10.0.0.1'), 'refused') // it goes on calling, and is not forgotten
  }
  assert.deepEqual(events, ['limitsForgotten'])
  assert.equal(admit('2001:db8:1::1'), 'admitted')
  t.mock.timers.tick(60_000)
  assert.deepEqual(events, ['limitsForgotten', 'limitsForgotten'])
})

function compileOne(input: LimitInput) {
  const [compiled] = compileLimits([limit.parse(input)]).byName.values()
  assert.ok(compiled)
  return { limits: compiled }
}

function slow(id: string, signal?: AbortSignal) {
  return gateway.call('GET SLOW.v1/', { headers: basic(id), ...(signal && { signal }) })
}

function letGo(): void {
  for (const resolve of running.splice(0)) resolve()
}

async function untilBegun(count: number): Promise<void> {
  while (begun.length < count) await setImmediate()
}

/** Calls in the queue of the only limit. */
async function untilWaiting(count: number): Promise<void> {
  const [only] = gateway.gateway.catalog.limits.values()
  assert.ok(only)
  while (gateway.gateway.limits.slotsOf(only, 'SLOW_GET.v1').waiting !== count) await setImmediate()
}

test('25.13 calls that would begin too late are shed, and those of the next turns earlier, until the process keeps up', () => {
  const events: string[] = []
  const observe = (observation: { readonly name?: string }) => void events.push(observation.name ?? '')
  let worked = 0
  let idled = 0
  const load = new LoadWatch({
    observe: observe as Observe,
    delay: 250,
    now: () => worked,
    worked: () => worked,
    idled: () => idled,
  })
  after(() => load.close())
  load.atWork = 5
  /** Calls of one turn, each with its length. */
  const turn = (...lengths: readonly number[]) => {
    const calls = lengths.map((length) => {
      try {
        load.requireTime()
        worked += length
        return 'served'
      } catch (error) {
        assert.match((error as Refusal).message, /more than ig\.limits\.overloadDelay \(250 ms\)/)
        return (error as Refusal).code
      }
    })
    load.beginTurn()
    return calls.join(' ')
  }
  assert.equal(turn(5, 5, 5), 'served served served')
  assert.equal(turn(200, 5, 5), 'served served served')
  assert.equal(turn(251, 5, 5), 'served overloaded overloaded')
  assert.equal(turn(5, 5, 10, 5), 'served served served overloaded')
  assert.deepEqual(events, ['overloaded'])
  assert.equal(turn(20, 5), 'served overloaded')
  for (let turns = 0; turns < 200; turns += 1) assert.equal(turn(20, 5), 'served overloaded')
  idled += 100
  while (events.length < 2) assert.equal(turn(20), 'served')
  assert.equal(turn(20, 5, 20, 5), 'served served served served')
  assert.deepEqual([events, load.shed], [['overloaded', 'overloadOver'], 204])
  load.atWork = 4
  assert.equal(turn(300, 300, 300), 'served served served') // a few calls are no crowd
})

test('25.13 health checks are never shed', async () => {
  let now = 0
  const load = new LoadWatch({ observe() {}, delay: 250, now: () => now, worked: () => now })
  load.beginTurn = () => {} // all in one turn, however many the process takes
  after(() => load.close())
  const parts = gateway.gateway.limits as { load: LoadWatch }
  const before = parts.load
  parts.load = load
  load.requireTime()
  load.atWork = 4
  now += 300
  const refused = await gateway.call('GET METADATA.v1/')
  assert.deepEqual(
    [refused.status, refused.headers['ig-refusal'], refused.headers['retry-after']],
    [503, 'overloaded', '1'],
  )
  assert.equal((await gateway.call('GET /healthz')).status, 200)
  const ready = await gateway.call('GET /readyz')
  // A resource that another test of this process has left away is none of its concern
  assert.match(JSON.parse(ready.text).status, /^(?:ready|resourceAway)$/)
  assert.equal(ready.headers['ig-refusal'], undefined)
  assert.equal(load.atWork, 4)
  load.atWork = 3
  assert.equal((await gateway.call('GET METADATA.v1/')).status, 200)
  parts.load = before
})

test('25.13 a call whose handler would begin late in a long turn is shed too, and nothing of it is stored', async () => {
  let now = 0
  let isLate = false
  const time = () => (isLate ? now + 100 : now)
  const load = new LoadWatch({ observe() {}, delay: 50, now: time, worked: time })
  load.beginTurn = () => {} // all in one turn, however many the process takes
  after(() => load.close())
  const parts = gateway.gateway.limits as { load: LoadWatch }
  const before = parts.load
  parts.load = load
  load.atWork = 4
  load.requireTime()
  const { verifiers } = gateway.gateway
  const verify = verifiers.Basic.verify
  verifiers.Basic.verify = (...given) => {
    isLate = true // others' work between the beginning of this call and its handler
    now += 1
    return verify(...given)
  }
  const answer = await gateway.call('GET METADATA_BASIC.v1/', { headers: basic('DEMO') })
  verifiers.Basic.verify = verify
  parts.load = before
  assert.deepEqual([answer.status, answer.headers['ig-refusal']], [503, 'overloaded'])
})

test('25.13 `ig start` alone refuses calls for a long turn', async () => {
  const database = findDatabase('SQLite')
  const properties = { 'ig.limits.overloadDelay': '1ms' }
  for (const shedsLoad of [true, false]) {
    await using opened = new AsyncDisposableStack()
    const each = await openReference({ database, properties, shedsLoad })
    opened.defer(() => each.close())
    const { load } = each.gateway.limits
    load.atWork = 5
    load.requireTime()
    work(5)
    if (shedsLoad) assert.throws(() => load.requireTime(), { code: 'overloaded', step: 'limits' })
    else load.requireTime()
  }
})

function work(milliseconds: number): void {
  const begun = process.threadCpuUsage()
  for (let spent = 0; spent < 1000 * milliseconds; ) {
    const { user, system } = process.threadCpuUsage(begun)
    spent = user + system
  }
}
