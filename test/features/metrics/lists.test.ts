/** The figures of lists, the page of an operation and the one of a caller, in a real browser (specification 19). */
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { openMetricRows } from '../../../src/features/metrics/rows.ts'
import { openTestAdmin } from '../../support/admin.ts'
import { findViolations, goWithin, openBrowser, openPage, openPageOf, signIn } from '../../support/browser.ts'
import { basic, send } from '../../support/client.ts'
import { findDatabase } from '../../support/databases.ts'
import { root } from '../../support/gateway.ts'
import { patience } from '../../support/patience.ts'
import { poll } from '../../support/poll.ts'
import { reportOf, writeMinutes } from './minutes.ts'

/** Three callers of an operation whose handler is broken for one of them, and of a cached one. */
async function open(t: TestContext, properties: Readonly<Record<string, string>> = { 'ig.monitor': 'on' }) {
  const browser = await openBrowser(t)
  if (!browser) return undefined
  const { admin, opened, ask } = await openTestAdmin(t, {
    database: findDatabase('SQLite'),
    properties,
    configure: (configuration) => ({
      ...configuration,
      limits: [{ ...limit, name: 'SELDOM', operations: ['CACHED_TIME_GET.v1'] }],
    }),
  })
  const call = (path: string, operator?: string) =>
    send(opened.url, `GET ${root}/${path}`, operator === undefined ? {} : { headers: basic(operator) })
  for (let count = 0; count < 3; count += 1) await call('ECHO.v1/echo/x')
  await call('CACHED_TIME.v1/', 'DEMO')
  await call('CACHED_TIME.v1/', 'DEMO')
  const { page, complaints } = await openPage(browser)
  const violations: string[] = []
  const look = async (name: string) => void violations.push(...(await findViolations(page, name)))
  return { admin, opened, ask, page, complaints, violations, look }
}

const limit = {
  by: ['operation' as const],
  calls: 1,
  per: '1h',
  burst: 2,
  services: [],
  operators: [],
  exceptOperators: [],
}

