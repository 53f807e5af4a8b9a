/** Judges the project that it is copied into: 04-member-pages.md. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestGateway } from 'integration-gateway/testing'

const operators = [{ id: 'SYNC', permissionLists: ['DIRECTORY'] }, { id: 'RAY' }]
const idOf = (number: number) => `M${String(number).padStart(3, '0')}`
const ids = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => idOf(from + at))

async function open(count: number) {
  const gateway = await openTestGateway({ project: new URL('..', import.meta.url), operators })
  const rows = ids(1, count).map((MEMBER_ID) => ({ MEMBER_ID, NAME: `Member ${MEMBER_ID}` }))
  await gateway.withDatabase((database) => database.insertInto('MEMBERS').values(rows.reverse()).execute())
  const call = (query: string, as = 'SYNC') => gateway.call(`GET MEMBERS.v1/${query}`, { as })
  const page = async (query: string) => {
    const answer = await call(query)
    assert.equal(answer.status, 200, answer.text)
    const { members, next } = answer.json() as { members: { id: string; name: string }[]; next?: string }
    for (const { id, name } of members) assert.equal(name, `Member ${id}`)
    return { found: members.map(({ id }) => id), next }
  }
  return { gateway, call, page }
}

test('pages follow each other in the order of the ids, and the last one has no next', async () => {
  const { gateway, page } = await open(120)
  await using _ = gateway
  const first = await page('')
  assert.deepEqual(first, { found: ids(1, 50), next: 'M050' })
  const second = await page(`?after=${first.next}`)
  assert.deepEqual(second, { found: ids(51, 100), next: 'M100' })
  assert.deepEqual(await page(`?after=${second.next}`), { found: ids(101, 120), next: undefined })
  assert.deepEqual(await page('?limit=20&after=M100'), { found: ids(101, 120), next: undefined })
  assert.deepEqual((await page('?limit=200')).found.length, 120)
  assert.deepEqual(await page('?after=M120'), { found: [], next: undefined })
})

test('members that come or go shift no other', async () => {
  const { gateway, page } = await open(9)
  await using _ = gateway
  const { next } = await page('?limit=3')
  await gateway.withDatabase((database) =>
    database.deleteFrom('MEMBERS').where('MEMBER_ID', 'in', ['M001', 'M003']).execute(),
  )
  assert.deepEqual((await page(`?limit=3&after=${next}`)).found, ids(4, 6))
})

test('a wrong limit and an unknown parameter are refused with the reason', async () => {
  const { gateway, call } = await open(1)
  await using _ = gateway
  for (const query of ['?limit=0', '?limit=201', '?limit=many', '?limit=1.5', '?limt=2']) {
    const answer = await call(query)
    assert.equal(answer.status, 400, query)
    assert.match(answer.text, /limi?t/)
  }
})

test('no one else may call it', async () => {
  const { gateway, call } = await open(1)
  await using _ = gateway
  assert.equal((await call('')).status, 200)
  assert.equal((await call('', 'RAY')).refusal?.code, 'permissionDenied')
  assert.equal((await gateway.call('GET MEMBERS.v1/')).status, 401)
})
