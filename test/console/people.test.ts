/** The console's pages of the people who administer, their tokens and passwords, and the settings (specification 19). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestAdmin, password } from '../support/admin.ts'
import { findViolations, openBrowser, openPage, openPageOf, signIn } from '../support/browser.ts'
import { findDatabase } from '../support/databases.ts'

const database = findDatabase('SQLite')
const other = 'another sentence is as good'

test('19.13, 18.12 administrators are added, given a role, locked and given a password; the last one stays', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { admin, ask } = await openTestAdmin(t, { database })
  const { page, complaints } = await openPage(browser)
  const violations: string[] = []
  const look = async (name: string) => void violations.push(...(await findViolations(page, name)))
  const dialog = page.getByRole('dialog')
  const find = async (name: string) => (await ask(`GET /api/administrators/${encodeURIComponent(name)}`)).body
  await signIn(page, `${admin.url}/console/administrators`, 'an administrator')
  await page.getByText('(you)').waitFor()
  await look('administrators')
  await page.getByRole('button', { name: 'Add administrator' }).click()
  await dialog.getByLabel('Name').fill('..')
  await dialog.getByLabel('New password', { exact: true }).fill('short')
  await dialog.getByLabel('Confirm new password').fill('short')
  await dialog.getByRole('button', { name: 'Add' }).click()
  await dialog.getByText('must be neither . nor ..').first().waitFor()
  await look('add-administrator-refused')
  await dialog.getByLabel('Name').fill('<b>Asa</b> 50%/a#?')
  await dialog.getByLabel('New password', { exact: true }).fill(password)
  await dialog.getByLabel('Confirm new password').fill(password)
  await dialog.getByRole('radio', { name: 'operator' }).click()
  await dialog.getByRole('button', { name: 'Add' }).click()
  await page.getByText('<b>Asa</b> 50%/a#? added.').waitFor()
  await page.getByRole('link', { name: '<b>Asa</b> 50%/a#?' }).click()
  await page.getByRole('radio', { name: 'viewer' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()
  await page.getByRole('button', { name: 'Lock' }).click()
  await dialog.getByRole('button', { name: 'Lock' }).click()
  await page.getByText('The administrator can no longer sign in, and API tokens are refused.').waitFor()
  await look('administrator')
  const { role, isLocked } = await find('<b>Asa</b> 50%/a#?')
  assert.deepEqual([role, isLocked], ['viewer', true])
  await page.getByRole('button', { name: 'Unlock' }).click()
  await dialog.getByRole('button', { name: 'Unlock' }).click()
  await page.getByText('<b>Asa</b> 50%/a#? unlocked.').waitFor()
  await page.getByRole('button', { name: 'New password' }).click()
  await dialog.getByLabel('New password', { exact: true }).fill(other)
  await dialog.getByLabel('Confirm new password').fill(other)
  await look('give-password')
  await dialog.getByRole('button', { name: 'Set' }).click()
  await page.getByText('Password of <b>Asa</b> 50%/a#? changed.').waitFor()
  const credentials = { name: '<b>Asa</b> 50%/a#?', password: other }
  assert.equal((await ask('POST /api/session', { headers: {}, body: credentials })).status, 201)

  await openPageOf(page, 'Team')
  await page.getByRole('link', { name: 'an administrator' }).click()
  await page.getByRole('radio', { name: 'viewer' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('This is the last unlocked administrator').waitFor()
  await look('last-administrator')
  assert.equal((await find('an administrator')).role, 'administrator')
  assert.deepEqual([violations, complaints], [[], []])
})

test("19.13, 18.11 a token is shown once, works, and is revoked; it has at most its creator's role", async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { admin, ask } = await openTestAdmin(t, { database })
  const { page, complaints } = await openPage(browser)
  const violations: string[] = []
  const look = async (name: string) => void violations.push(...(await findViolations(page, name)))
  const dialog = page.getByRole('dialog')
  await signIn(page, `${admin.url}/console/tokens`, 'an operator')
  await page.getByText('No tokens yet.').waitFor()
  await look('tokens-empty')
  await page.getByRole('button', { name: 'Create token' }).click()
  assert.deepEqual(await dialog.getByRole('radio').count(), 2)
  await dialog.getByLabel('Name').fill('nightly')
  await dialog.getByRole('radio', { name: 'operator' }).click()
  await dialog.getByLabel('Days until it expires').fill('400')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.getByText('must be at most 366').first().waitFor()
  await look('make-token-refused')
  await dialog.getByLabel('Days until it expires').fill('30')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.getByText('Copy the token now').waitFor()
  await look('token')
  const token = (await dialog.getByLabel('Token', { exact: true }).textContent()) ?? ''
  const asking = () => ask('GET /api/session', { headers: { authorization: `Bearer ${token}` } })
  assert.deepEqual([(await asking()).body.via, (await asking()).body.role], ['token nightly', 'operator'])
  await page.keyboard.press('Escape')
  await dialog.getByText('Copy the token now').waitFor()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('cell', { name: 'active', exact: true }).waitFor()
  await look('tokens')
  assert.ok(!(await page.content()).includes(token))
  await page.getByRole('button', { name: 'Revoke nightly' }).click()
  await look('revoke-token')
  await dialog.getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('nightly revoked.').waitFor()
  assert.equal((await asking()).status, 401)
  assert.deepEqual([violations, complaints], [[], []])
})

test('19.13, 18.7, 18.29 everyone changes their own password, and reads the settings with their secrets masked', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { admin, ask } = await openTestAdmin(t, { database, properties: { 'ig.dbname': 'OURS' } })
  const { page, complaints } = await openPage(browser)
  const violations: string[] = []
  const look = async (name: string) => void violations.push(...(await findViolations(page, name)))
  await signIn(page, `${admin.url}/console/operations`, 'an viewer')
  await page.getByRole('button', { name: 'an viewer, viewer' }).click()
  await page.getByRole('menuitem', { name: 'Your account' }).click()
  await page.getByLabel('Current password').fill('not this one')
  await page.getByLabel('New password', { exact: true }).fill(other)
  await page.getByLabel('Confirm new password').fill(other)
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByText('The current password is wrong.').waitFor()
  await look('account')
  await page.getByLabel('Current password').fill(password)
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByText('Password changed.').waitFor()
  assert.equal(
    (await ask('POST /api/session', { headers: {}, body: { name: 'an viewer', password: other } })).status,
    201,
  )

  await openPageOf(page, 'Settings')
  await page.getByText('ig.dbname').waitFor()
  await page.getByRole('region', { name: 'Limits' }).getByText('ig.limits.url').waitFor()
  await look('settings')
  await page.getByRole('switch', { name: 'Only changed settings' }).click({ force: true })
  await page.getByText('OURS').waitFor()
  await page.getByText('ig.cookieName').waitFor({ state: 'detached' })
  await page.getByRole('searchbox', { name: 'Search settings' }).fill('nothing is called so')
  await page.getByText('No settings match.').waitFor()
  await look('settings-empty')
  assert.deepEqual([violations, complaints], [[], []])
})
