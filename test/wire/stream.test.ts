/** Streams of handlers over real sockets (specification 5.30 to 5.35, 7.18, 7.19). */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { after, before, beforeEach, test } from 'node:test'
import { setImmediate as breathe } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import type { AnsweredCall } from '../../src/model/call-record.ts'
import { answerConditional, Refusal } from '../../src/sdk.ts'
import { makeCertificate } from '../support/certificate.ts'
import { basic, send } from '../support/client.ts'
import { signalled } from '../support/edge.ts'
import { root } from '../support/gateway.ts'
import { scaled } from '../support/patience.ts'
import { openPlanned, type PlannedGateway } from '../support/planned.ts'
import { openRawSocket, sendRaw } from '../support/raw-socket.ts'

let gateway: PlannedGateway
before(async () => {
  gateway = await openPlanned({ properties: { 'ig.errorStyle': 'standard' } })
})
after(() => gateway.close())

let seen = 0
beforeEach(() => {
  seen = gateway.observations.length
})

const answers = () => gateway.observations.slice(seen).filter((one): one is AnsweredCall => one.kind === 'answered')
const warnings = () => gateway.observations.slice(seen).filter((one) => one.kind === 'note')

/** The report of the only call of a test, which comes when its stream has ended. */
async function report(): Promise<AnsweredCall> {
  while (answers().length === 0) await breathe()
  const [answered] = answers()
  assert.ok(answered && answers().length === 1)
  return answered
}

const head = (version = '1.1', method = 'GET', headers = '') =>
  `${method} ${root}/PLANNED.v1/ HTTP/${version}\r\nHost: a\r\nAuthorization: ${basic('DEMO').authorization}\r\n${headers}\r\n`

/** Yields, and tells how it was ended. */
function watched(chunks: () => AsyncGenerator<string | Uint8Array>) {
  const ended = signalled()
  const state = { pulls: 0, hasEnded: false, ended: ended.promise }
  async function* source() {
    try {
      for await (const chunk of chunks()) {
        state.pulls += 1
        yield chunk
      }
    } finally {
      state.hasEnded = true
      ended.resolve()
    }
  }
  return { source: source(), state }
}

async function* endless(chunk: string | Uint8Array) {
  for (;;) yield chunk
}

test('5.30 a source yields text and bytes, which arrive in order as they were yielded, and the connection is kept', async () => {
  const long = 'ä€😀'.repeat(40_000)
  gateway.plan = (response) => {
    response.contentType = 'text/csv'
    response.setContentStream(
      (async function* () {
        yield 'one,'
        yield ''
        yield Buffer.from('zwölf,')
        await breathe()
        yield new Uint8Array([0x61, 0x2c])
        yield '\ud83d'
        yield '\ude00,\ud83d'
        yield Buffer.from(',')
        yield long
        yield Buffer.alloc(200_000, 'b')
      })(),
    )
  }
  const reply = await gateway.ask('GET')
  assert.equal(reply.status, 200)
  assert.equal(reply.headers['content-type'], 'text/csv')
  assert.equal(reply.headers['transfer-encoding'], 'chunked')
  assert.equal(reply.headers['content-length'], undefined)
  assert.ok(reply.text === `one,zwölf,a,😀,\ufffd,${long}${'b'.repeat(200_000)}`)
  const { streamed, refusal } = await report()
  assert.deepEqual([streamed, refusal], [{ bytes: reply.bytes.length, isWhole: true, failure: undefined }, undefined])
  assert.equal(gateway.gateway.memory.reserved, 0)

  const socket = await openRawSocket(gateway.url)
  gateway.plan = (response) => response.setContentStream(Readable.from(['four']), { size: 4 })
  for (const _ of ['one call', 'another']) {
    socket.write(head())
    const { text, header } = await socket.readReply()
    assert.deepEqual([text, header('content-length'), header('transfer-encoding')], ['four', '4', undefined])
  }
  socket.destroy()
})

