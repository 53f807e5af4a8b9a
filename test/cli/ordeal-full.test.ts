/** Full disks, in short: `npm run ordeal -- full` has more of them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { full } from '../ordeal/full.ts'
import { runOrdeal } from '../ordeal/ordeal.ts'

const missing = full.needs?.()

test('23.9 with a full disk of database, log, spool or monitor all other calls are answered, nothing is stored in part, and everything recovers by itself (SQLite)', {
  skip: missing && `needs ${missing}`,
}, async (t) => {
  const { tally, done } = await runOrdeal(full, { trials: 4, signal: t.signal })
  assert.deepEqual(full.judge(tally, done), [], JSON.stringify(tally))
})

test('23.9 the ordeal of full disks detects data that is lost or partial, unclear or groundless refusals, missing recovery and ended processes', () => {
  const sound = { databaseFull: 1, logFull: 1, spoolFull: 1, monitorFull: 1, told: 1 }
  assert.deepEqual(full.judge(sound, 4), [])
  for (const name of ['lost', 'half', 'unclear', 'disturbed', 'away', 'died'])
    assert.equal(full.judge({ ...sound, [name]: 1 }, 4).length, 1, name)
  assert.equal(full.judge({}, 4).length, 5)
})
