/** Specification 3.9, 3.11 to 3.14, 3.17, 4.14: which bearer tokens are accepted, which operator they map to, and what is logged. */
import assert from 'node:assert/strict'
import { createHmac, createSecretKey } from 'node:crypto'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { type CryptoKey, SignJWT } from 'jose'
import { hideClaimed } from '../../src/model/claimed-name.ts'
import type { Operator } from '../../src/model/operator.ts'
import { Refusal } from '../../src/model/refusal.ts'
import type { ServiceApp } from '../../src/verification/oauth2/service-app.ts'
import { type Authentication, openAuthentication } from '../support/authentication.ts'
import { makeKey, openTestIssuer, type SigningKey, type TokenChange } from '../support/issuer.ts'

const issuer = await openTestIssuer({ now: Date.UTC(2026, 10, 21, 12) })
test.after(() => issuer.stop())
const seconds = issuer.now / 1000
const signingKey = issuer.keys[0] as SigningKey
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']
const keyOf = new Map(await Promise.all(algorithms.map(async (alg) => [alg, await makeKey({ alg })] as const)))
const strangersKey = await makeKey({ kid: signingKey.kid as string })
issuer.keys = [signingKey, ...keyOf.values()]

async function assertRejected(it: Authentication, token: string, cause: RegExp) {
  const refusal = await it.ask(`Bearer ${token}`)
  assert.ok(refusal instanceof Refusal, 'accepted')
  assert.equal(refusal.code, 'tokenRejected')
  assert.match(refusal.message, cause)
  assert.equal(refusal.detail, undefined)
}

test('3.11 tokens with every accepted algorithm are accepted', async () => {
  const it = await openAuthentication({ issuer })
  for (const [alg, key] of keyOf) assert.equal(await it.who(`Bearer ${await issuer.sign({ key })}`), 'DEMO', alg)
})

test('31.4 a service app gets its values from the variables of the environment', async () => {
  const serviceApp = { issuer: '{env:IDP_URL}', audience: ['{env:AUDIENCE}-api'] }
  const token = `Bearer ${await issuer.sign({ claims: { aud: 'hr-prod-api' } })}`
  const open = (AUDIENCE: string) =>
    openAuthentication({ issuer, serviceApp, environment: { IDP_URL: issuer.issuer, AUDIENCE } })
  assert.equal(await (await open('hr-prod')).who(token), 'DEMO')
  assert.equal(await (await open('hr-test')).who(token), 'tokenRejected')
})

test('3.11 other algorithms are not accepted, even with keys in the key set', async () => {
  const key = await makeKey({ alg: 'Ed25519' })
  const before = issuer.keys
  issuer.keys = [key]
  try {
    await assertRejected(await openAuthentication({ issuer }), await issuer.sign(), /alg/)
  } finally {
    issuer.keys = before
  }
})

