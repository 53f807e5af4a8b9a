/** The console where others are at work too, the session ends, or the database goes away: nothing entered is lost (specification 19). */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { openTestAdmin, password } from '../support/admin.ts'
import { findViolations, openBrowser, openPage, openSettings, signIn } from '../support/browser.ts'
import { findDatabase } from '../support/databases.ts'
import { openInterruptible } from '../support/interruptible.ts'

const database = findDatabase('SQLite')
const description = (page: Page) => page.getByRole('textbox', { name: 'Description' })
const save = (page: Page) => page.getByRole('button', { name: 'Save to draft' })

test('19.6, 19.7 two administrators edit the same operation in the same draft: the second sees both, and neither is lost', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { admin, ask } = await openTestAdmin(t, { database })
  const { id } = (await ask('POST /api/drafts', { body: { title: 'Ours' } })).body
  const inDraft = async () => (await ask(`GET /api/drafts/${id}/operations/ECHO_GET.v1`)).body
  const opened = [await openPage(browser), await openPage(browser)]
  const [one, other] = opened.map(({ page }) => page) as [Page, Page]
  for (const page of [one, other]) {
    await signIn(page, `${admin.url}/console/drafts/${id}`, 'an administrator')
    await page.getByRole('button', { name: 'Edit this draft' }).click()
    await page.getByRole('button', { name: 'Stop editing' }).waitFor()
    await page.getByRole('link', { name: 'Operations', exact: true }).click()
    await page.getByRole('link', { name: 'ECHO_GET.v1', exact: true }).click()
    await openSettings(page)
    await description(page).waitFor()
  }
  await description(one).fill('as one has it')
  await description(other).fill('as the other has it')
  await other.getByRole('textbox', { name: 'Alias' }).fill('Echoes')
  await save(one).click()
  await one.getByText('ECHO_GET.v1 saved to the draft.').waitFor()
  await save(other).click()
  await other.getByRole('cell', { name: 'as one has it' }).waitFor()
  await other.getByRole('cell', { name: 'as the other has it' }).waitFor()
  const violations = [...(await findViolations(other, 'conflict-in-draft'))]
  assert.equal((await inDraft()).value.description, 'as one has it')
  await other.getByRole('button', { name: 'Keep mine' }).click()
  assert.equal(await description(other).inputValue(), 'as the other has it')
  await save(other).click()
  await other.getByText('ECHO_GET.v1 saved to the draft.').waitFor()
  assert.deepEqual(
    [(await inDraft()).value.description, (await inDraft()).value.alias],
    ['as the other has it', 'Echoes'],
  )

  // One activates the draft while the other keeps writing
  await description(other).fill('later than the draft')
  await one.goto(`${admin.url}/console/drafts/${id}`)
  await one.getByLabel('Break existing clients').click()
  await one.getByRole('button', { name: 'Activate' }).click()
  await one.getByText('Revision 2 is active.').waitFor()
  await save(other).click()
  await other.getByText('The draft no longer exists').waitFor()
  violations.push(...(await findViolations(other, 'draft-gone')))
  assert.equal(await description(other).inputValue(), 'later than the draft')
  await save(other).click()
  // It was seen in the deleted draft: the active version is first shown next to it
  await other.getByRole('button', { name: 'Keep mine' }).click()
  await save(other).click()
  await save(other).waitFor({ state: 'detached' })
  const [next, ...others] = (await ask('GET /api/drafts')).body.items
  assert.notEqual(next.id, id)
  assert.deepEqual(others, [])
  const value = (await ask(`GET /api/drafts/${next.id}/operations/ECHO_GET.v1`)).body.value
  assert.equal(value.description, 'later than the draft')
  assert.deepEqual([violations, ...opened.map(({ complaints }) => complaints)], [[], [], []])
})

