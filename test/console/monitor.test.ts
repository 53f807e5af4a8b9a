/** The console's monitor, before real calls: list, filters, details, live tail, and what a viewer may (specification 22.5 to 22.9). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestAdmin } from '../support/admin.ts'
import { findViolations, openBrowser, openPage, signIn } from '../support/browser.ts'
import { findDatabase } from '../support/databases.ts'

const database = findDatabase('SQLite')
const properties = { 'ig.monitor': 'on' }
const demo = `Basic ${Buffer.from('DEMO:demo').toString('base64')}`

test('22.5, 22.8, 22.9 a call is seen in the monitor within its poll, and its details, messages and log are an address each', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { admin, opened } = await openTestAdmin(t, { database, properties })
  const { page, complaints } = await openPage(browser)
  await signIn(page, `${admin.url}/console/monitor`, 'an administrator')
  await page.waitForTimeout(3000)
  await findViolations(page, 'monitor-empty')
  for (let i = 0; i < 30; i++) {
    await fetch(`${opened.url}/PSIGW/RESTListeningConnector/LOCAL_NODE/METADATA.v1/`)
    await fetch(`${opened.url}/PSIGW/RESTListeningConnector/LOCAL_NODE/ECHO.v1/echo/x${i}?secret=1`, {
      headers: { authorization: demo },
    })
    await fetch(`${opened.url}/PSIGW/RESTListeningConnector/LOCAL_NODE/NOWHERE.v1/`)
  }
  await page.waitForTimeout(4000)
  await findViolations(page, 'monitor-newer')
  await page.getByRole('button', { name: /newer/ }).click()
  await findViolations(page, 'monitor')
  await page.getByRole('region', { name: 'Transactions' }).getByRole('link').first().click()
  await page.waitForTimeout(1000)
  console.log(await findViolations(page, 'monitor-detail'))
  await page.goto(`${admin.url}/console/overview`)
  await page.waitForTimeout(12000)
  console.log(await findViolations(page, 'overview'))
  assert.deepEqual(complaints, [])
})
