/** Second factors of administrators: authenticator apps, recovery codes, and their loss (specification 34.20 to 34.25, 34.27). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SecretKey } from '../../src/base/secret-key.ts'
import { openTestAdmin, password, type TestAdmin, type TestAdminOptions } from '../support/admin.ts'
import { findDatabase, forEachDatabase, runOutside } from '../support/databases.ts'
import { openLiar, openVisitor, signInWith } from '../support/provider.ts'
import { totpOf } from '../support/totp.ts'

const step = 30_000
const key = 'a secret key of more than 32 characters'
const factors = '/api/session/second-factors'
type Headers = Readonly<Record<string, string>>

/** With a clock that stands still until it is moved. */
async function open(t: Parameters<typeof openTestAdmin>[0], options: TestAdminOptions) {
  const clock = { now: Date.UTC(2026, 0, 1) }
  const gateway = await openTestAdmin(t, { now: () => clock.now, ...options })
  const { ask } = gateway
  const enterPassword = (name = 'an operator') => ask('POST /api/session', { as: 'nobody', body: { name, password } })
  return {
    ...gateway,
    clock,
    enterPassword,
    /** Of an operator, with the first session of the test. */
    async addTotp(headers?: Headers, name = 'phone') {
      const own = headers ?? (await gateway.sessionOf('operator'))
      const { body } = await ask(`POST ${factors}/totp`, { headers: own, body: { password } })
      const code = totpOf(body.secret, clock.now)
      const added = await ask(`POST ${factors}/totp/confirmation`, { headers: own, body: { name, code } })
      return { secret: String(body.secret), uri: String(body.uri), code, added, headers: own }
    },
    /** @returns the response to the code */
    async signIn(code: string, name = 'an operator') {
      const asked = await enterPassword(name)
      const body = { name, ticket: asked.body.secondFactor?.ticket, code }
      return ask('POST /api/session/second-factor', { as: 'nobody', body })
    },
  }
}

