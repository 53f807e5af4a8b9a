/** What the collector is asked to do for a large body; a file of its own, as it is asked once in a process (decisions D-84). */
import assert from 'node:assert/strict'
import { constants, PerformanceObserver } from 'node:perf_hooks'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { openSpool } from '../../src/http/spool.ts'

test('5.8 there is a full collection before the first body that goes to disk, and before no other one', async () => {
  let collections = 0
  const observer = new PerformanceObserver((list) => {
    for (const { detail } of list.getEntries() as unknown as { detail: { kind: number; flags: number } }[]) {
      const isAsked = (detail.flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) !== 0
      if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR && isAsked) collections += 1
    }
  })
  observer.observe({ entryTypes: ['gc'] })
  const take = async (memoryBytes: number) => {
    const spool = openSpool({ memoryBytes })
    await spool.write(Buffer.alloc(1024))
    await spool.body.close()
    for (let turn = 0; turn < 3; turn += 1) await nextTurn() // an observer is told a turn later
    return collections
  }
  assert.equal(await take(1024), 0, 'of one that stays in memory')
  assert.equal(await take(0), 1, 'of the first')
  assert.equal(await take(0), 1, 'of the second')
  observer.disconnect()
})
