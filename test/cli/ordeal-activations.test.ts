/** A short form of the ordeal `activations` (specification 13.7). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeActivations } from '../ordeal/activations.ts'
import { runOrdeal } from '../ordeal/ordeal.ts'

test('13.7 activations and calls with new values each time do not change heap, descriptors and threads of a process', async () => {
  const ordeal = describeActivations({ trials: 2, activations: 3, calls: 2_000, warmUp: 2, pollInterval: 1 })
  const { tally, done } = await runOrdeal(ordeal, { trials: 2 })
  assert.deepEqual(ordeal.judge(tally, done), [], JSON.stringify(tally))
})
