/** The rows of the monitor on both databases: pages, news, losses, retention (specification 21.3 to 21.10). */
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import pg from 'pg'
import type { CallerQuery } from '../../../src/features/monitor/count-use.ts'
import { type MonitorStore, openMonitorStore } from '../../../src/features/monitor/monitor-store.ts'
import {
  durationSteps,
  isError,
  type MonitoredTransaction,
  type MonitorFilter,
  type MonitorPlace,
} from '../../../src/features/monitor/monitored-transaction.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { forEachDatabase, type TestDatabase } from '../../support/databases.ts'

async function open(t: TestContext, database: TestDatabase): Promise<MonitorStore & { readonly url: string }> {
  const place = await database.open()
  const store = await openMonitorStore(place.url)
  t.after(async () => {
    await store.close()
    await place.remove()
  })
  return { ...store, url: place.url }
}

const begin = Date.parse('2026-11-21T12:00:00Z')
let made = 0

function transaction(facts: Partial<MonitoredTransaction> = {}): MonitoredTransaction {
  made += 1
  return {
    transactionId: `00000000-0000-4000-8000-${String(made).padStart(12, '0')}`,
    time: begin + made,
    durationMs: 1.5,
    method: 'GET',
    url: '/PSIGW/RESTListeningConnector/LOCAL_NODE/ECHO.v1/echo/a',
    httpStatus: 200,
    outcome: 'served',
    refusal: undefined,
    endedBy: 'handler',
    reason: undefined,
    node: 'LOCAL_NODE',
    operation: 'ECHO_GET.v1',
    operator: 'GUEST',
    isCached: false,
    isSlow: false,
    remoteAddress: '127.0.0.1',
    revision: 1,
    instance: 'one',
    messages: undefined,
    ...facts,
  }
}

async function add(store: MonitorStore, transactions: readonly MonitoredTransaction[], batch = 40): Promise<void> {
  for (let from = 0; from < transactions.length; from += batch)
    await store.append({ transactions: transactions.slice(from, from + batch), losses: [], isRepeated: false })
}

/** All pages, one after the other. */
async function readAll(store: MonitorStore, filter: MonitorFilter, limit: number): Promise<string[]> {
  const ids: string[] = []
  let before: MonitorPlace | undefined
  do {
    const page = await store.list({ filter, limit, before })
    assert.ok(page.transactions.length <= limit)
    ids.push(...page.transactions.map(({ transactionId }) => transactionId))
    before = page.next
  } while (before)
  return ids
}

function fits(found: MonitoredTransaction, filter: MonitorFilter): boolean {
  const { isError: failed, durationMs, from, to, url, ...same } = filter
  return (
    (failed === undefined || isError(found) === failed) &&
    (durationMs === undefined || found.durationMs >= durationMs) &&
    (from === undefined || found.time >= from) &&
    (to === undefined || found.time < to) &&
    (url === undefined || found.url.toLowerCase().includes(url.toLowerCase())) &&
    Object.entries(same).every(
      ([field, value]) => value === undefined || found[field as keyof MonitoredTransaction] === value,
    )
  )
}

const oneOf = <T>(...values: readonly T[]) => fc.constantFrom(...values)
const facts = fc.record({
  time: fc.integer({ min: 0, max: 60 }).map((offset) => begin + offset), // many at the same time
  durationMs: oneOf(0.2, 1, 1.99, 2, 30, 999.9, 70_000),
  method: oneOf('GET', 'POST'),
  url: oneOf('/a', '/B%_!', '/c?x=1'),
  httpStatus: oneOf(200, 201, 404),
  outcome: oneOf('served' as const, 'refused' as const, 'failed' as const),
  refusal: oneOf(undefined, 'permissionDenied' as const, 'unexpected' as const),
  node: oneOf(undefined, 'LOCAL_NODE', 'OTHER'),
  operation: oneOf(undefined, 'ECHO_GET.v1', 'KEY_VALUE_POST.v1'),
  operator: oneOf(undefined, 'GUEST', 'DEMO', 'démo'),
  isCached: oneOf(undefined, true, false),
  isSlow: oneOf(true, false),
})
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 })
const filters = fc.record({
  isError: maybe(fc.boolean()),
  outcome: maybe(oneOf('served' as const, 'refused' as const, 'failed' as const)),
  httpStatus: maybe(oneOf(200, 404, 500)),
  refusal: maybe(oneOf('permissionDenied' as const, 'overloaded' as const)),
  method: maybe(oneOf('GET', 'POST', 'PUT')),
  node: maybe(oneOf('LOCAL_NODE', 'NOWHERE')),
  operation: maybe(oneOf('ECHO_GET.v1', 'KEY_VALUE_POST.v1', 'GONE_GET.v1')),
  operator: maybe(oneOf('GUEST', 'démo', 'guest')),
  isCached: maybe(fc.boolean()),
  isSlow: maybe(fc.boolean()),
  durationMs: maybe(oneOf(...durationSteps.slice(0, 6))),
  from: maybe(fc.integer({ min: -1, max: 61 }).map((offset) => begin + offset)),
  to: maybe(fc.integer({ min: -1, max: 61 }).map((offset) => begin + offset)),
  url: maybe(oneOf('b%', 'X=', '!')),
})

