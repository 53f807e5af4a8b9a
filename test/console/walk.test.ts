/** The console in a real browser: from the one-time link on, as the first administrator goes (specification 19). */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Page, Request } from 'playwright-core'
import { invite } from '../../src/admin/invitation.ts'
import { openTestAdmin, password } from '../support/admin.ts'
import {
  findViolations,
  goWithin,
  openBrowser,
  openPage,
  openPageOf,
  openSettings,
  signIn,
  typeIntoFind,
} from '../support/browser.ts'
import { findDatabase } from '../support/databases.ts'
import { lockOperator, maxClicks, openHand, rollBack } from '../support/walks.ts'

const database = findDatabase('SQLite')

test('19.1, 18.19, 19.12, 19.13, 18.14, 37.12 the first administrator opens the link, finds lists and acts by the palette, searches, sorts and exports them, adds operators, and gives them addresses and grants', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { admin, opened, ask } = await openTestAdmin(t, { database, isNew: true })
  const { page, complaints } = await openPage(browser)
  const violations: string[] = []
  const look = async (name: string) => void violations.push(...(await findViolations(page, name)))

  let transferred = 0
  page.on('response', (response) => {
    if (response.url().includes('/console/assets/')) transferred += Number(response.headers()['content-length'])
  })
  await page.goto(await invite(opened.gateway.store, admin.url, Date.now()))
  await page.getByLabel('Name').fill('kim')
  await page.getByLabel('New password', { exact: true }).fill(password)
  await page.getByLabel('Confirm new password').fill(password)
  await page.getByRole('button', { name: 'Create administrator' }).click()

  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
  await page.getByText('No calls in the last').waitFor()
  t.diagnostic(`first load: ${Math.round(transferred / 1000)} kB`)
  assert.ok(transferred > 50_000 && transferred < 300_000, `${transferred} bytes at the first load`)

  await page.keyboard.press('Shift+?')
  await page.getByText('Show this help').waitFor()
  await page.keyboard.press('Escape')
  await typeIntoFind(page, 'GUE')
  await page.locator('[data-action][data-selected]', { hasText: 'GUEST' }).waitFor()
  await look('palette')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'GUEST', level: 1 }).waitFor()
  assert.equal(await page.title(), 'GUEST – Callers – Integration Gateway')
  await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Callers' }).click()
  await page.getByRole('link', { name: 'DEMO', exact: true }).waitFor()
  assert.equal(await page.title(), 'Callers – Integration Gateway')
  await look('operators')
  await opened.gateway.store.operators.setDescription('NOPERM', hostile)
  await readList(page)
  await actByPalette(page)
  await page.getByRole('button', { name: 'Add caller' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Operator ID').fill('A:B')
  await dialog.getByRole('button', { name: 'Add' }).click()
  await dialog.getByText('without a colon', { exact: false }).first().waitFor()
  await look('add-operator')
  await dialog.getByLabel('Operator ID').fill("O'B/R%<b>é&?#")
  await dialog.getByRole('button', { name: 'Add' }).click()

  await page.getByRole('heading', { name: "O'B/R%<b>é&?#", level: 1 }).waitFor()
  await page.getByRole('button', { name: 'Add address' }).click()
  await page.getByLabel('Address', { exact: true }).fill('Kim@example.com')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()
  await page.getByLabel('REFERENCE_ALL').click()
  await page.getByText('granted to').waitFor()
  await look('operator')
  const { items } = (await ask('GET /api/operators?search=%25%3Cb', { headers: await cookieOf(page) })).body
  assert.deepEqual(
    [items[0].emails, items[0].permissionLists],
    [[{ type: 'business', address: 'Kim@example.com', isPrimary: true }], ['REFERENCE_ALL']],
  )

  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Callers', exact: true }).click()
  await page.getByRole('button', { name: 'Import' }).click()
  const choose = async (text: string) => {
    const choosing = page.waitForEvent('filechooser')
    await dialog.getByLabel('CSV or JSON file').click()
    await (await choosing).setFiles({ name: 'o.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
  }
  await choose('id,isLocked\nKIM,maybe\n')
  await dialog.getByRole('button', { name: 'Preview' }).click()
  await dialog.getByText('must be true or false').waitFor()
  await choose('id,permissionLists\n"<b>KIM",PUBLIC\n')
  await dialog.getByRole('button', { name: 'Preview' }).click()
  await dialog.getByText('<b>KIM: +PUBLIC').waitFor()
  await look('import-operators')
  await dialog.getByRole('button', { name: 'Store' }).click()
  await page.getByText('1 added, 0 changed.').waitFor()
  const saving = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export', exact: true }).click()
  assert.match(readFileSync(await (await saving).path(), 'utf8'), /\n<b>KIM,,false,,,PUBLIC,false\r\n/)
  await page.getByRole('combobox', { name: 'Permission list' }).fill('PUBLIC')
  await page.getByRole('option', { name: 'PUBLIC' }).click()
  await page.getByRole('button', { name: 'Set holders' }).click()
  await dialog.getByLabel('Callers').fill('DEMO')
  await dialog.getByRole('button', { name: 'Preview' }).click()
  await dialog.getByText('<b>KIM: -PUBLIC').waitFor()
  await look('set-holders')
  await dialog.getByRole('button', { name: 'Store' }).click()
  await page.getByText('0 added,').waitFor()
  await page.getByRole('link', { name: 'DEMO', exact: true }).waitFor()
  assert.equal(await page.getByRole('link', { name: '<b>KIM' }).count(), 0)

  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Callers', exact: true }).click()
  await page.getByRole('link', { name: "O'B/R%<b>é&?#" }).click()
  await page.getByRole('region', { name: 'Latest calls' }).getByText('ig.monitor').waitFor()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await dialog.getByText('its permission lists: REFERENCE_ALL').waitFor()
  await dialog.getByText('Nothing in the configuration.').waitFor()
  await look('delete-operator')
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByText("O'B/R%<b>é&?# deleted.").waitFor()
  await page.getByRole('link', { name: 'DEMO', exact: true }).waitFor()
  await page.getByRole('link', { name: "O'B/R%<b>é&?#" }).waitFor({ state: 'detached' })

  await openPageOf(page, 'Permissions', 'Who may call what')
  await page.getByRole('button', { name: 'yes, by REFERENCE_ALL' }).first().waitFor()
  await look('permission-matrix')
  await page.getByRole('button', { name: 'yes, by REFERENCE_ALL' }).first().click()
  await page.getByRole('dialog', { name: /^DEMO may call / }).waitFor()
  await page.getByRole('checkbox', { name: 'REFERENCE_ALL' }).click()
  await page.getByRole('dialog', { name: /^DEMO may not call / }).waitFor()
  await page.getByRole('checkbox', { name: 'REFERENCE_ALL' }).click()
  await page.getByRole('dialog', { name: /^DEMO may call / }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'Audit' }).click()
  await page.getByRole('cell', { name: 'Granted a permission list' }).first().waitFor()
  const time = page.getByRole('cell').locator('time').first()
  assert.match(await time.innerText(), /^\d\d:\d\d:\d\d$/)
  assert.match((await time.getAttribute('title')) ?? '', /\.\d{3} (UTC|\S+ \(GMT.*\))\n.*Z\njust now$/)
  await look('audit')
  await setGatewayClock(page, 3_600_000)
  await page.getByText("The gateway's clock is 60 min ahead of this computer's.").waitFor()
  await page
    .getByTitle(/\n1 hr\. ago$/)
    .first()
    .waitFor()
  await page.unrouteAll()
  assert.deepEqual(violations, [])
  assert.deepEqual(complaints, [])
})

test('18.5 a used one-time link says so, and leads to signing in or to a new link', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { admin, opened } = await openTestAdmin(t, { database, isNew: true })
  const link = await invite(opened.gateway.store, admin.url, Date.now())
  const { page, complaints } = await openPage(browser)
  const accept = async () => {
    await page.goto(link)
    await page.getByLabel('Name').fill('kim')
    await page.getByLabel('New password', { exact: true }).fill(password)
    await page.getByLabel('Confirm new password').fill(password)
    await page.getByRole('button', { name: 'Create administrator' }).click()
  }
  await accept()
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
  await page.context().clearCookies()
  await accept()
  await page.getByRole('heading', { name: 'This link no longer works' }).waitFor()
  await page.getByText('This works until the first administrator exists.').waitFor()
  const violations = await findViolations(page, 'link-over')
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.getByLabel('Name').fill('kim')
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
  assert.deepEqual([violations, complaints], [[], []])
})

