/** Raw streams: pipelined requests in any pieces, followed by one with broken framing; content of a body is never answered (specification 7.5). */
import type { Random, Tally } from '../ordeal.ts'
import type { AcknowledgedRows } from './bodies.ts'
import { below, hex, pick } from './random.ts'
import { exchangeAll, headerOf, type Reply, readReply } from './replies.ts'
import { connector, note, type Subject } from './subject.ts'

interface Part {
  readonly bytes: string
  /** What its answer says; undefined of a broken request. */
  readonly says?: string
}

const authorization = `Authorization: Basic ${Buffer.from('DEMO:demo-password').toString('base64')}\r\n`
/** Stands in bodies, and behind broken requests: it must never be answered. */
const smuggled = `GET ${connector}/ECHO.v1/echo/smuggled HTTP/1.1\r\nHost: a\r\n\r\n`
/** Of a request that is refused, or not understood as one. */
const refusals = new Set([200, 400, 401, 408, 413, 414, 431, 505])

/** A client that has closed its sending half is taken to have left after a second, in milliseconds: its calls are aborted. */
const halfClosed = 900
const ofThoseWhoLeft: ReadonlySet<Fault> = new Set(['unanswered', 'serverErrors', 'mistaken'])

export async function fuzzStreams(
  subject: Subject,
  count: number,
  random: Random,
  acknowledged: AcknowledgedRows,
): Promise<Tally> {
  const tally = { streams: 0, unanswered: 0, serverErrors: 0, smuggled: 0, mixedUp: 0, mistaken: 0, streamReplies: 0 }
  let left = count
  const work = async () => {
    while (left-- > 0) {
      const parts = makeStream(random)
      const sent = Buffer.from(parts.map(({ bytes }) => bytes).join(''), 'latin1')
      const wanted = random() < 0.85 ? parts.filter(({ says }) => says !== undefined).length : 0
      const suffices = (bytes: Buffer) => wanted === 0 || readAll(bytes).length >= wanted
      const { bytes, waited } = await exchangeAll(subject.url, cut(random, sent), suffices)
      const replies = readAll(bytes)
      const isLeft = wanted === 0 && waited > halfClosed
      const faults = judge(replies, parts, acknowledged).filter((fault) => !isLeft || !ofThoseWhoLeft.has(fault))
      tally.streams += 1
      tally.streamReplies += replies.length
      for (const fault of faults) tally[fault] += 1
      for (const fault of faults) note(subject, `stream: ${fault}`, sent, bytes)
    }
  }
  await Promise.all(Array.from({ length: 16 }, work))
  return tally
}

function makeStream(random: Random): readonly Part[] {
  const parts = Array.from({ length: below(random, 6) }, () => pick(random, sound)(random))
  if (random() < 0.35 && parts.length > 0) return parts
  return [...parts, { bytes: pick(random, broken)(random) + (random() < 0.7 ? smuggled : '') }]
}

function cut(random: Random, bytes: Buffer): readonly Buffer[] {
  const places = Array.from({ length: below(random, 5) }, () => below(random, bytes.length)).sort((a, b) => a - b)
  return [...places, bytes.length].map((end, at) => bytes.subarray(places[at - 1] ?? 0, end))
}

const line = (random: Random) => {
  const value = hex(random, 12)
  return {
    value,
    get: `GET ${connector}/ECHO.v1/echo/${value}`,
    post: `POST ${connector}/KEY_VALUE.v1`,
    host: 'Host: a\r\n',
  }
}
const says = (value: string) => `<parameter1>${value}</parameter1>`
const chunked = 'Transfer-Encoding: chunked\r\n'
const xml = (value: string) =>
  `<request><row><key>${value}</key><value>${smuggled.replace(/\0/g, '')}</value></row></request>`

