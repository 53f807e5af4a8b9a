/** The console in a real browser: from the one-time link to a called operation, and with very many operations (specification 19). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { invite } from '../../src/admin/invitation.ts'
import { addRevision } from '../../src/project/activate-revision.ts'
import { openSampleIssuer } from '../../src/serve/development/sample-issuer.ts'
import { openTestAdmin, password } from '../support/admin.ts'
import {
  findViolations,
  goWithin,
  openBrowser,
  openPage,
  openPageOf,
  openSettings,
  signIn,
} from '../support/browser.ts'
import { findDatabase } from '../support/databases.ts'
import { poll } from '../support/poll.ts'
import { late, makeOperation, maxClicks, openHand } from '../support/walks.ts'

const database = findDatabase('SQLite')

test('19.1, 19.7, 19.9, 18.19, 19.11, 18.5, 18.26, 21.8, 21.11, 41.5 from the one-time link to a called operation, and back', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const issuer = await openSampleIssuer({ host: '127.0.0.1', port: 0, operators: [] })
  t.after(() => issuer.close())
  const { admin, opened } = await openTestAdmin(t, { database, isNew: true, properties: { 'ig.monitor': 'on' } })
  const { page, complaints } = await openPage(browser)
  const violations: string[] = []
  const look = async (name: string) => void violations.push(...(await findViolations(page, name)))
  const dialog = page.getByRole('dialog')
  const served = async (revision: number) => {
    await poll(() => opened.gateway.catalog.revision === revision)
  }
  const activate = async (revision: number) => {
    await page.getByRole('link', { name: 'Draft Changes by' }).click()
    await page.getByRole('button', { name: 'Activate' }).click()
    await page.getByText(`Revision ${revision} is active.`).waitFor()
    await served(revision)
  }

  // The first administrator
  await page.goto(await invite(opened.gateway.store, admin.url, Date.now()))
  await page.getByRole('heading', { name: 'First administrator' }).waitFor()
  assert.equal(page.url(), `${admin.url}/console/setup`, 'the secret is out of the address')
  await page.getByLabel('Name').fill('kim')
  await page.getByLabel('New password', { exact: true }).fill(password)
  await page.getByLabel('Confirm new password').fill('a long sentence that differs')
  await page.getByText('The passwords do not match.').waitFor()
  await look('setup')
  await page.getByLabel('Confirm new password').fill(password)
  await page.getByRole('button', { name: 'Create administrator' }).click()

  // An operator, who may call what there is
  await openPageOf(page, 'Callers')
  await page.getByRole('button', { name: 'Add caller' }).click()
  await dialog.getByLabel('Operator ID').fill('LEE')
  await dialog.getByLabel('Password', { exact: true }).fill('what Lee calls with')
  await dialog.getByRole('button', { name: 'Add' }).click()
  await page.getByLabel('REFERENCE_ALL').click()
  await page.getByText('granted to').waitFor()

  // An operation for a handler that exists, made, permitted, activated and called by counted clicks; then over HTTP
  const hand = openHand(page)
  const made = { ...late, permissionList: 'REFERENCE_ALL', operator: 'DEMO' } // permits nothing of the new service
  await makeOperation(hand, made, async () => {
    await page.getByRole('combobox', { name: 'Service' }).fill('FRESH')
    await page.getByText('There is no service FRESH. Saving adds it.').waitFor()
    await page.getByRole('tab', { name: 'Messages' }).click()
    await page.getByRole('button', { name: 'Save to draft' }).click()
    await page.getByText('Not saved: Request verification is required; Handler is required').waitFor()
    await page.getByRole('tab', { name: 'General 2 errors' }).waitFor()
    await page.getByRole('radio', { name: 'NONE' }).and(page.locator(':focus')).waitFor()
    assert.equal(await page.getByRole('radio', { checked: true }).count(), 0, 'no default without a question')
    await look('new-operation-refused')
  })
  assert.ok(hand.clicks() <= maxClicks['make an operation, permit it, activate it, call it'], `${hand.clicks()} clicks`)
  await page.getByText('CachedTime answered 200').waitFor()
  await look('tried')
  await served(2)
  const { documents, messages, services, permissionLists } = opened.gateway.catalog.configuration
  assert.equal(documents.find(({ name }) => name === 'LATE')?.elements.word?.type, 'String')
  assert.ok(services.some(({ name }) => name === 'FRESH'))
  assert.deepEqual(messages.find(({ name }) => name === 'LATE')?.document, 'LATE')
  assert.ok(permissionLists.find(({ name }) => name === made.permissionList)?.operations?.includes('LATE_GET.v1'))
  const url = `${opened.url}/PSIGW/RESTListeningConnector/LOCAL_NODE/LATE.v1/now`
  const authorization = `Basic ${Buffer.from('LEE:what Lee calls with').toString('base64')}`
  const called = await fetch(url, { headers: { authorization } })
  assert.match(await called.text(), /<current-user>LEE</)
  await page.getByRole('button', { name: 'Call', exact: true }).click()
  await page.getByText('the cache has answered').waitFor()

  // Seen in the monitor: the call over HTTP and those that were tried
  await page.getByText('Transaction', { exact: false }).getByRole('link').click()
  await page.getByRole('region', { name: 'Call', exact: true }).getByText('from the cache').waitFor()
  await page.keyboard.press('Escape')
  await page
    .getByRole('region', { name: 'Call', exact: true })
    .getByText('from the cache')
    .waitFor({ state: 'detached' })
  const transactions = page.getByRole('region', { name: 'Calls', exact: true }).getByRole('row')
  await page.getByRole('switch', { name: 'Follow' }).click({ force: true }) // shows those stored after the list was fetched
  await transactions.filter({ hasText: 'LATE_GET.v1' }).nth(2).waitFor()
  await transactions.filter({ hasText: 'LEE' }).waitFor()

  // Edited, compared, activated, rolled back
  await page.getByRole('link', { name: 'Operations', exact: true }).click()
  await page.getByRole('link', { name: 'LATE_GET.v1' }).click()
  await openSettings(page)
  await page.getByRole('textbox', { name: 'Alias' }).fill('Later')
  await page.getByRole('button', { name: 'Save to draft' }).click()
  await page.getByText('LATE_GET.v1 saved to the draft.').waitFor()
  await page.getByRole('link', { name: 'Draft Changes by' }).click()
  await page.getByRole('rowheader', { name: 'alias' }).waitFor()
  await look('draft-that-breaks')
  await page.getByRole('button', { name: 'Try this draft' }).click()
  await page.getByText('rolled back. Other effects').waitFor()
  await page.getByLabel('word', { exact: true }).fill('now') // of the draft's only operation, which is chosen
  assert.equal(await page.getByLabel('URL from the operation on').inputValue(), '/Later.v1/now')
  await page.getByRole('combobox', { name: 'Caller' }).click()
  await page.getByRole('option', { name: 'DEMO', exact: true }).click()
  await page.getByRole('button', { name: 'Call', exact: true }).click()
  await page.getByText('CachedTime answered 200').waitFor()
  await look('draft-tried')
  await page.getByText('Transaction', { exact: false }).getByRole('link').click()
  const tried = page
    .getByRole('region', { name: 'Call', exact: true })
    .getByText('trial of the draft "Changes by')
    .first()
  await tried.waitFor()
  await page.keyboard.press('Escape')
  await tried.waitFor({ state: 'detached' })
  const calls = page.getByRole('region', { name: 'Calls', exact: true }).getByRole('row')
  await page.getByRole('switch', { name: 'Follow' }).click({ force: true })
  await calls.filter({ hasText: 'trial' }).first().waitFor()
  await page.getByRole('link', { name: 'Draft Changes by' }).click()
  await page.getByLabel('Break existing clients').click()
  await page.getByRole('button', { name: 'Activate' }).click()
  await page.getByText('Revision 3 is active.').waitFor()
  await served(3)
  assert.match(await (await fetch(url, { headers: { authorization } })).text(), /was not found/)
  await openPageOf(page, 'Changes')
  await page.getByRole('link', { name: 'Activated revision 2' }).click()
  await page.getByText('What activating it would change').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Activate' }).isDisabled(), true) // clients of Later lose it
  await page.getByLabel('Break existing clients of LATE_GET.v1').click()
  await page.getByRole('button', { name: 'Activate' }).click()
  await page.getByText('Revision 2 is active.').waitFor()
  await served(2)
  assert.match(await (await fetch(url, { headers: { authorization } })).text(), /<current-user>LEE</)

  // An identity provider by its metadata
  await openPageOf(page, 'Identity providers')
  await page.getByRole('button', { name: 'Register by metadata URL' }).click()
  await dialog.getByLabel('Metadata URL').fill(`${issuer.issuer}/nowhere`)
  await dialog.getByRole('button', { name: 'Register' }).click()
  await dialog.getByText('Could not fetch the document').waitFor()
  assert.deepEqual(await opened.gateway.store.administration.drafts.list(), [])
  await dialog.getByText('every access token of this provider is accepted').waitFor()
  await dialog.getByLabel('Audience').fill('https://api.example')
  await dialog.getByLabel('Metadata URL').fill(`${issuer.issuer}/.well-known/openid-configuration`)
  await look('register')
  await dialog.getByRole('button', { name: 'Register' }).click()
  await page.getByRole('textbox', { name: 'Issuer' }).waitFor()
  assert.equal(await page.getByRole('textbox', { name: 'Issuer' }).inputValue(), issuer.issuer)
  assert.equal(await page.getByRole('textbox', { name: 'Audience' }).inputValue(), 'https://api.example')
  await page.getByText(`ig.JSONWebKey=${issuer.issuer}/jwks`).waitFor()
  await page.getByText('This process does not have these settings').waitFor()
  await page.getByRole('button', { name: 'Copy', exact: true }).waitFor()
  await look('service-app')

  // A second version, which begins as the first
  await goWithin(page, '/console/operations/LATE_GET.v1?tab=versions')
  await look('versions')
  await page.getByRole('link', { name: 'Add version v2' }).click()
  await page.getByRole('checkbox', { name: 'REFERENCE_ALL' }).click()
  await page.getByRole('button', { name: 'Save to draft' }).click()
  await page.getByText('LATE_GET.v2 saved to the draft.').waitFor()
  await page.getByRole('link', { name: 'Draft Changes by' }).click()
  await page.getByRole('row', { name: 'URI templates [ "{word}" ]' }).waitFor()
  await activate(4)
  const second = await fetch(url.replace('.v1', '.v2'), { headers: { authorization } })
  assert.match(await second.text(), /<current-user>LEE</)

  // A cached response
  await openPageOf(page, 'Cache')
  await page.getByRole('button', { name: /^Delete .*LATE.*soon/ }).waitFor()
  await look('rest-cache-entries')
  await page.getByRole('button', { name: /^Delete .*LATE.*soon/ }).click()
  await look('delete-cached')
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('1 entry deleted.').waitFor()
  await page.getByRole('button', { name: /^Delete .*LATE.*soon/ }).waitFor({ state: 'detached' })

  // Somebody who only reads
  await openPageOf(page, 'Team')
  await page.getByRole('button', { name: 'Add administrator' }).click()
  await dialog.getByLabel('Name').fill('vic')
  await dialog.getByLabel('New password', { exact: true }).fill(password)
  await dialog.getByLabel('Confirm new password').fill(password)
  await dialog.getByRole('button', { name: 'Add' }).click()
  await page.getByText('vic added.').waitFor()
  await page.getByRole('button', { name: 'kim, administrator' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByLabel('Name').fill('vic')
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'vic, viewer' }).waitFor()
  assert.equal(await page.getByRole('link', { name: 'Administrators' }).count(), 0)
  await goWithin(page, '/console/administrators')
  await page.getByText('Your role does not allow this').waitFor()
  await look('administrators-refused')
  await goWithin(page, '/console/operations/LATE_GET.v1?tab=general')
  await page.getByText('Read-only. Only administrators can change the configuration.').waitFor()
  assert.equal(await page.getByRole('button', { name: /Save|Remove/ }).count(), 0)
  assert.deepEqual([violations, complaints], [[], []])
})

test('19.1 of ten thousand operations a list shows a page, and a search finds one', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { admin, opened } = await openTestAdmin(t, { database })
  const { configuration } = opened.gateway.catalog
  const echo = configuration.operations.find(({ name }) => name === 'ECHO')
  assert.ok(echo)
  const many = Array.from({ length: 10_000 }, (_, at) => ({ ...echo, name: `MANY_${at}` }))
  const changed = { ...configuration, operations: [...configuration.operations, ...many] }
  await addRevision(opened.gateway.store.revisions, changed, { expectedActive: 1, note: 'many', time: Date.now() })
  await poll(() => opened.gateway.catalog.revision === 2)

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
  await openSettings(page)
  await page.getByRole('textbox', { name: 'Description' }).fill('One of very many')
  await page.getByRole('button', { name: 'Save to draft' }).click()
  await page.getByText('MANY_9999_GET.v1 saved to the draft.').waitFor()
  await page.getByRole('link', { name: 'Draft Changes by' }).click()
  await page.getByText('One of very many').waitFor()
  await goWithin(page, '/console/adoption')
  await page.getByRole('button', { name: `Show more of ${total} rows` }).click()
  assert.equal(await page.getByRole('region', { name: 'Operations' }).locator('tbody tr').count(), 200)
  await page.getByText(`Moved: ${total}`).waitFor()
  await page.getByRole('cell', { name: 'Moved' }).nth(150).click()
  await page.getByRole('heading', { name: /^MANY_\d+_GET\.v1$/, level: 1 }).waitFor()
  await openPageOf(page, 'Permissions', 'Who may call what')
  await page.getByText(`Operations 1 to 40 of ${total}`).waitFor()
  assert.deepEqual(complaints, [])
})
