/** Work of many connections at one moment (specification 7.9). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as breathe } from 'node:timers/promises'
import { inSlice } from '../src/http/turn.ts'

test('7.9 between the work of many connections calls go on, and all of it is done in order', async () => {
  const done: number[] = []
  const block = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
  for (let index = 0; index < 10; index += 1)
    inSlice(() => {
      block()
      done.push(index)
      if (index === 3) inSlice(() => done.push(10))
    })
  let turns = 0
  while (done.length < 11) {
    await breathe()
    turns += 1
  }
  assert.ok(turns >= 10, `${turns} turns of the event loop`)
  assert.deepEqual(done, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
})
