/** API descriptions over real sockets: where they are, for whom, and where they are not (specification 12.1 to 12.3). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Configuration } from '../../../src/configuration/configuration.ts'
import { basic, bearer } from '../../support/client.ts'
import { findDatabase } from '../../support/databases.ts'
import { openReference, type WireGateway } from '../../support/gateway.ts'

const connector = '/PSIGW/RESTListeningConnector'
const database = findDatabase('SQLite')
const it = await openReference({ database, withIssuer: true, properties: { 'ig.describe': 'permitted' } })
test.after(() => it.close())

/** A second service: PUBLIC contains one of its two operations, and one is inactive. */
function addService(configuration: Configuration): Configuration {
  const [metadata, , , , , , , , cached] = configuration.operations
  assert.ok(metadata && cached)
  return {
    ...configuration,
    services: [...configuration.services, { name: 'SECOND' }],
    operations: [
      ...configuration.operations,
      { ...metadata, service: 'SECOND', name: 'SECOND_METADATA' },
      { ...cached, service: 'SECOND', name: 'SECOND_TIME' },
      { ...cached, service: 'SECOND', name: 'SECOND_OFF', isActive: false },
    ],
    permissionLists: [
      { name: 'PUBLIC', operations: ['METADATA_GET.v1', 'ECHO_GET.v1', 'SECOND_METADATA_GET.v1'], services: [] },
      { name: 'REFERENCE_ALL', operations: [], services: ['REFERENCE', 'SECOND'] },
    ],
  }
}

async function pathsOf(gateway: WireGateway, name: string, headers: Record<string, string> = {}): Promise<string[]> {
  const answer = await gateway.call(`GET ${connector}/${name}`, { headers })
  assert.equal(answer.status, 200, answer.text)
  return Object.keys(JSON.parse(answer.text).paths)
}

function assertUnknown({ status, headers, text }: Awaited<ReturnType<WireGateway['call']>>, line: string): void {
  assert.equal(status, 404, line)
  assert.equal(headers['ig-refusal'], 'pathUnknown', line)
  assert.equal(JSON.parse(text).detail, 'Nothing is published at this path.', line)
}

