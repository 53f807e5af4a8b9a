/** The monitor: calls on a real socket, what is kept of them, and the API that lists them (specification 21). */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Configuration } from '../../../src/configuration/configuration.ts'
import type { Operation } from '../../../src/model/operation.ts'
import { openTestAdmin, type TestAdmin, type TestAdminOptions } from '../../support/admin.ts'
import { basic, type CallOptions, send } from '../../support/client.ts'
import { findDatabase, forEachDatabase } from '../../support/databases.ts'
import { root } from '../../support/gateway.ts'
import { fast } from './fast.ts'

type Row = Readonly<Record<string, unknown>>

interface TestMonitor extends TestAdmin {
  /** @param line `GET ECHO.v1/echo/x` @returns the transaction id */
  call(line: string, options?: CallOptions): Promise<string>
  list(query?: string): Promise<readonly Row[]>
  /** The transaction, once it is stored. */
  untilKept(transactionId: string): Promise<Row>
}

async function open(
  t: TestContext,
  options: Partial<TestAdminOptions> = {},
  properties: Readonly<Record<string, string>> = {},
): Promise<TestMonitor> {
  const admin = await openTestAdmin(t, {
    database: findDatabase('SQLite'),
    features: fast,
    ...options,
    properties: { 'ig.monitor': 'on', ...properties },
  })
  const { ask, opened } = admin
  return {
    ...admin,
    async call(line, callOptions) {
      const [method, path = ''] = line.split(/ (.*)/s)
      const target = path.startsWith('/') ? path : `${root}/${path}`
      const { headers } = await send(opened.url, `${method} ${target}`, callOptions)
      return String(headers['ig-transaction-id'])
    },
    async list(query = '') {
      const { status, body } = await ask(`GET /api/monitor/transactions?${query}`)
      assert.equal(status, 200, JSON.stringify(body))
      return body.items
    },
    async untilKept(transactionId) {
      for (;;) {
        const { status, body } = await ask(`GET /api/monitor/transactions/${transactionId}`)
        if (status === 200) return body
        assert.equal(status, 404, JSON.stringify(body))
      }
    },
  }
}

/** The reference configuration with a log detail for all operations. */
const withDetail =
  (logDetail: Operation['logDetail']) =>
  (configuration: Configuration): Configuration => ({
    ...configuration,
    operations: configuration.operations.map((operation) => ({ ...operation, logDetail })),
  })

interface Timeline {
  readonly steps: readonly { readonly step: string; readonly from: number; readonly until: number }[]
  readonly waits: readonly { readonly kind: string; readonly summary: string; readonly failure: string | null }[]
}

const stepsOf = (decisions: unknown) =>
  (decisions as { step: string; outcome: string; text: string }[]).map(
    ({ step, outcome, text }) => `${step} ${outcome}: ${text}`,
  )

const rows = '<request><row><key>a</key><value>b</value></row></request>'
const demo = basic('DEMO')

