/** Connections that come while the process has no time for them (specification 7.8). */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { openEdge } from '../support/edge.ts'
import { patience } from '../support/patience.ts'

/** More than Node lets wait by itself, which is 511. */
const count = 700

const connectAll = `
const { connect } = require('node:net')
const { workerData } = require('node:worker_threads')
const { port, count, connected } = workerData
const sockets = Array.from({ length: count }, () => connect(port, '127.0.0.1'))
for (const socket of sockets) {
  socket.on('error', () => {})
  socket.on('connect', () => {
    if (Atomics.add(connected, 0, 1) === count - 1) Atomics.notify(connected, 1)
  })
}
`

/** Of the system, where it says so. */
function maxWaiting(): number {
  try {
    return Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8'))
  } catch {
    return 128
  }
}

const skip = maxWaiting() < count && 'the system lets fewer connections wait'

test('7.8 connections that arrive while the process is busy wait for it', { skip }, async () => {
  await using edge = await openEdge()
  const connected = new Int32Array(new SharedArrayBuffer(8))
  const port = Number(new URL(edge.url).port)
  const crowd = new Worker(connectAll, { eval: true, workerData: { port, count, connected } })
  await new Promise((resolve) => crowd.once('online', resolve))
  Atomics.wait(connected, 1, 0, patience) // this thread accepts nothing
  const formed = Atomics.load(connected, 0)
  await crowd.terminate()
  assert.equal(formed, count)
})
