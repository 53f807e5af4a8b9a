/** The console's monitor before real calls: list, filters, live tail, details, and what a viewer may (specification 21). */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import type { Role } from '../../../src/actions/roles.ts'
import type { Configuration } from '../../../src/configuration/configuration.ts'
import { openMonitorStore } from '../../../src/features/monitor/monitor-store.ts'
import { openLogs } from '../../../src/observe/open-logs.ts'
import { openTestAdmin, password } from '../../support/admin.ts'
import { findViolations, goWithin, openBrowser, openPage, openPageOf, signIn } from '../../support/browser.ts'
import { basic, type CallOptions, send } from '../../support/client.ts'
import { findDatabase } from '../../support/databases.ts'
import { root } from '../../support/gateway.ts'
import { poll } from '../../support/poll.ts'
import { fast } from './fast.ts'

const demo = { headers: basic('DEMO') }

async function open(t: TestContext, properties: Readonly<Record<string, string>> = {}) {
  const browser = await openBrowser(t)
  if (!browser) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'ig-console-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const { admin, opened, ask, observations } = await openTestAdmin(t, {
    database: findDatabase('SQLite'),
    features: fast,
    properties: {
      'ig.monitor': 'on',
      'ig.messageLog.filename': join(folder, 'msgLog.html'),
      'ig.errorLog.filename': join(folder, 'errorLog.html'),
      ...properties,
    },
    configure: withMessagesOfEcho,
  })
  const { page, complaints } = await openPage(browser)
  const violations: string[] = []
  return {
    page,
    ask,
    database: opened.gateway.settings.database,
    /** @param line `GET ECHO.v1/echo/x` @returns the transaction id */
    async call(line: string, options?: CallOptions): Promise<string> {
      const [method, path = ''] = line.split(/ (.*)/s)
      const { headers } = await send(opened.url, `${method} ${root}/${path}`, options)
      return String(headers['ig-transaction-id'])
    },
    untilKept: (id: string) => poll(async () => (await ask(`GET /api/monitor/transactions/${id}`)).status !== 404),
    async writeLogs() {
      const logs = openLogs(opened.gateway.settings, { write() {} })
      for (const observation of observations) logs.observe(observation)
      await logs.close()
    },
    visit: (path: string, role: Role = 'administrator') => signIn(page, `${admin.url}/console${path}`, `an ${role}`),
    address: () => page.url().slice(`${admin.url}/console`.length),
    look: async (name: string) => void violations.push(...(await findViolations(page, name))),
    faults: () => [violations, complaints],
  }
}

const withMessagesOfEcho = (configuration: Configuration): Configuration => ({
  ...configuration,
  operations: configuration.operations.map((operation) =>
    operation.name === 'ECHO' ? { ...operation, logDetail: 'headerAndDetail' as const } : operation,
  ),
})

const rows = (page: Page) => page.getByRole('region', { name: 'Calls', exact: true }).locator('tbody tr')
const callPage = (page: Page) => page.getByRole('region', { name: 'Call', exact: true })

