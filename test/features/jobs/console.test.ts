/** The page of the job runs in a real browser (specification 24.11). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openJobs } from '../../../src/features/jobs/rows.ts'
import { openTestAdmin } from '../../support/admin.ts'
import { findViolations, openBrowser, openPage, openPageOf, signIn } from '../../support/browser.ts'
import { makeProject } from '../../support/cli.ts'
import { findDatabase } from '../../support/databases.ts'

test('19.5, 24.11 the console shows the jobs with their schedule and state, and an administrator requests a run', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const folder = makeProject({
    'gateway.config.js': `export default {
  nodes: [{ name: 'LOCAL_NODE', isDefaultLocal: true }],
  jobs: [{ name: 'WORK', at: '0 3 * * *', timeZone: 'Europe/Berlin', handler: 'handlers/work.js' }],
}`,
    'handlers/work.js': 'export default class Work { run() {} }\n',
  })
  const opened = await openTestAdmin(t, { database: findDatabase('SQLite'), folder, hasOperators: false })
  const { page, complaints } = await openPage(browser)
  await signIn(page, `${opened.admin.url}/console/`, 'an administrator')
  await openPageOf(page, 'Jobs', 'Runs')
  await page.getByRole('cell', { name: 'at 0 3 * * * (Europe/Berlin)' }).waitFor()
  await page.getByText('never ran').waitFor()
  await page.getByRole('button', { name: 'Run WORK' }).click()
  const violations = [...(await findViolations(page, 'job-runs'))]
  await page.getByRole('dialog').getByRole('button', { name: 'Run' }).click()
  await page.getByText('A run of WORK is requested.').waitFor()
  await page.getByRole('cell', { name: 'requested' }).waitFor()
  assert.equal((await openJobs(opened.opened.gateway.store.databases).list())[0]?.requester, 'an administrator')
  await openPageOf(page, 'Jobs', 'Jobs')
  await page.getByRole('row', { name: /^WORK 0 3 \* \* \* requested – / }).waitFor()
  violations.push(...(await findViolations(page, 'jobs-figures')))
  await page.getByRole('link', { name: 'WORK' }).click()
  await page.getByLabel('Time zone').waitFor()
  assert.equal(await page.getByLabel('Cron expression').inputValue(), '0 3 * * *')
  assert.deepEqual([violations, complaints], [[], []])
})
