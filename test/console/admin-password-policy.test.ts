/** One rule for every password that is set (specification 3.23). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findPasswordProblem, generatePassword } from '../../src/model/password-policy.ts'
import { addSampleOperators } from '../../src/serve/sample-operators.ts'
import { openStore } from '../../src/store/open-store.ts'
import { openTestAdmin, password } from '../support/admin.ts'
import { findDatabase } from '../support/databases.ts'
import { hashOnce } from '../support/hash-once.ts'

const database = findDatabase('SQLite')
const refused = [
  ['', 'must have 12 to 1,024 characters'],
  ['elevenchars', 'must have 12 to 1,024 characters'],
  ['𝒳'.repeat(1025), 'must have 12 to 1,024 characters'],
  ['tab\tin the middle', 'must not have control characters or several lines'],
  ['A-long-operator', 'must not be the id or name itself'],
  ...[
    'password1234',
    'P@ssw0rd1234',
    'Administrator1!',
    'password!@#$',
    'Password+123',
    'password 2026',
    'welc0m3123456',
    'adm1n1strator',
    'aaaaaaaaaaaa',
    '010203040506',
    '1qaz2wsx3edc',
    'passwordpassword',
  ].map((common) => [common, 'is a common password: choose another one'] as const),
] as const

test('3.23 a password has 12 to 1,024 characters, is not the id, and not a common one', () => {
  for (const [text, problem] of refused) assert.equal(findPasswordProblem(text, 'a-long-OPERATOR'), problem, text)
  const samples = ['GUEST', 'DEMO', 'DEMO2', 'NOPERM', 'LOCKED'].map(
    (id) => [`${id.toLowerCase()}-password`, id] as const,
  )
  const taken = [
    ...samples,
    ['twelve chars', 'KIM'],
    ['𝒳y'.repeat(6) + '𝒵'.repeat(1000), 'KIM'],
    [password, 'KIM'],
  ] as const
  for (const [text, id] of taken) assert.equal(findPasswordProblem(text, id), undefined, text)
  for (let n = 0; n < 100; n++) assert.equal(findPasswordProblem(generatePassword(), 'KIM'), undefined)
})

test('3.23 every route of administration that sets a password refuses the same ones, and changes nothing', async (t) => {
  const { ask } = await openTestAdmin(t, { database })
  const first = await openTestAdmin(t, { database, isNew: true })
  const token = await first.invite()
  const send = (line: string, body: object) =>
    line.endsWith('invitation') ? first.ask(line, { as: 'nobody', body }) : ask(line, { body })
  const routes = (owner: string, secret: string) =>
    [
      ['POST /api/operators', { id: owner, password: secret }],
      ['PUT /api/operators/DEMO/password', { password: secret }],
      ['POST /api/administrators', { name: owner, role: 'viewer', password: secret }],
      ['PUT /api/administrators/an%20viewer/password', { password: secret }],
      ['PUT /api/session/password', { current: password, password: secret }],
      ['POST /api/invitation', { token, name: owner, password: secret }],
    ] as const
  for (const [text, message] of refused.filter(([, problem]) => !problem.includes('id or name')))
    for (const [line, body] of routes('KIM', text)) {
      const { status, body: told } = await send(line, body)
      assert.deepEqual([line, text, status, told.problems], [line, text, 400, [{ path: 'password', message }]])
    }
  const own = [{ path: 'password', message: 'must not be the id or name itself' }]
  for (const [line, body] of routes('Kim of the North', 'kim of the north').filter(([line]) => !line.startsWith('PUT')))
    assert.deepEqual((await send(line, body)).body.problems, own)
  assert.equal((await ask('GET /api/operators/KIM')).status, 404)
  const both = { id: 'KIM', password: 'a long sentence is a good one', firstLogin: true }
  assert.equal((await ask('POST /api/operators', { body: both })).body.code, 'invalid')
  assert.equal((await ask('POST /api/session', { as: 'nobody', body: { name: 'an viewer', password } })).status, 201)
})

test('3.23 a password that was set before the rule keeps working, on both planes; an existing sample operator keeps its own', async (t) => {
  const { ask, opened } = await openTestAdmin(t, { database })
  const { administration, operators } = opened.gateway.store
  await administration.administrators.change('an viewer', { passwordHash: await hashOnce('old') })
  assert.equal(
    (await ask('POST /api/session', { as: 'nobody', body: { name: 'an viewer', password: 'old' } })).status,
    201,
  )
  const { etag: before } = await ask('GET /api/operators/DEMO')
  const sample = {
    id: 'DEMO',
    description: '',
    password: 'old',
    email: 'demo@example.com',
    isLocked: false,
    permissionLists: [],
  }
  assert.deepEqual(await addSampleOperators({ operators }, [sample]), [])
  assert.equal((await ask('GET /api/operators/DEMO')).etag, before)
})

test('3.23 a sample operator whose password breaks the rule is not added, and is reported', async (t) => {
  const { url, remove } = await database.open()
  const store = await openStore(url)
  t.after(async () => {
    await store.close()
    await remove()
  })
  const sample = {
    id: 'ONE',
    description: '',
    password: 'short',
    email: 'one@example.com',
    isLocked: false,
    permissionLists: [],
  }
  await assert.rejects(addSampleOperators(store, [sample], hashOnce), {
    name: 'Failure',
    message: 'the password of the sample operator ONE must have 12 to 1,024 characters. Change it in the project.',
  })
  assert.equal(await store.operators.find('ONE'), undefined)
})
