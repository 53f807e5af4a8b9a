/** Judges the project that it is copied into: 06-borrow.md. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestGateway } from 'integration-gateway/testing'

const operators = [{ id: 'DOOR', permissionLists: ['MACHINES'] }, { id: 'RAY' }]
const isbn = '9780552137034'

async function open(copies: number) {
  const gateway = await openTestGateway({ project: new URL('..', import.meta.url), operators })
  await gateway.withDatabase((database) =>
    database.insertInto('STOCK').values({ ISBN: isbn, COPIES: copies }).execute(),
  )
  const borrow = (key: string, json: object = { isbn, member: 'M1' }, as = 'DOOR') =>
    gateway.call('POST BORROW.v1/', { as, json, headers: key === '' ? {} : { 'idempotency-key': key } })
  const rows = () =>
    gateway.withDatabase(async (database) => ({
      copies: (await database.selectFrom('STOCK').select('COPIES').execute()).map(({ COPIES }) => COPIES),
      borrowed: (await database.selectFrom('BORROWED').select(['ISBN', 'MEMBER_ID']).execute()) as object[],
    }))
  return { gateway, borrow, rows }
}

test('a copy is taken, until there is none', async () => {
  const { gateway, borrow, rows } = await open(2)
  await using _ = gateway
  const first = await borrow('k1')
  assert.deepEqual([first.status, first.json()], [201, { left: 1 }])
  assert.deepEqual((await borrow('k2')).json(), { left: 0 })
  const none = await borrow('k3')
  assert.equal(none.status, 409)
  assert.equal(typeof none.json().error, 'string')
  assert.equal((await borrow('k4', { isbn: '9780000000000', member: 'M1' })).status, 404)
  const row = { ISBN: isbn, MEMBER_ID: 'M1' }
  assert.deepEqual(await rows(), { copies: [0], borrowed: [row, row] })
})

test('a repeated call gets the first answer and takes no second copy; one without a key is refused', async () => {
  const { gateway, borrow, rows } = await open(3)
  await using _ = gateway
  const answers = [await borrow('k1'), await borrow('k1'), ...(await Promise.all([borrow('k1'), borrow('k1')]))]
  for (const { status, text } of answers) assert.deepEqual([status, JSON.parse(text)], [201, { left: 2 }])
  assert.equal((await borrow('')).status, 400)
  const { copies, borrowed } = await rows()
  assert.deepEqual([copies, borrowed.length], [[2], 1])
})

test('one of two machines gets the last copy', async () => {
  const { gateway, borrow, rows } = await open(1)
  await using _ = gateway
  const answers = await Promise.all(Array.from({ length: 6 }, (_, at) => borrow(`k${at}`)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409, 409, 409, 409])
  const { copies, borrowed } = await rows()
  assert.deepEqual([copies, borrowed.length], [[0], 1])
})

test('what is no such JSON is refused, and only machines may call', async () => {
  const { gateway, borrow, rows } = await open(1)
  await using _ = gateway
  assert.ok([400, 422].includes((await borrow('k1', { isbn })).status))
  assert.equal((await borrow('k2', undefined, 'RAY')).refusal?.code, 'permissionDenied')
  assert.deepEqual((await rows()).copies, [1])
})