test("19.7, 19.9 a draft's list links to the item as it is in the draft, and other tabs use that draft too", async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { admin, ask } = await openTestAdmin(t, { database })
  const { id } = (await ask('POST /api/drafts', { body: { title: 'Ours' } })).body
  const { page: one } = await openPage(browser)
  await signIn(one, `${admin.url}/console/drafts/${id}`, 'an administrator')
  await one.getByRole('button', { name: 'Edit this draft' }).click()
  await one.getByRole('link', { name: 'Operations', exact: true }).click()
  await one.getByRole('link', { name: 'ECHO_GET.v1', exact: true }).click()
  await openSettings(one)
  await description(one).fill('as the draft has it')
  await save(one).click()
  await one.getByText('ECHO_GET.v1 saved to the draft.').waitFor()

  const { page: other, context } = await openPage(browser)
  await signIn(other, `${admin.url}/console/drafts/${id}`, 'an administrator')
  await other.getByRole('link', { name: 'ECHO_GET.v1', exact: true }).click()
  await description(other).waitFor()
  assert.equal(await description(other).inputValue(), 'as the draft has it')

  const tab = await context.newPage()
  await tab.goto(`${admin.url}/console/operations/ECHO_GET.v1?tab=general`)
  await description(tab).waitFor()
  assert.equal(await description(tab).inputValue(), 'as the draft has it')
  assert.equal((await ask('GET /api/drafts')).body.items.length, 1)
})

test("19.7, 19.9 a response requested before a save never replaces the draft's state after it", async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { admin } = await openTestAdmin(t, { database })
  const { page } = await openPage(browser)
  await signIn(page, `${admin.url}/console/operations/ECHO_GET.v1?tab=general`, 'an administrator')
  await description(page).waitFor()
  // The first response with the errors, of the draft as it began, arrives after that of saving
  let release = () => {}
  const isSaved = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(
    '**/problems',
    async (route) => {
      const response = await route.fetch()
      await isSaved
      await route.fulfill({ response }).catch(() => {}) // nobody waits for it any more
    },
    { times: 1 },
  )
  page.on('response', (response) => {
    if (response.request().method() === 'PUT') release()
  })
  await page.getByRole('textbox', { name: 'Alias' }).fill('not an alias')
  await save(page).click()
  await page.getByText('ECHO_GET.v1 saved to the draft, with errors.').waitFor()
  await page.getByRole('link', { name: 'Draft Changes by' }).click()
  await page.getByText('The draft has an error').waitFor()
})

test('19.7, 19.12, 19.13 drafts are distinguished by their start time, and can be renamed where they are shown; the audit describes it in words', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { admin, ask } = await openTestAdmin(t, { database })
  const { page, complaints } = await openPage(browser)
  await signIn(page, `${admin.url}/console/operations/ECHO_GET.v1?tab=general`, 'an administrator')
  await description(page).fill('edited first')
  await save(page).click()
  await page.getByText('ECHO_GET.v1 saved to the draft.').waitFor()
  const title = async () => (await ask('GET /api/drafts')).body.items[0].title as string
  assert.match(await title(), /^Changes by an administrator, \d{4}-\d\d-\d\d \d\d:\d\d$/)
  await page.getByRole('link', { name: `Draft ${await title()}` }).click()
  await page.getByRole('button', { name: 'Rename' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Title').fill('What an echo is')
  const violations = [...(await findViolations(page, 'rename-draft'))]
  await dialog.getByRole('button', { name: 'Rename' }).click()
  await page.getByRole('heading', { name: 'What an echo is', level: 1 }).waitFor()
  await page.getByRole('link', { name: 'Draft What an echo is' }).waitFor()
  assert.equal(await title(), 'What an echo is')

  // The changes are described in words
  await page.getByRole('link', { name: 'Audit' }).click()
  const entries = page.getByRole('region', { name: 'Audit' }).getByRole('row')
  await entries
    .filter({ hasText: 'Changed an operation' })
    .filter({ hasText: 'in the draft Changes by an administrator' })
    .waitFor()
  await entries.filter({ hasText: 'Renamed a draft' }).filter({ hasText: 'What an echo is' }).waitFor()
  await page.getByRole('combobox', { name: 'Action' }).fill('renamed')
  await page.getByRole('option', { name: 'Renamed a draft' }).click()
  await entries.filter({ hasText: 'Changed an operation' }).waitFor({ state: 'detached' })
  await entries.getByText('Before and after').click()
  await entries.getByText('renameDraft').waitFor()
  violations.push(...(await findViolations(page, 'audit-words')))
  assert.deepEqual([violations, complaints], [[], []])
})

test('19.12 the audit requests a long value when it is opened, and exports all values', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { admin, ask } = await openTestAdmin(t, { database })
  const long = `<b>${'läng '.repeat(199)}`
  await ask('POST /api/operators', { body: { id: 'LONG', description: long } })
  await ask('POST /api/operators', { body: { id: 'SHORT', description: 'short' } })
  const { page, complaints } = await openPage(browser)
  const listed = page.waitForResponse(/\/api\/audit\?/)
  await signIn(page, `${admin.url}/console/audit?action=createOperator`, 'an administrator')
  const text = await (await listed).text()
  assert.ok(text.includes('short') && !text.includes(long), text)
  const row = page.getByRole('region', { name: 'Audit' }).getByRole('row').filter({ hasText: 'LONG' })
  await row.getByText('Before and after').click()
  await row.getByText(long.trim()).waitFor()
  const downloaded = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export' }).click()
  await page.getByRole('menuitem', { name: 'JSON' }).click()
  const lines = (await readFile(await (await downloaded).path(), 'utf8')).trimEnd().split('\n')
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).after.description),
    ['short', long],
  )
  assert.deepEqual(complaints, [])
})

