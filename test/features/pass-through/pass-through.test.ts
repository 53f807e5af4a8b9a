/** Operations that another server answers, over real sockets (specification 36.1 to 36.8). */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { after, before, beforeEach, suite, test } from 'node:test'
import type { TestGateway } from 'integration-gateway/testing'
import { parseConfiguration } from '../../../src/configuration/parse-configuration.ts'
import { passThrough } from '../../../src/features/pass-through/author.ts'
import { findForeignOrigins } from '../../../src/features/pass-through/foreign-origins.ts'
import type { AnsweredCall } from '../../../src/model/call-record.ts'
import type { StreamContent } from '../../../src/model/content/response-message.ts'
import { openOriginals } from '../../../src/steps/handler/upstream/originals.ts'
import { makeCertificate } from '../../support/certificate.ts'
import { send } from '../../support/client.ts'
import { collectGarbage } from '../../support/collect-garbage.ts'
import { signalled } from '../../support/edge.ts'
import { type Original, openOriginal, openRawOriginal } from '../../support/original.ts'
import { patience } from '../../support/patience.ts'
import { openRawSocket } from '../../support/raw-socket.ts'
import { oldRoot, openPassing, type Passed, rootOf } from './passing.ts'

const head = 'HTTP/1.1 200 OK\r\n'
const onRequest = (serve: (socket: Socket) => void) => (socket: Socket) => void socket.once('data', () => serve(socket))
/** Servers of their own: each has its breaker. */
const raw: Readonly<Record<string, (socket: Socket) => void>> = {
  NAMED: onRequest((socket) =>
    socket.end(
      `${head}Connection: x-named, close, ETag\r\nX-Named: 1\r\nETag: "1"\r\nKeep-Alive: timeout=9\r\nig-refusal: x\r\nAlt-Svc: h3=":443"\r\nContent-Length: 2\r\n\r\nok`,
    ),
  ),
  CLOSING: onRequest((socket) => socket.destroy()),
  MAIL: onRequest((socket) => socket.end('220 mail\r\n\r\n')),
  HALF: onRequest((socket) => socket.end(`${head}Content-Length: 10\r\n\r\nhalf`)),
  TWO_FRAMINGS: onRequest((socket) =>
    socket.end(`${head}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`),
  ),
  LONG_HEAD: onRequest((socket) => socket.write(`${head}${`X: ${'x'.repeat(1000)}\r\n`.repeat(10_000)}\r\n`)),
  CONTROL: onRequest((socket) => socket.end(`${head}X: a\x01b\r\nContent-Length: 0\r\n\r\n`)),
  SILENT: () => {},
  DEAF: (socket) => socket.pause(),
  BREAKING: onRequest((socket) =>
    socket.write(`${head}Content-Length: 1000000\r\n\r\n${'x'.repeat(100_000)}`, () => socket.destroy()),
  ),
  STATED: onRequest((socket) => stated(socket)),
}
let stated = (_socket: Socket) => {}

/** The budget of the gateway. */
const memory = 4 * 1024 ** 2

let original: Original
let gateway: TestGateway
let authorization = ''
before(async () => {
  original = await openOriginal()
  opened.push(original)
  const { url } = original
  const servers: Record<string, Passed> = {}
  for (const [name, serve] of Object.entries(raw)) {
    const server = await openRawOriginal(serve)
    opened.push(server)
    servers[name] = { url: server.url, ...(['SILENT', 'DEAF'].includes(name) && { timeout: '50ms' }) }
  }
  const secure = createTlsServer(makeCertificate(), (_request, response) => response.end('secret'))
  secure.listen(0, '127.0.0.1')
  await once(secure, 'listening')
  opened.push(secure)
  const operations: Record<string, Passed> = {
    ...servers,
    DOWN: { url: 'http://127.0.0.1:1' }, // a port that was closed could be another test's by now
    PASSED: { url },
    NARROW: { url, uriTemplates: ['known'] },
    SMALL: { url, bodyLimit: '100KiB' },
    CALLER: { url, how: { credentials: 'caller' } },
    SERVICE: { url, how: { credentials: 'service' } },
    FOREIGN: { url: `${url.replace('127.0.0.1', 'localhost')}`, how: { credentials: 'service' } },
    OPEN: { url, how: { credentials: 'caller' }, verification: 'NONE' },
    RENAMING: { url, how: { cookies: 'rename' } },
    NAMING: { url, how: { requestHeaders: ['X-Custom', 'x_custom_2'], responseHeaders: ['x-ANSWER'] } },
    ASLEEP: { url, isActive: false },
    SECURE: { url: `https://127.0.0.1:${(secure.address() as AddressInfo).port}` },
  }
  const service = {
    'ig.limits.memory': String(memory),
    'ig.passThrough.service.origin': url,
    'ig.passThrough.service.user': 'service',
    'ig.passThrough.service.password': 'word',
  }
  gateway = await openPassing(operations, service, url)
  authorization = await gateway.basicCredentials('CALLER')
})
const opened: { close(): unknown }[] = []
after(async () => {
  await gateway.close()
  for (const each of opened) each.close()
})
const passedRoot = rootOf('PASSED')
/** As CALLER. @param line `GET NARROW/x` */
const ask = (line: string, headers: Readonly<Record<string, string>> = {}) => {
  const [, method, name = '', path] = /^(\w+) (\w+)(.*)$/s.exec(line) ?? []
  return send(gateway.url, `${method} ${rootOf(name)}${path}`, { headers: { authorization, ...headers } })
}
const requestHead = (method: string, name: string) =>
  `${method} ${rootOf(name)}/x HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\n`
beforeEach(() => {
  original.requests.length = 0
  original.begin = undefined
  original.answer = (_request, response) => response.end('ok')
})

