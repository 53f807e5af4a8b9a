/** The tests of the console where there is no browser: they say so, and how to get one; in CI that is a failure. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { findViolations, openBrowser, openPage } from '../support/browser.ts'

const root = join(import.meta.dirname, '../..')

test('without chromium each test of the console is skipped with a hint on how to install it, and fails with CI=true', () => {
  const { NODE_TEST_CONTEXT: _, CI: __, ...env } = process.env
  const run = (others: Readonly<Record<string, string>>) =>
    spawnSync(
      process.execPath,
      [...process.execArgv, '--test', '--test-reporter=spec', join(root, 'test/console/people.test.ts')],
      { cwd: root, env: { ...env, IG_TEST_CHROMIUM: '/nowhere/chromium', ...others }, encoding: 'utf8' },
    )
  const skipped = run({})
  assert.equal(skipped.status, 0, skipped.stdout)
  assert.match(skipped.stdout, /a token is shown once.* # the console was not tested: .*apt-get install -y chromium/)
  assert.match(skipped.stdout, /pass 0\n[\s\S]*skipped 3\n/)
  const failed = run({ CI: 'true' })
  assert.equal(failed.status, 1)
  assert.match(failed.stdout, /apt-get install -y chromium/)
})

test("the check of the console's pages finds inaccessible elements, and pages wider than the screen", async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { page } = await openPage(browser)
  await page.setContent('<main><p style="width: 900px; color: #ccc; background: white">Faint</p><input></main>')
  const found = (await findViolations(page, 'faulty')).join('\n')
  assert.match(found, /faulty-1280-light: color-contrast: .*Faint/)
  assert.match(found, /faulty-1280-light: label: <input/)
  assert.match(found, /faulty-400: wider than the screen/)
  assert.match(found, /faulty-400-dark: color-contrast: .*Faint/)
})
