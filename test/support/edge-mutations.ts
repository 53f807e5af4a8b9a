/**
 * Malformed streams of requests, read by the edge and by `node:http` as a second opinion: what each took for a
 * request, and why they may differ (specification 7.5).
 */
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Random } from '../ordeal/ordeal.ts'
import { type EdgeRun, exchange, openConnection, openEdgeRun, requests } from './edge-streams.ts'

const pieces = [
  ...[
    '\r\n',
    '\n',
    '\r',
    '\0',
    ' ',
    '\t',
    ':',
    ';',
    ',',
    '0',
    '1',
    'f',
    '\x80',
    '\xff',
    '%',
    '*',
    '/',
    '\r\n\r\n',
    '0\r\n\r\n',
  ],
  ...[
    'Content-Length: 5\r\n',
    'Content-Length: 0\r\n',
    'Transfer-Encoding: chunked\r\n',
    'Transfer-Encoding: identity\r\n',
  ],
  ...[
    'Host: gateway\r\n',
    'Connection: close\r\n',
    'Connection: keep-alive\r\n',
    'Upgrade: h2c\r\n',
    'Connection: upgrade\r\n',
  ],
  ...[
    'Expect: 100-continue\r\n',
    'HTTP/1.0',
    'HTTP/1.1',
    'HTTP/2.0',
    'GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n',
    'POST ',
    'chunked',
  ],
]

const bases = requests.filter(({ length }) => length < 1000)

export function mutate(random: Random): Buffer {
  const choose = <One>(list: readonly One[]) => list[Math.floor(random() * list.length)] as One
  let text = choose(bases) + (random() < 0.7 ? choose(bases) : '')
  for (let left = 1 + Math.floor(random() * 3); left > 0; left -= 1) {
    const at = Math.floor(random() * text.length)
    const end = at + Math.floor(random() * 6)
    const [before, within, behind] = [text.slice(0, at), text.slice(at, end), text.slice(end)]
    text = choose([
      () => before + choose(pieces) + within + behind,
      () => before + behind,
      () => before + within + within + behind,
      () => before + String.fromCharCode(Math.floor(random() * 256)) + text.slice(at + 1),
      () => before + text.slice(at).replace('\r\n', '\n'),
      () => before + within.toUpperCase() + behind,
    ])()
  }
  return Buffer.from(text, 'latin1')
}

export interface Opinion {
  /** Method, target and body of each request, in order. */
  readonly seen: readonly string[]
  readonly answer: string
}

export interface Difference {
  readonly stream: string
  readonly edge: readonly string[]
  readonly node: readonly string[]
  /** Of the table; undefined: none explains it. */
  readonly why: string | undefined
}

interface Explanation {
  readonly why: string
  /** Which of the two read at least what the other did, in the same order. */
  readonly longer?: 'edge'
  /** @param reasons why the edge refused, by its log */
  holds(stream: string, reasons: readonly string[]): boolean
}

/** What is read of both: a body that the edge is not asked for it does not know, and `OPTIONS *` it answers itself. */
const comparable = (list: readonly string[]) =>
  list
    .filter((one) => !one.startsWith('OPTIONS * '))
    .map((one) => (/^\w+ \/unread /.test(one) ? one.split(' ', 2).join(' ') : one))

function isPrefix(one: readonly string[], other: readonly string[]): boolean {
  return comparable(one).every((entry, at) => entry === comparable(other)[at])
}

/** A request that only one has read, out of a body, is explained by none. */
export function explain(stream: string, reasons: readonly string[], edge: readonly string[], node: readonly string[]) {
  return explanations.find(
    ({ longer, holds }) => holds(stream, reasons) && (longer === 'edge' ? isPrefix(node, edge) : isPrefix(edge, node)),
  )?.why
}

const has = (pattern: RegExp) => (_: string, reasons: readonly string[]) =>
  reasons.some((reason) => pattern.test(reason))

/** Where the edge is stricter, it says so in its log; where it reads on, the stream shows why `node:http` does not. */
export const explanations: readonly Explanation[] = [
  { why: 'the edge refuses a missing, duplicate or malformed Host', holds: has(/Host|duplicate host/) },
  { why: 'the edge refuses a duplicate Authorization', holds: has(/duplicate authorization/) },
  {
    why: 'the llhttp of undici refuses a tab behind a length',
    holds: (stream) => /content-length: *\d+ *\t/i.test(stream),
  },
  {
    why: 'the edge refuses other versions and protocols',
    holds: has(/HTTP version|Invalid HTTP version|no HTTP version/),
  },
  {
    why: 'the edge refuses * but with OPTIONS, which it answers itself, and CONNECT',
    holds: (stream, reasons) => /OPTIONS +\* /.test(stream) || has(/^Request refused: (?:\*|CONNECT)/)(stream, reasons),
  },
  {
    why: 'the edge refuses transfer codings but chunked, and any in HTTP/1.0',
    holds: has(/transfer coding|Transfer-Encoding in HTTP\/1.0/),
  },
  { why: 'the edge bounds what stands around URL and chunks', holds: has(/in the request line|chunk extensions over/) },
  {
    why: 'node:http ends at an upgrade',
    longer: 'edge',
    holds: (stream) => /upgrade/i.test(stream),
  },
  { why: 'node:http reads a body that the edge is not asked for', holds: (stream) => /unread/.test(stream) },
  { why: 'the edge refuses a body that is too large before it comes', holds: has(/body over the limit/) },
]

export function openOpinions() {
  const run: EdgeRun = openEdgeRun()
  let seen: { readonly request: IncomingMessage; readonly body: string | undefined }[] = []
  const server: Server = createServer(
    { requireHostHeader: false, keepAliveTimeout: 0, connectionsCheckingInterval: 60_000 },
    (request, response) => {
      const taken = { request, body: undefined as string | undefined }
      const chunks: Buffer[] = []
      seen.push(taken)
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        taken.body = Buffer.concat(chunks).toString('latin1')
        response.end('ok')
      })
    },
  )
  for (const event of ['checkContinue', 'checkExpectation'])
    server.on(event, (request, response) => server.emit('request', request, response))
  return {
    async compare(stream: Buffer): Promise<Difference | undefined> {
      run.seen.length = 0
      run.observations.length = 0
      seen = []
      await exchange([stream], openConnection(run))
      await exchange([stream], (socket: Socket) => void server.emit('connection', socket))
      const edge = [...run.seen]
      // What came behind in the same piece may have ended the connection before a body was handed on
      const node = seen
        .filter(({ request }) => request.method !== 'OPTIONS' || request.url !== '*')
        .flatMap(({ request: { method, url, complete }, body }, at) => {
          const start = `${method} ${url} `
          const known = body ?? (edge[at]?.startsWith(start) ? edge[at].slice(start.length) : '')
          return complete || url === '/unread' ? [`${method} ${url} ${known}`] : []
        })
      if (JSON.stringify(edge) === JSON.stringify(node)) return undefined
      const reasons = run.observations.flatMap((one) =>
        'message' in one && typeof one.message === 'string' ? [one.message] : [],
      )
      const text = stream.toString('latin1')
      const why = explain(text, reasons, edge, node)
      return { stream: text, edge, node, why }
    },
    close() {
      run.close()
      server.close()
    },
  }
}