test('2.35, 19.1, 19.3, 19.7, 15.5, 19.9, 19.11, 19.12, 19.13 an administrator edits an operation in a draft, sees errors and diff, activates, and rolls back', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { admin, ask } = await openTestAdmin(t, { database })
  const { page, complaints } = await openPage(browser)
  const violations: string[] = []
  const look = async (name: string) => void violations.push(...(await findViolations(page, name)))

  await page.goto(admin.url)
  await page.getByLabel('Name').waitFor()
  await look('sign-in')
  await page.getByLabel('Name').fill('an administrator')
  await page.getByLabel('Password', { exact: true }).fill('wrong')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('Name or password is wrong').waitFor()
  await look('sign-in-refused')
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()

  await page.getByRole('link', { name: 'Operations', exact: true }).click()
  await page.getByRole('link', { name: 'METADATA_GET.v1' }).waitFor()
  await look('operations')
  await page.getByRole('link', { name: 'ECHO_GET.v1', exact: true }).click()
  await page.getByRole('region', { name: 'Facts' }).getByRole('link', { name: 'REFERENCE' }).waitFor()
  await page.getByText('No calls in the last').waitFor()
  await look('operation')
  const tabs = page.getByRole('navigation', { name: 'Operation', exact: true })
  for (const [tab, shown] of [
    ['Calls', 'Latest calls'],
    ['Callers', 'The monitor is off'],
    ['Try', 'URL from the operation on'],
  ] as const) {
    await tabs.getByRole('link', { name: tab, exact: true }).click()
    await page.getByText(shown).first().waitFor()
    await look(`operation-${tab.toLowerCase()}`)
  }
  await openSettings(page)
  await page.getByLabel('Description').waitFor()
  await page.getByRole('region', { name: 'Used by' }).getByRole('link', { name: 'REFERENCE_ALL' }).waitFor()
  await page.getByText('In PeopleSoft: Rest Method').waitFor()
  await look('operation-general')
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('ECHO2')
  await page.getByRole('heading', { name: 'ECHO_GET.v1 ECHO2_GET.v1' }).waitFor()
  await page.getByLabel('Version', { exact: true }).click()
  await page.getByRole('option', { name: 'none' }).click()
  await page.getByRole('heading', { name: 'ECHO_GET.v1 ECHO2_GET', exact: true }).waitFor()
  await page.getByText('/LOCAL_NODE/ECHO2/echo/{parameter1}').waitFor()
  await page.getByRole('button', { name: 'Discard' }).click()
  for (const shown of ['String', 'contains its service', 'Code cannot be uploaded here', 'Copy URL'])
    await page.getByText(shown).first().waitFor()
  for (const [tab, shown] of [
    ['Messages', 'Fault'],
    ['Cache and limits', 'Body limit'],
    ['Other settings', 'Log detail'],
    ['Routings', 'Any to default local node'],
    ['Versions', 'ECHO_GET.v1'],
  ] as const) {
    await page.getByRole('tab', { name: tab }).click()
    await page.getByText(shown).first().waitFor()
    await look(`operation-${tab.toLowerCase()}`)
  }
  await page.getByRole('tab', { name: 'Test URLs' }).click()
  await page.getByLabel('URL after the version').fill('/echo/hello')
  await page.getByText('The URL matches.').waitFor()
  await look('operation-uri-templates')
  await page.getByRole('tab', { name: 'General' }).click()
  await page.getByLabel('URI template 1', { exact: true }).fill('echo/{nowhere')
  await page.getByRole('tab', { name: 'Messages' }).click() // another tab is the same page: nothing is asked, nothing lost
  await page.getByRole('tab', { name: 'General' }).click()
  await page.getByRole('button', { name: 'Save and review' }).click()
  await page.getByText('ECHO_GET.v1 saved to the draft, with errors.').waitFor()
  await page.getByText('has an unmatched brace').waitFor()
  await page.getByRole('tab', { name: 'General 1 error' }).waitFor()
  await look('operation-faulty')
  await page.getByLabel('URI template 1', { exact: true }).fill('echo/{nowhere}')
  await page.getByText('Saving adds the new variables to the document').waitFor()
  await page.getByRole('tab', { name: 'General', exact: true }).waitFor() // an error goes with its change
  await page.getByRole('button', { name: 'Discard' }).click()
  await page.getByRole('link', { name: 'Draft Changes by' }).click()
  await page.getByText('The draft has ').waitFor()
  await look('draft-faulty')
  await page.getByRole('link', { name: 'ECHO_GET.v1 URI template 1' }).first().click()
  await page.getByRole('button', { name: 'Revert' }).click()
  await page.getByText('Changes to ECHO_GET.v1 reverted.').waitFor()
  await page.getByLabel('Description').fill('<img src=x onerror=alert(1)>')
  await page.getByRole('button', { name: 'Save to draft' }).click()
  await page.getByText('ECHO_GET.v1 saved to the draft.').waitFor()
  await page.getByRole('link', { name: 'Draft Changes by' }).click()
  await page.getByText('<img src=x onerror=alert(1)>').waitFor()
  await look('draft')
  await page.getByLabel('Note').fill('What an echo is')
  await page.getByRole('button', { name: 'Activate' }).click()
  await page.getByText('Revision 2 is active.').waitFor()
  await openPageOf(page, 'Changes')
  await page.getByRole('listitem').filter({ hasText: 'What an echo is' }).waitFor()
  await look('changes')
  assert.equal((await ask('GET /api/activation')).body.revision, 2)

  for (const number of ['99', 'first']) {
    await goWithin(page, `/console/revisions/${number}`)
    await page.getByText(`There is no revision ${number}.`).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Activate' }).count(), 0)
  }
  await look('revision-not-there')
  await goWithin(page, '/console/revisions/1')
  await page.getByText('What activating it would change').waitFor()
  await look('revision')
  const back = openHand(page)
  await rollBack(back, 1)
  const locking = openHand(page)
  await lockOperator(locking, 'DEMO2')
  assert.deepEqual([back.clicks(), locking.clicks()], [maxClicks['roll back'], maxClicks['lock an operator']])
  assert.equal((await ask('GET /api/activation')).body.revision, 1)

  for (const [section, name] of [
    ['Schemas', 'Documents'],
    ['Schemas', 'Messages'],
    ['Settings', 'Nodes'],
    ['Permissions', 'Permission lists'],
    ['Identity providers', 'OAuth2 service apps'],
    ['Cache', 'Cache'],
    ['Calls', 'Logs'],
  ] as const) {
    await openPageOf(page, section, name)
    await page.getByRole('status', { name: 'Loading' }).waitFor({ state: 'detached' })
    await look(name.toLowerCase().replaceAll(' ', '-'))
    if (name !== 'Permission lists') continue
    await page.getByRole('cell', { name: 'PUBLIC' }).first().click()
    await page.getByRole('region', { name: 'Used by' }).getByText('Nothing in the configuration.').waitFor()
    await page.getByRole('region', { name: 'Holders' }).getByRole('link', { name: 'GUEST' }).click()
    await page.getByRole('region', { name: 'Used by' }).getByRole('link', { name: 'ANONYMOUS' }).waitFor()
  }
  await openPageOf(page, 'Calls', 'Try it')
  await page.getByLabel('URL from the operation on').fill('/KEY_VALUE.v1/a')
  await page.getByRole('combobox', { name: 'Caller' }).click()
  await page.getByRole('option', { name: 'NOPERM' }).click()
  await page.getByRole('button', { name: 'Call', exact: true }).click()
  await page.getByText('permissionDenied:').waitFor()
  await look('try')
  await openPageOf(page, 'Schemas', 'Documents')
  await page.getByRole('region', { name: 'Documents' }).getByRole('link').first().click()
  await page.getByRole('heading', { name: 'Elements' }).waitFor()
  await look('document')
  assert.deepEqual(violations, [])
  assert.deepEqual(complaints, [])
})

