/** Specification 9.16: the sample issuer. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose'
import { openSampleIssuer } from '../../src/serve/development/sample-issuer.ts'
import { openAuthentication } from '../support/authentication.ts'
import type { TestIssuer } from '../support/issuer.ts'

const printed: unknown[] = []
for (const method of ['log', 'info', 'warn', 'error'] as const)
  test.mock.method(console, method, (line: unknown) => printed.push(line))

const operators = ['DEMO', 'DEMO2', 'NOPERM', 'LOCKED'].map((id) => ({
  id,
  email: `${id.toLowerCase()}@example.com`,
  clientSecret: `${id.toLowerCase()}-secret`,
}))
const sample = await openSampleIssuer({ host: '127.0.0.1', port: 0, operators })
test.after(() => sample.close())

const form = 'grant_type=client_credentials'
const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
})

/** As `curl -u … -d …` sends it. */
async function askToken(body: string, headers: Record<string, string> = {}) {
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  const response = await fetch(`${sample.issuer}/token`, { method: 'POST', body, headers: { ...type, ...headers } })
  return { status: response.status, ...((await response.json()) as { access_token?: string; token_type?: string }) }
}

test("9.16 the sample issuer's metadata names the issuer, the token endpoint and the key set", async () => {
  assert.match(sample.issuer, /^http:\/\/127\.0\.0\.1:\d+$/)
  const response = await fetch(`${sample.issuer}/.well-known/openid-configuration`)
  const metadata = (await response.json()) as Record<string, unknown>
  assert.equal(metadata.issuer, sample.issuer)
  assert.equal(metadata.token_endpoint, `${sample.issuer}/token`)
  assert.equal(metadata.jwks_uri, `${sample.issuer}/jwks`)
})

test('9.16 client credentials return an RS256 JWT with sub and email of the operator', async () => {
  for (const { id, email, clientSecret } of operators) {
    for (const [body, headers] of [
      [form, basic(id, clientSecret)],
      [`${form}&client_id=${id}&client_secret=${clientSecret}`, {}],
      [`${form}&scope=`, basic(id, clientSecret)],
    ] as const) {
      const { status, access_token = '', token_type } = await askToken(body, headers)
      assert.equal(status, 200)
      assert.equal(token_type, 'Bearer')
      assert.equal(decodeProtectedHeader(access_token).alg, 'RS256')
      const keys = createRemoteJWKSet(new URL(`${sample.issuer}/jwks`))
      const { payload } = await jwtVerify(access_token, keys, { issuer: sample.issuer })
      assert.equal(payload.sub, id)
      assert.equal(payload.email, email)
      assert.ok((payload.exp ?? 0) - (payload.iat ?? 0) >= 600)
    }
  }
})

test('9.16 a wrong secret, an unknown client and another grant return no token', async () => {
  for (const [body, headers] of [
    [form, basic('DEMO', 'demo-Secret')],
    [form, basic('GUEST', 'guest-secret')],
    [`${form}&client_id=DEMO`, {}],
    ['grant_type=password&username=DEMO&password=demo-password', basic('DEMO', 'demo-secret')],
  ] as const) {
    const { status, access_token } = await askToken(body, headers)
    assert.ok(status === 400 || status === 401)
    assert.equal(access_token, undefined)
  }
})

test('3.9 9.16 the gateway accepts its tokens, from the metadata URL alone', async () => {
  const { issuer } = sample
  const known = { issuer, jwksUrl: `${issuer}/jwks`, now: Date.now() } as TestIssuer
  const serviceApp = { issuer: undefined, metadataUrl: `${issuer}/.well-known/openid-configuration` }
  const it = await openAuthentication({ issuer: known, serviceApp })
  for (const [id, answer] of [
    ['DEMO', 'DEMO'],
    ['DEMO2', 'DEMO2'],
    ['NOPERM', 'NOPERM'],
    ['LOCKED', 'tokenRejected'],
  ] as const) {
    const { access_token } = await askToken(form, basic(id, `${id.toLowerCase()}-secret`))
    assert.equal(await it.who(`Bearer ${access_token}`), answer)
  }
})

test('9.16 every start has its own keys', async (t) => {
  const another = await openSampleIssuer({ host: '127.0.0.1', port: 0, operators })
  t.after(() => another.close())
  const keys = await Promise.all([sample, another].map(async ({ issuer }) => (await fetch(`${issuer}/jwks`)).json()))
  assert.notDeepEqual(keys[0], keys[1])
  const { access_token = '' } = await askToken(form, basic('DEMO', 'demo-secret'))
  assert.equal(decodeJwt(access_token).iss, sample.issuer)
})

test('9.15 a port in use is an error that names the port', async () => {
  const port = Number(new URL(sample.issuer).port)
  await assert.rejects(openSampleIssuer({ host: '127.0.0.1', port, operators }), { code: 'EADDRINUSE', port })
})

test('9.16 the sample issuer prints nothing', () => assert.deepEqual(printed, []))
