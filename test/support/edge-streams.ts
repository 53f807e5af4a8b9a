/** Requests as streams of bytes, cut into exact pieces: a connection of the edge without a socket (specification 7.5). */

import type { Socket } from 'node:net'
import { duplexPair } from 'node:stream'
import { Connection } from '../../src/http/connection.ts'
import type { Edge } from '../../src/http/edge.ts'
import { Clock } from '../../src/http/timeouts.ts'
import type { Call, Reply } from '../../src/model/call.ts'
import { MemoryBudget } from '../../src/model/memory-budget.ts'
import type { Observation } from '../../src/model/observation.ts'
import { beginTransaction } from '../../src/steps/begin-transaction.ts'
import { asRefusal, buildRefusal } from '../../src/steps/build-refusal.ts'
import { buildReply } from '../../src/steps/build-reply.ts'
import { edgeSettings, plain } from './edge.ts'

const host = 'Host: gateway\r\n'
const get = (path = '/', headers = '') => `GET ${path} HTTP/1.1\r\n${host}${headers}\r\n`
const post = (headers: string, body: string) => `POST /body HTTP/1.1\r\n${host}${headers}\r\n${body}`
const chunked = (body: string) => post('Transfer-Encoding: chunked\r\n', body)
const field = `X: ${'a'.repeat(1019)}\r\n`

