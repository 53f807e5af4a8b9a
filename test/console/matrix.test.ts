/** The console's table of operators and operations, where there are more of both than a screen takes (specification 21.13). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Configuration } from '../../src/configuration/configuration.ts'
import { openTestAdmin } from '../support/admin.ts'
import { findViolations, openBrowser, openPage, signIn } from '../support/browser.ts'
import { findDatabase } from '../support/databases.ts'

/** A hundred more, in order of id between ECHO and METADATA. */
const withMany = (configuration: Configuration): Configuration => ({
  ...configuration,
  operations: configuration.operations.flatMap((operation) =>
    operation.name === 'ECHO'
      ? [operation, ...Array.from({ length: 100 }, (_, at) => ({ ...operation, name: `MANY_${100 + at}` }))]
      : [operation],
  ),
})

test('21.13 the table of operators and operations is read page by page, both ways', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { admin } = await openTestAdmin(t, { database: findDatabase('SQLite'), configure: withMany })
  const { page, complaints } = await openPage(browser)
  await signIn(page, `${admin.url}/console/permission-matrix`, 'an viewer')
  const matrix = page.getByRole('region', { name: 'Callers and operations' })
  const verdicts = (operator: string) => matrix.getByRole('row', { name: operator, exact: false }).getByRole('button')
  await page.getByText('Operations 1 to 40 of 11').waitFor()
  const violations = [...(await findViolations(page, 'matrix-of-many'))]
  const [guest, demo] = [await names('GUEST'), await names('DEMO2')]
  assert.deepEqual(
    [guest.filter((name) => name === 'yes, by PUBLIC').length, demo.filter((name) => name === 'no').length],
    [1, 0],
  )
  assert.deepEqual(new Set(await names('LOCKED')), new Set(['no']))
  await verdicts('GUEST').first().click()
  await page.getByRole('dialog', { name: /^GUEST may not call / }).waitFor()
  assert.ok(await page.getByRole('checkbox', { name: 'REFERENCE_ALL' }).isDisabled(), 'a viewer grants nothing')
  violations.push(...(await findViolations(page, 'permission')))
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Next operations' }).click()
  await page.getByText('Operations 41 to 80').waitFor()
  assert.match(page.url(), /operationOffset=40/)
  await page.goBack()
  await page.getByText('Operations 1 to 40').waitFor()
  await page.getByRole('button', { name: 'Next operations' }).click()
  await page.getByRole('searchbox', { name: 'Operations' }).fill('many_19')
  await page.getByRole('button', { name: 'Next operations' }).waitFor({ state: 'detached' })
  await matrix.getByRole('columnheader', { name: 'MANY_199_GET.v1' }).waitFor()
  assert.equal((await names('GUEST')).length, 10)
  await page.getByRole('searchbox', { name: 'Callers' }).fill('nobody of them')
  await page.getByText('No callers match.').waitFor()
  assert.deepEqual([violations, complaints], [[], []])

  async function names(operator: string): Promise<readonly (string | null)[]> {
    return verdicts(operator).evaluateAll((all) => all.map((each) => each.getAttribute('aria-label')))
  }
})