forEachDatabase((database) => {
  const on = `(${database.name})`

  test(`21.8, 21.9 pages with any combination of filters return every match once, newest first ${on}`, async (t) => {
    const store = await open(t, database)
    const random = fc.sample(facts, { numRuns: 400, seed: 7 }).map(transaction)
    await add(store, random)
    const inOrder = random
      .map((each, index) => ({ each, index }))
      .sort((a, b) => b.each.time - a.each.time || b.index - a.index)
    const check = async (filter: MonitorFilter, limit: number) => {
      const expected = inOrder.filter(({ each }) => fits(each, filter)).map(({ each }) => each.transactionId)
      assert.deepEqual(await readAll(store, filter, limit), expected)
    }
    await check({}, 100)
    await fc.assert(fc.asyncProperty(filters, fc.integer({ min: 1, max: 100 }), check), { numRuns: 150, seed: 3 })
  })

  test(`21.20 the slowest that match any combination of filters come first ${on}`, async (t) => {
    const store = await open(t, database)
    const random = fc.sample(facts, { numRuns: 400, seed: 11 }).map(transaction)
    await add(store, random)
    const check = async (filter: MonitorFilter, limit: number) => {
      const expected = random.filter((each) => fits(each, filter)).map(({ durationMs }) => durationMs)
      const { transactions, next } = await store.slowest({ filter, limit })
      assert.deepEqual(
        transactions.map(({ durationMs }) => durationMs),
        expected.sort((one, other) => other - one).slice(0, limit),
      )
      assert.ok(transactions.every((found) => fits({ ...found, messages: undefined }, filter)))
      assert.equal(next, undefined)
    }
    await fc.assert(fc.asyncProperty(filters, fc.integer({ min: 1, max: 100 }), check), { numRuns: 80, seed: 5 })
  })

  test(`21.8 a transaction is found by its id, as it was kept ${on}`, async (t) => {
    const store = await open(t, database)
    const messages = {
      request: { headers: [['accept', '<b>*/*</b>'] as const], body: '<script>alert(1)</script>' },
      response: { headers: [['content-type', 'text/xml'] as const], body: undefined },
    }
    const refused = transaction({
      refusal: 'nodeUnknown',
      reason: 'no node "X"',
      httpStatus: 404,
      node: undefined,
      operation: undefined,
      operator: undefined,
      isCached: undefined,
      revision: undefined,
    })
    const kept = transaction({ messages, operator: "O'Brien \u{1f600}", durationMs: 12.34 })
    await add(store, [refused, kept, transaction()])
    for (const each of [refused, kept]) {
      const { messages: own, ...rest } = each
      const expected = { ...rest, hasMessages: own !== undefined }
      assert.deepEqual(await store.find(each.transactionId), expected)
      const { transactions } = await store.list({ filter: { transactionId: each.transactionId }, limit: 5 })
      assert.deepEqual(transactions, [expected])
    }
    assert.deepEqual(JSON.stringify(await store.messages(kept.transactionId)), JSON.stringify(messages))
    assert.equal(await store.messages(refused.transactionId), undefined)
    assert.equal(await store.find('nobody'), undefined)
  })

  test(`21.9 part of a URL is searched in 10,000 transactions at a time ${on}`, async (t) => {
    const store = await open(t, database)
    const old = transaction({ url: '/the-needle', time: begin })
    const many = Array.from({ length: 10_000 }, (_, index) => transaction({ time: begin + 1 + Math.floor(index / 3) }))
    await add(store, [old, ...many], 5000)
    const first = await store.list({ filter: { url: 'NEEDLE' }, limit: 10 })
    assert.deepEqual(first.transactions, [])
    assert.deepEqual(first.next?.time, begin + 1)
    const second = await store.list({ filter: { url: 'NEEDLE' }, limit: 10, before: first.next })
    assert.deepEqual(
      second.transactions.map(({ transactionId }) => transactionId),
      [old.transactionId],
    )
    assert.equal(second.next, undefined)
    const { isComplete, transactions, latest } = await store.news({ url: 'needle' }, 0, 10)
    assert.deepEqual([isComplete, transactions.length, latest], [false, 0, 10_001])
  })

  test(`21.10 the tail has what was stored since, whatever its time, and reports missing transactions ${on}`, async (t) => {
    const store = await open(t, database)
    await add(store, [transaction()])
    const { latest } = await store.list({ filter: {}, limit: 1 })
    assert.deepEqual(await store.news({}, latest, 10), { transactions: [], latest, isComplete: true })
    const late = transaction({ time: begin - 60_000 })
    const other = transaction({ operator: 'DEMO' })
    await add(store, [late, other])
    const ids = async (filter: MonitorFilter, limit: number) => {
      const { transactions, isComplete } = await store.news(filter, latest, limit)
      return [transactions.map(({ transactionId }) => transactionId), isComplete]
    }
    assert.deepEqual(await ids({}, 2), [[other.transactionId, late.transactionId], true])
    assert.deepEqual(await ids({}, 1), [[other.transactionId], false])
    assert.deepEqual(await ids({ operator: 'DEMO', httpStatus: 200 }, 1), [[other.transactionId], true])
    assert.deepEqual(await ids({ httpStatus: 201 }, 1), [[], true])
  })

  test(`21.3 transactions that were not kept are summed for a time span ${on}`, async (t) => {
    const store = await open(t, database)
    const loss = { instance: 'one', reason: 'rate', isError: false, minute: begin, transactions: 5 } as const
    const tell = (...losses: Parameters<MonitorStore['append']>[0]['losses']) =>
      store.append({ transactions: [], losses, isRepeated: false })
    await tell(loss, { ...loss, isError: true, transactions: 1 })
    await tell(loss, { ...loss, instance: 'two' }, { ...loss, minute: begin + 60_000, reason: 'database' })
    const sorted = async (from: number, to: number) =>
      (await store.losses(from, to)).toSorted((a, b) => b.transactions - a.transactions)
    assert.deepEqual(await sorted(begin + 59_999, begin + 60_000), [
      { reason: 'rate', isError: false, transactions: 15 },
      { reason: 'rate', isError: true, transactions: 1 },
    ])
    assert.deepEqual(await sorted(begin + 60_000, begin + 60_001), [
      { reason: 'database', isError: false, transactions: 5 },
    ])
    assert.deepEqual(await sorted(0, begin), [])
  })

  test(`21.4 a batch that is stored again, because its first result is unknown, is stored once ${on}`, async (t) => {
    const store = await open(t, database)
    const batch = { transactions: [transaction(), transaction()], losses: [] }
    await store.append({ ...batch, isRepeated: false })
    await store.append({ ...batch, isRepeated: true })
    assert.equal((await readAll(store, {}, 10)).length, 2)
  })

  test(`21.5 processes that write at once number all transactions, and each has the classes of the others ${on}`, async (t) => {
    const store = await open(t, database)
    const others = await Promise.all([1, 2].map(() => openMonitorStore(store.url)))
    t.after(() => Promise.all(others.map((other) => other.close())))
    const statuses = [200, 201, 202, 204, 404, 500]
    await Promise.all(
      [store, ...others].map((writer) =>
        add(
          writer,
          statuses.map((status) => transaction({ httpStatus: status })),
          2,
        ),
      ),
    )
    for (const status of statuses) assert.equal((await readAll(store, { httpStatus: status }, 2)).length, 3)
    assert.equal((await store.list({ filter: {}, limit: 1 })).latest, 18)
  })

  test(`21.6 the oldest are deleted by age, by number and by size, in slices ${on}`, async (t) => {
    const store = await open(t, database)
    const day = 24 * 3_600_000
    const generous = { days: 7, transactions: 1_000_000, bytes: 1024 ** 4 }
    const all = Array.from({ length: 1300 }, (_, index) => transaction({ time: begin + index }))
    await add(store, all, 1000)
    const now = begin + 7 * day
    const slices = async (time: number, retention: typeof generous) => {
      const deleted: number[] = []
      do deleted.push(await store.prune(time, retention))
      while (deleted.at(-1))
      return deleted
    }
    const left = async () => (await store.extent()).transactions
    assert.deepEqual(await slices(now, generous), [0])
    assert.deepEqual(await slices(now + 600, generous), [200, 200, 200, 0])
    assert.equal(await left(), 700)
    assert.deepEqual(await slices(now, { ...generous, transactions: 400 }), [200, 100, 0])
    assert.equal((await readAll(store, {}, 100)).at(-1), all[900]?.transactionId)
    const size = 350 + transaction().url.length
    assert.deepEqual(await slices(now, { ...generous, bytes: 10 * size }), [200, 190, 0])
    assert.deepEqual(await store.extent(), { transactions: 10, oldest: begin + 1290 })
    assert.deepEqual(await slices(now + 2000, generous), [10, 0])
    assert.deepEqual(await store.extent(), { transactions: 0, oldest: undefined })
  })

  test(`21.4 the monitor shares ${database.name} with the store ${on}`, async (t) => {
    const store = await open(t, database)
    await add(store, [transaction()])
    const main = await openStore(store.url) // migrates what the other has migrated
    t.after(() => main.close())
    assert.deepEqual(await main.operators.list(), [])
    assert.equal((await store.extent()).transactions, 1)
  })
})

