/** First logins that the original verifies, over real TLS, on both databases (specification 37.9 to 37.11). */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { makeCertificate } from '../support/certificate.ts'
import { basic } from '../support/client.ts'
import { databases, forEachDatabase, type TestDatabase } from '../support/databases.ts'
import { openReference } from '../support/gateway.ts'
import { poll } from '../support/poll.ts'

type Answer = (response: ServerResponse, request: IncomingMessage) => void

const json = (response: ServerResponse, value: unknown, type = 'application/json; charset=UTF-8') =>
  response.writeHead(200, { 'content-type': type }).end(JSON.stringify(value))
const likeOriginal: Answer = (response, { headers }) =>
  headers.authorization === basic('NEW', 'old secret').authorization
    ? json(response, { data: { currentUser: 'NEW' } })
    : response.writeHead(401, { 'www-authenticate': 'Basic realm="o"' }).end()

async function open(t: TestContext, database: TestDatabase, properties: Readonly<Record<string, string>> = {}) {
  const { cert, key } = makeCertificate()
  const original = { answer: likeOriginal, asked: 0, ended: Promise.resolve() }
  const server = createServer({ cert, key }, (request, response) => {
    original.asked += 1
    original.answer(response, request)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const ca = join(mkdtempSync(join(tmpdir(), 'ig-ca-')), 'ca.pem')
  writeFileSync(ca, cert)
  const it = await openReference({
    database,
    properties: {
      'ig.passwords.upstream': `https://127.0.0.1:${(server.address() as AddressInfo).port}/METADATA_BASIC.v1/`,
      'ig.passwords.upstream.until': '2999-12-31',
      'ig.passwords.upstream.field': 'data.currentUser',
      'ig.passwords.upstream.ca': ca,
      'ig.limits.guessDelay': '1ms',
      ...properties,
    },
  })
  t.after(async () => {
    await it.close()
    server.closeAllConnections()
    server.close()
  })
  const facts = { permissionLists: ['REFERENCE_ALL'] }
  await it.gateway.store.operators.import([
    { id: 'NEW', ...facts },
    { id: 'SHUT', isLocked: true, ...facts },
  ])
  await poll(() => it.gateway.operators.has('SHUT'))
  const call = (id = 'NEW', password = 'old secret') =>
    it.call('GET METADATA_BASIC.v1/', { headers: basic(id, password) })
  const hash = async () => (await it.gateway.store.operators.find('NEW'))?.passwordHash
  return { ...it, original, call, hash }
}

forEachDatabase((database) => {
  test(`37.9, 37.10 the original verifies the first login, and the password is kept (${database.name})`, async (t) => {
    const it = await open(t, database)
    assert.equal((await it.call('NEW', 'wrong')).status, 401)
    assert.deepEqual([it.original.asked, await it.hash()], [1, undefined])

    const all = await Promise.all([it.call(), it.call(), it.call()])
    assert.deepEqual(
      all.map(({ status, text }) => [status, JSON.parse(text).currentUser]),
      [
        [200, 'NEW'],
        [200, 'NEW'],
        [200, 'NEW'],
      ],
    )
    assert.equal(it.original.asked, 2, 'calls at the same time ask once')
    await poll(() => it.gateway.operators.get('NEW')?.passwordHash?.startsWith('$argon2id$'))
    it.original.answer = (response) => response.writeHead(500).end()
    assert.equal((await it.call()).status, 200)
    assert.equal((await it.call('NEW', 'wrong')).status, 401)
    assert.equal(it.original.asked, 2)
  })
})

const [sqlite] = databases as readonly [TestDatabase]

test('37.9 the original is asked only for existing, unlocked operators without a password', async (t) => {
  const it = await open(t, sqlite)
  it.original.answer = (response) => json(response, { data: { currentUser: 'SHUT' } })
  for (const [id, password] of [
    ['SHUT', 'old secret'],
    ['NOBODY', 'old secret'],
    ['NEW', ''],
  ] as const)
    assert.equal((await it.call(id, password)).status, 401)
  assert.equal(it.original.asked, 0)
})

test('37.9 after the last day the original is not asked', async (t) => {
  const it = await open(t, sqlite, { 'ig.passwords.upstream.until': '2020-01-01' })
  assert.equal((await it.call()).status, 401)
  assert.equal(it.original.asked, 0)
})

test('37.11 any other answer is overloaded, and nothing is stored', async (t) => {
  const it = await open(t, sqlite)
  const answers: readonly Answer[] = [
    (response) => json(response, { data: { currentUser: 'new' } }),
    (response) => json(response, { currentUser: 'NEW' }),
    (response) => json(response, { data: { currentUser: 'NEW' } }, 'text/html'),
    (response) => json(response, null),
    (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('<html>NEW</html>'),
    (response) => response.writeHead(302, { location: '/elsewhere' }).end(),
    (response) => response.writeHead(403).end(),
    (response) => response.writeHead(200, { 'content-type': 'application/json' }).end(`"${'x'.repeat(600_000)}"`),
    (response) => void response.socket?.destroy(),
  ]
  for (const [index, answer] of answers.entries()) {
    it.original.answer = answer
    const { status, headers } = await it.call()
    assert.deepEqual([status, headers['ig-refusal']], [503, 'overloaded'], `answer ${index}`)
  }
  assert.deepEqual([it.original.asked, await it.hash()], [answers.length, undefined])
  it.original.answer = likeOriginal
  assert.equal((await it.call()).status, 200)
})

test('37.10 a certificate of another authority is not trusted', async (t) => {
  const ca = join(mkdtempSync(join(tmpdir(), 'ig-ca-')), 'ca.pem')
  writeFileSync(ca, makeCertificate().cert)
  const it = await open(t, sqlite, { 'ig.passwords.upstream.ca': ca })
  assert.equal((await it.call()).status, 503)
  assert.deepEqual([it.original.asked, await it.hash()], [0, undefined])
})

test('37.9 the URL must be https, and the last day must be set', async () => {
  const url = 'https://original.example/METADATA_BASIC.v1/'
  for (const [properties, message] of [
    [{ 'ig.passwords.upstream': url }, /ig\.passwords\.upstream\.until is missing/],
    [{ 'ig.passwords.upstream': url.replace('https', 'http') }, /must be an https URL without credentials/],
    [{ 'ig.passwords.upstream': url.replace('//', '//u:p@') }, /must be an https URL without credentials/],
    [{ 'ig.passwords.upstream': url, 'ig.passwords.upstream.until': '2027-02-30' }, /must be a day: 2027-03-31/],
  ] as const)
    await assert.rejects(openReference({ database: sqlite, properties }), message)
})
