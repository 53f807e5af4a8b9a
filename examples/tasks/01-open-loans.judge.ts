/** Judges the project that it is copied into: 01-open-loans.md. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { openTestGateway } from 'integration-gateway/testing'

const project = new URL('..', import.meta.url)
const operators = [
  { id: 'LIA', permissionLists: ['LIBRARIANS'] },
  { id: 'LEO', permissionLists: ['LIBRARIANS'] },
  { id: 'RAY' },
]
const dune = { title: 'Dune', due: '2026-02-01' }
const emma = { title: 'Emma', due: '2026-01-09' }

async function open() {
  const gateway = await openTestGateway({ project, operators })
  const loan = (MEMBER_ID: string, TITLE: string, DUE: string, RETURNED: string | null) =>
    gateway.withDatabase((database) =>
      database.insertInto('LOANS').values({ MEMBER_ID, TITLE, DUE, RETURNED }).execute(),
    )
  await loan('M1', dune.title, dune.due, null)
  await loan('M1', emma.title, emma.due, null)
  await loan('M1', 'Ulysses', '2026-01-01', '2025-12-24')
  await loan('M2', 'Walden', '2026-01-20', null)
  const call = (member: string, as = 'LIA') => gateway.call(`GET OPEN_LOANS.v1/${member}`, { as })
  return { gateway, loan, call }
}

test('a librarian gets the open loans of the member as JSON, the one due first at the top', async () => {
  const { gateway, call } = await open()
  await using _ = gateway
  const answer = await call('M1')
  assert.equal(answer.status, 200)
  assert.match(answer.headers['content-type'] ?? '', /^application\/json/)
  assert.deepEqual(answer.json(), [emma, dune])
  assert.deepEqual((await call('M2')).json(), [{ title: 'Walden', due: '2026-01-20' }])
  assert.deepEqual((await call('M3')).json(), [])
})

test('no one else does, whether the answer is cached or not', async () => {
  const { gateway, call } = await open()
  await using _ = gateway
  assert.equal((await call('M1', 'RAY')).refusal?.code, 'permissionDenied')
  assert.equal((await call('M1')).status, 200)
  assert.equal((await call('M1', 'RAY')).refusal?.code, 'permissionDenied')
  assert.equal((await gateway.call('GET OPEN_LOANS.v1/M1')).status, 401)
})

test('an answer is kept a minute for each member, and no longer', async () => {
  const { gateway, loan, call } = await open()
  await using _ = gateway
  await call('M1')
  await loan('M1', 'Beloved', '2026-03-01', null)
  await loan('M2', 'Middlemarch', '2026-03-01', null)
  gateway.advance(59_000)
  assert.deepEqual((await call('M1', 'LEO')).json(), [emma, dune])
  assert.equal((await call('M2')).json().length, 2)
  gateway.advance(1_000)
  assert.equal((await call('M1')).json().length, 3)
})

test('the project has a test of it', () => {
  const files = globSync('test/**/*.test.ts', { cwd: fileURLToPath(project) })
  const testing = files.filter((file) => readFileSync(new URL(file, project), 'utf8').includes('OPEN_LOANS'))
  assert.notDeepEqual(testing, [], 'no file test/*.test.ts calls OPEN_LOANS')
})