forEachDatabase((database) => {
  test(`21.4 a monitor without its rows after a restore starts again, with one number for each transaction (${database.name})`, async (t) => {
    const { url, ...before } = await open(t, database)
    await add(before, [transaction(), transaction({ method: 'POST' })])
    await removeMonitorRows(url)
    const [store, another] = [await openMonitorStore(url), await openMonitorStore(url)]
    t.after(() => Promise.all([store.close(), another.close()]))
    assert.deepEqual(await store.extent(), { transactions: 0, oldest: undefined })
    assert.deepEqual(await readAll(store, {}, 10), [])
    assert.equal(await store.prune(begin, { days: 1, transactions: 1, bytes: 1 }), 0)
    const [one, other] = [transaction(), transaction({ method: 'POST' })]
    await Promise.all([add(store, [one]), add(another, [other])])
    assert.deepEqual((await readAll(store, {}, 10)).toSorted(), [one.transactionId, other.transactionId])
    assert.deepEqual(await readAll(another, { method: 'POST' }, 10), [other.transactionId])
    assert.equal((await store.extent()).transactions, 2)
  })
})

/** As `pg_dump --exclude-table-data='ig_monitor*'` leaves them out. */
async function removeMonitorRows(url: string): Promise<void> {
  const tables = ['ig_monitor_state', 'ig_monitor_class', 'ig_monitor', 'ig_monitor_loss']
  const statements = tables.map((table) => `delete from ${table}`)
  if (!url.startsWith('postgres')) {
    const file = new DatabaseSync(url.replace(/\.sqlite$/, '-monitor.sqlite'))
    for (const statement of statements) file.exec(statement)
    return file.close()
  }
  const client = new pg.Client(url)
  await client.connect()
  for (const statement of statements) await client.query(statement)
  await client.end()
}

