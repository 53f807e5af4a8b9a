/** The transactions of calls that run at the same time (specification 5.9, 5.74), over sockets, on both databases. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, suite, test } from 'node:test'
import {
  Answer,
  defineGateway,
  type Handler,
  type HandlerContext,
  type HandlerDatabase,
  type RequestMessage,
  type ResponseMessage,
} from 'integration-gateway'
import { openTestGateway, type TestGateway } from 'integration-gateway/testing'
import { findDatabase, forEachDatabase, type OpenTestDatabase, runOutside } from '../support/databases.ts'

type Work = (response: ResponseMessage, request: RequestMessage, context: HandlerContext) => Promise<unknown>

/** What PLANNED does, whatever its method. */
let plan: Work = async () => {}

class Planned implements Handler {
  async onRequest(request: RequestMessage, context: HandlerContext) {
    const response = context.broker.createMessage(request.operationName, 'response')
    await plan(response, request, context)
    return response
  }
  onError() {
    return 'onError'
  }
}

/** As docs/how-to/handlers/answers.md has it. */
class Reserve implements Handler {
  async onRequest(request: RequestMessage, { broker, database }: HandlerContext) {
    const item = await request.getContentString()
    const row = await database.selectFrom('STOCK').select('QUANTITY').where('ITEM', '=', item).executeTakeFirst()
    if (!row) throw new Answer(404, `We have no ${item}.`)
    if (row.QUANTITY === 0) throw new Answer(409, { error: 'soldOut', item })
    await database
      .updateTable('STOCK')
      .set({ QUANTITY: row.QUANTITY - 1 })
      .where('ITEM', '=', item)
      .execute()
    const response = broker.createMessage(request.operationName, 'response')
    response.setJson({ reserved: item })
    return response
  }
}

/** Refuses if there is a seat already: it counts, and then inserts. */
class TakeSeat implements Handler {
  async onRequest(request: RequestMessage, { broker, database }: HandlerContext) {
    const { taken } = await database
      .selectFrom('SEAT')
      .select(({ fn }) => fn.countAll<number>().as('taken'))
      .executeTakeFirstOrThrow()
    const response = broker.createMessage(request.operationName, 'response')
    if (Number(taken) > 0) response.httpResponseCode = 409
    else await database.insertRows('SEAT', ['WHO'], [['someone']])
    return response
  }
}

const operation = { service: 'S', verification: 'Basic', handler: 'planned.ts' } as const
const configuration = defineGateway({
  nodes: [{ name: 'HERE', isDefaultLocal: true }],
  services: [{ name: 'S' }],
  operations: [
    { ...operation, name: 'RESERVE', method: 'POST', handler: 'reserve.ts' },
    { ...operation, name: 'SEAT', method: 'POST', handler: 'seat.ts' },
    { ...operation, name: 'PLANNED', method: 'GET' },
    { ...operation, name: 'PLANNED', method: 'POST' },
    { ...operation, name: 'PLANNED', method: 'PUT', transaction: 'read' },
    { ...operation, name: 'PLANNED', method: 'PATCH', timeout: '400ms' },
  ],
  permissionLists: [{ name: 'ALL', services: ['S'] }],
})

async function up(database: HandlerDatabase) {
  const { schema } = database
  await schema.createTable('STOCK').addColumn('ITEM', 'varchar(10)').addColumn('QUANTITY', 'integer').execute()
  await schema.createTable('SEAT').addColumn('WHO', 'varchar(10)').execute()
}

async function setStock(database: HandlerDatabase, item: string, quantity: number) {
  await database.deleteFrom('STOCK').where('ITEM', '=', item).execute()
  await database.insertInto('STOCK').values({ ITEM: item, QUANTITY: quantity }).execute()
}

const readStock = async ({ database }: Pick<HandlerContext, 'database'>): Promise<number> =>
  (await database.selectFrom('STOCK').select('QUANTITY').where('ITEM', '=', 'cap').executeTakeFirstOrThrow()).QUANTITY

const writeStock = ({ database }: Pick<HandlerContext, 'database'>, quantity: number) =>
  database.updateTable('STOCK').set({ QUANTITY: quantity }).where('ITEM', '=', 'cap').execute()