test('5.30 only an AsyncIterable is a source, its size is a number of bytes, and its chunks are text or bytes', async () => {
  const faults: unknown[] = []
  const attempt = (work: () => void) => {
    try {
      work()
    } catch (error) {
      faults.push((error as Error).message)
    }
  }
  gateway.plan = (response) => {
    for (const source of ['text', ['a'], undefined, null]) attempt(() => response.setContentStream(source as never))
    for (const size of [-1, 1.5, '7']) attempt(() => response.setContentStream(endless(''), { size: size as number }))
    response.setContentStream(Readable.from([{ a: 1 }]) as never)
  }
  const reply = await gateway.ask('GET')
  assert.deepEqual(faults, [
    'setContentStream takes an AsyncIterable, such as a Readable, not string',
    'setContentStream takes an AsyncIterable, such as a Readable, not an array',
    'setContentStream takes an AsyncIterable, such as a Readable, not undefined',
    'setContentStream takes an AsyncIterable, such as a Readable, not null',
    'The size of a stream is a whole number of bytes, not -1',
    'The size of a stream is a whole number of bytes, not 1.5',
    'The size of a stream is a whole number of bytes, not 7',
  ])
  assert.deepEqual([reply.status, (await report()).refusal?.code], [500, 'handlerFailed'])
})

test('5.31 a source that fails before anything is sent is answered as an error, and a Refusal as such', async () => {
  const fail = (error: Error) => {
    gateway.plan = (response) =>
      response.setContentStream(
        (async function* () {
          yield 'never sent'
          throw error
        })(),
      )
  }
  fail(new Error('no rows'))
  gateway.onError = () => 'never'
  const failed = await gateway.ask('GET')
  gateway.onError = undefined
  assert.deepEqual([failed.status, failed.headers['ig-refusal']], [500, 'handlerFailed'])
  assert.match((await report()).refusal?.message ?? '', /^PLANNED_GET\.v1: the stream failed: Error: no rows$/)
  gateway.plan = async (response) => {
    const missing = createReadStream('/nowhere/at/all')
    response.setContentStream(missing)
    await finished(missing).catch(() => {}) // it has failed before anyone reads it
  }
  assert.equal((await gateway.ask('GET')).status, 500)
  fail(new Refusal('bodyMalformed', 'too long', { detail: 'Ask for less.' }))
  const refused = await gateway.ask('GET')
  assert.deepEqual([refused.status, refused.headers['ig-refusal']], [400, 'bodyMalformed'])
  assert.match(refused.text, /Ask for less/)
})

for (const [title, size, chunks, message] of [
  ['fails in the middle', undefined, ['some', new Error('no more')], /failed after 4 bytes: Error: no more/],
  ['fails in the middle, with its size', 10, ['some', new Error('no more')], /failed after 4 bytes: Error: no more/],
  ['ends before its size', 10, ['some'], /ended after 4 of its 10 bytes/],
  ['yields after its size', 4, ['some', 'more'], /yields more than its 4 bytes/],
  ['yields something else', undefined, ['some', 7], /yields strings and bytes, not number/],
] as const) {
  test(`5.31 the connection is reset, and log and monitor have the reason, if a stream ${title}`, async () => {
    gateway.plan = (response) =>
      response.setContentStream(
        (async function* () {
          for (const chunk of chunks) {
            if (chunk instanceof Error) throw chunk
            yield chunk as string
            await breathe()
            await breathe()
          }
        })(),
        size === undefined ? {} : { size },
      )
    const socket = await openRawSocket(gateway.url)
    const reset = once(socket.socket, 'error').catch(([error]) => [error])
    socket.write(head())
    const [error] = await reset
    assert.equal(error.code, 'ECONNRESET')
    const { reply, refusal, streamed } = await report()
    assert.deepEqual(
      [reply.status, refusal?.code, streamed?.isWhole, streamed?.bytes],
      [200, 'handlerFailed', false, 4],
    )
    assert.match(refusal?.message ?? '', message)
  })
}