const codesOf = async (signingIn: Promise<{ status: number; body: { code?: string } }>) => {
  const { status, body } = await signingIn
  return body.code ?? status
}
const cookieOf = (answer: Awaited<ReturnType<TestAdmin['ask']>>) =>
  (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? ''

forEachDatabase((database) => {
  const on = `(${database.name})`

  test(`34.20, 34.21 an administrator adds an authenticator app, and signs in with each of its codes once ${on}`, async (t) => {
    const gateway = await open(t, { database, environment: { IG_SECRETKEY: key } })
    const { ask, clock, addTotp, signIn, enterPassword, opened } = gateway
    const other = cookieOf(await enterPassword())
    const { secret, uri, code, added, headers } = await addTotp()
    assert.equal(
      uri,
      `otpauth://totp/Integration%20Gateway:an%20operator?issuer=Integration%20Gateway&secret=${secret}&algorithm=SHA1&digits=6&period=30`,
    )
    assert.deepEqual([added.status, added.body.recoveryCodes.length], [200, 10])
    assert.equal((await ask('GET /api/session', { headers: { cookie: other } })).status, 401, 'the other session ended')
    assert.equal((await ask('GET /api/session', { headers })).status, 200)

    const asked = await enterPassword()
    assert.deepEqual(
      [asked.status, asked.body.code, asked.headers.get('set-cookie')],
      [401, 'secondFactorRequired', null],
    )
    assert.deepEqual([asked.body.secondFactor.totp, asked.body.secondFactor.passkey], [true, undefined])
    assert.equal(await codesOf(signIn(code)), 'secondFactorRejected', 'it was used to add the app')
    clock.now += step
    const fresh = totpOf(secret, clock.now)
    const signedIn = await signIn(`${fresh.slice(0, 3)} ${fresh.slice(3)}`)
    assert.deepEqual([signedIn.status, signedIn.body.name, signedIn.body.role], [201, 'an operator', 'operator'])
    assert.equal((await ask('GET /api/session', { headers: { cookie: cookieOf(signedIn) } })).status, 200)
    assert.equal(await codesOf(signIn(fresh)), 'secondFactorRejected')
    assert.equal(await codesOf(signIn(totpOf(secret, clock.now - step))), 'secondFactorRejected', 'before a used one')
    assert.equal(await codesOf(signIn(totpOf(secret, clock.now + 2 * step))), 'secondFactorRejected', 'of later')
    assert.equal(await codesOf(signIn(totpOf(secret, clock.now + step))), 201, 'of a clock that is ahead')
    const moveClockOfDatabase = (value: number) =>
      Object.defineProperty(opened.gateway.store, 'clockOffset', { value, configurable: true })
    moveClockOfDatabase(5 * step)
    assert.equal(await codesOf(signIn(totpOf(secret, clock.now + 5 * step))), 201, "by the database's clock")
    moveClockOfDatabase(0)

    clock.now += 10 * step
    const last = totpOf(secret, clock.now)
    const both = await Promise.all([signIn(last), signIn(last)])
    assert.deepEqual(both.map(({ status }) => status).sort(), [201, 401])
    const { items, recoveryCodes } = (await ask(`GET ${factors}`, { headers })).body
    assert.deepEqual(
      [recoveryCodes, items.map(({ kind, name }: Record<string, string>) => [kind, name])],
      [10, [['totp', 'phone']]],
    )
    assert.equal(items[0].used, new Date(clock.now).toISOString())

    const rows: unknown[] = []
    for (const table of ['ig_admin_factor', 'ig_admin_recovery_code', 'ig_admin_challenge', 'ig_audit'])
      rows.push(...(await runOutside(opened.gateway.settings.database, `select * from ${table}`)))
    const stored = JSON.stringify(rows)
    for (const hidden of [secret, asked.body.secondFactor.ticket, ...added.body.recoveryCodes])
      assert.ok(!stored.includes(hidden))
    const { items: entries } = (await ask('GET /api/audit?actor=an%20operator&limit=100')).body
    const actions = entries.map(({ action }: { action: string }) => action)
    assert.deepEqual([...new Set(actions)].sort(), ['addTotp', 'completeSession', 'createSession'])
    assert.equal(actions.filter((action: string) => action === 'completeSession').length, 4)
  })

  test(`34.23 each recovery code replaces a factor once, and new ones end the old ones ${on}`, async (t) => {
    const { ask, addTotp, signIn, enterPassword } = await open(t, { database })
    const { added, headers } = await addTotp()
    const codes: string[] = added.body.recoveryCodes
    for (const code of codes) assert.match(code, /^(?:[A-HJ-NP-Z2-9]{4}-){3}[A-HJ-NP-Z2-9]{4}$/)
    const [first = '', second = '', third = ''] = codes
    const both = await Promise.all([signIn(first), signIn(first)])
    assert.deepEqual(both.map(({ status }) => status).sort(), [201, 401])
    assert.equal(await codesOf(signIn(second.toLowerCase().replaceAll('-', ' '))), 201)
    assert.equal((await ask(`GET ${factors}`, { headers })).body.recoveryCodes, 8)
    assert.equal(await codesOf(signIn('AAAA-AAAA-AAAA-AAAA')), 'secondFactorRejected')

    const replace = (given: string) => ask('POST /api/session/recovery-codes', { headers, body: { password: given } })
    assert.equal((await replace('x')).body.code, 'credentialsRejected')
    const [next = ''] = (await replace(password)).body.recoveryCodes
    assert.equal(await codesOf(signIn(third)), 'secondFactorRejected')

    // A wrong code does not cost the ticket
    const { ticket } = (await enterPassword()).body.secondFactor
    const complete = (code: string) =>
      ask('POST /api/session/second-factor', { as: 'nobody', body: { name: 'an operator', ticket, code } })
    assert.equal(await codesOf(complete(third)), 'secondFactorRejected')
    assert.equal(await codesOf(complete(next)), 201)
    assert.equal(await codesOf(complete(next)), 'signInExpired')
  })

  test(`34.27 after twenty wrong codes a right one is refused, until the person signs in another way ${on}`, async (t) => {
    const properties = { 'ig.limits.guessDelay': '1ms' }
    const { ask, clock, addTotp, signIn, enterPassword, observations } = await open(t, { database, properties })
    const { secret, added } = await addTotp()
    clock.now += 2 * step
    const right = totpOf(secret, clock.now)
    const { ticket } = (await enterPassword()).body.secondFactor
    const guess = (code: string) =>
      ask('POST /api/session/second-factor', { as: 'nobody', body: { name: 'an operator', ticket, code } })
    const wrong = right === '000000' ? '000001' : '000000'
    await Promise.all(Array.from({ length: 20 }, () => guess(wrong)))
    const { body } = await guess(right)
    assert.deepEqual(
      [body.code, body.detail],
      ['secondFactorRejected', 'There were too many wrong codes. Use a passkey or a recovery code, or wait for a day.'],
    )
    assert.equal(await codesOf(signIn(right)), 'secondFactorRejected', 'another ticket begins no new count')
    const [last] = observations
      .flatMap((each) => (each.kind === 'event' && each.name === 'signInFailed' ? [each] : []))
      .slice(-1)
    assert.match(last?.message ?? '', /secondFactorRejected, too many codes of authenticator apps/)
    assert.equal(await codesOf(signIn(added.body.recoveryCodes[0])), 201)
    assert.equal(await codesOf(signIn(right)), 201)
  })

  test(`34.25 an administrator removes the second factors of another one, whose sessions end ${on}`, async (t) => {
    const { ask, addTotp, signIn, enterPassword } = await open(t, { database })
    const { added, headers } = await addTotp()
    const one = async () => (await ask('GET /api/administrators/an%20operator')).body.secondFactors
    const ticket = (await enterPassword()).body.secondFactor.ticket
    assert.equal(await one(), 1)
    const reset = () => ask('DELETE /api/administrators/an%20operator/second-factors')
    assert.deepEqual([await codesOf(reset()), await codesOf(reset()), await one()], [204, 'notFound', 0])
    assert.equal((await ask('GET /api/session', { headers })).status, 401)
    const body = { name: 'an operator', ticket, code: added.body.recoveryCodes[0] }
    assert.equal((await ask('POST /api/session/second-factor', { as: 'nobody', body })).body.code, 'signInExpired')
    assert.equal(await codesOf(enterPassword()), 201)
    assert.equal(await codesOf(signIn('123456')), 'invalid', 'nothing more is asked')
    const [{ actor, subject, before, after }] = (await ask('GET /api/audit?action=resetSecondFactors')).body.items
    assert.deepEqual(
      [actor, subject, before, after],
      ['an administrator', 'an operator', { secondFactors: ['totp'] }, { secondFactors: [] }],
    )
  })
})

const database = findDatabase('SQLite')

test('34.20 a ticket is for its person, for five minutes, and ends with a change of that person', async (t) => {
  const { ask, clock, addTotp, enterPassword } = await open(t, { database })
  const { secret } = await addTotp()
  const complete = (ticket: string, name = 'an operator') => {
    const body = { name, ticket, code: totpOf(secret, clock.now) }
    return codesOf(ask('POST /api/session/second-factor', { as: 'nobody', body }))
  }
  clock.now += 2 * step
  const { ticket } = (await enterPassword()).body.secondFactor
  assert.equal(await complete(ticket, 'an administrator'), 'signInExpired')
  assert.equal(await complete('x'.repeat(43)), 'signInExpired')
  clock.now += 5 * 60_000
  assert.equal(await complete(ticket), 'signInExpired')
  const { ticket: next } = (await enterPassword()).body.secondFactor
  assert.equal((await ask('PUT /api/administrators/an%20operator/lock')).status, 204)
  assert.equal(await complete(next), 'secondFactorRejected')
  assert.equal(await codesOf(enterPassword()), 'credentialsRejected')
})

test('34.20 changing factors requires the password, and a session; a code counts once it is right', async (t) => {
  const { ask, addTotp, sessionOf, clock } = await open(t, { database })
  const headers = await sessionOf('operator')
  const { token } = (await ask('POST /api/tokens', { headers, body: { name: 'nightly', role: 'viewer' } })).body
  const bearer = { authorization: `Bearer ${token}` }
  const begin = (given: string, how: Headers = headers) =>
    codesOf(ask(`POST ${factors}/totp`, { headers: how, body: { password: given } }))
  assert.deepEqual([await begin('x'), await begin(password, bearer)], ['credentialsRejected', 'sessionRequired'])
  const confirm = (code: string) => ask(`POST ${factors}/totp/confirmation`, { headers, body: { name: 'phone', code } })
  assert.equal(await codesOf(confirm('123456')), 'signInExpired')
  await begin(password)
  assert.deepEqual(
    [await codesOf(confirm('12345a')), await codesOf(confirm(''))],
    Array(2).fill('secondFactorRejected'),
  )
  clock.now += 6 * 60_000
  assert.equal(await codesOf(confirm('123456')), 'signInExpired')
  assert.equal((await ask(`POST ${factors}/passkey`, { headers, body: { password } })).body.code, 'conflict')

  const { added } = await addTotp(headers)
  assert.equal(added.status, 200)
  const second = await addTotp(headers, 'tablet')
  assert.deepEqual(second.added.body.recoveryCodes, [], 'the codes of the first stay')
  assert.equal((await ask('GET /api/state', { headers: bearer })).status, 200, 'tokens ask for no second factor')
  const { items } = (await ask(`GET ${factors}`, { headers })).body
  const remove = (id: string, given = password) =>
    codesOf(ask(`POST ${factors}/${id}/removal`, { headers, body: { password: given } }))
  assert.deepEqual(
    [await remove(items[0].id, 'x'), await remove('none'), await remove(items[0].id), await remove(items[1].id)],
    ['credentialsRejected', 'notFound', 204, 204],
  )
  const { items: left, recoveryCodes } = (await ask(`GET ${factors}`, { headers })).body
  assert.deepEqual([left, recoveryCodes], [[], 0])
})

test('34.21 an authenticator app that neither key decrypts is refused; other factors of the person work', async (t) => {
  const { addTotp, signIn, opened, clock, observations } = await open(t, { database })
  const { headers, secret, added } = await addTotp()
  const other = await addTotp(headers, 'tablet')
  const { factors: rows } = opened.gateway.store.administration
  const lost = (await rows.list('an operator')).find(({ name }) => name === 'phone')
  assert.ok(lost && (await rows.reseal(lost, new SecretKey(key).seal('another purpose', secret))))
  clock.now += 2 * step
  assert.equal(await codesOf(signIn(totpOf(secret, clock.now))), 'secondFactorRejected')
  const reasons = observations.flatMap((each) => (each.kind === 'event' ? [each.message] : []))
  assert.match(
    reasons.join('\n'),
    /secondFactorRejected, an authenticator app of this person is encrypted with another ig\.secretKey/,
  )
  assert.equal(await codesOf(signIn(totpOf(other.secret, clock.now))), 201)
  assert.equal(await codesOf(signIn(added.body.recoveryCodes[0])), 201)
})

test('34.20 wrong codes are counted and logged like wrong passwords', async (t) => {
  const gateway = await open(t, { database, properties: { 'ig.limits.guessDelay': '5min' } })
  const { addTotp, enterPassword, ask, observations } = gateway
  const { added } = await addTotp()
  const { ticket } = (await enterPassword()).body.secondFactor
  const complete = (code: string) =>
    ask('POST /api/session/second-factor', { as: 'nobody', body: { name: 'an operator', ticket, code } })
  // The delay doubles: that of the last is five minutes
  const wrong = Array.from({ length: 24 }, () => complete('000000').catch(() => undefined))
  assert.equal((await Promise.any(wrong))?.body.code, 'secondFactorRejected')
  assert.equal(await codesOf(complete(added.body.recoveryCodes[0])), 201)
  assert.equal(await Promise.race([Promise.all(wrong), 'delayed']), 'delayed')
  await gateway.admin.close()
  await Promise.all(wrong)
  const logged = observations.flatMap((each) =>
    each.kind === 'event' && each.name === 'signInFailed' ? [each.message] : [],
  )
  assert.match(logged[0] ?? '', /from 127\.0\.0\.1 was refused: secondFactorRejected \(claimed: an operator\)\.$/)
  assert.ok(!logged.join().includes('000000'))
})

test('34.24 with ig.admin.secondFactor=required a session without one may only add one', async (t) => {
  const liar = await openLiar(t)
  const properties = { ...signInWith(liar.issuer), 'ig.admin.secondFactor': 'required' }
  const gateway = await open(t, { database, properties })
  const { ask, sessionOf, addTotp } = gateway
  const headers = await sessionOf('operator')
  assert.deepEqual(
    [
      await codesOf(ask('GET /api/state', { headers })),
      (await ask('GET /api/session', { headers })).body.lacksSecondFactor,
    ],
    ['secondFactorMissing', true],
  )
  assert.equal(
    await codesOf(ask('POST /api/tokens', { headers, body: { name: 'a', role: 'viewer' } })),
    'secondFactorMissing',
  )
  assert.equal((await ask(`GET ${factors}`, { headers })).body.isRequired, true)
  assert.equal((await gateway.enterPassword()).body.lacksSecondFactor, true)
  await addTotp()
  assert.equal(await codesOf(ask('GET /api/state', { headers })), 200)
  assert.equal((await ask('GET /api/session', { headers })).body.lacksSecondFactor, undefined)
  const [{ id }] = (await ask(`GET ${factors}`, { headers })).body.items
  await ask(`POST ${factors}/${id}/removal`, { headers, body: { password } })
  assert.equal(await codesOf(ask('GET /api/state', { headers })), 'secondFactorMissing')

  const visitor = openVisitor(gateway)
  const { location } = await visitor.visit('/api/session/provider')
  const iat = gateway.clock.now / 1000
  await visitor.visit(liar.signIn(location, { iat, sub: 'kim', email: 'kim@example.com', groups: ['staff'] }))
  assert.equal((await visitor.visit('/api/state')).status, 200, 'the provider asks for its own')
})