test('19.4 a session that ends while a form is open in a dialog, or in the background, loses no input', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { admin, ask } = await openTestAdmin(t, { database })
  const { page, context, complaints } = await openPage(browser, { isAlone: true })
  await page.clock.install()
  await signIn(page, `${admin.url}/console/operators`, 'an administrator')
  const signInAgain = async () => {
    await page.getByText('Your session has ended').waitFor()
    await page
      .getByRole('dialog', { name: 'Your session has ended' })
      .getByLabel('Password', { exact: true })
      .fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Your session has ended').waitFor({ state: 'detached' })
  }
  await page.getByRole('button', { name: 'Add caller' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add caller' })
  await dialog.getByLabel('Operator ID').press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await page.keyboard.press('Enter') // the focus is back at the button
  await dialog.getByLabel('Operator ID').fill('LEE')
  await context.clearCookies()
  await dialog.getByRole('button', { name: 'Add' }).click()
  await page.getByText('Your session has ended').waitFor()
  await page.keyboard.press('Escape') // neither closes
  await signInAgain()
  assert.equal(await dialog.getByLabel('Operator ID').inputValue(), 'LEE')
  await dialog.getByRole('button', { name: 'Add' }).click()
  await page.getByRole('heading', { name: 'LEE', level: 1 }).waitFor()

  await description(page).fill('written for a long time')
  await context.clearCookies()
  await page.clock.fastForward('10:00')
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))") // who comes back to the tab
  await signInAgain()
  assert.equal(await description(page).inputValue(), 'written for a long time')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()
  assert.equal((await ask('GET /api/operators/LEE')).body.description, 'written for a long time')

  await page.goto(`${admin.url}/console/operations/ECHO_GET.v1?tab=general`)
  for (const text of ['saved by the second try', 'saved later in the same draft']) {
    await description(page).fill(text)
    await context.clearCookies()
    await save(page).dispatchEvent('click') // the dialog of another request may cover it
    await signInAgain()
    assert.equal(await description(page).inputValue(), text)
    await save(page).click()
    await save(page).waitFor({ state: 'detached' })
    const [{ id }, ...others] = (await ask('GET /api/drafts')).body.items
    const { value } = (await ask(`GET /api/drafts/${id}/operations/ECHO_GET.v1`)).body
    assert.deepEqual([value.description, others], [text, []])
  }

  await description(page).fill('not saved yet')
  const asked = page.waitForEvent('dialog').then((question) => question.dismiss())
  await page.getByRole('button', { name: /, administrator$/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await asked
  assert.equal(await description(page).inputValue(), 'not saved yet')
  assert.deepEqual(complaints, [])
})

test('19.4, 18.16 a store outage is reported above every page; input stays, and is saved when the database is back', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const interruptible = await openInterruptible(t)
  const { admin, opened, ask } = await openTestAdmin(t, { database: interruptible })
  const { page, complaints } = await openPage(browser)
  await signIn(page, `${admin.url}/console/operators/DEMO`, 'an administrator')
  await description(page).fill('entered before')
  interruptible.cut()
  const url = `${opened.url}/PSIGW/RESTListeningConnector/LOCAL_NODE/METADATA.v1/`
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('The database is not responding').first().waitFor()
  const violations = await findViolations(page, 'database-away')
  assert.equal((await fetch(url)).status, 200, 'calls go on')
  const refused = await ask('GET /api/operators', { headers: { cookie: await cookieOf(page) } })
  assert.deepEqual([refused.status, refused.body.code], [503, 'storeAway'])
  interruptible.mend()
  await page.getByText('Retrying').waitFor({ state: 'detached' })
  assert.equal(await description(page).inputValue(), 'entered before')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()
  assert.equal((await ask('GET /api/operators/DEMO')).body.description, 'entered before')
  assert.deepEqual([violations, complaints], [[], []])
})