test('5.30 HEAD pulls nothing, and ends the source', async () => {
  const { source, state } = watched(() => endless('x'))
  gateway.plan = (response) => response.setContentStream(source, { size: 12 })
  const reply = await gateway.ask('HEAD')
  assert.deepEqual([reply.status, reply.headers['content-length'], reply.text], [200, '12', ''])
  const readable = Readable.from(['x'])
  gateway.plan = (response) => response.setContentStream(readable)
  const socket = await openRawSocket(gateway.url)
  socket.write(head('1.1', 'HEAD'))
  assert.equal((await socket.readReply({ isHead: true })).header('content-length'), undefined)
  socket.destroy()
  assert.ok(readable.destroyed)
  assert.equal(state.pulls, 0)
  let returns = 0
  const iterator = { next: () => assert.fail(), return: async () => ({ done: true, value: (returns += 1) }) }
  gateway.plan = (response) => response.setContentStream({ [Symbol.asyncIterator]: () => iterator } as never)
  assert.equal((await gateway.ask('HEAD')).status, 200)
  assert.equal(returns, 1)
})

test('5.31 a client that disconnects ends the source and its signal, which is not a failure', async () => {
  const aborted = signalled()
  const { source, state } = watched(() => endless(Buffer.alloc(100_000)))
  gateway.plan = (response, _request, { signal }) => {
    signal.addEventListener('abort', () => aborted.resolve())
    response.setContentStream(source)
  }
  const socket = await openRawSocket(gateway.url)
  socket.write(head())
  await once(socket.socket, 'data')
  socket.destroy()
  await Promise.all([state.ended, aborted.promise])
  const { refusal, streamed } = await report()
  assert.deepEqual([refusal, streamed?.isWhole], [undefined, false])
  while (gateway.gateway.memory.reserved > 0) await breathe()
})

test('5.31 a client that disconnects while the source waits ends it too, before and after the first chunk', async () => {
  for (const first of [[], ['first']]) {
    const waits = signalled()
    const returned = signalled()
    const chunks = [...first]
    const iterator = {
      async next() {
        const value = chunks.shift()
        if (value !== undefined) return { done: false, value }
        waits.resolve()
        return new Promise(() => {})
      },
      async return() {
        returned.resolve()
        return { done: true, value: undefined }
      },
    }
    gateway.plan = (response) => response.setContentStream({ [Symbol.asyncIterator]: () => iterator } as never)
    const socket = await openRawSocket(gateway.url)
    const received = first.length > 0 && once(socket.socket, 'data')
    socket.write(head())
    await waits.promise
    await received
    if (first.length > 0)
      socket.destroy() // which a client that waits for more could have sent too
    else socket.socket.resetAndDestroy()
    await returned.promise
  }
})

test('5.32 the request can be read until the stream ends', async () => {
  gateway.plan = (response, request) => {
    response.setContentStream(
      (async function* () {
        await breathe()
        for await (const { text } of request.getXmlElements('r')) {
          yield `${text};`
        }
        yield* request.getContentStream()
      })(),
    )
  }
  const body = `<r>${'<a>b</a>'.repeat(10_000)}</r>`
  const reply = await gateway.ask('POST', { body })
  assert.ok(reply.text === `${'b;'.repeat(10_000)}${body}`)
})

test('5.30 a source that never waits lets other calls continue, whatever it yields', async () => {
  for (const chunk of ['', 'x', Buffer.alloc(1_000_000)]) {
    gateway.plan = (response) => response.setContentStream(endless(chunk))
    const socket = await openRawSocket(gateway.url)
    socket.socket.pause()
    socket.write(head())
    for (let calls = 0; calls < 3; calls += 1) assert.equal((await gateway.call('GET METADATA.v1/')).status, 200)
    socket.socket.resetAndDestroy()
    while (gateway.gateway.memory.reserved > 0) await breathe()
  }
})

test('5.35 a stream is never cached, and a handler that tries causes a warning', async () => {
  let runs = 0
  gateway.plan = (response, _request, context) => {
    runs += 1
    response.setRestCache(context.now() + 60_000)
    response.setContentStream(Readable.from([`run ${runs}`]))
  }
  assert.equal((await gateway.ask('GET')).text, 'run 1')
  assert.equal((await gateway.ask('GET')).text, 'run 2')
  assert.match(String(warnings().map((one) => one.message)), /a stream is never cached/)
})

