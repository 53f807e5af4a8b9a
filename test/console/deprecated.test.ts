/** Deprecated operations and the rules of elements in the console, in a real browser (specification 2.28, 2.29, 2.32, 18.14). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Configuration } from '../../src/configuration/configuration.ts'
import { openTestAdmin } from '../support/admin.ts'
import { findViolations, goWithin, openBrowser, openPage, openSettings, signIn } from '../support/browser.ts'
import { findDatabase } from '../support/databases.ts'
import { root } from '../support/gateway.ts'

/** ECHO is deprecated. */
function deprecate(configuration: Configuration): Configuration {
  const deprecated = { since: '2026-01-01', successor: 'METADATA_GET.v1' }
  const operations = configuration.operations.map((operation) =>
    operation.name === 'ECHO' ? { ...operation, deprecated } : operation,
  )
  return { ...configuration, operations }
}

test('18.14, 2.32, 2.28 a deprecated operation shows who called it, and its rules and those of elements are edited', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const properties = { 'ig.monitor': 'on' }
  const it = await openTestAdmin(t, { database: findDatabase('SQLite'), properties, configure: deprecate })
  const called = await fetch(`${it.opened.url}${root}/ECHO.v1/echo/x`)
  assert.equal(called.headers.get('deprecation'), '@1767225600')
  for (;;) {
    const { body } = await it.ask('GET /api/monitor/callers?operation=ECHO_GET.v1')
    if (body.items.length > 0) break
  }
  const { page } = await openPage(browser)
  await signIn(page, `${it.admin.url}/console/operations/ECHO_GET.v1?tab=callers`, 'an administrator')
  const callers = page.getByRole('region', { name: 'Callers' })
  await callers.getByRole('row', { name: /GUEST 1 0 0 \d\d:\d\d:\d\d$/ }).waitFor()
  await openSettings(page)
  await page.getByRole('tab', { name: 'Other settings' }).click()
  assert.equal(await page.getByRole('textbox', { name: 'Deprecated since' }).inputValue(), '2026-01-01')
  assert.deepEqual(await findViolations(page, 'deprecated'), [])
  await page.locator('#main').getByRole('link', { name: 'Operations', exact: true }).click()
  await page.getByRole('cell', { name: 'yes, deprecated' }).waitFor()

  await goWithin(page, '/console/documents/ECHO_DOCUMENT')
  const element = page.getByRole('group', { name: 'Element parameter1' })
  await element.getByRole('textbox', { name: 'Pattern (RE2)' }).waitFor()
  assert.equal(await element.getByRole('textbox', { name: 'Minimum' }).count(), 0) // it is a String
})