forEachDatabase((database) => {
  const on = `(${database.name})`

  test(`21.1, 21.8, 21.11, 21.15, 21.17, 21.22, 21.23, 18.14 a call is a transaction of the monitor, with everything known about it ${on}`, async (t) => {
    const { call, untilKept, list, ask } = await open(t, { database })
    const id = await call('GET CACHED_TIME.v1/', { headers: demo })
    const cached = await call('GET CACHED_TIME.v1/', { headers: demo })
    const { time, durationMs, instance, logs, decisions, timeline, ...kept } = await untilKept(cached)
    assert.deepEqual(kept, {
      transactionId: cached,
      status: 'Done',
      httpStatus: 200,
      outcome: 'served',
      refusal: null,
      reason: null,
      method: 'GET',
      url: `${root}/CACHED_TIME.v1/`,
      node: 'LOCAL_NODE',
      operation: 'CACHED_TIME_GET.v1',
      operator: 'DEMO',
      claimed: null,
      isCached: true,
      isSlow: false,
      remoteAddress: '127.0.0.1',
      revision: 1,
      hasMessages: false,
    })
    assert.deepEqual(stepsOf(decisions), [
      'target passed: node LOCAL_NODE',
      'operation passed: CACHED_TIME_GET.v1',
      'authentication passed: DEMO',
      'permission passed: ',
      'uri passed: ',
      'cache passed: has answered',
      'handler not run: the cache has answered',
    ])
    const ran = ['target', 'operation', 'origin', 'authentication', 'limits', 'permission', 'uri', 'cache', 'reply']
    const timed = timeline as Timeline
    assert.deepEqual(timed.waits, [])
    assert.deepEqual(
      timed.steps.map(({ step }) => step),
      ran,
    )
    for (const [at, { from, until }] of timed.steps.entries())
      assert.ok(from <= until && from === (timed.steps[at - 1]?.until ?? 0), JSON.stringify(timed.steps))
    assert.match(String(time), /^\d{4}-\d\d-\d\dT.*Z$/)
    assert.ok(Number(durationMs) >= 0 && String(instance).length > 0)
    assert.deepEqual(logs, {
      error: `/api/logs/error?transaction=${cached}`,
      message: `/api/logs/message?transaction=${cached}`,
    })
    assert.deepEqual(
      (await list()).map(({ transactionId, isCached }) => [transactionId, isCached]),
      [
        [cached, true],
        [id, false],
      ],
    )
    const { body } = await ask('GET /api/monitor/transactions?limit=1')
    const { body: second } = await ask(`GET /api/monitor/transactions?limit=1&before=${body.next}`)
    assert.deepEqual([body.items[0].transactionId, second.items[0].transactionId, second.next], [cached, id, null])
    assert.deepEqual(body.notKept, { done: 0, error: 0, reasons: [] })
    const { body: callers } = await ask('GET /api/monitor/callers?operation=CACHED_TIME_GET.v1')
    const use = { calls: 2, refused: 0, failed: 0, last: String(time) }
    assert.deepEqual(callers, { items: [{ operator: 'DEMO', ...use }], total: 1, offset: 0, limit: 50 })
    const { body: of } = await ask('GET /api/monitor/use?by=operation&id=CACHED_TIME_GET.v1&id=ECHO_GET.v1')
    assert.deepEqual(of, { items: [{ id: 'CACHED_TIME_GET.v1', ...use, callers: 1 }] })
    const { body: by } = await ask('GET /api/monitor/use?by=operator&id=DEMO')
    assert.deepEqual(by.items[0], { id: 'DEMO', ...use, callers: 1 })
  })

  test(`21.1, 21.8, 21.14, 21.15, 21.16, 40.2, 40.3, 40.1 a refused call is an Error with its code, reason, steps and claimed name, and each filter and the adoption report find it ${on}`, async (t) => {
    const { call, untilKept, list, ask } = await open(t, { database })
    const refused = await call('POST KEY_VALUE.v1', { headers: basic('NOBODY'), body: rows })
    const unknown = await call('GET /PSIGW/RESTListeningConnector/NOWHERE/ECHO.v1/echo/x')
    const done = await call('GET ECHO.v1/echo/needle')
    await Promise.all([refused, unknown, done].map(untilKept))
    const { status, outcome, httpStatus, refusal, reason, operation, operator, isCached } = await untilKept(refused)
    assert.deepEqual(
      [status, outcome, httpStatus, refusal, operation, operator, isCached],
      ['Error', 'refused', 401, 'basicRejected', 'KEY_VALUE_POST.v1', null, null],
    )
    assert.match(String(reason), /no such operator/)
    const ids = async (query: string) => (await list(query)).map(({ transactionId }) => transactionId)
    for (const [query, expected] of [
      ['status=Done', [done]],
      ['status=Error', [unknown, refused]],
      ['outcome=served', [done]],
      ['outcome=refused', [unknown, refused]],
      ['outcome=failed', []],
      ['httpStatus=401', [refused]],
      ['refusal=nodeUnknown', [unknown]],
      ['method=POST&status=Error', [refused]],
      ['node=LOCAL_NODE', [done, refused]],
      ['operation=ECHO_GET.v1&operator=GUEST', [done]],
      ['operation=ECHO_GET.v1&operator=DEMO', []],
      ['isCached=false', [done]],
      ['url=NEEDLE', [done]],
      [`transactionId=${done}`, [done]],
      [`transactionId=${done}&status=Error`, []],
      ['from=2020-01-01T00:00:00Z&to=2021-01-01T00:00:00Z', []],
      ['to=2099-01-01T00:00:00Z&minDuration=50000', []],
    ] as const)
      assert.deepEqual(await ids(query), expected, query)

    await untilKept(await call('GET METADATA_BASIC.v1/', { headers: basic('NOPERM') }))
    await untilKept(await call('GET GONE.v1/a?b=c'))
    await untilKept(await call('GET GONE.v1/d'))
    const { operations, losses, ...rest } = (await ask('GET /api/adoption?days=1', { as: 'viewer' })).body
    assert.deepEqual(rest, { isMonitored: true, isComplete: true, leftOut: [] })
    const facts = operations.filter(({ calls }: Row) => Number(calls) > 0)
    assert.deepEqual(
      facts.map(({ id, state, calls, callers, compared }: Row) => [id, state, calls, callers, compared]),
      [
        ['METADATA_BASIC_GET.v1', 'moved', 1, ['NOPERM'], null],
        ['KEY_VALUE_POST.v1', 'moved', 1, [], null],
        ['ECHO_GET.v1', 'moved', 1, ['GUEST'], null],
      ],
    )
    assert.deepEqual(
      losses.map(({ operator, operation, lacks, calls }: Row) => [operator, operation, lacks, calls]).toSorted(),
      [
        [null, 'GET GONE.v1', 'operation', 2],
        [null, 'KEY_VALUE_POST.v1', 'operator', 1],
        ['NOPERM', 'METADATA_BASIC_GET.v1', 'permission', 1],
      ],
    )
    const wrong = await call('POST KEY_VALUE.v1', { headers: basic('DEMO', 'wrong'), body: rows })
    const found = await untilKept(wrong)
    assert.deepEqual([found.operator, found.claimed], [null, 'DEMO'])
    assert.deepEqual(stepsOf(found.decisions).slice(1, 4), [
      'operation passed: KEY_VALUE_POST.v1',
      `authentication refused: ${found.reason}`,
      'permission not reached: ',
    ])
    for (const query of ['claimed=demo', 'claimed=DEMO&refusal=basicRejected'])
      assert.deepEqual(
        (await list(query)).map(({ transactionId }) => transactionId),
        [wrong],
        query,
      )
    assert.deepEqual(await list('claimed=DEM'), [])
    for (const [query, count] of [
      ['claimed=DEMO', 1],
      ['refusal=basicRejected&operation=KEY_VALUE_POST.v1', 2],
      ['operation=KEY_VALUE_POST.v1&operator=GUEST', 0],
    ])
      assert.deepEqual((await ask(`GET /api/monitor/count?${query}`)).body, { count, isComplete: true }, `${query}`)
    const news = await ask('GET /api/monitor/tail?after=0&claimed=DEMO')
    assert.deepEqual(
      news.body.items.map(({ transactionId }: Row) => transactionId),
      [wrong],
    )
    const { body: hidden } = await ask(`GET /api/monitor/transactions/${wrong}`, { as: 'viewer' })
    assert.deepEqual([hidden.claimed, JSON.stringify(hidden).includes('DEMO')], [null, false])
    assert.equal((await ask('GET /api/monitor/transactions?claimed=DEMO', { as: 'viewer' })).status, 403)
  })

  test(`21.17 what a handler waited for is kept without values ${on}`, async (t) => {
    const { call, untilKept } = await open(t, { database })
    const id = await call('POST KEY_VALUE.v1', { headers: demo, body: rows })
    const { waits } = (await untilKept(id)).timeline as Timeline
    assert.deepEqual([...new Set(waits.map(({ kind, failure }) => `${kind} ${failure}`))], ['database null'])
    assert.match(waits.map(({ summary }) => summary).join('\n'), /^INSERT \w+$[\s\S]*^COMMIT$/im)
  })

  test(`21.2, 21.12 headers and bodies are kept if the log detail says so, without secrets, for operators ${on}`, async (t) => {
    const { call, untilKept, ask } = await open(
      t,
      { database, configure: withDetail('headerAndDetail') },
      { 'ig.monitor.bodySize': '150' },
    )
    const secret = 'hunter2'
    const hostile = `<script>alert("x")</script>\u202e<password>${secret}</password><n>1</n>`
    const id = await call(`POST KEY_VALUE.v1?token=${secret}&x=<b>`, {
      headers: { ...demo, 'x-note': '<img src=x>', cookie: `a=${secret}`, 'x-api-key': secret },
      body: hostile + ' '.repeat(200),
    })
    const { hasMessages, url } = await untilKept(id)
    assert.equal(hasMessages, true)
    assert.equal(url, `${root}/KEY_VALUE.v1?token=[redacted]&x=<b>`)
    const { body, headers } = await ask(`GET /api/monitor/transactions/${id}/messages`, { as: 'operator' })
    assert.match(headers.get('content-type') ?? '', /^application\/json/)
    const { request, response } = body
    const header = (name: string) =>
      request.headers.find((each: { readonly name: string }) => each.name === name)?.value
    assert.deepEqual(['authorization', 'cookie', 'x-api-key', 'x-note'].map(header), [
      'Basic [redacted]',
      '[redacted]',
      '[redacted]',
      '<img src=x>',
    ])
    assert.ok(request.body.startsWith('<script>alert("x")</script>\\u202e<password>[redacted]</password><n>1</n>'))
    assert.match(request.body, /… \(\d+ more bytes\)$/)
    assert.match(response.body, /the root element is not request: script\./)
    assert.equal(JSON.stringify(body).includes(secret), false)
    assert.equal(JSON.stringify(body).includes(demo.authorization.slice(6)), false)
    assert.equal((await ask(`GET /api/monitor/transactions/${id}/messages`, { as: 'viewer' })).status, 403)
  })

  test(`21.10 the live tail has what is stored after it was requested ${on}`, async (t) => {
    const { call, untilKept, ask } = await open(t, { database })
    await untilKept(await call('GET ECHO.v1/echo/before'))
    const { body: list } = await ask('GET /api/monitor/transactions')
    const { body: nothing } = await ask(`GET /api/monitor/tail?after=${list.latest}`)
    assert.deepEqual(nothing, { items: [], latest: list.latest, isComplete: true })
    const id = await call('GET ECHO.v1/echo/after')
    await untilKept(id)
    const { body: tail } = await ask(`GET /api/monitor/tail?after=${list.latest}&status=Done`)
    assert.deepEqual(
      tail.items.map(({ transactionId }: Row) => transactionId),
      [id],
    )
    assert.ok(tail.latest > list.latest && tail.isComplete)
    assert.deepEqual((await ask(`GET /api/monitor/tail?after=${list.latest}&status=Error`)).body.items, [])
  })

  test(`21.13 the matrix shows who may call what, and by which permission list, a page at a time ${on}`, async (t) => {
    const { ask, opened } = await open(t, { database })
    const { body } = await ask('GET /api/permission-matrix?operator=d&operation=key_value&operationLimit=2', {
      as: 'viewer',
    })
    const { operators, operations, cells } = body
    assert.deepEqual([operations.total, operations.limit, operations.items.length], [4, 2, 2])
    assert.deepEqual(operations.items[0], { id: 'KEY_VALUE_DELETE.v1', permittedBy: ['REFERENCE_ALL'] })
    const demoAt = operators.items.findIndex(({ id }: Row) => id === 'DEMO')
    assert.deepEqual(cells[demoAt], [['REFERENCE_ALL'], ['REFERENCE_ALL']])
    await opened.gateway.store.operators.setLocked('DEMO', true)
    const { body: locked } = await ask('GET /api/permission-matrix?operator=DEMO&isLocked=true')
    assert.deepEqual([locked.operators.items[0].isLocked, new Set(locked.cells[0])], [true, new Set([null])])
    const { body: held } = await ask('GET /api/permission-matrix?permissionList=PUBLIC')
    assert.ok(held.cells.flat().length > 0)
    assert.ok(held.cells.flat().every((lists: string[] | null) => lists === null || lists.includes('PUBLIC')))
    assert.equal((await ask('GET /api/permission-matrix?operatorLimit=101')).status, 400)
    const may = async (path: string) => (await ask(`GET /api/operators/${path}`, { as: 'viewer' })).body
    const granted = { grantedBy: ['REFERENCE_ALL'], permittedBy: ['REFERENCE_ALL'] }
    const deletes = 'operations/KEY_VALUE_DELETE.v1'
    assert.deepEqual(await may(`DEMO/${deletes}`), { ...granted, isAllowed: false, reason: 'DEMO is locked' })
    const { reason, ...verdict } = await may(`DEMO2/${deletes}`)
    assert.deepEqual(verdict, { ...granted, isAllowed: true })
    assert.equal((await may(`GUEST/${deletes}`)).isAllowed, false)
    assert.match((await may('GUEST/operations/KEY_VALUE_DELET.v1')).detail, /did you mean KEY_VALUE_DELETE.v1/)
    assert.equal((await may(`NOBODY/${deletes}`)).code, 'notFound')
  })
})

