/** The listener of the administration plane, its settings, and what it says of the gateway (specification 18.1 to 18.4, 18.16 to 18.18, 18.26 to 18.29). */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import type { AnsweredCall } from '../../src/model/call-record.ts'
import { openLogs } from '../../src/observe/open-logs.ts'
import { openSampleIssuer } from '../../src/serve/development/sample-issuer.ts'
import { readSettings, SettingsProblems } from '../../src/settings.ts'
import { openTestAdmin, password } from '../support/admin.ts'
import { makeCertificate } from '../support/certificate.ts'
import { copyReference, readSetupLink, serve } from '../support/cli.ts'
import { findDatabase } from '../support/databases.ts'
import { poll } from '../support/poll.ts'
import { openRawSocket } from '../support/raw-socket.ts'

const database = findDatabase('SQLite')

function makeFolder(t: TestContext, files: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'ig-admin-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

test('18.1, 18.3 administration is on loopback by default, can be switched off, and beyond loopback does not start without TLS', (t) => {
  const folder = makeFolder(t)
  const read = (properties: Readonly<Record<string, string>>) =>
    readSettings(
      folder,
      {},
      Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, { value, option: 'test' }])),
    ).admin
  const problemsOf = (properties: Readonly<Record<string, string>>) => {
    try {
      read(properties)
      return []
    } catch (error) {
      assert.ok(error instanceof SettingsProblems)
      return error.problems.map(({ path, message }) => `${path} ${message}`)
    }
  }
  const usual = read({})
  assert.deepEqual([usual?.host, usual?.port, usual?.allow, usual?.tls], ['127.0.0.1', 8081, undefined, undefined])
  assert.equal(read({ 'ig.admin.port': 'off' }), undefined)
  assert.deepEqual(problemsOf({ 'ig.admin.host': '0.0.0.0', 'ig.admin.port': 'off' }), [])
  assert.deepEqual(problemsOf({ 'ig.admin.host': '0.0.0.0' }), [
    'ig.admin.tls.cert is missing: beyond loopback (ig.admin.host=0.0.0.0) administration needs TLS. Set certificate and key, or ig.admin.host=127.0.0.1, or ig.admin.port=off',
  ])
  assert.deepEqual(problemsOf({ 'ig.admin.tls.cert': 'a.pem' }), [
    'ig.admin.tls.key is missing: ig.admin.tls.cert needs its private key',
  ])
  const tls = { 'ig.admin.host': '0.0.0.0', 'ig.admin.tls.cert': 'a.pem', 'ig.admin.tls.key': 'b.pem' }
  const { cert, key } = read(tls)?.tls ?? {}
  assert.deepEqual([cert, key], [join(folder, 'a.pem'), join(folder, 'b.pem')])
})

test('18.3, 18.4, 18.7 over TLS the cookie is Secure and valid for this host only, and a malformed Host is refused', async (t) => {
  const { cert, key } = makeCertificate()
  const folder = makeFolder(t, { 'cert.pem': cert, 'key.pem': key })
  const properties = {
    'ig.admin.host': '0.0.0.0',
    'ig.admin.tls.cert': join(folder, 'cert.pem'),
    'ig.admin.tls.key': join(folder, 'key.pem'),
  }
  const { admin } = await openTestAdmin(t, { database, properties })
  const { port } = new URL(admin.url)
  const { promise, resolve, reject } = Promise.withResolvers<{
    status: number | undefined
    headers: Record<string, unknown>
  }>()
  const headers = { 'content-type': 'application/json' }
  const toAnyName = { ca: cert, agent: false, checkServerIdentity: () => undefined }
  const malformed = { host: '127.0.0.1', port, path: '/api/sign-in', headers: { host: '[' }, ...toAnyName }
  const [refused] = await once(request(malformed).end(), 'response')
  assert.equal(refused.resume().statusCode, 421)
  const options = { host: '127.0.0.1', port, path: '/api/session', method: 'POST', ca: cert, headers, agent: false }
  const sent = request(options, (response) => {
    response.resume().on('end', () => resolve({ status: response.statusCode, headers: response.headers }))
  }).on('error', reject)
  sent.end(JSON.stringify({ name: 'an viewer', password }))
  const answer = await promise
  assert.equal(answer.status, 201)
  assert.match(
    String(answer.headers['set-cookie']),
    new RegExp(`^__Host-ig-admin-${port}=[^;]+; Max-Age=43200; Path=/; HttpOnly; Secure; SameSite=Strict$`),
  )
  assert.equal(answer.headers['strict-transport-security'], 'max-age=31536000')
})

