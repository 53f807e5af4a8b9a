/** Signing in to the administration plane: the one-time link, sessions, tokens, and what is kept of them (specification 18.5 to 18.11). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { actionsOnPeople } from '../../src/admin/routes/audit.ts'
import { routes } from '../../src/admin/routes/routes.ts'
import { openStore } from '../../src/store/open-store.ts'
import { openTestAdmin, password } from '../support/admin.ts'
import { findDatabase, forEachDatabase, runOutside } from '../support/databases.ts'
import { patience } from '../support/patience.ts'
import { poll } from '../support/poll.ts'

const minute = 60_000

forEachDatabase((database) => {
  const on = `(${database.name})`

  test(`18.5 the one-time link creates the first administrator once, and only one of two concurrent ones ${on}`, async (t) => {
    const { ask, invite } = await openTestAdmin(t, { database, isNew: true })
    const [other, token] = [await invite(), await invite()]
    const accept = (name: string, secret = token) =>
      ask('POST /api/invitation', { as: 'nobody', body: { token: secret, name, password } })
    assert.equal((await accept('eve', 'x'.repeat(43))).body.code, 'invitationRejected')
    assert.equal(
      (await ask('POST /api/invitation', { as: 'nobody', body: { token, name: 'kim', password: 'short' } })).body
        .problems[0].path,
      'password',
    )
    assert.equal((await accept('eve', other)).body.code, 'invitationRejected', 'it was replaced')
    const outcomes = await Promise.all([accept('kim'), accept('sam')])
    assert.deepEqual(outcomes.map(({ status }) => status).sort(), [201, 403])
    const made = outcomes.find(({ status }) => status === 201)
    const cookie = made?.headers.get('set-cookie')?.split(';')[0] ?? ''
    assert.equal((await ask('GET /api/administrators', { headers: { cookie } })).body.total, 1)
    assert.equal((await accept('eve')).status, 403)
  })

  test(`18.6 the store contains neither password nor cookie, CSRF token, API token or link ${on}`, async (t) => {
    const first = await openTestAdmin(t, { database, isNew: true })
    const link = await first.invite()
    const { ask, sessionOf, opened } = await openTestAdmin(t, { database })
    const { cookie = '', 'x-csrf-token': csrf = '' } = await sessionOf('administrator')
    const { body } = await ask('POST /api/tokens', { body: { name: 'nightly', role: 'viewer' } })
    const kim = { name: 'kim', role: 'viewer', password: `${password} indeed` }
    assert.equal((await ask('POST /api/administrators', { body: kim })).status, 201)
    const rows: unknown[] = []
    for (const { settings } of [first.opened.gateway, opened.gateway])
      for (const table of ['ig_administrator', 'ig_admin_session', 'ig_admin_token', 'ig_admin_invitation', 'ig_audit'])
        rows.push(...(await runOutside(settings.database, `select * from ${table}`)))
    const stored = JSON.stringify(rows)
    assert.match(stored, /\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    for (const secret of [password, kim.password, link, cookie.split('=')[1] ?? '', csrf, body.token]) {
      assert.ok(secret.length > 20)
      assert.ok(!stored.includes(secret))
    }
  })
})

const database = findDatabase('SQLite')

test('18.5 a one-time link expires after a day', async (t) => {
  let now = Date.UTC(2026, 0, 1)
  const { ask, invite } = await openTestAdmin(t, { database, isNew: true, now: () => now })
  const token = await invite()
  now += 24 * 60 * minute
  const body = { token, name: 'kim', password }
  assert.equal((await ask('POST /api/invitation', { as: 'nobody', body })).body.code, 'invitationRejected')
})

test('18.7 a session is a cookie that scripts and other sites cannot use; it ends when idle, after twelve hours, and by signing out', async (t) => {
  let now = Date.UTC(2026, 0, 1)
  const { ask, admin, sessionOf } = await openTestAdmin(t, { database, now: () => now })
  const { headers } = await ask('POST /api/session', { as: 'nobody', body: { name: 'an operator', password } })
  const name = `ig-admin-${new URL(admin.url).port}`
  assert.match(
    headers.get('set-cookie') ?? '',
    new RegExp(`^${name}=[\\w-]{43}; Max-Age=43200; Path=/; HttpOnly; SameSite=Strict$`),
  )
  const is = async (as: 'viewer' | 'operator' | 'administrator') => (await ask('GET /api/session', { as })).status
  await sessionOf('viewer')
  now += 29 * minute
  assert.equal(await is('viewer'), 200)
  now += 29 * minute
  assert.equal(await is('viewer'), 200)
  now += 30 * minute
  assert.equal(await is('viewer'), 401)

  await sessionOf('operator')
  for (let passed = 0; passed < 12 * 60 - 20; passed += 20) {
    now += 20 * minute
    assert.equal(await is('operator'), 200)
  }
  now += 20 * minute
  assert.equal(await is('operator'), 401)

  const out = await ask('DELETE /api/session')
  assert.deepEqual([out.status, /^[^;]*=; Max-Age=0;/.test(out.headers.get('set-cookie') ?? '')], [204, true])
  assert.equal(await is('administrator'), 401)
})

test('18.7 reading waits for no transaction that holds the database, and works when nothing can be written', async (t) => {
  let now = Date.UTC(2026, 0, 1)
  const { ask, opened, sessionOf } = await openTestAdmin(t, { database, now: () => now })
  await sessionOf('viewer')
  now += 20 * minute
  const holding = opened.gateway.store.openHandlerTransaction({ wait: patience, signal: new AbortController().signal })
  await holding.database.schema.createTable('HELD').addColumn('ID', 'integer').execute()
  assert.equal((await ask('GET /api/session', { as: 'viewer' })).status, 200)
  now += 20 * minute
  assert.equal((await ask('GET /api/session', { as: 'viewer' })).status, 200, 'it was used meanwhile')
  await holding.rollback()
})

test('18.7 changing your own password requires the current one, and ends all your other sessions', async (t) => {
  const { ask, sessionOf } = await openTestAdmin(t, { database })
  await sessionOf('viewer')
  const other = await ask('POST /api/session', { as: 'nobody', body: { name: 'an viewer', password } })
  const change = (current: string, wanted = 'quite another one') =>
    ask('PUT /api/session/password', { as: 'viewer', body: { current, password: wanted } })
  assert.equal((await change('wrong')).body.code, 'credentialsRejected')
  assert.equal((await change(password)).status, 204)
  assert.equal((await ask('GET /api/session', { as: 'viewer' })).status, 200)
  const cookie = other.headers.get('set-cookie')?.split(';')[0] ?? ''
  assert.equal((await ask('GET /api/session', { headers: { cookie } })).status, 401)
})

test('18.7 changing your own password ends your API tokens on request, and leaves those of others', async (t) => {
  const { ask } = await openTestAdmin(t, { database })
  const makeToken = async (as: 'viewer' | 'operator') => {
    const { body } = await ask('POST /api/tokens', { as, body: { name: 'nightly', role: 'viewer' } })
    return async () => (await ask('GET /api/state', { headers: { authorization: `Bearer ${body.token}` } })).status
  }
  const [mine, others] = [await makeToken('viewer'), await makeToken('operator')]
  const change = (body: object) => ask('PUT /api/session/password', { as: 'viewer', body })
  assert.equal((await change({ current: password, password: 'quite another one' })).status, 204)
  assert.deepEqual([await mine(), await others()], [200, 200])
  const asked = { current: 'quite another one', password, endTokens: true }
  assert.equal((await change({ ...asked, current: 'wrong' })).status, 401)
  assert.equal(await mine(), 200)
  assert.equal((await change(asked)).status, 204)
  assert.deepEqual([await mine(), await others()], [401, 200])
  assert.equal((await ask('GET /api/session', { as: 'viewer' })).status, 200, 'the session stays')
})

test('18.8 below the role administrator the audit reveals no more about administrators than other pages', async (t) => {
  const { ask, sessionOf, opened } = await openTestAdmin(t, { database })
  for (const role of ['viewer', 'operator', 'administrator'] as const) await sessionOf(role)
  const { body: token } = await ask('POST /api/tokens', { body: { name: 'nightly run', role: 'administrator' } })
  const bearer = { authorization: `Bearer ${token.token}` }
  await ask('PUT /api/operators/DEMO/lock', { headers: bearer })
  await ask('POST /api/administrators', { body: { name: 'sam', role: 'viewer', password } })
  await ask('PUT /api/administrators/sam/password', { body: { password } })
  await ask(`DELETE /api/tokens/${token.id}`)
  // A system user may have the name of an administrator
  const byIg = { time: Date.now(), actor: 'an viewer', via: 'command line', address: 'host', subject: 'token x' }
  await opened.gateway.store.administration.audit.append({ ...byIg, action: 'createToken' })
  const read = async (as: 'viewer' | 'operator' | 'administrator', query = '') =>
    (await ask(`GET /api/audit${query}`, { as })).body.items
  const own = (role: string) => [
    ['an administrator', 'token', '', 'lockOperator', 'DEMO'],
    [`an ${role}`, 'sign-in', '127.0.0.1', 'createSession', `an ${role}`],
  ]
  for (const role of ['viewer', 'operator'] as const) {
    const seen = await read(role)
    const told = seen.map((entry: Record<string, string>) =>
      ['actor', 'via', 'address', 'action', 'subject'].map((field) => entry[field]),
    )
    assert.deepEqual(told, own(role))
    assert.equal((await read(role, '?limit=1')).length, 1)
    assert.deepEqual(await read(role, '?action=createToken'), [])
  }
  const all = await read('administrator')
  assert.equal(all.length, 9)
  assert.ok(all.some(({ via }: { via: string }) => via === 'token nightly run'))
  const ofPeople = routes.filter(({ tag, done }) => ['Session', 'Administrators'].includes(tag) && done !== undefined)
  assert.deepEqual(
    new Set([...ofPeople.map(({ operationId }) => operationId), 'inviteAdministrator', 'refuseProviderSignIn']),
    new Set(actionsOnPeople),
  )
})

test('18.10, 18.40 an unknown name, a wrong password and a locked name get the same refusal, and are logged, like a session that begins', async (t) => {
  const { ask, opened, observations } = await openTestAdmin(t, { database })
  await opened.gateway.store.administration.administrators.change('an viewer', { isLocked: true })
  const attempt = async (name: string, secret: string) => {
    const { status, body, headers } = await ask('POST /api/session', { as: 'nobody', body: { name, password: secret } })
    const { requestId: _, ...told } = body
    return { status, told, cookie: headers.get('set-cookie') }
  }
  const [unknown, ...others] = [
    await attempt('nobody', 'x'),
    await attempt('an operator', 'x'),
    await attempt('an viewer', password),
  ]
  assert.deepEqual([unknown?.status, unknown?.told.code, unknown?.cookie], [401, 'credentialsRejected', null])
  for (const refused of others) assert.deepEqual(refused, unknown)
  const eventsOf = (name: string) =>
    observations.flatMap((each) => (each.kind === 'event' && each.name === name ? [each] : []))
  const before = eventsOf('signedIn').length
  assert.equal((await attempt('an operator', password)).status, 201)
  const [begun, ...more] = eventsOf('signedIn').slice(before)
  assert.deepEqual([begun?.message, more], ['Administration: a session from 127.0.0.1 began (createSession).', []])
  const told = eventsOf('signInFailed')
  assert.equal(told.length, 3)
  const detail = { remoteAddress: '127.0.0.1', code: 'credentialsRejected' }
  assert.deepEqual({ level: told[1]?.level, detail: told[1]?.detail }, { level: 'warning', detail })
  const refused = 'Administration: an attempt to sign in from 127.0.0.1 was refused: credentialsRejected'
  assert.equal(told[1]?.message, `${refused} (claimed: an operator).`)
  assert.ok(!JSON.stringify(told).includes(password))
})

test("18.10, 3.25 a guesser of an administrator's password waits for the response; the administrator signs in meanwhile, from the same network too", async (t) => {
  const { ask, admin } = await openTestAdmin(t, { database, properties: { 'ig.limits.guessDelay': '1h' } })
  const signIn = (secret: string) =>
    ask('POST /api/session', { as: 'nobody', body: { name: 'an administrator', password: secret } })
  for (let n = 0; n < 4; n++) assert.equal((await signIn(`wrong ${n}`)).status, 401)
  const delayed: number[] = []
  const guesses = Array.from({ length: 13 }, async (_, n) => delayed.push((await signIn(`guess ${n}`)).status))
  assert.equal((await signIn(password)).status, 201)
  // With these, nineteen of the network are wrong: the twentieth would wait (3.26)
  for (let n = 0; n < 2; n++)
    assert.equal((await ask('POST /api/session', { as: 'nobody', body: { name: `x${n}`, password } })).status, 401)
  assert.ok(delayed.length < 10, `${delayed.length} of 13 were answered`)
  await admin.close() // waits for none of them
  await Promise.all(guesses)
  assert.deepEqual(new Set(delayed), new Set([401]))
})

test("18.11 an API token needs no CSRF token, is shown once, has at most its creator's role, expires and can be revoked", async (t) => {
  let now = Date.UTC(2026, 0, 1)
  const { ask, opened } = await openTestAdmin(t, { database, now: () => now })
  const make = (role: string, as: 'viewer' | 'operator' | 'administrator' = 'administrator') =>
    ask('POST /api/tokens', { as, body: { name: 'nightly', role, days: 2 } })
  assert.equal((await make('operator', 'viewer')).body.code, 'roleMissing')
  const steering = { name: 'nightly\r\n\u202e', role: 'viewer' }
  assert.equal((await ask('POST /api/tokens', { body: steering })).body.problems[0].path, 'name')
  const others = { name: 'nightly', role: 'viewer', administrator: 'an viewer' }
  assert.equal((await ask('POST /api/tokens', { body: others })).body.code, 'accessDenied')
  const { body, status } = await make('administrator')
  assert.deepEqual([status, body.expires], [201, '2026-01-03T00:00:00.000Z'])
  const bearer = { authorization: `Bearer ${body.token}` }
  assert.equal((await ask('PUT /api/operators/DEMO/lock', { headers: bearer })).status, 204)
  const [entry] = (await ask('GET /api/audit')).body.items
  assert.deepEqual([entry.actor, entry.via], ['an administrator', 'token nightly'])
  await poll(async () => (await ask('GET /api/tokens')).body.items[0].used === '2026-01-01T00:00:00.000Z')
  assert.doesNotMatch(JSON.stringify((await ask('GET /api/tokens')).body), new RegExp(body.token))
  assert.equal(
    (await ask('POST /api/tokens', { headers: bearer, body: { name: 'x', role: 'viewer' } })).body.code,
    'sessionRequired',
  )
  assert.equal((await ask('DELETE /api/session', { headers: bearer })).body.code, 'sessionRequired')
  const { etag: ifMatch } = await ask('GET /api/administrators/an%20viewer', { headers: bearer })
  const lasting: readonly [string, object][] = [
    ['POST /api/administrators', { name: 'eve', role: 'administrator', password: 'a long sentence is a good one' }],
    ['PATCH /api/administrators/an%20viewer', { role: 'administrator' }],
    ['PUT /api/administrators/an%20viewer/lock', {}],
    ['DELETE /api/administrators/an%20viewer/lock', {}],
    ['PUT /api/administrators/an%20viewer/password', { password: 'a long sentence is a good one' }],
  ]
  for (const [route, change] of lasting) {
    const refused = await ask(route, { headers: bearer, ifMatch, body: change })
    assert.deepEqual([route, refused.status, refused.body.code], [route, 403, 'sessionRequired'])
  }

  const { administrators } = opened.gateway.store.administration
  await administrators.add({ name: 'sam', role: 'administrator', passwordHash: '', created: 0 })
  await administrators.change('an administrator', { role: 'viewer' })
  assert.equal((await ask('DELETE /api/operators/DEMO/lock', { headers: bearer })).body.code, 'roleMissing')
  await administrators.change('an administrator', { role: 'administrator' })

  const mine = (await make('viewer', 'viewer')).body
  assert.deepEqual(
    (await ask('GET /api/tokens', { as: 'viewer' })).body.items.map(({ id }: { id: string }) => id),
    [mine.id],
  )
  assert.equal((await ask(`DELETE /api/tokens/${body.id}`, { as: 'viewer' })).status, 404)
  assert.equal((await ask(`DELETE /api/tokens/${mine.id}`)).status, 204)
  assert.equal((await ask('GET /api/state', { headers: { authorization: `Bearer ${mine.token}` } })).status, 401)
  now += 2 * 24 * 60 * minute
  assert.equal((await ask('GET /api/state', { headers: bearer })).status, 401)
})

forEachDatabase((each) => {
  test(`18.30 the database refuses to change or remove an entry of the audit, and stores no change without its entry (${each.name})`, async (t) => {
    const { url, remove } = await each.open()
    const store = await openStore(url)
    t.after(async () => {
      await store.close()
      await remove()
    })
    const entry = {
      time: 1.5,
      actor: 'kim',
      via: 'session',
      address: '::1',
      action: 'lockOperator',
      subject: "O'Neil 100%_!",
    }
    await store.operators.add({ id: 'KIM' })
    assert.deepEqual(await store.audited(() => entry).operators.setLocked('KIM', true), {
      before: { isLocked: false },
      after: { isLocked: true },
    })
    assert.equal(await store.audited(() => entry).operators.setLocked('NOBODY', true), false)
    const { audit } = store.administration
    assert.deepEqual(await audit.list({ limit: 9, subject: '100%_!' }), [
      { ...entry, time: 1, sequence: 1, before: undefined, after: undefined },
    ])
    assert.deepEqual(await audit.list({ limit: 9, subject: '100_' }), [])

    const columns = 'sequence, time, actor, via, address, action, subject'
    const statements = [
      "update ig_audit set actor = 'eve'",
      'delete from ig_audit',
      ...(each.name === 'PostgreSQL'
        ? ['truncate ig_audit']
        : [
            `insert or replace into ig_audit (${columns}) values (1, 2, 'eve', '', '', '', '')`,
            `insert or replace into ig_audit (rowid, ${columns}) select rowid, 7, 2, 'eve', '', '', '', '' from ig_audit`,
            "update or replace ig_audit set actor = 'eve'",
          ]),
    ]
    for (const statement of statements)
      await assert.rejects(runOutside(url, statement), /ig_audit is append-only/, statement)
    const broken = () => ({ ...entry, subject: null as unknown as string })
    await assert.rejects(store.audited(broken).operators.setLocked('KIM', false))
    assert.equal((await store.operators.find('KIM'))?.isLocked, true)
    assert.equal((await audit.list({ limit: 9 })).length, 1)
  })
})
