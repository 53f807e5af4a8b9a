/** Every refusal, byte for byte, in both styles, over a real socket (specification 4). */
import assert from 'node:assert/strict'
import { STATUS_CODES } from 'node:http'
import { test } from 'node:test'
import type { Call, Reply } from '../../src/model/call.ts'
import type { Operation } from '../../src/model/operation.ts'
import type { ErrorStyle } from '../../src/model/operation-terms.ts'
import type { Operator } from '../../src/model/operator.ts'
import { Refusal, type RefusalCode, type RefusalOptions } from '../../src/model/refusal.ts'
import type { Transaction } from '../../src/model/transaction.ts'
import type { Target } from '../../src/model/uri/target.ts'
import { asRefusal, buildRefusal } from '../../src/steps/build-refusal.ts'
import { type EdgeGateway, openEdge } from '../support/edge.ts'
import { type RawReply, sendRaw } from '../support/raw-socket.ts'

const session = 's'.repeat(32)
const ecid = '4bf92f3577b34da6a3ce929d0e0e4736'
const id = '01234567-89ab-4cde-8f01-23456789abcd'

interface Setting {
  readonly style?: ErrorStyle
  readonly override?: ErrorStyle
  readonly options?: RefusalOptions
  readonly accept?: string
  readonly operatorId?: string | undefined
  readonly service?: string
  readonly development?: boolean
  readonly error?: unknown
}

async function refuse(code: RefusalCode, setting: Setting = {}): Promise<RawReply> {
  const { style = 'observed', override, options, accept, service = 'ECHO.v1', development = false, error } = setting
  const operatorId = 'operatorId' in setting ? setting.operatorId : 'DEMO'
  const transaction: Transaction = {
    id,
    begun: 0,
    sessionId: session,
    isSecure: false,
    ecid,
    rid: '0',
    target: { service } as Target,
    operation: { fullName: 'ECHO_GET', errorStyle: override } as Operation,
  }
  if (operatorId !== undefined) transaction.operator = { id: operatorId } as Operator
  const answer = async (call: Call, gateway: EdgeGateway): Promise<Reply> => {
    const thrown = error ?? new Refusal(code, 'a reason for the log', options)
    return buildRefusal(asRefusal(thrown), call, transaction, gateway)
  }
  const serviceSystemStatus = development ? 'development' : 'production'
  await using edge = await openEdge({ answer, settings: { errorStyle: style, serviceSystemStatus } })
  const headers = accept === undefined ? '' : `Accept: ${accept}\r\n`
  return await sendRaw(edge.url, `GET / HTTP/1.1\r\nHost: gateway\r\nConnection: close\r\n${headers}\r\n`)
}

/** All headers but the date, in their order. */
function fields({ headers }: RawReply): string[] {
  return headers.filter(([name]) => name !== 'Date').map(([name, value]) => `${name}: ${value}`)
}

const wire = [
  `set-cookie: JSESSIONID=${session}; Path=/; HttpOnly; SameSite=Lax`,
  `x-platform-dms-ecid: ${ecid}`,
  'x-platform-dms-rid: 0',
  `ig-transaction-id: ${id}`,
]
const page = (sentence: string) =>
  `<HTML><HEAD><TITLE>RESTListeningConnector</TITLE></HEAD><BODY>${sentence}</BODY></HTML>`
const problem = (status: number, code: string, detail: string, title = STATUS_CODES[status]) =>
  JSON.stringify({ type: 'about:blank', title, status, detail, code, transactionId: id })

const unauthorized = [
  {
    title: '4.2, 4.13 a rejected token gets no reason',
    code: 'tokenRejected',
    challenge: 'Bearer realm="platform", error="invalid_token"',
  },
  {
    title: '4.3, 4.13 rejected Basic credentials get no reason',
    code: 'basicRejected',
    challenge: 'Basic realm="platform", charset="UTF-8"',
  },
] as const
for (const { title, code, challenge } of unauthorized) {
  for (const style of ['observed', 'standard'] as const) {
    test(`${title} (${style})`, async () => {
      const reply = await refuse(code, {
        style,
        development: true,
        options: { development: 'a cause', detail: 'a hint' },
      })
      assert.equal(reply.statusLine, 'HTTP/1.1 401 Unauthorized')
      assert.deepEqual(fields(reply), [
        'cache-control: no-store, must-revalidate, private',
        `www-authenticate: ${challenge}`,
        ...wire,
        'content-length: 0',
        'Connection: close',
      ])
      assert.equal(reply.text, '')
    })
  }
}

