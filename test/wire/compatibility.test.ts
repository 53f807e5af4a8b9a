/** URLs that only the compatibility settings accept (specification 33), over real sockets. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { basic } from '../support/client.ts'
import { findDatabase } from '../support/databases.ts'
import { openReference, root, type WireGateway } from '../support/gateway.ts'
import { sendRaw } from '../support/raw-socket.ts'

const keys = { segments: 'ig.compat.emptySegments', suffix: 'ig.compat.sessionSuffix' }
let off: WireGateway
let segments: WireGateway
let suffix: WireGateway
before(async () => {
  const database = findDatabase('SQLite')
  off = await openReference({ database })
  segments = await openReference({ database, properties: { [keys.segments]: 'true' } })
  suffix = await openReference({ database, properties: { [keys.suffix]: 'true' } })
})
after(async () => {
  for (const gateway of [off, segments, suffix]) await gateway?.close()
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
