/** What the collector is asked to do for a large body; a file of its own, as it is asked once in a process (decisions D-84). */
import assert from 'node:assert/strict'
import { constants, PerformanceObserver } from 'node:perf_hooks'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { openSpool } from '../../src/http/spool.ts'

function collectAll(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}

test('5.8 a first body that goes to disk has a full collection, in steps, and one that stays in memory has none', async () => {
  let collections = 0
  const observer = new PerformanceObserver((list) => {
    for (const { detail } of list.getEntries() as unknown as { detail: { kind: number; flags: number } }[]) {
      if (detail.kind !== constants.NODE_PERFORMANCE_GC_MAJOR) continue
      collections += 1
      assert.equal(detail.flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED, 0, 'calls would wait for it')
    }
  })
  const take = async (memoryBytes: number, mostTurns: number) => {
    const spool = openSpool({ memoryBytes })
    await spool.write(Buffer.alloc(1024))
    const kept: Record<string, number> = {}
    for (let turn = 0; turn < mostTurns && collections === 0; turn += 1) {
      for (let name = 0; name < 100 && turn < 300; name += 1) kept[`${turn} ${name}`] = name // names of properties are in the old space
      await nextTurn()
    }
    await spool.body.close()
    return collections > 0
  }
  collectAll() // as after the start of a gateway: from here on V8 knows a limit
  for (let turn = 0; turn < 3; turn += 1) await nextTurn()
  observer.observe({ entryTypes: ['gc'] })
  assert.equal(await take(1024, 1000), false)
  assert.equal(await take(0, 20_000), true)
  observer.disconnect()
})
