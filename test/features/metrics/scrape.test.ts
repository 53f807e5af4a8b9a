/** Metrics: what a scraper gets (specification 20). */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { openMetricsListener } from '../../../src/features/metrics/metrics-listener.ts'
import { isOpenMetrics, type OpenMetrics } from '../../../src/features/metrics/open.ts'
import { writeMetrics } from '../../../src/features/metrics/write-metrics.ts'
import { HandlerCounts } from '../../../src/model/handler-metrics.ts'
import { outcomeOf, Refusal, type RefusalCode, refusalTable } from '../../../src/model/refusal.ts'
import { readCertificateExpiry } from '../../../src/observe/metrics/certificate-expiry.ts'
import { openTotal } from '../../../src/observe/metrics/total.ts'
import { Answer, Refusal as AuthorRefusal } from '../../../src/sdk.ts'
import { openTestAdmin } from '../../support/admin.ts'
import { makeCertificate } from '../../support/certificate.ts'
import { basic, send } from '../../support/client.ts'
import { findDatabase } from '../../support/databases.ts'
import { root } from '../../support/gateway.ts'
import { patience } from '../../support/patience.ts'
import { openPlanned } from '../../support/planned.ts'
import { poll } from '../../support/poll.ts'
import { parseScrape, sumOf } from '../../support/scrape.ts'

const duration = 'ig_request_duration_seconds'

