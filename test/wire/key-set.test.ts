/** Specification 3.14 to 3.17: keys that are rotated, withdrawn, unnamed, named twice; a provider that is down; its metadata. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Observation } from '../../src/model/observation.ts'
import { checkAuthorizationServer, completeServiceApp } from '../../src/verification/oauth2/service-app.ts'
import { openAuthentication } from '../support/authentication.ts'
import { findDatabase } from '../support/databases.ts'
import { openReference } from '../support/gateway.ts'
import { makeKey, openTestIssuer, type SigningKey, type TestIssuer } from '../support/issuer.ts'
import { poll } from '../support/poll.ts'

const second = 1000
const anywhere = { privateAddresses: 'allow' } as const
const minute = 60 * second
const demo2 = { sub: 'DEMO2', email: 'demo2@example.com' }

async function openIssuer(t: TestContext): Promise<TestIssuer> {
  const issuer = await openTestIssuer()
  t.after(() => issuer.stop())
  return issuer
}
const fetches = (issuer: TestIssuer) => issuer.counts.get('/jwks') ?? 0
const bearer = async (issuer: TestIssuer, key?: SigningKey, claims = {}) =>
  `Bearer ${await issuer.sign({ claims, ...(key && { key }) })}`
const names = (events: readonly Observation[]) => events.map((event) => event.kind === 'event' && event.name)

test('3.15 the keys are fetched once, however many tokens arrive', async (t) => {
  const issuer = await openIssuer(t)
  const it = await openAuthentication({ issuer })
  const tokens = await Promise.all(Array.from({ length: 50 }, (_, jti) => bearer(issuer, undefined, { jti: `${jti}` })))
  assert.deepEqual(new Set(await Promise.all(tokens.map((token) => it.who(token)))), new Set(['DEMO']))
  assert.equal(fetches(issuer), 1)
  assert.deepEqual(names(it.events), ['keysFetched'])
})

test('3.15 a rotated key is found at once, with one fetch for all waiting calls', async (t) => {
  const issuer = await openIssuer(t)
  const it = await openAuthentication({ issuer })
  const old = issuer.keys[0] as SigningKey
  assert.equal(await it.who(await bearer(issuer)), 'DEMO')

  const key = await makeKey()
  issuer.keys = [key, old]
  const tokens = await Promise.all(Array.from({ length: 50 }, (_, jti) => bearer(issuer, key, { jti: `${jti}` })))
  assert.deepEqual(new Set(await Promise.all(tokens.map((token) => it.who(token)))), new Set(['DEMO']))
  assert.equal(await it.who(await bearer(issuer, old)), 'DEMO')
  assert.equal(fetches(issuer), 2)
})

test('3.15 an unknown kid causes one fetch, and then none for 30 seconds', async (t) => {
  const issuer = await openIssuer(t)
  const it = await openAuthentication({ issuer })
  assert.equal(await it.who(await bearer(issuer)), 'DEMO')

  const strangers = await Promise.all(Array.from({ length: 50 }, () => makeKey({ alg: 'ES256' })))
  const tokens = await Promise.all(strangers.map((key) => bearer(issuer, key)))
  const rejected = new Set(['tokenRejected'])
  assert.deepEqual(new Set(await Promise.all(tokens.map((token) => it.who(token)))), rejected)
  assert.equal(fetches(issuer), 2)

  it.time += 30 * second - 1
  assert.deepEqual(new Set(await Promise.all(tokens.map((token) => it.who(token)))), rejected)
  assert.equal(fetches(issuer), 2)

  it.time += 1
  assert.deepEqual(new Set(await Promise.all(tokens.map((token) => it.who(token)))), rejected)
  assert.equal(fetches(issuer), 3)
  assert.equal(await it.who(await bearer(issuer)), 'DEMO')
  assert.deepEqual(names(it.events), ['keysFetched']) // the others brought nothing new
})

test('3.15 a key that is published during the cool-down is found after it', async (t) => {
  const issuer = await openIssuer(t)
  const it = await openAuthentication({ issuer })
  assert.equal(await it.who(await bearer(issuer)), 'DEMO')
  await it.who(await bearer(issuer, await makeKey()))
  const key = await makeKey()
  issuer.keys = [...issuer.keys, key]
  const token = await bearer(issuer, key)
  assert.equal(await it.who(token), 'tokenRejected')
  it.time += 30 * second
  assert.equal(await it.who(token), 'DEMO')
})

test('3.15 a token of another issuer causes no fetch, whatever its kid', async (t) => {
  const issuer = await openIssuer(t)
  const it = await openAuthentication({ issuer })
  assert.equal(await it.who(await bearer(issuer)), 'DEMO')
  const key = await makeKey()
  assert.equal(await it.who(await bearer(issuer, key, { iss: 'http://127.0.0.1:1' })), 'tokenRejected')
  assert.equal(fetches(issuer), 1)
})

test('3.15 a token that arrives while keys are being fetched waits for them', async (t) => {
  const issuer = await openIssuer(t)
  const held = issuer.hold()
  const it = await openAuthentication({ issuer })
  const answer = it.who(await bearer(issuer))
  await held.asked
  held.release()
  assert.equal(await answer, 'DEMO')
  assert.equal(fetches(issuer), 1)
})

test('3.15 keys are kept while the provider is unreachable', async (t) => {
  const issuer = await openIssuer(t)
  const it = await openAuthentication({ issuer })
  const token = await bearer(issuer)
  assert.equal(await it.who(token), 'DEMO')
  await issuer.stop()

  const stranger = await bearer(issuer, await makeKey())
  for (let passed = 0; passed < 120 * minute; passed += 7 * minute) {
    it.time += 7 * minute
    issuer.now = it.time
    assert.equal(await it.who(await bearer(issuer)), 'DEMO')
    assert.equal(await it.who(stranger), 'tokenRejected')
  }
  assert.ok(names(it.events).includes('keysUnreachable'))

  const key = await makeKey()
  issuer.keys = [key]
  await issuer.start()
  it.time += 30 * second
  assert.equal(await it.who(await bearer(issuer, key)), 'DEMO')
})

test('3.15 a failed fetch of the keys is repeated after 30 seconds', async (t) => {
  const issuer = await openIssuer(t)
  const it = await openAuthentication({ issuer })
  const old = await bearer(issuer, undefined, { exp: it.time / second + 7200 })
  assert.equal(await it.who(old), 'DEMO')
  await issuer.stop()
  it.time += 10 * minute
  assert.equal(await it.who(old), 'DEMO')
  while (it.events.length < 2) await new Promise(setImmediate)
  issuer.keys = [await makeKey()]
  await issuer.start()
  it.time += 30 * second
  assert.equal(await it.who(old), 'DEMO')
  while (it.events.length < 3) await new Promise(setImmediate)
  assert.deepEqual(names(it.events), ['keysFetched', 'keysUnreachable', 'keysFetched'])
  assert.equal(await it.who(old), 'tokenRejected')
})

test('3.15, 35.9 a gateway that starts while the provider is down rejects tokens, and recovers when it is back', async (t) => {
  const issuer = await openIssuer(t)
  const token = await bearer(issuer)
  await issuer.stop()
  const it = await openAuthentication({ issuer })
  assert.equal(await it.who(token), 'tokenRejected')
  assert.equal(await it.who(token), 'tokenRejected')
  assert.deepEqual(names(it.events), ['keysUnreachable']) // one attempt, not one for each token
  for (let attempt = 1; attempt <= 24; attempt += 1) {
    it.time += 5 * second
    assert.equal(await it.who(token), 'tokenRejected')
  }
  assert.deepEqual(names(it.events), Array(3).fill('keysUnreachable'), '35.9: at the start, and once a minute')
  await issuer.start()
  it.time += 5 * second - 1
  assert.equal(await it.who(token), 'tokenRejected')
  it.time += 1
  assert.equal(await it.who(token), 'DEMO')
  assert.equal(fetches(issuer), 1)
})

test('3.17 a withdrawn key is refused after the next fetch, even for a cached token', async (t) => {
  const issuer = await openIssuer(t)
  const it = await openAuthentication({ issuer })
  const old = await bearer(issuer)
  assert.equal(await it.who(old), 'DEMO')
  const key = await makeKey()
  issuer.keys = [key]
  assert.equal(await it.who(old), 'DEMO')
  assert.equal(await it.who(await bearer(issuer, key)), 'DEMO')
  assert.equal(await it.who(old), 'tokenRejected')
})

test('3.17 withdrawn keys are noticed in the background, without any unknown kid', async (t) => {
  const issuer = await openIssuer(t)
  const it = await openAuthentication({ issuer })
  const old = await bearer(issuer)
  assert.equal(await it.who(old), 'DEMO')
  issuer.keys = [await makeKey()]
  const held = issuer.hold()
  it.time += 10 * minute
  assert.equal(await it.who(old), 'DEMO') // the look begins, no call waits for it
  await held.asked
  held.release()
  while (it.events.length < 2) await new Promise(setImmediate)
  assert.equal(await it.who(old), 'tokenRejected')
})

test('3.17 after a long time without tokens the first one waits for the current keys', async (t) => {
  const issuer = await openIssuer(t)
  const it = await openAuthentication({ issuer })
  const old = await bearer(issuer)
  assert.equal(await it.who(old), 'DEMO')
  issuer.keys = [await makeKey()]
  it.time += 25 * minute
  assert.deepEqual(await Promise.all([it.who(old), it.who(old)]), ['tokenRejected', 'tokenRejected'])
  assert.equal(fetches(issuer), 2)
})

test('3.14 keys with the same kid are all tried; a token without kid may be signed by any', async (t) => {
  const issuer = await openIssuer(t)
  const twins = [
    await makeKey({ kid: 'twin' }),
    await makeKey({ kid: 'twin' }),
    await makeKey({ kid: 'twin', alg: 'ES256' }),
  ]
  const unnamed = await makeKey({ kid: '' })
  issuer.keys = [...twins, unnamed]
  const it = await openAuthentication({ issuer })
  for (const key of [...twins, unnamed]) assert.equal(await it.who(await bearer(issuer, key)), 'DEMO')
  for (const key of twins) assert.equal(await it.who(await bearer(issuer, { ...key, kid: undefined })), 'DEMO')
  for (const kid of ['twin', '']) {
    const stranger = await makeKey({ kid })
    assert.equal(await it.who(await bearer(issuer, stranger)), 'tokenRejected')
  }
  assert.equal(await it.who(await bearer(issuer, { ...unnamed, kid: 'twin' })), 'tokenRejected')
})

const unfit = [
  { title: '3.14 a key for encryption verifies nothing', jwk: { use: 'enc' } },
  { title: '3.14 a key for another algorithm verifies nothing', jwk: { alg: 'PS256' } },
  { title: '3.14 a key without the operation verify verifies nothing', jwk: { key_ops: ['encrypt'] } },
  { title: '3.14 a key of another type verifies nothing', jwk: { kty: 'oct', k: 'AAAA' } },
  { title: '3.14 a malformed key verifies nothing', jwk: { n: '%%%' } },
]
for (const { title, jwk } of unfit) {
  test(title, async (t) => {
    const issuer = await openIssuer(t)
    const key = await makeKey()
    issuer.keys = [...issuer.keys, { ...key, jwk: { ...key.jwk, ...jwk } as SigningKey['jwk'] }]
    const it = await openAuthentication({ issuer })
    assert.equal(await it.who(await bearer(issuer, key)), 'tokenRejected')
    assert.equal(await it.who(await bearer(issuer, undefined, demo2)), 'DEMO2')
  })
}

const bad: readonly { readonly title: string; readonly document: unknown }[] = [
  { title: '3.15 a response that is not JSON does not change the keys', document: '<html>' },
  { title: '3.15 a response without keys does not change the keys', document: {} },
  { title: '3.15 null does not change the keys', document: 'null' },
  { title: '3.15 keys that are not objects do not change the keys', document: { keys: [null] } },
  { title: '3.15 keys that sign nothing do not change the keys', document: { keys: [{ kty: 'oct' }, { use: 'enc' }] } },
  { title: '3.15 more than a hundred keys do not change the keys', document: { keys: Array(101).fill({}) } },
  { title: '3.15 an endless response does not change the keys', document: { keys: [], x: 'x'.repeat(1024 * 1024) } },
  { title: '3.15 an error status does not change the keys', document: undefined },
]
for (const { title, document } of bad) {
  test(title, async (t) => {
    const issuer = await openIssuer(t)
    const it = await openAuthentication({ issuer })
    assert.equal(await it.who(await bearer(issuer)), 'DEMO')
    issuer.jwks = () => document
    for (const _ of [1, 2]) {
      assert.equal(await it.who(await bearer(issuer, await makeKey())), 'tokenRejected')
      it.time += minute
    }
    assert.deepEqual(names(it.events), ['keysFetched', 'keysUnreachable', 'keysUnreachable'])
    assert.equal(await it.who(await bearer(issuer, undefined, demo2)), 'DEMO2')
  })
}

test('3.14 entries that are no keys are passed over, and the other keys work', async (t) => {
  const issuer = await openIssuer(t)
  const { jwks } = issuer
  issuer.jwks = () => ({ keys: [null, 'x', 7, [], {}, ...(jwks() as { keys: unknown[] }).keys, null] })
  const it = await openAuthentication({ issuer })
  assert.equal(await it.who(await bearer(issuer)), 'DEMO')
  assert.deepEqual(names(it.events), ['keysFetched'])
})

test('3.14 a key that cannot be read is passed over, members that are null are absent, and a token without a kid finds its key', async (t) => {
  const issuer = await openIssuer(t)
  const [key] = issuer.keys as [SigningKey]
  const nulls = { alg: null, use: null, key_ops: null, ext: null, oth: null, crv: null }
  const unreadable = [
    { kty: 'RSA', kid: key.kid, x5c: ['MIIB'] },
    { kty: 'RSA', n: 5 },
    { kty: 'EC', crv: 'P-999' },
  ]
  issuer.jwks = () => ({ keys: [...unreadable, { ...key.jwk, ...nulls }] })
  const it = await openAuthentication({ issuer })
  for (const header of [{}, { kid: undefined }])
    assert.equal(await it.who(`Bearer ${await issuer.sign({ header })}`), 'DEMO')
  assert.match((it.events[0] as { message?: string }).message ?? '', /^Fetched 1 signing key /)
})

test('3.15 an empty list withdraws all keys', async (t) => {
  const issuer = await openIssuer(t)
  const it = await openAuthentication({ issuer })
  const token = await bearer(issuer)
  assert.equal(await it.who(token), 'DEMO')
  issuer.jwks = () => ({ keys: [] })
  await it.who(await bearer(issuer, await makeKey()))
  assert.equal(await it.who(token), 'tokenRejected')
})

const wrong: readonly { readonly document: unknown; readonly reason: RegExp }[] = [
  { document: '<html>', reason: /the document is not JSON/ },
  { document: 'null', reason: /the document is not a JSON Web Key Set/ },
  { document: { jwks_uri: 'http://a/jwks' }, reason: /but the metadata: ig.JSONWebKey is the jwks_uri in it/ },
  {
    document: { keys: [null, { kty: 'oct' }, { kty: 'RSA', x5c: ['MIIB'] }] },
    reason: /the key set has no usable key for signatures/,
  },
  { document: undefined, reason: /the status is not 200 \(404\)/ },
]
test('3.15, 20.11 the log and /readyz say what is wrong with the keys, until they can be used', async (t) => {
  const issuer = await openIssuer(t)
  const { jwks } = issuer
  const app = { name: 'PROVIDER', metadataUrl: issuer.metadataUrl }
  let time = Date.now()
  issuer.jwks = () => wrong[0]?.document
  const gateway = await openReference({
    database: findDatabase('SQLite'),
    properties: { 'ig.AuthorizationServer': app.name, 'ig.JSONWebKey': issuer.jwksUrl },
    configure: (configuration) => ({ ...configuration, oauth2ServiceApps: [app] }),
    now: () => time,
  })
  t.after(() => gateway.close())
  const call = async () => {
    const authorization = await bearer(issuer)
    const { status } = await gateway.call('GET METADATA_OAUTH2.v1', { headers: { authorization } })
    const causes = gateway.observations.flatMap((one) => (one.kind === 'answered' ? (one.refusal?.message ?? []) : []))
    return { status, cause: causes.at(-1) ?? '' }
  }
  const conditions = async (): Promise<readonly { name: string; isReady: boolean; detail: string }[]> =>
    JSON.parse((await gateway.call('GET /readyz')).text).conditions
  for (const { document, reason } of wrong) {
    issuer.jwks = () => document
    time += minute
    const { status, cause } = await call()
    assert.equal(status, 401)
    assert.match(cause, reason)
    const condition = (await conditions()).find(({ name }) => name === 'providerUnusable')
    assert.equal(condition?.isReady, true)
    assert.match(condition?.detail ?? '', reason)
    assert.ok(!condition?.detail.includes(issuer.issuer), 'anyone may ask for /readyz')
    const events = gateway.observations.flatMap((one) => (one.kind === 'event' ? one : []))
    assert.match(events.findLast(({ name }) => name === 'keysUnreachable')?.message ?? '', reason)
  }
  issuer.jwks = jwks
  time += minute
  await poll(async () => !(await conditions()).some(({ name }) => name === 'providerUnusable')) // starts the fetch
  assert.equal((await call()).status, 200)
})

test('3.16, 20.11 the log and /readyz say what is wrong with the metadata', async (t) => {
  const issuer = await openIssuer(t)
  issuer.metadata = () => ({ issuer: 'http://127.0.0.1:1' })
  const it = await openAuthentication({ issuer, serviceApp: { issuer: undefined, metadataUrl: issuer.metadataUrl } })
  const reason = /metadataUrl is not an address at which the issuer of the document publishes its metadata/
  assert.match(String(await it.ask(await bearer(issuer))), reason)
  assert.match(it.trouble() ?? '', reason)
  issuer.metadata = () => '<html>'
  it.time += 5 * second
  assert.match(String(await it.ask(await bearer(issuer))), /its metadata cannot be read: the document is not JSON/)
  assert.match(it.trouble() ?? '', /not JSON/)
})

test('3.15 the key set is fetched from its own address only: a redirect is not followed', async (t) => {
  const issuer = await openIssuer(t)
  const it = await openAuthentication({ issuer: { ...issuer, jwksUrl: `${issuer.issuer}/elsewhere` } })
  assert.equal(await it.who(await bearer(issuer)), 'tokenRejected')
  assert.equal(fetches(issuer), 0)
})

test('3.16 the metadata URL alone provides issuer and endpoints', async (t) => {
  const issuer = await openIssuer(t)
  const app = { name: 'PROVIDER', metadataUrl: issuer.metadataUrl }
  const { issuer: name } = issuer
  const filled = { issuer: name, authorizationEndpoint: `${name}/auth`, tokenEndpoint: `${name}/token` }
  assert.deepEqual(await completeServiceApp(app, anywhere), {
    app: { ...app, ...filled },
    jwksUri: issuer.jwksUrl,
  })
  const own = { ...app, tokenEndpoint: 'http://127.0.0.1/own' }
  assert.deepEqual(await completeServiceApp(own, anywhere), {
    app: { ...filled, ...own },
    jwksUri: issuer.jwksUrl,
  })

  const it = await openAuthentication({ issuer, serviceApp: { issuer: undefined, metadataUrl: issuer.metadataUrl } })
  assert.equal(await it.who(await bearer(issuer)), 'DEMO')
})

const metadataRows: readonly {
  readonly title: string
  readonly path: string
  readonly document: object
  readonly message?: RegExp
}[] = [
  {
    title: '3.16 the well-known path may follow the issuer',
    path: '/a/.well-known/openid-configuration',
    document: { issuer: '/a' },
  },
  {
    title: '3.16 the well-known path may precede the issuer’s',
    path: '/.well-known/oauth-authorization-server/a',
    document: { issuer: '/a' },
  },
  {
    title: '3.16 an issuer may end in a slash',
    path: '/a/.well-known/oauth-authorization-server',
    document: { issuer: '/a/' },
  },
  {
    title: '3.16 the metadata URL may have a query',
    path: '/.well-known/openid-configuration?app=1',
    document: { issuer: '' },
  },
  {
    title: '3.16 metadata of another path is refused',
    path: '/b/.well-known/openid-configuration',
    document: { issuer: '/a' },
    message: /not an address/,
  },
  {
    title: '3.16 metadata without an issuer is refused',
    path: '/.well-known/openid-configuration',
    document: {},
    message: /without an issuer/,
  },
  {
    title: '3.16 metadata with an invalid endpoint is refused',
    path: '/.well-known/openid-configuration',
    document: { issuer: '', token_endpoint: 'javascript:1' },
    message: /token_endpoint/,
  },
]
for (const { title, path, document, message } of metadataRows) {
  test(title, async (t) => {
    const issuer = await openIssuer(t)
    const named = 'issuer' in document ? { ...document, issuer: issuer.issuer + document.issuer } : document
    issuer.metadata = () => named
    const completion = await completeServiceApp({ name: 'PROVIDER', metadataUrl: issuer.issuer + path }, anywhere)
    if (!message)
      return assert.equal('app' in completion && completion.app.issuer, (named as { issuer: string }).issuer)
    assert.ok('problems' in completion)
    assert.equal(completion.problems[0]?.path, 'oauth2ServiceApps.PROVIDER.metadataUrl')
    assert.match(completion.problems[0]?.message ?? '', message)
  })
}

test('3.16 metadata of another issuer than the registered one is refused', async (t) => {
  const issuer = await openIssuer(t)
  const app = { name: 'PROVIDER', issuer: 'http://127.0.0.1:1', metadataUrl: issuer.metadataUrl }
  const completion = await completeServiceApp(app, anywhere)
  assert.match(('problems' in completion && completion.problems[0]?.message) || '', /another issuer/)
})

test('3.16, 35.9 while the metadata cannot be fetched tokens are rejected, and accepted once it can', async (t) => {
  const issuer = await openIssuer(t)
  await issuer.stop()
  const it = await openAuthentication({ issuer, serviceApp: { issuer: undefined, metadataUrl: issuer.metadataUrl } })
  const token = await bearer(issuer)
  assert.equal(await it.who(token), 'tokenRejected')
  assert.equal(await it.who(token), 'tokenRejected')
  for (let attempt = 1; attempt <= 12; attempt += 1) {
    it.time += 5 * second
    assert.equal(await it.who(token), 'tokenRejected')
  }
  const reported = names(it.events).filter((name) => name === 'providerUnusable')
  assert.equal(reported.length, 2, 'at the start, and once a minute')
  await issuer.start()
  it.time += 5 * second
  assert.equal(await it.who(token), 'DEMO')
})

const settingsRows = [
  { title: '3.16 a registered app and its key set are valid', named: 'PROVIDER', jwks: 'https://a/jwks', paths: [] },
  { title: '3.16 neither of the two settings is valid', named: undefined, jwks: undefined, paths: [] },
  {
    title: '3.16 an unknown app is a problem',
    named: 'provider',
    jwks: 'https://a/jwks',
    paths: ['ig.AuthorizationServer'],
  },
  { title: '3.16 an app without key set is a problem', named: 'PROVIDER', jwks: undefined, paths: ['ig.JSONWebKey'] },
  {
    title: '3.16 a key set without app is a problem',
    named: undefined,
    jwks: 'https://a/jwks',
    paths: ['ig.AuthorizationServer'],
  },
]
for (const { title, named, jwks, paths } of settingsRows) {
  test(title, () => {
    const settings = { authorizationServer: named, jsonWebKey: jwks }
    const problems = checkAuthorizationServer(settings, [{ name: 'OTHER' }, { name: 'PROVIDER' }])
    assert.deepEqual(
      problems.map(({ path }) => path),
      paths,
    )
  })
}