test('5.30 a status without a body ends the source unread, and a 4xx is streamed after the rollback', async () => {
  const { source, state } = watched(() => endless('x'))
  gateway.plan = (response) => {
    response.httpResponseCode = 204
    response.setContentStream(source)
  }
  const empty = await gateway.ask('GET')
  assert.deepEqual([empty.status, empty.text, state.pulls], [204, '', 0])
  const known = watched(() => endless('x'))
  gateway.plan = (response, request) => {
    answerConditional(request, response, { etag: 'v1' })
    response.setContentStream(known.source)
  }
  const unchanged = await gateway.ask('GET', { headers: { 'if-none-match': '"v1"' } })
  assert.deepEqual([unchanged.status, unchanged.text, known.state.pulls], [304, '', 0])
  gateway.plan = (response) => {
    response.httpResponseCode = 409
    response.setContentStream(Readable.from(['taken']))
  }
  const taken = await gateway.ask('GET')
  assert.deepEqual([taken.status, taken.text], [409, 'taken'])
  gateway.plan = (response) => {
    response.httpResponseCode = 302
    response.setContentStream(Readable.from(['never']))
  }
  assert.equal((await gateway.ask('GET')).status, 500)
})

test('7.18 a compressible stream is compressed piece by piece: what was yielded arrives while the source waits', async () => {
  const goOn = signalled()
  gateway.plan = (response) => {
    response.contentType = 'application/json'
    response.setContentStream(
      (async function* () {
        yield '["first"'
        await goOn.promise
        yield ',"second"]'
      })(),
    )
  }
  const socket = await openRawSocket(gateway.url)
  socket.write(head('1.1', 'GET', 'Accept-Encoding: gzip\r\nConnection: close\r\n'))
  let bytes = ''
  while (!/\r\n\r\n.+\r\n.+\r\n/s.test(bytes)) bytes += (await once(socket.socket, 'data'))[0].toString('latin1')
  assert.match(bytes, /content-encoding: gzip/)
  goOn.resolve()
  const all = await socket.closed
  const body = all.subarray(all.indexOf('\r\n\r\n') + 4)
  assert.equal(gunzipSync(unchunk(body)).toString(), '["first","second"]')
})

function unchunk(body: Buffer): Buffer {
  const end = body.indexOf('\r\n')
  const size = Number.parseInt(body.toString('latin1', 0, end), 16)
  if (size === 0) return Buffer.alloc(0)
  return Buffer.concat([body.subarray(end + 2, end + 2 + size), unchunk(body.subarray(end + 4 + size))])
}

test('7.19 an HTTP/1.0 client gets the whole stream with its size, or the error of a failed source', async () => {
  const text = 'x'.repeat(1_000_000)
  gateway.plan = (response) => {
    response.contentType = 'text/plain'
    response.setContentStream(Readable.from([text, 'end']))
  }
  const reply = await sendRaw(gateway.url, head('1.0', 'GET', 'Accept-Encoding: gzip\r\n'))
  assert.deepEqual([reply.status, reply.header('content-length'), reply.text.length], [200, '1000003', 1_000_003])
  gateway.plan = (response) =>
    response.setContentStream(
      (async function* () {
        yield text
        throw new Error('no more')
      })(),
    )
  const failed = await sendRaw(gateway.url, head('1.0'))
  assert.deepEqual([failed.status, failed.header('ig-refusal')], [500, 'handlerFailed'])
  gateway.plan = (response) => response.setContentStream(Readable.from(['four']), { size: 4 })
  assert.equal((await sendRaw(gateway.url, head('1.0'))).text, 'four')
  while (gateway.gateway.memory.reserved > 0) await breathe()
  const { memory } = gateway.gateway
  const room = memory.total * 8
  assert.ok(memory.moveToFile(room)) // nothing is left in files
  gateway.plan = (response) => response.setContentStream(endless(text))
  const endlessly = await sendRaw(gateway.url, head('1.0'))
  memory.leaveFile(room)
  assert.deepEqual([endlessly.status, endlessly.header('ig-refusal')], [503, 'overloaded'])
})

