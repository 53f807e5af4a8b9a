/** How long administration waits for a silent store (specification 18.16), with a replaced clock. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { openStoreWatch } from '../../src/admin/store-watch.ts'

test('18.16 requests that a silent store does not answer are refused within five seconds, and the next within one', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const never = () => new Promise<never>(() => {})
  const watch = openStoreWatch({ revisions: { active: never } as never })
  const isRefused = async (milliseconds: number) => {
    let refused = false
    const asked = watch.ask(never).catch(({ code }) => {
      refused = code === 'storeAway'
    })
    for (let waited = 0; waited < milliseconds && !refused; waited += 100) {
      t.mock.timers.tick(100)
      await setImmediate()
    }
    if (refused) await asked
    return refused
  }
  assert.equal(await isRefused(5_000), true)
  assert.equal(await isRefused(1_000), true)
})
