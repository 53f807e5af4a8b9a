import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Catalog } from '../../src/configuration/catalog.ts'
import { openFallbacks } from '../../src/model/fallbacks.ts'
import type { Operation } from '../../src/model/operation.ts'
import { splitVersion, withVersion } from '../../src/model/operation-name.ts'
import type { ErrorStyle, Method } from '../../src/model/operation-terms.ts'
import { Refusal } from '../../src/model/refusal.ts'
import { parsePath, parseQuery, parseTarget, type Target } from '../../src/model/uri/target.ts'
import { healthy } from '../../src/steps/built-in/health.ts'
import { describeMethods } from '../../src/steps/describe-methods.ts'
import { findOperation } from '../../src/steps/find-operation.ts'
import { readTarget } from '../../src/steps/read-target.ts'
import { root, targetOf } from '../support/uri.ts'

const refusal = (code: string) => (error: unknown) => error instanceof Refusal && error.code === code

test('1.1, 1.3 a target is parsed into node, operation, version, path and query', () => {
  assert.deepEqual(parseTarget(`${root}/Echo-Test.v12/echo/a%20b?x=1&y`, 'PSIGW'), {
    kind: 'operation',
    rawPath: `${root}/Echo-Test.v12/echo/a%20b`,
    rawQuery: 'x=1&y',
    node: 'LOCAL_NODE',
    service: 'Echo-Test.v12',
    segment: 'Echo-Test.v12',
    path: ['echo', 'a b'],
    query: [
      ['x', '1'],
      ['y', ''],
    ],
  })
})

test('1.1 the gateway path is a setting', () => {
  assert.equal(parseTarget('/gw/RESTListeningConnector/N/A.v1', 'gw').segment, 'A.v1')
  assert.throws(() => parseTarget(`${root}/A.v1`, 'gw'), refusal('pathUnknown'))
})

test('1.1 the gateway path may have several segments', () => {
  const { node, segment, path } = parseTarget('/SSCDEV/%50SIGW/RESTListeningConnector/N/A.v1/x', 'SSCDEV/PSIGW')
  assert.deepEqual({ node, segment, path }, { node: 'N', segment: 'A.v1', path: ['x'] })
  for (const start of [
    '',
    '/SSCDEV',
    '/SSCDEV%2FPSIGW',
    '/SSCDEV//PSIGW',
    '/PSIGW/SSCDEV',
    '/SSCDEV/PSIGW/',
    '/x/SSCDEV/PSIGW',
  ])
    assert.throws(
      () => parseTarget(`${start}/RESTListeningConnector/N/A.v1`, 'SSCDEV/PSIGW'),
      refusal('pathUnknown'),
      start,
    )
})

const paths = [
  { title: '1.6 without anything after the operation there is no segment', path: '', segments: [] },
  { title: '1.6 a trailing slash is an empty segment', path: '/', segments: [''] },
  { title: '1.6 empty segments are kept', path: '/LCRT////5///', segments: ['LCRT', '', '', '', '5', '', '', ''] },
  { title: '1.6 a segment is percent-decoded', path: '/a%20b/%C3%BC', segments: ['a b', 'ü'] },
  { title: '1.6 an encoded slash is data, in either case', path: '/a%2Fb/c%2fd', segments: ['a/b', 'c/d'] },
  { title: '1.6 dot segments are ordinary', path: '/../a/./b', segments: ['..', 'a', '.', 'b'] },
  { title: '1.6 encoded dot segments are ordinary', path: '/%2e%2E/a/%2e', segments: ['..', 'a', '.'] },
  { title: '1.6 double encoding is decoded once', path: '/%252F', segments: ['%2F'] },
  { title: '1.6 a backslash and a semicolon are data', path: '/a\\b;c', segments: ['a\\b;c'] },
  { title: '2.23 in a path + is +', path: '/a+b', segments: ['a+b'] },
]
for (const { title, path, segments } of paths) {
  test(title, () => assert.deepEqual(targetOf(`A.v1${path}`).path, segments))
}

