/** Administration behind a trusted proxy, and the addresses that may use it (specification 28.10). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestAdmin, password } from '../support/admin.ts'
import { send } from '../support/client.ts'
import { findDatabase } from '../support/databases.ts'

const anonymous = { 'x-forwarded-for': '192.0.2.7' }

test('28.10 administration is for allowed addresses alone, as a trusted proxy states them', async (t) => {
  const properties = { 'ig.trustedProxies': '127.0.0.1', 'ig.admin.allow': '192.0.2.0/24' }
  const { admin, observations, ask } = await openTestAdmin(t, { database: findDatabase('SQLite'), properties })
  const { host } = new URL(admin.url)
  const wrong: readonly Record<string, string>[] = [
    {},
    { 'x-forwarded-for': '192.0.3.1' },
    { 'x-forwarded-for': '192.0.2.7, unknown' },
  ]
  for (const path of ['/', '/api/state', '/openapi.json', '/metrics', '/nothing'])
    for (const headers of wrong) {
      const { status, text } = await send(admin.url, `GET ${path}`, { headers })
      assert.deepEqual([status, JSON.parse(text).code], [403, 'addressDenied'], `${path} ${JSON.stringify(headers)}`)
    }
  assert.equal((await send(admin.url, 'GET /openapi.json', { headers: anonymous })).status, 200)
  assert.equal((await send(admin.url, 'GET /api/state', { headers: anonymous })).status, 401)

  const through = { ...anonymous, 'x-forwarded-proto': 'https', 'x-forwarded-host': 'admin.example' }
  const signIn = (headers: Record<string, string>, secret = password) =>
    send(admin.url, 'POST /api/session', {
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ name: 'an administrator', password: secret }),
    })
  const origin = { origin: 'https://admin.example' }
  const signedIn = await signIn({ ...through, ...origin })
  assert.equal(signedIn.status, 201, signedIn.text)
  assert.match(signedIn.headers['set-cookie'] ?? '', /; Secure/)
  for (const other of ['http://admin.example', `https://${host}`, 'https://evil.example']) {
    const refused = await signIn({ ...through, origin: other })
    assert.deepEqual([refused.status, JSON.parse(refused.text).code], [403, 'originRejected'], other)
  }
  const rebound = await signIn({ ...through, ...origin, host: 'evil.example' })
  assert.equal(rebound.status, 421)

  assert.equal((await signIn(through, 'a wrong password of someone')).status, 401)
  const failed = observations.find((each) => each.kind === 'event' && each.name === 'signInFailed')
  assert.match(failed?.kind === 'event' ? failed.message : '', /from 192\.0\.2\.7 was refused/)
  const { body } = await ask('GET /api/audit', {
    headers: { ...through, cookie: cookieOf(signedIn.headers['set-cookie']) },
  })
  assert.equal(body.items[0].address, '192.0.2.7')
})

function cookieOf(header = ''): string {
  return header.split(';')[0] ?? ''
}