/** In chunks of any size, with extensions and trailers. */
function writeChunks(random: Random, text: string): string {
  let chunks = ''
  for (let at = 0; at < text.length; ) {
    const size = 1 + below(random, text.length - at)
    const digits = random() < 0.5 ? size.toString(16) : `00${size.toString(16).toUpperCase()}`
    chunks += `${digits}${pick(random, ['', ';a=b', ';a="b"', ';a'])}\r\n${text.slice(at, at + size)}\r\n`
    at += size
  }
  return `${chunks}0\r\n${pick(random, ['', 'x: y\r\n', 'Host: b\r\n'])}\r\n`
}

const sound: readonly ((random: Random) => Part)[] = [
  (random) => {
    const { value, get, host } = line(random)
    return { bytes: `${get} HTTP/1.1\r\n${host}\r\n`, says: says(value) }
  },
  (random) => {
    const { value, get, host } = line(random)
    return {
      bytes: `${get} HTTP/1.1\r\n${host}Content-Length: ${smuggled.length}\r\n\r\n${smuggled}`,
      says: says(value),
    }
  },
  (random) => {
    const { value, get, host } = line(random)
    return { bytes: `${get} HTTP/1.1\r\n${host}${chunked}\r\n${writeChunks(random, smuggled)}`, says: says(value) }
  },
  (random) => {
    const { value, post, host } = line(random)
    const body = xml(value)
    return {
      bytes: `${post} HTTP/1.1\r\n${host}${authorization}Content-Length: ${body.length}\r\n\r\n${body}`,
      says: 'OPRID',
    }
  },
  (random) => {
    const { value, post, host } = line(random)
    return {
      bytes: `${post} HTTP/1.1\r\n${host}${authorization}${chunked}\r\n${writeChunks(random, xml(value))}`,
      says: 'OPRID',
    }
  },
]

const withHead = (random: Random, head: string, body = '') => {
  const { get, host } = line(random)
  return `${get} HTTP/1.1\r\n${host}${head}\r\n${body}`
}
const post = (random: Random, head: string, body = '') =>
  withHead(random, head + (random() < 0.5 ? authorization : ''), body).replace(
    /^GET (\S+)/,
    `POST ${connector}/KEY_VALUE.v1`,
  )
const bytes = (random: Random, length: number) =>
  Buffer.from(Array.from({ length }, () => below(random, 256)))
    .toString('latin1')
    .replace(/^[\r\n]+/, '')

