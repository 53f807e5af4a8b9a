/** The testing kit on a given database, and over real sockets (specification 11.4). */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import {
  decimalColumn,
  defineGateway,
  type Handler,
  type HandlerContext,
  type HandlerDatabase,
  type RequestMessage,
} from 'integration-gateway'
import { openTestGateway, type TestGatewayOptions } from 'integration-gateway/testing'
import { SettingsProblems } from '../../src/settings.ts'
import { StoreUnavailable } from '../../src/store/faults.ts'
import { afterwards } from '../support/afterwards.ts'
import { forEachDatabase, type OpenTestDatabase, runOutside, type TestDatabase } from '../support/databases.ts'
import { openRawSocket } from '../support/raw-socket.ts'

const handler = 'handlers/pay.ts'
const configuration = defineGateway({
  databaseValues: 'portable',
  nodes: [{ name: 'HERE', isDefaultLocal: true }],
  services: [{ name: 'PAYROLL' }],
  operations: [{ service: 'PAYROLL', name: 'PAY', method: 'POST', verification: 'Basic', bodyLimit: '8', handler }],
  permissionLists: [{ name: 'ALL', services: ['PAYROLL'] }],
})
const migrations = [
  {
    name: '0001-pay',
    async up(database: HandlerDatabase) {
      await database.schema
        .createTable('PAY')
        .addColumn('AMOUNT', decimalColumn(database, 9, 2))
        .addColumn('PAID', 'boolean')
        .execute()
    },
  },
]

class Pay implements Handler {
  async onRequest(request: RequestMessage, { broker, database, server }: HandlerContext) {
    await database
      .insertInto('PAY')
      .values({ AMOUNT: await request.getContentString(), PAID: true })
      .execute()
    const rows = await database.selectFrom('PAY').selectAll().execute()
    const response = broker.createMessage(request.operationName, 'response')
    response.setContentString(JSON.stringify({ rows, database: server.dbType }))
    return response
  }
}

const options: TestGatewayOptions = {
  project: { configuration, handlers: { [handler]: Pay }, migrations },
  operators: [{ id: 'ANN', permissionLists: ['ALL'] }, { id: 'BOB' }],
}
const dbTypes = { SQLite: 'SQLITE', PostgreSQL: 'POSTGRESQL' }
const pay = async (gateway: Awaited<ReturnType<typeof openTestGateway>>, amount: string, as = 'ANN') =>
  gateway.call('POST PAY.v1/', { as, body: amount })

const used: TestDatabase[] = []
forEachDatabase((database) => void used.push(database))
const places = new Map<string, OpenTestDatabase>()
for (const database of used) {
  const place = await database.open()
  places.set(database.name, place)
  after(place.remove)
}
const placeOf = ({ name }: TestDatabase) => places.get(name)?.url ?? ''

forEachDatabase((database) => {
  const { name } = database

  test(`11.4, 5.60 the kit runs on the database that it is given (${name})`, async () => {
    await using gateway = await openTestGateway({ ...options, database: placeOf(database) })
    const { status, text } = await pay(gateway, '12.50')
    assert.deepEqual([status, text], [200, `{"rows":[{"AMOUNT":"12.5","PAID":true}],"database":"${dbTypes[name]}"}`])
    const rows = await gateway.withDatabase((db) => db.selectFrom('PAY').selectAll().execute())
    assert.deepEqual(rows, [{ AMOUNT: '12.5', PAID: true }])
    assert.equal((await pay(gateway, '1', 'BOB')).refusal?.code, 'permissionDenied')
  })
})

test("11.4 ig.database in a test's settings has the same effect (PostgreSQL)", async (t) => {
  const place = places.get('PostgreSQL')
  if (!place) return t.skip('without PostgreSQL')
  await using gateway = await openTestGateway({ ...options, settings: { 'ig.database': place.url } })
  assert.equal((await pay(gateway, '1')).json().database, 'POSTGRESQL')
})

