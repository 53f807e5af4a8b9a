/** The page of changes in a real browser (specification 19.14). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestAdmin } from '../support/admin.ts'
import { entryOf, findViolations, openBrowser, openPage, signIn } from '../support/browser.ts'
import { findDatabase } from '../support/databases.ts'
import { activateTwo } from '../support/make-changes.ts'

const database = findDatabase('SQLite')

test('19.14, 19.3, 19.2 what has changed is one page by day, filtered in its address, and rolls back in two clicks', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { admin, ask } = await openTestAdmin(t, { database })
  await activateTwo(ask, 'to hear more')
  await ask('PUT /api/operators/DEMO2/lock', { as: 'operator' })
  await ask('POST /api/drafts', { body: { title: 'Three echoes' } })
  const { page, complaints } = await openPage(browser)
  await signIn(page, `${admin.url}/console/changes`, 'an administrator')
  const lines = page.getByRole('region', { name: 'Timeline' }).getByRole('listitem')
  await page.getByRole('heading', { name: 'Today' }).waitFor()
  const activated = lines.filter({ hasText: 'Activated revision 2' })
  await activated.getByText('1 operation changed, 1 added').waitFor()
  await activated.getByText('active', { exact: true }).waitFor()
  await activated.getByText('to hear more').waitFor()
  await entryOf(page, 'Changes')
    .and(page.getByRole('link', { name: 'Changes 1 draft', exact: true }))
    .waitFor()
  const violations = [...(await findViolations(page, 'changes'))]

  await page.getByRole('link', { name: 'Locked DEMO2' }).click()
  await page.getByRole('heading', { name: 'DEMO2', level: 1 }).waitFor()
  await page.goBack()
  await page.getByText('Revisions', { exact: true }).click()
  await lines.filter({ hasText: 'Locked DEMO2' }).waitFor({ state: 'detached' })
  assert.match(page.url(), /\?kind=revision$/)
  await page.getByText('All', { exact: true }).click()
  await page.getByRole('searchbox', { name: 'Person' }).fill('an operator')
  await activated.waitFor({ state: 'detached' })
  assert.equal(await lines.count(), 1)
  await page.getByRole('searchbox', { name: 'Person' }).fill('')
  await activated.waitFor()

  await page.getByRole('button', { name: 'Roll back to 1' }).click()
  await page.getByRole('dialog').getByText('ECHO_TWO_GET.v1').first().waitFor()
  violations.push(...(await findViolations(page, 'roll-back')))
  await page.getByRole('dialog').getByLabel('Break existing clients').click() // ECHO_TWO goes
  await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click()
  await page.getByText('Revision 1 is active.').waitFor()
  await lines.filter({ hasText: 'Rolled back to revision 1' }).getByText('active', { exact: true }).waitFor()
  assert.equal((await ask('GET /api/activation')).body.revision, 1)

  await page.goto(`${admin.url}/console/operations/ECHO_GET.v1?tab=history`)
  const made = page.getByRole('region', { name: 'Activated revision 2' })
  await made.getByText('to hear more').waitFor()
  await made.getByRole('cell', { name: 'changed', exact: true }).waitFor()
  assert.equal(await made.getByText('ECHO_TWO_GET.v1').count(), 0)
  violations.push(...(await findViolations(page, 'operation-history')))

  await page.goto(`${admin.url}/console/drafts`)
  await page.getByRole('region', { name: 'Drafts' }).getByRole('link', { name: 'Three echoes' }).waitFor()
  await page.waitForURL('**/console/changes')
  await page.goto(`${admin.url}/console/revisions`)
  await page.waitForURL('**/console/changes?kind=revision')
  await page.getByRole('link', { name: 'Activated revision 2' }).click()
  await page.getByText('to hear more').waitFor()
  violations.push(...(await findViolations(page, 'revision-2')))
  assert.deepEqual(await page.getByRole('heading', { level: 2 }).allTextContents(), [
    'What it changed, compared with revision 1',
    'What activating it would change, compared with the active revision 1',
  ])
  await page.goto(`${admin.url}/console/revisions/1`)
  await page.getByText('What it changed, compared with revision 2').waitFor()
  await page.getByText('ECHO_TWO_GET.v1').waitFor()
  assert.equal(await page.getByText('What activating it would change').count(), 0)
  assert.deepEqual([violations, complaints], [[], []])
})
