/** Clients that do not read their responses: what waits for them is not in memory, and they are cut on time (specification 7.9). */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { devNull } from 'node:os'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import type { CacheHold } from '../../src/model/call.ts'
import { MemoryBudget } from '../../src/model/memory-budget.ts'
import { openEdge, plain, signalled } from '../support/edge.ts'
import { openRawSocket, sendRaw } from '../support/raw-socket.ts'

const get = (path = '/', headers = '') => `GET ${path} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`
/** More than the buffers of two sockets take. */
const large = 24 * 1024 ** 2

/** Other calls go on meanwhile. */
async function until(url: string, holds: () => boolean): Promise<void> {
  while (!holds()) assert.equal((await sendRaw(url, get('/other'))).text, 'other')
}

async function openLarge(memory: MemoryBudget, bytes: Buffer, responseTimeout = 10_000, cacheHold?: CacheHold) {
  const left = signalled()
  const edge = await openEdge({
    memory,
    limits: { responseTimeout },
    operation: ({ target, signal }) => {
      if (target === '/other') return 'other'
      signal.addEventListener('abort', () => left.resolve())
      return {
        status: 200,
        headers: ['content-type', 'application/octet-stream'],
        body: { bytes, ...(cacheHold && { cacheHold }) },
      }
    },
  })
  return { ...edge, left: left.promise }
}

for (const total of [64 * 1024 ** 2, 4 * 1024 ** 2]) {
  test(`7.8, 7.9 what a client does not read is moved to a file, and arrives complete when it reads again, with ${total} bytes for all`, async () => {
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

/** @returns clients that have asked, and read nothing */
async function askAndPause(url: string, count: number) {
  const sockets = await Promise.all(Array.from({ length: count }, () => openRawSocket(url)))
  for (const { socket, write } of sockets) {
    socket.pause()
    write(get())
  }
  return sockets
}

/** Nothing waits in files: otherwise there were no room for so much. */
function hasNoFiles(memory: MemoryBudget): boolean {
  const max = memory.total * 8
  const isEmpty = memory.moveToFile(max)
  if (isEmpty) memory.leaveFile(max)
  return isEmpty
}

test('7.8, 7.9 a cached response that several clients do not read stays in memory, and is counted once', async () => {
  const memory = new MemoryBudget(64 * 1024 ** 2)
  const cacheHold = { isHeld: true }
  const bytes = randomBytes(large)
  await using edge = await openLarge(memory, bytes, 10_000, cacheHold)
  const sockets = await askAndPause(edge.url, 4)
  await until(edge.url, () => sockets.every(({ socket }) => socket.bytesRead > 0 || socket.readableLength > 0))
  for (let calls = 0; calls < 10; calls += 1) {
    assert.equal((await sendRaw(edge.url, get('/other'))).text, 'other')
    assert.equal(memory.reserved, large)
    assert.ok(hasNoFiles(memory))
  }
  cacheHold.isHeld = false // the cache has let it go: what is left waits in files
  const [first, second, ...others] = sockets
  for (const { socket } of others) socket.destroy()
  for (const each of [first, second]) {
    each?.socket.resume()
    assert.ok((await each?.readReply())?.body.equals(bytes))
  }
  await until(edge.url, () => memory.reserved === 0)
  for (const each of sockets) each.destroy()
})

test('7.8 a response that several clients do not read is counted until the last of them has it in a file', async () => {
  const memory = new MemoryBudget(64 * 1024 ** 2)
  await using edge = await openLarge(memory, randomBytes(large))
  const sockets = await askAndPause(edge.url, 4)
  await until(edge.url, () => {
    assert.ok(memory.reserved <= large + 4 * 16 * 1024, `${memory.reserved}`)
    return !hasNoFiles(memory)
  })
  await until(edge.url, () => memory.reserved > 0 && memory.reserved <= 4 * 16 * 1024)
  for (const each of sockets) each.destroy()
  await until(edge.url, () => memory.reserved === 0 && hasNoFiles(memory))
})

test('7.9 writing to the file of a disconnected client stops', async (context) => {
  const memory = new MemoryBudget(64 * 1024 ** 2)
  await using edge = await openLarge(memory, Buffer.alloc(large))
  const handle = await open(devNull, 'w')
  const files: FileHandle = Object.getPrototypeOf(handle)
  await handle.close()
  let written = 0
  context.mock.method(files, 'write', async (bytes: Buffer) => {
    written += bytes.length
    socket?.socket.resetAndDestroy()
    await edge.left
    return { bytesWritten: bytes.length }
  })
  const [socket] = await askAndPause(edge.url, 1)
  await until(edge.url, () => written > 0)
  await until(edge.url, () => memory.reserved === 0 && hasNoFiles(memory))
  assert.ok(written <= 1024 ** 2, `${written} bytes`)
})

test('7.9 a client that reads nothing is disconnected one time limit after it took the last byte', async () => {
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

test('7.8 a client that disconnects during a large response, or before its compression, leaves nothing reserved', async () => {
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

test('7.2, 7.8 a large response is compressed if there is memory for it, and sent uncompressed otherwise', async () => {
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
