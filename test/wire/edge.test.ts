/** The edge over real sockets: what every response carries, framing, limits, connections (specification 4, 7). */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync, readlinkSync } from 'node:fs'
import type { Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { IncomingCall } from '../../src/http/incoming-call.ts'
import { halfClosed } from '../../src/http/states.ts'
import type { Call } from '../../src/model/call.ts'
import { Refusal } from '../../src/model/refusal.ts'
import { edgeLimits, openEdge, plain, signalled } from '../support/edge.ts'
import { scaled } from '../support/patience.ts'
import { openRawSocket, sendRaw } from '../support/raw-socket.ts'

const get = (path = '/', headers = '') => `GET ${path} HTTP/1.1\r\nHost: gateway\r\n${headers}\r\n`
const post = (body: string, headers = '') =>
  `POST / HTTP/1.1\r\nHost: gateway\r\nContent-Length: ${body.length}\r\n${headers}\r\n${body}`
const guid = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/

test('4.13, 7.1, 7.3 every response has cookie, platform headers and transaction id', async () => {
  await using edge = await openEdge({ settings: { platformName: 'suite' } })
  const reply = await sendRaw(edge.url, get())
  assert.equal(reply.statusLine, 'HTTP/1.1 200 OK')
  assert.match(reply.header('set-cookie') ?? '', /^JSESSIONID=[\w-]{32}; Path=\/; HttpOnly; SameSite=Lax$/)
  assert.match(reply.header('x-suite-dms-ecid') ?? '', /^[\da-f]{32}$/)
  assert.equal(reply.header('x-suite-dms-rid'), '0')
  assert.match(reply.header('ig-transaction-id') ?? '', guid)
  assert.equal(reply.header('ig-refusal'), undefined)
  assert.equal(reply.header('content-length'), '2')
  assert.equal(reply.text, 'ok')
})

const cookies = [
  {
    title: "7.1 a session id of the gateway's form is sent back",
    sent: `JSESSIONID=${'a-_9'.repeat(8)}`,
    isKept: true,
  },
  {
    title: '7.1 a session id among other cookies is found',
    sent: `a=b; JSESSIONID=${'a-_9'.repeat(8)}; c=d`,
    isKept: true,
  },
  { title: '7.1 a session id of another form is replaced', sent: 'JSESSIONID=0123456789ABCDEF!-17', isKept: false },
  {
    title: "7.1 a cookie whose name ends like the session's is another cookie",
    sent: `XJSESSIONID=${'a-_9'.repeat(8)}`,
    isKept: false,
  },
]
for (const { title, sent, isKept } of cookies) {
  test(title, async () => {
    await using edge = await openEdge()
    const reply = await sendRaw(edge.url, get('/', `Cookie: ${sent}\r\n`))
    assert.equal(reply.header('set-cookie')?.startsWith(`JSESSIONID=${'a-_9'.repeat(8)};`), isKept)
  })
}

const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
const traces = [
  { title: '7.3 the ecid is the trace id of traceparent', sent: `00-${trace}-00f067aa0ba902b7-01`, isKept: true },
  { title: '7.3 a later version of traceparent is read', sent: `01-${trace}-00f067aa0ba902b7-01-more`, isKept: true },
  { title: '7.3 version ff of traceparent is ignored', sent: `ff-${trace}-00f067aa0ba902b7-01`, isKept: false },
  { title: '7.3 a traceparent of zeros is ignored', sent: `00-${trace}-0000000000000000-01`, isKept: false },
  {
    title: '7.3 a traceparent in capitals is ignored',
    sent: `00-${trace.toUpperCase()}-00f067aa0ba902b7-01`,
    isKept: false,
  },
]
for (const { title, sent, isKept } of traces) {
  test(title, async () => {
    await using edge = await openEdge()
    const reply = await sendRaw(edge.url, get('/', `traceparent: ${sent}\r\n`))
    assert.equal(reply.header('x-platform-dms-ecid')?.toLowerCase() === trace, isKept)
  })
}

test('3.18, 7.4 no header of the request sets transaction id, platform headers or refusal', async () => {
  await using edge = await openEdge()
  const own = 'ig-transaction-id: mine\r\nig-refusal: mine\r\nx-platform-dms-ecid: mine\r\nx-platform-dms-rid: mine\r\n'
  const reply = await sendRaw(edge.url, get('/', own))
  assert.ok(!reply.headers.some(([, value]) => value.includes('mine')))
  assert.equal(reply.status, 200)
})

const large = 'gateway '.repeat(1000)
const compressions = [
  {
    title: '7.2 gzip is used where it is accepted',
    accept: 'gzip, deflate, br',
    type: 'text/xml; encoding="UTF-8"',
    is: true,
  },
  { title: '7.2 any encoding includes gzip', accept: '*', type: 'application/json; encoding=UTF-8', is: true },
  { title: '7.2 gzip of quality 0 is refused', accept: 'gzip;q=0, *', type: 'text/plain', is: false },
  { title: '7.2 gzip of quality 0.000 is refused', accept: 'gzip; q=0.000', type: 'text/plain', is: false },
  {
    title: '7.2 gzip with a lower q than identity is not used',
    accept: 'gzip;q=0.5, identity',
    type: 'text/plain',
    is: false,
  },
  { title: '7.2 no Accept-Encoding, no compression', accept: undefined, type: 'text/plain', is: false },
  { title: '7.2 a picture is not compressed', accept: 'gzip', type: 'image/png', is: false, varies: false },
]
for (const { title, accept, type, is, varies = true } of compressions) {
  test(title, async () => {
    await using edge = await openEdge({
      operation: () => ({ status: 200, headers: ['content-type', type], body: { bytes: Buffer.from(large) } }),
    })
    const reply = await sendRaw(edge.url, get('/', accept === undefined ? '' : `Accept-Encoding: ${accept}\r\n`))
    assert.equal(reply.header('content-encoding'), is ? 'gzip' : undefined)
    assert.equal(reply.header('vary'), varies ? 'accept-encoding' : undefined)
    assert.equal(reply.header('content-type'), type)
    assert.equal((is ? gunzipSync(reply.body) : reply.body).toString(), large)
  })
}

test('7.2 a short body is not worth compressing, and one body is compressed once', async () => {
  const body: { bytes: Buffer; gzip?: Buffer } = { bytes: Buffer.from(large) }
  await using edge = await openEdge({
    operation: ({ target }) =>
      target === '/short' ? 'short' : { status: 200, headers: ['content-type', 'text/plain'], body },
  })
  const short = await sendRaw(edge.url, get('/short', 'Accept-Encoding: gzip\r\n'))
  assert.deepEqual([short.header('content-encoding'), short.text], [undefined, 'short'])
  await sendRaw(edge.url, get('/', 'Accept-Encoding: gzip\r\n'))
  const first = body.gzip
  const again = await sendRaw(edge.url, get('/', 'Accept-Encoding: gzip\r\n'))
  assert.ok(first && first === body.gzip)
  assert.deepEqual(again.body, first)
})

test('7.2 a body is sent as its exact bytes, short or long', async () => {
  const all = Buffer.from(Array.from({ length: 256 }, (_, index) => index))
  await using edge = await openEdge({
    operation: ({ target }) => ({
      status: 200,
      headers: ['content-type', 'application/octet-stream'],
      body: { bytes: target === '/long' ? Buffer.concat(Array(1000).fill(all)) : all },
    }),
  })
  assert.deepEqual((await sendRaw(edge.url, get('/short'))).body, all)
  assert.equal((await sendRaw(edge.url, get('/long'))).body.length, 256_000)
})

test('2.3 HEAD returns the headers of the body and no body', async () => {
  await using edge = await openEdge({ operation: () => 'twelve bytes' })
  const socket = await openRawSocket(edge.url)
  socket.write(`HEAD / HTTP/1.1\r\nHost: gateway\r\n\r\n${get()}`)
  const head = await socket.readReply({ isHead: true })
  assert.deepEqual([head.status, head.header('content-length')], [200, '12'])
  assert.equal((await socket.readReply()).text, 'twelve bytes')
  socket.destroy()
})

test('5.7 a 204 has neither body nor length, a 205 no body', async () => {
  await using edge = await openEdge({ operation: ({ target }) => plain('not sent', Number(target.slice(1))) })
  const socket = await openRawSocket(edge.url)
  socket.write(get('/204') + get('/205') + get('/200'))
  assert.equal((await socket.readReply()).header('content-length'), undefined)
  assert.equal((await socket.readReply()).header('content-length'), '0')
  assert.equal((await socket.readReply()).text, 'not sent')
  socket.destroy()
})

const host = 'Host: gateway\r\n'
const framingFaults = [
  { title: '7.5 a missing Host is refused', bytes: 'GET / HTTP/1.1\r\n\r\n' },
  { title: '7.5 a duplicate Host is refused', bytes: `GET / HTTP/1.1\r\n${host}host: other\r\n\r\n` },
  { title: '7.5 a Host with a path is refused', bytes: 'GET / HTTP/1.1\r\nHost: a/b\r\n\r\n' },
  { title: '7.5 a Host with user information is refused', bytes: 'GET / HTTP/1.1\r\nHost: u@a\r\n\r\n' },
  { title: '7.5 an empty Host is refused', bytes: 'GET / HTTP/1.1\r\nHost:\r\n\r\n' },
  { title: '7.5 a Host with a broken percent-encoding is refused', bytes: 'GET / HTTP/1.1\r\nHost: %zz\r\n\r\n' },
  { title: '7.5 a Host with brackets around no address is refused', bytes: 'GET / HTTP/1.1\r\nHost: [..]\r\n\r\n' },
  { title: '7.5 two hosts in one field are refused', bytes: 'GET / HTTP/1.1\r\nHost: a, b\r\n\r\n' },
  {
    title: '7.5 a duplicate Authorization is refused',
    bytes: get('/', 'Authorization: Basic YTpi\r\nauthorization: Basic YTpi\r\n'),
  },
  {
    title: '7.5 a duplicate Content-Type is refused, even an equal one',
    bytes: get('/', 'Content-Type: text/xml\r\ncontent-type: text/xml\r\n'),
  },
  {
    title: '7.5 Content-Length beside Transfer-Encoding is refused',
    bytes: `POST / HTTP/1.1\r\n${host}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  },
  {
    title: '7.5 Transfer-Encoding before Content-Length is refused',
    bytes: `POST / HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n`,
  },
  {
    title: '7.5 two lengths are refused, even equal ones',
    bytes: `POST / HTTP/1.1\r\n${host}Content-Length: 1\r\nContent-Length: 1\r\n\r\na`,
  },
  { title: '7.5 a length with a sign is refused', bytes: `POST / HTTP/1.1\r\n${host}Content-Length: +1\r\n\r\na` },
  {
    title: '7.5 a transfer coding other than chunked is refused',
    bytes: `POST / HTTP/1.1\r\n${host}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
  },
  {
    title: '7.5 a transfer coding that does not end in chunked is refused',
    bytes: `POST / HTTP/1.1\r\n${host}Transfer-Encoding: gzip\r\n\r\nabc`,
  },
  {
    title: '7.5 Transfer-Encoding in HTTP/1.0 is refused',
    bytes: `POST / HTTP/1.0\r\n${host}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  },
  { title: '7.5 a bare LF is refused', bytes: `GET / HTTP/1.1\r\n${host}X: a\nY: b\r\n\r\n` },
  { title: '7.5 a bare LF after the request line is refused', bytes: `GET / HTTP/1.1\n${host}\r\n` },
  { title: '7.5 a bare CR is refused', bytes: `GET / HTTP/1.1\r\n${host}X: a\rY: b\r\n\r\n` },
  { title: '7.5 a folded header is refused', bytes: `GET / HTTP/1.1\r\n${host}X: a\r\n b\r\n\r\n` },
  { title: '7.5 a space before the colon is refused', bytes: 'GET / HTTP/1.1\r\nHost : gateway\r\n\r\n' },
  { title: '7.5 a NUL in a header is refused', bytes: get('/', 'X: a\0b\r\n') },
  { title: '1.4, 7.5 a method that is unknown to HTTP is refused', bytes: `FOO / HTTP/1.1\r\n${host}\r\n` },
  { title: '1.4, 7.5 a method in lower case is unknown to HTTP', bytes: `get / HTTP/1.1\r\n${host}\r\n` },
  { title: '7.5 a method of invalid characters is refused', bytes: `G(T / HTTP/1.1\r\n${host}\r\n` },
  { title: '7.5 a request line without a version is refused', bytes: 'GET /\r\n\r\n' },
  { title: '7.16 a request line without a version that LF alone ends is 400', bytes: `GET /\n${host}\r\n` },
  { title: '7.5 the preface of HTTP/2 is refused', bytes: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n' },
  { title: '7.5 CONNECT is refused', bytes: `CONNECT gateway:80 HTTP/1.1\r\n${host}\r\n` },
  { title: '7.5 TLS on the plain port is refused', bytes: Buffer.from([22, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3]) },
]
for (const { title, bytes } of framingFaults) {
  test(title, async () => {
    let calls = 0
    await using edge = await openEdge({ operation: () => `${++calls}` })
    const socket = await openRawSocket(edge.url)
    socket.write(bytes)
    socket.write(get('/smuggled'))
    const reply = await socket.readReply()
    assert.equal(reply.statusLine, 'HTTP/1.1 400 Bad Request')
    assert.equal(reply.header('connection'), 'close')
    assert.equal(reply.header('content-length'), '0')
    assert.equal(reply.header('ig-refusal'), undefined)
    assert.match(reply.header('ig-transaction-id') ?? '', guid)
    assert.match(reply.header('set-cookie') ?? '', /^JSESSIONID=/)
    assert.equal((await socket.closed).length, 0)
    assert.equal(calls, 0)
    assert.equal((await sendRaw(edge.url, get())).text, '1')
  })
}

const otherVersions = ['0.9', '1.2', '1.9', '2.0', '3.0', '9.9']
test('7.16 an HTTP version other than 1.0 and 1.1 is 505, and another protocol is 400', async () => {
  await using edge = await openEdge({ operation: () => 'served' })
  const statusOf = async (version: string) => {
    const socket = await openRawSocket(edge.url)
    socket.write(`GET / ${version}\r\n${host}\r\n`)
    const reply = await socket.readReply()
    assert.deepEqual([reply.header('connection'), reply.header('content-length')], ['close', '0'])
    assert.match(reply.header('ig-transaction-id') ?? '', guid)
    assert.equal((await socket.closed).length, 0)
    return reply.statusLine
  }
  for (const version of otherVersions)
    assert.equal(await statusOf(`HTTP/${version}`), 'HTTP/1.1 505 HTTP Version Not Supported')
  for (const other of ['HTTP/11.1', 'HTTP/1', 'HTTP/1.x', 'RTSP/1.0', 'ICE/1.0', 'http/1.1', ''])
    assert.equal(await statusOf(other), 'HTTP/1.1 400 Bad Request', other)
})

test('7.16 OPTIONS * returns the methods, and any other method with * is 400', async () => {
  let calls = 0
  await using edge = await openEdge({ operation: () => `${++calls}` })
  const socket = await openRawSocket(edge.url)
  socket.write(`OPTIONS * HTTP/1.1\r\n${host}\r\n${get()}`)
  const options = await socket.readReply()
  assert.deepEqual([options.status, options.header('content-length')], [204, undefined])
  assert.equal(options.header('allow'), 'GET, POST, PUT, DELETE, PATCH, HEAD, OPTIONS')
  assert.match(options.header('ig-transaction-id') ?? '', guid)
  assert.equal((await socket.readReply()).text, '1')
  socket.write(`GET * HTTP/1.1\r\n${host}\r\n`)
  const refused = await socket.readReply()
  assert.deepEqual([refused.status, refused.header('connection')], [400, 'close'])
  assert.equal((await socket.closed).length, 0)
  assert.equal(calls, 1)
})

const huge = 300_000
const oversizes = [
  { title: '4.10, 7.5 a URL over the limit is refused', code: 'uriTooLong', bytes: get(`/${'a'.repeat(8192)}`) },
  { title: '4.10, 7.5 a URL of 100 KB is refused', code: 'uriTooLong', bytes: get(`/${'a'.repeat(100_000)}`) },
  {
    title: '4.10, 7.5 a URL that the parser refuses is reported as such',
    code: 'uriTooLong',
    bytes: get(`/?${'a=b&'.repeat(huge / 4)}`),
  },
  {
    title: '4.10, 7.5 a header over the limit is refused',
    code: 'headersTooLarge',
    bytes: get('/', `X: ${'a'.repeat(32768)}\r\n`),
  },
  {
    title: '4.10, 7.5 a header of 100 KB is refused',
    code: 'headersTooLarge',
    bytes: get('/', `X: ${'a'.repeat(100_000)}\r\n`),
  },
  {
    title: '4.10, 7.5 a header that the parser refuses is reported as such',
    code: 'headersTooLarge',
    bytes: get('/', `X: ${'a'.repeat(huge)}\r\n`),
  },
  {
    title: '4.10, 7.5 many headers over the limit are refused',
    code: 'headersTooLarge',
    bytes: get('/', 'X: a\r\n'.repeat(6000)),
  },
  {
    title: '4.10, 7.5 many headers that the parser refuses are reported as such',
    code: 'headersTooLarge',
    bytes: get('/', `X: ${'a'.repeat(1000)}\r\n`.repeat(300)),
  },
]
for (const { title, code, bytes } of oversizes) {
  test(title, async () => {
    await using edge = await openEdge()
    const socket = await openRawSocket(edge.url)
    socket.write(bytes)
    const reply = await socket.readReply()
    assert.equal(reply.status, code === 'uriTooLong' ? 414 : 431)
    assert.equal(reply.header('ig-refusal'), code)
    assert.equal(reply.header('connection'), 'close')
    const { transactionId, ...problem } = JSON.parse(reply.text)
    assert.equal(transactionId, reply.header('ig-transaction-id'))
    assert.equal(problem.code, code)
    assert.equal((await socket.closed).length, 0)
    assert.equal((await sendRaw(edge.url, get())).status, 200)
  })
}

test('7.6 a URL and headers just within their limits are served', async () => {
  await using edge = await openEdge()
  const path = `/${'a'.repeat(edgeLimits.maxUrlBytes - 1)}`
  const rest = edgeLimits.maxHeaderBytes - 'Host: gateway\r\nX: \r\n'.length
  assert.equal((await sendRaw(edge.url, get(path, `X: ${'a'.repeat(rest)}\r\n`))).status, 200)
  assert.equal((await sendRaw(edge.url, get(path, `X: ${'a'.repeat(rest + 1)}\r\n`))).status, 431)
  assert.equal((await sendRaw(edge.url, get(`${path}a`))).status, 414)
})

test('7.5 pipelined calls are answered one after the other, in order', async () => {
  const order: string[] = []
  await using edge = await openEdge({
    operation: async (call) => {
      order.push(`begin ${call.target}`)
      await new Promise((resolve) => setImmediate(resolve))
      order.push(`end ${call.target}`)
      return call.target
    },
  })
  const socket = await openRawSocket(edge.url)
  const paths = Array.from({ length: 60 }, (_, index) => `/${index}`)
  socket.write(paths.map((path) => get(path)).join(''))
  for (const path of paths) assert.equal((await socket.readReply()).text, path)
  assert.deepEqual(
    order,
    paths.flatMap((path) => [`begin ${path}`, `end ${path}`]),
  )
  socket.destroy()
})

test('7.5 a framing error after a valid call does not affect the response to that call', async () => {
  await using edge = await openEdge({ operation: () => new Promise((resolve) => setImmediate(resolve, 'first')) })
  const socket = await openRawSocket(edge.url)
  socket.write(`${get()}G(T / HTTP/1.1\r\n\r\n`)
  const first = await socket.readReply()
  assert.deepEqual([first.status, first.text], [200, 'first'])
  const second = await socket.readReply()
  assert.deepEqual([second.status, second.header('connection')], [400, 'close'])
  assert.equal((await socket.closed).length, 0)
})

test('7.5 HTTP/1.0 is served, with and without keep-alive', async () => {
  await using edge = await openEdge()
  const socket = await openRawSocket(edge.url)
  socket.write('GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n')
  const kept = await socket.readReply()
  assert.deepEqual([kept.status, kept.header('connection')], [200, 'keep-alive'])
  socket.write('GET / HTTP/1.0\r\n\r\n')
  const last = await socket.readReply()
  assert.deepEqual([last.status, last.header('connection')], [200, 'close'])
  assert.equal((await socket.closed).length, 0)
})

test('7.5 a request to upgrade is served as an ordinary request', async () => {
  await using edge = await openEdge()
  const reply = await sendRaw(edge.url, get('/', 'Connection: Upgrade\r\nUpgrade: websocket\r\n'))
  assert.deepEqual([reply.status, reply.text], [200, 'ok'])
})

test('7.16 a request to upgrade keeps its connection, and the next one is answered too, even after a body', async () => {
  await using edge = await openEdge({
    operation: async (call) => `${call.target} ${await (await call.readBody()).bytes()}`,
  })
  const socket = await openRawSocket(edge.url)
  const upgrade = 'Connection: Upgrade\r\nUpgrade: h2c\r\n'
  socket.write(get('/1', upgrade) + post('body', upgrade) + get('/3'))
  const first = await socket.readReply()
  assert.deepEqual([first.status, first.header('connection'), first.text], [200, 'keep-alive', '/1 '])
  assert.equal((await socket.readReply()).text, '/ body')
  assert.equal((await socket.readReply()).text, '/3 ')
  socket.destroy()
})

test('4.11, 4.15 a response that fails is a 500, and the connection continues to serve', async () => {
  await using edge = await openEdge({
    answer: async () => {
      throw new Error('a secret of the inside')
    },
  })
  const socket = await openRawSocket(edge.url)
  for (let round = 0; round < 2; round++) {
    socket.write(get())
    const reply = await socket.readReply()
    assert.equal(reply.status, 500)
    assert.equal(reply.header('ig-refusal'), 'unexpected')
    assert.match(reply.header('ig-transaction-id') ?? '', guid)
    assert.ok(!reply.text.includes('secret'))
  }
  socket.destroy()
})

test('4.11, 4.15 a failing observer and a header that cannot be sent are a 500 too', async () => {
  await using broken = await openEdge({
    observe() {
      throw new Error('the log is full')
    },
  })
  assert.equal((await sendRaw(broken.url, get())).status, 500)
  await using edge = await openEdge({ operation: () => plain('x', 200, ['x-bad', 'a\r\nb: c']) })
  const reply = await sendRaw(edge.url, get())
  assert.deepEqual([reply.status, reply.header('ig-refusal'), reply.header('b')], [500, 'unexpected', undefined])
})

test('4.15 a refused body that is short is drained and the connection serves the next call', async () => {
  await using edge = await openEdge({
    operation: ({ method }) => {
      if (method === 'POST') throw new Refusal('uriNotMatched', 'test')
      return 'next'
    },
  })
  const socket = await openRawSocket(edge.url)
  socket.write(`POST / HTTP/1.1\r\n${host}Content-Length: 30\r\n\r\n`)
  const refused = await socket.readReply()
  assert.deepEqual([refused.status, refused.header('connection')], [404, 'keep-alive'])
  socket.write('GET /smuggled HTTP/1.1\r\n\r\n1234')
  socket.write(get())
  assert.equal((await socket.readReply()).text, 'next')
  socket.destroy()
})

test('7.5 a refused Expect: 100-continue closes its connection', async () => {
  await using edge = await openEdge({ operation: () => Promise.reject(new Refusal('uriNotMatched', 'test')) })
  const socket = await openRawSocket(edge.url)
  socket.write(`POST / HTTP/1.1\r\n${host}Expect: 100-continue\r\nContent-Length: 2\r\n\r\nxx`)
  const refused = await socket.readReply()
  assert.deepEqual([refused.status, refused.header('connection')], [404, 'close'])
  socket.destroy()
})

test('4.10, 4.15 the refusal of a long body reaches a client that first sends all of it', async () => {
  await using edge = await openEdge({ operation: async (call) => `${(await call.readBody()).size}` })
  const socket = await openRawSocket(edge.url)
  socket.socket.pause()
  const size = 32 * edgeLimits.maxBodyBytes
  socket.write(`POST / HTTP/1.1\r\n${host}Content-Length: ${size}\r\n\r\n`)
  await new Promise((resolve) => socket.socket.write(Buffer.alloc(size), resolve))
  socket.socket.resume()
  const reply = await socket.readReply()
  assert.deepEqual([reply.status, reply.header('connection')], [413, 'close'])
  assert.equal(reply.header('ig-refusal'), 'bodyTooLarge')
  assert.equal((await socket.closed).length, 0)
})

test('7.5, 7.6 trailers are ignored up to the limit of the headers, and refused beyond it', async () => {
  await using edge = await openEdge({
    operation: async (call) => {
      const [key] = Object.keys(call.headers).filter((name) => name === 'x')
      return `${(await call.readBody()).size} ${key}`
    },
  })
  const send = (trailers: string) =>
    sendRaw(edge.url, `POST / HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n${trailers}\r\n`)
  const trailer = `X: ${'a'.repeat(1019)}\r\n`
  assert.equal((await send(trailer.repeat(32))).text, '2 undefined')
  const reply = await send(trailer.repeat(33))
  assert.deepEqual([reply.status, reply.header('ig-refusal')], [431, 'headersTooLarge'])
  assert.equal((await send(trailer.repeat(500))).header('connection'), 'close')
})

test('4.10 a chunked body over the limit is refused while it arrives', async () => {
  await using edge = await openEdge({ operation: async (call) => `${(await call.readBody()).size}` })
  const socket = await openRawSocket(edge.url)
  socket.write(`POST / HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n`)
  const chunk = `${(65536).toString(16)}\r\n${'a'.repeat(65536)}\r\n`
  for (let sent = 0; sent <= edgeLimits.maxBodyBytes; sent += 65536) socket.write(chunk)
  const reply = await socket.readReply()
  assert.deepEqual([reply.status, reply.header('ig-refusal')], [413, 'bodyTooLarge'])
  assert.equal((await socket.closed).length, 0)
})

test('5.10 a 100 is sent once the body is needed', async () => {
  await using edge = await openEdge({ operation: async (call) => `${await (await call.readBody()).bytes()}` })
  const socket = await openRawSocket(edge.url)
  socket.write(`POST / HTTP/1.1\r\n${host}Content-Length: 4\r\nExpect: 100-continue\r\n\r\n`)
  assert.equal((await socket.readReply()).statusLine, 'HTTP/1.1 100 Continue')
  socket.write('body')
  assert.equal((await socket.readReply()).text, 'body')
  socket.destroy()
})

test('4.10 a refused request never gets a 100', async () => {
  await using edge = await openEdge({ operation: async (call) => `${(await call.readBody()).size}` })
  const socket = await openRawSocket(edge.url)
  const length = edgeLimits.maxBodyBytes + 1
  socket.write(`POST / HTTP/1.1\r\n${host}Content-Length: ${length}\r\nExpect: 100-continue\r\n\r\n`)
  const reply = await socket.readReply()
  assert.deepEqual([reply.status, reply.header('connection')], [413, 'close'])
  assert.equal((await socket.closed).length, 0)
})

const bodyFaults = [
  {
    title: '5.10 a truncated body is refused',
    bytes: `POST / HTTP/1.1\r\n${host}Content-Length: 100\r\n\r\nhalf`,
    ends: true,
  },
  {
    title: '5.10 a truncated chunked body is refused',
    bytes: `POST / HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n5\r\nhel`,
    ends: true,
  },
  {
    title: '7.5 a malformed chunk size is refused',
    bytes: `POST / HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n`,
    ends: false,
  },
  {
    title: '7.5 a chunk longer than its stated size is refused',
    bytes: `POST / HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n0\r\n\r\n`,
    ends: false,
  },
  {
    title: '7.5 a bare LF in chunked framing is refused',
    bytes: `POST / HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n1\na\r\n0\r\n\r\n`,
    ends: false,
  },
]
for (const { title, bytes, ends } of bodyFaults) {
  test(title, async () => {
    let completed = 0
    await using edge = await openEdge({
      operation: async (call) => {
        await call.readBody()
        completed += 1
        return 'ran'
      },
    })
    const socket = await openRawSocket(edge.url, { allowHalfOpen: true })
    socket.write(bytes)
    if (ends) socket.end()
    else socket.write(get('/smuggled'))
    const reply = await socket.readReply()
    assert.deepEqual([reply.status, reply.header('ig-refusal')], [400, 'bodyMalformed'])
    assert.equal(reply.header('connection'), 'close')
    assert.equal((await socket.closed).length, 0)
    assert.equal(completed, 0)
    socket.destroy()
    assert.equal((await sendRaw(edge.url, get())).text, 'ran')
  })
}

test('5.10, 7.6 a body that does not arrive in time is refused', async () => {
  await using edge = await openEdge({
    limits: { bodyTimeout: 20 },
    operation: async (call) => `${(await call.readBody()).size}`,
  })
  const socket = await openRawSocket(edge.url)
  socket.write(`POST / HTTP/1.1\r\n${host}Content-Length: 100\r\n\r\nhalf`)
  const reply = await socket.readReply()
  assert.deepEqual([reply.status, reply.header('ig-refusal')], [400, 'bodyMalformed'])
  assert.equal(reply.header('connection'), 'close')
  assert.equal((await socket.closed).length, 0)
})

test('7.5 a head that does not arrive in time is refused, and a silent connection is closed', async () => {
  await using edge = await openEdge({ limits: { headersTimeout: 20 } })
  const socket = await openRawSocket(edge.url)
  socket.write('GET / HT')
  const reply = await socket.readReply()
  assert.equal(reply.statusLine, 'HTTP/1.1 408 Request Timeout')
  assert.match(reply.header('ig-transaction-id') ?? '', guid)
  assert.equal((await (await openRawSocket(edge.url)).closed).length, 0)
})

test('7.6 a client that stops reading is disconnected', async () => {
  const begun = signalled()
  await using edge = await openEdge({
    limits: { responseTimeout: 20, shutdownGrace: 60_000 },
    operation: () => {
      begun.resolve()
      return { status: 200, headers: [], body: { bytes: Buffer.alloc(64 * 1024 * 1024) } }
    },
  })
  const socket = await openRawSocket(edge.url)
  socket.socket.pause()
  socket.write(get())
  await begun.promise
  await edge.close() // long before its grace time: no connection is left
  socket.socket.resume()
  await assert.rejects(socket.readReply(), /The connection ended after/)
})

/** The clock is checked every 10 ms. */
const often = { keepAliveTimeout: 40 }

/** Once the client has closed its sending half, the time passes for which it is assumed to wait for its reply. */
async function passHalfClosed(t: TestContext, call: Call): Promise<void> {
  assert(call instanceof IncomingCall)
  while (!call.request.socket.readableEnded) await new Promise(setImmediate)
  const now = performance.now.bind(performance)
  t.mock.method(performance, 'now', () => now() + halfClosed)
}

test('5.4 the signal is aborted when the client disconnects', async (t) => {
  const begun = signalled<Call>()
  const aborted = signalled<unknown>()
  await using edge = await openEdge({
    limits: often,
    operation: (call) => {
      const { signal } = call
      signal.addEventListener('abort', () => aborted.resolve(signal.reason))
      begun.resolve(call)
      return aborted.promise.then(() => 'nobody reads this')
    },
  })
  const socket = await openRawSocket(edge.url)
  socket.write(get())
  const call = await begun.promise
  socket.destroy()
  await passHalfClosed(t, call)
  assert.match(String(await aborted.promise), /client left/)
})

test('4.15, 5.4 a client that disconnects before its compressed response affects no one else', async (t) => {
  const begun = signalled()
  const left = signalled()
  const body: { bytes: Buffer; gzip?: Buffer } = { bytes: Buffer.from('gateway '.repeat(500_000)) }
  await using edge = await openEdge({
    limits: often,
    operation: async (call) => {
      if (call.target !== '/large') return 'next'
      call.signal.addEventListener('abort', () => left.resolve())
      begun.resolve()
      await passHalfClosed(t, call)
      await left.promise
      return { status: 200, headers: ['content-type', 'text/plain'], body }
    },
  })
  const socket = await openRawSocket(edge.url)
  socket.write(get('/large', 'Accept-Encoding: gzip\r\n'))
  await begun.promise
  socket.end() // a reset is noticed later, at a write
  await left.promise
  socket.socket.resetAndDestroy()
  while (!body.gzip) assert.equal((await sendRaw(edge.url, get())).text, 'next')
  assert.equal((await sendRaw(edge.url, get())).text, 'next')
})

test('7.5 a client that has closed its sending half is still answered', async (t) => {
  const left = signalled()
  await using edge = await openEdge({
    limits: often,
    operation: async (call) => {
      call.signal.addEventListener('abort', () => left.resolve())
      await passHalfClosed(t, call)
      await left.promise
      return 'answered'
    },
  })
  const socket = await openRawSocket(edge.url, { allowHalfOpen: true })
  socket.write(get())
  socket.end()
  assert.equal((await socket.readReply()).text, 'answered')
  assert.equal((await socket.closed).length, 0)
  socket.destroy()
})

test('7.5 calls waiting behind one whose client has disconnected are dropped, not refused as malformed', async (t) => {
  let calls = 0
  await using edge = await openEdge({
    limits: often,
    operation: async (call) => {
      calls += 1
      const aborted = once(call.signal, 'abort')
      await passHalfClosed(t, call)
      await aborted
      return 'aborted'
    },
  })
  const socket = await openRawSocket(edge.url, { allowHalfOpen: true })
  socket.write(get() + get())
  socket.end()
  const reply = await socket.readReply()
  assert.equal(reply.text, 'aborted')
  assert.equal(reply.header('connection'), 'close')
  assert.equal((await socket.closed).length, 0)
  assert.equal(calls, 1)
  socket.destroy()
})

test('7.5 data after the last request of a connection is not read', async () => {
  let calls = 0
  await using edge = await openEdge({
    operation: () => new Promise((resolve) => setImmediate(() => resolve(`${++calls}`))),
  })
  const socket = await openRawSocket(edge.url)
  socket.write(get('/', 'Connection: close\r\n') + get())
  assert.equal((await socket.readReply()).text, '1')
  assert.equal((await socket.closed).length, 0)
  assert.equal(calls, 1)
})

test('7.5 a flood of pipelined calls is read only as it is answered', async () => {
  await using edge = await openEdge({
    operation: async (call) => {
      assert.ok(call instanceof IncomingCall)
      if (call.target === '/0') assert.ok((await settledBytes(call.request.socket)) < 1024 * 1024)
      return call.target
    },
  })
  const socket = await openRawSocket(edge.url)
  const padding = `X: ${'a'.repeat(8000)}\r\n`
  const paths = Array.from({ length: 1000 }, (_, index) => `/${index}`)
  socket.write(paths.map((path) => get(path, padding)).join(''))
  for (const path of paths) assert.equal((await socket.readReply()).text, path)
  socket.destroy()
})

/** What was read of a socket once nothing more is. */
async function settledBytes(socket: Socket): Promise<number> {
  for (let seen = -1, turns = 0; turns < 200; turns++) {
    if (socket.bytesRead !== seen) turns = 0
    seen = socket.bytesRead
    await new Promise((resolve) => setImmediate(resolve))
  }
  return socket.bytesRead
}

test('7.6 the time limit for reading a response does not apply to the handler of the next call', async () => {
  const bytes = Buffer.alloc(16 * 1024 * 1024)
  await using edge = await openEdge({
    limits: { responseTimeout: scaled(500) },
    operation: async ({ target }) => {
      if (target === '/large') return { status: 200, headers: [], body: { bytes } }
      await new Promise((resolve) => setTimeout(resolve, scaled(900)))
      return 'slow'
    },
  })
  const socket = await openRawSocket(edge.url)
  socket.write(get('/large') + get('/slow'))
  assert.equal((await socket.readReply()).body.length, bytes.length)
  assert.equal((await socket.readReply()).text, 'slow')
  socket.destroy()
})

test('4.15, 5.10 a body truncated on its way to disk leaves nothing open', async () => {
  await using edge = await openEdge({
    limits: { spoolMemoryBytes: 0 },
    operation: async (call) => `${(await call.readBody()).size}`,
  })
  const socket = await openRawSocket(edge.url, { allowHalfOpen: true })
  socket.write(`POST / HTTP/1.1\r\n${host}Content-Length: 1000000\r\n\r\n${'a'.repeat(300_000)}`)
  socket.end()
  assert.equal((await socket.readReply()).status, 400)
  socket.destroy()
  assert.equal((await sendRaw(edge.url, post('served'))).text, '6')
  await edge.close()
  assert.deepEqual(openSpoolFiles(), [])
})

function openSpoolFiles(): string[] {
  const links = readdirSync('/proc/self/fd').map((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`)
    } catch {
      return '' // it was the one that read the folder
    }
  })
  // Not the databases of testing kits, which other files of this process may have open
  return links.filter((link) => /\/integration-gateway-(?!test-)/.test(link))
}

