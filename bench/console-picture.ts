/**
 * The picture of the console in the README: a gateway of the reference project, five minutes of calls, and what
 * chromium shows then. `node --conditions=integration-gateway-source bench/console-picture.ts` writes
 * docs/images/console.png. As in the tests, the gateway is a copy of the project on free ports.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { chromium } from 'playwright-core'
import { copyReference, readSetupLink, root, serve } from '../test/support/cli.ts'

const serving = serve(['dev', copyReference(), '--port', '0', '--admin-port', '0', '--issuer-port', '0'])
const [, calls = ''] = await serving.until(/(http:\S+\/PSIGW\/RESTListeningConnector\/LOCAL_NODE\/)/)
const { url, token } = await readSetupLink(serving)

const demo = { authorization: `Basic ${btoa('DEMO:demo-password')}` }
const wrong = { authorization: `Basic ${btoa('NOPERM:noperm-password')}` }
const row = '<request><row><key>hello</key><value>world</value></row></request>'
/** What is called, and in how many of twenty turns. */
const requests: readonly (readonly [turns: number, target: string, init?: RequestInit])[] = [
  [20, 'METADATA.v1/'],
  [14, 'CACHED_TIME.v1/', { headers: demo }],
  [9, 'ECHO.v1/echo/hello'],
  [6, 'KEY_VALUE.v1/hello', { headers: demo }],
  [3, 'KEY_VALUE.v1', { headers: demo, method: 'POST', body: row }],
  [1, 'METADATA.v2/'],
  [1, 'CACHED_TIME.v1/', { headers: wrong }],
]
const end = Date.now() + 290_000
for (let turn = 0; Date.now() < end; turn++) {
  const due = requests.filter(([turns]) => turn % 20 < turns)
  await Promise.all(due.map(async ([, target, init]) => (await fetch(calls + target, init)).arrayBuffer()))
  await sleep(90 + 80 * Math.sin(turn / 25)) // waves, as callers make them
}

process.once('exit', () => void serving.process.kill())
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
const page = await browser.newPage({ viewport: { width: 1280, height: 860 }, colorScheme: 'light' })
await page.goto(`${url}/setup#${token}`)
await page.getByLabel('Name').fill('kim')
for (const field of await page.locator('input[type=password]').all()) await field.fill('a long sentence is a good one')
await page.keyboard.press('Enter')
await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
await page.getByRole('link', { name: 'CACHED_TIME_GET.v1' }).waitFor()
mkdirSync(join(root, 'docs/images'), { recursive: true })
await page.screenshot({ path: join(root, 'docs/images/console.png') })
await browser.close()
await serving.stop()
process.exit(0)