forEachDatabase((database) => {
  test(`21.22, 21.23 the callers of an operation are counted, sorted, searched and cut (${database.name})`, async (t) => {
    const store = await open(t, database)
    const of = (operator: string | undefined, day: number, more: Partial<MonitoredTransaction> = {}) =>
      transaction({ operation: 'OLD_GET.v1', operator, time: begin + day * 24 * 3_600_000, ...more })
    const rows = [
      of('ANN', 1, { outcome: 'failed' }),
      of('BOB', 2),
      of('ANN', 3),
      of('CAT', 3, { operation: 'NEW_GET.v1' }),
      of('DAN', 0),
      of(undefined, 2.5, { outcome: 'refused' }),
    ]
    await add(store, rows)
    const query = { operation: 'OLD_GET.v1', from: begin + 24 * 3_600_000, offset: 0, limit: 50 }
    const find = async (more: Partial<CallerQuery> = {}) =>
      (await store.callers({ ...query, sort: 'last', isDescending: true, ...more })).callers
    assert.deepEqual(
      (await find()).map(({ operator, calls, refused, failed }) => [operator, calls, refused, failed]),
      [
        ['ANN', 2, 0, 1],
        [undefined, 1, 1, 0],
        ['BOB', 1, 0, 0],
      ],
    )
    assert.equal((await find())[0]?.last, begin + 3 * 24 * 3_600_000)
    const names = async (more: Partial<CallerQuery>) => (await find(more)).map(({ operator }) => operator)
    assert.deepEqual(await names({ search: 'nn' }), ['ANN'])
    assert.deepEqual(await names({ sort: 'calls', isDescending: false, offset: 2 }), ['ANN'])
    const { total } = await store.callers({ ...query, sort: 'last', isDescending: true, offset: 90 })
    assert.equal(total, 3)
    assert.deepEqual(await find({ operation: 'NONE_GET.v1' }), [])

    const since = begin + 2.2 * 24 * 3_600_000
    const used = await store.use('operation', ['OLD_GET.v1', 'NEW_GET.v1', 'NONE_GET.v1'], since)
    assert.deepEqual(used.map(({ id, calls, refused, callers }) => [id, calls, refused, callers]).sort(), [
      ['NEW_GET.v1', 1, 0, 1],
      ['OLD_GET.v1', 2, 1, 3],
    ])
    const [bob] = await store.use('operator', ['BOB'], since)
    assert.deepEqual(bob, { id: 'BOB', calls: 0, refused: 0, failed: 0, last: begin + 2 * 24 * 3_600_000, callers: 1 })
  })
})