test('5.4 a call has its remote address and is not secure on the plain port', async () => {
  await using edge = await openEdge({
    operation: (call) => JSON.stringify([call.remoteAddress, call.isSecure, call.target]),
  })
  const reply = await sendRaw(edge.url, get('/a%2Fb?c=d'))
  assert.equal(reply.text, JSON.stringify(['127.0.0.1', false, '/a%2Fb?c=d']))
})

test('9.15 a port in use is reported with its number', async () => {
  await using edge = await openEdge()
  const port = Number(new URL(edge.url).port)
  await assert.rejects(openEdge({ settings: { port } }), { code: 'EADDRINUSE', port })
})

test('5.10 an endless body is read no faster than the disk, and a request without a body has an empty one', async () => {
  const bytes = 'b'.repeat(300_000)
  await using edge = await openEdge({
    operation: async (call) => {
      const body = await call.readBody()
      const chunks: Buffer[] = await body.stream().toArray()
      assert.deepEqual(Buffer.concat(chunks), await body.bytes())
      return `${body.size} ${Buffer.concat(chunks).equals(Buffer.from(bytes))}`
    },
  })
  assert.equal((await sendRaw(edge.url, post(bytes))).text, '300000 true')
  assert.equal((await sendRaw(edge.url, post(''))).text, '0 false')
  assert.equal((await sendRaw(edge.url, get())).text, '0 false')
})