test('5.34 a stream ends at ig.limits.streamTime, however slowly its source yields or its client reads', async () => {
  const limited = await openPlanned({
    properties: { 'ig.limits.streamTime': `${scaled(100)}ms`, 'ig.errorStyle': 'standard' },
  })
  const ended: string[] = []
  const stream = (name: string, yields: readonly string[], last: () => Promise<string>) => {
    limited.plan = (response, _request, { signal }) => {
      signal.addEventListener('abort', () => ended.push(`${name}: ${signal.reason.message}`))
      response.setContentStream(
        (async function* () {
          yield* yields
          for (;;) yield await last()
        })(),
      )
    }
  }
  const never = () => new Promise<string>(() => {})
  try {
    stream('nothing', [], never)
    const late = await limited.ask('GET')
    assert.deepEqual([late.status, late.headers['ig-refusal']], [504, 'handlerTimedOut'])
    stream('some', ['first'], never)
    await assert.rejects(limited.ask('GET'), { code: 'ECONNRESET' })
    stream('unread', [], async () => 'x'.repeat(100_000))
    const socket = await openRawSocket(limited.url)
    socket.socket.pause()
    socket.write(head())
    while (ended.length < 3) await breathe()
    socket.destroy()
    const message = new RegExp(`exceeded its time of ${scaled(100)} ms`)
    for (const [at, name] of ['nothing', 'some', 'unread'].entries()) {
      assert.match(ended[at] ?? '', new RegExp(`^${name}: .*${message.source}`))
    }
    const reports = limited.observations.filter((one): one is AnsweredCall => one.kind === 'answered')
    assert.deepEqual(
      reports.map(({ reply, refusal }) => [reply.status, refusal?.code]),
      [
        [504, 'handlerTimedOut'],
        [200, 'handlerTimedOut'],
        [200, 'handlerTimedOut'],
      ],
    )
  } finally {
    await limited.close()
  }
})

test('5.31, 7.9 a client that reads nothing, or a byte now and then, is disconnected, and its stream ends', async () => {
  const hasty = await openPlanned({ properties: { 'ig.limits.responseTimeout': '50ms', 'ig.limits.streams': '1' } })
  try {
    const { source, state } = watched(() => endless(Buffer.alloc(100_000)))
    hasty.plan = (response, _request, { snapshot }) => {
      assert.ok(snapshot)
      response.setContentStream(source)
    }
    const socket = await openRawSocket(hasty.url)
    socket.socket.pause()
    socket.write(head())
    const reading = setInterval(() => socket.socket.read(1), 20)
    await state.ended
    clearInterval(reading)
    socket.destroy()
    while (hasty.observations.every(({ kind }) => kind !== 'answered')) await breathe()
    const answered = hasty.observations.find((one): one is AnsweredCall => one.kind === 'answered')
    assert.deepEqual([answered?.refusal, answered?.streamed?.isWhole], [undefined, false])
    hasty.plan = (response, _request, { snapshot }) => response.setContentString(String(snapshot !== undefined))
    while ((await hasty.ask('GET')).text !== 'true') await breathe()
  } finally {
    await hasty.close()
  }
})

test('5.34, 5.42 work after the commit that exceeds its time does not abort the stream', async () => {
  const brief = await openPlanned({ properties: { 'ig.limits.handlerTimeout': `${scaled(100)}ms` } })
  try {
    brief.plan = (response, _request, context) => {
      const { signal } = context
      context.afterCommit(() => new Promise(() => {}))
      response.setContentStream(
        (async function* () {
          yield 'a'
          await brief.gateway.shared.afterCommit.settled()
          signal.throwIfAborted()
          yield 'b'
        })(),
      )
    }
    assert.equal((await brief.ask('GET')).text, 'ab')
  } finally {
    await brief.close()
  }
})

