/** The short form of the ordeal of Idempotency-Key (`npm run ordeal -- idempotency`). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { idempotency, openRepetitions } from '../ordeal/idempotency.ts'
import { runOrdeal } from '../ordeal/ordeal.ts'

test('26.4, 26.6 a client that repeats its POSTs while processes are killed finds each done once', {
  skip: (process.env.IG_TEST_POSTGRES ? idempotency.needs?.() : 'npm test brings the PostgreSQL') ?? false,
}, async () => {
  const short = openRepetitions({ kills: 1 })
  const { tally, done } = await runOrdeal(short, { trials: 1 })
  assert.deepEqual(short.judge(tally, done), [])
})

test('26.4 the ordeal of repetitions sees what is lost, half, twice, changed or not answered', () => {
  const sound = { answered: 100, repeated: 9, replayed: 1, lost: 0, half: 0, twice: 0, changed: 0, unanswered: 0 }
  assert.deepEqual(idempotency.judge(sound, 1), [])
  for (const name of ['lost', 'half', 'twice', 'changed', 'unanswered'])
    assert.equal(idempotency.judge({ ...sound, [name]: 1 }, 1).length, 1, name)
  assert.equal(idempotency.judge({ ...sound, answered: 1_000, replayed: 0 }, 5).length, 1)
  assert.equal(idempotency.judge({}, 1).length, 1)
})