test('21.1 health checks, descriptions and OPTIONS are not transactions', async (t) => {
  const { call, untilKept, list } = await open(t, {}, { 'ig.describe': 'permitted', 'ig.OptionsEnabled': 'true' })
  await call('GET /healthz')
  await call('GET /PSIGW/RESTListeningConnector/openapi.json')
  await call('OPTIONS ECHO.v1/echo/x')
  const id = await call('GET ECHO.v1/echo/x')
  await untilKept(id)
  assert.deepEqual(
    (await list('status=Done')).map(({ transactionId }) => transactionId),
    [id],
  )
})

test('21.2 with the log detail header no body is kept, and without one nothing', async (t) => {
  const { call, untilKept, ask } = await open(t, { configure: withDetail('header') })
  const id = await call('POST KEY_VALUE.v1', { headers: demo, body: rows })
  assert.equal((await untilKept(id)).hasMessages, true)
  const { body } = await ask(`GET /api/monitor/transactions/${id}/messages`)
  assert.deepEqual([body.request.body, body.response.body], [null, null])
  assert.ok(body.response.headers.length > 3)

  const { call: other, untilKept: kept, ask: askOther } = await open(t)
  const bare = await other('POST KEY_VALUE.v1', { headers: demo, body: rows })
  assert.equal((await kept(bare)).hasMessages, false)
  assert.equal((await askOther(`GET /api/monitor/transactions/${bare}/messages`)).status, 404)
})

