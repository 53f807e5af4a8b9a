/** Clients that do not read their responses: what waits for them is not in memory, and they are cut on time (specification 7.9). */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { MemoryBudget } from '../src/model/memory-budget.ts'
import { openEdge, plain, signalled } from './support/edge.ts'
import { openRawSocket, sendRaw } from './support/raw-socket.ts'

const get = (path = '/', headers = '') => `GET ${path} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`
/** More than the buffers of two sockets take. */
const large = 24 * 1024 ** 2

/** Other calls go on meanwhile. */
async function until(url: string, holds: () => boolean): Promise<void> {
  while (!holds()) assert.equal((await sendRaw(url, get('/other'))).text, 'other')
}

async function openLarge(memory: MemoryBudget, bytes: Buffer, responseTimeout = 10_000) {
  const left = signalled()
  const edge = await openEdge({
    memory,
    limits: { responseTimeout },
    operation: ({ target, signal }) => {
      if (target === '/other') return 'other'
      signal.addEventListener('abort', () => left.resolve())
      return { status: 200, headers: ['content-type', 'application/octet-stream'], body: { bytes } }
    },
  })
  return { ...edge, left: left.promise }
}

for (const total of [64 * 1024 ** 2, 4 * 1024 ** 2]) {
  test(`7.8, 7.9 what a client leaves waiting is in a file, and comes whole when it reads on, with ${total} bytes for all`, async () => {
    const memory = new MemoryBudget(total)
    const bytes = randomBytes(large)
    await using edge = await openLarge(memory, bytes)
    const socket = await openRawSocket(edge.url)
    socket.socket.pause()
    socket.write(get())
    await until(edge.url, () => memory.reserved > 0)
    await until(edge.url, () => memory.reserved <= 16 * 1024)
    socket.socket.resume()
    const reply = await socket.readReply()
    assert.ok(reply.body.equals(bytes))
    socket.write(get('/other'))
    assert.equal((await socket.readReply()).text, 'other')
    assert.equal(memory.reserved, 0)
    socket.destroy()
  })
}

test('7.9 a client that reads nothing is cut the time limit after it took the last byte', async () => {
  const limit = 400
  const memory = new MemoryBudget(64 * 1024 ** 2)
  await using edge = await openLarge(memory, Buffer.alloc(large), limit)
  const socket = await openRawSocket(edge.url)
  socket.socket.pause()
  const events: string[] = []
  const early = setTimeout(() => events.push('early'), limit - 1)
  socket.write(get())
  await until(edge.url, () => memory.reserved > 0)
  await until(edge.url, () => memory.reserved <= 16 * 1024) // it waits in the file: the client takes no more
  const late = setTimeout(() => events.push('late'), limit * 1.5)
  await edge.left
  events.push('cut')
  assert.deepEqual(events, ['early', 'cut']) // timers of one loop fire in their order, however busy it is
  await until(edge.url, () => memory.reserved === 0)
  for (const timer of [early, late]) clearTimeout(timer)
  socket.destroy()
})

test('7.8 a client that leaves amid a large reply, or before its reply is compressed, leaves nothing reserved', async () => {
  const memory = new MemoryBudget(64 * 1024 ** 2)
  await using edge = await openEdge({
    memory,
    operation: ({ target }) => (target === '/other' ? 'other' : plain('gateway '.repeat(1_000_000))),
  })
  for (const headers of ['', 'Accept-Encoding: gzip\r\n']) {
    const socket = await openRawSocket(edge.url)
    socket.socket.pause()
    socket.write(get('/', headers))
    await until(edge.url, () => memory.reserved > 0)
    socket.socket.resetAndDestroy()
    await until(edge.url, () => memory.reserved === 0)
  }
})

test('7.2, 7.8 a large reply is compressed where the memory has room for that, and sent as it is where it has none', async () => {
  const text = 'gateway '.repeat(100_000)
  for (const [total, encoding] of [[8 * 1024 ** 2, 'gzip'] as const, [1024 ** 2, undefined] as const]) {
    const memory = new MemoryBudget(total)
    await using edge = await openEdge({ memory, operation: () => plain(text) })
    const reply = await sendRaw(edge.url, get('/', 'Accept-Encoding: gzip\r\n'))
    assert.equal(reply.header('content-encoding'), encoding)
    assert.equal((encoding ? gunzipSync(reply.body) : reply.body).toString(), text)
    await until(edge.url, () => memory.reserved === 0).catch(() => assert.equal(memory.reserved, 0))
  }
})