test('19.4 the report of a store outage stays on pages that need no database', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const interruptible = await openInterruptible(t)
  const { admin } = await openTestAdmin(t, { database: interruptible })
  const { page, complaints } = await openPage(browser)
  await signIn(page, `${admin.url}/console/nodes/ANONYMOUS`, 'an administrator')
  await description(page).fill('entered before')
  interruptible.cut()
  await save(page).click()
  const told = page.getByText('The database is not responding')
  await told.waitFor()
  for (let asked = 0; asked < 2; asked++) await page.waitForResponse(/\/api\/(state|session)$/)
  assert.ok(await told.isVisible())
  interruptible.mend()
  await told.waitFor({ state: 'detached' })
  await save(page).click()
  await page.getByText('ANONYMOUS saved to the draft.').waitFor()
  assert.deepEqual(complaints, [])
})

async function cookieOf(page: Page): Promise<string> {
  return (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join('; ')
}

test('19.6, 19.7, 36.19 input during a save stays, and is saved next; a new item is added once; a node has its upstream with limits', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { admin, ask } = await openTestAdmin(t, { database })
  const { page, complaints } = await openPage(browser)
  await signIn(page, `${admin.url}/console/nodes/+new`, 'an administrator')
  const release = await holdBack(page, ['POST', 'PUT', 'PATCH'])
  await description(page).fill('at first')
  await page.getByRole('textbox', { name: 'Name' }).fill('SLOW')
  for (const [before, after] of [
    ['at first', 'while it was added'],
    ['while it was added', 'while it was saved'],
  ] as const) {
    assert.equal(await description(page).inputValue(), before)
    await save(page).click()
    await description(page).fill(after)
    await release()
    await page.getByText('SLOW saved to the draft, except changes made while saving').last().waitFor()
  }
  assert.equal(await description(page).inputValue(), 'while it was saved')
  await save(page).click()
  await release()
  await page.waitForURL(/nodes\/SLOW$/)
  const [{ id }] = (await ask('GET /api/drafts')).body.items
  const node = async () => (await ask(`GET /api/drafts/${id}/nodes/SLOW`)).body.value
  assert.equal((await node()).description, 'while it was saved')

  const upstream = { passThrough: 'https://original.example', timeout: '5s', bodyLimit: '64KiB' }
  await page.getByLabel('Upstream', { exact: true }).fill(upstream.passThrough)
  await page.getByLabel('Time limit of the upstream').fill(upstream.timeout)
  await page.getByLabel('Body limit of the upstream').fill(upstream.bodyLimit)
  const chosen = { verification: 'Basic', permissionLists: 'REFERENCE_ALL', logDetail: 'header' }
  for (const [label, option] of [
    ['Verification of these operations', chosen.verification],
    ['Permission lists of these operations', chosen.permissionLists],
    ['Log detail of the upstream', chosen.logDetail],
  ] as const) {
    await page.getByRole('combobox', { name: label }).click()
    await page.getByRole('option', { name: option, exact: true }).click()
  }
  await page.keyboard.press('Escape')
  await save(page).click()
  await release()
  await page.getByText('which no active operation is passed through to').waitFor() // 36.3
  assert.deepEqual((await node()).upstream, { ...upstream, ...chosen, permissionLists: [chosen.permissionLists] })

  await page.goto(`${admin.url}/console/operators/DEMO`)
  await description(page).fill('at first')
  await page.getByRole('button', { name: 'Save' }).click()
  await description(page).fill('while it was saved')
  await release()
  await page.getByText('Saved, except changes made while saving.').waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await release()
  await page.getByText('Saved.').waitFor()
  assert.equal((await ask('GET /api/operators/DEMO')).body.description, 'while it was saved')
  assert.deepEqual(complaints, [])
})

