/** The memory that connections and heads take: slow heads, large ones, and those that wait behind a call (specification 7.5, 7.8). */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Call } from '../../src/model/call.ts'
import { MemoryBudget } from '../../src/model/memory-budget.ts'
import { openEdge, signalled } from '../support/edge.ts'
import { poll } from '../support/poll.ts'
import { openRawSocket, sendRaw } from '../support/raw-socket.ts'

const large = `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n`
const small = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'
/** Of one large head. */
const cost = 56 * 1024

async function isGone(memory: MemoryBudget): Promise<void> {
  await poll(() => memory.reserved === 0)
}

test('5.4, 7.5 of requests on one connection, each is read as it was sent, however like the one before', async () => {
  await using edge = await openEdge({
    operation: async ({ method, target, headers }) => `${method} ${target} ${headers.host} ${headers['x-id']}`,
  })
  const socket = await openRawSocket(edge.url)
  const requests = [
    ['GET /1 HTTP/1.1\r\nHost: a\r\nX-Id: 1\r\n\r\n', 'GET /1 a 1'],
    ['DELETE /other HTTP/1.1\r\nHost: a\r\nX-Id: 1\r\n\r\n', 'DELETE /other a 1'],
    ['GET /1 HTTP/1.1\r\nHost: a\r\nX-Id: 2\r\n\r\n', 'GET /1 a 2'],
    ['PUT /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nX-Id: 2\r\n\r\n{}', 'PUT /1 a 2'],
    ['PUT /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nX-Id: 2\r\n\r\n[]', 'PUT /1 a 2'],
    ['GET /1 HTTP/1.1\r\nHost: b\r\nX-Id: 2\r\n\r\n', 'GET /1 b 2'],
  ]
  for (const [request = '', answer] of requests) {
    socket.write(request)
    assert.equal((await socket.readReply()).text, answer)
  }
  socket.write('GET /1 HTTP/1.1\r\nHost: b\r\nHost: b\r\n\r\n')
  assert.equal((await socket.readReply()).status, 400)
})

test('7.8 unfinished heads hold memory, and one too many is disconnected', async () => {
  const memory = new MemoryBudget(3.5 * cost)
  await using edge = await openEdge({ memory })
  const sockets = await Promise.all([1, 2, 3, 4].map(() => openRawSocket(edge.url)))
  for (const socket of sockets) socket.write(large)
  await Promise.race(sockets.map(({ closed }) => closed))
  assert.ok(memory.reserved > 2 * cost && memory.reserved <= memory.total, `${memory.reserved}`)
  assert.match(JSON.stringify(edge.observations), /no memory for its request heads/)
  for (const socket of sockets) socket.destroy()
  await isGone(memory)
})

test('7.8 unfinished trailers hold memory, and one too many is disconnected', async () => {
  const memory = new MemoryBudget(3.5 * cost)
  await using edge = await openEdge({
    memory,
    operation: async (call) => {
      if (call.method === 'POST') await call.readBody()
      return 'read'
    },
  })
  const sockets = await Promise.all([1, 2, 3, 4].map(() => openRawSocket(edge.url)))
  for (const socket of sockets)
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n')
  for (let calls = 0; calls < 2; calls += 1) await sendRaw(edge.url, small) // and the bodies have come too
  for (const socket of sockets) socket.write(`X: ${'x'.repeat(20_000)}\r\n`)
  await Promise.race(sockets.map(({ closed }) => closed))
  assert.ok(memory.reserved > 2 * cost && memory.reserved <= memory.total, `${memory.reserved}`)
  for (const socket of sockets) socket.write('\r\n')
  const replies = await Promise.allSettled(sockets.map((socket) => socket.readReply()))
  const read = replies.filter((reply) => reply.status === 'fulfilled').map(({ value }) => value.text)
  assert.deepEqual(read, ['read', 'read', 'read'])
  for (const socket of sockets) socket.destroy()
  await isGone(memory)
})

