/** Signing in with an identity provider, honest, away or lying (specification 34.1 to 34.8). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestAdmin, password, type TestAdmin } from '../support/admin.ts'
import { databases, findDatabase, forEachDatabase, runOutside } from '../support/databases.ts'
import { makeKey } from '../support/issuer.ts'
import { client, type Liar, openLiar, openVisitor, signInWith } from '../support/provider.ts'

const kim = { sub: 'kim-at-provider', email: 'kim@example.com', groups: ['staff', 'gateway-admins'] }

type Visitor = ReturnType<typeof openVisitor>

/** @returns the response to coming back */
async function signIn(visitor: Visitor, liar: Liar, claims: object = kim, to = '') {
  const { location } = await visitor.visit(`/api/session/provider${to}`)
  return visitor.visit(liar.signIn(location, { ...claims }))
}

const sessionOf = async (visitor: Visitor) => (await visitor.visit('/api/session')).body
const refusals = ({ observations }: Pick<TestAdmin, 'observations'>) =>
  observations.flatMap((each) => (each.kind === 'event' && each.name === 'signInFailed' ? [each.message] : []))

forEachDatabase((database) => {
  const on = `(${database.name})`

  test(`34.1, 34.2, 34.3 an administrator signs in with the identity provider, in the role of the claims at each sign-in ${on}`, async (t) => {
    const liar = await openLiar(t)
    const gateway = await openTestAdmin(t, { database, properties: signInWith(liar.issuer) })
    const { ask, admin, opened } = gateway
    const visitor = openVisitor(gateway)
    const begun = await visitor.visit('/api/session/provider?to=/operators%3Fsearch%3Da')
    const asked = new URL(begun.location)
    const { state, nonce, code_challenge, ...fixed } = Object.fromEntries(asked.searchParams)
    assert.deepEqual(
      [begun.status, asked.origin + asked.pathname, fixed],
      [
        303,
        `${liar.issuer}/auth`,
        {
          client_id: client.id,
          redirect_uri: `${admin.url}/api/session/provider/callback`,
          response_type: 'code',
          scope: 'openid email',
          code_challenge_method: 'S256',
        },
      ],
    )
    for (const random of [state, nonce, code_challenge]) assert.ok((random ?? '').length >= 40)
    const [flow = ''] = begun.answer.headers.getSetCookie()
    assert.match(flow, /^ig-admin-\d+-flow=[\w.-]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/)

    const back = await visitor.visit(liar.signIn(begun.location, kim))
    assert.deepEqual([back.status, back.location], [303, '/console/operators?search=a'])
    assert.match(back.answer.headers.getSetCookie()[0] ?? '', /^ig-admin-\d+=[\w-]{43}; .*HttpOnly; SameSite=Strict$/)
    assert.equal(visitor.cookies.size, 1, 'the cookie of the flow is gone')
    const { name, role, via, signsInWith } = await sessionOf(visitor)
    assert.deepEqual([name, role, via, signsInWith], ['kim@example.com', 'administrator', 'session', 'provider'])

    // Another address and role later: the subject is the person
    await signIn(visitor, liar, { ...kim, email: 'kim@other.example', groups: 'on-call' })
    const again = await sessionOf(visitor)
    assert.deepEqual([again.name, again.role], ['kim@example.com', 'operator'])
    const { items } = (await ask('GET /api/administrators')).body
    assert.deepEqual(
      items
        .filter(({ signsInWith }: { signsInWith: string }) => signsInWith === 'provider')
        .map((each: { name: string; role: string }) => [each.name, each.role]),
      [['kim@example.com', 'operator']],
    )
    const { items: entries } = (await ask('GET /api/audit?action=finishProviderSignIn')).body
    assert.deepEqual(
      entries.map(({ actor, subject, before, after }: Record<string, unknown>) => [actor, subject, before, after]),
      [
        ['kim@example.com', `kim-at-provider of ${liar.issuer}`, { role: 'administrator' }, { role: 'operator' }],
        ['kim@example.com', `kim-at-provider of ${liar.issuer}`, undefined, { role: 'administrator' }],
      ],
    )
    const stored = JSON.stringify(await runOutside(opened.gateway.settings.database, 'select * from ig_admin_identity'))
    assert.ok(stored.includes('on-call') && !stored.includes('staff'), stored)
  })

  test(`34.4 whom the provider gives no role, or whose account is locked, is refused, and loses all access ${on}`, async (t) => {
    const liar = await openLiar(t)
    const gateway = await openTestAdmin(t, { database, properties: signInWith(liar.issuer) })
    const { ask } = gateway
    const [visitor, other] = [openVisitor(gateway), openVisitor(gateway)]
    await signIn(visitor, liar)
    const { csrfToken } = await sessionOf(visitor)
    const cookie = [...visitor.cookies].map((pair) => pair.join('=')).join('; ')
    const headers = { cookie, 'x-csrf-token': csrfToken }
    const { token } = (await ask('POST /api/tokens', { headers, body: { name: 'nightly', role: 'viewer' } })).body
    const withToken = async () =>
      (await ask('GET /api/state', { headers: { authorization: `Bearer ${token}` } })).status
    assert.equal(await withToken(), 200)

    const refused = await signIn(other, liar, { ...kim, groups: ['sales'] })
    assert.deepEqual([refused.status, refused.location], [303, '/console?refused=accessDenied'])
    assert.deepEqual([(await sessionOf(visitor)).code, await withToken()], ['unauthenticated', 401])
    await signIn(other, liar, { ...kim, sub: 'stranger', groups: undefined })
    const { items } = (await ask('GET /api/audit?action=refuseProviderSignIn')).body
    assert.deepEqual(
      items.map(({ actor, after }: { actor: string; after: { reason: string } }) => [actor, after.reason]),
      [
        [`stranger of ${liar.issuer}`, 'no value of the claim groups gives a role'],
        ['kim@example.com', 'no value of the claim groups gives a role'],
      ],
    )

    await signIn(visitor, liar)
    const { etag: ifMatch } = await ask('GET /api/administrators/kim@example.com')
    const change = await ask('PATCH /api/administrators/kim@example.com', { ifMatch, body: { role: 'viewer' } })
    const lock = await ask('PUT /api/administrators/kim@example.com/lock')
    assert.deepEqual([change.body.code, lock.status], ['conflict', 204])
    const set = await ask('PUT /api/administrators/kim@example.com/password', {
      body: { password: 'quite another one' },
    })
    assert.equal(set.body.code, 'conflict')
    assert.equal((await sessionOf(visitor)).code, 'unauthenticated')
    assert.equal((await signIn(visitor, liar)).location, '/console?refused=accessDenied')
    assert.equal(refusals(gateway).length, 3)
    assert.match(refusals(gateway)[2] ?? '', /from 127\.0\.0\.1 was refused: accessDenied, locked/)
  })
})