test('21.8, 21.10, 21.11, 21.14 a call is seen within the poll, in an empty list by itself, and found by the name it claims; its transaction is an address, with steps, links to all it names and Try it', async (t) => {
  const console = await open(t)
  if (!console) return
  const { page, call, visit, look, address } = console
  await visit('/calls')
  await page.getByText('No calls yet.').waitFor()
  await look('monitor-empty')
  const id = await call('GET KEY_VALUE.v1/nothing?transaction=x', demo)
  await rows(page).first().waitFor()
  assert.equal(await rows(page).count(), 1)
  assert.equal(await page.getByText('No calls yet.').count(), 0)
  assert.deepEqual(
    (await rows(page).getByRole('cell').allInnerTexts())
      .slice(1)
      .map((text) => text.replace(/[\d.,]+ ms/, 'N ms').replaceAll('\n', '')),
    ['Served', '200', 'KEY_VALUE_GET.v1GET /KEY_VALUE.v1/nothing?transaction=x', 'DEMO', 'N ms', ''],
  )
  await call('GET NOWHERE.v1/')
  const wrong = await call('GET KEY_VALUE.v1/a', { headers: basic('DEMO', 'wrong') })
  await page.getByRole('button', { name: '2 newer' }).waitFor()
  await look('monitor-newer')
  await page.getByRole('button', { name: '2 newer' }).click()
  assert.equal(await rows(page).count(), 3)
  await look('monitor')
  await page.getByRole('searchbox', { name: 'Claimed name' }).fill('demo')
  await rows(page).nth(1).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Columns, export and views of Calls' }).click()
  await page.getByRole('menuitemcheckbox', { name: 'Claimed name' }).click()
  await page.keyboard.press('Escape')
  await rows(page).getByRole('cell', { name: 'DEMO', exact: true }).waitFor()
  await rows(page).click()
  const steps = callPage(page).getByRole('region', { name: 'Steps' })
  await steps.getByRole('row', { name: 'authentication refused' }).getByText('wrong password').waitFor()
  assert.equal(address(), `/calls/${wrong}?claimed=demo`)
  await look('transaction-refused')
  await callPage(page).getByRole('link', { name: 'Again in Try it' }).click()
  await page.getByRole('heading', { name: 'Calls', level: 1 }).waitFor()
  assert.equal(address(), '/try?operation=KEY_VALUE_GET.v1&method=GET&path=%2FKEY_VALUE.v1%2Fa')
  await page.goBack()
  await page.keyboard.press('Escape')
  await callPage(page).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await rows(page).nth(2).waitFor()

  await rows(page).last().getByRole('link').focus()
  await page.keyboard.press('Enter')
  await callPage(page).getByText(id, { exact: true }).waitFor()
  assert.equal(address(), `/calls/${id}`)
  await look('transaction')
  await page.keyboard.press('Escape')
  await callPage(page).waitFor({ state: 'detached' })
  assert.equal(address(), '/calls')
  await page.goBack()
  await callPage(page).getByText(id, { exact: true }).waitFor()
  await page.reload()
  for (const [link, heading] of [
    ['KEY_VALUE_GET.v1', 'KEY_VALUE_GET.v1'],
    ['Figures', 'KEY_VALUE_GET.v1'],
    ['DEMO', 'DEMO'],
    ['LOCAL_NODE', 'LOCAL_NODE'],
    ['Message log', 'Calls'],
  ] as const) {
    await callPage(page).getByRole('link', { name: link }).click()
    await page.getByRole('heading', { name: heading, level: 1 }).waitFor()
    await page.goBack()
  }

  await goWithin(page, page.url().replace(id, '00000000-0000-4000-8000-000000000000'))
  await callPage(page)
    .getByText(/There is no call/)
    .waitFor()
  await look('transaction-gone')
  assert.deepEqual(console.faults(), [[], []])
})

