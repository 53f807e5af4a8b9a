/** Home: what is wrong and since when, what changed, and the way back (specification 43.15 to 43.17). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestAdmin } from '../../support/admin.ts'
import { breakMetadata } from '../../support/break-metadata.ts'
import { findViolations, goWithin, openBrowser, openPage, signIn } from '../../support/browser.ts'
import { send } from '../../support/client.ts'
import { findDatabase } from '../../support/databases.ts'
import { root } from '../../support/gateway.ts'
import { openHand } from '../../support/walks.ts'
import { writeDayBefore } from './yesterday.ts'

const database = findDatabase('SQLite')

test('43.15, 43.16, 43.17 home says that an operation fails since a revision, which two clicks roll back', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const opened = await openTestAdmin(t, { database })
  const call = async () => (await send(opened.opened.url, `GET ${root}/METADATA.v1/`)).status
  const { page, complaints } = await openPage(browser)
  const violations: string[] = []
  const state = page.getByRole('region', { name: 'State' })
  for (let count = 0; count < 5; count++) assert.equal(await call(), 200)
  await writeDayBefore(opened.opened.gateway.store.databases)
  await signIn(page, opened.admin.url, 'an viewer')
  await state.getByText('Everything is served.').waitFor()
  await page.getByRole('img', { name: /All yesterday: now 1, highest 1\./ }).waitFor()
  violations.push(...(await findViolations(page, 'home')))
  await breakMetadata(opened)
  for (let count = 0; count < 25; count++) assert.equal(await call(), 500)
  await state.getByText(/^1 of 11 operations fails since revision 2, \d\d:\d\d$/).waitFor()
  await state.getByText(/METADATA_GET\.v1: \d+ of \d+ calls failed in the last 5 minutes$/).waitFor()
  assert.equal(await state.getByRole('button').count(), 0, 'a viewer cannot roll back')
  await signIn(page, opened.admin.url, 'an administrator')
  const changes = page.getByRole('region', { name: 'Changed in the last day' })
  await changes.getByText(/revision 2.*Metadata from rows/).waitFor()
  violations.push(...(await findViolations(page, 'home-failing')))
  await page.getByRole('button', { name: /Revision 2, / }).click()
  const card = page.getByRole('dialog', { name: /Revision 2, / })
  await card.getByText(/^by an administrator · 1 operation changed · Metadata from rows$/).waitFor()
  await card.getByRole('link', { name: 'Difference' }).first().waitFor()
  await card.getByRole('button', { name: 'Roll back to 1' }).waitFor()
  violations.push(...(await findViolations(page, 'home-mark')))
  await page.keyboard.press('Escape')
  await card.waitFor({ state: 'detached' })

  const hand = openHand(page)
  await hand.click(state.getByRole('button', { name: 'Roll back to 1' }))
  await page.getByRole('dialog', { name: 'Roll back to revision 1?' }).getByText('KeyValueGet').waitFor()
  violations.push(...(await findViolations(page, 'home-roll-back')))
  await hand.click(page.getByRole('button', { name: 'Roll back', exact: true }))
  await page.getByText('Revision 1 is active.').waitFor()
  assert.equal(hand.clicks(), 2)
  assert.equal(await call(), 200)
  await state.getByText(/^1 of 11 operations failed from revision 2, \d\d:\d\d until revision 1, \d\d:\d\d$/).waitFor()
  await goWithin(page, '/console/operations/METADATA_GET.v1')
  await page.getByRole('region', { name: 'Latency in ms' }).waitFor()
  violations.push(...(await findViolations(page, 'home-operation')))
  assert.deepEqual([violations, complaints], [[], []])
})