const database = findDatabase('SQLite')

test('34.3 no one takes over the name of another administrator', async (t) => {
  const liar = await openLiar(t)
  const gateway = await openTestAdmin(t, { database, properties: signInWith(liar.issuer) })
  const visitor = openVisitor(gateway)
  const attempt = async (claims: object) => (await signIn(visitor, liar, claims)).location
  assert.equal(await attempt({ ...kim, email: 'an administrator' }), '/console?refused=nameTaken')
  assert.equal(await attempt(kim), '/console/')
  assert.equal(await attempt({ ...kim, sub: 'the next kim' }), '/console?refused=nameTaken')
  assert.equal(await attempt({ ...kim, sub: 'in capitals', email: 'KIM@example.com' }), '/console?refused=nameTaken')
  assert.equal(
    await attempt({ ...kim, sub: 'cyrillic', email: 'kim@ex\u0430mple.com' }),
    '/console?refused=providerRejected',
  )
  assert.equal(await attempt({ ...kim, sub: 'nameless', email: undefined }), '/console?refused=providerRejected')
  assert.equal(await attempt({ ...kim, sub: 'two lines', email: 'a\nb' }), '/console?refused=providerRejected')
  assert.deepEqual(
    refusals(gateway).map((message) => /refused: (.*)\.$/.exec(message)?.[1]),
    [
      'nameTaken, ig.admin.oidc.nameClaim can name another claim (claimed: an administrator)',
      'nameTaken, ig.admin.oidc.nameClaim can name another claim (claimed: kim@example.com)',
      'nameTaken, ig.admin.oidc.nameClaim can name another claim (claimed: KIM@example.com)',
      ...Array(3).fill(
        'providerRejected, the claim email (ig.admin.oidc.nameClaim) is missing or no name of 1 to 60 ASCII characters',
      ),
    ],
  )
  const body = { name: 'kim@example.com', password }
  assert.equal((await gateway.ask('POST /api/session', { as: 'nobody', body })).body.code, 'credentialsRejected')
})

