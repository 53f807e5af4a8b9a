/** Idempotency-Key (specification 26), over sockets and on both databases. */
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { askTogether } from '../../../src/base/ask-together.ts'
import { makeKey } from '../../../src/features/idempotency/idempotency-key.ts'
import { openIdempotencyRows } from '../../../src/features/idempotency/rows.ts'
import { readIdempotencyKey } from '../../../src/features/idempotency/step.ts'
import { writeEntry } from '../../../src/observe/log-entry.ts'
import { openCallCounter } from '../../../src/observe/metrics/count-calls.ts'
import { Answer, formatTimestamp, type HandlerContext } from '../../../src/sdk.ts'
import { deleteEvery } from '../../../src/store/claim-times.ts'
import { besides } from '../../../src/store/sqlite/files.ts'
import { basic } from '../../support/client.ts'
import { findDatabase, forEachDatabase, type OpenTestDatabase, runOutside } from '../../support/databases.ts'
import { scaled } from '../../support/patience.ts'
import { openPlanned, type PlannedGateway } from '../../support/planned.ts'
import { poll } from '../../support/poll.ts'

const day = 24 * 3_600_000

forEachDatabase((database) => {
  suite(`Idempotency-Key (${database.name})`, () => {
    let place: OpenTestDatabase
    let gateway: PlannedGateway
    /** Another process on the same database. */
    let other: PlannedGateway
    let ahead = 0
    let runs = 0

    const open = () =>
      openPlanned({
        database: { name: database.name, open: async () => ({ url: place.url, remove: async () => {} }) },
        properties: {
          'ig.errorStyle': 'standard',
          'ig.limits.handlerTimeout': `${scaled(2000)}ms`,
          'ig.idempotency.size': '8MiB',
        },
        now: () => Date.now() + ahead,
      })
    before(async () => {
      place = await (database.openMigrated?.() ?? database.open())
      gateway = await open()
      other = await open()
    })
    after(async () => {
      await other.close()
      await gateway.close()
      await place.remove()
    })

    const write = ({ database: tables, transactionId }: HandlerContext, key: string) =>
      tables
        .insertInto('C_KEY_VALUE')
        .values({ IBTRANSACTIONID: transactionId, KEY1: key, LONGVALUE: 'x', ADD_DTTM: formatTimestamp(0) })
        .execute()
    const count = async (key: string) => {
      const rows = await runOutside(place.url, `select "KEY1" from "C_KEY_VALUE" where "KEY1" = '${key}'`)
      return rows.length
    }
    const stored = async () => {
      const [row] = await runOutside(place.url, 'select count(*) as rows from ig_idempotency')
      return Number(row?.rows)
    }
    /** Rows of 500 bytes, as another process would store them. */
    const flood = async (operator: string, size: number) => {
      const rows = Math.ceil(size / 500)
      const [series, from] =
        database.name === 'SQLite'
          ? [`with recursive s (n) as (select 1 union all select n + 1 from s where n < ${rows}) select`, 's']
          : ['select', `generate_series(1, ${rows}) as s (n)`]
      await runOutside(
        place.url,
        `insert into ig_idempotency (key, request, expires, operator, status, size, answer)
        ${series} '${operator}' || n, '', ${Date.now() + day}, '${operator}', 200, 500, '' from ${from}`,
      )
    }
    const post = (key: string, { body = 'one', at = gateway, line = 'POST', headers = {} } = {}) =>
      at.ask(line, { headers: { 'idempotency-key': key, ...headers }, body })
    const replayed = ({ status, text, headers }: Awaited<ReturnType<typeof post>>) => [
      status,
      text,
      headers['ig-idempotent-replay'],
    ]
    const refused = ({ status, headers }: Awaited<ReturnType<typeof post>>) => [status, headers['ig-refusal']]
    /** The handler writes a row under this name, and answers with the number of its run. */
    const counting = (name: string, wait?: () => Promise<unknown>): PlannedGateway['plan'] => {
      runs = 0
      return async (response, _request, context) => {
        const run = (runs += 1)
        await wait?.()
        await write(context, name)
        response.setContentString(`run ${run}`)
      }
    }

    test(`26.1, 26.3, 26.4 a repeated call gets the first answer, without Set-Cookie, and the handler does not run (${database.name})`, async () => {
      runs = 0
      gateway.plan = async (response, _request, context) => {
        await write(context, 'first')
        response.httpResponseCode = 201
        response.contentType = 'application/json'
        response.setHeader('location', '/orders/1')
        response.setHeader('set-cookie', 'basket=1')
        response.setContentString(`{"run":${(runs += 1)}}`)
      }
      const first = await post('8e03978e-40d5-43dd-bc93-6894a57f9324')
      const second = await post('"8e03978e-40d5-43dd-bc93-6894a57f9324"')
      assert.deepEqual(replayed(first), [201, '{"run":1}', undefined])
      assert.deepEqual(replayed(second), [201, '{"run":1}', 'true'])
      assert.deepEqual([second.headers['content-type'], second.headers.location], ['application/json', '/orders/1'])
      assert.match(String(first.headers['set-cookie']), /basket/)
      assert.doesNotMatch(String(second.headers['set-cookie']), /basket/)
      assert.notEqual(second.headers['ig-transaction-id'], first.headers['ig-transaction-id'])
      assert.equal(await count('first'), 1)
      await gateway.restart()
      assert.deepEqual(replayed(await post('8e03978e-40d5-43dd-bc93-6894a57f9324')), [201, '{"run":1}', 'true'])
    })

    test(`26.4 what failed keeps no answer, and an answer of a handler that writes nothing is kept (${database.name})`, async () => {
      runs = 0
      const outcomes: PlannedGateway['plan'][] = [
        (response) => void (response.httpResponseCode = 409),
        () => new Answer(422, 'no'),
        () => {
          throw new Error('the handler fails')
        },
        async (_response, _request, context) => {
          await write(context, 'failed')
          await context.database.selectFrom('NONE').selectAll().execute()
        },
        () => new Answer(202, 'taken', { 'x-state': 'new' }),
      ]
      gateway.plan = (...given) => outcomes[runs++]?.(...given)
      const statuses: number[] = []
      for (const _ of outcomes) statuses.push((await post('failed')).status)
      assert.deepEqual(statuses, [409, 422, 500, 500, 202])
      const { headers, ...again } = await post('failed')
      assert.deepEqual(replayed({ ...again, headers }), [202, 'taken', 'true'])
      assert.equal(headers['x-state'], 'new')
      assert.deepEqual([runs, await count('failed')], [5, 0])
    })

    test(`26.5 a body over 64 KiB and a stream are not repeated: the status, and an empty body (${database.name})`, async () => {
      const bodies: Record<string, string> = { fits: 'x'.repeat(64 * 1024), long: 'x'.repeat(64 * 1024 + 1) }
      gateway.plan = (response, request) => {
        response.httpResponseCode = 201
        response.setHeader('x-kind', 'big')
        response.setHeader('content-language', 'en')
        const name = request.getHeader('idempotency-key') ?? ''
        if (name === 'stream') response.setContentStream((async function* () {})())
        else response.setContentString(bodies[name] ?? '')
      }
      for (const [key, length] of [
        ['fits', 64 * 1024],
        ['long', 64 * 1024 + 1],
        ['stream', 0],
      ] as const) {
        const first = await post(key)
        assert.deepEqual([first.status, first.text.length], [201, length])
        const { status, text, headers } = await post(key)
        const isWhole = key === 'fits'
        assert.deepEqual([status, text.length], [201, isWhole ? length : 0])
        assert.deepEqual([headers['ig-idempotent-replay'], headers['x-kind']], [isWhole ? 'true' : 'truncated', 'big'])
        assert.equal(headers['content-language'], isWhole ? 'en' : undefined)
        assert.equal('content-type' in headers, isWhole)
      }
    })

    test(`26.6 a repeat waits for the first call, in this process and in another, and then gets its answer (${database.name})`, async () => {
      const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      gateway.plan = counting('waits', () => {
        begun.resolve()
        return gate.promise
      })
      other.plan = () => assert.fail('it ran twice')
      const calls = [post('waits')]
      await begun.promise
      calls.push(post('waits'), post('waits', { at: other }))
      const { idempotency } = other.gateway
      await poll(async () => idempotency.waiting > 0)
      gate.resolve()
      const answers = await Promise.all(calls)
      assert.deepEqual(answers.map(replayed), [
        [200, 'run 1', undefined],
        [200, 'run 1', 'true'],
        [200, 'run 1', 'true'],
      ])
      assert.equal(await count('waits'), 1)
    })

    test(`26.6 where the first call fails, one of those that wait runs the handler (${database.name})`, async () => {
      const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      gateway.plan = async () => {
        begun.resolve()
        await gate.promise
        throw new Error('the first fails')
      }
      other.plan = counting('second')
      const first = post('second')
      await begun.promise
      const second = post('second', { at: other })
      await poll(async () => other.gateway.idempotency.waiting > 0)
      gate.resolve()
      assert.deepEqual([(await first).status, replayed(await second)], [500, [200, 'run 1', undefined]])
    })

    const claimed = (key: string, lease: number) => {
      const { catalog, operators, store } = gateway.gateway
      const [operation, operator] = [catalog.operations.get('PLANNED_POST.v1'), operators.get('DEMO')]
      assert(operation && operator)
      const { row } = makeKey(key, operation, operator)
      return openIdempotencyRows(store.databases).claim({ key: row, owner: 'another process' }, lease, Date.now())
    }

    test(`26.6 a repeat waits no longer than a handler may run; the claim of a process that ended expires (${database.name})`, async () => {
      gateway.plan = counting('claimed')
      assert.equal(await claimed('claimed', deleteEvery), 'claimed')
      const { headers, ...late } = await post('claimed')
      assert.deepEqual(refused({ ...late, headers }), [409, 'idempotencyKeyInUse'])
      assert.equal(headers['retry-after'], '1')
      assert.equal(await claimed('ended', 1), 'claimed')
      assert.deepEqual(replayed(await post('ended')), [200, 'run 1', undefined])
    })

    test(`26.7 of two calls that run all the same only one is stored, and both get its answer (${database.name})`, async () => {
      const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      gateway.plan = counting('twice', () => {
        begun.resolve()
        return gate.promise
      })
      other.plan = async (response, _request, context) => {
        await write(context, 'twice')
        response.setContentString('faster')
      }
      const paused = post('twice')
      await begun.promise
      const claims = database.name === 'SQLite' ? besides(place.url, 'cache') : place.url
      await runOutside(claims, 'delete from ig_idempotency_claim')
      const faster = await post('twice', { at: other })
      gate.resolve()
      assert.deepEqual(
        [replayed(faster), replayed(await paused)],
        [
          [200, 'faster', undefined],
          [200, 'faster', 'true'],
        ],
      )
      assert.deepEqual([runs, await count('twice')], [1, 1])
    })

    test(`26.4 the answer is kept for ig.idempotency.lifetime, by the clock of the database (${database.name})`, async () => {
      gateway.plan = counting('expires')
      for (const [later, expected] of [
        [0, [200, 'run 1', undefined]],
        [day - 60_000, [200, 'run 1', 'true']],
        [day + 60_000, [200, 'run 2', undefined]],
        [2 * day, [200, 'run 2', 'true']],
      ] as const) {
        ahead = later
        assert.deepEqual(replayed(await post('expires')), expected)
      }
      ahead = 0
      assert.equal(await count('expires'), 2)
    })

    test(`26.10 what has expired is deleted, and so are the claims of killed processes (${database.name})`, async () => {
      const { idempotency, store } = gateway.gateway
      gateway.plan = () => {}
      ahead = -2 * day
      await post('past')
      ahead = 0
      const before = await stored()
      for (const [owner, ended] of [
        ['killed', 3_660_000],
        ['paused', 60_000],
      ] as const)
        assert.equal(
          await openIdempotencyRows(store.databases).claim({ key: owner, owner }, -ended, Date.now()),
          'claimed',
        )
      await idempotency.deleteResponses()
      assert.equal(await stored(), before - 1)
      const claims = database.name === 'SQLite' ? besides(place.url, 'cache') : place.url
      const named = "select owner from ig_idempotency_claim where owner in ('killed', 'paused')"
      const left = await runOutside(claims, named)
      assert.deepEqual(
        left.map(({ owner }) => owner),
        ['paused'],
      )
    })

    test(`26.10 an operator who has a tenth of the store gets 503 for new keys, and others are served (${database.name})`, async () => {
      const size = 8 * 1024 * 1024
      gateway.plan = (response) => response.setContentString('x'.repeat(2_000))
      await flood('DEMO2', size / 10 - 20_000) // another process stored it
      await gateway.gateway.idempotency.deleteResponses()
      const before = await stored()
      const statuses: number[] = []
      const demo2 = (key: string) => post(key, { headers: basic('DEMO2') })
      while (!statuses.includes(503)) statuses.push((await demo2(`demo2-${statuses.length}`)).status)
      assert.deepEqual(statuses, [...Array(statuses.length - 1).fill(200), 503])
      const [held] = await runOutside(
        place.url,
        "select sum(size) as size from ig_idempotency where operator = 'DEMO2'",
      )
      const free = size / 10 - Number(held?.size)
      assert.ok(free >= 0 && free < 3_000, `${free} bytes of a tenth are left`)
      const full = await demo2('demo2-new')
      assert.deepEqual([...refused(full), full.headers['retry-after']], [503, 'overloaded', '60'])
      assert.equal((await demo2('demo2-0')).headers['ig-idempotent-replay'], 'true')
      assert.equal((await post('of-another')).status, 200)
      assert.equal(await stored(), before + statuses.length)
      await runOutside(place.url, "delete from ig_idempotency where operator = 'DEMO2'")
      await gateway.gateway.idempotency.deleteResponses()
      assert.equal((await demo2('demo2-new')).status, 200)
    })

    test(`26.10 a full store refuses new keys, deletes nothing and repeats what it has, which is reported (${database.name})`, async () => {
      gateway.plan = (response) => response.setContentString('once')
      const first = await post('before')
      for (let operator = 0; operator < 11; operator += 1) await flood(`FLOOD${operator}`, 800_000)
      await gateway.gateway.idempotency.deleteResponses()
      const before = await stored()
      gateway.plan = () => assert.fail('the handler ran')
      assert.deepEqual(refused(await post('new')), [503, 'overloaded'])
      assert.deepEqual(refused(await post('newer')), [503, 'overloaded'])
      assert.deepEqual(replayed(await post('before')), [200, first.text, 'true'])
      assert.equal(await stored(), before)
      const events = gateway.observations.filter((one) => one.kind === 'event' && one.name === 'idempotencyFull')
      assert.equal(events.length, 1)
      assert.match(JSON.stringify(events[0]), /all of ig\.idempotency\.size \(8388608 bytes\)/)
      gateway.plan = () => {}
      assert.equal((await gateway.ask('POST', { body: 'no key' })).status, 200)
      await runOutside(place.url, "delete from ig_idempotency where operator like 'FLOOD%'")
      await gateway.gateway.idempotency.deleteResponses()
      assert.equal((await post('new')).status, 200)
    })

    if (database.name !== 'SQLite') return

    test('26.1 a key is 1 to 255 visible characters, in quotation marks or not', async () => {
      gateway.plan = () => {}
      const long = 'k'.repeat(255)
      for (const key of ['!', '~', long, `"${long}"`, 'a,b;c=d'])
        assert.deepEqual(refused(await post(key)), [200, undefined], key)
      for (const key of ['', '""', 'a b', '"a', 'a"', 'a"b', '"a", "b"', `${long}k`, 'k'.repeat(10_000), '\xe9'])
        assert.deepEqual(refused(await post(key)), [400, 'idempotencyKeyInvalid'], key)
    })

    test('26.1 a key belongs to an operator and an operation', async () => {
      gateway.plan = counting('scope')
      const texts: string[] = []
      for (const options of [{}, { headers: basic('DEMO2') }, { line: 'PUT' }, {}])
        texts.push((await post('scope', options)).text)
      assert.deepEqual(texts, ['run 1', 'run 2', 'run 3', 'run 1'])
    })

    test('26.3 another request with the key is refused: another target, content type or body', async () => {
      gateway.plan = counting('reused')
      const json = { 'content-type': 'application/json' }
      assert.equal((await post('reused', { headers: json })).status, 200)
      for (const options of [
        {},
        { headers: json, body: 'two' },
        { headers: json, body: '' },
        { headers: json, line: 'POST ?a=1' },
      ])
        assert.deepEqual(refused(await post('reused', options)), [422, 'idempotencyKeyReused'])
      assert.equal(replayed(await post('reused', { headers: json }))[2], 'true')
      assert.equal(runs, 1)
    })

    test('26.3 the digest of a large body is that of all its pieces', async () => {
      gateway.plan = counting('large')
      const [one, two] = [Buffer.alloc(1_000_000, 'a'), Buffer.alloc(1_000_000, 'a')]
      two[999_999] = 0x62
      const send = (body: Buffer) => gateway.ask('POST', { headers: { 'idempotency-key': 'large' }, body })
      assert.deepEqual(replayed(await send(one)), [200, 'run 1', undefined])
      assert.deepEqual(replayed(await send(one)), [200, 'run 1', 'true'])
      assert.deepEqual(refused(await send(two)), [422, 'idempotencyKeyReused'])
    })

    test('26.3 a repeat is authenticated, and needs the permission', async () => {
      gateway.plan = counting('permission')
      const { operators } = gateway.gateway.store
      const lists = () => gateway.gateway.operators.get('DEMO2')?.permissionLists.length
      const ask = (password?: string) => post('permission', { headers: basic('DEMO2', password) })
      assert.equal((await ask()).status, 200)
      await operators.revoke('DEMO2', 'REFERENCE_ALL')
      await poll(async () => lists() === 0)
      assert.deepEqual(refused(await ask()), [403, 'permissionDenied'])
      assert.equal((await ask('wrong')).status, 401)
      await operators.grant('DEMO2', 'REFERENCE_ALL')
      await poll(async () => lists() === 1)
      assert.deepEqual(replayed(await ask()), [200, 'run 1', 'true'])
    })

    test('26.11 a repeated answer is marked in log and metrics', async () => {
      gateway.plan = () => {}
      await post('marked')
      await post('marked')
      const replay = gateway.observations.findLast((one) => one.kind === 'answered')
      assert(replay?.kind === 'answered')
      assert.equal(writeEntry(replay, 4, 0).facts.replay, 'whole')
      const counter = openCallCounter({})
      counter.observe(replay)
      const series = 'ig_idempotent_replays_total{body="whole"}'
      assert.equal(counter.take().counters[series], 1)
    })

    test('26.2 GET, calls without credentials and operations that say so ignore the key', async () => {
      gateway.plan = counting('ignored')
      assert.equal((await gateway.ask('GET', { headers: { 'idempotency-key': 'a b' } })).text, 'run 1')
      const { operators, catalog } = gateway.gateway
      const [operation, operator] = [catalog.operations.get('PLANNED_POST.v1'), operators.get('DEMO')]
      assert(operation && operator)
      const read = (fields: object, headers: Record<string, string> = {}) =>
        readIdempotencyKey({ headers: { 'idempotency-key': 'k', ...headers } }, { ...operation, ...fields }, operator)
      assert(read({}))
      assert.equal(read({ idempotency: undefined }), undefined)
      for (const verification of ['NONE', 'SSL'] as const) {
        assert.equal(read({ verification, idempotency: 'required' }), undefined)
        assert(read({ verification }, basic('DEMO')))
      }
    })
  })
})

