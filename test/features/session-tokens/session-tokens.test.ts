/** Session tokens over real sockets (specification 27.1 to 27.5, 27.9 to 27.13, 27.15). */
import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { Configuration } from '../../../src/configuration/configuration.ts'
import { openSessionTokenRows } from '../../../src/features/session-tokens/rows.ts'
import { sessionKeyId } from '../../../src/features/session-tokens/session-token.ts'
import type { RequestMessage } from '../../../src/model/content/message.ts'
import type { Handler, HandlerContext } from '../../../src/model/handler.ts'
import { redactHeader, redactText } from '../../../src/observe/masking/redact.ts'
import { rankOf } from '../../../src/observe/selection.ts'
import { requireIssuer } from '../../../src/verification/verifier.ts'
import { type Answer, basic, bearer } from '../../support/client.ts'
import { findDatabase } from '../../support/databases.ts'
import { openReference, type WireGateway } from '../../support/gateway.ts'
import { poll } from '../../support/poll.ts'

class Renew implements Handler {
  async onRequest(_request: RequestMessage, context: HandlerContext) {
    return await context.createSessionToken().then((made) => {
      throw new Error(`made ${made.expires}`)
    })
  }
}

const other = generateKeyPairSync('ed25519')
const otherPublic = String(other.publicKey.export({ format: 'jwk' }).x)
const start = Date.parse('2026-03-01T12:00:00Z')
let time = start
let gateway: WireGateway

before(async () => {
  gateway = await openReference({
    database: findDatabase('SQLite'),
    withIssuer: true,
    now: () => time,
    properties: { 'ig.limits.headers': '256KiB', 'ig.limits.url': '300KiB' },
    configure: withOthers,
    handlers: { 'renew.ts': Renew },
  })
})
after(() => gateway.close())

function withOthers(configuration: Configuration): Configuration {
  const metadata = configuration.operations.find(({ name }) => name === 'METADATA_TOKEN')
  assert.ok(metadata)
  return {
    ...configuration,
    nodes: [
      ...configuration.nodes,
      { name: 'OTHER_NODE', isDefaultLocal: false, isActive: true, sessionTokenKeys: [otherPublic] },
    ],
    operations: [
      ...configuration.operations,
      { ...metadata, name: 'STANDARD_TOKEN', errorStyle: 'standard' },
      { ...metadata, name: 'TLS_TOKEN', verification: 'TokenSSL' },
      { ...metadata, name: 'RENEW', handler: 'renew.ts' },
    ],
  }
}

interface SignedIn {
  readonly code: number
  readonly message: string
  readonly data: Readonly<Record<'psToken' | 'userid' | 'description' | 'language' | 'tokenExpireTime', string>>
}

async function signIn(id = 'DEMO'): Promise<string> {
  const { status, text } = await gateway.call('GET PSTOKEN.v1', { headers: basic(id) })
  assert.equal(status, 200)
  return (JSON.parse(text) as SignedIn).data.psToken
}

const callWith = (headers: Readonly<Record<string, string>>, operation = 'METADATA_TOKEN') =>
  gateway.call(`GET ${operation}.v1/`, { headers })
const userOf = ({ status, text }: Answer) => [status, (JSON.parse(text) as { currentUser: string }).currentUser]
const page =
  '<HTML><HEAD><TITLE>RESTListeningConnector</TITLE></HEAD><BODY>PSFT Authentication token failed</BODY></HTML>'

/** Exactly the one refusal, which gives no hint of its cause. */
function assertRejected(answer: Answer, what: string): void {
  const { status, headers, text } = answer
  assert.deepEqual([status, text], [401, page], what)
  assert.equal(headers['www-authenticate'], 'PS_TOKEN realm="platform"', what)
  assert.equal(headers['cache-control'], 'no-store, must-revalidate, private', what)
  assert.equal(headers['content-type'], 'text/html; charset=UTF-8', what)
  assert.equal(headers['ig-refusal'], undefined, what)
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

interface Parts {
  readonly header: Record<string, unknown>
  readonly claims: Record<string, unknown>
}

function partsOf(token: string): Parts {
  const [header, claims] = token
    .split('.')
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()))
  return { header, claims }
}