const lastAnswered = () =>
  gateway.observations.findLast((one): one is AnsweredCall => one.kind === 'answered') as AnsweredCall

suite('what is passed on', () => {
  const targets = ['', '/', '/a//b/', '/%41%2f%zz?', '?a=b&a=%20+&&', '/a;b=c:d@e!$\'()*,|"<>\\^`{}?x=/?{|}']
  for (const target of targets)
    test(`36.1 the target is appended unchanged: ${target || 'none'}`, async () => {
      const malformed = target.includes('%zz')
      const answer = await send(gateway.url, `GET ${passedRoot}${target}`, { headers: { authorization } })
      assert.equal(answer.status, malformed ? 400 : 200)
      assert.deepEqual(
        original.requests.map(({ url }) => url),
        malformed ? [] : [passedRoot + target],
      )
    })

  for (const method of ['POST', 'PUT', 'DELETE', 'GET'])
    test(`36.1 method and body are passed on: ${method}`, async () => {
      const body = Buffer.from([0, 1, 2, 0xff, 0x0d, 0x0a])
      const headers = { authorization, 'content-type': 'application/octet-stream', 'content-encoding': 'br' }
      await send(gateway.url, `${method} ${passedRoot}/x`, {
        headers: { ...headers, 'content-length': '6' },
        body,
      })
      const [seen] = original.requests
      assert.equal(seen?.method, method)
      assert.deepEqual(seen?.body, body)
      assert.equal(seen?.headers['content-encoding'], 'br')
      assert.equal(seen?.headers['content-length'], '6')
    })

  test('36.1 status, headers and body of the answer come back as they are, and are never compressed here', async () => {
    original.answer = (_request, response) => {
      response.writeHead(418, {
        'content-type': 'text/plain',
        etag: '"1"',
        'content-disposition': 'v\xe9',
        'Set-Cookie': 'a=b',
      })
      response.end('x'.repeat(5000))
    }
    const headers = { authorization, 'accept-encoding': 'gzip' }
    const answer = await send(gateway.url, `GET ${passedRoot}/x`, { headers })
    assert.equal(answer.status, 418)
    assert.equal(answer.text, 'x'.repeat(5000))
    assert.equal(answer.headers['content-length'], '5000')
    assert.equal(answer.headers.etag, '"1"')
    assert.equal(answer.headers['content-disposition'], 'v\xe9')
    assert.equal(answer.headers['content-encoding'], undefined)
    assert.ok(answer.headers['ig-transaction-id'])
    assert.match(String(answer.headers['set-cookie']), /^JSESSIONID=[^,]*$/)
  })

  test('36.1 an answer to HEAD has the length that the other server states, 304 has no body', async () => {
    original.answer = ({ method }, response) => {
      if (method === 'HEAD') response.writeHead(200, { 'content-length': '12345' })
      else response.writeHead(304, { etag: '"2"' })
      response.end()
    }
    const client = await openRawSocket(gateway.url)
    const head = `HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\n\r\n`
    client.write(`HEAD ${passedRoot}/x ${head}`)
    const headed = await client.readReply({ isHead: true })
    assert.equal(headed.header('content-length'), '12345')
    client.write(`GET ${passedRoot}/x ${head}`)
    const unchanged = await client.readReply({ isHead: true })
    assert.deepEqual([unchanged.status, unchanged.header('etag')], [304, '"2"'])
    client.destroy()
  })

  for (const status of [204, 304])
    test(`36.1 an answer without a body may state a length: ${status}`, async () => {
      const bytes = `HTTP/1.1 ${status} None\r\nContent-Length: 100000\r\nETag: "2"\r\n\r\n`
      stated = (socket) => socket.end(bytes)
      const answer = await ask('GET STATED/x')
      assert.deepEqual([answer.status, answer.headers.etag, answer.text], [status, '"2"', ''])
      assert.equal(answer.headers['content-length'], undefined)
    })

  test('36.1 with URI templates only the URLs that match are passed on', async () => {
    assert.equal((await ask('GET NARROW/known')).status, 200)
    assert.equal((await ask('GET NARROW/other')).status, 404)
    assert.equal(original.requests.length, 1)
  })

  test('36.18 a segment . or .., in any writing, is not passed on: it could reach another operation', async () => {
    const climbing = [
      '/..',
      '/../NARROW.v1/x',
      '/a/./b',
      '/a/%2E%2e',
      '/a%2f..%2fb',
      '/a/..;x=1/b',
      '/%252e%252e/b',
      '/..\\b',
    ]
    for (const path of climbing) assert.equal((await ask(`GET PASSED${path}`)).status, 404, path)
    assert.equal(original.requests.length, 0)
    for (const path of ['/a..b/...', '/.x/..y?/../']) assert.equal((await ask(`GET PASSED${path}`)).status, 200, path)
  })

  test('36.2 a call is passed on only after authentication and permission', async () => {
    const other = await gateway.basicCredentials('OTHER')
    const calls: readonly Readonly<Record<string, string>>[] = [
      {},
      { authorization: 'Basic eDp5' },
      { authorization: other },
    ]
    const statuses: number[] = []
    for (const headers of calls) statuses.push((await send(gateway.url, `GET ${passedRoot}/x`, { headers })).status)
    assert.deepEqual(statuses, [401, 401, 200])
    assert.equal(original.requests.length, 0)
  })
})