test('34.4 a role that the settings no longer give ends sessions at the next start, and so does another issuer', async (t) => {
  const liar = await openLiar(t)
  const properties = signInWith(liar.issuer)
  const first = await openTestAdmin(t, { database, properties })
  const visitor = openVisitor(first)
  await signIn(visitor, liar, { ...kim, groups: ['on-call'] })
  const cookie = `${[...visitor.cookies.values()]}`
  const { database: url } = first.opened.gateway.settings
  const reopened = async (changed: Readonly<Record<string, string>>) => {
    const place = { url, remove: async () => {} }
    const again = { ...database, openMigrated: undefined, open: async () => place } as typeof database
    const { ask, admin } = await openTestAdmin(t, {
      database: again,
      isNew: true,
      properties: changed,
      hasOperators: false,
    })
    const name = `ig-admin-${new URL(admin.url).port}`
    return (await ask('GET /api/session', { headers: { cookie: `${name}=${cookie}` } })).status
  }
  assert.equal(await reopened(properties), 200)
  assert.equal(await reopened({ ...properties, 'ig.admin.oidc.operators': 'others' }), 401)
  assert.equal(await reopened({ ...properties, 'ig.admin.oidc.issuer': 'https://other.example' }), 401)
  assert.equal(await reopened({}), 401)
})

test('34.5 an ID token that is not right in every part is refused', async (t) => {
  const liar = await openLiar(t)
  const properties = { ...signInWith(liar.issuer), 'ig.limits.guessDelay': '1ms' }
  const gateway = await openTestAdmin(t, { database, properties })
  const visitor = openVisitor(gateway)
  const [stranger, now] = [await makeKey(), Math.floor(Date.now() / 1000)]
  const unsigned = (header: object, claims: object) =>
    `${[header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')}.`
  const lies: readonly (readonly [string, Liar['idToken']])[] = [
    ['nonce', (honest, sign) => sign({ ...honest, nonce: 'another' })],
    ['no nonce', (honest, sign) => sign({ ...honest, nonce: undefined })],
    ['issuer', (honest, sign) => sign({ ...honest, iss: 'https://evil.example' })],
    ['audience', (honest, sign) => sign({ ...honest, aud: 'another client' })],
    ['several audiences, for another', (honest, sign) => sign({ ...honest, aud: [client.id, 'b'], azp: 'b' })],
    ['expired', (honest, sign) => sign({ ...honest, iat: now - 600, exp: now - 300 })],
    ['issued in the future', (honest, sign) => sign({ ...honest, iat: now + 300, exp: now + 600 })],
    ['no expiry', (honest, sign) => sign({ ...honest, exp: undefined })],
    ['alg none', async (honest) => unsigned({ alg: 'none' }, honest)],
    ['a key of another', (honest, sign) => sign(honest, stranger)],
    ['a key of another under the same id', (honest, sign) => sign(honest, { ...stranger, kid: liar.key.kid })],
    ['no subject', (honest, sign) => sign({ ...honest, sub: undefined })],
    ['a subject with NUL', (honest, sign) => sign({ ...honest, sub: 'a\0b' })],
    ['a subject with half a character', (honest, sign) => sign({ ...honest, sub: 'a\ud800' })],
    ['a long subject', (honest, sign) => sign({ ...honest, sub: 'x'.repeat(256) })],
    ['no token', async () => undefined],
    ['not a token', async () => 'a.b'],
  ]
  for (const [lie, idToken] of lies) {
    liar.idToken = idToken
    const { location } = await signIn(visitor, liar)
    assert.deepEqual([lie, location], [lie, '/console?refused=providerRejected'])
    assert.equal((await sessionOf(visitor)).code, 'unauthenticated', lie)
  }
  assert.equal(refusals(gateway).length, lies.length)
  assert.ok(refusals(gateway).every((message) => /: providerRejected, \S/.test(message) && !message.includes('kim')))
  assert.equal((await gateway.ask('GET /api/administrators')).body.total, 3)
  liar.idToken = (honest, sign) => sign(honest)
  assert.equal((await signIn(visitor, liar)).location, '/console/')
})