const denied = 'User Id: DEMO is not authorized for the operation ECHO_GET.'
const notFound = 'Service Version Method for ECHO.v1 was not found.'
const unknownNode = 'The node in the URL is not known. (158,505)'
const pages = [
  { title: '4.4, 4.6 a missing permission is a page of status 200', code: 'permissionDenied', sentence: denied },
  { title: '4.5, 4.6 a missing operation is a page of status 200', code: 'operationNotFound', sentence: notFound },
  {
    title: '4.9 an unknown node is a page of status 500, which ends in the number that clients look for',
    code: 'nodeUnknown',
    sentence: unknownNode,
    statusLine: 'HTTP/1.1 500 Internal Server Error',
  },
] as const
for (const { title, code, sentence, ...row } of pages) {
  test(title, async () => {
    const reply = await refuse(code, { options: { allow: ['POST'] }, accept: 'application/xml' })
    assert.equal(reply.statusLine, 'statusLine' in row ? row.statusLine : 'HTTP/1.1 200 OK')
    assert.deepEqual(fields(reply), [
      'content-type: text/html; charset=UTF-8',
      `ig-refusal: ${code}`,
      ...wire,
      `content-length: ${reply.body.length}`,
      'Connection: close',
    ])
    assert.equal(reply.text, page(sentence))
  })
}

test('4.4 without an operator the page has an empty user id', async () => {
  const reply = await refuse('permissionDenied', { operatorId: undefined })
  assert.equal(reply.text, page('User Id:  is not authorized for the operation ECHO_GET.'))
})