suite('what a node passes on', () => {
  const call = (line: string, headers: Readonly<Record<string, string>> = { authorization }) => {
    const [method, path] = line.split(' ')
    return send(gateway.url, `${method} ${oldRoot}${path}`, { headers })
  }
  const seen = () => original.requests.map(({ method, url }) => `${method} ${url.replace(oldRoot, '')}`)

  test('36.19 operations that the gateway does not have are passed on, by the rules of one that is', async () => {
    const lines = [
      'GET /PAY.v1/a//%41?b=%20',
      'PUT /Pay-roll_2.v12',
      'HEAD /PAY.v1',
      'PATCH /PAY.v1/',
      'GET /PASSED.v2/',
    ]
    for (const line of lines) assert.equal((await call(line)).status, 200, line)
    assert.deepEqual(seen(), lines)
    const [first] = original.requests
    assert.equal(first?.headers.authorization, undefined)
    assert.equal(first?.headers['x-forwarded-for'], '127.0.0.1')
    assert.equal(lastAnswered().transaction.operation?.id, 'OLD_NODE_GET.upstream')
    assert.equal((await call('GET /PAY.v1/../JOB.v1')).headers['ig-refusal'], 'uriNotMatched')
    const long = { authorization, 'content-length': String(200 * 1024) }
    const refused = await send(gateway.url, `POST ${oldRoot}/PAY.v1`, { headers: long, body: Buffer.alloc(200 * 1024) })
    assert.equal(refused.headers['ig-refusal'], 'bodyTooLarge')
    assert.equal(original.requests.length, lines.length)
  })

  test('36.19 its verification and its permission lists apply, and a refusal names the operation of the URL', async () => {
    assert.equal((await call('GET /PAY.v1/', {})).status, 401)
    const denied = await call('GET /PAY.v1/', { authorization: await gateway.basicCredentials('OTHER') })
    assert.equal(denied.headers['ig-refusal'], 'permissionDenied')
    assert.match(denied.text, /OTHER is not authorized for .*PAY_GET/)
    assert.deepEqual(seen(), [])
  })

  const kept = [
    { line: 'GET /ASLEEP.v1/', title: 'an operation that is not active' },
    { line: 'GET /passed.v1/', title: 'an operation of the gateway in another letter case' },
    { line: 'HEAD /passed.V1/', title: 'the same with its version' },
    { line: 'GET /PASSED%2ev1;a=b/', title: 'a name with a parameter' },
    { line: 'GET /PASSED.v01/', title: 'a version with a zero' },
    { line: 'GET /PAY%2f..%2fPASSED.v1', title: 'a name with a separator' },
    { line: 'GET //PAY.v1/', title: 'an empty name' },
    { line: 'GET /PAY/', title: 'a name without a version' },
    { line: 'TRACE /PAY.v1/', title: 'a method that no operation has' },
    { line: 'OPTIONS /PAY.v1/', title: 'OPTIONS' },
  ]
  for (const { line, title } of kept)
    test(`36.20 not passed on: ${title}`, async () => {
      const refusal = String((await call(line)).headers['ig-refusal'])
      assert.match(refusal, /^(?:operationNotFound|pathUnknown|uriMalformed)$/)
      assert.deepEqual(seen(), [])
    })

  test('36.20 a node without upstream passes nothing on, and operations of the gateway are its own on every node', async () => {
    assert.equal((await ask('GET PAY/x')).headers['ig-refusal'], 'operationNotFound')
    await call('GET /PASSED.v1/x')
    assert.equal(lastAnswered().transaction.operation?.id, 'PASSED_GET.v1')
  })
})

