/** The tasks that begin on Home take no more clicks than `npm run ordeal -- walks` allows. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { walkFromHome } from '../ordeal/walks.ts'
import { openBrowser, openPage } from '../support/browser.ts'
import { maxClicks, openHand } from '../support/walks.ts'

test('21.21, 43.15 the tasks of an administrator that begin on Home take one to three clicks', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { page } = await openPage(browser)
  await walkFromHome(t, page, async (name, work) => {
    const hand = openHand(page)
    const result = await work(hand)
    assert.ok(hand.clicks() <= maxClicks[name], `${name}: ${hand.clicks()} clicks`)
    return result
  })
})
