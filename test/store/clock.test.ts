/** What the database's clock is ahead of this machine's (specification 17.10). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openClock } from '../../src/store/clock.ts'

test('17.10 a slow response of the database changes nothing that it does not contradict', async (t) => {
  t.mock.timers.enable({ apis: ['Date'] })
  t.mock.method(performance, 'now', () => Date.now())
  const database = { ahead: 60_000, way: 10 }
  const clock = await openClock({
    async readClock() {
      const time = Date.now() + database.ahead
      t.mock.timers.tick(database.way)
      return time
    },
  })
  const pollLater = async (change: Partial<typeof database>) => {
    t.mock.timers.tick(10_000)
    Object.assign(database, change)
    await clock.poll()
    return Math.round(clock.offset() / 1000)
  }
  assert.equal(Math.round(clock.offset() / 1000), 60)
  assert.equal(await pollLater({ way: 9_000 }), 60)
  assert.equal(await pollLater({ way: 10 }), 60)
  assert.equal(await pollLater({ ahead: 0, way: 4_000 }), -2, 'it was set right')
  assert.equal(await pollLater({ way: 10 }), 0)
})