suite('headers', () => {
  /** A call with these lines. @returns what the other server gets, without what differs in each call */
  const pass = async (name: string, lines: readonly string[]) => {
    const client = await openRawSocket(gateway.url)
    const head = [`GET ${rootOf(name)}/x HTTP/1.1`, 'Host: public.example', `Authorization: ${authorization}`, ...lines]
    client.write(`${head.join('\r\n')}\r\n\r\n`)
    const reply = await client.readReply()
    client.destroy()
    const { 'ig-transaction-id': id, traceparent, ...rest } = original.requests[0]?.headers ?? {}
    assert.match(String(id), /^[\da-f-]{36}$/)
    assert.match(String(traceparent), /^00-/)
    original.requests.length = 0
    return { reply, rest }
  }
  const always = () => ({
    host: new URL(original.url).host,
    connection: 'keep-alive',
    'x-forwarded-for': '127.0.0.1',
    'x-forwarded-proto': 'http',
    'x-forwarded-host': 'public.example',
    forwarded: 'for=127.0.0.1;proto=http;host="public.example"',
  })
  const usual = [
    ...[
      'Content-Language: de',
      'Content-MD5: x',
      'Accept: text/xml',
      'ACCEPT-Language: de',
      'If-Match: "1"',
      'if-range: "1"',
    ],
    ...[
      'Range: bytes=0-1',
      'User-Agent: x',
      'SOAPAction: "x"',
      'Idempotency-Key: k',
      'LanguageCd: GER',
      'X-Requested-With: x',
    ],
  ]
  const unusual = [
    ...[
      'WL-Proxy-Client-Cert: x',
      'REMOTE_USER: ADMIN',
      'OAM_REMOTE_USER: ADMIN',
      'SM_USER: ADMIN',
      'X-SSL-Client-Verify: SUCCESS',
    ],
    ...[
      'X-Real-IP: 6.6.6.6',
      'X-HTTP-Method-Override: DELETE',
      'X-Original-URL: /x',
      'Proxy: http://evil',
      'X-Any: 1',
      'Origin: null',
    ],
    ...[
      'Accept_Language: de',
      'Content_Type: text/xml',
      'content-_type: x',
      'If_None_Match: "1"',
      'Acceptance: x',
      'X-Range: x',
      'Cache-Control: x',
    ],
    ...['Client-Cert: :AA==:', 'From: a@b.example', 'Referer: https://a.example', 'Sec-Fetch-Site: none'],
  ]
  const gateways = [
    ...[
      'Keep-Alive: timeout=9',
      'TE: trailers',
      'Upgrade: h2c',
      'Proxy-Authorization: Basic eDp5',
      'Expect: x',
      'Date: x',
    ],
    ...[
      'Forwarded: for=evil',
      'X-Forwarded-For: 6.6.6.6',
      'X_Forwarded_For: 6.6.6.6',
      'X-Forwarded-Port: 1',
      'ig-operator: ADMIN',
      'ig_operator: ADMIN',
    ],
    ...['Traceparent: 00-1', 'Via: 1.1 evil', 'PS-Token: x', 'PS_TOKEN: x', 'Cookie: a=b'],
  ]
  const nameOf = (line: string) => line.split(':')[0]?.toLowerCase() ?? ''
  const told = (from = 0) =>
    gateway.observations
      .slice(from)
      .flatMap((one) =>
        one.kind === 'event' && one.name === 'headerLeftOut' ? [/: (\S+ \S+)\. /.exec(one.message ?? '')?.[1]] : [],
      )

  test('36.4 the usual headers of a request are sent, in any letter case, and no others', async () => {
    const { reply, rest } = await pass('PASSED', [
      'X-Named: 1',
      'Connection: keep-alive, X-Named, Keep-Alive',
      ...usual,
      ...unusual,
      ...gateways,
    ])
    assert.equal(reply.status, 200)
    const expected = Object.fromEntries(usual.map((line) => [nameOf(line), line.split(': ')[1]]))
    assert.deepEqual(rest, { ...always(), ...expected })
  })

  test('36.4 a usual header that Connection names is of the connection, and is not sent', async () => {
    const { rest } = await pass('PASSED', [
      'Connection: keep-alive, Accept',
      'Connection: If-Match',
      'Accept: x',
      'If-Match: "1"',
    ])
    assert.deepEqual(rest, always())
  })

  test('36.4 headers of a request that come twice are sent as one, in their order', async () => {
    const { rest } = await pass('PASSED', ['Accept: a', 'accept: b', 'If-None-Match: "1"', 'If-None-Match: "2"'])
    assert.deepEqual([rest.accept, rest['if-none-match']], ['a, b', '"1", "2"'])
  })

  test('36.4 the operation names further headers of both directions, exactly', async () => {
    original.answer = (_request, response) => {
      response.writeHead(200, { 'X-Answer': ['1', '2'], 'X-Other': '1' })
      response.end('ok')
    }
    const { reply, rest } = await pass('NAMING', ['x-custom: 1', 'X_Custom_2: 2', 'X_Custom: 3', 'X-Custom-2: 4'])
    assert.deepEqual(rest, { ...always(), 'x-custom': '1', x_custom_2: '2' })
    assert.deepEqual([reply.header('x-answer'), reply.header('x-other')], ['1, 2', undefined])
  })

  test('36.4 the usual headers of an answer are returned, and no others', async () => {
    const returned = {
      ...{
        'cache-control': 'no-cache',
        expires: '0',
        etag: '"1"',
        'last-modified': 'x',
        'accept-ranges': 'bytes',
        vary: 'x',
      },
      ...{
        location: '/x',
        'retry-after': '1',
        allow: 'GET',
        link: '<x>',
        'www-authenticate': 'Basic',
        deprecation: '@1',
        sunset: 'x',
      },
      ...{ 'content-language': 'de', 'content-disposition': 'inline', 'content-security-policy': "default-src 'none'" },
    }
    const left = {
      ...{
        'strict-transport-security': 'max-age=9',
        'x-accel-redirect': '/x',
        'clear-site-data': '"*"',
        'alt-svc': 'h3=":443"',
      },
      ...{
        'access-control-allow-origin': '*',
        server: 'x',
        'x-powered-by': 'x',
        refresh: '0',
        'ig-revision': '9',
        cache_control: 'x',
      },
    }
    original.answer = (_request, response) => response.writeHead(200, { ...returned, ...left }).end('ok')
    const { reply } = await pass('PASSED', [])
    for (const [name, value] of Object.entries(returned)) assert.equal(reply.header(name), value, name)
    for (const name of Object.keys(left)) assert.equal(reply.header(name), undefined, name)
  })

  test('36.4 hop-by-hop headers of the answer, and those that its Connection names, are removed', async () => {
    const reply = await ask('GET NAMED/x')
    assert.equal(reply.text, 'ok')
    for (const name of ['x-named', 'ig-refusal', 'alt-svc', 'etag']) assert.equal(reply.headers[name], undefined, name)
    assert.doesNotMatch(String(reply.headers.connection), /x-named|close/)
  })

  test('36.4, 40.6 a header that is left out is logged once by its name, without its value, and stored for the report', async () => {
    const from = gateway.observations.length
    original.answer = (_request, response) => response.writeHead(200, { 'X-Left': 'secret-value' }).end('ok')
    for (const operation of ['NARROW', 'NARROW', 'NAMING'])
      await ask(`GET ${operation}/known`, { 'X-Told': 'secret-value', 'x-forwarded-host': 'x', te: 'trailers' })
    assert.deepEqual(told(from), ['request x-told', 'response x-left', 'request x-told', 'response x-left'])
    assert.doesNotMatch(
      JSON.stringify(gateway.observations.slice(from).filter(({ kind }) => kind === 'event')),
      /secret-value/,
    )
  })

  test('36.4 invented names of request headers hide no name of the responses or of another operation', async () => {
    const from = gateway.observations.length
    original.answer = (_request, response) => response.writeHead(200, { 'X-Late': '1' }).end('ok')
    const invent = (at: number) => Array.from({ length: 50 }, (_, each) => [`x-invented-${at * 50 + each}`, '1'])
    for (const at of [0, 1, 2, 3]) await ask('GET SERVICE/x', Object.fromEntries(invent(at)))
    await ask('GET CALLER/x', { 'x-late': '1' })
    const names = told(from)
    assert.equal(names.filter((name) => name?.startsWith('request x-invented-')).length, 100)
    assert.deepEqual(
      names.filter((name) => name?.endsWith(' x-late')),
      ['response x-late', 'request x-late', 'response x-late'],
    )
    const further = gateway.observations.filter(
      (one) => one.kind === 'event' && one.message?.endsWith('further names are not logged.'),
    )
    assert.equal(further.length, 1)
  })

  const secrets = { ps_token: 'stolen', cookie: 'PS_TOKEN=stolen; a=b', 'x-api-key': 'stolen' }
  const modes = [
    { name: 'PASSED', credentials: 'none', expected: (): object => ({}) },
    { name: 'CALLER', credentials: 'caller', expected: () => ({ authorization }) },
    { name: 'SERVICE', credentials: 'service', expected: () => ({ authorization: 'Basic c2VydmljZTp3b3Jk' }) },
  ]
  for (const { name, credentials, expected } of modes)
    test(`36.5 credentials: ${credentials}: nothing that no verification has checked is sent`, async () => {
      await ask(`GET ${name}/x`, secrets)
      const { headers } = original.requests[0] ?? { headers: {} }
      const sent = Object.entries(headers).filter(([key]) => ['authorization', ...Object.keys(secrets)].includes(key))
      assert.deepEqual(Object.fromEntries(sent), expected())
    })

  test('36.5 service credentials go to their own origin only', async () => {
    const answer = await ask('GET FOREIGN/x')
    assert.deepEqual([answer.status, answer.headers['ig-refusal']], [502, 'upstreamFailed'])
    assert.match(
      lastAnswered().refusal?.message ?? '',
      /ig\.passThrough\.service\.origin is http:\/\/127.*, not http:\/\/localhost/,
    )
    assert.equal(original.requests.length, 0)
  })

  test('36.5 a call without credentials passes none on', async () => {
    await send(gateway.url, `GET ${rootOf('OPEN')}/x`)
    await ask('GET OPEN/x')
    assert.deepEqual(
      original.requests.map(({ headers }) => headers.authorization),
      [undefined, authorization],
    )
  })

  test('36.5 cookies of the other server are dropped, or kept by the client under names of their own', async () => {
    original.answer = (_request, response) => {
      response.setHeader('set-cookie', ['JSESSIONID=theirs; Path=/; Domain=original.example; Secure', 'PS_TOKEN=x'])
      response.end()
    }
    const forged = ['PS_TOKEN=x', ' PS_TOKEN=x', '\tPS_TOKEN=x', 'a=b, PS_TOKEN=x', 'a="b" PS_TOKEN=x']
    const cookie = ['JSESSIONID=ours', 'ORIGINAL_JSESSIONID=theirs', ...forged.map((pair) => `ORIGINAL_${pair}`)].join(
      '; ',
    )
    await ask('GET PASSED/x', { cookie })
    const answer = await ask('GET RENAMING/x', { cookie })
    assert.deepEqual(
      original.requests.map(({ headers }) => headers.cookie),
      [undefined, 'JSESSIONID=theirs'],
    )
    const set = answer.rawHeaders.filter((_, index, all) => all[index - 1]?.toLowerCase() === 'set-cookie')
    assert.equal(set[0], 'ORIGINAL_JSESSIONID=theirs; Path=/; Secure')
    assert.equal(set.length, 2)
  })
})

