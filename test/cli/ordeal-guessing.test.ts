/** A short form of the ordeal `guessing` (specification 3.24 to 3.26). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openGuessing } from '../ordeal/guessing.ts'
import { runOrdeal } from '../ordeal/ordeal.ts'

/** How long answers take is judged on a machine that has nothing else to do: `npm run ordeal -- guessing`. */
const times = /took|p99/

test('3.24, 3.25, 3.26 the ordeal of guessers detects locked-out operators, guesses without delay, and missing guesses', async () => {
  const ordeal = openGuessing({ connections: 40, seconds: 1 })
  const { done, tally } = await runOrdeal(ordeal, { trials: 2 }) // one operator, and many ids
  const broken = ordeal.judge(tally, done).filter((figure) => !times.test(figure))
  assert.deepEqual(broken, [], JSON.stringify(tally))
  assert.equal(
    ordeal.judge({ known: 1, there: 1, guesses: 9, maxConnected: 9, lockedOut: 1, undelayed: 1 }, 1).length,
    3,
  )
})