interface ClaimRow {
  readonly title: string
  readonly change: TokenChange
  readonly app?: Partial<ServiceApp>
  /** Why it is rejected; absent: accepted. */
  readonly cause?: RegExp
}
const otherTypes = [
  ...['logout+jwt', 'application/secevent+jwt', 'dpop+jwt', 'Id_Token', 'id+jwt', 'JWS', '', 'JWT ', 'text/at+jwt'],
  ...['okta-internal-at+jwt', 'access_token+jwt', 'application/jwt'],
]
const accessClaims: readonly Readonly<Record<string, unknown>>[] = [
  { typ: 'Bearer' },
  { typ: 'JWT' },
  { token_use: 'access' },
  { nonce: 'n' },
  { email_verified: true },
  { email_verified: 'true' },
]
const otherClaims: readonly (readonly [claims: Readonly<Record<string, unknown>>, cause: RegExp])[] = [
  ...['ID', 'Refresh', 'Offline', 'Logout', 'id'].map((typ) => [{ typ }, /typ is that of another kind/] as const),
  ...['id', 'Access', '', null, true].map((token_use) => [{ token_use }, /token_use is not access/] as const),
  [{ at_hash: 'x' }, /at_hash/],
  [{ c_hash: 'x' }, /c_hash/],
  ...[false, 'false', 'False'].map((email_verified) => [{ email_verified }, /email_verified is false/] as const),
]
const claimRows: readonly ClaimRow[] = [
  { title: '3.12 another iss is rejected', change: { claims: { iss: 'http://127.0.0.1:1' } }, cause: /iss/ },
  { title: '3.12 iss with an extra slash is rejected', change: { claims: { iss: `${issuer.issuer}/` } }, cause: /iss/ },
  {
    title: '3.12 iss in another letter case is rejected',
    change: { claims: { iss: issuer.issuer.toUpperCase() } },
    cause: /iss/,
  },
  { title: '3.12 a list of issuers is rejected', change: { claims: { iss: [issuer.issuer] } }, cause: /iss/ },
  { title: '3.12 no iss is rejected', change: { claims: { iss: undefined } }, cause: /iss/ },
  { title: '3.12 no exp is rejected', change: { claims: { exp: undefined } }, cause: /exp/ },
  { title: '3.12 exp that is not a number is rejected', change: { claims: { exp: `${seconds + 60}` } }, cause: /exp/ },
  { title: '3.12 exp 31 seconds ago is rejected', change: { claims: { exp: seconds - 31 } }, cause: /exp/ },
  { title: '3.12 exp 30 seconds ago is rejected', change: { claims: { exp: seconds - 30 } }, cause: /exp/ },
  { title: '3.12 exp 29 seconds ago is accepted', change: { claims: { exp: seconds - 29 } } },
  { title: '3.12 nbf in 31 seconds is rejected', change: { claims: { nbf: seconds + 31 } }, cause: /nbf/ },
  { title: '3.12 nbf in 30 seconds is accepted', change: { claims: { nbf: seconds + 30 } } },
  { title: '3.12 nbf that is not a number is rejected', change: { claims: { nbf: 'now' } }, cause: /nbf/ },
  { title: '3.12 iat in 31 seconds is rejected', change: { claims: { iat: seconds + 31 } }, cause: /iat/ },
  { title: '3.12 iat in 30 seconds is accepted', change: { claims: { iat: seconds + 30 } } },
  { title: '3.12 no iat is accepted', change: { claims: { iat: undefined } } },
  { title: '3.12 aud is ignored if the app specifies none', change: { claims: { aud: 'another' } } },
  { title: '3.12 aud is one of those specified', change: { claims: { aud: 'b' } }, app: { audience: ['a', 'b'] } },
  { title: '3.12 one of several aud is specified', change: { claims: { aud: ['c', 'a'] } }, app: { audience: ['a'] } },
  { title: '3.12 another aud is rejected', change: { claims: { aud: 'A' } }, app: { audience: ['a'] }, cause: /aud/ },
  { title: '3.12 a missing aud is rejected if one is specified', change: {}, app: { audience: ['a'] }, cause: /aud/ },
  {
    title: '3.12 scp has the specified scopes',
    change: { claims: { scp: ['x', 'y', 'z'] } },
    app: { scopes: ['x', 'z'] },
  },
  { title: '3.12 scope has the specified scopes', change: { claims: { scope: 'x y z' } }, app: { scopes: ['x', 'z'] } },
  {
    title: '3.12 a missing scope is rejected',
    change: { claims: { scp: ['xz'] } },
    app: { scopes: ['x'] },
    cause: /scope/,
  },
  {
    title: '3.12 a token without scopes is rejected if one is specified',
    change: {},
    app: { scopes: ['x'] },
    cause: /scope/,
  },
  { title: '3.12 scope is ignored if the app specifies none', change: { claims: { scp: 'other' } } },
  {
    title: '3.12 other claims are ignored',
    change: { claims: { ver: 1, cid: 'x', uid: 'LOCKED', auth_time: 0, groups: {} } },
  },
  { title: '3.11 typ JWT is accepted', change: { header: { typ: 'JWT' } } },
  { title: '3.11 typ at+jwt is accepted', change: { header: { typ: 'at+jwt' } } },
  ...['jwt', 'application/at+jwt', 'AT+JWT', 'Application/At+JWT'].map((typ) => ({
    title: `3.11 typ ${typ} is accepted`,
    change: { header: { typ } },
  })),
  ...otherTypes.map((typ) => ({
    title: `3.11 another kind of token is rejected: typ ${JSON.stringify(typ)} in its header`,
    change: { header: { typ } },
    cause: /Cause: typ in the header is not that of an access token/,
  })),
  ...accessClaims.map((claims) => ({
    title: `3.19 a token with ${JSON.stringify(claims)} is accepted`,
    change: { claims },
  })),
  ...otherClaims.map(([claims, cause]) => ({
    title: `3.19 a token with ${JSON.stringify(claims)} is not an access token`,
    change: { claims },
    cause,
  })),
  {
    title: '3.11 a key under another key’s kid is rejected',
    change: { key: { ...(keyOf.get('RS384') as SigningKey), kid: signingKey.kid } },
    cause: /./,
  },
  { title: '3.11 a foreign key with a known kid is rejected', change: { key: strangersKey }, cause: /signature/ },
  {
    title: '3.13, 4.14 sub in another letter case is rejected, and the log names the operator',
    change: { claims: { sub: 'demo' } },
    cause: /sub is not an operator id \(claimed: "demo"; there is "DEMO", and letter case counts/,
  },
  { title: '3.13 sub with white space is rejected', change: { claims: { sub: 'DEMO ' } }, cause: /sub/ },
  { title: '3.13 an unknown sub is rejected', change: { claims: { sub: 'NOBODY' } }, cause: /sub/ },
  { title: '3.13 no sub is rejected', change: { claims: { sub: undefined } }, cause: /sub/ },
  { title: '3.13 sub that is not a string is rejected', change: { claims: { sub: ['DEMO'] } }, cause: /sub/ },
  { title: '3.13 any recorded address is accepted', change: { claims: { email: 'demo@home.example' } } },
  {
    title: '3.13, 4.14 email in another letter case is rejected, and the log has the recorded one',
    change: { claims: { email: 'Demo@example.com' } },
    cause:
      /email .* operator \(claimed: DEMO, "Demo@example.com"; recorded is "demo@example.com", and letter case counts/,
  },
  {
    title: '3.13 another operator’s email is rejected',
    change: { claims: { email: 'demo2@example.com' } },
    cause: /email/,
  },
  {
    title: '3.13 an unknown email is rejected',
    change: { claims: { email: 'demo@other.example' } },
    cause: /email/,
  },
  { title: '3.13 no email is rejected', change: { claims: { email: undefined } }, cause: /email/ },
  { title: '3.13 an empty email is rejected', change: { claims: { email: '' } }, cause: /email/ },
  { title: '3.13 a list of emails is rejected', change: { claims: { email: ['demo@example.com'] } }, cause: /email/ },
  {
    title: '3.3 3.13 a locked operator is rejected',
    change: { claims: { sub: 'LOCKED', email: 'locked@example.com' } },
    cause: /locked/,
  },
]
for (const { title, change, app, cause } of claimRows) {
  test(title, async () => {
    const it = await openAuthentication({ issuer, ...(app && { serviceApp: app }) })
    it.time = issuer.now
    const token = await issuer.sign(change)
    for (const _ of ['verified', 'perhaps remembered']) {
      if (cause) await assertRejected(it, token, cause)
      else assert.equal(await it.who(`Bearer ${token}`), 'DEMO')
    }
  })
}

const raw = (header: object, payload: object, signature = '') =>
  [JSON.stringify(header), JSON.stringify(payload)].map((part) => Buffer.from(part).toString('base64url')).join('.') +
  `.${signature}`
const claims = { iss: issuer.issuer, sub: 'DEMO', email: 'demo@example.com', iat: seconds, exp: seconds + 3600 }

test('3.11 the algorithm none is never accepted, however it is spelt', async () => {
  const it = await openAuthentication({ issuer })
  const [, payload, signature] = (await issuer.sign()).split('.')
  for (const alg of ['none', 'None', 'NONE', 'nOnE', '', undefined, null, 'RS256 ', ' RS256', 'rs256']) {
    const header = { alg, kid: signingKey.kid }
    await assertRejected(it, raw(header, claims), /./)
    await assertRejected(it, raw(header, claims, signature), /./)
    await assertRejected(it, `${raw(header, {}).split('.')[0]}.${payload}.${signature}`, /./)
  }
})

test('3.11 a public key is never taken for an HMAC secret', async () => {
  const it = await openAuthentication({ issuer })
  const { pem, jwk } = signingKey
  const der = Buffer.from(pem.replace(/-----.*-----|\s/g, ''), 'base64')
  const secrets = [pem, `${pem}\n`, pem.trim(), ` ${pem}`, `\n${pem}`, `\t${pem}`, pem.replaceAll('\n', '\r\n'), der]
  const modulus = Buffer.from(jwk.n as string, 'base64url')
  secrets.push(JSON.stringify(jwk), JSON.stringify(issuer.jwks()), jwk.n as string, modulus, '')
  for (const secret of secrets) {
    for (const [alg, hash] of [
      ['HS256', 'sha256'],
      ['HS384', 'sha384'],
      ['HS512', 'sha512'],
    ] as const) {
      for (const kid of [signingKey.kid, undefined]) {
        const signed = raw({ alg, kid }, claims).slice(0, -1)
        await assertRejected(it, `${signed}.${createHmac(hash, secret).update(signed).digest('base64url')}`, /./)
      }
    }
  }
})

test('3.11 a symmetric key in the key set is never used', async () => {
  const secret = Buffer.alloc(32, 7)
  const kid = 'shared-secret'
  const before = issuer.jwks
  issuer.jwks = () => ({
    keys: [
      signingKey.jwk,
      { kty: 'oct', k: secret.toString('base64url'), kid, alg: 'HS256' },
      { kty: 'oct', k: secret.toString('base64url'), kid: 'any' },
    ],
  })
  try {
    const it = await openAuthentication({ issuer })
    for (const header of [{ alg: 'HS256', kid }, { alg: 'HS256', kid: 'any' }, { alg: 'HS256' }]) {
      await assertRejected(it, await new SignJWT(claims).setProtectedHeader(header).sign(createSecretKey(secret)), /./)
    }
    assert.equal(await it.who(`Bearer ${await issuer.sign()}`), 'DEMO')
  } finally {
    issuer.jwks = before
  }
})

test('3.14 keys and key addresses in a token are ignored', async () => {
  const stranger = await openTestIssuer({ now: issuer.now })
  test.after(() => stranger.stop())
  const it = await openAuthentication({ issuer })
  const key = stranger.keys[0] as SigningKey
  const headers = [
    { jwk: key.jwk },
    { jku: stranger.jwksUrl },
    { x5u: stranger.jwksUrl },
    { x5c: [Buffer.from(key.pem).toString('base64')] },
    { kid: stranger.jwksUrl, jku: stranger.jwksUrl },
    { kid: '/etc/passwd' },
    { kid: '../../keys' },
    { kid: "' or 1=1 --" },
    { kid: '__proto__' },
    { kid: 'constructor' },
    { kid: '' },
    { kid: 7 },
    { kid: null },
    { kid: [signingKey.kid] },
    { kid: { toString: 1 } },
  ]
  for (const header of headers) {
    for (const kid of [key.kid, signingKey.kid]) {
      await assertRejected(it, await sign(key, { kid, ...header }), /./)
    }
  }
  assert.equal(await it.who(`Bearer ${await issuer.sign({ header: { jwk: key.jwk, jku: stranger.jwksUrl } })}`), 'DEMO')
  assert.equal(stranger.counts.size, 0)
})

/** The library refuses to sign with odd headers: done by hand. */
async function sign(key: SigningKey, header: object): Promise<string> {
  const signed = raw({ alg: key.alg, ...header }, claims).slice(0, -1)
  const signature = await crypto.subtle.sign('RSASSA-PKCS1-v1_5', key.privateKey as CryptoKey, Buffer.from(signed))
  return `${signed}.${Buffer.from(signature).toString('base64url')}`
}

test('3.11 a token with critical headers is rejected', async () => {
  const it = await openAuthentication({ issuer })
  assert.equal(await it.who(`Bearer ${await sign(signingKey, { kid: signingKey.kid })}`), 'DEMO') // signed well otherwise
  for (const header of [
    { crit: ['x'], x: 1 },
    { crit: ['exp'], exp: 1 },
    { crit: [] },
    { crit: ['b64'], b64: false },
  ]) {
    await assertRejected(it, await sign(signingKey, { kid: signingKey.kid, ...header }), /./)
  }
})

test('3.11 a token is accepted as its issuer wrote it, and not with another encoding of the same signature', async () => {
  const it = await openAuthentication({ issuer })
  const token = await issuer.sign({ key: keyOf.get('ES256') as SigningKey })
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const [start, last] = [token.slice(0, -1), letters.indexOf(token.at(-1) ?? '')]
  const unusedBits = [1, 2, 15].map((bits) => start + letters[last ^ bits])
  const signature = token.slice(token.lastIndexOf('.') + 1)
  const others = [
    `${token}=`,
    `${token}==`,
    token.replace(
      signature,
      signature.replace(/[-_]/g, (one) => (one === '-' ? '+' : '/')),
    ),
  ]
  for (const text of [...unusedBits, ...others.filter((each) => each !== token)])
    await assertRejected(it, text, /canonical/)
  assert.equal(await it.who(`Bearer ${token}`), 'DEMO')
})

test('3.9 malformed tokens are rejected', async () => {
  const it = await openAuthentication({ issuer })
  const good = await issuer.sign()
  const [header, payload, signature] = good.split('.') as [string, string, string]
  const tokens = [
    'x',
    '.',
    '..',
    '...',
    `${good}.`,
    `.${good}`,
    `${header}.${payload}`,
    `${header}.${payload}.`,
    `${header}..${signature}`,
    `${payload}.${header}.${signature}`,
    `${good}=`,
    `${good},`,
    `${good} ${good}`,
    `"${good}"`,
    good.replaceAll('.', ' '),
    `${header}.${Buffer.from('[]').toString('base64url')}.${signature}`,
    `${header}.${Buffer.from('null').toString('base64url')}.${signature}`,
    'A'.repeat(30_000),
    '.'.repeat(30_000),
  ]
  for (const token of tokens) await assertRejected(it, token, /./)
  assert.equal(await it.who(`bearer   ${good}`), 'DEMO')
})

test('3.13 ig.oauth.userMapping sub maps by that claim alone', async () => {
  const it = await openAuthentication({ issuer, userMapping: 'sub' })
  for (const email of ['demo2@example.com', undefined, 7]) {
    assert.equal(await it.who(`Bearer ${await issuer.sign({ claims: { email } })}`), 'DEMO')
  }
  await assertRejected(it, await issuer.sign({ claims: { sub: 'demo' } }), /sub/)
  await assertRejected(it, await issuer.sign({ claims: { sub: 'LOCKED' } }), /locked/)
})

test('3.13 ig.oauth.userMapping email maps by that claim alone, if it is the address of one operator', async () => {
  const it = await openAuthentication({ issuer, userMapping: 'email' })
  const token = await issuer.sign({ claims: { sub: 'DEMO2' } })
  assert.equal(await it.who(`Bearer ${token}`), 'DEMO')
  assert.equal(await it.who(`Bearer ${await issuer.sign({ claims: { sub: undefined } })}`), 'DEMO')
  await assertRejected(it, await issuer.sign({ claims: { email: 'DEMO@example.com' } }), /email/)
  await assertRejected(it, await issuer.sign({ claims: { email: undefined } }), /email/)
  await assertRejected(it, await issuer.sign({ claims: { email: 'locked@example.com' } }), /locked/)

  it.change('NOPERM', { emails: (it.operators.get('DEMO') as Operator).emails })
  it.time += 1000 // a change of another operator is seen within a second
  await assertRejected(it, token, /2 operators/)
  it.change('DEMO', { emails: [] })
  it.time += 1000
  assert.equal(await it.who(`Bearer ${token}`), 'NOPERM')
  it.change('NOPERM', { emails: [] })
  await assertRejected(it, token, /email/)
})

test('3.17 a cached token is rejected once it expires', async () => {
  const it = await openAuthentication({ issuer })
  const token = await issuer.sign({ claims: { exp: seconds + 60 } })
  assert.equal(await it.who(`Bearer ${token}`), 'DEMO')
  it.time += 89_999
  assert.equal(await it.who(`Bearer ${token}`), 'DEMO')
  it.time += 1
  await assertRejected(it, token, /exp/)
  it.time -= 1
  assert.equal(await it.who(`Bearer ${token}`), 'DEMO')
})

test('3.17 a cached token is verified again when the configuration changes', async () => {
  const it = await openAuthentication({ issuer })
  const token = await issuer.sign()
  assert.equal(await it.who(`Bearer ${token}`), 'DEMO')
  it.catalog = it.catalogOf({}, { name: 'PROVIDER', issuer: 'http://127.0.0.1:1' })
  await assertRejected(it, token, /iss/)
  it.catalog = it.catalogOf({}, { name: 'PROVIDER', issuer: issuer.issuer, scopes: ['x'] })
  await assertRejected(it, token, /scope/)
  it.catalog = it.catalogOf({}, { name: 'OTHER', issuer: issuer.issuer })
  await assertRejected(it, token, /no identity provider/)
  it.catalog = it.catalogOf()
  assert.equal(await it.who(`Bearer ${token}`), 'DEMO')
})

test('3.17 a token that is verified while the configuration changes is not cached', async () => {
  const it = await openAuthentication({ issuer })
  const [first, token, other] = await Promise.all(['1', '2', '3'].map((jti) => issuer.sign({ claims: { jti } })))
  assert.equal(await it.who(`Bearer ${first}`), 'DEMO') // the keys are here
  const answer = it.who(`Bearer ${token}`)
  it.catalog = it.catalogOf({}, { name: 'PROVIDER', issuer: 'http://127.0.0.1:1' })
  const later = it.who(`Bearer ${other}`)
  assert.deepEqual(await Promise.all([answer, later]), ['DEMO', 'tokenRejected'])
  assert.equal(await it.who(`Bearer ${token}`), 'tokenRejected')
})

test('3.16 without an identity provider every token is rejected', async () => {
  const it = await openAuthentication()
  await assertRejected(it, await issuer.sign(), /no identity provider is configured/)
})

test('4.14 the log has the lines of the original, and never the token', async () => {
  const it = await openAuthentication({ issuer })
  const tokens = [
    await issuer.sign({ claims: { sub: 'demo' } }),
    await issuer.sign({ claims: { exp: 1 } }),
    await issuer.sign({ key: strangersKey }),
    'not-a-token-but-a-secret',
  ]
  for (const token of tokens) {
    const refusal = (await it.ask(`Bearer ${token}`)) as Refusal
    assert.match(refusal.message, /^Invalid Access Token\. /)
    assert.match(
      refusal.message,
      /OAuth2 Authentication failed for Service Operation metadata-oauth2\.v1 \(158,461\)\./,
    )
    assert.match(refusal.message, /No operator was found for the OAuth2 user, payload string: ''\./)
    const everything = inspect(refusal, { depth: 9, showHidden: true })
    for (const part of token.split('.')) assert.ok(!everything.includes(part), everything)
  }
})

test('3.12, 8.10 a rejected iss or aud is logged with both values, bounded and without control characters', async () => {
  const it = await openAuthentication({ issuer, serviceApp: { audience: ['hr', 'pay'] } })
  const { issuer: iss } = issuer
  const aud = 'hr'
  const registered = `iss is not the registered "${iss}"`
  const rows = [
    [{ claims: { iss: `${iss}/`, aud } }, `${registered} (claimed: "${iss}/").`],
    [{ claims: { iss: 'http://b', aud }, header: { kid: 'unknown' } }, `${registered} (claimed: "http://b").`],
    [{ claims: { iss: undefined, aud } }, `${registered} (claimed: absent).`],
    [
      { claims: { iss: 'a\r\n\u001b[2J\u009b\u202e', aud } },
      `${registered} (claimed: "a\\r\\n\\u001b[2J\\u009b\\u202e").`,
    ],
    [{ claims: { aud: ['x', 'y'] } }, 'aud is not the registered ["hr","pay"] (claimed: ["x","y"]).'],
    [{ claims: {} }, 'aud is not the registered ["hr","pay"] (claimed: absent).'],
    [{ claims: { aud: 'x'.repeat(9000) } }, `aud is not the registered ["hr","pay"] (claimed: "${'x'.repeat(199)}).`],
  ] as const
  for (const [change, cause] of rows) {
    const refusal = (await it.ask(`Bearer ${await issuer.sign(change)}`)) as Refusal
    assert.equal(refusal.code, 'tokenRejected')
    assert.equal(refusal.detail, undefined, 'nothing for the caller')
    assert.equal(refusal.message.split('Cause: ')[1], cause)
    assert.ok(!hideClaimed(refusal.message).includes('claimed'), 'viewers do not see the text of the caller')
  }
})

test('3.19 an unverified e-mail address is rejected only if e-mail maps', async () => {
  const claims = { email_verified: false }
  const bySub = await openAuthentication({ issuer, userMapping: 'sub' })
  assert.equal(await bySub.who(`Bearer ${await issuer.sign({ claims })}`), 'DEMO')
  const byEmail = await openAuthentication({ issuer, userMapping: 'email' })
  await assertRejected(byEmail, await issuer.sign({ claims }), /email_verified is false/)
})

test('3.20 ig.oauth.tokenKind any accepts every kind of token', async () => {
  const it = await openAuthentication({ issuer, tokenKind: 'any' })
  for (const typ of otherTypes) assert.equal(await it.who(`Bearer ${await issuer.sign({ header: { typ } })}`), 'DEMO')
  for (const [claims] of otherClaims) assert.equal(await it.who(`Bearer ${await issuer.sign({ claims })}`), 'DEMO')
})