test("19.6 a person's own changes elsewhere do not conflict with an open form", async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { admin, ask } = await openTestAdmin(t, { database })
  const { page, complaints } = await openPage(browser)
  await signIn(page, `${admin.url}/console/operators/NOPERM`, 'an administrator')
  await description(page).fill('mine')
  await page.getByRole('button', { name: 'Add address' }).click()
  await page.getByLabel('Address', { exact: true }).last().fill('other@example.com')
  await page.getByLabel('REFERENCE_ALL').click()
  await page.getByText('granted to').waitFor()
  const saves = page.getByRole('button', { name: 'Save' })
  await saves.first().click()
  await page.getByText('Saved.').waitFor()
  await saves.click()
  await saves.waitFor({ state: 'detached' })
  const { body } = await ask('GET /api/operators/NOPERM')
  assert.deepEqual(
    [body.description, body.emails.at(-1).address, body.permissionLists],
    ['mine', 'other@example.com', ['REFERENCE_ALL']],
  )
  assert.deepEqual(complaints, [])
})

test('19.6, 19.7 a version seen in one draft does not allow overwriting the item in another', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { admin, ask } = await openTestAdmin(t, { database })
  const ids: string[] = []
  for (const text of ['in the first', 'in the second']) {
    const { id } = (await ask('POST /api/drafts', { body: { title: text } })).body
    const at = `/api/drafts/${id}/operations/ECHO_GET.v1`
    const { body, etag } = await ask(`GET ${at}`)
    await ask(`PUT ${at}`, { ifMatch: etag, body: { ...body.value, description: text } })
    ids.push(id)
  }
  const { page, context, complaints } = await openPage(browser)
  const choose = async (at: Page, id: string | undefined) => {
    await at.goto(`${admin.url}/console/drafts/${id}`)
    await at.getByRole('button', { name: 'Edit this draft' }).click()
    await at.getByRole('button', { name: 'Stop editing' }).waitFor()
  }
  await signIn(page, admin.url, 'an administrator')
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  await choose(page, ids[0])
  await page.goto(`${admin.url}/console/operations/ECHO_GET.v1?tab=general`)
  assert.equal(await description(page).inputValue(), 'in the first')
  await description(page).fill('mine')
  await choose(await context.newPage(), ids[1])
  await page.getByRole('link', { name: 'Draft in the second' }).waitFor()
  await save(page).click()
  await page.getByRole('cell', { name: 'in the second' }).waitFor()
  const kept = (await ask(`GET /api/drafts/${ids[1]}/operations/ECHO_GET.v1`)).body.value.description
  assert.deepEqual([kept, complaints], ['in the second', []])
})

test('19.4 if another tab signed in as another person, no change is sent under that name unasked, and the page says who it is', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { admin, ask } = await openTestAdmin(t, { database })
  const { page, context, complaints } = await openPage(browser)
  await ask('POST /api/administrators', { body: { name: 'lee', role: 'administrator', password } })
  await signIn(page, `${admin.url}/console/operators/NOPERM`, 'an administrator')
  await description(page).fill('meant by the one before')
  assert.ok((await context.request.post(`${admin.url}/api/session`, { data: { name: 'lee', password } })).ok())
  await page.getByRole('button', { name: 'Save' }).first().click()
  await page.getByText('You are now signed in as lee').waitFor()
  await page.getByRole('button', { name: 'lee' }).waitFor()
  assert.equal(await description(page).inputValue(), 'meant by the one before')
  assert.equal((await ask('GET /api/operators/NOPERM')).body.description, '')
  await page.getByRole('button', { name: 'Save' }).first().click()
  await page.getByText('Saved.').waitFor()
  const [{ actor, action }] = (await ask('GET /api/audit?action=changeOperator')).body.items
  assert.deepEqual([actor, action, complaints], ['lee', 'changeOperator', []])
})

/** @returns what lets all pass that is held back, once something is */
async function holdBack(page: Page, methods: readonly string[]): Promise<() => Promise<void>> {
  let held = Promise.withResolvers<() => void>()
  await page.route('**/api/{drafts,operators}/**', async (route) => {
    if (!methods.includes(route.request().method())) return route.continue()
    await new Promise<void>((pass) => held.resolve(pass))
    await route.continue()
  })
  return async () => {
    const pass = await held.promise
    held = Promise.withResolvers()
    pass()
  }
}