const queries = [
  { title: '2.23 in a query + is a space', query: 'a+b=c+d', pairs: [['a b', 'c d']] },
  { title: '2.23 an encoded + is a +', query: 'a=%2B', pairs: [['a', '+']] },
  {
    title: '2.23 a value may be empty, and a name may have none',
    query: 'a=&b',
    pairs: [
      ['a', ''],
      ['b', ''],
    ],
  },
  { title: '1.7 names are decoded too', query: '%61=1', pairs: [['a', '1']] },
  { title: '1.7 only the first = separates', query: 'a=b=c', pairs: [['a', 'b=c']] },
  { title: '1.7 encoded & and = are data', query: 'a=%26%3D', pairs: [['a', '&=']] },
  { title: '1.7 a second ? is data', query: 'a=?', pairs: [['a', '?']] },
  {
    title: '1.7 nothing between two & is no pair',
    query: '&a=1&&b=2&',
    pairs: [
      ['a', '1'],
      ['b', '2'],
    ],
  },
  {
    title: '2.23 a repeated name stays repeated, in order',
    query: 'a=2&a=1',
    pairs: [
      ['a', '2'],
      ['a', '1'],
    ],
  },
  { title: '1.7 an empty query has no pairs', query: '', pairs: [] },
]
for (const { title, query, pairs } of queries) {
  test(title, () => assert.deepEqual(targetOf(`A.v1?${query}`).query, pairs))
}

const malformed = [
  { title: '1.7 a lone percent sign is malformed', rest: 'A.v1/%' },
  { title: '1.7 a half percent-encoding is malformed', rest: 'A.v1/%4' },
  { title: '1.7 a percent-encoding that is not a number is malformed', rest: 'A.v1/%zz' },
  { title: '1.7 a single continuation byte is malformed', rest: 'A.v1/%80' },
  { title: '1.7 a truncated UTF-8 sequence is malformed', rest: 'A.v1/%C3' },
  { title: '1.7 a UTF-8 sequence cut by a slash is malformed', rest: 'A.v1/%C3/%BC' },
  { title: '1.7 an overlong UTF-8 sequence is malformed', rest: 'A.v1/%C0%AF' },
  { title: '1.7 an encoded surrogate is malformed', rest: 'A.v1/%ED%A0%80' },
  { title: '1.7 a NUL is malformed in the path', rest: 'A.v1/a%00b' },
  { title: '1.7 a NUL is malformed in the query', rest: 'A.v1?a=%00' },
  { title: '1.7 invalid encoding is malformed in a query value', rest: 'A.v1?a=%E0' },
  { title: '1.7 invalid encoding is malformed in a query name that no template names', rest: 'A.v1?%ff=1' },
  { title: '1.7 a raw byte above 127 is malformed in the path', rest: 'A.v1/\u00fc' },
  { title: '1.7 a raw byte above 127 is malformed in the query', rest: 'A.v1?a=\u00fc' },
  { title: '1.7 a raw control character is malformed', rest: 'A.v1/\u007f' },
  { title: '1.7 a fragment is malformed', rest: 'A.v1/a#b' },
]
for (const { title, rest } of malformed) test(title, () => assert.throws(() => targetOf(rest), refusal('uriMalformed')))

test('1.7 a malformed URL is malformed, whatever its path', () => {
  assert.throws(() => parseTarget('/elsewhere/%zz', 'PSIGW'), refusal('uriMalformed'))
})

test('1.8 the absolute form is read by its path and query, whatever its authority', () => {
  const origin = targetOf('A.v1/b?c=d')
  for (const authority of ['http://127.0.0.1:8080', 'HTTPS://else.example', 'http://user@else.example:1']) {
    assert.deepEqual(parseTarget(`${authority}${root}/A.v1/b?c=d`, 'PSIGW'), origin)
  }
})