forEachDatabase((database) => {
  suite(`concurrent calls (${database.name})`, () => {
    let place: OpenTestDatabase
    let gateway: TestGateway
    let authorization = ''
    before(async () => {
      place = await database.open()
      gateway = await openTestGateway({
        project: {
          configuration,
          handlers: { 'planned.ts': Planned, 'reserve.ts': Reserve, 'seat.ts': TakeSeat },
          migrations: [{ name: '0001-stock', up }],
        },
        operators: [{ id: 'ANN', permissionLists: ['ALL'] }],
        database: place.url,
        listen: true,
      })
      authorization = await gateway.basicCredentials('ANN')
    })
    after(async () => {
      await gateway.close()
      await place.remove()
    })
    const call = async (line: string, body?: string, headers: Record<string, string> = {}) => {
      const [method = '', name] = line.split(' ')
      const url = `${gateway.url}/PSIGW/RESTListeningConnector/HERE/${name}.v1/`
      const answer = await fetch(url, { method, headers: { authorization, ...headers }, ...(body && { body }) })
      return { status: answer.status, text: await answer.text(), headers: answer.headers }
    }
    const stock = (quantity: number) => gateway.withDatabase((it) => setStock(it, 'cap', quantity))
    const left = () => gateway.withDatabase((it) => readStock({ database: it }))
    const statuses = async (calls: readonly Promise<{ readonly status: number }>[]) =>
      (await Promise.all(calls)).map(({ status }) => status).sort()

    test(`5.74 of eight parallel calls that reserve the last item one succeeds (${database.name})`, async () => {
      await stock(1)
      const calls = Array.from({ length: 8 }, () => call('POST RESERVE', 'cap'))
      assert.deepEqual(await statuses(calls), [200, ...Array(7).fill(409)])
      assert.equal(await left(), 0)
    })

    test(`5.74 of eight parallel calls that count and then insert one succeeds (${database.name})`, async () => {
      const calls = Array.from({ length: 8 }, () => call('POST SEAT'))
      assert.deepEqual(await statuses(calls), [200, ...Array(7).fill(409)])
      const seats = await gateway.withDatabase((it) => it.selectFrom('SEAT').selectAll().execute())
      assert.equal(seats.length, 1)
    })

    test(`5.74, 26.4 fifty parallel calls that increment one row all succeed, with keys or without (${database.name})`, async () => {
      await stock(0)
      plan = async (response, _request, context) => {
        const quantity = await readStock(context)
        await writeStock(context, quantity + 1)
        response.setContentString(String(quantity))
      }
      const calls = Array.from({ length: 50 }, (_, at) => {
        const headers: Record<string, string> = at % 2 ? { 'idempotency-key': `key-${at}` } : {}
        return call('POST PLANNED', undefined, headers)
      })
      assert.deepEqual(await statuses(calls), Array(50).fill(200))
      assert.equal(await left(), 50)
      const repeated = await call('POST PLANNED', undefined, { 'idempotency-key': 'key-1' })
      assert.equal(repeated.headers.get('ig-idempotent-replay'), 'true')
      assert.equal(await left(), 50)
    })

    test(`5.74 a conflict that a stream of rows meets runs the handler again, too (${database.name})`, async () => {
      await stock(0)
      plan = async (response, _request, context) => {
        const rows = context.database.selectFrom('STOCK').select('QUANTITY').where('ITEM', '=', 'cap')
        const locked = database.name === 'PostgreSQL' ? rows.forUpdate() : rows
        let quantity = 0
        for await (const row of locked.stream()) quantity = row.QUANTITY
        await writeStock(context, quantity + 1)
        response.setContentString(String(quantity))
      }
      assert.deepEqual(await statuses(Array.from({ length: 10 }, () => call('POST PLANNED'))), Array(10).fill(200))
      assert.equal(await left(), 10)
    })

    test(`5.53 a handler of a write transaction that calls a service after any statement causes one warning for its operation (${database.name})`, async () => {
      const service = createServer((_request, response) => response.end('it')).listen(0, '127.0.0.1')
      await new Promise((listening) => service.once('listening', listening))
      const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}/`
      try {
        await stock(1)
        plan = async (response, _request, context) => {
          await readStock(context)
          response.setContentString(await (await context.fetch(url)).text())
        }
        const warnings = () =>
          gateway.observations.filter((it) => it.kind === 'note' && /holds locks/.test(it.message ?? '')).length
        await call('GET PLANNED')
        await call('PUT PLANNED')
        assert.equal(warnings(), 0)
        assert.deepEqual(await statuses([call('POST PLANNED'), call('POST PLANNED')]), [200, 200])
        assert.equal(warnings(), 1)
      } finally {
        service.close()
      }
    })
  })
})

suite('conflicts (PostgreSQL)', () => {
  let place: OpenTestDatabase
  let gateway: TestGateway
  let runs = 0
  before(async () => {
    place = await findDatabase('PostgreSQL').open()
    gateway = await openTestGateway({
      project: {
        configuration,
        handlers: { 'planned.ts': Planned, 'reserve.ts': Reserve, 'seat.ts': TakeSeat },
        migrations: [{ name: '0001-stock', up }],
      },
      operators: [{ id: 'ANN', permissionLists: ['ALL'] }],
      settings: { 'ig.errorStyle': 'standard' },
      database: place.url,
    })
    await gateway.withDatabase((it) => setStock(it, 'cap', 0))
  })
  after(async () => {
    await gateway.close()
    await place.remove()
  })

  /** The first so many runs conflict with a transaction of another process. */
  const conflicting =
    (times: number, work: Work): Work =>
    async (response, request, context) => {
      runs += 1
      const quantity = await readStock(context)
      if (runs <= times) {
        await runOutside(place.url, `update "${await schemaOf(context)}"."STOCK" set "QUANTITY" = "QUANTITY" + 100`)
      }
      await work(response, request, context)
      await writeStock(context, quantity + 1)
    }
  const schemaOf = async ({ database }: HandlerContext) => {
    const { schema } = await database
      .selectNoFrom(({ fn }) => fn<string>('current_schema', []).as('schema'))
      .executeTakeFirstOrThrow()
    return schema
  }
  const ask = (line: string, work: Work, options = {}, times = 1) => {
    runs = 0
    plan = conflicting(times, work)
    return gateway.call(line, { as: 'ANN', ...options })
  }
  const none: Work = async () => {}

  test('5.74 after a conflict the handler runs again from its start, and the log says so', async () => {
    const afterwards: number[] = []
    await gateway.withDatabase((it) => it.deleteFrom('SEAT').execute())
    const answer = await ask(
      'POST PLANNED.v1/',
      async (response, _request, { database, afterCommit }) => {
        const run = runs
        await database.insertRows('SEAT', ['WHO'], [[`run ${run}`]])
        afterCommit(() => void afterwards.push(run))
        response.setHeader('x-run', String(run))
        response.setContentString(`run ${run}`)
      },
      { headers: { 'idempotency-key': 'again' } },
      2,
    )
    assert.deepEqual([answer.status, answer.text, answer.headers['x-run']], [200, 'run 3', '3'])
    const again = answer.log.filter(({ message }) => /runs again: another transaction was faster/.test(message))
    assert.equal(again.length, 2)
    const seats = await gateway.withDatabase((it) => it.selectFrom('SEAT').selectAll().execute())
    assert.deepEqual(seats, [{ WHO: 'run 3' }])
    const repeated = await gateway.call('POST PLANNED.v1/', { as: 'ANN', headers: { 'idempotency-key': 'again' } })
    assert.deepEqual([repeated.text, runs, afterwards], ['run 3', 3, [3]])
  })

  test('5.74 a run that lost does not answer, even if its handler caught the error', async () => {
    runs = 0
    plan = async (response, request, context) => {
      try {
        await conflicting(1, none)(response, request, context)
        response.setContentString(`run ${runs}`)
      } catch {
        response.httpResponseCode = 409
      }
    }
    const { status, text } = await gateway.call('POST PLANNED.v1/', { as: 'ANN', headers: { 'idempotency-key': 'c' } })
    assert.deepEqual([status, text], [200, 'run 2'])
  })

  test('5.74 conflicts until the time limit are overloaded, without onError', async () => {
    const { status, refusal } = await ask('PATCH PLANNED.v1/', none, {}, Number.POSITIVE_INFINITY)
    assert.deepEqual([status, refusal?.code], [503, 'overloaded'])
    assert.ok(runs > 1)
  })

  test('5.74 a handler that called a service or took its body as a stream does not run again', async () => {
    const fetching: Work = async (_response, _request, { fetch }) =>
      void (await fetch('http://127.0.0.1:1/').catch(() => {}))
    const reading: Work = async (_response, request) => void (await request.getContentStream().toArray())
    for (const work of [fetching, reading]) {
      const { status, refusal } = await ask('POST PLANNED.v1/', work, { body: 'a' })
      assert.deepEqual([status, refusal?.code, runs], [503, 'overloaded', 1])
    }
  })

  test('5.9, 5.74 a read transaction sees what others commit meanwhile, and runs once', async () => {
    const { status } = await ask('PUT PLANNED.v1/', none)
    assert.deepEqual([status, runs], [200, 1])
  })
})
