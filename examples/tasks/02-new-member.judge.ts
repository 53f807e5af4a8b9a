/** Judges the project that it is copied into: 02-new-member.md. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestGateway } from 'integration-gateway/testing'

const operators = [{ id: 'DESK', permissionLists: ['MEMBER_DESK'] }, { id: 'RAY' }]
const kim = { name: 'Kim', email: 'kim@example.com' }

async function open() {
  const gateway = await openTestGateway({ project: new URL('..', import.meta.url), operators })
  const post = (json: unknown, as = 'DESK') => gateway.call('POST MEMBER.v1/', { as, json })
  return { gateway, post }
}

test('a member is stored, and found at the URL of Location', async () => {
  const { gateway, post } = await open()
  await using _ = gateway
  const answer = await post(kim)
  assert.equal(answer.status, 201, answer.text)
  const { id } = answer.json()
  assert.ok(Number.isInteger(id), answer.text)
  const { location = '' } = answer.headers
  assert.ok(location.endsWith(`/MEMBER.v1/${id}`), `Location is ${location}`)
  const { pathname } = new URL(location, 'http://gateway')
  const member = await gateway.call(`GET ${pathname}`, { as: 'DESK' })
  assert.deepEqual([member.status, member.json()], [200, { id, ...kim }])
  assert.notEqual((await post({ name: 'Lee', email: 'lee@example.com' })).json().id, id)
  assert.equal((await gateway.call('GET MEMBER.v1/9999', { as: 'DESK' })).status, 404)
})

test('what is not a member is refused with all its wrong fields, and nothing is stored', async () => {
  const { gateway, post } = await open()
  await using _ = gateway
  const both = await post({ name: '', email: 'kim' })
  assert.ok([400, 422].includes(both.status), `${both.status}`)
  assert.match(both.text, /\bname\b/)
  assert.match(both.text, /\bemail\b/)
  for (const wrong of [{ ...kim, name: 'x'.repeat(101) }, { ...kim, age: 7 }, { name: 'Kim' }, [], 'Kim'])
    assert.ok([400, 422].includes((await post(wrong)).status), JSON.stringify(wrong))
  const headers = { 'content-type': 'application/json' }
  assert.equal((await gateway.call('POST MEMBER.v1/', { as: 'DESK', headers, body: '{"name":' })).status, 400)
  assert.equal((await post(kim)).status, 201)
})

test('an address belongs to one member', async () => {
  const { gateway, post } = await open()
  await using _ = gateway
  assert.equal((await post(kim)).status, 201)
  assert.equal((await post({ ...kim, name: 'Lee' })).status, 409)
  const statuses = await Promise.all(
    [1, 2, 3].map(async () => (await post({ name: 'A', email: 'a@example.com' })).status),
  )
  assert.deepEqual(statuses.sort(), [201, 409, 409])
})

test('only the desk may read and register', async () => {
  const { gateway, post } = await open()
  await using _ = gateway
  assert.equal((await post(kim)).status, 201)
  assert.equal((await post({ ...kim, email: 'ray@example.com' }, 'RAY')).refusal?.code, 'permissionDenied')
  assert.equal((await gateway.call('GET MEMBER.v1/1', { as: 'RAY' })).refusal?.code, 'permissionDenied')
  assert.equal((await gateway.call('POST MEMBER.v1/', { json: kim })).status, 401)
})
