/** Signing keys and revocations of session tokens in the store, on both databases (specification 27.6 to 27.8, 27.12). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SignJWT } from 'jose'
import { openText, SecretKey, sealedBy, sealText } from '../../../src/base/secret-key.ts'
import type { Catalog } from '../../../src/configuration/catalog.ts'
import { openSessionTokenRows } from '../../../src/features/session-tokens/rows.ts'
import { makeSessionKey, openPrivateKey, usesOf } from '../../../src/features/session-tokens/session-keys.ts'
import type { SessionTokenState } from '../../../src/features/session-tokens/session-token.ts'
import { openSessionTokens } from '../../../src/features/session-tokens/verifier.ts'
import { beginning, type Store } from '../../../src/store/store.ts'
import { findDatabase, forEachDatabase, runOutside } from '../../support/databases.ts'
import { openTestStore } from '../../support/stores.ts'

const hour = 3_600_000
const catalog = {
  defaultNode: 'LOCAL_NODE',
  configuration: { nodes: [] },
  operations: new Map([['MINE_GET.v1', { verification: 'Token' }]]),
} as unknown as Catalog
const operator = {
  id: 'DEMO',
  description: '',
  passwordHash: undefined,
  emails: [],
  isLocked: false,
  permissionLists: [],
}
const operators = new Map([['DEMO', operator]])

const ours = new SecretKey('a secret key for tests: 32 characters')

const call = { remoteAddress: '192.0.2.1', signal: new AbortController().signal }
const operation = { segment: 'MINE.v1' }

/** A process of an instance: its clock, and what it knows of the store. */
async function openProcess(store: Store, clock: { now: number }, secretKey = ours) {
  const settings = { sessionToken: { lifetime: 12 * hour }, secretKey }
  const events: string[] = []
  const observe = (one: { readonly kind: string; readonly name?: string }) => void events.push(one.name ?? one.kind)
  const tokens = await openSessionTokens({ settings, store, observe, now: () => clock.now })
  const follow = () => tokens.follow(0)
  const accepts = (token: string) =>
    tokens.verify({ ...call, headers: { ps_token: token } }, operation, catalog, operators).then(
      () => true,
      () => false,
    )
  return { tokens, events, follow, accepts, issue: async () => (await tokens.issue('DEMO', 'LOCAL_NODE')).token }
}

