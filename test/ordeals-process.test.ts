/** Short forms of the ordeals of processes (`npm run ordeal`). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kill } from './ordeal/kill.ts'
import { runOrdeal } from './ordeal/ordeal.ts'

const skip = process.env.IG_TEST_POSTGRES ? (kill.needs?.() ?? false) : 'npm test brings the PostgreSQL'

test('5.8, 17.2, 17.5 whatever process is killed during POSTs, what was acknowledged is stored, whole and once, and no process is left', {
  skip,
}, async () => {
  const { tally, done } = await runOrdeal(kill, { trials: 2 })
  assert.deepEqual(kill.judge(tally, done), [])
})

test('5.8 the ordeal of kills sees what is lost, half, twice or left running', () => {
  const sound = { acknowledged: 100, lost: 0, half: 0, twice: 0, orphans: 0, silent: 0, cut: 3 }
  assert.deepEqual(kill.judge(sound, 1), [])
  for (const name of ['lost', 'half', 'twice', 'orphans', 'silent'])
    assert.equal(kill.judge({ ...sound, [name]: 1 }, 1).length, 1, name)
  assert.equal(kill.judge({}, 1).length, 1)
})