test('19.1, 19.4, 19.6 if another person saved first, the session ends, or the gateway is unreachable, the page says so, and no input is lost', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { admin, ask } = await openTestAdmin(t, { database })
  const { page, context, complaints } = await openPage(browser)
  const violations: string[] = []
  const look = async (name: string) => void violations.push(...(await findViolations(page, name)))
  await signIn(page, `${admin.url}/console/operators/DEMO`, 'an administrator')
  const description = page.getByRole('textbox', { name: 'Description' })
  const save = page.getByRole('button', { name: 'Save' })
  const saved = async () => (await ask('GET /api/operators/DEMO')).body.description

  await description.fill('mine')
  let asked = 0
  page.on('dialog', (dialog) => {
    asked++
    void dialog.dismiss()
  })
  await page.getByRole('link', { name: 'Audit' }).click()
  assert.deepEqual([asked, await description.inputValue()], [1, 'mine'])
  const { etag } = await ask('GET /api/operators/DEMO')
  await ask('PATCH /api/operators/DEMO', { ifMatch: etag, body: { description: 'theirs' } })
  await save.click()
  await page.getByRole('cell', { name: 'theirs' }).waitFor()
  await look('conflict')
  await page.getByRole('button', { name: 'Keep mine' }).click()
  assert.equal(await saved(), 'theirs')
  await save.click()
  await page.getByText('Saved.').waitFor()
  assert.equal(await saved(), 'mine')

  await description.fill('still mine')
  await context.clearCookies()
  await save.click()
  await page.getByText('Your session has ended').waitFor()
  await look('session-over')
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('Your session has ended').waitFor({ state: 'detached' })
  assert.equal(await description.inputValue(), 'still mine')
  await context.setOffline(true)
  await save.click()
  await page.getByText('The gateway is not responding').first().waitFor()
  await look('unreachable')
  await context.setOffline(false)
  await save.click()
  await page.getByText('Saved.').waitFor()
  assert.equal(await saved(), 'still mine')
  assert.deepEqual([violations, complaints], [[], []])
})