test('19.3, 19.5, 19.8, 21.22, 21.23, 43.6 lists have the figures of the day, all callers of an operation take two clicks, and whether X may call Y three', async (t) => {
  const it = await open(t)
  if (!it) return
  const { page, look } = it
  const minute = Math.floor(Date.now() / 60_000) * 60_000 - 30 * 60_000
  const rows = await writeMinutes(minute, [
    [reportOf('ECHO_GET.v1', 1200), reportOf('ECHO_GET.v1', 7, { outcome: 'failed', status: '5xx', code: 500 })],
  ])
  await openMetricRows(it.opened.gateway.store.databases).write('gone.example:8080/x', rows, Date.now())
  await poll(async () => (await it.ask('GET /api/monitor/use?by=operator&id=DEMO&id=GUEST')).body.items.length === 2)
  await signIn(page, it.admin.url, 'an administrator')

  // All callers of an operation
  await openPageOf(page, 'Operations')
  const operations = page.getByRole('region', { name: 'Operations' })
  const echo = operations.getByRole('row', { name: /^ECHO_GET.v1/ })
  await echo.getByRole('cell', { name: '1,207' }).waitFor()
  await echo.getByRole('cell', { name: '7', exact: true }).waitFor()
  await echo.getByRole('cell', { name: 'just now' }).waitFor()
  await look('operations-figures')
  await echo.getByRole('link', { name: '1 callers of ECHO_GET.v1' }).click()
  const callers = page.getByRole('region', { name: 'Callers' })
  await callers.getByRole('row', { name: /^GUEST 3 0 0 (\d{4}-|\d\d:)/ }).waitFor()
  await page.getByRole('columnheader', { name: 'Calls' }).getByRole('button').click()
  await page.getByRole('columnheader', { name: 'Calls' }).and(page.locator('[aria-sort=ascending]')).waitFor()
  await look('operation-callers')
  await page.getByRole('searchbox', { name: 'Search callers' }).fill('nobody')
  await page.getByText('No matches.').waitFor()

  // What the cache and the limits have of one
  await goWithin(page, '/console/operations/CACHED_TIME_GET.v1?range=24h')
  await page.getByRole('region', { name: 'Cache' }).getByText('1 entry.').waitFor()
  await page.getByRole('region', { name: 'Limits' }).getByText('SELDOM: 1 in 1h by operation').waitFor()
  await page.getByRole('region', { name: 'Last failures' }).getByText('None among the calls').waitFor()
  await goWithin(page, '/console/operations/ECHO_GET.v1?range=24h')
  await page.getByRole('region', { name: 'Last 24 hours' }).getByRole('row', { name: 'Failed 7' }).waitFor()
  await look('operation-overview')

  using database = new DatabaseSync(it.opened.gateway.settings.database, { timeout: patience })
  database.exec('drop table C_KEY_VALUE')
  await send(it.opened.url, `GET ${root}/KEY_VALUE.v1/a`, { headers: basic('DEMO2') })
  await poll(async () => (await it.ask('GET /api/monitor/use?by=operator&id=DEMO2')).body.items[0]?.failed === 1)
  await goWithin(page, '/console/operations/KEY_VALUE_GET.v1?range=24h')
  const failures = page.getByRole('region', { name: 'Last failures' })
  await failures.getByText('C_KEY_VALUE').waitFor()
  await page.getByRole('link', { name: 'All calls' }).waitFor()
  await look('operation-failed')
  assert.match(
    String(await failures.getByRole('link', { name: 'All failed calls' }).getAttribute('href')),
    /outcome=failed/,
  )

  // Whether a caller may call it
  await goWithin(page, '/console/home')
  await openPageOf(page, 'Callers')
  const demo = page
    .getByRole('region', { name: 'Callers' })
    .getByRole('row', { name: /^DEMO2? / })
    .first()
  await demo.getByRole('link', { name: '2 calls of DEMO' }).waitFor()
  await look('callers-figures')
  await demo.getByRole('link', { name: 'DEMO', exact: true }).click()
  await page.getByRole('combobox', { name: 'Operation' }).fill('cached')
  await page.getByRole('option', { name: 'CACHED_TIME_GET.v1' }).click()
  await page.getByText('Yes, by REFERENCE_ALL').waitFor()
  await page.getByRole('region', { name: 'Last 24 hours' }).getByRole('row', { name: 'Calls 2' }).waitFor()
  await look('caller')
  await page.getByRole('checkbox', { name: 'REFERENCE_ALL' }).click()
  await page.getByText('No, it needs REFERENCE_ALL').waitFor()
  await look('caller-may-not')

  await openPageOf(page, 'Identity providers')
  await page.getByRole('row', { name: /^SAMPLE_ISSUER .* –/ }).waitFor()
  await openPageOf(page, 'Permissions')
  await page.getByRole('row', { name: /^PUBLIC \d+ \d+/ }).waitFor()
  await look('permission-lists')
  await openPageOf(page, 'Schemas')
  await page.getByRole('columnheader', { name: 'Used by' }).waitFor()
  await page.getByRole('row', { name: /^ECHO_DOCUMENT \d/ }).waitFor()
  await look('documents')
  assert.deepEqual([it.violations, it.complaints], [[], []])
})

test('19.3, 19.5 without monitor and metrics the lists have no columns of theirs, and the most frequent callers are those of the metrics', async (t) => {
  const off = await open(t, { 'ig.metrics': 'off' })
  if (!off) return
  const { page } = off
  await signIn(page, `${off.admin.url}/console/operations`, 'an viewer')
  await page.getByRole('link', { name: 'ECHO_GET.v1' }).waitFor()
  await page.getByRole('columnheader', { name: 'Callers' }).waitFor({ state: 'detached' })
  await page.getByRole('columnheader', { name: 'Calls' }).waitFor({ state: 'detached' })
  await goWithin(page, '/console/operations/ECHO_GET.v1?tab=callers')
  await page.getByText('Set ig.metrics=on').waitFor()
  await off.look('callers-off')
  assert.deepEqual([off.violations, off.complaints], [[], []])
})

test('19.3 with the monitor off the tab Callers says so, and has the most frequent ones', async (t) => {
  const it = await open(t, {})
  if (!it) return
  const { page } = it
  await signIn(page, `${it.admin.url}/console/operations/ECHO_GET.v1?tab=callers`, 'an viewer')
  await page.getByText('The monitor is off').waitFor()
  await page.getByRole('region', { name: 'Top callers' }).getByRole('link', { name: 'GUEST' }).waitFor()
  await it.look('callers-frequent')
  assert.deepEqual([it.violations, it.complaints], [[], []])
})