test('34.5 only the browser that began finishes, once, with the state and code that it was given', async (t) => {
  const liar = await openLiar(t)
  const properties = { ...signInWith(liar.issuer), 'ig.limits.guessDelay': '1ms' }
  const gateway = await openTestAdmin(t, { database, properties })
  const [victim, attacker] = [openVisitor(gateway), openVisitor(gateway)]
  const begin = async (visitor: Visitor) => (await visitor.visit('/api/session/provider')).location
  const refused = '/console?refused=providerRejected'
  const url = liar.signIn(await begin(attacker), kim)
  assert.equal((await victim.visit(url)).location, refused, 'no flow')
  const tabs = [await begin(victim), await begin(victim)].map((location) => liar.signIn(location, kim))
  assert.equal((await victim.visit(url)).location, refused, "another one's flow")
  for (const tab of tabs) assert.equal((await victim.visit(tab)).location, '/console/', 'each of its tabs finishes')
  assert.equal(victim.cookies.size, 1, 'no flow is left')
  victim.cookies.clear()
  for (let times = 0; times < 40; times += 1)
    await victim.visit(`/api/session/provider?to=/${'a'.repeat(times < 20 ? 900 : 0)}`)
  const [, kept = ''] = [...victim.cookies][0] ?? []
  assert.ok(kept.length > 2000 && kept.length < 3600, 'browsers drop longer cookies')
  victim.cookies.clear()
  assert.equal((await attacker.visit(`${url}&code=another`)).location, refused, 'two codes')

  const mine = liar.signIn(await begin(victim), kim)
  const cookies = [...victim.cookies]
  assert.equal((await victim.visit(mine)).location, '/console/')
  for (const [key, value] of cookies) victim.cookies.set(key, value)
  assert.equal((await victim.visit(mine)).location, refused, 'the code was used')

  const stolen = new URL(liar.signIn(await begin(attacker), kim)).searchParams.get('code') ?? ''
  const injected = new URL(liar.signIn(await begin(victim), kim))
  injected.searchParams.set('code', stolen)
  assert.equal((await victim.visit(injected.href)).location, refused, 'the code of another flow')
  for (const query of ['', '?error=access_denied', '?state=x', '?code=x']) {
    await begin(victim)
    assert.equal((await victim.visit(`/api/session/provider/callback${query}`)).location, refused, query)
  }
  attacker.cookies.clear()
  attacker.cookies.set(cookies[0]?.[0] ?? '', Buffer.from('[{"state":1}]').toString('base64url'))
  assert.equal((await attacker.visit(mine)).location, refused, 'a flow of its own making')
})

test("34.5 the cookie of a sign-in is sealed: one that is altered, or of the browser's own making, begins nothing", async (t) => {
  const liar = await openLiar(t)
  const gateway = await openTestAdmin(t, {
    database,
    properties: { ...signInWith(liar.issuer), 'ig.limits.guessDelay': '1ms' },
  })
  const visitor = openVisitor(gateway)
  const begin = async () => (await visitor.visit('/api/session/provider')).location
  const location = await begin()
  const [[name = '', sealed = ''] = []] = [...visitor.cookies]
  assert.ok(
    !Buffer.from(sealed.split('.').at(-1) ?? '', 'base64url')
      .toString('latin1')
      .includes('verifier'),
  )
  const known = { state: 'known', nonce: 'known', verifier: 'known'.repeat(10), to: '/' }
  const own = Buffer.from(JSON.stringify([known])).toString('base64url')
  const back = `/api/session/provider/callback?code=x&state=known`
  for (const cookie of [own, `clear.${own}`, `${sealed.split('.')[0]}.${own}`]) {
    visitor.cookies.set(name, cookie)
    assert.equal((await visitor.visit(back)).location, '/console?refused=providerRejected')
  }
  const url = liar.signIn(location, kim)
  for (const at of [0, 12, 60, sealed.length - 2]) {
    visitor.cookies.set(name, `${sealed.slice(0, at)}${sealed[at] === 'A' ? 'B' : 'A'}${sealed.slice(at + 1)}`)
    assert.equal((await visitor.visit(url)).location, '/console?refused=providerRejected', String(at))
  }
  assert.equal(liar.counts.get('/token'), undefined)
  visitor.cookies.set(name, sealed)
  assert.equal((await visitor.visit(url)).location, '/console/')
})

