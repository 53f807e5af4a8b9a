/** First logins that the original or an LDAP server verifies, over real TLS (specification 37.9 to 37.11, 37.15 to 37.17). */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { type AddressInfo, createServer as createPlainServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { TLSSocket } from 'node:tls'
import { openFirstLogin } from '../../../src/features/first-login/open.ts'
import { firstLoginMark, type Operator } from '../../../src/model/operator.ts'
import { Refusal } from '../../../src/model/refusal.ts'
import { openBasicVerifier } from '../../../src/verification/basic.ts'
import { hashPassword } from '../../../src/verification/password.ts'
import type { PasswordSource } from '../../../src/verification/password-source.ts'
import { makeCertificate } from '../../support/certificate.ts'
import { basic } from '../../support/client.ts'
import { databases, forEachDatabase, type TestDatabase } from '../../support/databases.ts'
import { openReference } from '../../support/gateway.ts'
import { poll } from '../../support/poll.ts'
import { startLdap, withoutLdap } from './ldap.ts'

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
      ...properties,
    },
  })
  it.gateway.verifiers.Basic.endDelays() // refusals are not delayed
  t.after(async () => {
    await it.close()
    server.closeAllConnections()
    server.close()
  })
  const facts = { permissionLists: ['REFERENCE_ALL'] }
  await it.gateway.store.operators.import([
    { id: 'NEW', firstLogin: true, ...facts },
    { id: 'NONE', ...facts },
    { id: 'SHUT', isLocked: true, firstLogin: true, ...facts },
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
    assert.deepEqual([it.original.asked, await it.hash()], [1, 'first login'])

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

test('37.9 the original is asked only for unlocked operators that are marked for it', async (t) => {
  const it = await open(t, sqlite)
  it.original.answer = (response) => json(response, { data: { currentUser: 'SHUT' } })
  for (const [id, password] of [
    ['SHUT', 'old secret'],
    ['NONE', 'old secret'],
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

test('37.11 any other answer is refused like a wrong password, and nothing is stored', async (t) => {
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
    const [known, unknown] = [await it.call(), await it.call('NOBODY')]
    const shown = ({ status, text, headers }: typeof known) => [
      status,
      text,
      Object.keys(headers),
      headers['ig-refusal'],
    ]
    assert.equal(known.status, 401, `answer ${index}`)
    assert.deepEqual(shown(known), shown(unknown), `answer ${index}`)
    const reasons = it.observations.flatMap((one) => (one.kind === 'answered' ? [one.refusal?.message ?? ''] : []))
    assert.match(reasons.at(-2) ?? '', /The original did not verify a password: /)
  }
  assert.deepEqual([it.original.asked, await it.hash()], [answers.length, 'first login'])
  it.original.answer = likeOriginal
  assert.equal((await it.call()).status, 200)
})

test('37.11 when the original is away, passwords that wait for it are refused without asking it', async (t) => {
  const it = await open(t, sqlite)
  const held: (() => void)[] = []
  it.original.answer = (response) => void held.push(() => response.socket?.destroy())
  const source = openFirstLogin(it.settings, Date.now)
  const asked = {
    id: 'NEW',
    client: { address: '127.0.0.1', hasLeft: () => false },
    until: performance.now() + 600_000,
  } as const
  const verdicts = Array.from({ length: 8 }, (_, at) =>
    source?.verify({ ...asked, password: `secret ${at}` }).catch(({ code }: Refusal) => code),
  )
  await poll(() => held.length === 4)
  for (const destroy of held) destroy()
  assert.deepEqual([await Promise.all(verdicts), it.original.asked], [Array(8).fill('overloaded'), 4])
  await assert.rejects(
    source?.verify({ ...asked, password: 'x', until: performance.now() }) ?? assert.fail(),
    /in time/,
  )
  it.original.answer = likeOriginal
  assert.equal((await it.call()).status, 200)
})

test('37.10 a certificate of another authority is not trusted', async (t) => {
  const ca = join(mkdtempSync(join(tmpdir(), 'ig-ca-')), 'ca.pem')
  writeFileSync(ca, makeCertificate().cert)
  const it = await open(t, sqlite, { 'ig.passwords.upstream.ca': ca })
  assert.equal((await it.call()).status, 401)
  assert.deepEqual([it.original.asked, await it.hash()], [0, 'first login'])
})

/** Later than any answer of the original, whatever `ig.limits.guessDelay`. */
const sixSeconds = 6_000

test('37.11 a wrong password is refused at the same time for an operator verified elsewhere, another one, and none', async (t) => {
  const timers: (() => void)[] = []
  const usual = globalThis.setTimeout
  t.mock.method(globalThis, 'setTimeout', (end: () => void, delay: number) => {
    if (delay !== sixSeconds) return usual(end, delay) // of other code
    timers.push(end)
    return { unref() {} }
  })
  t.mock.method(performance, 'now', () => 0)
  const hash = await hashPassword('right password')
  const operator = (id: string, passwordHash: string | undefined): Operator => ({
    ...{ id, passwordHash, description: '', emails: [], isLocked: false, permissionLists: [] },
  })
  const operators = new Map(
    [
      operator('FIRST', firstLoginMark),
      operator('AWAY', firstLoginMark),
      operator('NONE', undefined),
      operator('KIM', hash),
    ].map((each) => [each.id, each]),
  )
  const source: PasswordSource = {
    server: 'The original',
    isOpen: () => true,
    verify: async ({ id }) => {
      if (id === 'AWAY') throw new Refusal('overloaded', 'The original did not verify a password: away.')
      return false
    },
  }
  const verifier = await openBasicVerifier({ passwords: source, maxDelay: 500 })
  const from = { remoteAddress: '192.0.2.1', signal: new AbortController().signal }
  const verify = async (id: string, password: string) =>
    verifier.verify({ ...from, headers: basic(id, password) }, {} as never, {} as never, operators)
  const refused: unknown[] = []
  const all = ['FIRST', 'AWAY', 'NONE', 'KIM', 'NOBODY'].map((id) =>
    verify(id, 'wrong').catch((error: Refusal) => void refused.push(error.code)),
  )
  assert.equal((await verify('KIM', 'right password')).id, 'KIM')
  while (timers.length + refused.length < all.length) await new Promise(setImmediate)
  assert.deepEqual(refused, [])
  for (const end of timers) end()
  await Promise.all(all)
  assert.deepEqual(refused, Array(5).fill('basicRejected'))
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

const ldapProperties = (url: string, ca: string) => ({
  'ig.passwords.ldap': url,
  'ig.passwords.ldap.name': 'uid={id},ou=people,dc=example',
  'ig.passwords.ldap.until': '2999-12-31',
  'ig.passwords.ldap.ca': ca,
})

async function openWithLdap(t: TestContext, url: string, ca: string, ids: readonly string[] = ['NEW']) {
  const it = await openReference({ database: sqlite, properties: ldapProperties(url, ca) })
  it.gateway.verifiers.Basic.endDelays() // refusals are not delayed
  t.after(() => it.close())
  const facts = { permissionLists: ['REFERENCE_ALL'] }
  await it.gateway.store.operators.import(
    ids.map((id) => ({ id, isLocked: id === 'SHUT', firstLogin: true, ...facts })),
  )
  await poll(() => it.gateway.operators.has(ids.at(-1) ?? ''))
  const call = async (id: string, password: string) =>
    (await it.call('GET METADATA_BASIC.v1/', { headers: basic(id, password) })).status
  const hash = async (id: string) => (await it.gateway.store.operators.find(id))?.passwordHash
  return { call, hash, operators: it.gateway.operators }
}

test(
  '37.15, 37.16, 37.17 an LDAP server verifies the first login, over LDAPS and StartTLS; when it is away, calls are refused',
  withoutLdap,
  async (t) => {
    const hostile = 'a,dc=b+\\"#<é>'
    const escaped = 'a\\2cdc\\3db\\2b\\5c\\22\\23\\3c\\c3\\a9\\3e'
    await using server = await startLdap({
      NEW: 'old secret',
      SHUT: 'old secret',
      [escaped]: 'of the hostile',
      LATE: 'x',
    })
    const secure = await openWithLdap(t, server.secureUrl, server.ca, [hostile, 'SHUT', 'NEW', 'ABSENT', 'LATE'])
    for (const [id, password, status] of [
      ['NEW', 'wrong', 401],
      ['NEW', '', 401],
      ['SHUT', 'old secret', 401],
      ['ABSENT', 'old secret', 401],
      ['NOBODY', 'old secret', 401],
      ['NEW', 'old secret', 200],
      [hostile, 'of the hostile', 200],
    ] as const)
      assert.deepEqual([id, await secure.call(id, password)], [id, status])
    await poll(() => secure.operators.get('NEW')?.passwordHash?.startsWith('$argon2id$'))
    const upgraded = await openWithLdap(t, server.plainUrl, server.ca)
    assert.deepEqual([await upgraded.call('NEW', 'wrong'), await upgraded.call('NEW', 'old secret')], [401, 200])
    const other = join(mkdtempSync(join(tmpdir(), 'ig-ca-')), 'ca.pem')
    writeFileSync(other, makeCertificate().cert)
    for (const url of [server.secureUrl, server.plainUrl]) {
      const distrusting = await openWithLdap(t, url, other)
      assert.deepEqual(
        [await distrusting.call('NEW', 'old secret'), await distrusting.hash('NEW')],
        [401, 'first login'],
      )
    }

    await server[Symbol.asyncDispose]()
    assert.equal(await secure.call('NEW', 'old secret'), 200)
    assert.deepEqual([await secure.call('LATE', 'x'), await secure.hash('LATE')], [401, 'first login'])
  },
)

test('37.16, 37.17 an LDAP server that answers otherwise gets no password in the clear, and the call is refused', async (t) => {
  const { cert, key } = makeCertificate()
  const ca = join(mkdtempSync(join(tmpdir(), 'ig-ca-')), 'ca.pem')
  writeFileSync(ca, cert)
  const received: Buffer[] = []
  let connections = 0
  let serve = (_socket: Socket) => {}
  const server = createPlainServer((socket) => {
    connections += 1
    socket.on('error', () => {})
    socket.on('data', (chunk: Buffer) => received.push(chunk))
    serve(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const it = await openWithLdap(t, `ldap://127.0.0.1:${(server.address() as AddressInfo).port}`, ca)
  /** To the message of that id. */
  const answer = (request: Buffer, kind: number, code: number) =>
    Buffer.from([0x30, 0x0c, 2, 1, request[4] ?? 0, kind, 7, 0x0a, 1, code, 4, 0, 4, 0])
  const upgradeAnswer = (request: Buffer, code: number) => answer(request, 0x78, code)
  const bindAnswer = (request: Buffer, code: number) => answer(request, 0x61, code)
  const secured =
    (next: (socket: TLSSocket) => void, behind = '') =>
    (socket: Socket) =>
      socket.once('data', (request) => {
        socket.removeAllListeners('data')
        socket.write(Buffer.concat([upgradeAnswer(request, 0), Buffer.from(behind, 'hex')]))
        const upgraded = new TLSSocket(socket, { isServer: true, cert, key })
        upgraded.on('error', () => {})
        upgraded.once('secure', () => next(upgraded))
      })
  const long = Buffer.concat([Buffer.from('30847fffffff', 'hex'), Buffer.alloc(100_000)])
  const ways: readonly ((socket: Socket) => void)[] = [
    (socket) => socket.destroy(),
    (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'),
    (socket) => socket.once('data', (request) => socket.end(upgradeAnswer(request, 2))), // StartTLS is refused
    (socket) => socket.once('data', (request) => socket.end(upgradeAnswer(request, 0))),
    (socket) => socket.write(long),
    secured((socket) => socket.destroy()),
    secured((socket) => socket.once('data', () => socket.destroy())),
    secured((socket) => socket.once('data', (request) => socket.end(bindAnswer(request, 0x35)))), // unwilling
    secured((socket) => socket.once('data', (request) => socket.end(bindAnswer(request, 0x0a)))), // a referral
    // Someone in between has sent an answer to the bind, but for its last byte, before TLS
    secured(
      (socket) => socket.once('data', (request) => socket.end(bindAnswer(request, 49))),
      '300d02010361080a010004000401',
    ),
  ]
  for (const [index, way] of ways.entries()) {
    serve = way
    assert.deepEqual([index, await it.call('NEW', 'old secret'), connections], [index, 401, index + 1])
  }
  // An answer without an end is given up at the time limit, a tenth of the usual one
  const { timeout } = AbortSignal
  const { mock } = t.mock.method(AbortSignal, 'timeout', (max: number) => timeout.call(AbortSignal, max / 10))
  serve = secured((socket) => socket.once('data', () => socket.write(long)))
  assert.deepEqual([await it.call('NEW', 'old secret'), connections], [401, ways.length + 1])
  assert.deepEqual(mock.calls[0]?.arguments, [5_000])
  mock.restore()
  assert.equal(await it.hash('NEW'), 'first login')
  assert.ok(!Buffer.concat(received).includes('old secret'))
  serve = secured((socket) => socket.once('data', (request) => socket.write(bindAnswer(request, 0))))
  assert.equal(await it.call('NEW', 'old secret'), 200)
})

test('37.15 an LDAP server needs a name to bind with and a last day, and no other server beside it', async () => {
  const properties = ldapProperties('ldaps://l.example', 'ca.pem')
  const { 'ig.passwords.ldap.name': _, ...nameless } = properties
  for (const [given, message] of [
    [nameless, /ig\.passwords\.ldap\.name is missing/],
    [{ ...properties, 'ig.passwords.ldap.name': 'uid=x' }, /must contain \{id\} once/],
    [{ ...properties, 'ig.passwords.ldap.name': '{id}' }, /must contain \{id\} once/],
    [{ ...properties, 'ig.passwords.ldap': 'ldap://u:p@l.example' }, /must be a URL of host and port alone/],
    [
      { ...properties, 'ig.passwords.upstream': 'https://o.example/' },
      /must not be set beside ig\.passwords\.upstream/,
    ],
  ] as const)
    await assert.rejects(openReference({ database: sqlite, properties: given }), message)
})