const outside = [
  { title: '1.10 the root is outside', raw: '/' },
  { title: '1.10 an empty target is outside', raw: '' },
  { title: '1.8 an absolute form without a path is the root', raw: 'http://127.0.0.1' },
  { title: '1.8 an absolute form without a path may have a query', raw: 'http://127.0.0.1?a=b' },
  { title: '1.8 two leading slashes are not an authority', raw: `//127.0.0.1${root}/A.v1` },
  { title: '1.10 an asterisk is outside', raw: '*' },
  { title: '1.10 a target without its slash is outside', raw: root.slice(1) },
  { title: '1.10 an empty segment before the gateway path is outside', raw: `/${root}/A.v1` },
  { title: '1.6, 1.10 dot segments are not resolved', raw: `/x/..${root}/A.v1` },
  { title: '1.10 another gateway path is outside', raw: '/OTHER/RESTListeningConnector/LOCAL_NODE/A.v1' },
  {
    title: '1.2 another letter case of the gateway path is outside',
    raw: '/psigw/RESTListeningConnector/LOCAL_NODE/A.v1',
  },
  {
    title: '1.2 another letter case of the connector is outside',
    raw: '/PSIGW/restlisteningconnector/LOCAL_NODE/A.v1',
  },
  { title: '1.10 a path that ends at the connector is outside', raw: '/PSIGW/RESTListeningConnector' },
  { title: '1.10 a path that ends at the node is outside', raw: root },
  { title: '1.10 a path that ends at the node and a slash is outside', raw: `${root}/` },
  { title: '1.10 an empty operation segment is outside', raw: `${root}//echo` },
  { title: '1.6, 1.10 an encoded slash does not separate', raw: `${root}%2FA.v1` },
]
for (const { title, raw } of outside) {
  test(title, () => assert.throws(() => parseTarget(raw, 'PSIGW'), refusal('pathUnknown')))
}

const services = [
  { title: '1.10 a segment without a version has none', service: 'ECHO', name: 'ECHO', version: 'none' },
  { title: '1.10 a v without a number is not a version', service: 'ECHO.v', name: 'ECHO.v', version: 'none' },
  { title: '1.2 the v of a version may be upper case', service: 'ECHO.V1', name: 'ECHO', version: 'v1' },
  { title: '1.10 text after the number is not a version', service: 'ECHO.v1x', name: 'ECHO.v1x', version: 'none' },
  { title: '1.10 the last version in a segment counts', service: 'A.v1.v2', name: 'A.v1', version: 'v2' },
]
for (const { title, service, name, version } of services) {
  test(title, () => {
    const target = targetOf(`${service}/x`)
    assert.deepEqual([target.service, target.segment], [service, withVersion(name, version)])
    assert.deepEqual(splitVersion(service), { name, version })
  })
}

test('1.6 segments that are encoded one by one are read back unchanged', () => {
  const text = fc.string({ unit: 'grapheme' }).filter((value) => value.isWellFormed() && !value.includes('\0'))
  fc.assert(
    fc.property(fc.array(text, { minLength: 1 }), (segments) => {
      assert.deepEqual(parsePath(segments.map(encodeURIComponent).join('/')), segments)
    }),
  )
})

test('2.23 what URLSearchParams writes is read back unchanged', () => {
  const text = fc.string({ unit: 'grapheme' }).filter((value) => value.isWellFormed() && !value.includes('\0'))
  fc.assert(
    fc.property(fc.array(fc.tuple(text, text)), (pairs) => {
      assert.deepEqual(parseQuery(new URLSearchParams(pairs).toString()), pairs)
    }),
  )
})

test('1.7 every target is parsed or refused', () => {
  const piece = fc.oneof(
    fc.string(),
    fc.constantFrom('/', '?', '&', '=', '%', '%2F', '%00', '%ff', '+', root, 'http://x'),
  )
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      try {
        parseTarget(pieces.join(''), 'PSIGW')
      } catch (error) {
        assert.ok(refusal('uriMalformed')(error) || refusal('pathUnknown')(error))
      }
    }),
  )
})

