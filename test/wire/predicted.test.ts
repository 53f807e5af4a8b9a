/** What `ig explain` predicts is what is served, and its reason is the log's (specification 15.3, 36.14), over real sockets. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { explainCall } from '../../src/explain/explain-call.ts'
import { holdBody } from '../../src/explain/hold-body.ts'
import type { AnsweredCall } from '../../src/model/call-record.ts'
import { redactProse } from '../../src/observe/masking/redact.ts'
import { bindUri } from '../../src/steps/bind-uri.ts'
import { findOperation } from '../../src/steps/find-operation.ts'
import { readTarget } from '../../src/steps/read-target.ts'
import { basic } from '../support/client.ts'
import { findDatabase } from '../support/databases.ts'
import { openReference, root, type WireGateway } from '../support/gateway.ts'
import { openRawSocket } from '../support/raw-socket.ts'

const pieces = {
  gateway: ['/PSIGW', '/PSIGW', '/PSIGW', '/psigw', '', '/PSIGW/', '/%50SIGW', '/a/PSIGW', '/PSIGW/..'],
  connector: [
    '/RESTListeningConnector',
    '/RESTListeningConnector',
    '/RESTListeningConnector',
    '/RestListeningConnector',
    '',
    '/HttpListeningConnector',
    '/RESTListeningConnector;a=b',
  ],
  node: [
    '/LOCAL_NODE',
    '/LOCAL_NODE',
    '/LOCAL_NODE',
    '/local_node',
    '//LOCAL_NODE',
    '/NODE',
    '',
    '/LOCAL%5FNODE',
    '/.',
    '/LOCAL_NODE/.',
  ],
  service: [
    '/ECHO.v1',
    '/ECHO.v1',
    '//ECHO.v1',
    '////ECHO.v1',
    '/METADATA_BASIC.v1',
    '/KEY_VALUE.v1',
    '/CACHED_TIME.V1',
    '/echo.v1',
    '/ECHO_GET.v1',
    '/ECHO',
    '/ECHO.v01',
    '/ECHO.v2',
    '/ECHO.v1.json',
    '/%2FECHO.v1',
    '/ECHO%2ev1',
    '/ECHO.v1;jsessionid=a!1',
    '',
    '/',
    '/NOPE.v1',
  ],
  path: [
    '',
    '/',
    '//',
    '/echo/x',
    '/echo/x',
    '/echo/',
    '/echo',
    '/echo/a+b',
    '/echo/a%2Fb',
    '/echo/%ff',
    '/echo/%',
    '/echo/%00',
    '/Echo/x',
    '/echo/x/y',
    '/echo/../x',
    '/echo/x;jsessionid=1',
    '/echo/x;JSESSIONID=1',
    '/hello',
    `/echo/${'x'.repeat(300)}`,
    '/echo/{x}',
    '/echo/"<>|\\^`',
  ],
  query: [
    '',
    '',
    '',
    '?',
    '?value-to-echo=v',
    '?Value-To-Echo=v',
    '?value-to-echo=a+b',
    '?x=1&x=2',
    '?x=%ff',
    '?value-to-echo=v;jsessionid=1',
    '?a?b=/c',
    '?;jsessionid=1',
  ],
} as const
const methods = ['GET', 'GET', 'GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS'] as const

/** The same numbers at every run: a prediction that differs is found again. */
function openDice(seed: number) {
  let state = seed
  return <Side>(sides: readonly Side[]): Side => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return sides[Math.floor((state / 2 ** 32) * sides.length)] as Side
  }
}

interface Asked {
  readonly method: string
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
}

function askOddly(seed: number, isRaw: boolean): Asked {
  const roll = openDice(seed)
  roll([0]) // the first numbers of neighbouring seeds are alike
  const { gateway, connector, node, service, path, query } = pieces
  const raw = isRaw ? roll(['', '', 'Z\u00fcrich', '/\u20ac']) : ''
  const written = [roll(gateway), roll(connector), roll(node), roll(service), roll(path), raw].join('')
  const begun = written.startsWith('/') ? written : `/${written}`
  const target = roll([begun + roll(query), begun + roll(query), `http://a${begun}`, '/readyz', '/healthz?x=%'])
  return {
    method: roll(methods),
    target,
    headers: roll([{}, basic('DEMO'), basic('NOPERM'), { authorization: 'Bearer x' }]),
  }
}

const count = 2_000
/** Requests that are sent before their answers are read. */
const batch = 100

const variants: readonly (readonly [title: string, properties: Readonly<Record<string, string>>])[] = [
  ['without compatibility settings', {}],
  ['with ig.compat.emptySegments', { 'ig.compat.emptySegments': 'true' }],
  ['with ig.compat.sessionSuffix', { 'ig.compat.sessionSuffix': 'true' }],
  ['with ig.compat.rawUrlBytes', { 'ig.compat.rawUrlBytes': 'true' }],
  ['with ig.compat.operatorCase', { 'ig.compat.operatorCase': 'true' }],
  [
    'with ig.compat.emptySegments and ig.compat.sessionSuffix',
    { 'ig.compat.emptySegments': 'true', 'ig.compat.sessionSuffix': 'true' },
  ],
]
for (const [title, properties] of variants)
  test(`15.3, 36.14 ${title} ${count} odd targets are answered as predicted, for the reason that the log has`, async () => {
    const gateway = await openReference({
      database: findDatabase('SQLite'),
      properties,
    })
    try {
      const asked = Array.from({ length: count }, (_, seed) => askOddly(seed, 'ig.compat.rawUrlBytes' in properties))
      const served = await serveAll(gateway, asked)
      for (const [at, one] of asked.entries()) {
        const { refusal } = await explainCall(toCall(one), gateway.gateway)
        const { status, transaction, refusal: met } = served[at] as Served
        const line = `${one.method} ${one.target} ${JSON.stringify(one.headers)}`
        if (refusal) assert.deepEqual([met?.code, met?.message], [refusal.code, refusal.message], line)
        else
          assert.ok(
            met === undefined || (transaction.operation !== undefined && !beforeHandlers.has(met.code)),
            `${line}: ${status} ${met?.code}`,
          )
        requireRight(refusal?.message, one.method, gateway)
        requireAccepted(refusal?.message, one, gateway)
      }
    } finally {
      await gateway.close()
    }
  })