/** As another node, or as an attacker. */
function forge({ header, claims }: Parts, key: KeyObject = other.privateKey): string {
  const signed = `${encode(header)}.${encode(claims)}`
  return `${signed}.${sign(null, Buffer.from(signed), key).toString('base64url')}`
}

test('27.1, 27.2, 27.10, 9.1 a client signs in with Basic, and calls with the header, the cookie, or both', async () => {
  const answer = await gateway.call('GET PSTOKEN.v1', { headers: basic('DEMO') })
  const { code, message, data } = JSON.parse(answer.text) as SignedIn
  assert.deepEqual([code, message], [0, 'success'])
  assert.deepEqual(Object.keys(data), ['psToken', 'userid', 'description', 'language', 'tokenExpireTime'])
  const { psToken, ...rest } = data
  const end = new Date(start + 720 * 60_000)
  const pad = (value: number) => String(value).padStart(2, '0')
  const expected = `${end.getFullYear()}-${pad(end.getMonth() + 1)}-${pad(end.getDate())} ${pad(end.getHours())}:${pad(end.getMinutes())}:${pad(end.getSeconds())}`
  assert.deepEqual(rest, { userid: 'DEMO', description: '', language: 'ENG', tokenExpireTime: expected })
  assert.equal(answer.headers['content-type'], 'application/json; encoding=UTF-8')
  assert.equal(answer.headers['cache-control'], 'no-store')
  assert.equal(answer.headers['set-cookie']?.split(',')[0], `PS_TOKEN=${psToken}; Path=/; HttpOnly; SameSite=Lax`)

  const cookie = `a=b; PS_TOKEN=${psToken}; JSESSIONID=x`
  assert.deepEqual(userOf(await callWith({ PS_TOKEN: psToken })), [200, 'DEMO'])
  assert.deepEqual(userOf(await callWith({ PS_TOKEN: psToken })), [200, 'DEMO'], 'remembered')
  assert.deepEqual(userOf(await callWith({ cookie })), [200, 'DEMO'])
  assert.deepEqual(userOf(await callWith({ cookie: `PS_TOKEN="${psToken}"; ${cookie}` })), [200, 'DEMO'], 'twice')
  assert.deepEqual(userOf(await callWith({ cookie, ps_token: psToken })), [200, 'DEMO'])
  assert.deepEqual(userOf(await callWith({ PS_TOKEN: psToken, ...basic('DEMO2', 'wrong') })), [200, 'DEMO'])
  assertRejected(await gateway.call('GET PSTOKEN.v1').then(() => callWith({})), 'nothing')
  const refused = await gateway.call('GET PSTOKEN.v1', { headers: { PS_TOKEN: psToken } })
  assert.equal(refused.headers['www-authenticate'], 'Basic realm="platform", charset="UTF-8"', 'read by no other')
})

test('27.1 the operator of a token needs the permission and must not be locked', async () => {
  const make = requireIssuer(gateway.gateway.verifiers)
  const issue = async (id: string) => (await make(id, 'LOCAL_NODE')).token
  const denied = await callWith({ PS_TOKEN: await issue('NOPERM') })
  assert.deepEqual([denied.status, denied.headers['ig-refusal']], [200, 'permissionDenied'])
  assertRejected(await callWith({ PS_TOKEN: await issue('LOCKED') }), 'locked')
  assertRejected(await callWith({ PS_TOKEN: await issue('NEVER') }), 'unknown')
  const token = await signIn('DEMO2')
  assert.deepEqual(userOf(await callWith({ PS_TOKEN: token })), [200, 'DEMO2'])
  await gateway.gateway.store.operators.setLocked('DEMO2', true)
  await poll(async () => (await callWith({ PS_TOKEN: token })).status === 401)
  await gateway.gateway.store.operators.setLocked('DEMO2', false)
  await poll(async () => (await callWith({ PS_TOKEN: token })).status === 200)
})

