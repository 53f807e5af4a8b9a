/** What the monitor keeps and what it cannot: rates, a database that is away or full, several processes (specification 21.2 to 21.6). */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { mkdir, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { openMonitorStore } from '../../../src/features/monitor/monitor-store.ts'
import type { MonitorBatch } from '../../../src/features/monitor/monitored-transaction.ts'
import { type MonitorOptions, openMonitor } from '../../../src/features/monitor/open.ts'
import { openRecorder, type Recorder, type RecorderOptions } from '../../../src/features/monitor/recorder.ts'
import type { AnsweredCall } from '../../../src/model/call-record.ts'
import type { Event, Observation } from '../../../src/model/observation.ts'
import type { Operation } from '../../../src/model/operation.ts'
import { Refusal } from '../../../src/model/refusal.ts'
import { findDatabase } from '../../support/databases.ts'
import { poll } from '../../support/poll.ts'

let calls = 0

function answered(status = 200, refusal?: Refusal, logDetail: Operation['logDetail'] = 'none', size = 0): AnsweredCall {
  calls += 1
  return {
    kind: 'answered',
    call: { method: 'GET', target: '/x', headers: { authorization: 'Basic …' }, remoteAddress: '127.0.0.1' },
    transaction: {
      id: `call ${calls}`,
      begun: Date.now(),
      operation: { id: 'ECHO_GET.v1', logDetail },
      operator: { id: 'DEMO' },
    },
    ended: Date.now(),
    reply: { status, headers: ['content-type', 'text/plain'], body: { bytes: Buffer.alloc(size, 'x') } },
    refusal,
  } as unknown as AnsweredCall
}

const refused = () => answered(200, new Refusal('permissionDenied', 'no list'))

interface Kept {
  readonly lost: Recorder['lost']
  readonly batches: readonly MonitorBatch[]
  readonly events: readonly Event[]
  readonly put: (...observations: readonly Observation[]) => void
  /** Puts together what came, as after a second. */
  readonly close: () => Promise<void>
}

function keep(options: Partial<RecorderOptions> = {}): Kept {
  const batches: MonitorBatch[] = []
  const events: Event[] = []
  const { observe, close, lost } = openRecorder({
    perSecond: 5,
    bodyBytes: 16_384,
    instance: 'one',
    append: async (batch) => void batches.push(batch),
    observe: (event) => void events.push(event as Event),
    ...options,
  })
  return { batches, events, close, lost, put: (...all) => all.forEach(observe) }
}

const many = (count: number, make: () => AnsweredCall) => Array.from({ length: count }, () => make())

test('21.3 of more than perSecond transactions the first are kept, errors before others, and the rest is counted', async () => {
  const { put, close, batches } = keep()
  put(...many(8, answered), refused(), answered(404), refused())
  await close()
  const kept = batches.flatMap(({ transactions }) => transactions)
  assert.deepEqual(kept.map(({ httpStatus, refusal }) => refusal ?? httpStatus).sort(), [
    200,
    200,
    404,
    'permissionDenied',
    'permissionDenied',
  ])
  assert.deepEqual(
    batches.flatMap(({ losses }) => losses.map(({ reason, isError, transactions }) => [reason, isError, transactions])),
    [['rate', false, 6]],
  )
})

test('5.35, 26.11 the monitor has a stream when it ends, and says that an answer was repeated', async () => {
  const { put, close, batches } = keep()
  const streamed = (bytes: number, isWhole: boolean, refusal?: Refusal): AnsweredCall => ({
    ...answered(200, refusal, 'headerAndDetail'),
    streamed: { bytes, isWhole },
  })
  const failed = streamed(8, false, new Refusal('handlerFailed', 'the stream failed after 8 bytes'))
  const whole = streamed(9, true)
  const left = streamed(4, false)
  const repeated = answered()
  const again: AnsweredCall = { ...repeated, reply: { ...repeated.reply, replay: 'whole' } }
  put(failed, whole, left, again)
  await close()
  const kept = batches.flatMap(({ transactions }) => transactions)
  assert.deepEqual(
    kept.map(({ httpStatus, refusal, reason, messages }) => [httpStatus, refusal, reason, messages?.response.body]),
    [
      [200, 'handlerFailed', 'the stream failed after 8 bytes', '(8 bytes that were not kept)'],
      [200, undefined, '9 bytes streamed', '(9 bytes that were not kept)'],
      [200, undefined, 'the client left after 4 bytes were streamed', '(4 bytes that were not kept)'],
      [200, undefined, 'the first answer to its Idempotency-Key, repeated', undefined],
    ],
  )
})

test('21.3 errors beyond perSecond are counted as errors', async () => {
  const { put, close, batches, lost } = keep()
  put(...many(7, refused), answered())
  await close()
  assert.deepEqual(lost, { rate: 3, database: 0 })
  assert.equal(batches.flatMap(({ transactions }) => transactions).length, 5)
  const losses = batches.flatMap(({ losses: all }) => all).map(({ isError, transactions }) => [isError, transactions])
  assert.deepEqual(losses.sort(), [
    [false, 1],
    [true, 2],
  ])
})

test('21.3 calls that reached no operation, and errors without credentials or with wrong ones, come last, get at most a tenth, and are counted as errors', async () => {
  const nobodys = () => {
    const made = answered(404, new Refusal('basicRejected', 'wrong password'))
    return { ...made, transaction: { ...made.transaction, operator: undefined } }
  }
  const anonymous = () => {
    const made = answered(404, new Refusal('uriNotMatched', 'no template'))
    return { ...made, call: { ...made.call, headers: {} } }
  }
  const stray = () => {
    const made = answered(404, new Refusal('operationNotFound', 'no such'))
    return { ...made, transaction: { ...made.transaction, operation: undefined } }
  }
  const statuses = async (...all: readonly AnsweredCall[]) => {
    const { put, close, batches } = keep({ perSecond: 20 })
    put(...all)
    await close()
    const kept = batches.flatMap(({ transactions }) => transactions.map(({ httpStatus }) => httpStatus))
    const lost = batches.flatMap(({ losses }) => losses.map((each) => [each.isError, each.transactions]))
    return {
      done: kept.filter((each) => each === 200).length,
      strays: kept.filter((each) => each === 404).length,
      lost,
    }
  }
  assert.deepEqual(await statuses(...many(100, stray)), { done: 0, strays: 2, lost: [[true, 98]] })
  assert.deepEqual(await statuses(...many(100, stray), ...many(19, answered)), {
    done: 19,
    strays: 1,
    lost: [[true, 99]],
  })
  assert.deepEqual(await statuses(...many(100, stray), ...many(20, answered)), {
    done: 20,
    strays: 0,
    lost: [[true, 100]],
  })
  assert.deepEqual(
    await statuses(...many(30, nobodys), ...many(30, anonymous), ...many(40, stray), ...many(19, answered)),
    {
      done: 19,
      strays: 1,
      lost: [[true, 99]],
    },
  )
  assert.deepEqual(await statuses(...many(20, answered), ...many(5, stray)), { done: 20, strays: 0, lost: [[true, 5]] })
})

test('21.2 messages of a second take at most 4 MiB, and further transactions are kept without them', async () => {
  const { put, close, batches } = keep({ perSecond: 500 })
  put(...many(500, () => answered(200, undefined, 'headerAndDetail', 16_384)))
  await close()
  const kept = batches.flatMap(({ transactions }) => transactions)
  const withMessages = kept.filter(({ messages }) => messages)
  assert.equal(kept.length, 500)
  assert.ok(withMessages.length > 200 && withMessages.length < 300, String(withMessages.length))
})

test('21.4 a batch that the database refuses is retried, and the outage and its end are reported once', async () => {
  let failures = 3
  const tried: MonitorBatch[] = []
  const returned = Promise.withResolvers<void>()
  const events: Event[] = []
  const { put, close } = keep({
    every: 1,
    retryDelay: 1,
    observe(event) {
      events.push(event as Event)
      if ((event as Event).name === 'monitorBack') returned.resolve()
    },
    async append(batch) {
      tried.push(batch)
      if (failures-- > 0) throw new Error('database or disk is full')
    },
  })
  put(answered())
  await returned.promise
  await close()
  assert.deepEqual(
    tried.map(({ transactions, isRepeated }) => [transactions.length, isRepeated]),
    [
      [1, false],
      [1, true],
      [1, true],
      [1, true],
    ],
  )
  assert.deepEqual(
    events.map(({ name, level }) => [name, level]),
    [
      ['monitorAway', 'error'],
      ['monitorBack', 'warning'],
    ],
  )
  assert.match(
    events[0]?.message ?? '',
    /database or disk is full\. Calls are not affected; dropped transactions are counted/,
  )
})

test('21.4 during an outage ten batches wait, and further transactions are counted', async () => {
  let isAway = true
  const stored: MonitorBatch[] = []
  const { put, close } = keep({
    perSecond: 20_000,
    retryDelay: 1,
    async append(batch) {
      if (isAway) throw new Error('away')
      stored.push(batch)
    },
  })
  put(...many(12_500, answered))
  isAway = false
  await close()
  const sum = (numbers: readonly number[]) => numbers.reduce((all, number) => all + number, 0)
  const kept = sum(stored.map(({ transactions }) => transactions.length))
  const lost = sum(stored.flatMap(({ losses }) => losses.map(({ transactions }) => transactions)))
  assert.equal(kept + lost, 12_500)
})

test('21.4 between two batches of a second other work has its turn', async () => {
  let turns = 0
  let isEnded = false
  const takeTurns = () => {
    turns += 1
    if (!isEnded) setImmediate(takeTurns)
  }
  takeTurns()
  const turnsAt: number[] = []
  const stored = Promise.withResolvers<void>()
  const { put, close } = keep({
    perSecond: 300,
    every: 100,
    async append() {
      if (turnsAt.push(turns) === 3) stored.resolve()
    },
  })
  put(...many(300, answered))
  await stored.promise
  isEnded = true
  await close()
  assert.equal(new Set(turnsAt).size, 3)
})

test('21.4 closing does not wait for a database that stays unavailable', async () => {
  const { put, close, events } = keep({
    append: async () => {
      throw new Error('away')
    },
  })
  put(answered())
  await close()
  assert.equal(events.length, 1)
})

function openFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'ig-monitor-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const limits = { isOn: true, perSecond: 100, bodyBytes: 1024, days: 7, transactions: 1000, bytes: 1024 ** 3 }

/** A monitor on a real database, and a promise of each event. */
function monitor(t: TestContext, database: string, more: Partial<MonitorOptions> = {}) {
  const waiting = new Map<string, PromiseWithResolvers<Event>>()
  const until = (name: string) => {
    const wanted = waiting.get(name) ?? Promise.withResolvers<Event>()
    waiting.set(name, wanted)
    return wanted
  }
  const opened = openMonitor({
    settings: { monitor: limits, database, log: { masking: 'known' } },
    observe: (event) => until((event as Event).name).resolve(event as Event),
    every: 1,
    retryDelay: 5,
    ...more,
  })
  t.after(() => opened.close())
  return { ...opened, until: (name: string) => until(name).promise }
}

test('21.4 if its file cannot be opened the log says so, and waiting transactions are stored later', async (t) => {
  const folder = openFolder(t)
  const file = join(folder, 'gateway-monitor.sqlite')
  await mkdir(file)
  const { observe, until, monitorStore } = monitor(t, join(folder, 'gateway.sqlite'))
  observe(answered())
  assert.match((await until('monitorAway')).message, /Cannot open the SQLite database .*gateway-monitor\.sqlite/)
  await rmdir(file)
  await until('monitorBack')
  assert.equal((await (await monitorStore()).extent()).transactions, 1)
})

test('21.4 a file of a newer gateway is left unchanged, and reported', async (t) => {
  const folder = openFolder(t)
  const place = join(folder, 'gateway.sqlite')
  await (await openMonitorStore(place)).close()
  const file = new DatabaseSync(join(folder, 'gateway-monitor.sqlite'))
  file.exec(`insert into ig_migration values ('9999-later', 'now')`)
  file.close()
  const { observe, until } = monitor(t, place)
  observe(answered())
  assert.match((await until('monitorAway')).message, /newer than this gateway: it has the migration 9999-later/)
})

test('21.4 a lost connection is replaced, and nothing is stored twice (PostgreSQL)', async (t) => {
  const place = await findDatabase('PostgreSQL').open()
  t.after(() => place.remove())
  const { observe, monitorStore } = monitor(t, place.url)
  const admin = new pg.Client({ connectionString: place.url })
  await admin.connect()
  admin.on('error', () => {}) // the database is removed before it ends
  t.after(() => admin.end())
  const count = async () => (await (await monitorStore()).list({ filter: {}, limit: 100 })).transactions.length
  for (let round = 1; round <= 3; round += 1) {
    observe(answered())
    await poll(async () => (await count().catch(() => 0)) === round)
    await admin.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()',
    )
  }
})

test('21.6 transactions that are too old are deleted even without calls', async (t) => {
  const started = Date.now()
  let now = started
  const { observe, monitorStore } = monitor(t, join(openFolder(t), 'gateway.sqlite'), { now: () => now, pruneEvery: 1 })
  const kept = async () => (await (await monitorStore()).extent()).transactions
  observe(answered())
  await poll(async () => (await kept()) === 1)
  now = started + 8 * 24 * 3_600_000
  await poll(async () => (await kept()) === 0)
})
