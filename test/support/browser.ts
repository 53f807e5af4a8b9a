/**
 * A real browser for tests of the console: Debian's chromium by playwright-core. Where there is none, the tests say so,
 * and how to get it; with CI=true that is a failure.
 */
import { existsSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { after, type TestContext } from 'node:test'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { password } from './admin.ts'

const { IG_TEST_CHROMIUM: chosen } = process.env
const places = chosen ? [chosen] : ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
const executablePath = places.find((path) => existsSync(path))
const screenshots = join(import.meta.dirname, '../console/screenshots')

const args = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

let launched: Promise<Browser | undefined> = Promise.resolve(undefined)
after(async () => (await launched.catch(() => undefined))?.close())

function launch(executablePath: string): Promise<Browser> {
  const launching = chromium.launch({ executablePath, args })
  launched = launching
  return launching
}

/** One for all tests of a file; what a test opened in it is closed after it. @returns undefined where the test was skipped */
export async function openBrowser(t: TestContext): Promise<Browser | undefined> {
  if (executablePath !== undefined) {
    const before = await launched.catch(() => undefined)
    const browser = before?.isConnected() ? before : await launch(executablePath)
    t.after(() => Promise.all(browser.contexts().map((context) => context.close())))
    return browser
  }
  const reason = 'the console was not tested: there is no chromium. Get it by: apt-get install -y chromium'
  if (process.env.CI === 'true') throw new Error(reason)
  t.skip(reason)
  return undefined
}

export interface OpenedPage {
  readonly page: Page
  readonly context: BrowserContext
  /** Whatever the browser complained of: refused by the policy, failed scripts. */
  readonly complaints: readonly string[]
}

export interface PageOptions {
  readonly width?: number
  readonly scheme?: 'light' | 'dark'
}

export async function openPage(
  browser: Browser,
  { width = 1280, scheme = 'light' }: PageOptions = {},
): Promise<OpenedPage> {
  const height = width < 600 ? 800 : 860
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: scheme,
    reducedMotion: 'reduce',
  })
  context.setDefaultTimeout(20_000)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    // A status that refuses is the API's answer, and is shown by the page
    if (message.type() === 'error' && !/^Failed to load resource/.test(message.text())) complaints.push(message.text())
  })
  return { page, context, complaints }
}

export async function signIn(page: Page, url: string, name: string): Promise<void> {
  await page.goto(url)
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

const axeSource = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface AxeResults {
  readonly violations: readonly {
    readonly id: string
    readonly impact?: string | null
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
  }[]
}

interface Window {
  readonly axe: { run(options: object): Promise<AxeResults> }
  readonly document: { readonly documentElement: { readonly scrollWidth: number } }
  readonly innerWidth: number
}

const looks = [1280, 400].flatMap((width) =>
  (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })),
)
/** Each width and each scheme once, which is half the time. IG_TEST_LOOKS=all takes all four. */
const checkedLooks =
  process.env.IG_TEST_LOOKS === 'all'
    ? looks
    : looks.filter(({ width, colorScheme }) => (width === 1280) === (colorScheme === 'light'))

/**
 * The page as it is, wide and light, narrow and dark: keeps a screenshot of each.
 * @returns a line for each serious or critical violation, and where it is wider than the screen
 */
export async function findViolations(page: Page, name: string): Promise<readonly string[]> {
  await mkdir(screenshots, { recursive: true })
  const before = page.viewportSize() ?? { width: 1280, height: 860 }
  const found: string[] = []
  await page.evaluate(await axeSource) // by the debugger, which the page's policy does not bind
  for (const { width, colorScheme } of checkedLooks) {
    await page.setViewportSize({ ...before, width })
    await page.emulateMedia({ colorScheme })
    const look = `${name}-${width}-${colorScheme}`
    await page.screenshot({ path: join(screenshots, `${look}.png`), animations: 'disabled' })
    const { results, isTooWide } = await page.evaluate(async () => {
      const { axe, document, innerWidth } = globalThis as unknown as Window
      return {
        results: await axe.run({ resultTypes: ['violations'], preload: false }),
        isTooWide: document.documentElement.scrollWidth > innerWidth,
      }
    })
    if (isTooWide) found.push(`${look}: wider than the screen`)
    for (const { id, impact, nodes } of results.violations) {
      if (impact !== 'serious' && impact !== 'critical') continue
      found.push(...nodes.map(({ html, failureSummary }) => `${look}: ${id}: ${html}\n${failureSummary}`))
    }
  }
  await page.setViewportSize(before)
  await page.emulateMedia({ colorScheme: 'light' })
  return found
}