test('18.7, 34.5 behind a trusted proxy that ends TLS the cookies are __Host-, and others are not read', async (t) => {
  const liar = await openLiar(t)
  const properties = { ...signInWith(liar.issuer), 'ig.trustedProxies': '127.0.0.1' }
  const gateway = await openTestAdmin(t, { database, properties })
  const secure = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'console.example' }
  const visitor = openVisitor(gateway, secure)
  const begun = await visitor.visit('/api/session/provider')
  const [flow = ''] = begun.answer.headers.getSetCookie()
  assert.match(flow, /^__Host-ig-admin-\d+-flow=[\w.-]+; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
  const [[name = '', value = ''] = []] = [...visitor.cookies]
  const url = liar.signIn(begun.location, kim)
  assert.match(url, /^https:\/\/console\.example\//)
  visitor.cookies.clear()
  visitor.cookies.set(name.replace('__Host-', ''), value)
  assert.equal((await visitor.visit(url)).location, '/console?refused=providerRejected')
  visitor.cookies.clear()
  visitor.cookies.set(name, value)
  const back = await visitor.visit(url)
  assert.equal(back.location, '/console/')
  assert.match(
    back.answer.headers.getSetCookie()[0] ?? '',
    /^__Host-ig-admin-\d+=[\w-]{43}; .*Secure; SameSite=Strict$/,
  )
  assert.equal((await visitor.visit('/api/session')).status, 200)
  const [[session = '', secret = ''] = []] = [...visitor.cookies]
  visitor.cookies.clear()
  visitor.cookies.set(session.replace('__Host-', ''), secret)
  assert.equal((await visitor.visit('/api/session')).status, 401)
})

for (const each of databases)
  test(`18.42 names of administrators are ASCII, and no two differ only in letter case (${each.name})`, async (t) => {
    const { ask, opened } = await openTestAdmin(t, { database: each })
    const add = async (name: string) => {
      const { status, body } = await ask('POST /api/administrators', { body: { name, role: 'viewer', password } })
      return `${status} ${body.code ?? ''}`.trim()
    }
    assert.deepEqual([await add('Sam'), await add('sam'), await add('SAM')], ['201', '409 conflict', '409 conflict'])
    for (const name of [
      's\u0430m',
      'S\u0430m',
      'jos\u00e9',
      'sam\u00a0',
      ' sam',
      'sam ',
      'a  b',
      'a\u200bb',
      'a\nb',
      '',
    ])
      assert.equal(await add(name), '400 invalid', JSON.stringify(name))
    assert.equal(await add("!#$%&'*+-/=?^_`{|}~@ x"), '201')
    const { administrators } = opened.gateway.store.administration
    const made = { role: 'viewer' as const, passwordHash: 'x', created: 1 }
    const added = await Promise.all(['kay', 'Kay', 'kAy', 'KAY'].map((name) => administrators.add({ ...made, name })))
    assert.equal(added.filter(Boolean).length, 1)
    assert.equal((await administrators.list()).filter(({ name }) => name.toLowerCase() === 'kay').length, 1)
  })

test('34.5 after signing in the browser goes to a page of the console, whatever it was asked for', async (t) => {
  const liar = await openLiar(t)
  const gateway = await openTestAdmin(t, { database, properties: signInWith(liar.issuer) })
  const visitor = openVisitor(gateway)
  for (const [to, place] of [
    ['/overview', '/console/overview'],
    [`/${'a'.repeat(1001)}`, '/console/'],
    ['//evil.example', '/console//evil.example'],
    ['https://evil.example/', '/console'],
    ['@evil.example', '/console'],
    ['/../../api/state', '/console'],
    ['/\r\nset-cookie: a=b', '/console/set-cookie:%20a=b'],
    ['\\\\evil.example', '/console//evil.example'],
  ] as const) {
    const { location } = await signIn(visitor, liar, kim, `?to=${encodeURIComponent(to)}`)
    assert.deepEqual([to, location], [to, place])
  }
})

test('34.5, 34.7 a provider whose metadata is another one, or unsafe, is refused, and asked again', async (t) => {
  const liar = await openLiar(t)
  const gateway = await openTestAdmin(t, { database, properties: signInWith(liar.issuer) })
  const visitor = openVisitor(gateway)
  const begin = async () => (await visitor.visit('/api/session/provider')).location
  const lies: readonly Liar['metadata'][] = [
    (honest) => ({ ...honest, issuer: 'https://evil.example' }),
    (honest) => ({ ...honest, authorization_endpoint: 'http://evil.example/auth' }),
    (honest) => ({ ...honest, authorization_endpoint: undefined }),
    (honest) => ({ ...honest, token_endpoint: 'http://evil.example/token' }),
    (honest) => ({ ...honest, jwks_uri: 'http://evil.example/jwks' }),
    () => 'no object',
  ]
  for (const lie of lies) {
    liar.metadata = lie
    assert.equal(await begin(), '/console?refused=providerRejected')
  }
  const paths = [...liar.counts]
  assert.ok(
    paths.every(([path]) => path === '/.well-known/openid-configuration'),
    `${paths}`,
  )
  liar.metadata = (honest) => honest
  assert.equal((await signIn(visitor, liar)).location, '/console/', 'as soon as its metadata is right')
})

test('34.7 while the provider is away, the start, passwords and sessions work, and its button says so', async (t) => {
  const liar = await openLiar(t)
  await liar.stop()
  const gateway = await openTestAdmin(t, { database, properties: signInWith(liar.issuer) })
  const visitor = openVisitor(gateway)
  const begin = async () => (await visitor.visit('/api/session/provider')).location
  const away = '/console?refused=providerAway'
  assert.equal(await begin(), away)
  assert.equal((await gateway.ask('GET /api/session')).status, 200)
  await liar.start()
  liar.answer = (_, response) => void response.writeHead(503).end()
  assert.equal(await begin(), away)
  liar.answer = (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const more = () => response.destroyed || response.write(' '.repeat(65_536), () => setImmediate(more))
    more()
  }
  assert.equal(await begin(), away, 'an endless answer')
  liar.answer = undefined
  const { searchParams } = new URL(await begin())
  assert.equal(searchParams.get('client_id'), client.id)
  await liar.stop()
  const back = await visitor.visit(`/api/session/provider/callback?code=x&state=${searchParams.get('state')}`)
  assert.equal(back.location, away)
  await liar.start()
  assert.equal((await signIn(visitor, liar)).location, '/console/')
  await liar.stop()
  assert.equal((await sessionOf(visitor)).name, 'kim@example.com')
  assert.deepEqual(
    refusals(gateway).map((message) => /refused: (\w+), (.*)\.$/.exec(message)?.[2]),
    ['ECONNREFUSED', 'it answered 503', 'it answered more than 524288 bytes', 'ECONNREFUSED'],
  )
})

test('34.6 refused answers are counted like wrong passwords, and delayed', async (t) => {
  const liar = await openLiar(t)
  const gateway = await openTestAdmin(t, {
    database,
    properties: { ...signInWith(liar.issuer), 'ig.limits.guessDelay': '5min' },
  })
  const visitor = openVisitor(gateway)
  // The delay doubles: that of the last is five minutes
  const come = () => visitor.visit('/api/session/provider/callback').catch(() => undefined)
  const wrong = Array.from({ length: 24 }, come)
  assert.equal((await Promise.any(wrong))?.location, '/console?refused=providerRejected')
  assert.equal((await signIn(openVisitor(gateway), liar)).location, '/console/')
  assert.equal(await Promise.race([Promise.all(wrong), 'delayed']), 'delayed')
  await gateway.admin.close()
  await Promise.all(wrong)
})

test('34.8 with ig.admin.passwords=off only the provider signs anyone in; API tokens work', async (t) => {
  const liar = await openLiar(t)
  const properties = {
    ...signInWith(liar.issuer),
    'ig.admin.passwords': 'off',
    'ig.admin.oidc.label': 'Sign in with Acme',
  }
  const gateway = await openTestAdmin(t, { database, properties })
  const body = { name: 'an administrator', password }
  const { status, body: problem } = await gateway.ask('POST /api/session', { as: 'nobody', body })
  assert.deepEqual([status, problem.code], [403, 'passwordsOff'])
  const proof = { name: 'an administrator', ticket: 'of before', code: '123456' }
  const completed = await gateway.ask('POST /api/session/second-factor', { as: 'nobody', body: proof })
  assert.equal(completed.body.code, 'passwordsOff', 'a ticket of the time before')
  assert.deepEqual((await gateway.ask('GET /api/sign-in', { as: 'nobody' })).body, {
    passwords: false,
    provider: { label: 'Sign in with Acme' },
  })
  const visitor = openVisitor(gateway)
  await signIn(visitor, liar)
  assert.equal((await sessionOf(visitor)).role, 'administrator')
})
