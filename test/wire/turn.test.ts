/** When the calls of many connections begin (specification 25.13). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openEdge } from '../support/edge.ts'
import { openRawSocket } from '../support/raw-socket.ts'

test('25.13 calls that each come on a connection of their own begin together, so that a long turn shows how many wait', async () => {
  const count = 30
  const begun: number[] = []
  let turn = 0
  let isOver = false
  const countTurns = () => {
    turn += 1
    if (!isOver) setImmediate(countTurns)
  }
  countTurns()
  await using edge = await openEdge({
    operation: () => {
      begun.push(turn)
      return 'done'
    },
  })
  const replies = Array.from({ length: count }, async () => {
    const socket = await openRawSocket(edge.url)
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    const { text } = await socket.readReply()
    socket.destroy()
    return text
  })
  assert.deepEqual(await Promise.all(replies), Array(count).fill('done'))
  isOver = true
  assert.ok(new Set(begun).size < count / 2, `in ${new Set(begun).size} turns`)
})
