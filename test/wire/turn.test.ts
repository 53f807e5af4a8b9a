/** Work of many connections at one moment (specification 7.9). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as breathe } from 'node:timers/promises'
import { accepted, atEndOfTurn, inSlice } from '../../src/http/turn.ts'
import { openEdge, signalled } from '../support/edge.ts'
import { openRawSocket } from '../support/raw-socket.ts'

const block = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)

async function countTurns(isDone: () => boolean): Promise<number> {
  let turns = 0
  while (!isDone()) {
    await breathe()
    turns += 1
  }
  return turns
}

test('7.9 calls continue between the work of many connections, and all of it is done in order', async () => {
  const done: number[] = []
  for (let index = 0; index < 10; index += 1)
    inSlice(() => {
      block()
      done.push(index)
      if (index === 3) inSlice(() => done.push(10))
    })
  const turns = await countTurns(() => done.length === 11)
  assert.ok(turns >= 10, `${turns} turns of the event loop`)
  assert.deepEqual(done, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
})

test('7.9 work that follows without waiting is part of its slice', async () => {
  let done = 0
  for (let index = 0; index < 10; index += 1)
    inSlice(async () => {
      for (let step = 0; step < 3; step += 1) await undefined
      block()
      done += 1
    })
  const turns = await countTurns(() => done === 10)
  assert.ok(turns >= 10, `${turns} turns of the event loop`)
})

test('7.9 bodies that time out at the same moment are refused a few at a time', async () => {
  const count = 8
  const turnsOf: number[] = []
  let turns = 0
  const refused = signalled()
  await using edge = await openEdge({
    limits: { bodyTimeout: 100 },
    operation: async (call) => {
      const late = await Promise.resolve(call.readBody()).catch((error) => error)
      turnsOf.push(turns)
      block() // for longer than a slice
      refused.resolve()
      throw late
    },
  })
  const sockets = await Promise.all(Array.from({ length: count }, () => openRawSocket(edge.url)))
  for (const socket of sockets) socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n')
  await refused.promise
  await countTurns(() => {
    turns += 1
    return turnsOf.length === count
  })
  assert.equal(new Set(turnsOf).size, count)
  for (const socket of sockets) assert.equal((await socket.readReply()).header('ig-refusal'), 'bodyMalformed')
  for (const socket of sockets) socket.destroy()
})

test('25.13 calls begin when no connection has been accepted for a turn, or after 256 turns', async () => {
  let begun = 0
  const work = { begin: () => void (begun += 1) }
  const turns = async (isAccepting: (turn: number) => boolean) => {
    begun = 0
    atEndOfTurn(work)
    atEndOfTurn(work)
    let turn = 0
    for (; begun === 0; turn += 1) {
      if (isAccepting(turn)) accepted()
      await breathe()
    }
    assert.equal(begun, 2)
    return turn
  }
  assert.equal(await turns(() => false), 1)
  assert.equal(await turns((turn) => turn < 5), 6)
  assert.equal(await turns(() => true), 257)
  accepted()
  await breathe()
  assert.equal(await turns(() => false), 1) // the connection was accepted in an earlier turn
})
