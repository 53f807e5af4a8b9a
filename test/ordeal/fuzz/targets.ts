/** Mutated request targets: what each reply may be, and as whom the handler ran (specification 1, 3). */

import { makeHostile } from '../../support/hostile.ts'
import type { Random, Tally } from '../ordeal.ts'
import { below, hex, makeUrlPiece, mutate, pick } from './random.ts'
import { type Answer, bytesOf, callMany, headerOf, type Reply, type Request } from './replies.ts'
import { connector, note, type Subject } from './subject.ts'

interface Caller {
  readonly id: string
  readonly header: string
  /** What the permission lists of the reference project give. */
  readonly mayCall: (answered: string) => boolean
}

const basic = (id: string) =>
  `Authorization: Basic ${Buffer.from(`${id}:${id.toLowerCase()}-password`).toString('base64')}\r\n`

const callers: readonly Caller[] = [
  { id: 'GUEST', header: '', mayCall: (answered) => ['metadata', 'echo'].includes(answered) },
  { id: 'DEMO', header: basic('DEMO'), mayCall: () => true },
  { id: 'DEMO2', header: basic('DEMO2'), mayCall: () => true },
  { id: 'NOPERM', header: basic('NOPERM'), mayCall: () => false },
]

const seeds = [
  ...[
    'METADATA.v1',
    'METADATA.v1/',
    'METADATA_BASIC.v1',
    'METADATA_OAUTH2.v1',
    'CACHED_TIME.v1',
    'CACHED_TIME.v1/?x=1',
  ],
  ...['ECHO.v1/echo/value', 'ECHO.v1/echo/?value-to-echo=a+b', 'ECHO.v1/echo?value-to-echo=%41', 'ECHO.v1/echo/'],
  ...['KEY_VALUE.v1/key', 'KEY_VALUE.v1/key?transaction=0', 'KEY_VALUE.v1/a%2Fb', 'KEY_VALUE.v1'],
].map((path) => `${connector}/${path}`)
const otherSeeds = ['/healthz', '/readyz', '/PSIGW/RESTListeningConnector/openapi.json', '*', 'a:1', 'http://a/healthz']
const methods = ['HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'PROPFIND', 'get', 'FOO']
const statuses = new Set([200, 204, 400, 401, 403, 404, 405, 413, 414, 415, 431, 500, 505])

interface TargetCall extends Request {
  readonly caller: Caller
  readonly trace: string
  /** The value that must come back, or null where it must be refused. */
  readonly echoed?: string | null
}

export async function fuzzTargets(subject: Subject, count: number, random: Random): Promise<Tally> {
  const tally = { targets: 0, unanswered: 0, serverErrors: 0, mixedUp: 0, wrongOperator: 0, mistaken: 0, served: 0 }
  const make = () => (random() < 0.25 ? makeEcho(random) : makeTarget(random))
  await callMany(subject.url, count, { connections: 8, depth: 24 }, make, (answer, made) => {
    tally.targets += 1
    const verdict = judge(answer, made)
    tally[verdict] += 1
    if (verdict !== 'served') note(subject, `target: ${verdict}`, made.bytes, bytesOf(answer))
  })
  return tally
}

function makeTarget(random: Random): TargetCall {
  let target = random() < 0.93 ? pick(random, seeds) : pick(random, otherSeeds)
  const changes = pick(random, [0, 1, 1, 1, 2, 3, 5])
  for (let change = 0; change < changes; change += 1) target = changeTarget(random, target)
  const method = random() < 0.85 ? 'GET' : pick(random, methods)
  return request(random, method, target.replace(/[\r\n]/g, ''))
}

function changeTarget(random: Random, target: string): string {
  const at = () => below(random, target.length)
  const [first, second] = [at(), at()]
  const kinds = [
    () => mutate(random, target, makeUrlPiece(random)),
    () => mutate(random, target, makeUrlPiece(random)),
    () => target.slice(0, first) + encode(random, target[first] ?? '') + target.slice(first + 1),
    () => target.replace(/\/[^/]*$/, () => `/${makeUrlPiece(random)}`),
    () => `${target}${target.includes('?') ? '&' : '?'}${makeUrlPiece(random)}=${makeUrlPiece(random)}`,
    () =>
      target
        .split('/')
        .map((part) => (random() < 0.2 ? makeUrlPiece(random) : part))
        .join('/'),
    () => target.slice(0, first) + (target[first] ?? '').toUpperCase() + target.slice(first + 1),
    () => target.slice(0, Math.min(first, second)) + target.slice(Math.max(first, second)),
    () => pick(random, ['http://a', 'HTTPS://a:1', 'http://u:p@a', '//a', 'ftp://a', 'http://', '']) + target,
    () =>
      random() < 0.05
        ? target +
          makeUrlPiece(random)
            .repeat(1 + below(random, 9000))
            .slice(0, 12_000)
        : target,
  ]
  return pick(random, kinds)()
}

/** The same character, percent-encoded once or twice, in either letter case. */
function encode(random: Random, character: string): string {
  const code = Buffer.from(character, 'latin1').toString('hex')
  return pick(random, [`%${code}`, `%${code.toUpperCase()}`, `%25${code}`])
}

/** A value, properly encoded, which must come back as it is; unless no XML can carry it, or no URL a NUL. */
function makeEcho(random: Random): TargetCall {
  const value = makeHostile(random).toWellFormed().slice(0, 500) || 'x'
  const isQuery = random() < 0.5
  const encoded = encodeURIComponent(value.toWellFormed())
  const path = isQuery ? `echo/?value-to-echo=${encoded}` : `echo/${encoded}`
  const isSound = !/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u.test(value.toWellFormed())
  const made = request(random, 'GET', `${connector}/ECHO.v1/${path}`, callers[below(random, 3)] as Caller)
  return { ...made, echoed: isSound ? value.toWellFormed() : null }
}

function request(random: Random, method: string, target: string, caller = pick(random, callers)): TargetCall {
  const trace = hex(random, 32)
  const head = `${method} ${target} HTTP/1.1\r\nHost: a\r\n${caller.header}traceparent: 00-${trace}-${hex(random, 16)}-01\r\n`
  const length = ['POST', 'PUT', 'PATCH'].includes(method) ? 'Content-Length: 0\r\n' : ''
  return { bytes: Buffer.from(`${head}${length}\r\n`, 'latin1'), isHead: method === 'HEAD', caller, trace }
}

type Verdict = 'unanswered' | 'serverErrors' | 'mixedUp' | 'wrongOperator' | 'mistaken' | 'served'

function judge(answer: Answer, { caller, trace, echoed, isHead }: TargetCall): Verdict {
  if (!answer) return 'unanswered'
  const isServerError =
    answer.status >= 500 && answer.status !== 505 && headerOf(answer, 'ig-refusal') !== 'nodeUnknown'
  if (isServerError) return 'serverErrors'
  if (!answer.isLast && headerOf(answer, 'x-platform-dms-ecid') !== trace) return 'mixedUp'
  if (!statuses.has(answer.status) || !headerOf(answer, 'ig-transaction-id')) return 'mistaken'
  if (echoed === null && answer.status !== 400) return 'mistaken'
  if (echoed && (answer.status !== 200 || readEchoed(answer) !== echoed)) return 'mistaken'
  return isHead || isRight(answer, caller) ? 'served' : 'wrongOperator'
}

/** What the handlers of the reference project answer, and whom it names. */
function isRight(reply: Reply, { id, mayCall }: Caller): boolean {
  if (reply.status !== 200 || headerOf(reply, 'ig-refusal') !== undefined || !headerOf(reply, 'ig-revision'))
    return true
  const text = reply.body.toString()
  if (/^(?:OK|\{"status":"ready")/.test(text)) return true // health
  const [, user] = /^\{"currentUser":"([^"]*)"/.exec(text) ?? []
  if (user !== undefined) return user === id && mayCall('metadata')
  if (/^<\?xml version="1.0"\?><response><parameter1/.test(text)) return mayCall('echo')
  const [, operator] = /<OPRID>([^<]*)<\/OPRID>/.exec(text) ?? []
  return (operator === undefined || operator === id) && mayCall('other') // a cached time has the user who came first
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

function readEchoed({ body }: Reply): string | undefined {
  const text = body.toString()
  const [, value] = /<parameter1>([\s\S]*)<\/parameter1>/.exec(text) ?? []
  if (value === undefined) return text.includes('<parameter1/>') ? '' : undefined
  return value.replace(/&(?:#x([\da-f]+)|#(\d+)|(\w+));/gi, (_, hexadecimal, decimal, name) =>
    name
      ? (entities[name] ?? '')
      : String.fromCodePoint(hexadecimal ? Number.parseInt(hexadecimal, 16) : Number(decimal)),
  )
}
