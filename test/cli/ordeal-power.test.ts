/** Failures of power, in short: `npm run ordeal -- power` has many of them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runOrdeal } from '../ordeal/ordeal.ts'
import { openPower, power, recordTrace } from '../ordeal/power.ts'

const missing = power.needs?.()

test('5.8 what was acknowledged before a power failure is stored, and nothing in part; with a disk that loses writes it is not (SQLite)', {
  skip: missing && `needs ${missing}`,
}, async (t) => {
  const trace = await recordTrace(120, t.signal)
  const run = async (trials: number, forgetsSyncs: boolean) => {
    const open = () => openPower({ trace, forgetsSyncs })
    const { done, tally } = await runOrdeal({ ...power, open }, { trials, signal: t.signal })
    return power.judge(tally, done)
  }
  assert.deepEqual(await run(8, false), [])
  assert.notDeepEqual(await run(2, true), [])
})