const hints: readonly (readonly [path: string, proposed: string | undefined])[] = [
  ['//ECHO.v1/echo/x', 'ig.compat.emptySegments=true'],
  ['//ECHO.v1;jsessionid=1', undefined],
  ['//ECHO.v1/nope', undefined],
  ['//ECHO.v1//echo/x', undefined],
  ['//KEY_VALUE.v1/echo/x', undefined],
  ['/ECHO.v1;jsessionid=1', undefined],
  ['/ECHO.v1/;jsessionid=1', undefined],
  ['//METADATA_BASIC.v1;jsessionid=1', 'ig.compat.emptySegments=true and ig.compat.sessionSuffix=true'],
  ['/METADATA_BASIC.v1;jsessionid=1', 'ig.compat.sessionSuffix=true'],
]
for (const [path, proposed] of hints)
  test(`36.14 ${path} is told ${proposed ?? 'no setting'}`, async () => {
    const gateway = await openReference({ database: findDatabase('SQLite') })
    try {
      const asked = { method: 'GET', target: `${root}${path}`, headers: basic('DEMO') }
      const { refusal } = await explainCall(toCall(asked), gateway.gateway)
      const [, found] = / With (\S+(?: and \S+)?) the URL is accepted\./.exec(refusal?.message ?? '') ?? []
      assert.equal(found, proposed, refusal?.message)
      requireAccepted(refusal?.message, asked, gateway)
      assert.equal(redactProse(refusal?.message ?? ''), refusal?.message, 'the log has the same words')
    } finally {
      await gateway.close()
    }
  })

const beforeHandlers: ReadonlySet<string> = new Set([
  ...['pathUnknown', 'nodeUnknown', 'operationNotFound', 'uriNotMatched', 'uriMalformed'],
  ...['uriTooLong', 'permissionDenied', 'basicRejected', 'tokenRejected'],
])

/** A URL that a reason proposes reaches an operation. */
function requireRight(reason: string | undefined, method: string, { gateway }: WireGateway): void {
  const [, target] = /Right would be (\S+)$/.exec(reason ?? '') ?? []
  if (target === undefined) return
  const found = readTarget({ method, target, headers: {} }, gateway.catalog, gateway)
  assert.equal(found.kind, 'operation')
  if (found.kind === 'operation' && !/ not [A-Z]+\b/.test(reason ?? ''))
    findOperation(found, 'GET', gateway.catalog, gateway)
}

/** A setting that a reason proposes is off, and makes the gateway accept the URL. */
function requireAccepted(reason = '', { method, target }: Asked, { gateway }: WireGateway): void {
  const [, proposed] = / With ((?:ig\.compat\.\w+=true(?: and )?)+) the URL is accepted\./.exec(reason) ?? []
  assert.equal(proposed !== undefined, reason.includes('ig.compat.'), reason)
  const names = [...(proposed ?? '').matchAll(/ig\.compat\.(\w+)/g)].map(([, name = '']) => name)
  if (names.length === 0) return
  const { settings, catalog, targets } = gateway
  for (const name of names) assert.equal(Reflect.get(settings.compatibility, name), false, reason)
  const on = Object.fromEntries(names.map((name) => [name, true]))
  const changed = { targets, settings: { ...settings, compatibility: { ...settings.compatibility, ...on } } }
  const found = readTarget({ method, target: encode(target), headers: {} }, catalog, changed)
  if (found.kind === 'operation') bindUri(found, findOperation(found, method, catalog, changed))
}

interface Served extends Pick<AnsweredCall, 'transaction' | 'refusal'> {
  readonly status: number
}

/** As clients and the edge do with raw bytes. */
const encode = (target: string) => target.replace(/[^\x21-\x7e]/gu, encodeURIComponent)

function toCall({ method, target, headers }: Asked) {
  const signal = new AbortController().signal
  const readBody = () => holdBody(Buffer.alloc(0), 0)
  const all = { host: 'a', ...headers }
  return { method, target: encode(target), headers: all, isSecure: false, remoteAddress: '127.0.0.1', signal, readBody }
}

/** Over one connection, many at once. */
async function serveAll(gateway: WireGateway, asked: readonly Asked[]): Promise<readonly Served[]> {
  const connection = await openRawSocket(gateway.url)
  const served: Served[] = []
  let seen = 0
  for (let from = 0; from < asked.length; from += batch) {
    const some = asked.slice(from, from + batch)
    const heads = some.map(({ method, target, headers }) => {
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
      return `${method} ${target} HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n${lines.join('')}\r\n`
    })
    connection.write(Buffer.from(heads.join('')))
    const ids: string[] = []
    for (const { method } of some)
      ids.push((await connection.readReply({ isHead: method === 'HEAD' })).header('ig-transaction-id') ?? '')
    const answered = new Map(
      gateway.observations
        .slice(seen)
        .flatMap((one) => (one.kind === 'answered' ? [[one.transaction.id, one] as const] : [])),
    )
    seen = gateway.observations.length
    for (const id of ids) {
      const one = answered.get(id)
      assert.ok(one, `no answer ${id}`)
      served.push({ status: one.reply.status, transaction: one.transaction, refusal: one.refusal })
    }
  }
  connection.destroy()
  return served
}