suite('bodies', () => {
  test('36.6 a body is passed on while it arrives, and an answer while it comes', async () => {
    const arrived = signalled<Buffer>()
    const goOn = signalled()
    original.begin = async (request, response) => {
      request.once('data', (piece: Buffer) => arrived.resolve(piece))
      await goOn.promise
      response.write('first')
      request.resume().on('end', () => response.end(' last'))
    }
    const client = await openRawSocket(gateway.url)
    client.write(
      `POST ${passedRoot}/x HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\nTransfer-Encoding: chunked\r\n\r\n` +
        '5\r\nabcde\r\n',
    )
    assert.equal(String(await arrived.promise), 'abcde') // the client has sent no end yet
    const begun = once(client.socket, 'data') as Promise<[Buffer]>
    goOn.resolve()
    assert.match(String((await begun)[0]), /^HTTP\/1\.1 200 /)
    client.write('0\r\n\r\n')
    assert.match((await client.readReply()).text, /^5\r\nfirst\r\n5\r\n last\r\n0\r\n/)
    client.destroy()
  })

  test('36.6 a body over the limit of the operation is refused, and the other server gets no whole one', async () => {
    const client = await openRawSocket(gateway.url)
    client.write(
      `${requestHead('POST', 'SMALL')}Transfer-Encoding: chunked\r\n\r\n` +
        `20000\r\n${'x'.repeat(0x20000)}\r\n0\r\n\r\n`,
    )
    assert.equal((await client.readReply()).status, 413)
    assert.equal(original.requests.length, 0)
    client.destroy()
  })

  test('36.6 long bodies pass whole, and the memory of each piece is given back while they do', async () => {
    original.begin = (request, response) => void request.pipe(response)
    const originals = openOriginals({ maxHeaderBytes: 32 * 1024 })
    const pieceBytes = 60_000
    const count = 200
    const sent: Buffer[] = []
    const digest = createHash('sha256')
    async function* pieces() {
      for (let each = 0; each < count; each += 1) {
        const piece = Buffer.alloc(pieceBytes, each)
        sent.push(piece)
        digest.update(piece)
        yield piece
      }
    }
    const request = { origin: original.url, method: 'POST', path: '/x', headers: [], body: pieces() }
    const { content } = await originals.send(request, AbortSignal.timeout(patience))
    const received = createHash('sha256')
    const memories: ArrayBufferLike[] = []
    for await (const piece of (content as StreamContent).source as AsyncIterable<Buffer>) {
      received.update(piece)
      if (memories.at(-1) !== piece.buffer) memories.push(piece.buffer)
    }
    await originals.close()
    assert.equal(received.digest('hex'), digest.digest('hex'))
    assert.ok(sent.slice(0, count - 3).every(({ length }) => length === 0)) // the socket may hold 64 KiB
    assert.ok(memories.filter(({ byteLength }) => byteLength > Buffer.poolSize / 2).length <= 2)
  })

  test('36.6 a client that leaves ends the call of the other server', async () => {
    const began = signalled<ServerResponse>()
    original.begin = (_request, response) => began.resolve(response)
    const client = await openRawSocket(gateway.url)
    client.write(`GET ${passedRoot}/x HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\n\r\n`)
    const response = await began.promise
    client.destroy()
    await once(response, 'close')
    assert.equal(response.writableEnded, false)
  })

  test('36.6 an endless answer waits for its client, and ends with it', async () => {
    const began = signalled<ServerResponse>()
    original.begin = (_request, response) => {
      const block = Buffer.alloc(64 * 1024)
      const write = () => {
        while (!response.destroyed && response.write(block));
      }
      response.on('drain', write)
      write()
      began.resolve(response)
    }
    const client = await openRawSocket(gateway.url)
    client.socket.pause()
    client.write(`GET ${passedRoot}/x HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\n\r\n`)
    const response = await began.promise
    client.destroy()
    await once(response, 'close')
    const { streamed } = lastAnswered()
    assert.ok(streamed === undefined || streamed.isWhole === false)
  })
})

