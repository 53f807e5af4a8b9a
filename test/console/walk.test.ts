/** The console in a real browser: from the one-time link on, as the first administrator goes (specification 19). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { invite } from '../../src/admin/invitation.ts'
import { openTestAdmin, password } from '../support/admin.ts'
import { findViolations, openBrowser, openPage } from '../support/browser.ts'
import { findDatabase } from '../support/databases.ts'

const database = findDatabase('SQLite')

test('19.3 19.4 19.5 the first administrator comes by the link, adds an operator, gives it addresses and grants', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { admin, opened, ask } = await openTestAdmin(t, { database, isNew: true })
  const { page, complaints } = await openPage(browser)
  const violations: string[] = []
  const look = async (name: string) => void violations.push(...(await findViolations(page, name)))

  await page.goto(await invite(opened.gateway.store, admin.url, Date.now()))
  await look('setup')
  await page.getByLabel('Name').fill('kim')
  await page.getByLabel('Password, at least 12 characters').fill(password)
  await page.getByLabel('Password again').fill(password)
  await page.getByRole('button', { name: 'Make the administrator' }).click()

  await page.getByRole('heading', { name: 'Operators', level: 1 }).waitFor()
  await page.getByRole('link', { name: 'DEMO', exact: true }).waitFor()
  await look('operators')
  await page.getByRole('button', { name: 'Add an operator' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Operator id').fill('A:B')
  await dialog.getByRole('button', { name: 'Add' }).click()
  await dialog.getByText('without a colon', { exact: false }).first().waitFor()
  await look('add-operator')
  await dialog.getByLabel('Operator id').fill("O'B/R%<b>é&?#")
  await dialog.getByRole('button', { name: 'Add' }).click()

  await page.getByRole('heading', { name: "O'B/R%<b>é&?#", level: 1 }).waitFor()
  await page.getByRole('button', { name: 'Add an address' }).click()
  await page.getByLabel('Address', { exact: true }).fill('Kim@example.com')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()
  await page.getByLabel('REFERENCE_ALL').click()
  await page.getByText('is granted to').waitFor()
  await look('operator')
  const { items } = (await ask('GET /api/operators?search=%25%3Cb', { headers: await cookieOf(page) })).body
  assert.deepEqual(
    [items[0].emails, items[0].permissionLists],
    [[{ type: 'business', address: 'Kim@example.com', isPrimary: true }], ['REFERENCE_ALL']],
  )

  await page.getByRole('link', { name: 'Who may call what' }).click()
  await page.getByRole('img', { name: 'yes, by REFERENCE_ALL' }).first().waitFor()
  await look('permission-matrix')
  await page.getByRole('link', { name: 'Audit' }).click()
  await page.getByText('grantPermissionList').waitFor()
  await look('audit')
  assert.deepEqual(violations, [])
  assert.deepEqual(complaints, [])
})

async function cookieOf(page: import('playwright-core').Page): Promise<{ readonly cookie: string }> {
  const cookies = await page.context().cookies()
  return { cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; ') }
}
