/** The review of a draft with the calls of the last day, in a real browser (specification 21.24). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestAdmin } from '../../support/admin.ts'
import { findViolations, openBrowser, openPage, signIn } from '../../support/browser.ts'
import { send } from '../../support/client.ts'
import { findDatabase } from '../../support/databases.ts'
import { root } from '../../support/gateway.ts'
import { fast } from './fast.ts'

test('21.24, 19.9 the review of a draft says in a sentence which calls of the last day it would refuse, and folds defaults', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { admin, ask, opened } = await openTestAdmin(t, {
    database: findDatabase('SQLite'),
    features: fast,
    properties: { 'ig.monitor': 'on' },
  })
  for (const path of ['ECHO.v1/echo/x', 'ECHO.v1/echo/y', 'METADATA.v1']) await send(opened.url, `GET ${root}/${path}`)
  while ((await ask('GET /api/monitor/count')).body.count < 3);
  const { body: draft } = await ask('POST /api/drafts', { body: { title: 'Stricter' } })
  const item = `/api/drafts/${draft.id}/operations/ECHO_GET.v1`
  const { etag, body } = await ask(`GET ${item}`)
  await ask(`POST /api/drafts/${draft.id}/operations`, { body: { ...body.value, name: 'ECHO_TWO', alias: 'ECHO_TWO' } })
  const { page, complaints } = await openPage(browser)
  await signIn(page, `${admin.url}/console/drafts/${draft.id}`, 'an administrator')
  await page.getByText('No call of the last day would be refused: 3 calls compared.').waitFor()
  await page.getByText('Answer OPTIONS').waitFor({ state: 'hidden' })
  await page.getByText(/^\d+ defaults$/).click()
  await page.getByText('Answer OPTIONS').waitFor()

  await ask(`PUT ${item}`, { ifMatch: etag, body: { ...body.value, verification: 'Basic' } })
  await page.reload()
  await page.getByText('2 of 3 calls of the last day, of 1 caller, would be refused').waitFor()
  await page.getByText('1 reason').click()
  await page.getByText('basicRejected').waitFor()
  assert.deepEqual(await findViolations(page, 'draft-replayed'), [])
  await page.getByRole('link', { name: 'The newest call' }).click()
  await page.waitForURL('**/console/calls/*')
  assert.deepEqual(complaints, [])
})