test('27.1 TokenSSL refuses a call without TLS before it reads the token', async () => {
  const answer = await callWith({ PS_TOKEN: await signIn() }, 'TLS_TOKEN')
  assert.deepEqual([answer.status, answer.headers['ig-refusal']], [403, 'tlsRequired'])
})

test('27.2, 27.3 whatever is wrong with a token, the refusal is the same', async () => {
  const token = await signIn()
  const { header, claims } = partsOf(token)
  const [first = '', second = '', signature = ''] = token.split('.')
  const { keys } = await openSessionTokenRows(gateway.gateway.store.databases).read()
  const publicKey = Buffer.from(keys[0]?.publicKey ?? '', 'base64url')
  const hmac = (alg: string) => {
    const signed = `${encode({ ...header, alg })}.${second}`
    return `${signed}.${createHmac('sha256', publicKey).update(signed).digest('base64url')}`
  }
  const lastCharacter = (character: string) => `${token.slice(0, -1)}${character}`
  const cases: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    nothing: {},
    'an empty header': { PS_TOKEN: '' },
    'an empty cookie': { cookie: 'PS_TOKEN=' },
    'not a token': { PS_TOKEN: 'x' },
    'Basic credentials alone': basic('DEMO'),
    'an access token': { PS_TOKEN: await gateway.token('DEMO'), ...bearer(await gateway.token('DEMO')) },
    'header and cookie that differ': { PS_TOKEN: token, cookie: `PS_TOKEN=${await signIn()}` },
    'an empty header beside the cookie': { PS_TOKEN: '', cookie: `PS_TOKEN=${token}` },
    'several different cookies': { cookie: `PS_TOKEN=${token}; PS_TOKEN=${await signIn()}` },
    'half a quotation': { cookie: `PS_TOKEN="${token}` },
    'another name': { cookie: `XPS_TOKEN=${token}; ps_token=${token}` },
    'a signature of another token': { PS_TOKEN: `${first}.${second}.${(await signIn()).split('.')[2]}` },
    'a signature that is not canonical': {
      PS_TOKEN: lastCharacter({ A: 'B', Q: 'R', g: 'h', w: 'x' }[signature.at(-1) ?? ''] ?? '!'),
    },
    'no signature': { PS_TOKEN: `${first}.${second}.` },
    'alg none': { PS_TOKEN: `${encode({ ...header, alg: 'none' })}.${second}.` },
    'alg HS256 with the public key': { PS_TOKEN: hmac('HS256') },
    'alg HS256 under the name EdDSA': { PS_TOKEN: hmac('EdDSA') },
    'a key of its own in the header': {
      PS_TOKEN: forge({ header: { ...header, jwk: other.publicKey.export({ format: 'jwk' }) }, claims }),
    },
    'an unknown key': { PS_TOKEN: forge({ header: { ...header, kid: 'unknown' }, claims }) },
    'a key that is a name of every object': { PS_TOKEN: forge({ header: { ...header, kid: '__proto__' }, claims }) },
    'no key': { PS_TOKEN: forge({ header: { alg: 'EdDSA', typ: header.typ }, claims }) },
    'an access token of our key': { PS_TOKEN: forge({ header: { ...header, typ: 'at+jwt' }, claims }) },
    '100 KB': { PS_TOKEN: 'x'.repeat(100_000) },
    '100 KB that begin as a token': { PS_TOKEN: `${token}${'x'.repeat(100_000)}` },
    'a comma': { PS_TOKEN: `${token}, ${token}` },
  }
  for (const [what, headers] of Object.entries(cases)) assertRejected(await callWith(headers), what)
  assert.deepEqual(userOf(await callWith({ PS_TOKEN: token })), [200, 'DEMO'], 'the token itself is valid')

  const standard = await callWith({ PS_TOKEN: 'x' }, 'STANDARD_TOKEN')
  assert.equal(standard.status, 401)
  assert.equal(standard.headers['www-authenticate'], 'PS_TOKEN realm="platform"')
  assert.equal(standard.headers['content-type'], 'application/problem+json')
  assert.equal(standard.headers['ig-refusal'], undefined)
  const { code, detail } = JSON.parse(standard.text) as Readonly<Record<string, string>>
  assert.deepEqual([code, detail], ['sessionTokenRejected', 'PSFT Authentication token failed'])
})

