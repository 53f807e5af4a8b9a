/**
 * `npm run docs:pictures [-- <name>…]`: the pictures of the documentation, as chromium shows the console of a real gateway. As
 * in the tests, the gateway serves a copy of a project on free ports. `console` takes five minutes of calls.
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { chromium, type Page } from 'playwright-core'
import { writeProjectFiles } from '../../src/project/new/project-files.ts'
import { copyReference, makeProject, readSetupLink, root, serve } from '../../test/support/cli.ts'

interface Picture {
  readonly project: () => string
  readonly height: number
  /** @param base the URL before the operation, with a slash */
  readonly call: (base: string) => Promise<void>
  /** Where an administrator has signed in. */
  readonly show: (page: Page) => Promise<void>
}

const pictures: Readonly<Record<string, Picture>> = {
  console: {
    project: copyReference,
    height: 860,
    call: callForMinutes,
    show: (page) => page.getByRole('link', { name: 'CACHED_TIME_GET.v1' }).first().waitFor(),
  },
  'first-call': {
    project: () => makeProject(writeProjectFiles('my-gateway', { version: '', devDependencies: {} }, '')),
    height: 480,
    async call(base) {
      for (const password of ['demo-password', 'a wrong one', 'demo-password'])
        await (await fetch(`${base}HELLO.v1/World`, { headers: basic('DEMO', password) })).arrayBuffer()
    },
    async show(page) {
      await page.getByRole('link', { name: 'Calls', exact: true }).click()
      await page.getByText('HELLO_GET.v1').nth(2).waitFor()
    },
  },
}

const named = process.argv.slice(2)
const unknown = named.filter((name) => !Object.hasOwn(pictures, name))
if (unknown.length > 0)
  throw new Error(`no picture ${unknown.join(', ')}; there are ${Object.keys(pictures).join(', ')}`)
for (const [name, picture] of Object.entries(pictures))
  if (named.length === 0 || named.includes(name)) await take(name, picture)
process.exit(0)

async function take(name: string, { project, height, call, show }: Picture): Promise<void> {
  const serving = serve(['dev', project(), '--port', '0', '--admin-port', '0', '--issuer-port', '0'])
  process.once('exit', () => void serving.process.kill())
  const [, base = ''] = await serving.until(/(http:\S+\/PSIGW\/RESTListeningConnector\/LOCAL_NODE\/)/)
  const { url, token } = await readSetupLink(serving)
  await call(base)
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
  const page = await browser.newPage({ viewport: { width: 1280, height }, colorScheme: 'light' })
  await page.goto(`${url}/setup#${token}`)
  await page.getByLabel('Name').fill('kim')
  for (const field of await page.locator('input[type=password]').all())
    await field.fill('a long sentence is a good one')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
  await show(page)
  await page.screenshot({ path: join(root, `docs/images/${name}.png`), animations: 'disabled' })
  await browser.close()
  await serving.stop()
}

function basic(id: string, password: string) {
  return { authorization: `Basic ${btoa(`${id}:${password}`)}` }
}

async function callForMinutes(base: string): Promise<void> {
  const demo = basic('DEMO', 'demo-password')
  const row = '<request><row><key>hello</key><value>world</value></row></request>'
  /** What is called, and in how many of twenty turns. */
  const requests: readonly (readonly [turns: number, target: string, init?: RequestInit])[] = [
    [20, 'METADATA.v1/'],
    [14, 'CACHED_TIME.v1/', { headers: demo }],
    [9, 'ECHO.v1/echo/hello'],
    [6, 'KEY_VALUE.v1/hello', { headers: demo }],
    [3, 'KEY_VALUE.v1', { headers: demo, method: 'POST', body: row }],
    [1, 'METADATA.v2/'],
    [1, 'CACHED_TIME.v1/', { headers: basic('NOPERM', 'noperm-password') }],
  ]
  const end = Date.now() + 290_000
  for (let turn = 0; Date.now() < end; turn++) {
    const due = requests.filter(([turns]) => turn % 20 < turns)
    await Promise.all(due.map(async ([, target, init]) => (await fetch(base + target, init)).arrayBuffer()))
    await sleep(90 + 80 * Math.sin(turn / 25)) // waves, as callers make them
  }
}