suite('memory', () => {
  /** Of a body that passes. */
  const passingBytes = 320 * 1024
  const endTurn = () => new Promise(setImmediate)
  const until = async (isMet: () => boolean) => {
    while (!isMet()) await endTurn()
  }
  const measureBuffers = () => {
    collectGarbage()
    return process.memoryUsage().arrayBuffers
  }

  test('36.6 answers that no client reads stay within the memory that they reserve; without room for one it is overloaded', async () => {
    const block = Buffer.alloc(64 * 1024)
    const responses: ServerResponse[] = []
    original.begin = (_request, response) => {
      const write = () => {
        while (!response.destroyed && response.write(block));
      }
      responses.push(response.on('drain', write))
      write()
    }
    const bytesWritten = () => responses.reduce((sum, { socket }) => sum + (socket?.bytesWritten ?? 0), 0)
    const open = () => {
      const client = connect(Number(new URL(gateway.url).port), '127.0.0.1').pause()
      client.write(`${requestHead('GET', 'PASSED')}\r\n`)
      return client
    }
    const before = measureBuffers()
    const fitting = Math.floor(memory / passingBytes)
    const clients = Array.from({ length: fitting }, open)
    await until(() => responses.length === fitting)
    let grown = Number.POSITIVE_INFINITY
    for (
      let last = -1, looks = 0;
      last < bytesWritten() || (grown > fitting * passingBytes && looks < 20);
      looks += 1
    ) {
      last = bytesWritten()
      for (let turn = 0; turn < 100; turn += 1) await endTurn()
      grown = measureBuffers() - before
    }
    const { headers, status } = await ask('GET PASSED/x')
    for (const client of clients) client.destroy()
    await until(() => responses.every(({ destroyed }) => destroyed))
    assert.ok(grown <= fitting * passingBytes, `${grown} bytes for ${fitting} answers`)
    assert.deepEqual([status, headers['ig-refusal']], [503, 'overloaded'])
    original.begin = undefined
    assert.equal((await ask('GET PASSED/x')).status, 200)
  })
})

suite('a bad server', () => {
  const broken = [
    { name: 'CLOSING', title: 'closes the connection', reason: /reset|closed/ },
    { name: 'MAIL', title: 'is no HTTP server', reason: /not valid HTTP/ },
    { name: 'HALF', title: 'answers half', reason: /closed the connection before its answer was complete/ },
    { name: 'TWO_FRAMINGS', title: 'states two framings', reason: /not valid HTTP|another number of bytes/ },
    { name: 'LONG_HEAD', title: 'sends 10 MB of headers', reason: /more headers than ig\.limits\.headers/ },
    { name: 'CONTROL', title: 'has a control character in a header', reason: /not valid HTTP/ },
    { name: 'SECURE', title: 'has a bad certificate', reason: /certificate that is not accepted/ },
  ]
  for (const { name, title, reason } of broken)
    test(`36.7 one that ${title} is refused with upstreamFailed, and the log says why`, async () => {
      const answer = await ask(`GET ${name}/x`)
      assert.deepEqual([answer.status, answer.headers['ig-refusal']], [502, 'upstreamFailed'])
      assert.doesNotMatch(answer.text, /127\.0\.0\.1/)
      assert.match(lastAnswered().refusal?.message ?? '', reason)
    })

  test('36.7 one that is down is refused, and after five failures it is not asked for some seconds', async () => {
    for (let count = 0; count < 5; count++) assert.equal((await ask('GET DOWN/x')).status, 502)
    assert.match(lastAnswered().refusal?.message ?? '', /refuses connections \(ECONNREFUSED\)/)
    const open = await ask('GET DOWN/x')
    assert.deepEqual([open.status, open.headers['ig-refusal'], open.headers['retry-after']], [503, 'overloaded', '5'])
    assert.match(lastAnswered().refusal?.message ?? '', /failed several times in a row/)
  })

  test('36.7 one that is slow is refused with upstreamTimedOut after the time limit of the operation', async () => {
    const answer = await ask('GET SILENT/x')
    assert.deepEqual([answer.status, answer.headers['ig-refusal']], [504, 'upstreamTimedOut'])
  })

  test('36.7 one that takes nothing of a body is refused with upstreamTimedOut', async () => {
    const client = await openRawSocket(gateway.url)
    client.write(`${requestHead('POST', 'DEAF')}Content-Length: 100000000\r\n\r\n`)
    client.write(Buffer.alloc(100_000_000)) // more than the system keeps for two connections
    assert.equal((await client.readReply()).status, 504)
    client.destroy()
  })

  test('36.7 an answer that breaks off while it is sent is cut off for the client too', async () => {
    const client = await openRawSocket(gateway.url)
    client.write(`${requestHead('GET', 'BREAKING')}\r\n`)
    await assert.rejects(client.readReply())
    assert.match(lastAnswered().refusal?.message ?? '', /closed the connection before its answer was complete/)
  })

  test('36.7 a redirect is not followed: the client gets it, and the log has a warning', async () => {
    original.answer = (_request, response) => response.writeHead(302, { location: `${original.url}/signin` }).end()
    const answer = await send(gateway.url, `GET ${passedRoot}/x`, { headers: { authorization } })
    assert.deepEqual([answer.status, answer.headers.location], [302, `${original.url}/signin`])
    assert.equal(original.requests.length, 1)
    const note = gateway.observations.findLast((one) => one.kind === 'note')
    assert.match(note?.message ?? '', /redirects to/)
  })
})

