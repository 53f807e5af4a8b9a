/** Short forms of the ordeals of processes (`npm run ordeal`). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kill } from '../ordeal/kill.ts'
import { type Ordeal, runOrdeal } from '../ordeal/ordeal.ts'
import { rolling } from '../ordeal/rolling.ts'

const skipped = ({ needs }: Ordeal) =>
  (process.env.IG_TEST_POSTGRES ? needs?.() : 'npm test brings the PostgreSQL') ?? false

test('5.8, 17.2, 17.5 whichever process is killed during POSTs, what was acknowledged is stored completely and once, and no process is left', {
  skip: skipped(kill),
}, async () => {
  const { tally, done } = await runOrdeal(kill, { trials: 1 })
  assert.deepEqual(kill.judge(tally, done), [])
})

test('5.8 the ordeal of kills detects what is lost, partial, stored twice or left running', () => {
  const sound = { acknowledged: 100, lost: 0, half: 0, twice: 0, orphans: 0, silent: 0, cut: 3 }
  assert.deepEqual(kill.judge(sound, 1), [])
  for (const name of ['lost', 'half', 'twice', 'orphans', 'silent'])
    assert.equal(kill.judge({ ...sound, [name]: 1 }, 1).length, 1, name)
  assert.equal(kill.judge({}, 1).length, 1)
})

test('17.4, 17.5 behind HAProxy a restart loses no call, and stores each POST once', {
  skip: skipped(rolling),
}, async () => {
  const { tally, done } = await runOrdeal(rolling, { trials: 1 })
  assert.deepEqual(rolling.judge(tally, done), [])
})

test('17.4 the ordeal of restarts detects what fails, is lost or stored twice', () => {
  const sound = { calls: 4_000, posts: 2_000, failed: 0, lost: 0, twice: 0 }
  assert.deepEqual(rolling.judge(sound, 1), [])
  for (const name of ['failed', 'lost', 'twice'])
    assert.equal(rolling.judge({ ...sound, [name]: 1 }, 1).length, 1, name)
  assert.equal(rolling.judge({}, 1).length, 1)
})
