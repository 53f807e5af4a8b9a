/** The calls of the last day against a draft (specification 21.24). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestAdmin, type TestAdmin } from '../../support/admin.ts'
import { basic, send } from '../../support/client.ts'
import { findDatabase, forEachDatabase } from '../../support/databases.ts'
import { root } from '../../support/gateway.ts'
import { fast } from './fast.ts'

type Value = Record<string, unknown>

async function edit({ ask }: TestAdmin, draft: string, item: string, change: (value: Value) => Value | null) {
  const { etag, body } = await ask(`GET ${draft}/${item}`)
  const value = change(body.value)
  const answer = value
    ? await ask(`PUT ${draft}/${item}`, { ifMatch: etag, body: value })
    : await ask(`DELETE ${draft}/${item}`, { ifMatch: etag })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
}

async function untilStored({ ask }: TestAdmin, calls: number): Promise<void> {
  while ((await ask('GET /api/monitor/count')).body.count < calls);
}

forEachDatabase((database) => {
  test(`21.24 a replay lists the calls of the last day that a draft would refuse, by operation, refusal and caller (${database.name})`, async (t) => {
    const admin = await openTestAdmin(t, { database, features: fast, properties: { 'ig.monitor': 'on' } })
    const { ask, opened } = admin
    const call = (line: string, name?: string) =>
      send(opened.url, line.replace(' ', ` ${root}/`), name === undefined ? {} : { headers: basic(name) })
    await call('GET ECHO.v1/echo/x')
    await call('GET ECHO.v1/echo/y')
    await call('GET METADATA.v1')
    await call('GET CACHED_TIME.v1/', 'DEMO')
    await call('GET METADATA_BASIC.v1', 'DEMO')
    await call('GET CACHED_TIME.v1/', 'NOPERM') // refused
    await call('GET NOWHERE.v1/') // refused
    await untilStored(admin, 7)
    const { body: draft } = await ask('POST /api/drafts', { body: { title: 'Stricter' } })
    const path = `/api/drafts/${draft.id}`
    const replay = async () => {
      const { status, body } = await ask(`GET ${path}/replay`, { as: 'viewer' })
      assert.equal(status, 200, JSON.stringify(body))
      return body
    }
    const { from, ...unchanged } = await replay()
    assert.ok(Date.now() - Date.parse(from) >= 24 * 3_600_000)
    const none = { isMonitored: true, isCut: false, calls: 5, refused: 0, callers: 0, wouldBeRefused: [] }
    assert.deepEqual(unchanged, none)

    await edit(admin, path, 'operations/ECHO_GET.v1', (value) => ({ ...value, verification: 'Basic' }))
    await edit(admin, path, 'operations/METADATA_GET.v1', (value) => ({ ...value, alias: 'ELSEWHERE' }))
    await edit(admin, path, 'operations/METADATA_BASIC_GET.v1', (value) => ({
      ...value,
      allowedAddresses: ['192.0.2.0/24'],
    }))
    await edit(admin, path, 'permission-lists/REFERENCE_ALL', (value) => ({ ...value, services: [] }))
    const { wouldBeRefused, ...rest } = await replay()
    assert.deepEqual([rest.calls, rest.refused, rest.callers], [5, 5, 2])
    const told = wouldBeRefused.map(({ operation, refusal, reason, calls, callers }: Value) =>
      [operation, refusal, String(reason).split(/(?<=version\.) /)[0], calls, callers].join(' | '),
    )
    assert.deepEqual(told.sort(), [
      'CACHED_TIME_GET.v1 | permissionDenied | Operator DEMO holds no permission list with CACHED_TIME_GET.v1. | 1 | DEMO',
      'ECHO_GET.v1 | basicRejected | The operation requires Basic credentials; the call had no credentials. | 2 | GUEST',
      'METADATA_BASIC_GET.v1 | addressDenied | 127.0.0.1 is not among the allowedAddresses of METADATA_BASIC_GET.v1. | 1 | DEMO',
      'METADATA_GET.v1 | operationNotFound | There is no operation of this name and version. | 1 | GUEST',
    ])
    const [most] = wouldBeRefused
    const { body: newest } = await ask(`GET /api/monitor/transactions/${most.lastCall}`)
    assert.deepEqual(
      [most.operation, newest.operation, newest.url],
      ['ECHO_GET.v1', 'ECHO_GET.v1', `${root}/ECHO.v1/echo/y`],
    )
    assert.equal(opened.gateway.catalog.revision, 1)
  })
})

test('21.24 credentials of another kind would be refused, and calls of before the last day are not compared', async (t) => {
  let now = Date.now()
  const admin = await openTestAdmin(t, {
    database: findDatabase('SQLite'),
    features: fast,
    properties: { 'ig.monitor': 'on' },
    now: () => now,
  })
  const { ask, opened } = admin
  await send(opened.url, `GET ${root}/CACHED_TIME.v1/`, { headers: basic('DEMO') })
  await untilStored(admin, 1)
  const { body: draft } = await ask('POST /api/drafts', { body: { title: 'Tokens' } })
  const path = `/api/drafts/${draft.id}`
  await edit(admin, path, 'operations/CACHED_TIME_GET.v1', (value) => ({ ...value, verification: 'OAuth2' }))
  const { body } = await ask(`GET ${path}/replay`)
  assert.deepEqual(
    body.wouldBeRefused.map(({ refusal, reason }: Value) => [refusal, reason]),
    [['tokenRejected', 'The operation requires Bearer credentials; the call had Basic credentials.']],
  )
  now += 25 * 3_600_000
  assert.equal((await ask(`GET ${path}/replay`, { as: 'viewer' })).body.calls, 0)
})

test('21.24 without a monitor a replay says that there is nothing to compare', async (t) => {
  const { ask } = await openTestAdmin(t, { database: findDatabase('SQLite') })
  const { body: draft } = await ask('POST /api/drafts', { body: { title: 'Unseen' } })
  const { body } = await ask(`GET /api/drafts/${draft.id}/replay`)
  assert.deepEqual([body.isMonitored, body.calls, body.refused], [false, 0, 0])
})