suite('what is not kept', () => {
  test('36.8 nothing is repeated, cached or kept: each call is one request, with its Idempotency-Key', async () => {
    const headers = { authorization, 'idempotency-key': 'k1' }
    original.answer = (_request, response) => response.writeHead(503).end()
    for (let count = 0; count < 2; count++) {
      await send(gateway.url, `POST ${passedRoot}/x`, { headers, body: 'a' })
      await send(gateway.url, `GET ${passedRoot}/x`, { headers: { authorization } })
    }
    assert.deepEqual(
      original.requests.map(({ method, headers }) => [method, headers['idempotency-key']]),
      [
        ['POST', 'k1'],
        ['GET', undefined],
        ['POST', 'k1'],
        ['GET', undefined],
      ],
    )
    original.answer = (_request, response) => response.end()
    await send(gateway.url, `GET ${passedRoot}/x`, { headers: { authorization } }) // the next tests find it working
  })
})

suite('a second parser', () => {
  const line = (rest = '') => `POST ${passedRoot}/x HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\n${rest}`
  const inner = `GET /evil HTTP/1.1\r\nHost: evil\r\n\r\n`
  const attacks = [
    {
      title: 'two framings',
      bytes: () => line(`Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${inner}`),
    },
    { title: 'two lengths', bytes: () => line(`Content-Length: 0\r\nContent-Length: ${inner.length}\r\n\r\n${inner}`) },
    { title: 'an unknown coding', bytes: () => line(`Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${inner}`) },
    {
      title: 'a coding behind a tab',
      bytes: () => line(`Transfer-Encoding:\tchunked\r\nContent-Length: 3\r\n\r\n${inner}`),
    },
    {
      title: 'a bare line feed in a header',
      bytes: () => line(`X: a\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${inner}`),
    },
    { title: 'a bare carriage return in a header', bytes: () => line(`X: a\rContent-Length: 0\r\n\r\n${inner}`) },
    { title: 'a folded header', bytes: () => line(`X: a\r\n Content-Length: 5\r\n\r\n${inner}`) },
    { title: 'a space before the colon', bytes: () => line(`Content-Length : 5\r\n\r\n${inner}`) },
    { title: 'a negative length', bytes: () => line(`Content-Length: -1\r\n\r\n${inner}`) },
    {
      title: 'a chunk extension with a line feed',
      bytes: () => line(`Transfer-Encoding: chunked\r\n\r\n1;a\nb\r\nx\r\n0\r\n\r\n${inner}`),
    },
    {
      title: 'trailers that look like headers',
      bytes: () =>
        line(`Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\nContent-Length: 50\r\nig-operator: A\r\n\r\n`),
    },
    {
      title: 'Connection that names the framing',
      bytes: () => line(`Connection: content-length, host\r\nContent-Length: ${inner.length}\r\n\r\n${inner}`),
    },
    { title: 'a request as a body', bytes: () => line(`Content-Length: ${inner.length}\r\n\r\n${inner}`) },
    {
      title: 'an encoded line break in the target',
      bytes: () => `GET ${passedRoot}/x%0d%0aX:1 HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\n\r\n`,
    },
  ]
  for (const { title, bytes } of attacks)
    test(`36.4 the other server reads exactly the requests that were accepted: ${title}`, async () => {
      const before = gateway.observations.length
      const client = await openRawSocket(gateway.url)
      client.write(bytes())
      client.end()
      await client.closed
      const accepted = gateway.observations
        .slice(before)
        .filter((one): one is AnsweredCall => one.kind === 'answered' && one.refusal === undefined)
      assert.deepEqual(
        original.requests.map(({ method, url }) => `${method} ${url}`),
        accepted.map(({ call }) => `${call.method} ${call.target}`),
      )
      assert.ok(
        original.requests.every(({ url, headers }) => url.startsWith(passedRoot) && !('ig-operator' in headers)),
      )
      assert.ok(original.requests.length <= 1)
    })
})