test('27.4, 27.5 a token ends with its life, also one that was verified before', async () => {
  const token = await signIn()
  const { header, claims } = partsOf(token)
  assert.equal(header.alg, 'EdDSA')
  assert.deepEqual([claims.iss, claims.sub, Number(claims.exp) - Number(claims.iat)], ['LOCAL_NODE', 'DEMO', 720 * 60])
  time = start + 720 * 60_000 - 1
  assert.equal((await callWith({ PS_TOKEN: token })).status, 200)
  time = start + 720 * 60_000
  assertRejected(await callWith({ PS_TOKEN: token }), 'expired')
  const renewed = await signIn() // as clients do that find the text
  assert.deepEqual(userOf(await callWith({ PS_TOKEN: renewed })), [200, 'DEMO'])
  time = start
})

test('27.9, 27.4 tokens of a node whose public key is registered are accepted, with a clock a minute ahead or behind', async () => {
  const now = time / 1000
  const header = { alg: 'EdDSA', typ: 'session+jwt', kid: sessionKeyId(otherPublic) }
  const claims = { iss: 'OTHER_NODE', sub: 'DEMO2', jti: 'one', iat: now, exp: now + 3600 }
  const cases: readonly (readonly [what: string, claims: object, status: number])[] = [
    ['a token of the other node', {}, 200],
    ['its clock is a minute ahead', { iat: now + 60, exp: now + 3660 }, 200],
    ['its clock is a minute behind', { iat: now - 60, exp: now + 3540 }, 200],
    ['its clock is five minutes ahead', { iat: now + 300, exp: now + 3900 }, 401],
    ['expired', { iat: now - 3601, exp: now - 1 }, 401],
    ['it names our node', { iss: 'LOCAL_NODE' }, 401],
    ['it names a third node', { iss: 'ANONYMOUS' }, 401],
    ['a life of a year', { exp: now + 365 * 24 * 3600 }, 401],
    ['no end', { exp: undefined }, 401],
    ['no beginning', { iat: undefined }, 401],
    ['no operator', { sub: undefined }, 401],
    ['an operator that is a number', { sub: 5 }, 401],
    ['no id', { jti: undefined }, 401],
  ]
  for (const [what, change, status] of cases) {
    const answer = await callWith({ PS_TOKEN: forge({ header, claims: { ...claims, ...change } }) })
    if (status === 200) assert.deepEqual(userOf(answer), [200, 'DEMO2'], what)
    else assertRejected(answer, what)
  }
})

test('27.10 an operation that session tokens authenticate makes none', async () => {
  const answer = await callWith({ PS_TOKEN: await signIn() }, 'RENEW')
  assert.deepEqual([answer.status, answer.headers['ig-refusal']], [500, 'handlerFailed'])
  const reason = gateway.observations.findLast((one) => one.kind === 'answered' && one.refusal !== undefined)
  assert.match(JSON.stringify(reason && 'refusal' in reason && reason.refusal?.message), /makes no session token/)
  assert.equal(reason?.kind === 'answered' && rankOf(reason), 'failed', 'kept in logs as that of a known caller')
})