forEachDatabase((database) => {
  test(`27.6 processes that need a key at the same time make one, and what one signs the others accept (${database.name})`, async (t) => {
    const { store, openAnother } = await openTestStore(t, database)
    const another = await openAnother()
    const clock = { now: Date.now() }
    const [one, two] = [await openProcess(store, clock), await openProcess(another, clock)]
    await Promise.all([one.tokens.prepare(catalog), two.tokens.prepare(catalog)])
    const { keys } = await openSessionTokenRows(store.databases).read()
    assert.equal(keys.length, 1)
    assert.equal(await two.accepts(await one.issue()), true)
    assert.equal(await one.accepts(await two.issue()), true)
    assert.deepEqual(await openSessionTokenRows(another.databases).read(), one.tokens.state)
  })

  test(`27.7 a rotation breaks nothing: the new key signs when all know it, the old one verifies until its tokens end (${database.name})`, async (t) => {
    const { store } = await openTestStore(t, database)
    const clock = { now: 1_000_000_000_000 }
    const one = await openProcess(store, clock)
    const early = await one.issue()
    const two = await openProcess(store, clock)
    const { cursor } = await store.changesSince(beginning)
    const made = makeSessionKey(ours, clock.now)
    await openSessionTokenRows(store.databases).rotateKey(made, {
      signs: clock.now + 3000,
      lifetime: 12 * hour,
    })
    const changes: SessionTokenState | undefined = await openSessionTokenRows(store.databases).changedSince(
      cursor.operators,
    )
    assert.equal(changes?.keys.length, 2)
    await one.follow()
    assert.equal(await two.accepts(await one.issue()), true, 'a process that does not know the new key yet')
    clock.now += 3000
    await two.follow()
    const late = await one.issue()
    assert.equal(JSON.parse(Buffer.from(late.split('.')[0] ?? '', 'base64url').toString()).kid, made.id)
    assert.deepEqual([await two.accepts(late), await two.accepts(early)], [true, true])
    assert.deepEqual([...usesOf(two.tokens.state.keys, clock.now).values()], ['signing', 'verifying'])
    clock.now += 12 * hour
    assert.deepEqual([...usesOf(two.tokens.state.keys, clock.now).values()], ['signing', 'ended'])
    await openSessionTokenRows(store.databases).rotateKey(makeSessionKey(ours, clock.now + 31 * 24 * hour), {
      signs: clock.now + 31 * 24 * hour,
      lifetime: hour,
    })
    assert.equal((await openSessionTokenRows(store.databases).read()).keys.length, 2, 'ended a month ago')
  })

  test(`27.8 tokens of a revoked key are refused, and another key signs at once (${database.name})`, async (t) => {
    const { store } = await openTestStore(t, database)
    const clock = { now: 1_000_000_000_000 }
    const it = await openProcess(store, clock)
    const token = await it.issue()
    assert.equal(await it.accepts(token), true)
    const [key] = it.tokens.state.keys
    assert.equal(
      await openSessionTokenRows(store.databases).revokeKey('unknown', makeSessionKey(ours, clock.now)),
      false,
    )
    assert.equal(
      await openSessionTokenRows(store.databases).revokeKey(key?.id ?? '', makeSessionKey(ours, clock.now)),
      true,
    )
    assert.equal(
      await openSessionTokenRows(store.databases).revokeKey(key?.id ?? '', makeSessionKey(ours, clock.now)),
      false,
      'again',
    )
    await it.follow()
    assert.equal(await it.accepts(token), false)
    assert.equal(await it.accepts(await it.issue()), true)
    assert.deepEqual([...usesOf(it.tokens.state.keys, clock.now).values()].sort(), ['ended', 'signing'])
  })

  test(`27.6, 27.30 with ig.secretKey the private part is sealed, and a process with another key signs with the key before (${database.name})`, async (t) => {
    const { store, url } = await openTestStore(t, database)
    const clock = { now: 1_000_000_000_000 }
    const [first, second] = [
      new SecretKey('a'.repeat(40)),
      new SecretKey('b'.repeat(40), new SecretKey('a'.repeat(40))),
    ]
    const old = await openProcess(store, clock, first)
    const before = await old.issue()
    const rows = await runOutside(url, 'select private_key from ig_session_key')
    assert.equal(sealedBy(String(rows[0]?.private_key)), first.id)
    const late = await openProcess(store, clock, second)
    assert.equal(await late.accepts(await late.issue()), true, 'the previous key opens it')
    clock.now += 1
    await openSessionTokenRows(store.databases).rotateKey(makeSessionKey(second, clock.now), {
      signs: clock.now,
      lifetime: hour,
    })
    for (const each of [old, late]) await each.follow()
    assert.equal(await late.accepts(await old.issue()), true)
    assert.equal(await old.accepts(await late.issue()), true)
    assert.equal(await old.accepts(before), true)
    assert.deepEqual([old.events, late.events], [['sessionKeyUnusable'], []])
  })

  test(`17.10, 27.12 the time of a revocation is of the database's clock, not of this machine's (${database.name})`, async (t) => {
    const { store } = await openTestStore(t, database)
    const ids = ['U1', 'U2', 'U3', 'U4']
    for (const id of ids) await store.operators.add({ id, passwordHash: 'another' })
    const now = Date.now.bind(Date)
    t.mock.method(Date, 'now', () => now() + hour)
    const passwordHash =
      '$argon2id$v=19$m=19456,t=2,p=1$YWFhYWFhYWFhYWFhYWFhYQ$YmJiYmJiYmJiYmJiYmJiYmJiYmJiYmJiYmJiYmJiYmI'
    await store.operators.import([{ id: 'U1', passwordArgon2id: passwordHash }])
    await store.operators.setPasswordHash('U2', passwordHash)
    await store.operators.remove('U3')
    await openSessionTokenRows(store.databases).revokeOperator('U4')
    const rows = await store.databases.main.reader.selectFrom('ig_session_generation').selectAll().execute()
    const early = rows.filter(({ time }) => time < now() + hour / 2).map(({ operator_id }) => operator_id)
    assert.deepEqual(early.toSorted(), ids)
  })

  test(`17.10, 27.12 a revocation made while the database's clock was ahead counts as made now (${database.name})`, async (t) => {
    const { store, url } = await openTestStore(t, database)
    for (const id of ['U1', 'U2']) await store.operators.add({ id })
    const rows = openSessionTokenRows(store.databases)
    for (const id of ['U1', 'U2']) await rows.revokeOperator(id)
    const now = Date.now()
    await runOutside(url, `update ig_session_generation set time = ${now + hour} where operator_id = 'U1'`)
    const { cursor } = await store.changesSince(beginning)
    assert.equal(await store.correctFutureTimes(now), 1)
    const { generations } = await rows.changedSince(cursor.operators)
    assert.deepEqual(
      generations.map(({ operatorId, time }) => [operatorId, time < now + hour / 2]),
      [['U1', true]],
    )
    assert.ok((await store.changesSince(beginning)).cursor.operators > cursor.operators)
  })

  test(`27.12 a new password ends the session tokens of its operator (${database.name})`, async (t) => {
    const { store } = await openTestStore(t, database)
    await store.operators.add({ id: 'DEMO' })
    const it = await openProcess(store, { now: Date.now() })
    const token = await it.issue()
    await it.follow()
    assert.equal(await it.accepts(token), true)
    await store.operators.setPasswordHash('DEMO', '$argon2id$another')
    await it.follow()
    assert.equal(await it.accepts(token), false)
    assert.equal(await it.accepts(await it.issue()), true)
  })
})