test('20.1, 20.3 a scrape has the calls by operation, method, status class and cache result, and nothing of their URLs', async (t) => {
  const { ask, opened } = await openTestAdmin(t, { database: findDatabase('SQLite') })
  const call = (line: string, headers = {}) => {
    const [method, path] = line.split(' ')
    return send(opened.url, `${method} ${root}/${path}`, { headers })
  }
  for (let times = 0; times < 3; times += 1) assert.equal((await call('GET METADATA.v1/')).status, 200)
  assert.equal((await call('GET METADATA_BASIC.v1/')).status, 401)
  await call('GET NO_SUCH_SECRET_PATH.v1/very-private?token=secret')
  await call('PROPFIND METADATA.v1/')
  await send(opened.url, 'GET /healthz')

  const { status, headers, body } = await ask('GET /metrics', { as: 'viewer' })
  assert.equal(status, 200)
  assert.equal(headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8')
  const scrape = parseScrape(body)
  const calls = (labels: Record<string, string>) => sumOf(scrape, 'ig_requests_total', labels)
  assert.equal(calls({ operation: 'METADATA_GET.v1', method: 'GET', status: '2xx', cache: 'none' }), 3)
  assert.equal(calls({ operation: 'METADATA_BASIC_GET.v1', status: '4xx' }), 1)
  assert.equal(calls({ operation: '(unknown)', method: 'GET' }), 1)
  assert.equal(calls({ operation: '(health)' }), 1)
  assert.equal(sumOf(scrape, 'ig_refusals_total', { operation: 'METADATA_BASIC_GET.v1', code: 'basicRejected' }), 1)
  assert.equal(sumOf(scrape, 'ig_refusals_total', { code: 'operationNotFound' }), 2)
  assert.equal(calls({ status: '2xx', outcome: 'refused' }), 2, 'refusals that are a 200')
  for (const word of ['private', 'secret', 'PROPFIND', 'NO_SUCH']) assert.ok(!body.includes(word), word)
})

test('20.3, 20.8 a call is served, refused because of its caller, or failed; durations are those of served and failed calls', async (t) => {
  const { ask, opened } = await openTestAdmin(t, { database: findDatabase('SQLite') })
  const call = async (path: string, headers: Readonly<Record<string, string>> = basic('DEMO')) =>
    (await send(opened.url, `GET ${root}/${path}`, { headers })).status
  assert.deepEqual([await call('KEY_VALUE.v1/a'), await call('KEY_VALUE.v1/a', basic('NOPERM'))], [200, 200])
  for (let guess = 0; guess < 3; guess += 1) assert.equal(await call('KEY_VALUE.v1/a', basic('DEMO', 'wrong')), 401)
  const database = new DatabaseSync(opened.gateway.settings.database, { timeout: patience })
  database.exec('drop table C_KEY_VALUE')
  database.close()
  assert.equal(await call('KEY_VALUE.v1/a'), 500)

  const scrape = parseScrape((await ask('GET /metrics')).body)
  const operation = 'KEY_VALUE_GET.v1'
  const counted = (outcome: string, status = '') => [
    sumOf(scrape, 'ig_requests_total', { operation, outcome, ...(status && { status }) }),
    sumOf(scrape, `${duration}_count`, { operation, outcome, ...(status && { status }) }),
  ]
  assert.deepEqual(counted('served'), [1, 1])
  assert.deepEqual(counted('refused', '2xx'), [1, 0], 'in no duration')
  assert.deepEqual(counted('refused', '4xx'), [3, 0], 'in no duration')
  assert.deepEqual(counted('failed', '5xx'), [1, 1])
  assert.equal(sumOf(scrape, `${duration}_bucket`, { operation, le: '+Inf' }), 2)
})

test('20.3 a refusal is refused if the caller is its cause, else failed; without one, 5xx is failed', () => {
  const codes = Object.keys(refusalTable) as readonly RefusalCode[]
  const failed = codes.filter((code) => outcomeOf({ status: 200 }, new Refusal(code, '')) === 'failed')
  assert.deepEqual(failed, [
    ...['overloaded', 'handlerFailed', 'handlerTimedOut', 'upstreamFailed', 'upstreamTimedOut', 'unexpected'],
  ])
  assert.equal(outcomeOf({ status: 503 }, new Refusal('overloaded', 'it left', { isByCaller: true })), 'refused')
  const answered = [200, 304, 404, 499, 500, 503].map((status) => outcomeOf({ status }))
  assert.deepEqual(answered, ['served', 'served', 'served', 'served', 'failed', 'failed'])
})

test('20.3, 5.5 a call that onError answered failed, whatever its status; a refusal or an Answer that the handler throws is its answer', async (t) => {
  for (const httpCode of [200, 404]) {
    const gateway = await openPlanned({ fields: { faultMessage: { httpCode } } as never })
    t.after(() => gateway.close())
    gateway.onError = () => 'sorry'
    const outcome = async (thrown: unknown) => {
      gateway.plan = () => {
        throw thrown
      }
      const { status } = await gateway.ask('POST')
      await poll(() => gateway.observations.at(-1)?.kind === 'answered')
      const answered = gateway.observations.at(-1)
      assert(answered?.kind === 'answered')
      return [status, outcomeOf(answered.reply, answered.refusal)]
    }
    assert.deepEqual(await outcome(new TypeError('x is not a function')), [httpCode, 'failed'])
    assert.deepEqual(await outcome(new Answer(404, 'none')), [404, 'served'])
    assert.deepEqual(await outcome(new AuthorRefusal('bodyMalformed', 'no item')), [400, 'refused'])
  }
})

test('20.3 a call is a hit, a miss if its operation caches, and otherwise neither', async (t) => {
  const { ask, opened } = await openTestAdmin(t, { database: findDatabase('SQLite') })
  const call = () => send(opened.url, `GET ${root}/CACHED_TIME.v1/`, { headers: basic('DEMO') })
  await call()
  await call()
  await call()
  await opened.gateway.restCache.deleteOperation('CACHED_TIME_GET.v1')
  await call()
  await call()
  const scraped = parseScrape((await ask('GET /metrics')).body)
  const of = (cache: string) => sumOf(scraped, `${duration}_count`, { operation: 'CACHED_TIME_GET.v1', cache })
  assert.deepEqual([of('none'), of('hit'), of('miss')], [0, 3, 2])
})

test('20.15, 5.48 a scrape has the metrics of handlers, summed over processes', async (t) => {
  const { ask, opened } = await openTestAdmin(t, { database: findDatabase('SQLite') })
  const { metrics } = opened.gateway.shared
  metrics.count('hires_total', { department: 'a "b"\n' })
  metrics.observe('hire_seconds', 0.3)
  const own = parseScrape((await ask('GET /metrics')).body)
  assert.equal(sumOf(own, 'ig_handler_hires_total', {}), 1)
  assert.equal(sumOf(own, 'ig_handler_hire_seconds_bucket', { le: '0.5' }), 1)

  const total = openTotal(10)
  const of = (worker: number, count: number) => {
    const counts = new HandlerCounts()
    counts.count('hires_total', { department: 'it' }, count)
    counts.count('odd', {}, count)
    counts.observe('hire_seconds', count)
    const report = { worker, calls: [], refusals: [], counters: {}, gauges: {} }
    total.add({ ...report, handlers: counts.take() })
    counts.count('hires_total', { department: 'it' })
    total.add({ ...report, handlers: counts.take() })
    assert.deepEqual(counts.take(), [])
  }
  of(1, 2)
  of(2, 3)
  for (const format of ['text', 'openMetrics'] as const) {
    const text = writeMetrics(total, {}, format)
    const scrape = parseScrape(text, format)
    const value = (name: string, labels = {}) => sumOf(scrape, name, labels)
    assert.match(text, /^ig_handler_hires_total\{department="it"\} 7$/m, 'no label of a process')
    assert.match(text, /^ig_handler_odd 5$/m)
    assert.deepEqual([value('ig_handler_hire_seconds_sum'), value('ig_handler_hire_seconds_count')], [5, 2])
    assert.equal(value('ig_handler_hire_seconds_bucket', { le: '2.5' }), 1)
  }
  const successor = openTotal(10)
  for (const report of total.reports()) successor.add(report)
  assert.equal(writeMetrics(successor, {}, 'text'), writeMetrics(total, {}, 'text'))
})

test('20.1 Prometheus gets OpenMetrics if it prefers it, and its own text format otherwise', async (t) => {
  const { ask, opened, sessionOf } = await openTestAdmin(t, { database: findDatabase('SQLite') })
  await send(opened.url, `GET ${root}/METADATA.v1/`)
  const accept = 'application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3'
  const { headers, body } = await ask('GET /metrics', { headers: { ...(await sessionOf('viewer')), accept } })
  assert.equal(headers.get('content-type'), 'application/openmetrics-text; version=1.0.0; charset=utf-8')
  const scrape = parseScrape(body, 'openMetrics')
  assert.equal(sumOf(scrape, `${duration}_count`, { operation: 'METADATA_GET.v1' }), 1)
  assert.equal(scrape.get('process_cpu_seconds')?.type, 'counter')
})

test('20.4 a scrape has the state of the process, its event loop, its store and its caches', async (t) => {
  const { ask } = await openTestAdmin(t, { database: findDatabase('SQLite') })
  const scrape = parseScrape((await ask('GET /metrics')).body)
  const value = (name: string, labels = {}) => sumOf(scrape, name, labels)
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
  assert.equal(value('ig_build_info', { version, node: process.versions.node, build: 'source' }), 1)
  assert.equal(value('ig_clock_offset_seconds'), 0)
  assert.equal(value('ig_workers'), 1)
  assert.equal(value('ig_workers_configured'), 1)
  assert.equal(value('ig_revision', { worker: '0' }), 1)
  assert.equal(value('ig_store_stale'), 0)
  const conditions = scrape.get('ig_condition')?.samples.map(({ labels, value }) => [labels.condition, value])
  assert.deepEqual(
    conditions,
    [
      'starting',
      'stopping',
      'lastGood',
      'storeStale',
      'revisionRefused',
      'connectionsFull',
      'resourceAway',
      'storeFull',
      'logFailed',
      'providerUnusable',
      'monitorAway',
      'storeFileGone',
      'storeDamaged',
    ].map((name) => [name, 0]),
  )
  assert.equal(value('ig_database_connections', { pool: 'handlers', state: 'idle' }), 1)
  assert.equal(value('ig_database_connections_limit', { pool: 'handlers' }), 1)
  assert.equal(value('ig_cache_entries', { cache: 'rest' }), 0)
  assert.ok(value('ig_operators') > 0)
  assert.ok(value('process_resident_memory_bytes') > 1e6)
  for (const name of [
    'nodejs_eventloop_lag_p99_seconds',
    'ig_requests_in_flight',
    'ig_connections',
    'process_open_fds',
  ])
    assert.ok(scrape.has(name), name)
})

test('20.3 every refusal code has a series from the start, so a first increase is visible', () => {
  const scrape = parseScrape(writeMetrics(openTotal(1), {}, 'text'))
  const codes = scrape
    .get('ig_refusals_total')
    ?.samples.map(({ labels, value }) => [labels.operation, labels.code, value])
  assert.deepEqual(
    codes,
    Object.keys(refusalTable).map((code) => ['(unknown)', code, 0]),
  )
})

test('20.4 a certificate file expires with the first of its certificates', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'ig-certificate-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'chain.pem')
  writeFileSync(file, `${makeCertificate(3).cert}${makeCertificate(1).cert}`)
  assert.equal(readCertificateExpiry(file), Date.UTC(new Date().getUTCFullYear() + 1, 0, 1) / 1000)
  writeFileSync(file, 'no certificate')
  assert.equal(readCertificateExpiry(file), undefined)
  assert.equal(readCertificateExpiry(`${file}.missing`), undefined)
})