test('19.2, 19.7, 19.13, 40.1 a viewer reads everything, sees what the role does not allow, and is offered no change', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { admin } = await openTestAdmin(t, { database })
  const { page, complaints } = await openPage(browser)
  const violations: string[] = []
  const look = async (name: string) => void violations.push(...(await findViolations(page, name)))
  await signIn(page, `${admin.url}/console/operators/DEMO`, 'an viewer')
  await page.getByLabel('REFERENCE_ALL').waitFor()
  assert.ok(await page.getByLabel('REFERENCE_ALL').isDisabled())
  assert.equal(await page.getByRole('button', { name: /Lock|password|Save|Add/ }).count(), 0)
  await page.setViewportSize({ width: 400, height: 800 })
  await page.goto(`${admin.url}/console/operations/ECHO_GET.v1?tab=general`)
  await page.getByText('Code cannot be uploaded here').waitFor() // of the last part
  assert.deepEqual(await shiftsOf(page), [], 'nothing moves while the parts come')
  await page.setViewportSize({ width: 1280, height: 860 })
  await page.getByText('Read-only. Only administrators can change the configuration.').waitFor()
  await look('viewer-operation')
  await openPageOf(page, 'Calls', 'Try it')
  await page.getByText('Only administrators can use this page').waitFor()
  assert.ok(await page.getByRole('button', { name: 'Call', exact: true }).isDisabled())
  await goWithin(page, '/console/operations/NOWHERE_GET.v1')
  await page.getByText('There is no operation NOWHERE_GET.v1 in the active configuration.').waitFor()
  await look('not-found')
  await page.route(/\/api\/adoption/, async (route) => {
    const json = await (await route.fetch()).json()
    Object.assign(json.operations[1], { calls: 7 })
    Object.assign(json.operations[2], { state: 'standIn' })
    await route.fulfill({ json })
  })
  assert.equal(await page.getByRole('link', { name: 'Migration' }).count(), 0, 'nothing passes through')
  await page.route(/\/api\/state/, async (route) => {
    const json = await (await route.fetch()).json()
    await route.fulfill({ json: { ...json, passesThrough: true } })
  })
  await page.goto(`${admin.url}/console/adoption`)
  await page.waitForURL(/\/console\/migration$/)
  await page.getByRole('link', { name: 'Migration' }).waitFor()
  await page.getByText(/^Moved: \d+ · Passed through: 0 · Stand-in: 1$/).waitFor()
  const shown = await page.getByRole('region', { name: 'Operations' }).getByRole('link').allTextContents()
  assert.deepEqual(shown.slice(0, 3), ['METADATA_OAUTH2_GET.v1', 'METADATA_BASIC_GET.v1', 'METADATA_GET.v1'])
  await page.getByText('There are no calls: the monitor is off.').waitFor()
  await page.getByText('No caller.').waitFor()
  await look('adoption')
  await page.goto(`${admin.url}/console/nowhere`)
  await page.getByText('Page not found').waitFor()
  await goWithin(page, '/console/settings')
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
  await goWithin(page, '/console/settings/nowhere')
  await page.getByText('Page not found').waitFor()
  await page.setViewportSize({ width: 1280, height: 800 })
  const last = await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').last().boundingBox()
  assert.ok(last && last.y + last.height < 760, 'all entries are on the screen')

  await page.setViewportSize({ width: 400, height: 800 })
  const entry = page.getByRole('link', { name: 'Schemas' })
  assert.equal(await entry.count(), 0, 'what is beside the screen is not reached')
  await page.getByRole('button', { name: 'Navigation' }).focus()
  await page.keyboard.press('Enter')
  await entry.waitFor()
  await look('navigation')
  await page.keyboard.press('Escape')
  await entry.waitFor({ state: 'detached' })
  await page.keyboard.press('Enter') // the focus is back at the button
  await entry.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Schemas', level: 1 }).waitFor()
  await entry.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'an viewer' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
  assert.deepEqual([violations, complaints], [[], []])
})

