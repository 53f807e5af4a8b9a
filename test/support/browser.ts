/**
 * A real browser for tests of the console: Debian's chromium by playwright-core. Where there is none, the tests say so,
 * and how to get it; with CI=true that is a failure.
 */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { after, type TestContext } from 'node:test'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { password } from './admin.ts'
import { patience } from './patience.ts'

const { IG_TEST_CHROMIUM: chosen } = process.env
/** The shell is chromium without windows: it takes a fifth less of the processor. */
const usual = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'].map(
  (name) => `/usr/bin/${name}`,
)
const places = chosen ? [chosen] : usual
/** Undefined where there is none. */
export const executablePath = places.find((path) => existsSync(path))
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
  // Fewer collections of what the checks of a page leave behind; no page lives so long that optimized code pays for itself
  '--js-flags=--min-semi-space-size=32 --always-sparkplug --max-optimized-bytecode-size=0 --no-concurrent-sparkplug',
  '--renderer-process-limit=1', // pages one after the other share what is compiled
]

let launched: Promise<Browser | undefined> = Promise.resolve(undefined)
after(async () => (await launched.catch(() => undefined))?.close())

function launch(executablePath: string): Promise<Browser> {
  const launching = chromium.launch({ executablePath, args })
  launched = launching
  return launching
}

/** One for all tests of a file; what a test opened in it is closed or emptied after it. @returns undefined where the test was skipped */
export async function openBrowser(t: TestContext): Promise<Browser | undefined> {
  if (executablePath !== undefined) {
    const before = await launched.catch(() => undefined)
    const browser = before?.isConnected() ? before : await launch(executablePath)
    t.after(async () => {
      const { passed } = t as TestContext & { readonly passed: boolean } // documented, but @types/node lacks it
      if (!passed) for (const { page } of used) t.diagnostic(await describePage(page))
      await Promise.all([...used].map(release))
    })
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
  /** For a test that changes the context in a way that cannot be taken back, like `page.clock.install()`. */
  readonly isAlone?: boolean
}

interface UsedPage extends OpenedPage {
  readonly isAlone: boolean
}

/** By the test that runs. */
const used = new Set<UsedPage>()
/** Emptied, for the next test of the file: a new context costs a second of processor time. */
const free: Page[] = []

/** What a failed test was looking at. */
async function describePage(page: Page): Promise<string> {
  const text = await page.evaluate(`document.body.innerText.replace(/\\s+/g, ' ').slice(0, 2000)`).catch(String)
  return `the page ${page.url()} says: ${text}`
}

async function release(opened: UsedPage): Promise<void> {
  const { page, context, isAlone } = opened
  used.delete(opened)
  if (isAlone || page.isClosed()) return context.close()
  page.removeAllListeners()
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await Promise.all(context.pages().map((each) => each === page || each.close()))
  await context.setOffline(false)
  await context.clearCookies()
  await page.evaluate('localStorage.clear(); sessionStorage.clear()').catch(() => {}) // not in an error page
  await page.goto('about:blank')
  free.push(page)
}

export async function openPage(
  browser: Browser,
  { width = 1280, scheme = 'light', isAlone = false }: PageOptions = {},
): Promise<OpenedPage> {
  const viewport = { width, height: width < 600 ? 800 : 860 }
  const page = (isAlone ? undefined : free.pop()) ?? (await (await browser.newContext({ viewport })).newPage())
  const context = page.context()
  context.setDefaultTimeout(patience)
  await page.setViewportSize(viewport)
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    // A status that refuses is the API's answer, and is shown by the page
    if (message.type() === 'error' && !/^Failed to load resource/.test(message.text())) complaints.push(message.text())
  })
  used.add({ page, context, complaints, isAlone })
  return { page, context, complaints }
}

/** As the form does it, which test/console/walk.test.ts tests: its page would cost each test a second of processor time. */
export async function signIn(page: Page, url: string, name: string): Promise<void> {
  const response = await page.request.post(new URL('/api/session', url).href, { data: { name, password } })
  if (!response.ok()) throw new Error(`${name} is not signed in: ${response.status()} ${await response.text()}`)
  await page.goto(url)
}

/** Types into Find as soon as it takes the keys: until then they go to the page. */
export async function typeIntoFind(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog', { name: 'Find' }).locator('input:focus').waitFor()
  await page.keyboard.type(text)
}

/** By the navigation, and by the tab of the page if the entry has several. */
export async function openPageOf(page: Page, section: string, title = section): Promise<void> {
  await entryOf(page, section).click()
  await page.getByRole('heading', { name: section, level: 1, exact: true }).waitFor()
  const tab = page
    .getByRole('navigation', { name: section, exact: true })
    .getByRole('link', { name: title, exact: true })
  if (title === section) return
  await tab.click()
  await tab.and(page.locator('[aria-current]')).waitFor()
}

/** An entry of the navigation, which may end with a count. */
export const entryOf = (page: Page, section: string) =>
  page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: new RegExp(`^${section}( \\d|$)`) })

/** From what an operation is to the form that changes it. */
export async function openSettings(page: Page): Promise<void> {
  await page.getByRole('navigation', { name: 'Operation', exact: true }).getByRole('link', { name: 'Settings' }).click()
}

