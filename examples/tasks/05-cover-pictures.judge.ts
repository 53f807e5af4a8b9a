/** Judges the project that it is copied into: 05-cover-pictures.md. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { openTestGateway } from 'integration-gateway/testing'

const operators = [
  { id: 'GUEST', permissionLists: ['PUBLIC'] },
  { id: 'CAT', permissionLists: ['CATALOGUERS'] },
  { id: 'RAY' },
]
const isbn = '9780552137034'

async function open() {
  const gateway = await openTestGateway({ project: new URL('..', import.meta.url), operators, listen: true })
  const put = (body: Buffer, type = 'image/png', as = 'CAT') =>
    gateway.call(`PUT COVER.v1/${isbn}`, { as, headers: { 'content-type': type }, body })
  const get = (headers: Record<string, string> = {}) =>
    fetch(`${gateway.url}/PSIGW/RESTListeningConnector/LOCAL_NODE/COVER.v1/${isbn}`, { headers })
  return { gateway, put, get }
}

test('everyone gets the bytes and the type that were stored', async () => {
  const { gateway, put, get } = await open()
  await using _ = gateway
  assert.equal((await get()).status, 404)
  for (const [size, type] of [
    [1024 * 1024, 'image/png'],
    [1000, 'image/jpeg'],
  ] as const) {
    const bytes = randomBytes(size)
    assert.equal((await put(bytes, type)).status, 204)
    const answer = await get()
    assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, type])
    assert.ok(Buffer.from(await answer.arrayBuffer()).equals(bytes))
  }
})

test('a browser that has it gets 304, and a download goes on where it broke off', async () => {
  const { gateway, put, get } = await open()
  await using _ = gateway
  await put(Buffer.from('the first picture'))
  const etag = (await get()).headers.get('etag') ?? ''
  assert.notEqual(etag, '', 'GET COVER answers no ETag')
  const same = await get({ 'if-none-match': etag })
  assert.deepEqual([same.status, await same.text()], [304, ''])
  const rest = await get({ range: 'bytes=10-', 'if-range': etag })
  assert.deepEqual([rest.status, await rest.text()], [206, 'picture'])
  await put(Buffer.from('the second picture'))
  assert.equal(await (await get({ 'if-none-match': etag })).text(), 'the second picture')
})

test('other types and larger pictures are refused, and nothing is stored', async () => {
  const { gateway, put, get } = await open()
  await using _ = gateway
  for (const type of ['text/html', 'image/svg+xml', 'image/pngx'])
    assert.equal((await put(Buffer.from('x'), type)).status, 415, type)
  assert.equal((await put(Buffer.alloc(1024 * 1024 + 1))).status, 413)
  assert.equal((await get()).status, 404)
  const wrong = await gateway.call('GET COVER.v1/123')
  assert.equal(wrong.status, 400)
})

test('only cataloguers store', async () => {
  const { gateway, put, get } = await open()
  await using _ = gateway
  assert.equal((await put(Buffer.from('x'), 'image/png', 'RAY')).refusal?.code, 'permissionDenied')
  const anonymous = await gateway.call(`PUT COVER.v1/${isbn}`, { headers: { 'content-type': 'image/png' }, body: 'x' })
  assert.equal(anonymous.status, 401)
  assert.equal((await get()).status, 404)
})