test('11.4 two tests on one PostgreSQL do not see each other, and leave nothing behind', async (t) => {
  const place = places.get('PostgreSQL')
  if (!place) return t.skip('without PostgreSQL')
  const schemas = "select nspname from pg_namespace where nspname like 'ig_test_%'"
  {
    await using first = await openTestGateway({ ...options, database: place.url })
    await using second = await openTestGateway({ ...options, database: place.url })
    await pay(first, '1')
    assert.deepEqual((await pay(second, '2')).json().rows, [{ AMOUNT: '2', PAID: true }])
    assert.equal((await runOutside(place.url, schemas)).length, 2)
  }
  assert.deepEqual(await runOutside(place.url, schemas), [])
})

test('11.4 a given SQLite file stays, with its rows, and its operators are those of the current test', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ig-kit-'))
  afterwards(() => rmSync(folder, { recursive: true }))
  const database = join(folder, 'kept.sqlite')
  {
    await using gateway = await openTestGateway({ ...options, database })
    await pay(gateway, '1')
  }
  const operators = [{ id: 'ANN' }, { id: 'BOB', permissionLists: ['ALL'] }]
  await using gateway = await openTestGateway({ ...options, database, operators })
  assert.equal((await pay(gateway, '2')).refusal?.code, 'permissionDenied')
  assert.equal((await pay(gateway, '2', 'BOB')).json().rows.length, 2)
})

test('11.4 the error of a database that does not answer has no password', async () => {
  const database = 'postgres://user:hidden-password@127.0.0.1:1/none'
  await assert.rejects(openTestGateway({ ...options, database }), (error) => {
    assert.ok(error instanceof StoreUnavailable)
    assert.match(error.message, /^The PostgreSQL database of the test cannot be used: .*ECONNREFUSED/)
    return !error.message.includes('hidden-password')
  })
  await assert.rejects(openTestGateway({ ...options, database: 'postgres://h/a@b' }), /URL of the test is not valid/)
})

test('11.4 two different databases are an error', async () => {
  const both = { ...options, database: 'one.sqlite', settings: { 'ig.database': 'two.sqlite' } }
  await assert.rejects(openTestGateway(both), SettingsProblems)
})

const listening = await openTestGateway({ ...options, listen: true })
after(() => listening.close())
const url = `${listening.url}/PSIGW/RESTListeningConnector/HERE/PAY.v1/`

test('11.4 the kit listens on request, and has a URL and credentials for clients', async () => {
  assert.match(listening.url, /^http:\/\/127\.0\.0\.1:\d+$/)
  assert.equal((await fetch(url, { method: 'POST', body: '1' })).status, 401)
  const headers = { authorization: await listening.basicCredentials('ANN') }
  assert.equal((await fetch(url, { method: 'POST', headers, body: '1' })).status, 200)
  const { status } = await listening.call('POST PAY.v1/', { as: 'ANN', body: '1' })
  assert.equal(status, 200)
})

test('11.4 a test gateway closes idle connections at once', async () => {
  const settings = { 'ig.limits.shutdownIdle': '1h', 'ig.limits.shutdownGrace': '1h' }
  await using gateway = await openTestGateway({ ...options, settings, listen: true })
  const client = await openRawSocket(gateway.url)
  client.write('GET /PSIGW/RESTListeningConnector/HERE/PAY.v1/ HTTP/1.1\r\nHost: a\r\n\r\n')
  assert.equal((await client.readReply()).status, 200)
  await gateway.close()
  assert.equal((await client.closed).length, 0)
})

test('11.4 a test gateway that does not listen says how to', async () => {
  await using gateway = await openTestGateway(options)
  assert.throws(() => gateway.url, /does not listen: open it with \{ listen: true \}/)
})

test('2.31 a body over the limit of its operation is refused, even without a stated length', async () => {
  const headers = { authorization: await listening.basicCredentials('ANN') }
  assert.equal((await fetch(url, { method: 'POST', headers, body: '12345678' })).status, 500) // more than its column takes
  const body = ReadableStream.from([Buffer.from('12345'), Buffer.from('6789')])
  for (const long of ['123456789', body]) {
    const answer = await fetch(url, { method: 'POST', headers, body: long, duplex: 'half' } as RequestInit)
    assert.deepEqual([answer.status, answer.headers.get('ig-refusal')], [413, 'bodyTooLarge'])
    assert.match(await answer.text(), /The request body is larger than 8 bytes/)
  }
})