test('20.4, 7.13 metrics show when the certificates of the listeners expire, and changed ones too', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'ig-certificate-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const write = (pair: ReturnType<typeof makeCertificate>) => {
    writeFileSync(key, pair.key)
    writeFileSync(cert, pair.cert)
  }
  write(makeCertificate(3))
  const { features, observations } = await openTestAdmin(t, {
    database: findDatabase('SQLite'),
    properties: {
      ...{ 'ig.tls.cert': cert, 'ig.tls.key': key, 'ig.tls.port': '0' },
      ...{ 'ig.admin.tls.cert': cert, 'ig.admin.tls.key': key },
    },
  })
  const scrape = () => (features.find(isOpenMetrics) as OpenMetrics).scrape(undefined).text
  const expiries = () => scrape().match(/ig_certificate_expires_timestamp_seconds\{.*/g) ?? []
  const former = expiries()
  assert.equal(former.length, 2)
  write(makeCertificate(5))
  const reloaded = () => observations.filter((one) => one.kind === 'event' && one.name === 'certificateReloaded')
  await poll(() => reloaded().length === 2)
  assert.ok(expiries().every((line) => !former.includes(line)))
})

test('20.5 operations beyond the bound are counted together', () => {
  const total = openTotal(2)
  const call = (operation: string) => ({
    operation,
    method: 'GET',
    status: '2xx' as const,
    cache: 'none' as const,
    outcome: 'served' as const,
    count: 1,
    seconds: 0.001,
    slow: 0,
    buckets: [8, 1],
  })
  const calls = ['A_GET.v1', 'B_GET.v1', 'C_GET.v1', 'D_GET.v1', 'A_GET.v1', '(unknown)'].map(call)
  const refusals = [{ operation: 'E_GET.v1', code: 'permissionDenied', count: 1 }]
  total.add({ worker: 1, calls, refusals, counters: {}, gauges: {} })
  const scrape = parseScrape(writeMetrics(total, {}, 'text'))
  const counted = (operation: string) => sumOf(scrape, `${duration}_count`, { operation })
  assert.deepEqual(['A_GET.v1', 'B_GET.v1', '(others)', '(unknown)', 'C_GET.v1'].map(counted), [2, 1, 2, 1, 0])
  assert.equal(sumOf(scrape, 'ig_refusals_total', { operation: '(others)' }), 1)
})