test('27.12, 27.13 revoked tokens are refused within a second: all of an operator, or one', async () => {
  const { store } = gateway.gateway
  const [kept, one, demo2] = [await signIn(), await signIn(), await signIn('DEMO2')]
  for (const token of [kept, one, demo2]) assert.equal((await callWith({ PS_TOKEN: token })).status, 200)
  const { jti: id, exp } = partsOf(one).claims
  const expires = Number(exp) * 1000
  const rows = openSessionTokenRows(store.databases)
  assert.equal(await rows.revokeToken({ id: String(id), expires }, time), true)
  assert.equal(await rows.revokeToken({ id: String(id), expires }, time), false)
  await poll(async () => (await callWith({ PS_TOKEN: one })).status === 401)
  assert.equal((await callWith({ PS_TOKEN: kept })).status, 200)

  assert.equal(await rows.revokeOperator('NEVER'), false)
  const generations = await rows.revokeOperator('DEMO')
  assert.deepEqual(generations, { before: { generation: 0 }, after: { generation: 1 } })
  await poll(async () => (await callWith({ PS_TOKEN: kept })).status === 401)
  assert.deepEqual(userOf(await callWith({ PS_TOKEN: await signIn() })), [200, 'DEMO'], 'signed in again')
  assert.deepEqual(userOf(await callWith({ PS_TOKEN: demo2 })), [200, 'DEMO2'], 'another operator')

  const header = { alg: 'EdDSA', typ: 'session+jwt', kid: sessionKeyId(otherPublic) }
  const claims = { iss: 'OTHER_NODE', sub: 'DEMO', jti: 'two', iat: time / 1000 + 60, exp: time / 1000 + 3600 }
  assertRejected(await callWith({ PS_TOKEN: forge({ header, claims }) }), 'of a node whose clock is a minute ahead')
})

test('27.15 no token is in a log, an observation or an error', async () => {
  const token = await signIn()
  await callWith({ PS_TOKEN: token, cookie: `PS_TOKEN=${token}x` })
  const refused = gateway.observations.findLast((one) => one.kind === 'answered' && one.refusal !== undefined)
  assert.ok(refused?.kind === 'answered')
  assert.equal(refused.refusal?.message, 'Session token authentication failed: header and cookie differ.')
  for (const [name, value] of [
    ['ps_token', token],
    ['cookie', `a=b; PS_TOKEN=${token}`],
    ['set-cookie', `PS_TOKEN=${token}; Path=/; HttpOnly`],
  ] as const)
    assert.doesNotMatch(redactHeader(name, value), /eyJ/, name)
  assert.doesNotMatch(redactText(JSON.stringify({ data: { psToken: token } })), /eyJ/)
  const notes = gateway.observations.filter((one) => one.kind === 'note' || one.kind === 'event')
  assert.doesNotMatch(JSON.stringify(notes), /eyJ/)
  assert.match(JSON.stringify(notes), /A session token was issued/)
})

test('28.12 a page of another site cannot use the PS_TOKEN cookie of a browser', async () => {
  for (const [cookie, site, status] of [
    ['a=b; PS_TOKEN=x', 'cross-site', 403],
    ['a=b; PS_TOKEN=x', 'same-origin', 200],
    ['XPS_TOKEN=x; JSESSIONID=y', 'cross-site', 200],
  ] as const) {
    const answer = await callWith({ cookie, 'sec-fetch-site': site }, 'METADATA')
    const expected = [status, status === 403 ? 'originRefused' : undefined]
    assert.deepEqual([answer.status, answer.headers['ig-refusal']], expected, `${cookie} ${site}`)
  }
  const origin = 'https://other.example'
  const answer = await callWith({ cookie: 'PS_TOKEN=x', origin }, 'METADATA')
  assert.deepEqual([answer.status, answer.headers['ig-refusal']], [403, 'originRefused'], origin)
})