test('4.6 the page is one line, whatever the URL had', async () => {
  const { text } = await refuse('operationNotFound', { service: 'A\r\nB.v1' })
  assert.match(text, /^<HTML>.*for A&#13;&#10;B\.v1 was.*<\/HTML>$/)
})

test('4.6 all values in the page are escaped', async () => {
  const reply = await refuse('operationNotFound', { service: `<b a="1">'&\u0001é.v1` })
  assert.equal(
    reply.text,
    page('Service Version Method for &lt;b a=&quot;1&quot;&gt;&#39;&amp;\ufffdé.v1 was not found.'),
  )
})

const standards: readonly {
  title: string
  code: RefusalCode
  status: number
  options?: RefusalOptions
  detail: string
}[] = [
  { title: '4.7 a missing permission is 403', code: 'permissionDenied', status: 403, detail: denied },
  { title: '4.7 a missing operation is 404', code: 'operationNotFound', status: 404, detail: notFound },
  {
    title: '4.9 an unknown node is 404',
    code: 'nodeUnknown',
    status: 404,
    detail: 'The node in the URL is not known.',
  },
  {
    title: '4.7 a missing method is 405',
    code: 'operationNotFound',
    status: 405,
    detail: notFound,
    options: { allow: ['GET', 'POST'] },
  },
]
for (const { title, code, status, options, detail } of standards) {
  test(`${title} in the standard style`, async () => {
    const reply = await refuse(code, { style: 'standard', ...(options && { options }) })
    assert.equal(reply.statusLine, `HTTP/1.1 ${status} ${STATUS_CODES[status]}`)
    assert.deepEqual(fields(reply), [
      'content-type: application/problem+json',
      'vary: accept',
      ...(status === 405 ? ['allow: GET, POST'] : []),
      `ig-refusal: ${code}`,
      ...wire,
      `content-length: ${reply.body.length}`,
      'Connection: close',
    ])
    assert.equal(reply.text, problem(status, code, detail))
  })
}

const problems: readonly { title: string; code: RefusalCode; status: number; retries?: boolean }[] = [
  { title: '4.9 an unknown path', code: 'pathUnknown', status: 404 },
  { title: '4.9 a URI that no template matches', code: 'uriNotMatched', status: 404 },
  { title: '4.9 a malformed URI', code: 'uriMalformed', status: 400 },
  { title: '4.9 a URI value that does not fit', code: 'uriValueInvalid', status: 400 },
  { title: '4.9 a malformed body', code: 'bodyMalformed', status: 400 },
  { title: '4.10 a body over the limit', code: 'bodyTooLarge', status: 413 },
  { title: '4.10 a URL over the limit', code: 'uriTooLong', status: 414 },
  { title: '4.10 a header section over the limit', code: 'headersTooLarge', status: 431 },
  { title: '4.10 a body that cannot be read', code: 'contentUnsupported', status: 415 },
  { title: '4.11 a call without TLS', code: 'tlsRequired', status: 403 },
  { title: '4.11 a call beyond the rate limit', code: 'rateLimited', status: 429, retries: true },
  { title: '4.11 a call that cannot be accepted now', code: 'overloaded', status: 503, retries: true },
  { title: '4.11 a handler that failed', code: 'handlerFailed', status: 500 },
  { title: '4.11 a handler that took too long', code: 'handlerTimedOut', status: 504 },
  { title: '4.11 an error of the gateway', code: 'unexpected', status: 500 },
]
for (const { title, code, status, retries } of problems) {
  for (const style of ['observed', 'standard'] as const) {
    test(`${title} is ${status} with problem details (${style})`, async () => {
      const reply = await refuse(code, { style })
      assert.equal(reply.statusLine, `HTTP/1.1 ${status} ${STATUS_CODES[status]}`)
      assert.deepEqual(fields(reply), [
        'content-type: application/problem+json',
        'vary: accept',
        ...(retries ? ['retry-after: 1'] : []),
        `ig-refusal: ${code}`,
        ...wire,
        `content-length: ${reply.body.length}`,
        'Connection: close',
      ])
      const { detail } = JSON.parse(reply.text)
      assert.match(detail, /^[A-Z].*\.$/)
      assert.equal(reply.text, problem(status, code, detail))
      const own = await refuse(code, { style, options: { detail: 'What the caller did.' } })
      assert.equal(own.text, problem(status, code, 'What the caller did.'))
    })
  }
}

test('4.1 an operation overrides the error style of the gateway, either way', async () => {
  assert.equal((await refuse('permissionDenied', { style: 'observed', override: 'standard' })).status, 403)
  assert.equal((await refuse('permissionDenied', { style: 'standard', override: 'observed' })).status, 200)
})

const accepts = [
  { title: '4.8 XML if only XML is accepted', accept: 'text/xml', isXml: true },
  {
    title: '4.8 XML if its q is the highest',
    accept: 'application/json;q=0.5, application/xml;q=0.6, */*;q=0.1',
    isXml: true,
  },
  {
    title: '4.8 XML for a browser',
    accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    isXml: true,
  },
  { title: '4.8 XML for its own problem type', accept: 'Application/Problem+XML', isXml: true },
  { title: '4.8 JSON if XML has the same q as JSON', accept: 'application/xml, application/json', isXml: false },
  { title: '4.8 JSON if XML has the same q as */*', accept: 'application/xml, */*', isXml: false },
  {
    title: '4.8 JSON if application/* has the same q',
    accept: 'application/xml, application/*',
    isXml: false,
  },
  { title: '4.8 JSON if XML has q 0', accept: 'application/xml;q=0', isXml: false },
  { title: '4.8 JSON if q is malformed', accept: 'application/xml;q=high', isXml: false },
  { title: '4.8 JSON without Accept', accept: undefined, isXml: false },
]
for (const { title, accept, isXml } of accepts) {
  test(title, async () => {
    const reply = await refuse('uriNotMatched', {
      ...(accept !== undefined && { accept }),
      options: { detail: `"a" <b> & 'c'\u0000` },
    })
    assert.equal(reply.header('content-type'), isXml ? 'application/problem+xml' : 'application/problem+json')
    const xml =
      '<?xml version="1.0"?><problem xmlns="urn:ietf:rfc:7807"><type>about:blank</type><title>Not Found</title>' +
      '<status>404</status><detail>&quot;a&quot; &lt;b&gt; &amp; &#39;c&#39;\ufffd</detail>' +
      `<code>uriNotMatched</code><transactionId>${id}</transactionId></problem>`
    assert.equal(reply.text, isXml ? xml : problem(404, 'uriNotMatched', `"a" <b> & 'c'\u0000`))
  })
}

test('4.12 the detail of handler errors is shown in development only', async () => {
  const options = { development: 'TypeError: x is undefined\n    at Echo.onRequest' }
  const shown = JSON.parse((await refuse('handlerFailed', { options, development: true })).text)
  assert.equal(shown.development, options.development)
  assert.ok(!(await refuse('handlerFailed', { options })).text.includes('TypeError'))
  const xml = await refuse('handlerFailed', { options, development: true, accept: 'text/xml' })
  assert.ok(xml.text.includes(`<development>${options.development}</development>`))
})

test('4.11, 4.12 an error that is not a refusal is unexpected, and the caller learns nothing about it', async () => {
  for (const error of [new Error('a secret'), 'a secret', { secret: true }]) {
    const reply = await refuse('unexpected', { error, development: true })
    assert.deepEqual([reply.status, reply.header('ig-refusal')], [500, 'unexpected'])
    assert.ok(!reply.text.includes('secret') && !reply.text.includes('a reason for the log'))
  }
  const cause = new Error('a secret')
  assert.equal(asRefusal(cause).cause, cause)
})