test('21.8, 21.16 filters are in the address: a shared view shows the same, and clearing them shows everything', async (t) => {
  const console = await open(t)
  if (!console) return
  const { page, call, untilKept, visit, look, address } = console
  for (const line of ['GET METADATA.v1/', 'GET ECHO.v1/echo/one', 'GET ECHO.v1/echo/two', 'GET NOWHERE.v1/'])
    await call(line)
  await untilKept(await call('GET CACHED_TIME.v1/'))
  await visit('/monitor?status=Error&nonsense=1')
  await rows(page).nth(1).waitFor()
  assert.equal(await rows(page).count(), 2)
  await openPageOf(page, 'Calls')
  await rows(page).nth(4).waitFor()

  await page.getByRole('combobox', { name: 'Operation' }).fill('echo')
  await page.getByRole('option', { name: 'ECHO_GET.v1' }).click()
  await rows(page).nth(2).waitFor({ state: 'detached' })
  assert.equal(await rows(page).count(), 2)
  await page.getByRole('searchbox', { name: 'URL contains' }).fill('TWO')
  await rows(page).nth(1).waitFor({ state: 'detached' })
  assert.equal(address(), '/calls?operation=ECHO_GET.v1&url=TWO')
  await page.getByText('About 1 match').waitFor()
  const shared = page.url()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await rows(page).nth(4).waitFor()
  assert.equal(await page.getByRole('searchbox', { name: 'URL contains' }).inputValue(), '')
  await page.goto(shared)
  await rows(page).first().waitFor()
  assert.equal(await rows(page).count(), 1)
  await page.getByRole('button', { name: 'Clear filters' }).click()

  await page.getByRole('button', { name: 'More filters' }).click()
  await page.getByRole('combobox', { name: 'Refusal' }).fill('basic')
  await page.getByRole('option', { name: 'basicRejected' }).click()
  await page.getByRole('cell', { name: 'CACHED_TIME_GET.v1' }).waitFor()
  await rows(page).nth(1).waitFor({ state: 'detached' })
  await look('monitor-filters')
  await page.getByRole('textbox', { name: 'HTTP status' }).fill('499')
  await page.getByText('No calls match.').waitFor()
  await look('monitor-nothing-found')
  assert.equal(address(), '/calls?refusal=basicRejected&httpStatus=499')
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.getByLabel('From', { exact: true }).fill('2026-01-01T00:00:00')
  await page.getByLabel('Until', { exact: true }).fill('2026-01-02T00:00:00')
  await page.getByText('No calls match.').waitFor()
  assert.match(decodeURIComponent(address()), /from=20\d\d-\d\d-\d\dT[\d:.]+Z&to=20\d\d-\d\d-\d\dT[\d:.]+Z$/)
  assert.deepEqual(console.faults(), [[], []])
})

