/** A short form of the ordeal `outage` (specification 5.14, 17.15). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runOrdeal } from '../ordeal/ordeal.ts'
import { openOutage } from '../ordeal/outage.ts'

test('5.14, 17.15 two workers and administration keep serving while PostgreSQL is killed, and a replaced worker and new instances start from the copy', async (t) => {
  const ordeal = openOutage({ seconds: 1, isTimed: false })
  const { tally, done } = await runOrdeal(ordeal, { trials: 1, signal: t.signal })
  assert.deepEqual(ordeal.judge(tally, done), [], JSON.stringify(tally))
})
