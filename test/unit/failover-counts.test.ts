/** What the ordeal `failover` counts, and when it fails (specification 17.18, 17.19). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failover } from '../ordeal/failover.ts'
import { asBin, countTwoWriters, findQuantile, maxGap } from '../ordeal/failover-counts.ts'
import { addTallies, type Tally } from '../ordeal/ordeal.ts'

const write = (begun: number, ended: number, timeline = '') => ({ id: `${begun}`, begun, ended, timeline })

test('17.18 the ordeal of failovers counts the longest time without an acknowledged write, from the fault on', () => {
  assert.equal(maxGap([write(0, 10), write(95, 105), write(300, 900), write(910, 1000)], 100), 795)
  assert.equal(maxGap([write(0, 10), write(400, 700)], 100), 600)
  assert.equal(maxGap([write(0, 10)], 100), Number.POSITIVE_INFINITY)
})

test('17.18 the ordeal of failovers detects a server that acknowledges a write after its successor has', () => {
  const [before, after] = ['00000009', '0000000A']
  assert.equal(countTwoWriters([write(0, 5, before), write(6, 20, before), write(10, 15, after)]), 0, 'under way')
  assert.equal(countTwoWriters([write(0, 5, before), write(10, 15, after), write(16, 20, before)]), 1)
  assert.equal(countTwoWriters([write(30, 40, before), write(10, 15, after), write(16, 20, before)]), 2)
})

test('17.18 the ordeal of failovers finds quantiles over trials that were interrupted', () => {
  const times = [3_200, 4_000, 4_100, 14_900]
  const tally = times.map((time) => asBin('killed', time)).reduce(addTallies, {})
  assert.deepEqual(tally, { killed4s: 2, killed5s: 1, killed15s: 1 })
  assert.equal(findQuantile(tally, 'killed', 0.5), 4)
  assert.equal(findQuantile(tally, 'killed', 0.95), 15)
  assert.equal(findQuantile(asBin('killed', Number.POSITIVE_INFINITY), 'killed', 0.95), Number.POSITIVE_INFINITY)
  assert.equal(findQuantile(tally, 'cut', 0.95), 0)
})

test('17.18, 17.19 the ordeal of failovers detects what is lost, partial, refused but stored, written twice, late or failed', () => {
  const sound: Tally = { acknowledged: 2_000, plain: 2_000, killed9s: 19, killed16s: 1, machine40s: 5, cut45s: 5 }
  assert.deepEqual(failover.judge(sound, 30), [])
  for (const name of ['lost', 'half', 'refusedButStored', 'twoWriters', 'plainFailed', 'cut46s', 'machine46s'])
    assert.equal(failover.judge({ ...sound, [name]: 1 }, 30).length, 1, name)
  assert.equal(failover.judge({ ...sound, killed16s: 2 }, 30).length, 1)
  assert.equal(failover.judge({ acknowledged: 10, plain: 2_000 }, 1).length, 1)
})
