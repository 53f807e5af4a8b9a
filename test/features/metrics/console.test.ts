/** The console's first page before real calls: what it shows, that it moves, and when it asks nothing (specification 20.9). */
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { openAlertRows } from '../../../src/features/metrics/alert-rows.ts'
import type { Settings } from '../../../src/settings.ts'
import { hasMonitor, openTestAdmin } from '../../support/admin.ts'
import { findViolations, goWithin, openBrowser, openPage, openPageOf, signIn } from '../../support/browser.ts'
import { basic, send } from '../../support/client.ts'
import { findDatabase } from '../../support/databases.ts'
import { root } from '../../support/gateway.ts'
import { openInterruptible } from '../../support/interruptible.ts'
import { patience } from '../../support/patience.ts'
import { writeYesterday } from './yesterday.ts'

const database = findDatabase('SQLite')
const chart = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const operations = (page: Page) => page.getByRole('region', { name: 'Operations', exact: true })

test('20.8, 20.9, 43.7 without calls a curl line is shown; after calls charts, refusals and operations', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { admin, opened } = await openTestAdmin(t, { database })
  const { page, complaints } = await openPage(browser)
  const violations: string[] = []
  const look = async (name: string) => void violations.push(...(await findViolations(page, name)))
  await signIn(page, admin.url, 'an viewer')
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
  await page.getByRole('heading', { name: 'No calls in the last 5 minutes' }).waitFor()
  const line = page.getByText('curl -i')
  await line.waitFor()
  await look('overview-empty')

  const [, url = ''] = /'(http[^']+)'/.exec(await line.innerText()) ?? []
  assert.equal((await fetch(url)).status, 200, `${url} is a call that works`)
  for (let count = 0; count < 5; count++) {
    await send(opened.url, `GET ${root}/CACHED_TIME.v1/`, { headers: basic('DEMO') })
    await send(opened.url, `GET ${root}/NOWHERE.v1/`)
  }
  await operations(page).getByRole('link', { name: 'CACHED_TIME_GET.v1' }).waitFor()
  await chart(page, 'Calls per second')
    .getByRole('img', { name: /^Calls per second, from [\d:]+ on\. All: now/ })
    .waitFor()
  await chart(page, 'Calls per second')
    .getByRole('img', { name: /Cache hit rate: now [^.]+, highest [1-9]\d* %$/ }) // how many are hits depends on the steps that share the calls
    .waitFor()
  await chart(page, 'Refusals by code')
    .getByRole('row', { name: /operationNotFound.* 5 45.5 %/ })
    .waitFor()
  await look('overview')
  await chart(page, 'Latency in ms').getByText('Show as table').click()
  await page.getByRole('region', { name: 'Latency in ms, as a table' }).getByRole('row').nth(60).waitFor()
  await look('overview-table')
  await writeYesterday(opened.gateway.store.databases)
  await page.getByText('Yesterday', { exact: true }).click()
  await page.getByText('Slowest', { exact: true }).click()
  const slowest = operations(page).getByRole('row').nth(1)
  await slowest.getByText('SLOW_GET.v1').waitFor()
  assert.match(await slowest.innerText(), /120\s+0\s+120\s+100 %\s+2,000 ms/, 'two clicks name it')
  await drag(page, chart(page, 'Calls per second').getByRole('img'), async () => {
    await page
      .locator('.chart-tip')
      .getByText(/Failure rate\s*50 %/)
      .waitFor()
    assert.match(await page.locator('.chart-tip').innerText(), /^\d{4}-\d\d-\d\d \d\d:\d\d\s+All\s+\d/)
  })
  await page.getByRole('button', { name: 'Zoom out' }).waitFor()
  assert.match(page.url(), /[?&]from=[^&]+&to=/)
  await page.getByRole('button', { name: 'Zoom out' }).click()
  await page.getByRole('button', { name: 'Zoom out' }).waitFor({ state: 'detached' })
  await chart(page, 'Status codes').getByRole('link', { name: '503' }).waitFor()
  await look('overview-yesterday')
  await page.setViewportSize({ width: 400, height: 860 })
  await operations(page).getByRole('link', { name: 'SLOW_GET.v1' }).click()
  await page.getByRole('heading', { name: 'SLOW_GET.v1', level: 1 }).waitFor()
  await chart(page, 'Top callers').getByRole('link', { name: 'DEMO' }).waitFor()
  assert.match(page.url(), /\/console\/operations\/SLOW_GET\.v1\?range=yesterday$/)
  await page.getByText('There is no operation SLOW_GET.v1 in the active configuration.').waitFor()
  await page.getByRole('region', { name: 'Latest calls' }).waitFor()
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 400)
  await look('overview-operation')
  await page.setViewportSize({ width: 1280, height: 860 })

  failKeyValue(opened)
  for (let count = 0; count < 20; count++) {
    assert.equal((await send(opened.url, `GET ${root}/METADATA_BASIC.v1/`)).status, 401)
    await send(opened.url, `GET ${root}/KEY_VALUE.v1/a`, { headers: basic('DEMO') })
  }
  await openPageOf(page, 'Home')
  await page.getByText('1 alert now').waitFor()
  await page.getByText('1 of 11 operations fails since').waitFor()
  await page.getByText('KEY_VALUE_GET.v1: 20 of 20 calls failed in the last 5 minutes').waitFor()
  await look('overview-alert')
  await chart(page, 'Refusals by code').getByRole('link', { name: 'operationNotFound' }).click()
  await page.getByText('The monitor is off').waitFor()
  assert.match(page.url(), /\/console\/calls\?refusal=operationNotFound$/)
  assert.deepEqual([violations, complaints], [[], []])
})