const compatibility = { emptySegments: false, sessionSuffix: false, rawUrlBytes: false, operatorCase: false }
const settings = {
  gatewayPath: 'PSIGW',
  limits: { maxUrlBytes: 100 },
  compatibility,
  errorStyle: 'observed' as const,
}
const nodes = new Set(['LOCAL_NODE', 'OTHER_NODE'])
const catalog = { nodes, services: new Map(), fallbacks: openFallbacks([], []) } as Partial<Catalog> as Catalog
const readAny = (target: string, method = 'GET') =>
  readTarget({ method, target, headers: {} }, catalog, { settings, targets: [] })
const read = (target: string): Target => {
  const found = readAny(target)
  assert.ok(found.kind === 'operation')
  return found
}

test('1.9 every active node reaches the same operations', () => {
  for (const node of nodes) assert.equal(read(`/PSIGW/RESTListeningConnector/${node}/A.v1`).service, 'A.v1')
})

test('1.9 any other node is unknown, also in another letter case, empty or with an operation that does not exist', () => {
  for (const node of ['NO_NODE', 'local_node', '', 'LOCAL_NODE%20']) {
    assert.throws(() => read(`/PSIGW/RESTListeningConnector/${node}/A`), refusal('nodeUnknown'))
  }
})

test('4.10 a URL over the limit is too long, whatever other errors it has', () => {
  const longest = `${root}/A.v1/`.padEnd(100, 'x')
  assert.equal(read(longest).rawPath, longest)
  assert.throws(() => read(`${longest}x`), refusal('uriTooLong'))
  assert.throws(() => read('/%zz'.padEnd(101, 'x')), refusal('uriTooLong'))
})

type Found = Pick<Catalog, 'services' | 'operations' | 'nodes' | 'fallbacks'>

function catalogOf(...operations: readonly Partial<Operation>[]): Found {
  const list = operations.map((operation) => [operation.method, operation] as [Method, Operation])
  const services = new Map([['ECHO.v1', new Map(list)]])
  return { nodes, services, operations: new Map(), fallbacks: { find: () => undefined } }
}

const find = (service: string, method: string, catalog: Found, errorStyle: ErrorStyle = 'observed') =>
  findOperation(targetOf(service), method, catalog, { settings: { errorStyle, gatewayPath: 'PSIGW', compatibility } })

test('1.4 alias, version and method name one operation', () => {
  const catalog = catalogOf({ method: 'POST', id: 'ECHO_POST.v1' }, { method: 'GET', id: 'ECHO_GET.v1' })
  assert.equal(find('ECHO.v1', 'GET', catalog).id, 'ECHO_GET.v1')
  assert.equal(find('ECHO.v1', 'POST', catalog).id, 'ECHO_POST.v1')
})

test('1.4 a target that is kept names the operation of each method in turn', () => {
  const catalog = catalogOf({ method: 'POST', id: 'ECHO_POST.v1' }, { method: 'GET', id: 'ECHO_GET.v1' })
  const kept = targetOf('ECHO.v1')
  const found = ['GET', 'POST', 'POST', 'GET'].map(
    (method) =>
      findOperation(kept, method, catalog, {
        settings: { errorStyle: 'observed', gatewayPath: 'PSIGW', compatibility },
      }).id,
  )
  assert.deepEqual(found, ['ECHO_GET.v1', 'ECHO_POST.v1', 'ECHO_POST.v1', 'ECHO_GET.v1'])
})