test('19.7, 14.9 a configuration managed by files says so, and offers no change', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { admin } = await openTestAdmin(t, { database, servesFiles: true })
  const { page, complaints } = await openPage(browser)
  await signIn(page, `${admin.url}/console/nodes`, 'an administrator')
  await page.getByText('Managed by files').getByText('npm start -- --revisions').waitFor()
  assert.equal(await page.getByRole('link', { name: 'Add a node' }).count(), 0)
  await page.getByRole('region', { name: 'Nodes' }).getByRole('link').first().click()
  await page.getByText('Change it in gateway.config.ts, or start with --revisions').waitFor()
  assert.equal(await page.getByRole('button', { name: /Save|Remove/ }).count(), 0)
  await openPageOf(page, 'Changes')
  await page.getByText('managed by files (ig dev)').waitFor()
  assert.deepEqual(complaints, [])
})

/** A formula for spreadsheets, with quotes, a line break, markup, text from right to left, and as long as an id may be. */
const hostile = `=cmd|'/C calc'!A0,"x"\n=<b>\u202eمرحبا 🚀;@${'x'.repeat(200)}`

/** Searches and sorts the operators, hides a column, exports, saves a view, and leaves the list as it was. */
async function readList(page: Page): Promise<void> {
  const rows = page.getByRole('region', { name: 'Callers' }).getByRole('row')
  await searchOnce(page, ['n', 'no', 'noperm'])
  await rows.nth(2).waitFor({ state: 'detached' })
  await page.getByRole('searchbox').fill('')
  await rows.nth(2).waitFor()
  const heading = page.getByRole('columnheader', { name: 'Caller', exact: true })
  await heading.getByRole('button').click()
  await heading.getByRole('button').click()
  await page.getByRole('row', { name: /^NOPERM/ }).waitFor()
  await page
    .locator('tbody tr')
    .first()
    .filter({ hasText: /^NOPERM/ })
    .waitFor()
  assert.equal(await heading.getAttribute('aria-sort'), 'descending')
  const tools = page.getByRole('button', { name: 'Columns, export and views of Callers' })
  await tools.click()
  await page.getByRole('menuitem', { name: 'Saved views' }).click()
  await page.getByLabel('Name').fill('From the end')
  await page.getByRole('button', { name: 'Save view' }).click()
  await page.getByRole('link', { name: 'From the end' }).waitFor()
  await page.keyboard.press('Escape')
  await heading.getByRole('button').click() // the list's own order again
  await page.locator('tbody tr').first().filter({ hasText: /^DEMO/ }).waitFor()
  await tools.click()
  await page.getByRole('menuitem', { name: 'Saved views' }).click()
  await page.getByRole('link', { name: 'From the end' }).click()
  await page
    .locator('tbody tr')
    .first()
    .filter({ hasText: /^NOPERM/ })
    .waitFor()
  await tools.click()
  await page.getByRole('menuitemcheckbox', { name: 'Credentials' }).click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'CSV' }).click(),
  ])
  assert.equal(download.suggestedFilename(), 'callers.csv')
  const csv = readFileSync(await download.path(), 'utf8')
  assert.deepEqual(csv.split('\r\n').slice(0, 2), [
    '\uFEFFCaller,Description,Credentials,Permission lists,State',
    `NOPERM,"'${hostile.replaceAll('"', '""').replace(/\n|;/g, "$&'")}","password, OAuth2 token",,Active`,
  ])
  await tools.click()
  const [json] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'JSON lines' }).click(),
  ])
  assert.equal(JSON.parse(readFileSync(await json.path(), 'utf8').split('\n')[0] ?? '').description, hostile)
  const asked = /\/api\/operators\?/
  const one = {
    description: '',
    isLocked: false,
    hasPassword: false,
    emails: [],
    certificates: [],
    permissionLists: [],
  }
  const found = { items: [{ id: 'ONE', ...one }], total: 10_000, isMore: true, offset: 0, limit: 50 }
  await page.route(asked, (route) => route.fulfill({ json: found }))
  await page.reload()
  await page.getByText('1 to 50 of more than 10,000').waitFor()
  await page.unroute(asked)
  await page.reload()
  await rows.nth(1).waitFor()
  assert.equal(await page.getByRole('columnheader', { name: 'Credentials' }).count(), 0, 'the browser keeps the choice')
  await page.getByRole('link', { name: 'NOPERM', exact: true }).focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'LOCKED', level: 1 }).waitFor()
  await page.goBack()
  await page.getByRole('cell', { name: 'PUBLIC' }).click()
  await page.getByRole('heading', { name: 'GUEST', level: 1 }).waitFor()
  await page.goBack()
  await rows.nth(1).waitFor()
}