test('26.2 an operation can require the key, or ignore it', async (t) => {
  for (const [idempotency, withKey, without] of [
    ['required', 'true', [400, 'idempotencyKeyMissing']],
    ['off', undefined, [200, undefined]],
  ] as const) {
    const gateway = await openPlanned({ fields: { idempotency }, properties: { 'ig.errorStyle': 'standard' } })
    t.after(() => gateway.close())
    gateway.plan = () => {}
    const { status, headers } = await gateway.ask('POST', { body: 'x' })
    assert.deepEqual([status, headers['ig-refusal']], without)
    const key = { 'idempotency-key': 'k' }
    await gateway.ask('POST', { headers: key })
    assert.equal((await gateway.ask('POST', { headers: key })).headers['ig-idempotent-replay'], withKey)
    assert.equal((await gateway.ask('GET')).status, 200)
  }
})

test('26.12 with ig.secretKey the stored response is encrypted; without that key it is repeated without its content', async (t) => {
  const place = await findDatabase('SQLite').open()
  t.after(() => place.remove())
  const database = { name: 'SQLite' as const, open: async () => ({ url: place.url, remove: async () => {} }) }
  const gateway = await openPlanned({ database, properties: { 'ig.secretKey': 'a'.repeat(32) } })
  t.after(() => gateway.close())
  gateway.plan = (response) => {
    response.setHeader('x-kind', 'hidden')
    response.setContentString('the salary')
  }
  const repeat = async () => {
    const { status, text, headers } = await gateway.ask('POST', { headers: { 'idempotency-key': 'k' } })
    return [status, text, headers['x-kind'], headers['ig-idempotent-replay']]
  }
  assert.deepEqual(await repeat(), [200, 'the salary', 'hidden', undefined])
  assert.deepEqual(await repeat(), [200, 'the salary', 'hidden', 'true'])
  const [row] = await runOutside(place.url, 'select cast(answer as text) as answer from ig_idempotency')
  assert.match(String(row?.answer), /^[0-9a-f]{8}\.[\w-]+$/)
  const ofAnotherKey = `00000000${String(row?.answer).slice(8)}`
  await runOutside(place.url, `update ig_idempotency set answer = cast('${ofAnotherKey}' as blob)`)
  assert.deepEqual(await repeat(), [200, '', undefined, 'truncated'])
})

test('26.6 calls that claim at the same time share a statement, and the next ones gather while it is under way', async () => {
  const asked: (readonly string[])[] = []
  const first = Promise.withResolvers<void>()
  const claim = askTogether(async (keys: readonly string[]) => {
    asked.push(keys)
    if (asked.length === 1) await first.promise
    if (keys.includes('wrong')) throw new Error('refused')
    return keys.map((key) => `claimed ${key}`)
  }, 0)
  const together = Promise.all([claim('a'), claim('b')])
  await setImmediate()
  const later = Promise.allSettled([claim('c'), claim('wrong')])
  first.resolve()
  assert.deepEqual(await together, ['claimed a', 'claimed b'])
  assert.deepEqual(
    (await later).map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  assert.equal(await claim('d'), 'claimed d')
  assert.deepEqual(asked, [['a', 'b'], ['c', 'wrong'], ['d']])
})