test('43.7, 43.8, 43.9, 19.2 the page of alerts says since when, what it means and what to do; a silence takes one click, and the history has what ended', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { admin, opened } = await openTestAdmin(t, { database })
  const { page, complaints } = await openPage(browser)
  const violations: string[] = []
  await signIn(page, `${admin.url}/console/alerts`, 'an operator')
  await page.getByText('Nothing is wrong').waitFor()
  violations.push(...(await findViolations(page, 'alerts-none')))
  const rows = openAlertRows(opened.gateway.store.databases)
  const now = opened.gateway.now() + opened.gateway.store.clockOffset
  const slow = {
    name: 'GatewaySlow',
    subject: 'CACHED_TIME_GET.v1',
    detail: 'one in twenty calls took longer than 3,000 ms',
  }
  await rows.follow([slow], now - 300_000)
  await rows.follow([], now - 200_000)
  const failing = { name: 'GatewayFaults', subject: 'ECHO_GET.v1', detail: '40 % of its calls failed' }
  const full = { name: 'GatewayStoreFull', subject: 'gateway-1:8080', detail: 'The disk of the database is full' }
  await rows.follow([failing, full], now) // by no one again: they end in a minute
  const card = page.getByRole('listitem', { name: 'GatewayFaults:ECHO_GET.v1' })
  await card.getByRole('heading', { name: 'Calls fail' }).waitFor()
  await card.getByText('40 % of its calls failed').waitFor()
  await card.getByText(/If a revision began it, roll it back/).waitFor()
  const link = await card.getByRole('link', { name: 'More on GatewayFaults' }).getAttribute('href')
  assert.equal(link, '/docs/how-to/alerts#gatewayfaults')
  await page.getByRole('link', { name: 'Alerts 2 alerts' }).waitFor()
  await page.getByRole('button', { name: 'Silence for 8 hours: GatewayFaults:ECHO_GET.v1' }).click()
  await card.getByText(/silenced by an operator until/).waitFor()
  await page.getByRole('link', { name: 'Alerts 1 alert', exact: true }).waitFor()
  await page.getByRole('region', { name: 'Ended alerts' }).getByRole('link', { name: 'CACHED_TIME_GET.v1' }).waitFor()
  violations.push(...(await findViolations(page, 'alerts')))
  await goWithin(page, '/console/home')
  await page.getByText('1 alert now').waitFor()
  await page.getByRole('link', { name: '1 alert now' }).click()
  await page.getByRole('button', { name: 'End silence of GatewayFaults:ECHO_GET.v1' }).click()
  await page.getByRole('button', { name: 'Silence for another time: GatewayFaults:ECHO_GET.v1' }).click()
  await page.getByRole('menuitem', { name: 'for 1 week' }).click()
  await page.getByText('GatewayFaults:ECHO_GET.v1 is silent for 1 week.').waitFor()
  assert.deepEqual([violations, complaints], [[], []])
})