test('20.2 the counts of a process remain when it has ended, and for its successor', () => {
  const report = (worker: number) => ({
    worker,
    calls: [
      {
        operation: 'A_GET.v1',
        method: 'GET',
        status: '2xx',
        cache: 'hit',
        outcome: 'served',
        count: 4,
        seconds: 0.2,
        slow: 0,
        buckets: [0, 3, 37, 1],
      },
    ] as const,
    refusals: [{ operation: 'A_GET.v1', code: 'overloaded', count: 2 }],
    counters: { process_cpu_seconds_total: 1.5, 'ig_events_total{event="storeAway",level="error"}': 1 },
    gauges: { process_resident_memory_bytes: 5e7 },
  })
  const total = openTotal(10)
  total.add(report(1))
  total.add(report(2))
  total.forget(1)
  const heir = openTotal(10)
  for (const each of total.reports()) heir.add(each)
  for (const [who, each] of [
    ['who counted', total],
    ['who came after', heir],
  ] as const) {
    const scrape = parseScrape(writeMetrics(each, {}, 'text'))
    assert.equal(sumOf(scrape, `${duration}_count`), 8, who)
    assert.equal(sumOf(scrape, `${duration}_bucket`, { le: '30.0' }), 6, who)
    assert.equal(sumOf(scrape, `${duration}_sum`), 0.4, who)
    assert.equal(sumOf(scrape, 'ig_refusals_total'), 4, who)
    assert.equal(sumOf(scrape, 'process_cpu_seconds_total', { worker: '1' }), 1.5, who)
    assert.equal(sumOf(scrape, 'ig_events_total', { event: 'storeAway' }), 2, who)
    assert.equal(sumOf(scrape, 'process_resident_memory_bytes', { worker: '1' }), 0, who)
    assert.equal(sumOf(scrape, 'process_resident_memory_bytes', { worker: '2' }), 5e7, who)
  }
})

test('20.6 the listener for scrapers has metrics without credentials, and nothing else', async () => {
  const text = () => ({ type: 'text/plain', text: 'a 1\n' })
  const listener = await openMetricsListener({ host: '127.0.0.1', port: 0, scrape: text })
  const ask = async (path: string, method = 'GET') => {
    const response = await fetch(new URL(path, listener.url), { method })
    return [response.status, await response.text()]
  }
  assert.deepEqual(await ask('/metrics'), [200, 'a 1\n'])
  assert.deepEqual(await ask('/metrics?format=x', 'HEAD'), [200, ''])
  assert.deepEqual(await ask('/metrics', 'POST'), [405, ''])
  for (const path of ['/', '/api/state', '/metrics/', '/%6detrics']) assert.deepEqual(await ask(path), [404, ''], path)
  await listener.close()
})

test('20.6 ig dev has no listener for scrapers', async (t) => {
  const properties = { 'ig.metrics.port': '0' }
  const { features } = await openTestAdmin(t, { database: findDatabase('SQLite'), properties })
  assert.deepEqual(
    features.flatMap(({ listens }) => listens?.() ?? []),
    [],
  )
})