/** After none of these can anyone say where the next request begins. */
const broken: readonly ((random: Random) => string)[] = [
  (random) => withHead(random, `Content-Length: 5\r\n${chunked}`, '0\r\n\r\n'),
  (random) => post(random, `${chunked}Content-Length: 5\r\n`, '0\r\n\r\n'),
  (random) => post(random, 'Content-Length: 5\r\nContent-Length: 6\r\n', 'abcde'),
  (random) =>
    post(
      random,
      `Content-Length: ${pick(random, ['-1', '+5', '0x5', '5,5', '5 5', '1e1', '', '99999999999999999999', '5;'])}\r\n`,
      'abcde',
    ),
  (random) =>
    post(
      random,
      `Transfer-Encoding: ${pick(random, ['xchunked', 'chunked, gzip', 'gzip, chunked', 'identity', 'chunked;a', '\x0bchunked', 'chunked, chunked', ''])}\r\n`,
      '0\r\n\r\n',
    ),
  (random) => post(random, `${chunked}${chunked}`, '0\r\n\r\n'),
  (random) => withHead(random, `Transfer-Encoding : chunked\r\n`, '0\r\n\r\n'),
  (random) => withHead(random, ` Transfer-Encoding: chunked\r\n`, '0\r\n\r\n'),
  (random) => withHead(random, `a: b\n${pick(random, ['c: d', chunked.trim()])}\r\n`),
  (random) => withHead(random, `a: b\rc: d\r\n`),
  (random) => withHead(random, `a\0: b\r\n`),
  (random) => withHead(random, `a: b\0c\r\n`),
  (random) => withHead(random, `${pick(random, ['a b', '', 'a(', 'é', '"a"', 'a\t'])}: b\r\n`),
  (random) => withHead(random, 'no colon\r\n'),
  (random) => withHead(random, 'Host: b\r\n'),
  (random) => withHead(random, `${authorization}${authorization}`),
  (random) => `${line(random).get} HTTP/1.1\r\n\r\n`,
  (random) =>
    `${line(random).get} HTTP/1.1\r\nHost: ${pick(random, ['a b', 'a/b', 'a@b', '[', '[::', 'a:b', '', '?'])}\r\n\r\n`,
  (random) =>
    `${line(random).get} ${pick(random, ['HTTP/1.2', 'HTTP/2.0', 'HTTP/0.9', 'HTTP/9.9', 'http/1.1', 'HTTP/1', 'HTTP', 'XTTP/1.1', 'HTTP/1.1x'])}\r\nHost: a\r\n\r\n`,
  (random) => `${line(random).get}\r\n`,
  (random) => `${line(random).get}  HTTP/1.1 \r\nHost: a\r\n\r\n`,
  (random) => `${pick(random, ['get', 'FOO', 'GE T', '', 'G\0T', 'GETT', 'é', 'PRI'])} / HTTP/1.1\r\nHost: a\r\n\r\n`,
  () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  (random) => `CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n${bytes(random, 20)}`,
  (random) => `\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03${bytes(random, 200)}`,
  (random) => `\x80${bytes(random, 1 + below(random, 300))}`,
  (random) => `GET /${'a'.repeat(9000 + below(random, 9000))} HTTP/1.1\r\nHost: a\r\n\r\n`,
  (random) => withHead(random, `a: ${'b'.repeat(40_000 + below(random, 40_000))}\r\n`),
  (random) => withHead(random, 'a: b\r\n'.repeat(300)),
  (random) =>
    post(
      random,
      chunked,
      `${pick(random, ['x', '-1', '0x5', '', ' 5', '5 ', 'fffffffffffffffff', '5;\n'])}\r\nabcde\r\n0\r\n\r\n`,
    ),
  (random) => post(random, chunked, `5\nabcde\n0\n\n`),
  (random) => post(random, chunked, `5\r\nabcdefg\r\n0\r\n\r\n`),
  (random) => post(random, chunked, `5\r\nabc`).replace(/abc$/, `abc${'d'.repeat(below(random, 2))}\0\0`),
  (random) => post(random, chunked, `0\r\n${pick(random, ['x', 'a b: c', ': d', 'a\0: b'])}\r\n\r\n`),
]

type Fault = 'unanswered' | 'serverErrors' | 'smuggled' | 'mixedUp' | 'mistaken'

/** Each sound request in its order; of a broken one at most one refusal, and nothing behind it. */
function judge(replies: readonly Reply[], parts: readonly Part[], acknowledged: AcknowledgedRows): readonly Fault[] {
  const faults: Fault[] = []
  const expected = parts.filter((part) => part.says !== undefined)
  for (const reply of replies) {
    const text = reply.body.toString()
    if (reply.status >= 500 && reply.status !== 505) faults.push('serverErrors')
    if (text.includes('<parameter1>smuggled<')) faults.push('smuggled')
    const [, transaction] = /<TRANSACTION_ID>([^<]*)</.exec(text) ?? []
    if (transaction !== undefined) acknowledged.set(transaction, 1)
  }
  for (const [at, { says = '' }] of expected.entries()) {
    const reply = replies[at]
    if (!reply) faults.push('unanswered')
    else if (reply.status === 200 && !reply.body.includes(says)) faults.push('mixedUp')
    else if (reply.status !== 200) faults.push('mistaken')
  }
  const rest = replies.slice(expected.length)
  if (rest.length > parts.length - expected.length) faults.push('mixedUp')
  for (const reply of rest)
    if (!refusals.has(reply.status) || !headerOf(reply, 'ig-transaction-id')) faults.push('mistaken')
  return faults
}

/** Those that are whole. */
function readAll(bytes: Buffer): readonly Reply[] {
  const replies: Reply[] = []
  for (let at = 0; at < bytes.length; ) {
    const found = readReply(bytes, at)
    if (!found) break
    replies.push(found.reply)
    at = found.end
  }
  return replies
}