test('17.12 shutdown waits for requests in progress, and not for silent connections', async (t) => {
  const { admin } = await openTestAdmin(t, { database })
  const request = `GET /api/session HTTP/1.1\r\nHost: ${new URL(admin.url).host}\r\n\r\n`
  const [silent, kept, begun] = [
    await openRawSocket(admin.url),
    await openRawSocket(admin.url),
    await openRawSocket(admin.url),
  ]
  begun.write(request)
  assert.equal((await begun.readReply()).status, 401)
  begun.write(request.slice(0, 20))
  kept.write(request) // answered after the other bytes were read
  assert.equal((await kept.readReply()).status, 401)
  const closing = admin.close()
  await Promise.all([silent.closed, kept.closed])
  begun.write(request.slice(20))
  assert.equal((await begun.readReply()).status, 401)
  await Promise.all([begun.closed, closing])
})

test('18.4 on loopback a request by another host name is refused', async (t) => {
  const { admin } = await openTestAdmin(t, { database })
  const { port } = new URL(admin.url)
  const statusOf = async (host: string) => {
    const socket = await openRawSocket(admin.url)
    socket.write(`GET /openapi.json HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
    return (await socket.readReply()).status
  }
  assert.deepEqual(
    await Promise.all([`127.0.0.1:${port}`, `LOCALHOST:${port}`, `[::1]:${port}`].map(statusOf)),
    [200, 200, 200],
  )
  assert.deepEqual(
    await Promise.all([`evil.example:${port}`, 'localhost', `127.0.0.1:1`].map(statusOf)),
    [421, 421, 421],
  )
})

test('18.13, 18.16 a path that cannot be read, or is too long, is refused like anything else', async (t) => {
  const { ask } = await openTestAdmin(t, { database })
  for (const [path, status, code] of [
    ['/api/operators/%zz', 400, 'invalid'],
    [`/api/operators/${'a'.repeat(2001)}`, 404, 'notFound'],
  ]) {
    const refused = await ask(`GET ${path}`, { as: 'nobody' })
    assert.deepEqual([refused.status, refused.body.code], [status, code])
    assert.match(refused.headers.get('content-security-policy') ?? '', /default-src 'none'/)
    assert.equal(refused.headers.get('cache-control'), 'no-store')
  }
})

test('18.16, 18.18 every refusal is a problem detail, with what to do', async (t) => {
  const { ask, sessionOf, admin, observations, opened } = await openTestAdmin(t, { database })
  const { body, headers, status } = await ask('POST /api/operators', {
    body: { id: 'A', emails: [{ type: '1', address: 'x', isPrimary: true }] },
  })
  assert.deepEqual([status, headers.get('content-type')], [400, 'application/problem+json; charset=utf-8'])
  const { requestId, ...told } = body
  assert.match(requestId, /^[\da-f-]{36}$/)
  assert.deepEqual(told, {
    type: 'about:blank',
    title: 'The request is invalid',
    status: 400,
    detail: 'The body has errors.',
    code: 'invalid',
    problems: [
      { path: 'emails[0].type', message: 'must be 1 to 30 letters' },
      { path: 'emails[0].address', message: 'must be an e-mail address' },
    ],
  })
  const session = await sessionOf('administrator')
  const raw = async (text: string, type: string) => {
    const response = await fetch(`${admin.url}/api/operators`, {
      method: 'POST',
      headers: { ...session, 'content-type': type },
      body: text,
    })
    return [response.status, ((await response.json()) as { code: string }).code]
  }
  assert.deepEqual(await raw('{', 'application/json'), [400, 'invalid'])
  assert.deepEqual(await raw('{"id":"A","__proto__":{"x":1}}', 'application/json'), [400, 'invalid'])
  assert.deepEqual(await raw('{"id":"A\\u0000"}', 'application/json'), [400, 'invalid'])
  assert.deepEqual(await raw('{"id":"A","description":"\\udc00"}', 'application/json'), [400, 'invalid'])
  assert.deepEqual(await raw('{"id":"A","description":"\\ud83d"}', 'application/json'), [400, 'invalid'])
  assert.equal(
    (await raw(String.raw`{"id":"B","description":"\ud83d\ude00 \\\\u0000 \\\\udc00"}`, 'application/json'))[0],
    201,
  )
  assert.deepEqual(await raw(`{"id":${'['.repeat(200)}${']'.repeat(200)}}`, 'application/json'), [400, 'invalid'])
  assert.deepEqual(await raw('['.repeat(9e4) + ']'.repeat(9e4), 'application/json'), [400, 'invalid'])
  const many = await fetch(`${admin.url}/api/configuration`, {
    method: 'PUT',
    headers: { ...session, 'content-type': 'application/json' },
    body: `[${'1,'.repeat(1_000_000)}1]`,
  })
  assert.equal(((await many.json()) as { detail: string }).detail, 'The body has more than 1000000 values.')
  assert.deepEqual(await raw('id=A', 'application/x-www-form-urlencoded'), [415, 'contentUnsupported'])
  assert.deepEqual(await raw(`"${'x'.repeat(1024 ** 2)}"`, 'application/json'), [413, 'tooLarge'])
  assert.deepEqual((await ask('GET /api/operators/%00')).body.code, 'invalid')
  assert.deepEqual((await ask('GET /api/nowhere')).body.code, 'notFound')

  const file = new DatabaseSync(opened.gateway.settings.database)
  file.exec('drop table ig_admin_token')
  file.close()
  const failing = await ask('GET /api/tokens')
  assert.deepEqual([failing.status, failing.body.code], [500, 'unexpected'])
  assert.doesNotMatch(JSON.stringify(failing.body), /sqlite|database/i)
  assert.ok(
    observations.some(
      (seen) =>
        seen.kind === 'event' && seen.name === 'administrationFailed' && seen.message.includes(failing.body.requestId),
    ),
  )
  await opened.gateway.store.close()
  await poll(() => opened.gateway.condition.isStoreOutage)
  const away = await ask('GET /api/operators')
  assert.deepEqual([away.status, away.body.code], [503, 'storeAway'])
  assert.doesNotMatch(JSON.stringify(away.body), /sqlite|not open/i)
})

test('18.17 unchanged content is not sent again', async (t) => {
  const { ask, sessionOf } = await openTestAdmin(t, { database })
  const { etag, status } = await ask('GET /api/operators/DEMO')
  assert.deepEqual([status, /^"\d+"$/.test(etag)], [200, true])
  const again = await ask('GET /api/operators/DEMO', {
    headers: { ...(await sessionOf('viewer')), 'if-none-match': etag },
  })
  assert.deepEqual([again.status, again.body, again.etag], [304, '', etag])
})

test('18.26 an identity provider is registered by its metadata URL alone', async (t) => {
  const issuer = await openSampleIssuer({ host: '127.0.0.1', port: 0, operators: [] })
  t.after(() => issuer.close())
  const { ask } = await openTestAdmin(t, { database })
  const metadataUrl = `${issuer.issuer}/.well-known/openid-configuration`
  const read = await ask('POST /api/oauth2-service-apps/metadata', { body: { metadataUrl } })
  assert.deepEqual([read.status, read.body.issuer, read.body.tokenEndpoint], [200, issuer.issuer, issuer.tokenEndpoint])
  const { jwksUri, ...endpoints } = read.body
  assert.equal(jwksUri, `${issuer.issuer}/jwks`)
  const { body } = await ask('POST /api/drafts', { body: { title: 'a provider' } })
  const path = `/api/drafts/${body.id}/oauth2-service-apps`
  const { status, body: made } = await ask(`POST ${path}/from-metadata`, { body: { metadataUrl, audience: ['api'] } })
  assert.deepEqual([status, made.id, made.problems], [201, new URL(issuer.issuer).host, []])
  assert.deepEqual(made.value, { name: made.id, metadataUrl, ...endpoints, audience: ['api'] })
  assert.deepEqual((await ask(`GET /api/drafts/${body.id}/problems`)).body, { isValid: true, problems: [] })
  for (const url of [`${issuer.issuer}/nowhere`, 'http://127.0.0.1:1/']) {
    const refused = await ask(`POST ${path}/from-metadata`, { body: { metadataUrl: url } })
    assert.deepEqual([refused.status, refused.body.code], [422, 'metadataUnusable'])
  }
  assert.equal((await ask(`POST ${path}/from-metadata`, { body: { metadataUrl: 'file:///etc/passwd' } })).status, 400)
})

test('18.28 the logs are read from their end, by level, time, transaction and part of the text, as text', async (t) => {
  const folder = makeFolder(t)
  const properties = {
    'ig.messageLog.filename': join(folder, 'msgLog.html'),
    'ig.errorLog.filename': join(folder, 'errorLog.html'),
  }
  const { ask, opened } = await openTestAdmin(t, { database, properties })
  assert.deepEqual((await ask('GET /api/logs/message')).body, { items: [] })
  const { settings } = opened.gateway
  const logs = openLogs({ ...settings, log: { ...settings.log, level: 4 } }, { write() {} })
  const say = (level: 'error' | 'information', message: string) =>
    logs.observe({
      kind: 'event',
      level,
      name: 'said',
      message,
      ...(level === 'error' && { error: new Error('with a stack') }),
    })
  const messages = {
    call: { method: 'GET', target: '/x', headers: { 'x-mark': 'seen' }, remoteAddress: '127.0.0.1' },
    transaction: {
      id: 'with messages',
      begun: Date.now(),
      operation: { id: 'X_GET.v1', logDetail: 'header' },
      operator: { id: "O'<b>" },
    },
    reply: { status: 200, headers: [], body: { bytes: Buffer.alloc(0) } },
  }
  logs.observe({ kind: 'answered', ended: Date.now(), ...messages } as unknown as AnsweredCall)
  say('information', 'first')
  say('error', '<script>alert("1 & 2")</script>')
  say('information', 'last')
  await logs.close()
  const { body } = await ask('GET /api/logs/message', { as: 'viewer' })
  assert.deepEqual(
    body.items.map(({ level }: { level: string }) => level),
    ['information', 'information', 'information'],
  )
  const titles = async (as: 'viewer' | 'operator') =>
    (await ask('GET /api/logs/message', { as })).body.items[2].details.map(({ title }: { title: string }) => title)
  assert.deepEqual([await titles('operator'), await titles('viewer')], [['Request', 'Response'], []])
  assert.match(body.items[0].text, /^last/)
  const { operation, operator, transactionId } = body.items[2]
  assert.deepEqual([operation, operator, transactionId], ['X_GET.v1', "O'<b>", 'with messages'])
  const find = async (query: string, as: 'viewer' | 'operator' = 'viewer') =>
    (await ask(`GET /api/logs/message?${query}`, { as })).body.items.length
  const [oldest, latest] = [body.items[2].time, body.items[0].time]
  const after = new Date(Date.parse(latest) + 1).toISOString()
  assert.deepEqual([await find('search=FIRST'), await find('search=x_get.v1'), await find('search=nowhere')], [1, 1, 0])
  assert.deepEqual(
    [await find(`from=${oldest}&to=${after}`), await find(`from=${after}`), await find(`to=${oldest}`)],
    [3, 0, 0],
  )
  const ofRequest = 'search=x-mark'
  assert.deepEqual([await find(ofRequest), await find(ofRequest, 'operator')], [0, 1], 'no search of what is hidden')
  const [entry] = (await ask('GET /api/logs/error?level=error')).body.items
  assert.equal(entry.level, 'error')
  assert.match(entry.text, /^<script>alert\("1 & 2"\)<\/script>/)
  assert.match(entry.details[0].text, /Error: with a stack\n/)
  assert.deepEqual((await ask('GET /api/logs/error?transaction=nowhere')).body, { items: [] })
  assert.equal((await ask('GET /api/logs/other')).status, 400)
  for (const [file, kind] of ['msgLog message', 'errorLog error'].map((names) => names.split(' ')))
    assert.deepEqual((await ask(`GET /api/logs/${file}`)).body, (await ask(`GET /api/logs/${kind}`)).body)
})

test('18.29 every setting is listed with its group and source, the database without its password; state has the address of the health check', async (t) => {
  const { ask, opened } = await openTestAdmin(t, { database })
  const { items } = (await ask('GET /api/settings', { as: 'viewer' })).body
  const byKey = new Map(items.map((item: { key: string }) => [item.key, item]))
  assert.deepEqual(
    [(byKey.get('ig.port') as { source: string }).source, (byKey.get('ig.gatewayPath') as { value: string }).value],
    ['test', 'PSIGW'],
  )
  assert.ok(byKey.size > 40)
  const groups = ['ig.port', 'ig.admin.port', 'ig.monitor', 'ig.workers', 'ig.limits.url'].map(
    (key) => (byKey.get(key) as { group: string }).group,
  )
  assert.deepEqual(groups, ['Gateway', 'Administration', 'Monitor', 'Workers', 'Limits'])
  const { warnings: _, given } = readSettings(makeFolder(t), { IG_DATABASE: 'postgres://kim:very-secret@localhost/x' })
  assert.equal(given.get('ig.database')?.value, 'postgres://kim:***@localhost/x')
  const { body } = await ask('GET /api/state', { as: 'viewer' })
  assert.deepEqual(
    [body.managedBy, body.revision, body.dbType, body.storeAnswers, body.operations],
    ['revisions', 1, 'SQLITE', true, 11],
  )
  assert.equal(body.gatewayUrl, opened.url)
  assert.equal((await fetch(body.healthUrl)).status, 200)
})

test('18.2, 18.5 ig start serves administration; without a terminal the one-time link is in a file until it is used', async () => {
  const folder = copyReference()
  const env = { IG_PORT: '0', IG_ADMIN_PORT: '0' }
  const first = serve(['start', folder], { env })
  const old = await readSetupLink(first)
  assert.equal(statSync(old.file).mode & 0o777, 0o600)
  const { stdout, stderr } = await first.stop()
  assert.match(stdout, /"event":"stopping"/)
  assert.ok(!`${stdout}${stderr}`.includes(old.token), 'the link is in an output')
  const second = serve(['start', folder], { env })
  const { url, token, file } = await readSetupLink(second)
  assert.deepEqual([token, file], [old.token, join(folder, 'data/setup-link')])
  const body = JSON.stringify({ token, name: 'kim', password })
  const made = await fetch(`${url}/api/invitation`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  assert.equal(made.status, 201)
  assert.ok(!existsSync(file), 'the used link is still there')
  assert.match((await second.stop()).stderr, /ig: administration at http:/)
  const third = serve(['start', folder], { env })
  await third.until(/ig: administration at http:\/\/127\.0\.0\.1:\d+\n/)
  assert.doesNotMatch((await third.stop()).stderr, /administrator,/)
})

test('18.2 if the address of administration is not available, calls are served, and a warning says so', async (t) => {
  const other = createServer()
  await new Promise<void>((resolve) => void other.listen(0, '127.0.0.1', resolve))
  t.after(() => other.close())
  const { port } = other.address() as { port: number }
  const serving = serve(['dev', copyReference(), '--port', '0', '--issuer-port', '0', '--admin-port', String(port)])
  await serving.until(/Ctrl-C stops/)
  const { stderr, stdout } = await serving.stop()
  assert.match(
    stderr,
    new RegExp(`administration is not available: port ${port} is in use. Choose another port with --admin-port`),
  )
  assert.doesNotMatch(stdout, /^ {2}Admin/m)
})

test('18.2 ig dev serves administration of its files', async () => {
  const serving = serve(['dev', copyReference(), '--port', '0', '--issuer-port', '0', '--admin-port', '0'])
  const [, url = ''] = await serving.until(/Console +(http:\/\/127\.0\.0\.1:\d+)\n/)
  assert.equal((await fetch(`${url}/api/state`)).status, 401)
  const { headers } = await fetch(`${url}/setup`, { redirect: 'manual' })
  assert.equal(headers.get('location'), '/console/setup')
  assert.equal((await serving.stop()).code, 0)
})
