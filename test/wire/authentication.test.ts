/** Specification 3.2 to 3.10, 3.17: every mode of verification with every kind of credentials; operators that change. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Operation } from '../../src/model/operation.ts'
import type { Operator } from '../../src/model/operator.ts'
import { Refusal } from '../../src/model/refusal.ts'
import { type Verification, verificationNames } from '../../src/model/verification.ts'
import { requirePermission } from '../../src/steps/require-permission.ts'
import { hashPassword } from '../../src/verification/password.ts'
import { basic, openAuthentication } from '../support/authentication.ts'
import { openTestIssuer } from '../support/issuer.ts'

const issuer = await openTestIssuer()
test.after(() => issuer.stop())

const encode = (text: string | Buffer) => Buffer.from(text).toString('base64')
const good = await issuer.sign()
const credentials = {
  'no credentials': undefined,
  'an empty header': '',
  'good Basic credentials': basic('DEMO'),
  'a wrong password': basic('DEMO', 'demo-passworD'),
  'an unknown operator': basic('NOBODY'),
  'an operator id in another letter case': basic('demo', 'demo-password'),
  'a locked operator': basic('LOCKED'),
  'Basic without anything': 'Basic',
  'Basic with text that is no base64': 'Basic DEMO:demo-password',
  'a good token': `Bearer ${good}`,
  'a tampered token': `Bearer ${good.slice(0, -8)}AAAAAAAA`,
  'Bearer without anything': 'Bearer',
  'Bearer with Basic credentials': `Bearer ${encode('DEMO:demo-password')}`,
  'Basic with a token': `Basic ${good}`,
  'a bare token': good,
  'another scheme': 'Digest username="DEMO"',
} satisfies Record<string, string | undefined>

type Row = { readonly title: string; readonly modes: readonly Verification[]; readonly answers: Answers }
type Answers = Readonly<Record<keyof typeof credentials, string>>
const rows: readonly Row[] = [
  {
    title: '3.5 3.6 NONE needs no credentials, and verifies those that are sent',
    modes: ['NONE', 'SSL'],
    answers: {
      'no credentials': 'GUEST',
      'an empty header': 'GUEST',
      'good Basic credentials': 'DEMO',
      'a wrong password': 'basicRejected',
      'an unknown operator': 'basicRejected',
      'an operator id in another letter case': 'basicRejected',
      'a locked operator': 'basicRejected',
      'Basic without anything': 'basicRejected',
      'Basic with text that is no base64': 'basicRejected',
      'a good token': 'DEMO',
      'a tampered token': 'tokenRejected',
      'Bearer without anything': 'tokenRejected',
      'Bearer with Basic credentials': 'tokenRejected',
      'Basic with a token': 'basicRejected',
      'a bare token': 'basicRejected',
      'another scheme': 'basicRejected',
    },
  },
  {
    title: '3.7 Basic accepts only Basic credentials',
    modes: ['Basic', 'BasicSSL'],
    answers: {
      'no credentials': 'basicRejected',
      'an empty header': 'basicRejected',
      'good Basic credentials': 'DEMO',
      'a wrong password': 'basicRejected',
      'an unknown operator': 'basicRejected',
      'an operator id in another letter case': 'basicRejected',
      'a locked operator': 'basicRejected',
      'Basic without anything': 'basicRejected',
      'Basic with text that is no base64': 'basicRejected',
      'a good token': 'basicRejected',
      'a tampered token': 'basicRejected',
      'Bearer without anything': 'basicRejected',
      'Bearer with Basic credentials': 'basicRejected',
      'Basic with a token': 'basicRejected',
      'a bare token': 'basicRejected',
      'another scheme': 'basicRejected',
    },
  },
  {
    title: '3.9 OAuth2 accepts only a valid bearer token',
    modes: ['OAuth2', 'OAuth2SSL'],
    answers: {
      'no credentials': 'tokenRejected',
      'an empty header': 'tokenRejected',
      'good Basic credentials': 'tokenRejected',
      'a wrong password': 'tokenRejected',
      'an unknown operator': 'tokenRejected',
      'an operator id in another letter case': 'tokenRejected',
      'a locked operator': 'tokenRejected',
      'Basic without anything': 'tokenRejected',
      'Basic with text that is no base64': 'tokenRejected',
      'a good token': 'DEMO',
      'a tampered token': 'tokenRejected',
      'Bearer without anything': 'tokenRejected',
      'Bearer with Basic credentials': 'tokenRejected',
      'Basic with a token': 'tokenRejected',
      'a bare token': 'tokenRejected',
      'another scheme': 'tokenRejected',
    },
  },
]

for (const { title, modes, answers } of rows) {
  test(title, async () => {
    const it = await openAuthentication({ issuer })
    for (const verification of modes) {
      for (const kind of Object.keys(credentials) as (keyof Answers)[]) {
        const answer = await it.who(credentials[kind], { verification, isSecure: true })
        assert.equal(answer, answers[kind], `${verification}, ${kind}`)
        const again = await it.who(credentials[kind], { verification, isSecure: true })
        assert.equal(again, answers[kind], `${verification}, ${kind}, a second time`)
      }
    }
  })
}

test('3.10 an SSL mode refuses a call without TLS, whatever its credentials; the others do not require TLS', async () => {
  const it = await openAuthentication({ issuer })
  for (const verification of verificationNames.filter((name) => name.endsWith('SSL'))) {
    for (const authorization of Object.values(credentials)) {
      assert.equal(await it.who(authorization, { verification, isSecure: false }), 'tlsRequired', verification)
    }
  }
  assert.equal(await it.who(undefined, { verification: 'NONE', isSecure: false }), 'GUEST')
  assert.equal(await it.who(basic('DEMO'), { verification: 'Basic', isSecure: false }), 'DEMO')
  assert.equal(await it.who(`Bearer ${good}`, { verification: 'OAuth2', isSecure: false }), 'DEMO')
})

const missing = [
  { title: '3.5 NONE with no default user is refused with permissionDenied', anonymousOperatorId: undefined },
  { title: '3.5 NONE with an unknown default user is refused with permissionDenied', anonymousOperatorId: 'NOBODY' },
  { title: '3.5 NONE with a locked default user is refused with permissionDenied', anonymousOperatorId: 'LOCKED' },
]
for (const { title, anonymousOperatorId } of missing) {
  test(title, async () => {
    const it = await openAuthentication({ anonymousOperatorId })
    const refusal = await it.ask(undefined, { verification: 'NONE' })
    assert.ok(refusal instanceof Refusal)
    assert.equal(refusal.code, 'permissionDenied')
    assert.equal(refusal.message, 'UserName not defined in database. (158,55)')
  })
}

const malformed: readonly { readonly title: string; readonly header: string; readonly answer: string }[] = [
  { title: '3.7 the scheme is read in any letter case', header: `bASIC ${encode('COLON:a:b:')}`, answer: 'COLON' },
  { title: '3.7 several spaces after the scheme are one', header: `Basic   ${encode('COLON:a:b:')}`, answer: 'COLON' },
  { title: '3.7 the password may contain colons', header: basic('COLON', 'a:b:'), answer: 'COLON' },
  { title: '3.7 what follows the first colon is the password', header: basic('COLON:a', 'b:'), answer: 'COLON' },
  { title: '3.7 the password is UTF-8', header: basic('UMLAUT', 'pässwörd€'), answer: 'UMLAUT' },
  {
    title: '3.7 letters may be composed or decomposed',
    header: basic('UMLAUT', 'pässwörd€'.normalize('NFD')),
    answer: 'UMLAUT',
  },
  {
    title: '3.7 base64 padding is optional',
    header: `Basic ${encode('UMLAUT:pässwörd€').replace(/=+$/, '')}`,
    answer: 'UMLAUT',
  },
  {
    title: '3.7 a password in ISO-8859-1 is refused',
    header: `Basic ${encode(Buffer.from('LATIN:pä', 'latin1'))}`,
    answer: 'basicRejected',
  },
  { title: '3.7 credentials without a colon are refused', header: `Basic ${encode('DEMO')}`, answer: 'basicRejected' },
  { title: '3.7 an empty operator id is refused', header: basic('', 'demo-password'), answer: 'basicRejected' },
  { title: '3.7 an empty password is refused', header: basic('DEMO', ''), answer: 'basicRejected' },
  { title: '3.7 a NUL is refused', header: basic('DEMO', 'demo-password\0'), answer: 'basicRejected' },
  { title: '3.7 a line break is refused', header: basic('DEMO', 'demo-password\n'), answer: 'basicRejected' },
  {
    title: '3.7 a byte order mark is part of the id',
    header: basic('\ufeffDEMO', 'demo-password'),
    answer: 'basicRejected',
  },
  {
    title: '3.7 characters outside base64 are refused',
    header: basic('DEMO').replace('Basic R', 'Basic R-'),
    answer: 'basicRejected',
  },
  {
    title: '3.7 white space within base64 is refused',
    header: basic('DEMO').replace('Basic RE', 'Basic R E'),
    answer: 'basicRejected',
  },
  { title: '3.7 wrong padding is refused', header: `${basic('DEMO')}=`, answer: 'basicRejected' },
  {
    title: '3.7 stray bits at the end of base64 are refused',
    header: 'Basic REVNTzpkZW1vLXBhc3N3b3JkMR==',
    answer: 'basicRejected',
  },
  {
    title: '3.7 two credentials in one header are refused',
    header: `${basic('DEMO')}, ${basic('DEMO')}`,
    answer: 'basicRejected',
  },
  { title: '3.7 an operator without a password is refused', header: basic('NOPASSWORD', ''), answer: 'basicRejected' },
  {
    title: '3.7 an operator whose stored hash cannot be read is refused',
    header: basic('BADHASH'),
    answer: 'basicRejected',
  },
]
test('3.7 Basic credentials are read as in RFC 7617', async (t) => {
  const it = await openAuthentication()
  const demo = it.operators.get('DEMO') as Operator
  it.operators.set('COLON', { ...demo, id: 'COLON', passwordHash: await hashPassword('a:b:') })
  it.operators.set('UMLAUT', { ...demo, id: 'UMLAUT', passwordHash: await hashPassword('pässwörd€') })
  it.operators.set('LATIN', { ...demo, id: 'LATIN', passwordHash: await hashPassword('p\ufffd') })
  it.operators.set('NOPASSWORD', { ...demo, id: 'NOPASSWORD', passwordHash: undefined })
  it.operators.set('BADHASH', { ...demo, id: 'BADHASH', passwordHash: 'badhash-password' })
  for (const { title, header, answer } of malformed) {
    await t.test(title, async () => {
      assert.equal(await it.who(header, { verification: 'Basic' }), answer)
    })
  }
})

test('3.2 passwords are hashed with argon2id, 19 MiB and two passes, a new salt each time', async () => {
  const [first, second] = await Promise.all([hashPassword('secret'), hashPassword('secret')])
  assert.match(first, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  assert.notEqual(first, second)
  assert.ok(!first.includes('secret'))
})

test('3.3 3.17 a change of the operator takes effect with the next call', async () => {
  const it = await openAuthentication({ issuer })
  const password = basic('DEMO')
  const token = `Bearer ${await issuer.sign()}`
  const both = async () => [await it.who(password, { verification: 'Basic' }), await it.who(token)]
  assert.deepEqual(await both(), ['DEMO', 'DEMO'])

  it.change('DEMO', { isLocked: true })
  assert.deepEqual(await both(), ['basicRejected', 'tokenRejected'])
  it.change('DEMO', { isLocked: false })
  assert.deepEqual(await both(), ['DEMO', 'DEMO'])

  it.change('DEMO', { passwordHash: await hashPassword('another') })
  assert.deepEqual(await both(), ['basicRejected', 'DEMO'])
  assert.equal(await it.who(basic('DEMO', 'another'), { verification: 'Basic' }), 'DEMO')

  it.change('DEMO', { emails: [] })
  assert.deepEqual(await both(), ['basicRejected', 'tokenRejected'])

  it.change('DEMO2', { permissionLists: ['OTHER'] })
  const changed = await it.ask(basic('DEMO2'), { verification: 'Basic' })
  assert.deepEqual((changed as Operator).permissionLists, ['OTHER'])

  it.operators.delete('DEMO2')
  assert.equal(await it.who(basic('DEMO2'), { verification: 'Basic' }), 'basicRejected')
})

test('3.3 a lock that arrives while the password is being verified takes effect', async () => {
  const it = await openAuthentication()
  const answer = it.who(basic('DEMO'), { verification: 'Basic' })
  it.change('DEMO', { isLocked: true })
  assert.equal(await answer, 'basicRejected')
})

test('3.3 an operator needs a permission list that contains the operation', async () => {
  const operator = { id: 'DEMO', permissionLists: ['ONE', 'TWO'] } as Partial<Operator> as Operator
  const permittedBy = (...lists: string[]) =>
    ({ id: 'ECHO_GET.v1', permittedBy: new Set(lists) }) as Partial<Operation> as Operation
  requirePermission(operator, permittedBy('TWO', 'THREE'))
  for (const operation of [permittedBy('THREE'), permittedBy()]) {
    assert.throws(() => requirePermission(operator, operation), { name: 'Refusal', code: 'permissionDenied' })
  }
  const without = { ...operator, permissionLists: [] }
  assert.throws(() => requirePermission(without, permittedBy('ONE')), { code: 'permissionDenied' })
})

test('3.17 cached credentials never return another operator', async () => {
  const it = await openAuthentication({ issuer })
  const demo2 = { sub: 'DEMO2', email: 'demo2@example.com' }
  const callers = [
    [basic('DEMO'), 'DEMO', 'Basic'],
    [basic('DEMO2'), 'DEMO2', 'Basic'],
    [basic('DEMO', 'demo2-password'), 'basicRejected', 'Basic'],
    [`Bearer ${await issuer.sign()}`, 'DEMO', 'OAuth2'],
    [`Bearer ${await issuer.sign({ claims: demo2 })}`, 'DEMO2', 'OAuth2'],
    [`Bearer ${(await issuer.sign({ claims: demo2 })).slice(0, -4)}AAAA`, 'tokenRejected', 'OAuth2'],
  ] as const
  const calls = Array.from({ length: 120 }, (_, index) => callers[index % callers.length] as (typeof callers)[number])
  for (const round of [1, 2]) {
    const answers = await Promise.all(calls.map(([header, , verification]) => it.who(header, { verification })))
    assert.deepEqual(
      answers,
      calls.map(([, answer]) => answer),
      `round ${round}`,
    )
  }
})

test('3.17 verified credentials are cached until the configuration changes', async () => {
  const it = await openAuthentication()
  const ask = () => it.ask(basic('DEMO'), { verification: 'Basic' })
  const demo = await ask()
  const hash = (demo as Operator).passwordHash
  ;(demo as { passwordHash: unknown }).passwordHash = 'unreadable' // whoever verifies again notices
  assert.equal(await ask(), demo)
  it.catalog = it.catalogOf()
  assert.equal(((await ask()) as Refusal).code, 'basicRejected')
  ;(demo as { passwordHash: unknown }).passwordHash = hash
  assert.equal(await ask(), demo)
})

test('3.8 a password is verified for an unknown operator as for a known one', async () => {
  // Not by the clock: only passwords that are verified take places in the queue, and these take as many.
  const refused = async (id: string) => {
    const it = await openAuthentication({ basic: { maxWaiting: 8 } })
    const guesses = Array.from({ length: 20 }, (_, index) => it.who(basic(id, `${index}`), { verification: 'Basic' }))
    return (await Promise.all(guesses)).filter((answer) => answer === 'basicRejected').length
  }
  const known = await refused('DEMO')
  assert.ok(known < 20)
  for (const id of ['NOBODY', 'LOCKED']) assert.equal(await refused(id), known, id)
  const refusal = await (await openAuthentication()).ask(basic('NOBODY'), { verification: 'Basic' })
  assert.equal((refusal as Refusal).message, 'Basic authentication failed: no such operator.') // and not: no such hash
})

test('4.11 a flood of wrong passwords ends in overloaded, and does not affect callers who were verified before', async () => {
  const it = await openAuthentication({ basic: { maxWaiting: 30 } })
  assert.equal(await it.who(basic('DEMO'), { verification: 'Basic' }), 'DEMO')
  const flood = Array.from({ length: 400 }, (_, index) =>
    it.who(basic('DEMO', `guess ${index}`), { verification: 'Basic' }),
  )
  const same = Array.from({ length: 400 }, () => it.who(basic('DEMO', 'guess 0'), { verification: 'Basic' }))
  assert.equal(await it.who(basic('DEMO'), { verification: 'Basic' }), 'DEMO')
  const answers = await Promise.all(flood)
  assert.deepEqual(new Set(answers), new Set(['basicRejected', 'overloaded']))
  assert.ok(answers.filter((answer) => answer === 'basicRejected').length <= 32)
  assert.deepEqual(new Set(await Promise.all(same)), new Set(['basicRejected'])) // verified once for all of them
  assert.equal(await it.who(basic('DEMO2'), { verification: 'Basic' }), 'DEMO2')
})
