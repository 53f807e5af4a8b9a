/** Calls of an Application Service, as its clients make them. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTestGateway, type TestGateway } from 'integration-gateway/testing'

const absence = { emplid: '100001', begindate: '2026-12-01', enddate: '2026-12-03' }

let gateway: TestGateway
before(async () => {
  gateway = await openTestGateway({ project: new URL('..', import.meta.url) })
})
after(() => gateway.close())

test('a request for absence is created, and Location is its URL, without a version', async () => {
  const created = await gateway.call('POST absence/request/createabsence', { as: 'CLERK', json: absence })
  const { location } = created.headers
  assert.deepEqual(
    [created.status, created.json(), location],
    [201, { requestid: 1 }, '/PSIGW/RESTListeningConnector/PSFT_HR/absence/request/1'],
  )
  const found = await gateway.call(`GET ${location}`, { as: 'CLERK' })
  assert.deepEqual([found.status, found.json()], [200, { requestid: 1, ...absence }])
})

test('the requests of an employee are rows, none of them an empty list', async () => {
  for (const [emplid, count] of [
    ['100001', 1],
    ['100002', 0],
  ] as const) {
    const { status, json } = await gateway.call(`GET absence/request?emplid=${emplid}`, { as: 'CLERK' })
    assert.deepEqual([status, (json() as { items: [] }).items.length], [200, count])
  }
})

test('what cannot be is a status of its own: 404, 422, 401', async () => {
  assert.equal((await gateway.call('GET absence/request/99', { as: 'CLERK' })).status, 404)
  const wrong = { ...absence, enddate: '2026-11-30' }
  const refused = await gateway.call('POST absence/request/createabsence', { as: 'CLERK', json: wrong })
  assert.deepEqual([refused.status, refused.refusal?.code], [422, 'bodyInvalid'])
  assert.equal((await gateway.call('GET absence/request/1')).status, 401)
})