test('5.35 a stream that does not fit in the memory budget is overloaded before anything is stored', async () => {
  const { memory } = gateway.gateway
  const other = memory.open()
  other.hold(memory.total - 100_000)
  let isPulled = false
  gateway.plan = (response) =>
    response.setContentStream(
      (async function* () {
        isPulled = true
        yield 'never'
      })(),
    )
  const full = await gateway.ask('GET')
  const readable = Readable.from(['never']) // may hold an open file
  gateway.plan = (response) => response.setContentStream(readable)
  await gateway.ask('GET')
  other.close()
  assert.deepEqual([full.status, full.headers['ig-refusal'], isPulled], [503, 'overloaded', false])
  assert.ok(readable.destroyed)
})

test('5.30, 5.31 over TLS a stream arrives complete, and a failed one ends without its last chunk', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'stream-tls-'))
  const { cert, key } = makeCertificate()
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  await Promise.all([writeFile(certFile, cert), writeFile(keyFile, key, { mode: 0o600 })])
  const properties = { 'ig.tls.cert': certFile, 'ig.tls.key': keyFile, 'ig.tls.port': '0' }
  const secure = await openPlanned({ properties })
  try {
    const url = secure.tlsUrl ?? ''
    const line = `GET ${root}/PLANNED.v1/`
    const bytes = randomBytes(3_000_000)
    secure.plan = (response) => response.setContentStream(Readable.from([bytes, 'end']))
    assert.ok(
      (await send(url, line, { headers: basic('DEMO') })).bytes.equals(Buffer.concat([bytes, Buffer.from('end')])),
    )
    secure.plan = (response) =>
      response.setContentStream(
        (async function* () {
          yield bytes
          await breathe()
          throw new Error('no more')
        })(),
      )
    await assert.rejects(send(url, line, { headers: basic('DEMO') }), { code: 'ECONNRESET' })
  } finally {
    await secure.close()
    await rm(folder, { recursive: true })
  }
})

test('5.34, 5.35 shutdown waits for a stream within the grace time, then cuts it off, and the log says so', async () => {
  const [begun, goOn] = [signalled(), signalled()]
  const stream = (stopped: PlannedGateway) => {
    stopped.plan = (response) =>
      response.setContentStream(
        (async function* () {
          yield 'first '
          begun.resolve()
          await goOn.promise
          yield 'last'
        })(),
      )
    return stopped.ask('GET')
  }
  const patient = await openPlanned()
  const whole = stream(patient)
  await begun.promise
  const closing = patient.close()
  goOn.resolve()
  assert.equal((await whole).text, 'first last')
  await closing

  const hasty = await openPlanned({ properties: { 'ig.limits.shutdownGrace': '1ms' } })
  goOn.promise = new Promise(() => {})
  const cut = assert.rejects(stream(hasty), { code: 'ECONNRESET' })
  while (hasty.gateway.memory.reserved === 0) await breathe()
  await hasty.close()
  await cut
  const [answered] = hasty.observations.filter((one): one is AnsweredCall => one.kind === 'answered')
  assert.deepEqual([answered?.reply.status, answered?.refusal?.code], [200, 'overloaded'])
})

test('7.18 a half-closed client receives a stream as long as it reads, and otherwise counts as disconnected', async () => {
  const [first, second] = [signalled(), signalled()]
  let sent = 0
  gateway.plan = (response, request, { signal }) => {
    if (request.getHeader('x-wait') === 'yes') {
      signal.addEventListener('abort', () => second.resolve())
      return second.promise // until it is given up, a second after its client has closed its half
    }
    response.setContentStream(
      (async function* () {
        for (let isOver = false; !isOver; sent += 1) {
          yield 'x'
          isOver = await Promise.race([first.promise.then(() => true), breathe(false)])
        }
      })(),
    )
  }
  const [socket, other] = [await openRawSocket(gateway.url, { allowHalfOpen: true }), await openRawSocket(gateway.url)]
  socket.write(head('1.1', 'GET', 'Connection: close\r\n'))
  socket.end()
  other.write(head('1.1', 'GET', 'X-Wait: yes\r\n'))
  other.end()
  await second.promise
  first.resolve()
  const received = (await socket.closed).toString('latin1')
  assert.equal(received.slice(received.indexOf('\r\n\r\n')).replaceAll(/[^x]/g, '').length, sent)
})