suite('configuration', () => {
  const definition = (handler: unknown, more: object = {}, node: object = {}) => ({
    nodes: [{ name: 'LOCAL_NODE', isDefaultLocal: true, ...node }],
    permissionLists: [{ name: 'ALL' }],
    services: [{ name: 'S' }],
    operations: [{ service: 'S', name: 'PASSED', method: 'GET', verification: 'Basic', handler, ...more }],
  })
  const problemsOf = (handler: unknown, more?: object, node?: object) => {
    const parsed = parseConfiguration(definition(handler, more, node))
    return 'problems' in parsed ? parsed.problems.map(({ path, message }) => `${path} ${message}`) : []
  }
  const place = 'operations[0].handler'
  const cases: readonly { handler: unknown; more?: object; expected: RegExp | undefined }[] = [
    { handler: passThrough('https://original.example/base/'), expected: undefined },
    { handler: passThrough('http://localhost:8000'), expected: undefined },
    { handler: passThrough('http://[::1]:8000'), expected: undefined },
    { handler: passThrough('http://original.example'), expected: /handler\.passThrough must be an https URL/ },
    { handler: passThrough('ftp://localhost'), expected: /handler\.passThrough must be an https URL/ },
    { handler: passThrough('original'), expected: /handler\.passThrough must be an https URL/ },
    { handler: passThrough('https://u:p@original.example'), expected: /handler\.passThrough must have no user/ },
    { handler: passThrough('https://original.example?a'), expected: /handler\.passThrough must have no query/ },
    {
      handler: { passThrough: 'https://a.example', credential: 'none' },
      expected: /handler\.credential is not a known field; did you mean credentials/,
    },
    {
      handler: { passThrough: 'https://a.example', credentials: 'all' },
      expected: /handler\.credentials must be one of none, caller, service/,
    },
    { handler: 5, expected: /handler must be a string, not 5/ },
    {
      handler: passThrough('https://a.example', { credentials: 'service' }),
      more: { verification: 'NONE' },
      expected: /must not be service with NONE/,
    },
    {
      handler: passThrough('https://a.example', { requestHeaders: ['X-Custom'], responseHeaders: ['Server'] }),
      expected: undefined,
    },
    ...[
      'Host',
      'connection',
      'Transfer-Encoding',
      'TE',
      'content-length',
      'X-Forwarded-For',
      'x_forwarded_for',
      'Forwarded',
    ].map((name) => ({
      handler: passThrough('https://a.example', { requestHeaders: [name] }),
      expected: /requestHeaders\[0\] is a header that the gateway writes itself, or one of the connection/,
    })),
    ...['Authorization', 'Cookie', 'Set-Cookie', 'PS_TOKEN', 'ig-refusal', 'Proxy-Authenticate'].map((name) => ({
      handler: passThrough('https://a.example', { responseHeaders: [name] }),
      expected: /responseHeaders\[0\] is a header that the gateway writes itself, or one of the connection/,
    })),
    {
      handler: passThrough('https://a.example', { requestHeaders: ['a b'] }),
      expected: /requestHeaders\[0\] must be the name of a header/,
    },
    {
      handler: passThrough('https://a.example'),
      more: { idempotency: 'required' },
      expected: /idempotency has no effect with passThrough/,
    },
  ]
  for (const { handler, more, expected } of cases)
    test(`36.3 ${JSON.stringify({ handler, ...more })} is ${expected ? 'refused' : 'accepted'}`, () => {
      const problems = problemsOf(handler, more)
      assert.equal(problems.length, expected ? 1 : 0, problems.join('\n'))
      if (expected) assert.match(problems[0] ?? '', expected)
    })

  const upstreams: readonly { upstream: object; expected: RegExp | undefined }[] = [
    { upstream: {}, expected: undefined },
    { upstream: { verification: '' }, expected: /upstream\.verification must be one of NONE/ },
    { upstream: { permissionLists: [] }, expected: /upstream\.permissionLists must name at least one/ },
    {
      upstream: { permissionLists: ['AL'] },
      expected: /permissionLists\[0\] names no permission list .*did you mean ALL/,
    },
    { upstream: { passThrough: 'http://original.example' }, expected: /upstream\.passThrough must be an https URL/ },
    { upstream: { credentials: 'service', verification: 'NONE' }, expected: /must not be service with NONE/ },
    { upstream: { shadow: 'handlers/a.ts' }, expected: /upstream\.shadow is not a known field/ },
  ]
  const whole = { passThrough: 'https://a.example', verification: 'Basic', permissionLists: ['ALL'] }
  for (const { upstream, expected } of upstreams)
    test(`36.19 the upstream of a node, with ${JSON.stringify(upstream)}, is ${expected ? 'refused' : 'accepted'}`, () => {
      const problems = problemsOf('handlers/a.ts', {}, { upstream: { ...whole, ...upstream } })
      assert.equal(problems.length, expected ? 1 : 0, problems.join('\n'))
      if (expected) assert.match(problems[0] ?? '', expected)
    })

  test('36.3 a draft may name only origins of the active configuration and of ig.passThrough.origins', () => {
    const read = (handler: unknown, node?: object) => {
      const parsed = parseConfiguration(definition(handler, {}, node))
      assert('configuration' in parsed)
      return parsed.configuration
    }
    const draft = read(passThrough('https://evil.example/x'))
    const paths = (allowed: readonly string[], active: unknown) =>
      findForeignOrigins(draft, allowed, read(active)).map(({ path }) => path)
    assert.deepEqual(paths([], 'handlers/a.ts'), [`${place}.passThrough`])
    assert.deepEqual(paths(['https://evil.example'], 'handlers/a.ts'), [])
    assert.deepEqual(paths([], passThrough('https://evil.example/y')), [])
    const upstream = { passThrough: 'https://evil.example', verification: 'Basic', permissionLists: ['ALL'] }
    const node = read('handlers/a.ts', { upstream })
    assert.deepEqual(
      findForeignOrigins(node, [], read('handlers/a.ts')).map(({ path }) => path),
      ['nodes[0].upstream.passThrough'],
    )
    assert.deepEqual(findForeignOrigins(draft, [], node), [])
  })
})