test('27.4 a token of this gateway that lives longer than ig.sessionToken.lifetime is refused', async (t) => {
  const { store } = await openTestStore(t, findDatabase('SQLite'))
  const clock = { now: Date.now() }
  const it = await openProcess(store, clock)
  await it.tokens.prepare(catalog)
  const { keys } = await openSessionTokenRows(store.databases).read()
  const [key] = keys
  assert(key)
  const copied = openPrivateKey(key, ours)
  const mint = (seconds: number) =>
    new SignJWT({})
      .setProtectedHeader({ alg: 'EdDSA', kid: key.id, typ: 'session+jwt' })
      .setIssuer('LOCAL_NODE')
      .setSubject('DEMO')
      .setJti('made elsewhere')
      .setIssuedAt(Math.floor(clock.now / 1000))
      .setExpirationTime(Math.floor(clock.now / 1000) + seconds)
      .sign(copied)
  assert.equal(await it.accepts(await mint((12 * hour) / 1000)), true)
  assert.equal(await it.accepts(await mint((12 * hour) / 1000 + 1)), false)
})

test('27.30 what one key sealed for one purpose, only that key opens, for that purpose', () => {
  const key = new SecretKey('a secret key of more than 32 characters')
  const sealed = sealText(key, 'a purpose', 'the secret')
  assert.doesNotMatch(sealed, /secret/)
  assert.notEqual(sealed, sealText(key, 'a purpose', 'the secret'))
  assert.equal(openText(key, 'a purpose', sealed), 'the secret')
  const other = new SecretKey('another key of more than 32 characters', key)
  assert.equal(openText(other, 'a purpose', sealed), 'the secret', 'the previous key')
  assert.throws(() => openText(key, 'another purpose', sealed))
  assert.throws(
    () => openText(key, 'a purpose', sealText(other, 'a purpose', 'x')),
    /encrypted with another ig\.secretKey \([0-9a-f]{8}\)/,
  )
  assert.throws(() => openText(undefined, 'a purpose', sealed), /ig\.secretKey \([0-9a-f]{8}\) is not set/)
  for (let at = sealed.indexOf('.') + 1; at < sealed.length; at += 7) {
    const changed = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1)
    assert.throws(() => openText(key, 'a purpose', changed), `changed at ${at}`)
  }
  assert.throws(() => sealText(undefined, 'a purpose', 'x'), /^Error: ig\.secretKey is not set\. It encrypts the keys/)
  const made = makeSessionKey(key, 1)
  assert.ok(openPrivateKey({ ...made, signs: 1, ends: null }, key))
})