const missing = [
  {
    title: '1.4 a method without an operation is not found, and the others are listed',
    line: 'DELETE ECHO.v1',
    allow: ['GET', 'POST'],
  },
  { title: '1.4 a method in lower case is another method', line: 'get ECHO.v1', allow: ['GET', 'POST'] },
  { title: '1.4 another name is not found', line: 'GET OTHER.v1', allow: [] },
  { title: '1.2 another letter case is not found', line: 'GET echo.v1', allow: [] },
  { title: '10.1 another version is not found', line: 'GET ECHO.v2', allow: [] },
  { title: '2.6 a version has exactly one spelling', line: 'GET ECHO.v01', allow: [] },
  { title: '1.10 a segment without a version is not found', line: 'GET ECHO', allow: [] },
  { title: '2.3 HEAD is not found in the observed style', line: 'HEAD ECHO.v1', allow: ['GET', 'POST'] },
]
for (const { title, line, allow } of missing) {
  test(title, () => {
    const [method = '', service = ''] = line.split(' ')
    const catalog = catalogOf({ method: 'POST' }, { method: 'GET' })
    assert.throws(
      () => find(service, method, catalog),
      (error) => {
        assert.ok(error instanceof Refusal)
        assert.equal(error.code, 'operationNotFound')
        assert.deepEqual(error.allow, allow)
        return true
      },
    )
  })
}

test('2.3 HEAD is answered from GET in the standard style, whether the gateway or the operation sets it', () => {
  assert.equal(find('ECHO.v1', 'HEAD', catalogOf({ method: 'GET' }), 'standard').method, 'GET')
  assert.equal(find('ECHO.v1', 'HEAD', catalogOf({ method: 'GET', errorStyle: 'standard' })).method, 'GET')
  const observed = catalogOf({ method: 'GET', errorStyle: 'observed' })
  assert.throws(() => find('ECHO.v1', 'HEAD', observed, 'standard'), refusal('operationNotFound'))
  assert.throws(() => find('ECHO.v1', 'HEAD', catalogOf({ method: 'POST' }), 'standard'), refusal('operationNotFound'))
})

test('2.3, 2.4 Allow lists HEAD if it is answered from GET', () => {
  const settings = { errorStyle: 'standard', optionsEnabled: true, cors: everyOrigin } as const
  const catalog = catalogOf({ method: 'POST' }, { method: 'GET' })
  assert.throws(() => find('ECHO.v1', 'PUT', catalog, 'standard'), { allow: ['GET', 'POST', 'HEAD'] })
  const { headers } = describeMethods(targetOf('ECHO.v1'), { headers: {} }, catalog, { settings })
  assert.deepEqual(headers.slice(0, 2), ['allow', 'GET, POST, HEAD, OPTIONS'])
  assert.throws(() => find('ECHO.v1', 'PUT', catalogOf({ method: 'POST' }), 'standard'), { allow: ['POST'] })
  const observed = catalogOf({ method: 'GET', errorStyle: 'observed' })
  assert.throws(() => find('ECHO.v1', 'PUT', observed, 'standard'), { allow: ['GET'] })
})

test('2.2, 2.3 HEAD can be an operation of its own', () => {
  const catalog = catalogOf({ method: 'GET' }, { method: 'HEAD' })
  assert.equal(find('ECHO.v1', 'HEAD', catalog).method, 'HEAD')
  assert.equal(find('ECHO.v1', 'HEAD', catalog, 'standard').method, 'HEAD')
})

const everyOrigin = { origins: undefined, allowHeaders: ['Authorization', 'PS_TOKEN'] }
const describe = (
  service: string,
  catalog: Pick<Catalog, 'services'>,
  optionsEnabled: boolean,
  headers = {},
  cors: { readonly origins: readonly string[] | undefined; readonly allowHeaders: readonly string[] } = everyOrigin,
) =>
  describeMethods(targetOf(service), { headers }, catalog, {
    settings: { optionsEnabled, errorStyle: 'observed', cors },
  })