test('43.11, 43.13 an operation with an slo says what is left of its errors of the last day; slow calls have a badge and a filter', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  let taken = 0
  let late = 0
  const { admin, opened } = await openTestAdmin(t, {
    database,
    now: () => Date.now() + (late += taken),
    properties: hasMonitor ? { 'ig.monitor': 'on' } : {},
    configure: (configuration) => ({
      ...configuration,
      operations: configuration.operations.map((operation) =>
        operation.name === 'METADATA' ? { ...operation, slo: { availability: '90%', latency: '1s' } } : operation,
      ),
    }),
  })
  const { page, complaints } = await openPage(browser)
  const violations: string[] = []
  const call = () => send(opened.url, `GET ${root}/METADATA.v1/`)
  for (let count = 0; count < 39; count += 1) await call()
  taken = 1000
  const { headers } = await call()
  taken = 0
  late += 120_000 // the minute is stored
  await signIn(page, `${admin.url}/console/operations/METADATA_GET.v1?range=1h`, 'an viewer')
  const objective = page.getByRole('region', { name: 'Objective' })
  await objective
    .getByText('Objective: 90 % of calls do not fail and take at most 1,000 ms. Last day: 0 failed, 1 slow')
    .waitFor()
  await objective.getByText('75 % of the errors it allows are left').waitFor()
  violations.push(...(await findViolations(page, 'operation-objective')))
  if (hasMonitor) {
    await goWithin(page, '/console/calls')
    await page.getByRole('radiogroup', { name: 'Outcome' }).getByText('Slow', { exact: true }).click()
    const rows = page.getByRole('row').filter({ hasText: 'METADATA_GET.v1' })
    await rows.getByText('Slow', { exact: true }).waitFor()
    assert.equal(await rows.count(), 1)
    violations.push(...(await findViolations(page, 'calls-slow')))
    await goWithin(page, `/console/calls/${headers['ig-transaction-id']}`)
    await page.getByRole('heading', { name: 'Steps' }).waitFor()
    await page.getByRole('region', { name: 'Call', exact: true }).getByText('Slow', { exact: true }).waitFor()
    violations.push(...(await findViolations(page, 'call-slow')))
  }
  assert.deepEqual([violations, complaints], [[], []])
})

/** Its handlers need a table. */
function failKeyValue({ gateway }: { readonly gateway: { readonly settings: Settings } }): void {
  using database = new DatabaseSync(gateway.settings.database, { timeout: patience })
  database.exec('drop table C_KEY_VALUE')
}

/** From the middle a little to the right. */
async function drag(page: Page, chart: Locator, whileDragged: () => Promise<void>): Promise<void> {
  await chart.scrollIntoViewIfNeeded()
  const { x = 0, y = 0, width = 0 } = (await chart.boundingBox()) ?? {}
  await page.mouse.move(x + 30 + width / 2, y + 60)
  await page.mouse.down()
  await page.mouse.move(x + 45 + width / 2, y + 60)
  await whileDragged()
  await page.mouse.up()
}

test('without operators the page says that the curl line will be refused; it reports an operation that does not exist; a suggested line works', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { admin } = await openTestAdmin(t, { database, hasOperators: false })
  const { page, complaints } = await openPage(browser)
  await signIn(page, admin.url, 'an viewer')
  const line = page.getByText('curl -i')
  await page.getByText('The gateway refuses it until you add a caller').waitFor()
  const [, url = ''] = /'(http[^']+)'/.exec(await line.innerText()) ?? []
  assert.equal((await fetch(url)).headers.get('ig-refusal'), 'permissionDenied')
  await page.goto(`${admin.url}/console/overview/NOPE_GET.v1`)
  await page.getByText('There is no operation NOPE_GET.v1 in the active configuration.').waitFor()
  const violations = [...(await findViolations(page, 'overview-no-such-operation'))]
  await goWithin(page, '/console/operations/ECHO_GET.v1')
  await page.getByText('No calls in the last').waitFor()
  await signIn(page, `${admin.url}/console/operators`, 'an administrator')
  await page.getByRole('link', { name: 'Add the first caller' }).click()
  await page.getByRole('dialog', { name: 'Add caller' }).waitFor()
  violations.push(...(await findViolations(page, 'first-operator')))
  assert.deepEqual([violations, complaints], [[], []])
})

