/** The testing kit, used as a project uses it. */
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  createXmlDoc,
  defineGateway,
  type Handler,
  type HandlerContext,
  type HandlerDatabase,
  Refusal,
  type RequestMessage,
} from 'integration-gateway'
import { openTestGateway } from 'integration-gateway/testing'
import { type Verification, verificationNames, verificationOf } from '../../src/model/verification.ts'
import { ProjectProblems } from '../../src/project/open-project.ts'
import { referenceFolder } from '../support/gateway.ts'

/** The mode that checks what the testing kit sends. */
const checkingMode = (name: Verification) => verificationOf(verificationOf(name).takes[0])
/** The kit sends no client certificate. */
const verifications = verificationNames.filter((name) => checkingMode(name).header !== undefined)
const handler = 'handlers/sample.ts'
const configuration = defineGateway({
  nodes: [
    { name: 'HERE', isDefaultLocal: true },
    { name: 'ANONYMOUS', defaultUser: 'ANYONE' },
  ],
  services: [{ name: 'SAMPLES' }],
  operations: [
    ...verifications.map((verification) => ({
      service: 'SAMPLES',
      name: `WHO_${verification.toUpperCase()}`,
      method: 'GET' as const,
      verification,
      handler,
    })),
    { service: 'SAMPLES', name: 'WORK', method: 'POST', verification: 'Basic', handler },
  ],
  permissionLists: [{ name: 'ALL', services: ['SAMPLES'] }],
})
const migrations = [
  {
    name: '0001-visits',
    up: (database: HandlerDatabase) => database.schema.createTable('VISITS').addColumn('WHO', 'text').execute(),
  },
]
const operators = [
  { id: 'ANYONE', permissionLists: ['ALL'] },
  { id: 'Ann Lee', permissionLists: ['ALL'] },
  { id: 'BOB' },
  { id: 'CAT', permissionLists: ['ALL'], isLocked: true },
]

class Sample implements Handler {
  async onRequest(request: RequestMessage, { broker, operator, database, log, now }: HandlerContext) {
    const response = broker.createMessage(request.operationName, 'response')
    if (request.operationName !== 'WORK_POST') {
      response.setContentString(JSON.stringify({ operator: operator.id, now: now(), x: request.getHeader('X-Sample') }))
      return response
    }
    log.information('working', { operator: operator.id })
    await database.insertInto('VISITS').values({ WHO: operator.id }).execute()
    let count = 0
    for await (const { name } of request.getXmlElements('request')) {
      if (name === 'refuse') throw new Refusal('bodyMalformed', 'it has refuse')
      if (name === 'fail') throw new Error('it has fail')
      count += 1
    }
    const document = createXmlDoc('response')
    document.root.addElement('count', String(count))
    response.setXmlDoc(document)
    return response
  }
}
const open = (more: object = {}) =>
  openTestGateway({ project: { configuration, handlers: { [handler]: Sample }, migrations }, operators, ...more })