test('2.4 OPTIONS returns Allow and CORS headers if the setting allows it', () => {
  const { status, headers, body } = describe('ECHO.v1', catalogOf({ method: 'POST' }, { method: 'GET' }), true)
  assert.equal(status, 200)
  assert.deepEqual(headers, [
    'allow',
    'GET, POST, OPTIONS',
    'access-control-allow-origin',
    '*',
    'access-control-allow-methods',
    'GET, POST',
    'access-control-allow-headers',
    'Authorization, PS_TOKEN',
  ])
  assert.equal(body.bytes.length, 0)
})

test('2.4 with ig.cors.origins only these origins get CORS headers, and Vary names Origin', () => {
  const catalog = catalogOf({ method: 'GET' })
  const cors = { ...everyOrigin, origins: ['https://hr.example'] }
  const ask = (headers: object) => describe('ECHO.v1', catalog, true, headers, cors).headers
  const allow = ['allow', 'GET, OPTIONS']
  const vary = ['vary', 'origin']
  assert.deepEqual(ask({ origin: 'https://hr.example' }), [
    ...allow,
    ...['access-control-allow-origin', 'https://hr.example', ...vary],
    ...['access-control-allow-methods', 'GET', 'access-control-allow-headers', 'Authorization, PS_TOKEN'],
  ])
  for (const headers of [{}, { origin: 'null' }, { origin: 'https://hr.example.org' }, { origin: 'http://hr.example' }])
    assert.deepEqual(ask(headers), [...allow, ...vary])
})

test('2.4 OPTIONS allows other origins only the operations that allow it', () => {
  const catalog = catalogOf({ method: 'POST', allowsOptions: false }, { method: 'GET', allowsOptions: true })
  const { headers } = describe('ECHO.v1', catalog, false)
  assert.equal(headers[headers.indexOf('allow') + 1], 'GET, POST, OPTIONS')
  assert.equal(headers[headers.indexOf('access-control-allow-methods') + 1], 'GET')
})

test('2.4 otherwise OPTIONS is a method without an operation', () => {
  const catalog = catalogOf({ method: 'GET', allowsOptions: false })
  assert.throws(() => describe('ECHO.v1', catalog, false), refusal('operationNotFound'))
  assert.throws(() => describe('OTHER.v1', catalog, true), refusal('operationNotFound'))
  assert.throws(() => describe('ECHO', catalog, true), refusal('operationNotFound'))
})

const healthChecks = [
  { title: '1.11 GET /healthz is the health check', line: 'GET /healthz', is: true },
  { title: '1.11 HEAD /healthz is the health check', line: 'HEAD /healthz', is: true },
  { title: '1.11 a query does not prevent the health check', line: 'GET /healthz?a=%25', is: true },
  { title: '1.8, 1.11 the absolute form is the health check', line: 'GET http://127.0.0.1/healthz', is: true },
  { title: '1.11 POST /healthz is not the health check', line: 'POST /healthz', is: false },
  { title: '1.11 /healthz/ is not the health check', line: 'GET /healthz/', is: false },
  { title: '1.11 /healthzy is not the health check', line: 'GET /healthzy', is: false },
  { title: '1.11 //healthz is not the health check', line: 'GET //healthz', is: false },
]
for (const { title, line, is } of healthChecks) {
  test(title, () => {
    const [method = '', target = ''] = line.split(' ')
    const isCheck = () => ['healthz', 'readyz'].includes(readAny(target, method).kind)
    if (is) assert.equal(isCheck(), true)
    else assert.throws(isCheck, refusal('pathUnknown'))
  })
}

for (const query of ['%', 'a=%ff', '%00', 'a#b']) {
  test(`1.7, 1.11 the health check is refused as malformed with ?${query}`, () => {
    assert.throws(() => readAny(`/healthz?${query}`), refusal('uriMalformed'))
  })
}

test('1.11 the health check returns 200', () => {
  assert.equal(healthy.status, 200)
  assert.equal(healthy.body.bytes.toString(), 'OK\n')
})