test('21.2 of a binary body only the size is kept, and a URL of any length is cut', async (t) => {
  const { call, untilKept, ask } = await open(
    t,
    { configure: withDetail('headerAndDetail') },
    { 'ig.limits.url': '64KiB' },
  )
  const id = await call(`POST KEY_VALUE.v1?x=${'y'.repeat(30_000)}`, {
    headers: demo,
    body: Buffer.from([0, 1, 2, 255]),
  })
  const { url } = await untilKept(id)
  assert.ok(String(url).length < 2100)
  const { body } = await ask(`GET /api/monitor/transactions/${id}/messages`)
  assert.equal(body.request.body, '(4 bytes, not text)')
})

test('21.7 with the monitor off nothing is kept, and the API says so', async (t) => {
  const { ask, call } = await open(t, {}, { 'ig.monitor': 'off' })
  await call('GET ECHO.v1/echo/x')
  const { status, body } = await ask('GET /api/monitor/transactions')
  assert.deepEqual([status, body.code], [409, 'monitorOff'])
  assert.equal((await ask('GET /api/monitor')).body.isOn, false)
  const { ask: askOn } = await open(t)
  const { isOn, retention, perSecond } = (await askOn('GET /api/monitor')).body
  assert.deepEqual(
    { isOn, retention, perSecond },
    { isOn: true, retention: { days: 7, transactions: 1_000_000, bytes: 1024 ** 3 }, perSecond: 1000 },
  )
})

test('21.8 an invalid filter is refused with the valid ones', async (t) => {
  const { ask } = await open(t)
  for (const query of [
    'status=done',
    'outcome=Refused',
    'minDuration=3',
    'before=x',
    'limit=101',
    'from=yesterday',
    'httpStatus=0',
    'url=',
  ])
    assert.equal((await ask(`GET /api/monitor/transactions?${query}`)).status, 400, query)
  const { body } = await ask('GET /api/monitor/transactions?minDuration=3')
  assert.match(body.problems[0].message, /must be one of 1, 2, 5, 10/)
  assert.equal((await ask('GET /api/monitor/transactions/nowhere')).status, 404)
})