test('7.8 a body that waits for the disk does not count as a head', async () => {
  const memory = new MemoryBudget(3.5 * cost)
  await using edge = await openEdge({
    memory,
    limits: { spoolMemoryBytes: 0 },
    operation: async (call) => `${(await call.readBody()).size}`,
  })
  const [sender, other] = await Promise.all([1, 2].map(() => openRawSocket(edge.url)))
  const free = await holdFiles()
  sender?.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 300000\r\n\r\n${'x'.repeat(20_000)}`)
  for (let calls = 0; calls < 2; calls += 1) await sendRaw(edge.url, small) // and that much of the body is taken
  sender?.write('x'.repeat(280_000))
  other?.write(large)
  await poll(() => memory.reserved > 0) // both were looked at by then
  const { reserved } = memory
  await free()
  assert.equal(reserved, 2 * large.length + 16 * 1024)
  assert.equal((await sender?.readReply())?.text, '300000')
  for (const socket of [sender, other]) socket?.destroy()
  await isGone(memory)
})

/** Every thread that works on files waits for a named pipe. @returns lets them go on */
async function holdFiles(): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'ig-pipe-'))
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  const threads = Number(process.env.UV_THREADPOOL_SIZE ?? 4)
  const opening = Array.from({ length: threads }, () => open(pipe, 'r'))
  return async () => {
    const writer = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK)
    for (const handle of await Promise.all(opening)) await handle.close()
    closeSync(writer)
    rmSync(folder, { recursive: true })
  }
}

test('7.8 a complete head is answered, and holds nothing afterwards', async () => {
  const memory = new MemoryBudget(3 * cost)
  await using edge = await openEdge({ memory })
  const socket = await openRawSocket(edge.url)
  for (let calls = 0; calls < 5; calls += 1) {
    socket.write(large)
    if (calls === 2) await sleep(700) // it was looked at meanwhile
    socket.write('\r\n')
    assert.equal((await socket.readReply()).status, 200)
    assert.equal(memory.reserved, 0)
  }
  await sleep(700)
  assert.equal(memory.reserved, 0)
  socket.destroy()
})

test('7.8 the head of a call counts until its response, and one for which there is no memory is overloaded', async () => {
  const memory = new MemoryBudget(1.5 * cost)
  const begun = signalled()
  const release = signalled()
  await using edge = await openEdge({
    memory,
    operation: async () => {
      begun.resolve()
      await release.promise
      return 'done'
    },
  })
  const [first, second, third] = await Promise.all([1, 2, 3].map(() => openRawSocket(edge.url)))
  first?.write(`${large}\r\n`)
  await begun.promise
  second?.write(`${large}\r\n`)
  const refused = await second?.readReply()
  assert.deepEqual([refused?.status, refused?.header('ig-refusal')], [503, 'overloaded'])
  third?.write(small)
  release.resolve()
  assert.equal((await third?.readReply())?.status, 200)
  assert.equal((await first?.readReply())?.status, 200)
  await isGone(memory)
  for (const socket of [first, second, third]) socket?.destroy()
})

test('7.8 calls waiting behind another are not read before their turn, and hold almost no memory', async () => {
  const memory = new MemoryBudget(100 * 4096)
  let waiting: ((text: string) => void) | undefined
  await using edge = await openEdge({
    memory,
    limits: { shutdownGrace: 1 },
    operation: ({ request }: Call & { readonly request?: { readonly socket: Socket } }) => {
      assert.ok((request?.socket.bytesRead ?? 0) < 1024 * 1024)
      return new Promise<string>((resolve) => (waiting = resolve))
    },
  })
  const flood = await openRawSocket(edge.url)
  const calls = 100_000
  flood.write(small.repeat(calls))
  await poll(() => waiting !== undefined)
  assert.equal(memory.reserved, 0)
  waiting?.('first')
  assert.equal((await flood.readReply()).text, 'first')
  flood.destroy()
  await isGone(memory)
})

test('7.5 a head of more than 256 fields is refused', async () => {
  await using edge = await openEdge()
  const fields = (count: number) => Array.from({ length: count }, (_, at) => `n${at}: \r\n`).join('')
  const socket = await openRawSocket(edge.url)
  socket.write(`GET / HTTP/1.1\r\nHost: a\r\n${fields(255)}\r\n`)
  assert.equal((await socket.readReply()).status, 200)
  socket.write(`GET / HTTP/1.1\r\nHost: a\r\n${fields(4000)}\r\n`)
  const reply = await socket.readReply()
  assert.deepEqual([reply.status, reply.header('ig-refusal')], [431, 'headersTooLarge'])
  await socket.closed
})

test('7.8 connections beyond the budget are closed at once', async () => {
  await using edge = await openEdge({ memory: new MemoryBudget(20 * 64 * 1024) })
  const sockets = await Promise.all(Array.from({ length: 20 }, () => openRawSocket(edge.url)))
  for (const socket of sockets) {
    socket.write(small)
    assert.equal((await socket.readReply()).status, 200)
  }
  const refused = await openRawSocket(edge.url)
  await refused.closed
  assert.ok(edge.observations.some((told) => told.kind === 'event' && told.name === 'connectionsFull'))
  const [first, second] = sockets
  first?.destroy()
  second?.write(small)
  assert.equal((await second?.readReply())?.status, 200)
  for (let isServed = false; !isServed; ) {
    const next = await openRawSocket(edge.url)
    next.write(small)
    isServed = await next.readReply().then(
      () => true,
      () => false,
    )
    next.destroy()
  }
  for (const socket of sockets) socket.destroy()
})
