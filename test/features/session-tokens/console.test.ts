/** Keys and revocations of session tokens by the administration API and the console (specification 27.14). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openSessionTokenRows } from '../../../src/features/session-tokens/rows.ts'
import { type AdminAnswer, openTestAdmin } from '../../support/admin.ts'
import { findViolations, openBrowser, openPage, openPageOf, signIn } from '../../support/browser.ts'
import { basic, send } from '../../support/client.ts'
import { findDatabase } from '../../support/databases.ts'
import { root } from '../../support/gateway.ts'
import { poll } from '../../support/poll.ts'

const usesOf = ({ body }: AdminAnswer): readonly string[] => body.items.map(({ use }: { use: string }) => use)

test('27.14, 27.15 the API rotates and revokes keys and revokes tokens, for its roles, audited and without a secret', async (t) => {
  const { ask, opened, observations } = await openTestAdmin(t, { database: findDatabase('SQLite') })
  const call = (operation: string, headers = {}) => send(opened.url, `GET ${root}/${operation}.v1/`, { headers })
  const token = async () => JSON.parse((await call('PSTOKEN', basic('DEMO'))).text).data.psToken as string
  const works = async (sent: string) => (await call('METADATA_TOKEN', { PS_TOKEN: sent })).status === 200

  const first = await ask('GET /api/session-token-keys', { as: 'viewer' })
  assert.deepEqual([first.status, usesOf(first)], [200, ['signing']])
  assert.deepEqual(Object.keys(first.body.items[0]), ['id', 'publicKey', 'use', 'created', 'ends'])
  for (const line of ['POST /api/session-token-keys', `DELETE /api/session-token-keys/${first.body.items[0].id}`])
    assert.equal((await ask(line, { as: 'operator' })).status, 403, line)
  assert.equal((await ask('DELETE /api/operators/DEMO/session-tokens', { as: 'viewer' })).status, 403)

  const [one, two] = [await token(), await token()]
  const revocations = 'POST /api/session-token-revocations'
  assert.equal((await ask(revocations, { as: 'operator', body: { token: one } })).status, 204)
  await poll(async () => !(await works(one)))
  assert.equal(await works(two), true)
  assert.equal((await ask(revocations, { body: { token: 'not a token' } })).status, 400)
  assert.equal((await ask('DELETE /api/operators/DEMO/session-tokens', { as: 'operator' })).status, 204)
  await poll(async () => !(await works(two)))
  assert.equal((await ask('DELETE /api/operators/NEVER/session-tokens')).status, 404)

  const rotated = await ask('POST /api/session-token-keys')
  assert.deepEqual([rotated.status, rotated.body.use], [201, 'next'])
  assert.equal((await ask(`DELETE /api/session-token-keys/${rotated.body.id}`)).status, 204)
  assert.equal((await ask(`DELETE /api/session-token-keys/${rotated.body.id}`)).status, 404)
  assert.deepEqual(usesOf(await ask('GET /api/session-token-keys')), ['ended', 'signing', 'verifying'])

  const tried = await ask('POST /api/try', { body: { method: 'GET', path: '/PSTOKEN.v1/', operator: 'DEMO' } })
  assert.equal(JSON.parse(tried.body.body).data.psToken, 'none-in-a-trial')
  const trial = await ask('POST /api/try', { body: { method: 'GET', path: '/METADATA_TOKEN.v1/', operator: 'DEMO' } })
  assert.equal(JSON.parse(trial.body.body).currentUser, 'DEMO')
  const step = trial.body.decisions.find(({ step }: { step: string }) => step === 'authentication')
  assert.equal(step.text, 'DEMO, chosen for this trial; verification Token')

  const { items } = (await ask('GET /api/audit')).body
  const actions = items.map(({ action }: { action: string }) => action)
  for (const action of ['revokeSessionToken', 'revokeSessionTokens', 'rotateSessionTokenKey', 'revokeSessionTokenKey'])
    assert.ok(actions.includes(action), action)
  const logged = observations.filter(({ kind }) => kind !== 'answered')
  assert.doesNotMatch(JSON.stringify([items, logged]), /eyJ|private/)
})

test('27.14 the console shows the keys, rotates one and revokes the tokens of an operator', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const opened = await openTestAdmin(t, { database: findDatabase('SQLite') })
  const { page, complaints } = await openPage(browser)
  await signIn(page, `${opened.admin.url}/console/`, 'an administrator')
  await openPageOf(page, 'Identity providers', 'Session token keys')
  await page.getByRole('cell', { name: 'signing' }).waitFor()
  await page.getByRole('button', { name: 'Rotate' }).click()
  const violations = await findViolations(page, 'session-token-keys')
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click()
  await page.getByText(/The key [\w-]{16} starts signing in three seconds\./).waitFor()
  await openPageOf(page, 'Callers')
  await page.getByRole('link', { name: 'DEMO', exact: true }).click()
  await page.getByRole('button', { name: 'Revoke session tokens' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('Session tokens of DEMO revoked.').waitFor()
  const { generations } = await openSessionTokenRows(opened.opened.gateway.store.databases).read()
  assert.equal(generations.find(({ operatorId }) => operatorId === 'DEMO')?.generation, 1)
  assert.deepEqual([violations, complaints], [[], []])
})