/** Starts and ends on the list of operators. */
async function actByPalette(page: Page): Promise<void> {
  const find = async (text: string, entry: string) => {
    await typeIntoFind(page, text)
    await page.getByRole('button', { name: entry, exact: true }).waitFor()
    await page.keyboard.press('Enter')
  }
  const guest = page.getByRole('row', { name: /^GUEST/ })
  await find('lock gue', 'Lock GUEST')
  await guest.getByText('Locked').waitFor()
  await find('unlock gue', 'Unlock GUEST')
  await guest.getByText('Active').waitFor()
  await find('clear cache cached_time_get', 'Clear the cache of CACHED_TIME_GET.v1')
  await page.getByRole('dialog').getByText('CACHED_TIME_GET.v1').waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.waitForURL(/\/cache\?operation=CACHED_TIME_GET\.v1$/)
  // Found by the API, above an action that is found at once
  await typeIntoFind(page, 'time')
  await page.locator('[data-selected]').filter({ hasText: 'CACHED_TIME_GET.v1' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'CACHED_TIME_GET.v1', level: 1 }).waitFor()
  await openPageOf(page, 'Callers')
  await guest.waitFor()
}

/** Types without a pause. */
async function searchOnce(page: Page, texts: readonly string[]): Promise<void> {
  const sent: (string | null)[] = []
  const note = (request: Request) => void sent.push(new URL(request.url()).searchParams.get('search'))
  page.on('request', note)
  const found = page.waitForResponse(new RegExp(`search=${texts.at(-1)}`))
  await page.getByRole('searchbox').evaluate((input, texts) => {
    const write = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(input), 'value')?.set
    for (const text of texts) {
      write?.call(input, text)
      input.dispatchEvent(new Event('input', { bubbles: true }))
    }
  }, texts)
  await found
  page.off('request', note)
  assert.deepEqual(
    sent.filter((search) => search !== null),
    texts.slice(-1),
  )
}

async function shiftsOf(page: Page): Promise<unknown> {
  return page.evaluate(`(() => {
    const observer = new PerformanceObserver(() => {})
    observer.observe({ type: 'layout-shift', buffered: true })
    return observer.takeRecords().map(({ value }) => value)
  })()`)
}

async function setGatewayClock(page: Page, ahead: number): Promise<void> {
  await page.route('**/api/**', async (route) => {
    const response = await route.fetch()
    await route.fulfill({
      response,
      headers: { ...response.headers(), date: new Date(Date.now() + ahead).toUTCString() },
    })
  })
  await openPageOf(page, 'Changes')
  for (const name of ['Callers', 'Audit']) await openPageOf(page, name)
}

async function cookieOf(page: Page): Promise<{ readonly cookie: string }> {
  const cookies = await page.context().cookies()
  return { cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; ') }
}
