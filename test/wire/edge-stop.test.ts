/** Graceful shutdown: calls in progress are answered, idle connections are closed, and what does not end is ended (specification 4.15, 5.4). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openEdge, signalled } from '../support/edge.ts'
import { openRawSocket } from '../support/raw-socket.ts'

const get = 'GET / HTTP/1.1\r\nHost: gateway\r\n\r\n'
const long = { shutdownGrace: 60_000 } // a stop that needs it does not end within a test

test('17.5 a call on an open connection during shutdown is answered with Connection: close', async () => {
  const edge = await openEdge({ limits: { ...long, shutdownIdle: 60_000 } })
  const used = await openRawSocket(edge.url)
  used.write(get)
  assert.equal((await used.readReply()).header('connection'), 'keep-alive')
  const fresh = await openRawSocket(edge.url)
  const stopped = edge.close()
  await assert.rejects(openRawSocket(edge.url), { code: 'ECONNREFUSED' })
  for (const socket of [used, fresh]) {
    socket.write(get)
    const reply = await socket.readReply()
    assert.deepEqual([reply.status, reply.header('connection')], [200, 'close'])
  }
  await stopped
})

test('17.5 shutdown closes connections that stay idle, used or not', async () => {
  const edge = await openEdge({ limits: { ...long, shutdownIdle: 10 } })
  const used = await openRawSocket(edge.url)
  used.write(get)
  await used.readReply()
  const fresh = await openRawSocket(edge.url)
  await edge.close()
  await Promise.all([used.closed, fresh.closed])
  await assert.rejects(openRawSocket(edge.url), { code: 'ECONNREFUSED' })
})

test('4.15 shutdown waits for the running handler and closes its connection', async () => {
  const begun = signalled()
  const finish = signalled<string>()
  const edge = await openEdge({
    limits: long,
    operation: () => {
      begun.resolve()
      return finish.promise
    },
  })
  const socket = await openRawSocket(edge.url)
  socket.write(get)
  await begun.promise
  const stopped = edge.close()
  finish.resolve('finished')
  const reply = await socket.readReply()
  assert.deepEqual([reply.status, reply.text, reply.header('connection')], [200, 'finished', 'close'])
  await stopped
})

test('4.15 shutdown waits for a body that is still arriving', async () => {
  const begun = signalled()
  const edge = await openEdge({
    limits: long,
    operation: async (call) => {
      const body = call.readBody()
      begun.resolve()
      return `${(await body).size}`
    },
  })
  const socket = await openRawSocket(edge.url)
  socket.write('POST / HTTP/1.1\r\nHost: gateway\r\nContent-Length: 8\r\n\r\nhalf')
  await begun.promise
  const stopped = edge.close()
  socket.write('more')
  const reply = await socket.readReply()
  assert.deepEqual([reply.text, reply.header('connection')], ['8', 'close'])
  await stopped
})

test('4.15 shutdown waits for a slow reader: the response arrives complete', async () => {
  const bytes = Buffer.alloc(32 * 1024 * 1024, 'x')
  const edge = await openEdge({ limits: long, operation: () => ({ status: 200, headers: [], body: { bytes } }) })
  const socket = await openRawSocket(edge.url)
  socket.write(get)
  await new Promise((resolve) => socket.socket.once('data', resolve))
  socket.socket.pause()
  const stopped = edge.close()
  socket.socket.resume()
  assert.ok((await socket.readReply()).body.equals(bytes))
  await stopped
})

test('4.15, 5.4 after the grace time calls are aborted by their signal, and may still answer', async () => {
  const begun = signalled()
  const edge = await openEdge({
    limits: { shutdownGrace: 10 },
    operation: ({ signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason))
        begun.resolve()
      }),
  })
  const socket = await openRawSocket(edge.url)
  socket.write(get)
  await begun.promise
  const stopped = edge.close()
  const reply = await socket.readReply()
  assert.deepEqual([reply.status, reply.header('ig-refusal')], [503, 'overloaded'])
  assert.equal(reply.header('connection'), 'close')
  await stopped
})

test('4.15 a handler that does not end does not keep the gateway from ending', async () => {
  const begun = signalled()
  const edge = await openEdge({
    limits: { shutdownGrace: 10 },
    operation: () => {
      begun.resolve()
      return new Promise(() => {})
    },
  })
  const socket = await openRawSocket(edge.url)
  socket.write(get)
  await begun.promise
  await edge.close()
  assert.equal((await socket.closed).length, 0)
})

test('4.15 a body that never comes does not keep the gateway from ending', async () => {
  const begun = signalled()
  const edge = await openEdge({
    limits: { shutdownGrace: 10 },
    operation: async (call) => {
      const body = call.readBody()
      begun.resolve()
      return `${(await body).size}`
    },
  })
  const socket = await openRawSocket(edge.url)
  socket.write('POST / HTTP/1.1\r\nHost: gateway\r\nContent-Length: 8\r\n\r\nhalf')
  await begun.promise
  const stopped = edge.close()
  assert.equal((await socket.readReply()).header('ig-refusal'), 'overloaded')
  await stopped
})
