/** Judges the project that it is copied into: 10-partners.md. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { openTestGateway } from 'integration-gateway/testing'

const project = new URL('..', import.meta.url)
const operators = [
  { id: 'ACME', permissionLists: ['PARTNERS'] },
  { id: 'ORG', permissionLists: ['PARTNERS'] },
  { id: 'NIGHTLY', permissionLists: ['PARTNERS'] },
  { id: 'RAY' },
]

test('a partner with a token is answered, and no one else', async () => {
  await using gateway = await openTestGateway({ project, operators })
  const answer = await gateway.call('GET PARTNER.v1/', { as: 'ACME' })
  assert.deepEqual([answer.status, answer.json()], [200, { partner: 'ACME' }])
  assert.deepEqual((await gateway.call('GET PARTNER.v1/', { as: 'ORG' })).json(), { partner: 'ORG' })
  assert.equal((await gateway.call('GET PARTNER.v1/', { as: 'RAY' })).refusal?.code, 'permissionDenied')
  const token = await gateway.token('ACME')
  const [head, body = '', signature] = token.split('.')
  const forged = Buffer.from(Buffer.from(body, 'base64url').toString().replaceAll('ACME', 'ORG')).toString('base64url')
  for (const authorization of ['', await gateway.basicCredentials('ACME'), `Bearer ${head}.${forged}.${signature}`]) {
    const headers: Record<string, string> = authorization === '' ? {} : { authorization }
    assert.equal((await gateway.call('GET PARTNER.v1/', { headers })).status, 401, authorization)
  }
})

test('the identity provider is the one that was named, with its audience, scope and keys', async () => {
  const { default: config } = await import(new URL('gateway.config.ts', project).href)
  const apps: { issuer?: string; audience?: string[]; scopes?: string[] }[] = config.oauth2ServiceApps ?? []
  const app = apps.find(({ issuer }) => issuer === 'https://login.library.example')
  assert.ok(app, 'gateway.config.ts has no service app of https://login.library.example for PARTNERS')
  assert.deepEqual([app.audience, app.scopes], [['https://api.library.example'], ['loans.read']])
  const settings = readFileSync(new URL('integrationGateway.properties', project), 'utf8')
  assert.match(settings, /^ig\.JSONWebKey\s*[=:]\s*https:\/\/login\.library\.example\/keys$/m)
  assert.match(settings, /^ig\.AuthorizationServer\s*[=:]\s*\S/m)
})

test('a partner who calls too often is told when to come back, and harms no other', async () => {
  await using gateway = await openTestGateway({ project, operators })
  const call = (as: string) => gateway.call('GET PARTNER.v1/', { as })
  for (let count = 0; count < 10; count++) assert.equal((await call('ACME')).status, 200, `call ${count + 1}`)
  const refused = await call('ACME')
  assert.deepEqual([refused.status, refused.headers['retry-after']], [429, '1'])
  assert.equal((await call('ORG')).status, 200)
  for (let count = 0; count < 70; count++) assert.equal((await call('NIGHTLY')).status, 200, `call ${count + 1}`)
  gateway.advance(1_000)
  assert.deepEqual([(await call('ACME')).status, (await call('ACME')).status], [200, 429])
})
