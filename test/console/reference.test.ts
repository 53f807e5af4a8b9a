/** The reference of the administration API in a real browser (specification 18.14). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { openTestAdmin } from '../support/admin.ts'
import { findViolations, openBrowser, openPage, signIn } from '../support/browser.ts'
import { findDatabase } from '../support/databases.ts'

/** Rules that the elements of Swagger UI break; no style can change that. */
const ofSwaggerUi = /: (?:label|nested-interactive|scrollable-region-focusable): /

const database = findDatabase('SQLite')

test('18.14 the reference shows every operation, finds them by words, and calls them in the session of the console', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { admin, ask } = await openTestAdmin(t, { database })
  const { page, context, complaints } = await openPage(browser)
  const foreign: string[] = []
  context.on('request', (request) => {
    if (!request.url().startsWith(admin.url) && !request.url().startsWith('data:')) foreign.push(request.url())
  })
  await signIn(page, admin.url, 'an administrator')
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
  await page.goto(`${admin.url}/reference`)
  const { paths } = (await ask('GET /openapi.json', { as: 'nobody' })).body
  const expected = Object.values(paths as Record<string, Record<string, { operationId: string }>>)
    .flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId))
    .sort()
  await page.locator('.opblock').first().waitFor()
  assert.deepEqual(await scrollThrough(page, '.opblock-summary-operation-id'), expected)

  const search = page.getByPlaceholder('Filter', { exact: false })
  await search.fill('operator creat')
  await page.locator('.opblock').nth(2).waitFor({ state: 'detached' })
  assert.deepEqual(await scrollThrough(page, '.opblock-summary-operation-id'), ['createOperator', 'createSessionToken'])
  const add = page.locator('#operations-Operators-createOperator')
  await add.getByRole('button').first().click()
  await add
    .locator('textarea')
    .first()
    .fill(JSON.stringify({ id: 'TRIED' }))
  await add.getByRole('button', { name: 'Execute' }).click()
  await add.locator('.live-responses-table').waitFor()
  assert.equal(await add.locator('.live-responses-table tbody .response-col_status').first().innerText(), '201')
  assert.equal((await ask('GET /api/operators/TRIED')).status, 200)
  assert.deepEqual([complaints, foreign], [[], []])
  const violations = (await findViolations(page, 'reference')).filter((each) => !ofSwaggerUi.test(each))
  assert.deepEqual(violations, [])
})

/** Of so many operations, only those in view are drawn. */
async function scrollThrough(page: Page, selector: string): Promise<readonly string[]> {
  const seen = new Set<string>()
  for (let isAtEnd = false; !isAtEnd; ) {
    for (const text of await page.locator(selector).allInnerTexts()) seen.add(text)
    isAtEnd = await page.evaluate(async () => {
      const view = globalThis as unknown as View
      const { scrollY } = view
      view.scrollBy(0, view.innerHeight / 2)
      for (let frame = 0; frame < 3; frame += 1) await new Promise(view.requestAnimationFrame)
      return view.scrollY === scrollY
    })
  }
  return [...seen].sort()
}

/** Of a browser. */
interface View {
  readonly scrollY: number
  readonly innerHeight: number
  scrollBy(x: number, y: number): void
  requestAnimationFrame(call: (time: number) => void): void
}
