/** The console in a real browser: what an administrator does on an ordinary day, and with very many operations (specification 19). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addRevision } from '../../src/activate-revision.ts'
import { openSampleIssuer } from '../../src/cli/sample-issuer.ts'
import { openTestAdmin } from '../support/admin.ts'
import { findViolations, openBrowser, openPage, signIn } from '../support/browser.ts'
import { findDatabase } from '../support/databases.ts'

const database = findDatabase('SQLite')

test('19.3, 19.7, 19.9, 19.11 an operation is made for an existing handler, with an identity provider; both are activated, it is called, and its cache entry deleted', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const issuer = await openSampleIssuer({ host: '127.0.0.1', port: 0, operators: [] })
  t.after(() => issuer.close())
  const { admin, opened } = await openTestAdmin(t, { database })
  const { page, complaints } = await openPage(browser)
  const violations: string[] = []
  const look = async (name: string) => void violations.push(...(await findViolations(page, name)))
  await signIn(page, `${admin.url}/console/operations`, 'an administrator')

  await page.getByRole('link', { name: 'Add an operation' }).click()
  await page.getByRole('heading', { name: 'New operation' }).waitFor()
  await page.getByRole('button', { name: 'Save into the draft' }).click()
  await page.getByText('must be a text of 1 to 60 characters').first().waitFor()
  await look('new-operation-refused')
  await page.getByRole('combobox', { name: 'Service' }).fill('REFERENCE')
  await page.getByRole('textbox', { name: 'Name' }).fill('LATE')
  await page.getByRole('textbox', { name: 'Description' }).fill('The time, by another name')
  await page.getByRole('tab', { name: 'Handler' }).click()
  await page.getByRole('textbox', { name: 'Handler' }).fill('handlers/cached-time.ts#CachedTime')
  await page.getByRole('button', { name: 'Save into the draft' }).click()
  await page.getByRole('heading', { name: 'LATE_GET.v1' }).waitFor()

  await page.getByRole('link', { name: 'OAuth2 service apps' }).click()
  await page.getByRole('button', { name: 'Register by metadata URL' }).click()
  await page.getByRole('dialog').getByLabel('Metadata URL').fill(`${issuer.issuer}/.well-known/openid-configuration`)
  await look('register')
  await page.getByRole('dialog').getByRole('button', { name: 'Register' }).click()
  await page.getByRole('textbox', { name: 'Issuer' }).waitFor()
  assert.equal(await page.getByRole('textbox', { name: 'Issuer' }).inputValue(), issuer.issuer)
  await page.getByRole('link', { name: 'Draft Changes of' }).click()
  await page.getByRole('button', { name: 'Activate' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Activate' }).click()
  await page.getByText('Revision 2 is in force.').waitFor()
  while (opened.gateway.catalog.revision !== 2) await new Promise(setImmediate)

  await page.goto(`${admin.url}/console/try?path=/LATE.v1/`)
  await page.getByRole('combobox', { name: 'As' }).click()
  await page.getByRole('option', { name: 'DEMO', exact: true }).click()
  await page.getByRole('button', { name: 'Call', exact: true }).click()
  await page.getByText('CachedTime answered 200').waitFor()
  await look('tried')
  await page.getByRole('button', { name: 'Call', exact: true }).click()
  await page.getByText('the cache has answered').waitFor()
  await page.getByRole('link', { name: 'REST cache' }).click()
  await page.getByRole('button', { name: /^Delete .*LATE/ }).click()
  await look('delete-cached')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('Nothing is cached.').waitFor()
  assert.deepEqual([violations, complaints], [[], []])
})

test('19.3 of ten thousand operations a list shows a page, and finds the one that is searched', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { admin, opened } = await openTestAdmin(t, { database })
  const { configuration } = opened.gateway.catalog
  const echo = configuration.operations.find(({ name }) => name === 'ECHO')
  assert.ok(echo)
  const many = Array.from({ length: 10_000 }, (_, at) => ({ ...echo, name: `MANY_${at}` }))
  const changed = { ...configuration, operations: [...configuration.operations, ...many] }
  await addRevision(opened.gateway.store.revisions, changed, { expectedActive: 1, note: 'many', time: Date.now() })
  while (opened.gateway.catalog.revision !== 2) await new Promise(setImmediate)

  const { page, complaints } = await openPage(browser)
  await signIn(page, `${admin.url}/console/operations`, 'an administrator')
  const total = changed.operations.length.toLocaleString('en')
  await page.getByText(`1 to 50 of ${total}`).waitFor()
  await page.getByRole('button', { name: 'Next' }).click()
  await page.getByText(`51 to 100 of ${total}`).waitFor()
  await page.goBack()
  await page.goForward()
  await page.getByText(`51 to 100 of ${total}`).waitFor()
  await page.getByRole('searchbox', { name: 'Search Operations' }).fill('many_9999')
  await page.getByRole('link', { name: 'MANY_9999_GET.v1' }).click()
  await page.getByRole('textbox', { name: 'Description' }).waitFor()
  assert.deepEqual(complaints, [])
})