test('11.4 a gateway from objects or from a folder answers like one that listens, and leaves nothing behind', async (t) => {
  const own = mkdtempSync(join(tmpdir(), 'ig-kit-')) // other processes test with the kit at the same time
  const { TMPDIR } = process.env
  process.env.TMPDIR = own
  t.after(() => {
    if (TMPDIR === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = TMPDIR
    rmSync(own, { recursive: true })
  })
  const folders = () => readdirSync(own).filter((name) => name.startsWith('integration-gateway-test-')).length
  {
    await using gateway = await open()
    const answer = await gateway.call('GET WHO_BASIC.v1/', { as: 'Ann Lee', headers: { 'x-sample': 'y' } })
    assert.equal(answer.status, 200)
    assert.deepEqual(answer.json(), { operator: 'Ann Lee', now: gateway.now(), x: 'y' })
    assert.match(answer.headers['set-cookie'] ?? '', /^JSESSIONID=/)
    const healthy = await gateway.call('GET /healthz')
    assert.equal(healthy.status, 200)
    assert.ok(folders() > 0)
  }
  const reference = await openTestGateway({ project: referenceFolder, settings: { 'ig.platformName': 'sample' } })
  const { text, headers } = await reference.call('GET ECHO.v1/echo/x')
  assert.equal(text, '<?xml version="1.0"?><response><parameter1>x</parameter1></response>')
  assert.ok(headers['x-sample-dms-ecid'])
  await reference.close()
  assert.equal(folders(), 0)
})

test('11.4 a project with errors is refused with all of them', async () => {
  const problemsOf = (more: object): Promise<readonly string[]> =>
    open(more).then(
      async (gateway) => {
        await gateway.close()
        return []
      },
      (error: ProjectProblems) => {
        assert.ok(error instanceof ProjectProblems)
        return error.problems.map(({ path }) => path)
      },
    )
  const withoutHandlers = await problemsOf({ project: { configuration, handlers: {} } })
  assert.equal(withoutHandlers.length, configuration.operations.length)
  const faulty = { nodes: [{ name: 'x' }], operations: [{}] }
  const ofConfiguration = await problemsOf({ project: { configuration: faulty, handlers: {} } })
  for (const path of ['nodes[0].name', 'operations[0].handler']) assert.ok(ofConfiguration.includes(path), path)
  assert.deepEqual(await problemsOf({ operators: [{ id: 'A', permissionLists: ['ALLL'] }, { id: 'A' }] }), [
    'operators[0].permissionLists[0]',
    'operators[1].id',
  ])
  await assert.rejects(open({ settings: { 'ig.errorStlye': 'standard' } }), /ig\.errorStyle/)
  await assert.rejects(openTestGateway({ project: '/nowhere' }), ProjectProblems)
})

test('11.4, 27.16 credentials are sent as the verification requires, and are real', async () => {
  await using gateway = await open()
  for (const verification of verifications) {
    const line = `GET WHO_${verification.toUpperCase()}.v1/`
    const isSecure = verification.endsWith('SSL')
    const { status, operator } = await gateway.call(line, { as: 'Ann Lee', isSecure })
    assert.deepEqual([verification, status, operator], [verification, 200, 'Ann Lee'])
    const denied = await gateway.call(line, { as: 'BOB', isSecure })
    assert.deepEqual([denied.refusal?.code, denied.operator], ['permissionDenied', 'BOB'])
    const locked = await gateway.call(line, { as: 'CAT', isSecure })
    assert.equal(locked.refusal?.code, checkingMode(verification).refusal)
    const unknown = await gateway.call(line, { as: 'NOBODY', isSecure })
    assert.equal(unknown.status, 401)
  }
  const anonymous = await gateway.call('GET WHO_NONE.v1/')
  assert.equal(anonymous.json().operator, 'ANYONE')
  const inTheClear = await gateway.call('GET WHO_BASICSSL.v1/', { as: 'Ann Lee' })
  assert.equal(inTheClear.refusal?.code, 'tlsRequired')
  const wrong = await gateway.call('GET WHO_BASIC.v1/', { headers: { authorization: 'Basic QW5uIExlZTp4' } })
  assert.equal(wrong.refusal?.code, 'basicRejected')
})

test('11.4 a token is verified: a changed one is rejected, and so is one that has expired', async () => {
  await using gateway = await open()
  const token = await gateway.token('Ann Lee')
  const call = (bearer: string) =>
    gateway.call('GET WHO_OAUTH2.v1/', { headers: { authorization: `Bearer ${bearer}` } })
  assert.equal((await call(token)).operator, 'Ann Lee')
  const changed = await call(token.replace(/.{8}$/, 'AAAAAAAA'))
  assert.match(changed.refusal?.reason ?? '', /signature/)
  gateway.advance(3_600_000 + 31_000)
  assert.match((await call(token)).refusal?.reason ?? '', /exp/)
  assert.equal((await gateway.call('GET WHO_OAUTH2.v1/', { as: 'Ann Lee' })).status, 200)
})

test('11.4 a response has what the caller gets, and what it does not', async () => {
  await using gateway = await open()
  const work = (body: string) => gateway.call('POST WORK.v1/', { as: 'Ann Lee', body })
  const good = await work('<request><a/><b/></request>')
  assert.equal(good.xml().root.child('count')?.text, '2')
  assert.equal(good.headers['ig-transaction-id'], good.transactionId)
  assert.deepEqual(
    [good.operation, good.operator, good.isCached, good.refusal],
    ['WORK_POST.v1', 'Ann Lee', false, undefined],
  )
  assert.deepEqual(
    good.log, // no operator with its password hash
    [{ level: 'information', message: 'working', detail: { operator: 'Ann Lee' } }],
  )
  const refused = await work('<request><refuse/></request>')
  assert.deepEqual(refused.refusal, { code: 'bodyMalformed', reason: 'it has refuse', cause: undefined })
  const failed = await work('<request><fail/></request>')
  assert.equal(failed.status, 500)
  assert.equal(failed.refusal?.code, 'handlerFailed')
  assert.equal(String(failed.refusal?.cause), 'Error: it has fail')
  assert.doesNotMatch(failed.text, /it has fail/)
  const lost = await gateway.call('GET NOTHING.v1/', { as: 'BOB' })
  assert.deepEqual([lost.operation, lost.refusal?.code], [undefined, 'operationNotFound'])
  assert.equal(gateway.observations.filter(({ kind }) => kind === 'answered').length, 4)
  await assert.rejects(gateway.call('WORK.v1/'), /A call is a method and a path/)
})

test('11.4 a body of any length is sent in pieces, within the limits', async () => {
  await using gateway = await open({ settings: { 'ig.limits.body': '1MiB' } })
  async function* rows(count: number) {
    yield '<request>'
    for (let number = 0; number < count; number += 1000) yield '<row/>'.repeat(1000)
    yield '</request>'
  }
  const many = await gateway.call('POST WORK.v1/', { as: 'Ann Lee', body: rows(100_000) })
  assert.equal(many.xml().root.child('count')?.text, '100000')
  const tooMany = await gateway.call('POST WORK.v1/', { as: 'Ann Lee', body: rows(200_000) })
  assert.equal(tooMany.refusal?.code, 'bodyTooLarge')
})

test('11.4 the clock stands still until it is set or advanced', async () => {
  await using gateway = await open({ now: '2026-11-21T10:11:12.123Z' })
  const time = async () => (await gateway.call('GET WHO_NONE.v1/')).json().now
  const start = Date.UTC(2026, 10, 21, 10, 11, 12, 123)
  assert.deepEqual([await time(), await time()], [start, start])
  gateway.advance(0.25)
  assert.equal(await time(), start + 0.25)
  gateway.setNow(new Date(0))
  assert.equal(await time(), 0)
  assert.throws(() => gateway.setNow('some day'), RangeError)
})

test('11.4 the tables are read and written in a transaction', async () => {
  await using gateway = await open()
  const visits = () => gateway.withDatabase((database) => database.selectFrom('VISITS').selectAll().execute())
  await gateway.withDatabase((database) => database.insertInto('VISITS').values({ WHO: 'first' }).execute())
  await gateway.call('POST WORK.v1/', { as: 'Ann Lee', body: '<request/>' })
  await gateway.call('POST WORK.v1/', { as: 'Ann Lee', body: '<request><fail/></request>' })
  const undone = gateway.withDatabase(async (database) => {
    await database.insertInto('VISITS').values({ WHO: 'undone' }).execute()
    throw new Error('after all not')
  })
  await assert.rejects(undone, /after all not/)
  assert.deepEqual(await visits(), [{ WHO: 'first' }, { WHO: 'Ann Lee' }])
})