/** To another page of the console, as its links lead there: to load the console again costs 0.4 s of processor time. */
export async function goWithin(page: Page, url: string): Promise<void> {
  await page.evaluate(
    `history.pushState(null, '', ${JSON.stringify(url)}); dispatchEvent(new PopStateEvent('popstate'))`,
  )
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
  readonly document: {
    getAnimations(): readonly {
      readonly effect: { getTiming(): { readonly iterations: number } } | null
      readonly finished: Promise<unknown>
    }[]
  }
}

/** Of minor or moderate impact, which `findViolations` leaves out: a fifth of the time. */
const slight = [
  ...['aria-allowed-role', 'aria-deprecated-role', 'empty-heading', 'empty-table-header', 'focus-order-semantics'],
  ...['form-field-multiple-labels', 'heading-order', 'hidden-content', 'html-xml-lang-mismatch', 'image-redundant-alt'],
  ...['landmark-banner-is-top-level', 'landmark-contentinfo-is-top-level', 'landmark-main-is-top-level'],
  ...['landmark-no-duplicate-banner', 'landmark-no-duplicate-contentinfo', 'landmark-no-duplicate-main'],
  ...['landmark-one-main', 'landmark-unique', 'meta-viewport', 'meta-viewport-large', 'no-autoplay-audio'],
  ...['page-has-heading-one', 'presentation-role-conflict', 'region', 'scope-attr-valid', 'server-side-image-map'],
  ...['skip-link', 'table-duplicate-name'],
]
const rules = {
  ...Object.fromEntries(slight.map((rule) => [rule, { enabled: false }])),
  'target-size': { enabled: true }, // 24 pixels
}

interface Look {
  readonly width: number
  readonly colorScheme: 'light' | 'dark'
}

const wide: Look = { width: 1280, colorScheme: 'light' }
const narrow: Look = { width: 400, colorScheme: 'dark' }
const allLooks: readonly Look[] = [1280, 400].flatMap((width) => [
  { width, colorScheme: 'light' },
  { width, colorScheme: 'dark' },
])

/** Only for screenshots. */
const widest: readonly Look[] = [
  { width: 1440, colorScheme: 'light' },
  { width: 1440, colorScheme: 'dark' },
]

/** Each width and each scheme once. `npm run ordeal looks` sets IG_TEST_LOOKS=all. */
const checkedLooks = process.env.IG_TEST_LOOKS === 'all' ? allLooks : [wide, narrow]

const everyDialogHasName = `[...document.querySelectorAll('[role=dialog]')].every(
  (dialog) => dialog.ariaLabel || document.getElementById(dialog.getAttribute('aria-labelledby')),
)`

/**
 * The page as it is, in its looks, and its width on both screens. With IG_TEST_SCREENSHOTS=1 it keeps a screenshot of each look.
 * @returns a line for each serious or critical violation, and where it is wider than the screen
 */
export async function findViolations(page: Page, name: string): Promise<readonly string[]> {
  const before = page.viewportSize() ?? { width: 1280, height: 860 }
  const found: string[] = []
  // Mantine names a dialog after it has shown it; one without a name is a violation below
  await page.waitForFunction(everyDialogHasName).catch(() => {})
  const hasAxe = await page.evaluate(() => 'axe' in globalThis)
  if (!hasAxe) await page.evaluate(await axeSource) // by the debugger, which the page's policy does not bind
  for (const { width, colorScheme } of checkedLooks) {
    await page.setViewportSize({ ...before, width })
    await page.emulateMedia({ colorScheme })
    const look = `${name}-${width}-${colorScheme}`
    const isTooWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
    if (isTooWide) found.push(`${name}-${width}: wider than the screen`)
    if (process.env.IG_TEST_SCREENSHOTS === '1')
      await page.screenshot({ path: join(screenshots, `${look}.png`), animations: 'disabled' })
    const { violations } = await page.evaluate(async (rules) => {
      const { axe, document } = globalThis as unknown as Window
      // A colour that is still fading is none of the page's colours
      const fading = document
        .getAnimations()
        .filter(({ effect }) => effect?.getTiming().iterations !== Number.POSITIVE_INFINITY)
      await Promise.allSettled(fading.map(({ finished }) => finished))
      return axe.run({ rules, resultTypes: ['violations'], preload: false })
    }, rules)
    for (const { id, impact, nodes } of violations) {
      if (impact !== 'serious' && impact !== 'critical') continue
      found.push(...nodes.map(({ html, failureSummary }) => `${look}: ${id}: ${html}\n${failureSummary}`))
    }
  }
  if (process.env.IG_TEST_SCREENSHOTS === '1')
    for (const { width, colorScheme } of widest) {
      await page.setViewportSize({ ...before, width })
      await page.emulateMedia({ colorScheme })
      await page.screenshot({ path: join(screenshots, `${name}-${width}-${colorScheme}.png`), animations: 'disabled' })
    }
  await page.setViewportSize(before)
  await page.emulateMedia({ colorScheme: 'light' })
  return found
}
