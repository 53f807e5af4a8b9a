/** Guarded listeners in the console and the administration API. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestAdmin } from '../../support/admin.ts'
import { findViolations, openBrowser, openPage, signIn } from '../../support/browser.ts'
import { findDatabase, forEachDatabase } from '../../support/databases.ts'
import { poll } from '../../support/poll.ts'

const listener = {
  connector: 'HttpListeningConnector',
  passThrough: 'http://127.0.0.1:1',
  verification: 'Basic',
  allow: [{ operation: 'JOB_SYNC.v1', from: 'PARTNER', to: 'PSFT_HR' }],
}
const id = 'HttpListeningConnector:JOB_SYNC.v1:PARTNER:PSFT_HR'
const properties = { 'ig.passThrough.origins': 'http://127.0.0.1:1' }

forEachDatabase((database) => {
  test(`44.1, 44.2 a draft adds a listener, and a permission list names its call (${database.name})`, async (t) => {
    const { ask, opened } = await openTestAdmin(t, { database, properties })
    const draft = (await ask('POST /api/drafts', { body: { title: 'listeners' } })).body.id
    const add = (list: string, body: object) => ask(`POST /api/drafts/${draft}/${list}`, { body })
    const added = await add('listeners', listener)
    assert.equal(added.status, 201, JSON.stringify(added.body))
    assert.match(JSON.stringify((await add('listeners', listener)).body), /already/)
    assert.equal((await add('permission-lists', { name: 'PARTNERS', operations: [id, `${id}X`] })).status, 201)
    const { body: checked } = await ask(`GET /api/drafts/${draft}/problems`)
    assert.match(JSON.stringify(checked), /names no operation of this configuration.*PSFT_HRX/)
    const place = `/api/drafts/${draft}/permission-lists/PARTNERS`
    const { etag } = await ask(`GET ${place}`)
    await ask(`PUT ${place}`, { body: { name: 'PARTNERS', operations: [id] }, ifMatch: etag })
    const { etag: whole } = await ask(`GET /api/drafts/${draft}`)
    const activated = await ask(`POST /api/drafts/${draft}/activate`, { body: {}, ifMatch: whole })
    assert.equal(activated.status, 200, JSON.stringify(activated.body))
    await poll(() => opened.gateway.catalog.operations.has(id))
    const { body } = await ask('GET /api/listeners/HttpListeningConnector')
    assert.equal(body.value.allow.length, 1)
    assert.deepEqual([...(opened.gateway.catalog.operations.get(id)?.permittedBy ?? [])], ['PARTNERS'])
  })
})

test('44.1, 19.7, 19.13 an administrator adds a listener with its calls in the console', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { admin, ask } = await openTestAdmin(t, { database: findDatabase('SQLite'), properties })
  const { page, complaints } = await openPage(browser)
  await signIn(page, `${admin.url}/console/listeners/+new`, 'an administrator')
  await page.getByRole('textbox', { name: 'Original' }).fill(listener.passThrough)
  await page.getByRole('button', { name: 'Add a row' }).click()
  await page.getByLabel('Operation 1').fill('JOB_SYNC.v1')
  await page.getByLabel('From 1').fill('PARTNER')
  await page.getByLabel('To 1').fill('PSFT_HR')
  await page.getByRole('button', { name: 'Add a row' }).click()
  await page.getByRole('button', { name: 'Remove 2' }).click()
  const violations = await findViolations(page, 'listener')
  await page.getByRole('button', { name: 'Save to draft' }).click()
  await page.getByText('Saved').first().waitFor()
  const [draft] = (await ask('GET /api/drafts')).body.items
  const { body } = await ask(`GET /api/drafts/${draft.id}/listeners/HttpListeningConnector`)
  assert.deepEqual(body.value, listener)
  assert.deepEqual([violations, complaints], [[], []])
})