test('12.1 WADL of one service, OpenAPI of one or of all', async () => {
  const formats = [
    ['REFERENCE.1.wadl', 'application/vnd.sun.wadl+xml', /^<\?xml version="1.0"\?><application xmlns="http:\/\/wadl/],
    ['REFERENCE.openapi.json', 'application/json', /^\{"openapi":"3\.1\.0","info":\{"title":"REFERENCE"/],
    ['openapi.json', 'application/json', /^\{"openapi":"3\.1\.0","info":\{"title":"Integration gateway"/],
  ] as const
  for (const [name, contentType, text] of formats) {
    const answer = await it.call(`GET ${connector}/${name}`, { headers: basic('DEMO') })
    assert.deepEqual([answer.status, answer.headers['content-type']], [200, contentType])
    assert.match(answer.text, text)
    assert.ok(answer.headers['ig-transaction-id'] && answer.headers['set-cookie'])
    const head = await it.call(`HEAD ${connector}/${name}`, { headers: basic('DEMO') })
    assert.deepEqual([head.status, head.headers['content-type'], head.text], [200, contentType, ''])
  }
})

test('12.1 a query, another method or another name is unknown, even to callers who may call everything', async () => {
  const lines = [
    `GET ${connector}/openapi.json?x=1`,
    `POST ${connector}/openapi.json`,
    `OPTIONS ${connector}/openapi.json`,
    `GET ${connector}/openapi.json/`,
    `GET ${connector}/REFERENCE.2.wadl`,
    `GET ${connector}/reference.1.wadl`,
    `GET ${connector}/REFERENCE%2E1.wadl`,
    `GET ${connector}/1.wadl`,
    `GET ${connector}/NOTHING.1.wadl`,
    `GET /psigw/RESTListeningConnector/openapi.json`,
    'GET /openapi.json',
  ]
  for (const line of lines) assertUnknown(await it.call(line, { headers: basic('DEMO') }), line)
})

test('12.1 with ig.describe=none, the default, the paths are unknown to everyone', async (t) => {
  const closed = await openReference({ database })
  t.after(() => closed.close())
  for (const name of ['openapi.json', 'REFERENCE.openapi.json', 'REFERENCE.1.wadl']) {
    for (const headers of [{}, basic('DEMO'), basic('DEMO', 'wrong')]) {
      assertUnknown(await closed.call(`GET ${connector}/${name}`, { headers }), name)
    }
  }
})

test('12.2, 12.3 without credentials the description is what the default user may call', async () => {
  const expected = ['/METADATA.v1', '/ECHO.v1/echo/{parameter1}', '/ECHO.v1/echo']
  assert.deepEqual(await pathsOf(it, 'openapi.json'), expected)
  const { text } = await it.call(`GET ${connector}/REFERENCE.1.wadl`)
  assert.deepEqual(
    [...text.matchAll(/<resource path="([^"]*)"/g)].map(([, path]) => path),
    ['METADATA.v1/', 'ECHO.v1/echo/{parameter1}', 'ECHO.v1/echo/'],
  )
  assert.doesNotMatch(text, /KEY_VALUE|CACHED_TIME|BASIC/)
})

test('12.2, 12.3 with Basic credentials or a bearer token the description is what that operator may call', async () => {
  const all = await pathsOf(it, 'openapi.json', basic('DEMO'))
  assert.equal(all.length, 10)
  assert.deepEqual(await pathsOf(it, 'REFERENCE.openapi.json', bearer(await it.token('DEMO'))), all)
})

test('12.2 wrong credentials are refused as such, whatever the format', async () => {
  for (const name of ['openapi.json', 'REFERENCE.1.wadl', 'NOTHING.1.wadl']) {
    for (const headers of [basic('DEMO', 'wrong'), basic('LOCKED'), basic('NOBODY'), { authorization: 'Digest x' }]) {
      const answer = await it.call(`GET ${connector}/${name}`, { headers })
      assert.deepEqual([answer.status, answer.text], [401, ''])
      assert.match(answer.headers['www-authenticate'] ?? '', /^Basic realm="platform"/)
    }
    const answer = await it.call(`GET ${connector}/${name}`, { headers: bearer('a.b.c') })
    assert.deepEqual([answer.status, answer.text], [401, ''])
    assert.match(answer.headers['www-authenticate'] ?? '', /^Bearer realm="platform", error="invalid_token"/)
  }
  const rejected = it.observations.flatMap((one) =>
    one.kind === 'answered' && one.refusal ? [one.refusal.message] : [],
  )
  assert.ok(rejected.some((reason) => reason.includes('for Service Operation REFERENCE.1.wadl (158,461)')))
})

test('12.3 callers who may call nothing find nothing', async () => {
  for (const name of ['openapi.json', 'REFERENCE.openapi.json', 'REFERENCE.1.wadl']) {
    assertUnknown(await it.call(`GET ${connector}/${name}`, { headers: basic('NOPERM') }), name)
  }
})

test('12.3 without a default user, callers without credentials find nothing', async (t) => {
  const nodes = [{ name: 'LOCAL_NODE', isDefaultLocal: true, isActive: true }]
  const configure = (configuration: Configuration): Configuration => ({ ...configuration, nodes })
  const anonymous = await openReference({ database, configure, properties: { 'ig.describe': 'permitted' } })
  t.after(() => anonymous.close())
  assertUnknown(await anonymous.call(`GET ${connector}/openapi.json`), 'openapi.json')
  assert.equal((await pathsOf(anonymous, 'openapi.json', basic('DEMO'))).length, 10)
})

test('12.3 with several services each caller sees the active operations that it may call, and no other service', async (t) => {
  const two = await openReference({ database, configure: addService, properties: { 'ig.describe': 'permitted' } })
  t.after(() => two.close())
  assert.deepEqual(await pathsOf(two, 'SECOND.openapi.json'), ['/SECOND_METADATA.v1'])
  assert.deepEqual(await pathsOf(two, 'SECOND.openapi.json', basic('DEMO')), ['/SECOND_METADATA.v1', '/SECOND_TIME.v1'])
  assert.equal((await pathsOf(two, 'openapi.json', basic('DEMO'))).length, 12)
  assert.deepEqual(await pathsOf(two, 'openapi.json'), [
    '/METADATA.v1',
    '/ECHO.v1/echo/{parameter1}',
    '/ECHO.v1/echo',
    '/SECOND_METADATA.v1',
  ])
})

test('12.3 intermediate caches must not share a description, and a change of grants appears in the next one', async () => {
  const first = await it.call(`GET ${connector}/openapi.json`, { headers: basic('DEMO2') })
  assert.deepEqual(
    [first.headers['cache-control'], first.headers.vary?.toLowerCase().includes('authorization')],
    ['private, no-cache', true],
  )
  const known = it.gateway.operators as Map<string, NonNullable<ReturnType<typeof it.gateway.operators.get>>>
  const operator = known.get('DEMO2')
  assert.ok(operator)
  known.set('DEMO2', { ...operator, permissionLists: ['PUBLIC'] })
  assert.equal((await pathsOf(it, 'openapi.json', basic('DEMO2'))).length, 3)
  known.set('DEMO2', { ...operator, permissionLists: [] })
  assertUnknown(await it.call(`GET ${connector}/openapi.json`, { headers: basic('DEMO2') }), 'openapi.json')
})

test('12.3 a description of thousands of operations is generated between calls, once for all callers with the same permissions', async (t) => {
  const many = await openReference({
    database,
    configure: (configuration) => {
      const [metadata] = configuration.operations
      assert.ok(metadata)
      const more = Array.from({ length: 2000 }, (_, at) => ({ ...metadata, name: `MANY_${at}` }))
      return { ...configuration, operations: [...configuration.operations, ...more] }
    },
    properties: { 'ig.describe': 'permitted' },
  })
  t.after(() => many.close())
  for (const name of ['openapi.json', 'REFERENCE.1.wadl']) {
    let isWritten = false
    const asked = ['DEMO', 'DEMO2'].map((id) => many.call(`GET ${connector}/${name}`, { headers: basic(id) }))
    const written = Promise.all(asked).finally(() => {
      isWritten = true
    })
    let answered = 0
    while (!isWritten) {
      assert.equal((await many.call(`GET ${connector}/LOCAL_NODE/ECHO.v1/echo/x`)).status, 200)
      answered += 1
    }
    const [first, second] = await written
    assert.equal(first?.text, second?.text)
    assert.ok(first?.text.includes('MANY_1999'))
    assert.ok(answered >= 10, `${answered} calls were answered while ${name} was written`)
  }
})

test('12.4 ig.describe.baseUrl sets scheme, host and port of a description; a Host header does not', async (t) => {
  const properties = {
    'ig.describe': 'permitted',
    'ig.describe.baseUrl': 'https://api.example',
    'ig.gatewayPath': 'GW',
  }
  const based = await openReference({ database, properties })
  t.after(() => based.close())
  const headers = { host: 'evil.example' }
  const { text } = await based.call('GET /GW/RESTListeningConnector/openapi.json', { headers })
  assert.equal(JSON.parse(text).servers[0].url, 'https://api.example/GW/RESTListeningConnector/LOCAL_NODE')
  const wadl = await based.call('GET /GW/RESTListeningConnector/REFERENCE.1.wadl', { headers })
  assert.match(wadl.text, /<resources base="https:\/\/api\.example\/GW\/RESTListeningConnector\/LOCAL_NODE\/">/)
  const relative = await it.call(`GET ${connector}/openapi.json`, { headers })
  assert.equal(JSON.parse(relative.text).servers[0].url, `${connector}/LOCAL_NODE`)
})
