/** What only the compatibility settings accept (specification 33), over real sockets. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Handler, HandlerContext, RequestMessage } from 'integration-gateway'
import type { Operator } from '../../src/model/operator.ts'
import { OperatorsOfAnyCase } from '../../src/verification/basic/operator-case.ts'
import { basic } from '../support/client.ts'
import { findDatabase } from '../support/databases.ts'
import { openReference, root, type WireGateway } from '../support/gateway.ts'
import { openRawSocket, sendRaw } from '../support/raw-socket.ts'

const keys = { segments: 'ig.compat.emptySegments', suffix: 'ig.compat.sessionSuffix' }
class ReadsQuery implements Handler {
  onRequest(request: RequestMessage, context: HandlerContext) {
    const response = context.broker.createMessage(request.operationName, 'response')
    response.setJson({ ...request.getUriDocument(), query: Object.fromEntries(request.getQuery()) })
    return response
  }
}
let off: WireGateway
let segments: WireGateway
let suffix: WireGateway
let lenient: WireGateway
before(async () => {
  const database = findDatabase('SQLite')
  off = await openReference({ database })
  segments = await openReference({ database, properties: { [keys.segments]: 'true' } })
  suffix = await openReference({ database, properties: { [keys.suffix]: 'true' } })
  lenient = await openReference({
    database,
    properties: { 'ig.compat.rawUrlBytes': 'true', 'ig.compat.operatorCase': 'true' },
    handlers: { 'query.ts': ReadsQuery },
    configure: (configuration) => ({
      ...configuration,
      operations: configuration.operations.map((each) =>
        each.name === 'ECHO' ? { ...each, handler: 'query.ts' } : each,
      ),
    }),
  })
})
after(async () => {
  for (const gateway of [off, segments, suffix, lenient]) await gateway?.close()
})

async function get(gateway: WireGateway, path: string, operator?: string) {
  const credentials = operator ? `Authorization: ${basic(operator).authorization}\r\n` : ''
  const head = `GET ${root}${path} HTTP/1.1\r\nHost: a\r\n${credentials}Connection: close\r\n\r\n`
  const { status, text } = await sendRaw(gateway.url, Buffer.from(head, 'latin1'))
  return { status, text: text.replace(/"transactionId":"[^"]*"/, '') }
}

const same = async (gateway: WireGateway, path: string, plain: string) => {
  const expected = await get(gateway, plain)
  assert.equal(expected.status, 200, expected.text)
  assert.deepEqual(await get(gateway, path), expected, path)
}
const asOff = async (gateway: WireGateway, path: string) =>
  assert.deepEqual(await get(gateway, path), await get(off, path), path)

test('33.1 without the settings such URLs are refused, or read as data', async () => {
  assert.equal((await get(off, '//ECHO.v1/echo/x')).status, (await get(off, '/')).status)
  assert.notEqual((await get(off, '//ECHO.v1/echo/x')).status, 200)
  assert.match((await get(off, '/ECHO.v1/echo/x;jsessionid=1')).text, /x;jsessionid=1/)
})

test('33.2 empty segments between node and operation are ignored', async () => {
  await same(segments, '//ECHO.v1/echo/x', '/ECHO.v1/echo/x')
  await same(segments, '////ECHO.v1/echo/x', '/ECHO.v1/echo/x')
})

test('33.2 empty segments elsewhere keep their meaning', async () => {
  for (const path of ['/ECHO.v1/echo//x', '/ECHO.v1//echo/x', '/ECHO.v1/echo/x//', '//', '///', '/%2FECHO.v1/echo/x'])
    await asOff(segments, path)
  await asOff(segments, '/ECHO.v1/echo/?value-to-echo=a//b')
  await asOff(segments, '/ECHO.v1/echo/x;jsessionid=1')
  for (const path of ['/../', '/%2e%2e/', '/..//']) await asOff(segments, `${path}LOCAL_NODE/ECHO.v1/echo/x`)
  const outside = (url: string) => sendRaw(url, 'GET //healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
  assert.equal((await outside(segments.url)).status, (await outside(off.url)).status)
})

test('33.3 a session id that ends the path is ignored', async () => {
  await same(suffix, '/ECHO.v1/echo/x;jsessionid=0A-b_c!123!4', '/ECHO.v1/echo/x')
  await same(suffix, '/ECHO.v1/echo;jsessionid=1?value-to-echo=y', '/ECHO.v1/echo?value-to-echo=y')
})

test('33.3 any other suffix keeps its meaning', async () => {
  const others = [
    'x;jsessionid=1/',
    'x;jsessionid=1/y',
    'x;jsessionid=1;jsessionid=2',
    'x;jsessionid=',
    'x;JSESSIONID=1',
  ]
  const hostile = [
    'x;jsessionid=%0d%0a',
    'x;jsessionid=%zz',
    'x;jsessionid=%00',
    'x;jsessionid=\xc0\xaf',
    'x%3Bjsessionid=1',
  ]
  for (const value of [...others, ...hostile, 'x;v=1', '?value-to-echo=x;jsessionid=1'])
    await asOff(suffix, `/ECHO.v1/echo/${value}`)
  await asOff(suffix, '//ECHO.v1/echo/x;jsessionid=1')
})

test('33.1 a line break in the target is refused with each setting', async () => {
  for (const gateway of [segments, suffix])
    assert.equal((await get(gateway, '//ECHO.v1/echo/x;jsessionid=1\r\nX')).status, 400)
})

test('33.1 REST cache and permission use the plain URL', async () => {
  for (const [gateway, path] of [
    [segments, '//CACHED_TIME.v1/'],
    [suffix, '/CACHED_TIME.v1/;jsessionid=1'],
  ] as const) {
    const first = await get(gateway, '/CACHED_TIME.v1/', 'DEMO')
    assert.match(first.text, /<current-user>DEMO</)
    assert.deepEqual(await get(gateway, path, 'DEMO2'), first)
    const refused = await get(gateway, path, 'NOPERM')
    assert.match(refused.text, /User Id: NOPERM is not authorized for the operation CACHED_TIME_GET\./)
  }
})

test('33.1 a call with and without a session suffix is the same request for its Idempotency-Key', async () => {
  const post = (path: string, body: string) =>
    suffix.call(`POST ${path}`, {
      headers: { ...basic('DEMO'), 'idempotency-key': 'suffix', 'content-type': 'text/xml' },
      body,
    })
  const body = '<request><row><key>a</key><value>1</value></row></request>'
  const first = await post('KEY_VALUE.v1', body)
  assert.equal(first.status, 200, first.text)
  const second = await post('KEY_VALUE.v1;jsessionid=1', body)
  assert.deepEqual([second.text, second.headers['ig-idempotent-replay']], [first.text, 'true'])
  assert.equal((await post('KEY_VALUE.v1;jsessionid=2', '<request/>')).headers['ig-refusal'], 'idempotencyKeyReused')
})

const zurich = Buffer.from('Zürich').toString('latin1')

test('33.4 UTF-8 that is not encoded is read as if it were, in path and query, by matching and handler', async () => {
  for (const query of [`?value-to-echo=${zurich}`, `?value-to-echo=${zurich}&${zurich}=${zurich}+1`])
    await same(lenient, `/ECHO.v1/echo${query}`, `/ECHO.v1/echo${query.replaceAll(zurich, 'Z%C3%BCrich')}`)
  await same(lenient, `/ECHO.v1/echo/${zurich}`, '/ECHO.v1/echo/Z%C3%BCrich')
  const halves = [
    'GET ',
    `${root}/ECHO.v1/echo/a\xc3`,
    '\xa9 HTTP/1.1\r',
    '\nHost: a\r\nX: \xe9\r\nConnection: close\r\n\r\n',
  ]
  const client = await openRawSocket(lenient.url)
  for (const half of halves) {
    client.write(Buffer.from(half, 'latin1'))
    await new Promise(setImmediate)
  }
  assert.match((await client.readReply()).text, /"parameter1":"aé"/)
  client.destroy()
  const { text } = await get(lenient, `/ECHO.v1/echo?value-to-echo=${zurich}`)
  assert.deepEqual(JSON.parse(text), { parameter1: 'Zürich', query: { 'value-to-echo': ['Zürich'] } })
})

test('33.4 without the setting, and where it is not UTF-8, it is refused, and the log names the setting where it would help', async () => {
  const told = async (target: string, headers = '') => {
    const client = await openRawSocket(off.url)
    client.write(Buffer.from(`GET ${target} HTTP/1.1\r\nHost: a\r\n${headers}Connection: close\r\n\r\n`, 'latin1'))
    assert.equal((await client.readReply()).status, 400)
    client.destroy()
    const refused = off.observations.findLast((one) => one.kind === 'note')
    assert.match(refused?.message ?? '', /^Request refused: \w/)
    return refused?.message.includes('ig.compat.rawUrlBytes=true')
  }
  assert.ok(await told(`${root}/ECHO.v1/echo/${zurich}`))
  assert.ok(await told(`${root}/ECHO.v1/echo?value-to-echo=${zurich}`))
  assert.ok(!(await told(`${root}/ECHO.v1/echo/\xff`)))
  assert.ok(!(await told(`${root}/ECHO.v1/echo/a\x01`)))
  assert.ok(!(await told(`${root}/ECHO.v1/echo/a`, 'Host: b\r\n')))
  for (const value of ['\xc0\xaf', '\xff', '\xc3'])
    assert.equal((await get(lenient, `/ECHO.v1/echo/${value}`)).status, 400)
})

test('33.5 the user id of Basic credentials has any letter case, and wrong passwords count for the operator', async () => {
  const who = async (gateway: WireGateway, id: string, password = 'demo-password') => {
    const authorization = `Basic ${Buffer.from(`${id}:${password}`).toString('base64')}`
    const { status, text } = await gateway.call('GET METADATA_BASIC.v1/', { headers: { authorization } })
    return status === 200 ? JSON.parse(text).currentUser : status
  }
  assert.deepEqual(
    [await who(lenient, 'demo'), await who(lenient, 'Demo'), await who(lenient, 'DEMO')],
    Array(3).fill('DEMO'),
  )
  assert.deepEqual([await who(lenient, 'demo', 'DEMO-password'), await who(off, 'demo')], [401, 401])
})

test('33.5 ids that differ only in letter case stop the start, and must be stated exactly', () => {
  const operators = new OperatorsOfAnyCase()
  const add = (id: string) => operators.set(id, { id } as Operator)
  add('KIM')
  assert.deepEqual([operators.resolve('kim'), operators.problems()], ['KIM', []])
  add('Kim')
  assert.deepEqual(
    ['kim', 'KIM', 'Kim'].map((id) => operators.resolve(id)),
    ['kim', 'KIM', 'Kim'],
  )
  assert.match(operators.problems()[0]?.message ?? '', /KIM and Kim differ only in letter case/)
  operators.delete('KIM')
  assert.equal(operators.resolve('KIM'), 'Kim')
})