test('the overview updates with the calls, and sends no requests while its tab is hidden', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { admin, opened } = await openTestAdmin(t, { database })
  const { page, complaints } = await openPage(browser, { isAlone: true })
  const call = () => send(opened.url, `GET ${root}/METADATA.v1/`)
  const calls = () =>
    operations(page)
      .getByRole('row', { name: /METADATA_GET/ })
      .getByRole('cell')
      .nth(2)
  await call()
  await page.clock.install()
  await signIn(page, admin.url, 'an viewer')
  await calls().getByText('1', { exact: true }).waitFor()
  await call()
  await calls().getByText('2', { exact: true }).waitFor()

  const show = (state: 'hidden' | 'visible') =>
    page.evaluate((state) => {
      const { document, Event } = globalThis as unknown as { document: EventTarget; Event: typeof globalThis.Event }
      Object.defineProperty(document, 'visibilityState', { value: state, configurable: true })
      document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))
    }, state)
  await show('hidden')
  let asked = 0
  page.on('request', () => void asked++)
  await call()
  for (let count = 0; count < 5; count++) await page.clock.fastForward(60_000)
  assert.equal(asked, 0)
  await show('visible')
  await calls().getByText('3', { exact: true }).waitFor()
  assert.deepEqual(complaints, [])
})

test('19.4, 20.10 during a store outage shown content stays, and updates when the database is back', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const interruptible = await openInterruptible(t)
  const { admin, opened } = await openTestAdmin(t, { database: interruptible })
  const { page, complaints } = await openPage(browser)
  await send(opened.url, `GET ${root}/METADATA.v1/`)
  await signIn(page, admin.url, 'an administrator')
  await operations(page).getByRole('link', { name: 'METADATA_GET.v1' }).waitFor()
  interruptible.cut()
  await page.getByText('The database is not responding').first().waitFor()
  const violations = await findViolations(page, 'overview-away')
  await operations(page).getByRole('link', { name: 'METADATA_GET.v1' }).waitFor()
  await send(opened.url, `GET ${root}/NOWHERE.v1/`)
  interruptible.mend()
  await operations(page).getByRole('link', { name: 'Unknown operations' }).waitFor()
  await page.getByText('The database is not responding').first().waitFor({ state: 'detached' })
  assert.deepEqual([violations, complaints], [[], []])
})

test('20.9 an instance with another revision is marked, and so is one that has not reported for a while', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { admin, opened } = await openTestAdmin(t, { database })
  const { page, complaints } = await openPage(browser)
  const now = Date.now()
  const tell = (host: string, revision: number, seen: number) => {
    const facts = { host, url: `http://${host}:8080`, version: '0.1.0', processes: 2, revision }
    const row = { id: `${host}:8080`, started: now - 3_600_000, seen, facts: JSON.stringify(facts) }
    return opened.gateway.store.instances.beat(row, 0)
  }
  await tell('new.example', 1, now)
  await tell('late.example', 7, now)
  await tell('gone.example', 1, now - 60_000)
  await signIn(page, `${admin.url}/console/instances`, 'an viewer')
  const row = (name: string) => page.getByRole('row').filter({ hasText: name })
  await row('new.example').getByText('up to date').waitFor()
  await row('late.example').getByText('different revision').waitFor()
  await row('gone.example').getByText('not responding').waitFor()
  assert.match(await row('gone.example').innerText(), /\b\d{2,3} s ago/)
  assert.deepEqual([await findViolations(page, 'overview-instances'), complaints], [[], []])
})

test('20.7 if calls are not counted, the overview says so', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { admin } = await openTestAdmin(t, { database, properties: { 'ig.metrics': 'off' } })
  const { page, complaints } = await openPage(browser)
  await signIn(page, admin.url, 'an administrator')
  await page.getByText('Set ig.metrics=on and restart the gateway.').first().waitFor()
  assert.deepEqual([await findViolations(page, 'overview-off'), complaints], [[], []])
})