/** What the tests of the wire send, each alone and with a call behind it. */
export const requests: readonly string[] = [
  get(),
  get('/a%2Fb?c=d', 'Accept-Encoding: gzip;q=0, *\r\nCookie: a=b\r\nCookie: c=d\r\nX:\r\nY: \t b \t \r\n'),
  get('http://gateway/absolute'),
  get('*'),
  get('/', 'Connection: close\r\n'),
  get('/', 'Connection: Upgrade\r\nUpgrade: h2c\r\n'),
  get('/', 'Expect: the unexpected\r\n'),
  get('/1') + get('/2') + get('/3', 'Connection: close\r\n') + get('/4'),
  `\r\n\r\n${get()}`,
  `${'\r\n'.repeat(40)}${get()}`,
  `HEAD / HTTP/1.1\r\n${host}\r\n`,
  `OPTIONS * HTTP/1.1\r\n${host}\r\n`,
  'GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET / HTTP/1.0\r\n\r\n',
  post('Content-Length: 4\r\n', 'body') + post('Content-Length: 0\r\n', '') + get(),
  post('Content-Length: 4\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n', 'body') + get(),
  post('Content-Length: 4\r\nExpect: 100-continue\r\n', 'body') + get(),
  `POST /unread HTTP/1.1\r\n${host}Content-Length: 30\r\n\r\nGET /smuggled HTTP/1.1\r\n\r\n1234${get()}`,
  `POST /unread HTTP/1.1\r\n${host}Content-Length: 99999\r\n\r\n${get('/smuggled')}`,
  `POST /unread HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n${get('/smuggled')}`,
  `POST /unread HTTP/1.1\r\n${host}Content-Length: 4\r\nExpect: 100-continue\r\n\r\nbody${get('/smuggled')}`,
  chunked('5;a=b;c="d"\r\nhello\r\n6\r\n world\r\n0;last\r\nX: trailer\r\nY: another\r\n\r\n'),
  chunked('0\r\n\r\n') + get(),
  chunked(`2\r\nab\r\n0\r\n${field.repeat(32)}\r\n`),
  chunked(`2\r\nab\r\n0\r\n${field.repeat(33)}\r\n`),
  chunked(`2\r\nab\r\n0\r\nX: ${'a'.repeat(40_000)}\r\n\r\n`),
  chunked(`2\r\nab\r\n0\r\n${'x: y\r\n'.repeat(300)}\r\n`),
  chunked(`1;${'x'.repeat(40_000)}\r\na\r\n0\r\n\r\n`),
  chunked(`fffffffffffffffffff\r\n`),
  chunked('zz\r\n\r\n'),
  chunked('1\r\nabc\r\n0\r\n\r\n'),
  chunked('1\na\r\n0\r\n\r\n'),
  chunked('5\r\nhel'),
  post('Content-Length: 100\r\n', 'half'),
  post('Content-Length: 99999999\r\n', 'too large'),
  post('Content-Length: 99999999999999999999999\r\n', 'overflow'),
  'GET / HTTP/1.1\r\n\r\n',
  get('/', 'host: other\r\n'),
  'GET / HTTP/1.1\r\nHost: a/b\r\n\r\n',
  'GET / HTTP/1.1\r\nHost:\r\n\r\n',
  'GET / HTTP/1.1\r\nHost: [..]\r\n\r\n',
  get('/', 'Authorization: Basic YTpi\r\nauthorization: Basic YTpi\r\n'),
  post('Content-Length: 5\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n'),
  post('Transfer-Encoding: chunked\r\nContent-Length: 5\r\n', '0\r\n\r\n'),
  post('Content-Length: 1\r\nContent-Length: 1\r\n', 'a'),
  post('Content-Length: +1\r\n', 'a'),
  post('Transfer-Encoding: gzip, chunked\r\n', '0\r\n\r\n'),
  post('Transfer-Encoding: gzip\r\n', 'abc'),
  `POST / HTTP/1.0\r\n${host}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  `GET / HTTP/1.1\r\n${host}X: a\nY: b\r\n\r\n`,
  `GET / HTTP/1.1\n${host}\r\n`,
  `GET / HTTP/1.1\r\n${host}X: a\rY: b\r\n\r\n`,
  `GET / HTTP/1.1\r\n${host}X: a\r\n b\r\n\r\n`,
  'GET / HTTP/1.1\r\nHost : gateway\r\n\r\n',
  get('/', 'X: a\0b\r\n'),
  get('/\xff'),
  `FOO / HTTP/1.1\r\n${host}\r\n`,
  `get / HTTP/1.1\r\n${host}\r\n`,
  `G(T / HTTP/1.1\r\n${host}\r\n`,
  'GET /\r\n\r\n',
  `GET / HTTP/2.0\r\n${host}\r\n`,
  `GET / HTTP/1.2\r\n${host}\r\n`,
  `GET / RTSP/1.0\r\n${host}\r\n`,
  `GET /   HTTP/1.1\r\n${host}\r\n`,
  `GET / ${' '.repeat(99)}HTTP/1.1\r\n${host}\r\n`,
  `GET ${' '.repeat(99)}/ HTTP/1.1\r\n${host}\r\n`,
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  `CONNECT gateway:80 HTTP/1.1\r\n${host}\r\n`,
  '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  get(`/${'a'.repeat(8191)}`),
  get(`/${'a'.repeat(8192)}`),
  get(`/?${'a=b&'.repeat(75_000)}`),
  `GET /${'a'.repeat(8192)}\xff HTTP/1.1\r\n${host}\r\n`,
  get('/', `X: ${'a'.repeat(32 * 1024 - host.length - 5)}\r\n`),
  get('/', `X: ${'a'.repeat(32 * 1024 - host.length - 4)}\r\n`),
  get('/', `X: ${'a'.repeat(33_000)}\0\r\n`),
  get('/', `X:${' '.repeat(33_000)}\r\n`),
  get('/', `${'x'.repeat(33_000)}@: a\r\n`),
  get('/', 'X: a\r\n'.repeat(255)),
  get('/', 'X: a\r\n'.repeat(256)),
  get('/', `${'X: a\r\n'.repeat(256)}@`),
  get('/', `${'X: a\r\n'.repeat(255)}@`),
  get('/', field.repeat(300)),
]

export interface EdgeRun {
  readonly edge: Edge
  /** Method, target and body of each request that reached the operation. */
  readonly seen: string[]
  readonly observations: Observation[]
  close(): void
}

export function openEdgeRun(): EdgeRun {
  const observations: Observation[] = []
  const seen: string[] = []
  const observe = (observation: Observation) => void observations.push(observation)
  const gateway = { settings: edgeSettings, now: Date.now, observe, memory: new MemoryBudget(1024 ** 3) }
  const clock = new Clock(() => {}, edgeSettings.limits)
  const answer = async (call: Call): Promise<Reply> => {
    const transaction = beginTransaction(call, gateway)
    try {
      const body = call.target === '/unread' ? undefined : await (await call.readBody()).bytes()
      const told = JSON.stringify([call.method, call.target, call.headers, body?.toString('latin1')])
      seen.push(`${call.method} ${call.target} ${body?.toString('latin1')}`)
      return buildReply(plain(told), call, transaction, gateway)
    } catch (error) {
      return buildRefusal(asRefusal(error), call, transaction, gateway)
    }
  }
  return {
    edge: {
      gateway,
      limits: edgeSettings.limits,
      memory: gateway.memory,
      answer,
      clock,
      isStopping: false,
      closesIdle: false,
    },
    seen,
    observations,
    close: () => clock.close(),
  }
}

/** Turns of the event loop in which nothing more comes: then nothing will. */
const quiet = 6

/** Sends the pieces one by one. @returns all that came back, without what differs from call to call */
export async function exchange(pieces: readonly Buffer[], open: (socket: Socket) => void): Promise<string> {
  const [client, server] = duplexPair({ allowHalfOpen: true })
  let received = ''
  let turns = 0
  let hasEnded = false
  client.on('data', (bytes: Buffer) => {
    received += bytes.toString('latin1')
    turns = 0
  })
  client.on('end', () => (hasEnded = true))
  for (const end of [client, server]) end.on('error', () => {})
  open(server as Socket)
  for (const piece of pieces) {
    client.write(piece)
    await new Promise(setImmediate)
  }
  for (; turns < quiet && !hasEnded; turns += 1) await new Promise(setImmediate)
  client.destroy()
  server.destroy()
  return `${withoutChance(received)}${hasEnded ? '<end>' : ''}`
}

export function openConnection({ edge }: EdgeRun) {
  return (socket: Socket) => void new Connection(socket, edge)
}

function withoutChance(text: string): string {
  return text
    .replace(/^Date: .*$/gm, 'Date')
    .replace(/JSESSIONID=[\w-]{32}/g, 'JSESSIONID')
    .replace(/(dms-ecid: )[\da-f]{32}/g, '$1')
    .replace(/[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}/g, 'guid')
}