test('21.20, 21.21, 21.8, 21.19 Home leads to the last failed and the slowest calls; period and order are in the address, and the next call is also that of the next page', async (t) => {
  const console = await open(t)
  if (!console) return
  const { page, call, untilKept, database, visit, look, address } = console
  await untilKept(await call('GET ECHO.v1/echo/first'))
  const store = await openMonitorStore(database)
  t.after(() => store.close())
  const [first] = (await store.list({ filter: {}, limit: 1 })).transactions
  assert.ok(first)
  const hour = 3_600_000
  const idOf = (at: number) => `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`
  const transactions = Array.from({ length: 120 }, (_, at) => ({
    ...first,
    transactionId: idOf(at),
    time: first.time - at - 1 - (at < 60 ? 0 : 3 * hour),
    durationMs: at === 70 ? 4321 : 10 + at / 100,
    ...(at % 2 === 1 && { outcome: 'failed' as const, httpStatus: 500, refusal: 'handlerFailed' as const }),
    messages: undefined,
  }))
  await store.append({ transactions, losses: [], isRepeated: false })
  await visit('/home')
  const part = (name: string) => page.getByRole('main').getByRole('region', { name }).first()
  await part('Last failed calls').locator('tbody tr').nth(4).waitFor()
  await part('Slowest calls of the day').getByText('4,320 ms').waitFor()
  await look('home-calls')
  await part('Last failed calls').locator('tbody tr').nth(1).click()
  await callPage(page).getByText('handlerFailed').first().waitFor()
  assert.equal(address(), `/calls/${idOf(3)}?outcome=failed&last=24h`)
  await page.keyboard.press('k')
  await callPage(page).getByText(idOf(1), { exact: true }).waitFor()
  await page.goBack()
  await part('Last failed calls').getByRole('link', { name: 'Failed in the last hour' }).click()
  await rows(page).nth(29).waitFor()
  await page.getByText('About 30 match').waitFor()
  assert.equal(address(), '/calls?outcome=failed&last=1h')
  await page.getByText('Slowest', { exact: true }).click()
  await rows(page).first().getByText('10.6 ms').waitFor()
  await page.getByText('Last day', { exact: true }).click()
  await page.getByText('All', { exact: true }).click()
  await rows(page).first().getByText('4,320 ms').waitFor()
  assert.equal(address(), '/calls?last=24h&sort=-durationMs')
  await look('calls-slowest')
  await page.getByText('Newest', { exact: true }).click()
  await rows(page).nth(49).getByRole('link').click()
  await callPage(page).getByText(idOf(48), { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Next call (j)' }).click()
  await callPage(page).getByText(idOf(49), { exact: true }).waitFor()
  assert.deepEqual(console.faults(), [[], []])
})

test('21.9, 21.16, 21.8 if a match for part of the URL is further back than one page searches, the page offers to continue, and finds it', async (t) => {
  const console = await open(t)
  if (!console) return
  const { page, call, untilKept, database, visit, look, address } = console
  await untilKept(await call('GET ECHO.v1/echo/the-needle'))
  const store = await openMonitorStore(database)
  t.after(() => store.close())
  const [needle] = (await store.list({ filter: {}, limit: 1 })).transactions
  assert.ok(needle)
  const transactions = Array.from({ length: 20_000 }, (_, at) => {
    const transactionId = `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`
    return { ...needle, transactionId, url: '/hay', time: needle.time + 1 + at, messages: undefined }
  })
  await store.append({ transactions, losses: [], isRepeated: false })
  await visit('/calls?url=the-needle')
  const further = page.getByRole('button', { name: 'Search older calls' })
  await page.getByText('No matches among the calls searched so far.').waitFor()
  await page.getByText('0 of the newest 10,000 match').waitFor()
  await look('monitor-further-back')
  await further.click()
  // Twice: the second ten thousand have none either
  await Promise.race([
    page.getByText('the-needle').waitFor(),
    further.click({ trial: true }).then(() => further.click()),
  ])
  await page.getByText('echo/the-needle').waitFor()
  assert.equal(await rows(page).count(), 1)
  assert.equal(await further.count(), 0)
  assert.equal(address(), '/calls?url=the-needle')
  assert.deepEqual(console.faults(), [[], []])
})

test('21.10 new transactions are counted and held back; while the list is followed they appear by themselves, but not while rows below are read', async (t) => {
  const console = await open(t)
  if (!console) return
  const { page, call, untilKept, visit, look } = console
  const newest = () => rows(page).first().getByRole('cell').nth(3)
  let last = ''
  for (let count = 0; count < 60; count++) last = await call(`GET ECHO.v1/echo/${count}`)
  await untilKept(last)
  await visit('/calls')
  await rows(page).nth(49).waitFor()
  await page.getByRole('button', { name: 'Older calls' }).click()
  await rows(page).nth(59).waitFor()
  await page.getByRole('button', { name: 'Older calls' }).waitFor({ state: 'detached' })

  await page.getByRole('switch', { name: 'Follow' }).click({ force: true })
  await call('GET ECHO.v1/echo/first-followed')
  await page.getByText('first-followed').waitFor()
  assert.match((await newest().innerText()).trim(), /first-followed$/)
  await look('monitor-followed')

  const read = rows(page).nth(40)
  await read.scrollIntoViewIfNeeded()
  const [text, place] = [await read.innerText(), (await read.boundingBox())?.y]
  await call('GET ECHO.v1/echo/while-reading')
  await page.getByRole('button', { name: '1 newer' }).waitFor()
  assert.deepEqual([await read.innerText(), (await read.boundingBox())?.y], [text, place], 'nothing has moved')
  await page.getByRole('button', { name: '1 newer' }).click()
  await page.getByText('while-reading').waitFor()

  // More than are held: the list is read again
  await page.getByRole('switch', { name: 'Follow' }).click({ force: true })
  for (let count = 0; count < 310; count++) last = await call(`GET ECHO.v1/echo/many-${count}`)
  await page.getByRole('button', { name: /^More than \d+ newer$/ }).click()
  await page.getByText('many-309').waitFor()
  assert.ok((await rows(page).count()) <= 50)
  assert.deepEqual(console.faults(), [[], []])
})

test('times of monitor and logs are in the chosen zone, and an entry of the logs is one line', async (t) => {
  const console = await open(t, { 'ig.log.level': '5' })
  if (!console) return
  const { page, call, untilKept, writeLogs, visit } = console
  const browser = await page.context().newCDPSession(page)
  t.after(() => browser.detach()) // the zone of the machine again
  await browser.send('Emulation.setTimezoneOverride', { timezoneId: 'Asia/Kathmandu' }) // +05:45
  await call('GET ECHO.v1/echo/x')
  await untilKept(await call('GET METADATA_OAUTH2.v1/', demo))
  await writeLogs()
  for (const [path, table] of [
    ['/logs', 'Log entries'],
    ['/calls', 'Calls'],
  ] as const) {
    await visit(path)
    const lines = page.getByRole('region', { name: table }).locator('tbody tr')
    const time = lines.locator('time').first()
    const utc = (await time.getAttribute('datetime'))?.slice(11, 19) ?? ''
    assert.ok(!(await time.innerText()).includes(utc), path)
    await page.getByTitle('Show times in UTC').click()
    assert.ok((await time.innerText()).includes(utc), path)
    await page.getByTitle('Show times in Asia').click()
    if (path === '/logs') {
      const heights = await lines.evaluateAll((all) => all.map(({ clientHeight }) => clientHeight))
      assert.deepEqual([...new Set(heights)].length, 1, `${heights}`)
    }
  }
  assert.deepEqual(console.faults(), [[], []])
})

const markup = '<img src=x onerror=alert(1)><script>alert(2)</script>'

test('19.12, 21.11 headers, bodies and URLs of calls are shown as text, with secrets redacted; a failed one leads to its log entry', async (t) => {
  const console = await open(t, { 'ig.log.level': '5' })
  if (!console) return
  const { page, call, untilKept, writeLogs, visit, look } = console
  await page.addInitScript('globalThis.alert = (text) => { globalThis.hasRun = text }')
  const headers = { ...basic('DEMO'), 'x-markup': markup }
  const id = await call(`GET ECHO.v1/echo/${encodeURIComponent(markup)}?password=swordfish`, { headers })
  const failed = await call(`GET ${encodeURIComponent(markup)}.v1/<b>`)
  await untilKept(failed)
  await writeLogs()
  await visit(`/calls/${id}`)
  const request = callPage(page).getByRole('region', { name: 'Request headers' })
  await request.getByText(`x-markup: ${markup}`).waitFor()
  await callPage(page).getByRole('region', { name: 'Response body' }).getByText('&lt;img src=x').waitFor()
  await look('transaction-messages')
  const text = await callPage(page).innerText()
  assert.ok(!text.includes('swordfish') && !text.includes(headers.authorization), 'secrets are redacted')

  await goWithin(page, page.url().replace(id, failed))
  await callPage(page).getByText('operationNotFound').first().waitFor()
  await callPage(page).getByRole('link', { name: 'Error log' }).click()
  await page.getByRole('heading', { name: 'Calls', level: 1 }).waitFor()
  const entries = page.getByRole('region', { name: 'Log entries' })
  await entries.getByRole('cell', { name: 'operationNotFound' }).waitFor()
  await page.getByRole('button', { name: 'Columns, export and views of Log entries' }).click()
  await page.getByRole('menuitem', { name: 'Saved views' }).waitFor()
  assert.equal(await page.getByRole('menuitem', { name: 'CSV' }).count(), 0, 'only the ends of the logs are read')
  await page.keyboard.press('Escape')
  await page.getByRole('menu').waitFor({ state: 'detached' })
  const filled = await page.evaluate(`(() => {
    const line = document.querySelector('.log-line')
    const range = document.createRange()
    range.selectNodeContents(line)
    return range.getClientRects()[0].width / line.clientWidth
  })()`)
  assert.ok(Number(filled) > 0.9, `the text fills ${filled} of its line`)
  await entries.getByRole('cell', { name: 'operationNotFound' }).click()
  const entry = page.getByRole('dialog', { name: 'Log entry' })
  await entry.getByText(failed).waitFor()
  assert.match(console.address(), new RegExp(`^/logs\\?.*transaction=${failed}.*&entry=`))
  await look('log-entry')
  await entry.getByRole('link', { name: 'Show the call' }).click()
  await callPage(page).getByText('operationNotFound').first().waitFor()
  const found = await page.evaluate(
    "[globalThis.hasRun, document.querySelectorAll('main img, script:not([src])').length]",
  )
  assert.deepEqual(found, [undefined, 0])
  assert.deepEqual(console.faults(), [[], []])
})

test('21.11 the page reports a transaction that is not in the monitor, with the possible reasons', async (t) => {
  const console = await open(t)
  if (!console) return
  const { page, visit, look } = console
  await visit('/calls/00000000-0000-4000-8000-000000000000')
  await callPage(page)
    .getByText(/in the monitor\. It may be older than the calls kept/)
    .waitFor()
  await look('transaction-not-there')
  const [violations] = console.faults() // a 404 is a complaint of the browser
  assert.deepEqual(violations, [])
})

test('21.12 a viewer reads transactions, and the page says who may read headers and bodies, without requesting them', async (t) => {
  const console = await open(t)
  if (!console) return
  const { page, call, untilKept, visit, look } = console
  const id = await call('GET ECHO.v1/echo/x')
  await untilKept(id)
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await visit('/calls', 'viewer')
  await rows(page).first().getByRole('link').click()
  await callPage(page).getByText('Your role cannot read headers and bodies').waitFor()
  await look('transaction-viewer')
  assert.deepEqual(
    asked.filter((url) => /\/messages$/.test(url)),
    [],
  )
  assert.deepEqual(console.faults(), [[], []])
})

test('21.3, 21.7 the list reports transactions that were not kept, and a monitor that is off', async (t) => {
  const busy = await open(t, { 'ig.monitor.perSecond': '1' })
  if (!busy) return
  let lost = 0
  while (lost === 0) {
    await Promise.all(Array.from({ length: 20 }, () => busy.call('GET METADATA.v1/')))
    const { notKept } = (await busy.ask('GET /api/monitor/transactions')).body
    lost = notKept.done
  }
  await busy.visit('/calls')
  await busy.page.getByText('Some calls were not kept').waitFor()
  await busy.page.getByText('the rate exceeded ig.monitor.perSecond').waitFor()
  await busy.look('monitor-not-kept')
  const off = await open(t, { 'ig.monitor': 'off' })
  await off?.visit('/calls')
  await off?.page.getByText('The monitor is off').waitFor()
  await off?.look('monitor-off')
  assert.deepEqual(
    [busy.faults(), off?.faults()],
    [
      [[], []],
      [[], []],
    ],
  )
})

test('19.11, 21.11 Try it offers operations and fields for variables, links to the transaction, copies curl, and lists the last calls until the person signs out, without storing them', async (t) => {
  const console = await open(t)
  if (!console) return
  const { page, visit, look } = console
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await visit('/try')
  await page.getByRole('combobox', { name: 'Operation', exact: true }).fill('echo')
  await page.getByRole('option', { name: 'ECHO_GET.v1' }).click()
  await page.getByRole('textbox', { name: 'parameter1' }).fill('a b')
  const url = page.getByLabel('URL from the operation on')
  assert.equal(await url.inputValue(), '/ECHO.v1/echo/a%20b')
  await page.getByRole('textbox', { name: 'parameter1' }).fill('tried')
  await url.fill(`${await url.inputValue()}?key=swordfish`)
  await page.getByLabel('Headers').fill("x-note: it's")
  await page.getByRole('button', { name: 'Copy as curl' }).click()
  const copied = await page.evaluate('navigator.clipboard.readText()')
  assert.match(
    String(copied),
    /^curl -i -H 'x-note: it'\\''s' 'http:\/\/[^']+\/RESTListeningConnector\/LOCAL_NODE\/ECHO\.v1\/echo\/tried\?key=swordfish'$/,
  )
  await page.getByRole('button', { name: 'Call', exact: true }).click()
  await page.getByText('Response: 200').waitFor()
  await look('tried-from-template')
  const stored = String(await page.evaluate('JSON.stringify([localStorage, sessionStorage])'))
  assert.ok(!/tried|swordfish/.test(stored), stored)
  const headers = page.getByLabel('Headers')
  await Promise.all([url.fill('/METADATA.v1/'), headers.fill('')])
  const past = page.getByRole('region', { name: 'History' }).getByRole('button', { name: 'GET /ECHO' })
  await past.click()
  assert.deepEqual(
    [await url.inputValue(), await headers.inputValue()],
    ['/ECHO.v1/echo/tried?key=swordfish', "x-note: it's"],
  )
  const link = page.getByText('Transaction', { exact: false }).getByRole('link')
  const id = (await link.innerText()).trim()
  await link.click()
  await callPage(page).getByText(id, { exact: true }).waitFor()
  await goWithin(page, new URL('/console/try', page.url()).href)
  await past.waitFor()
  await page.getByRole('button', { name: /, administrator$/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByLabel('Name').fill('an administrator')
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await url.waitFor()
  assert.equal(await past.count(), 0)
  await visit('/try?operation=METADATA_OAUTH2_GET.v1&operator=DEMO')
  await poll(async () => (await url.inputValue()) === '/METADATA_OAUTH2.v1/')
  await page.getByRole('button', { name: 'Copy as curl' }).click()
  const withToken = await page.evaluate('navigator.clipboard.readText()')
  assert.match(String(withToken), /^curl -i -H "Authorization: Bearer \$TOKEN" 'http:[^']+\/METADATA_OAUTH2\.v1\/'$/)
  assert.deepEqual(console.faults(), [[], []])
})

test('19.13 the list of transactions shows all columns on a screen 1280 wide, however long a URL and a refusal are', async (t) => {
  const console = await open(t)
  if (!console) return
  const { page, call, visit } = console
  await call(`GET KEY_VALUE.v1/${'long'.repeat(40)}/more`, demo)
  await call('POST KEY_VALUE.v1/', demo)
  await call('GET NOTHING.v1/', { headers: { authorization: `Basic ${btoa('DEMO:wrong')}` } })
  await call('GET CACHED_TIME.v1/', { headers: { authorization: `Basic ${btoa('DEMO:wrong')}` } })
  await visit('/calls')
  await rows(page).getByText('uriNotMatched').last().waitFor()
  await rows(page).getByText('basicRejected').last().waitFor()
  const list = page.getByRole('region', { name: 'Calls', exact: true })
  const [content, width] = await list.evaluate(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth] as const)
  assert.ok(content <= width, `${content} in ${width}`)
  const [cell, end] = await Promise.all([
    list.getByText('/more', { exact: false }).locator('xpath=ancestor::td').boundingBox(),
    list
      .getByText(/\/more$/)
      .last()
      .boundingBox(),
  ])
  assert.ok(cell && end && end.x + end.width <= cell.x + cell.width, 'the end of the URL is in its cell')
})

test('21.19, 21.17, 19.13 a call is one page: its steps and waits with durations, log entries, the stack of an error, the previous and the next of the list, and curl', async (t) => {
  const console = await open(t, { 'ig.log.level': '5' })
  if (!console) return
  const { page, call, untilKept, writeLogs, visit, look, address, database } = console
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const served = await call('GET KEY_VALUE.v1/a?token=swordfish', demo)
  const refused = await call('GET KEY_VALUE.v1/a', { headers: basic('DEMO', 'wrong') })
  const file = new DatabaseSync(database)
  file.exec('drop table C_KEY_VALUE')
  file.close()
  const failed = await call('GET KEY_VALUE.v1/a', demo)
  for (let count = 0; count < 30; count++) await call('GET KEY_VALUE.v1/other')
  await untilKept(await call('GET NOWHERE.v1/'))
  await writeLogs()
  await visit('/calls?operation=KEY_VALUE_GET.v1')
  await rows(page).nth(32).scrollIntoViewIfNeeded()
  const place = await rows(page).nth(30).boundingBox()
  await rows(page).nth(30).getByRole('link').click()

  const opened = callPage(page)
  const steps = opened.getByRole('region', { name: 'Steps' })
  const rowOf = (name: string | RegExp) => steps.getByRole('row', { name })
  await rowOf(/^handler failed .* \d[\d.,]* ms$/).waitFor()
  await rowOf(/^permission passed .*–$/).waitFor()
  await rowOf(/^database failed .*C_KEY_VALUE.* \d[\d.,]* ms$/).waitFor()
  const bars = (await page.evaluate(`[...document.querySelectorAll('.bar')].map((bar) => {
    const [own, whole] = [bar, bar.parentElement].map((each) => each.getBoundingClientRect())
    return own.left >= whole.left && own.right <= whole.right + 1 && own.width >= 3
  })`)) as readonly boolean[]
  assert.ok(bars.length > 3 && bars.every(Boolean), `${bars}`)
  await opened.getByText(/^\/\S+\.ts:\d+:\d+$/).waitFor()
  await opened.getByText('Stack', { exact: true }).first().click()
  await opened
    .getByText(/ at .*\.ts:\d+:\d+/)
    .first()
    .waitFor()
  const entries = opened.getByRole('region', { name: 'Log entries' }).getByRole('row')
  await entries.filter({ hasText: 'error log' }).waitFor()
  await entries.filter({ hasText: 'message log' }).waitFor()
  await look('call-failed')

  await page.keyboard.press('k')
  await rowOf('authentication refused').waitFor()
  await page.keyboard.press('j')
  await rowOf(/^handler failed/).waitFor()
  await opened.getByRole('button', { name: 'Next call (j)' }).click()
  await rowOf('authentication refused').getByText('wrong password').waitFor()
  await rowOf('handler not reached').waitFor()
  assert.equal(address(), `/calls/${refused}?operation=KEY_VALUE_GET.v1`)
  await look('call-refused')
  await page.keyboard.press('j')
  await rowOf(/^database .*SELECT C_KEY_VALUE.* ms$/).waitFor()
  assert.equal(address(), `/calls/${served}?operation=KEY_VALUE_GET.v1`)
  assert.ok(await opened.getByRole('button', { name: 'Next call (j)' }).isDisabled())
  await look('call-served')
  await opened.getByRole('button', { name: 'Copy as curl' }).click()
  assert.match(
    String(await page.evaluate('navigator.clipboard.readText()')),
    /^curl -i -u 'DEMO' 'http:\/\/[^']+\/LOCAL_NODE\/KEY_VALUE\.v1\/a\?token=[^']*'$/,
  )
  assert.ok(!(await opened.innerText()).includes('swordfish'))

  await page.keyboard.press('Escape')
  await rows(page).nth(32).getByRole('link').and(page.locator(':focus')).waitFor()
  assert.equal(address(), '/calls?operation=KEY_VALUE_GET.v1')
  assert.equal((await rows(page).nth(30).boundingBox())?.y, place?.y, 'the list is where it was')
  await goWithin(page, page.url().replace('/calls', `/calls/${failed}`))
  await rowOf(/^handler failed/).waitFor()
  assert.deepEqual(console.faults(), [[], []])
})

test('21.18 the menu of the list exports all matches from the server, also those that the page has not loaded', async (t) => {
  const console = await open(t)
  if (!console) return
  const { page, call, untilKept, visit } = console
  let last = ''
  for (let count = 0; count < 60; count++) last = await call(`GET ECHO.v1/echo/${count}`)
  await untilKept(last)
  await call('GET METADATA.v1/')
  await visit('/calls?operation=ECHO_GET.v1')
  await rows(page).nth(49).waitFor()
  for (const [format, name, lines] of [
    ['CSV', 'calls.csv', 61],
    ['JSON lines', 'calls.jsonl', 60],
  ] as const) {
    await page.getByRole('button', { name: 'Columns, export and views of Calls' }).click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: format }).click(),
    ])
    await page.getByRole('menu').waitFor({ state: 'detached' })
    const text = await readFile(await download.path(), 'utf8')
    assert.deepEqual([download.suggestedFilename(), text.trimEnd().split('\n').length], [name, lines])
  }
  assert.deepEqual(console.faults(), [[], []])
})
