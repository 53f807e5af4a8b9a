/** Where calls may come from, and what their address and scheme decide behind a trusted proxy (specification 28). */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { diffConfigurations } from '../../src/configuration/diff-configurations.ts'
import { parseConfiguration } from '../../src/configuration/parse-configuration.ts'
import { explainCall } from '../../src/explain/explain-call.ts'
import type { AnsweredCall } from '../../src/model/call-record.ts'
import { makeCall } from '../../src/terminal/request-line.ts'
import { basic } from '../support/client.ts'
import { findDatabase } from '../support/databases.ts'
import { openReference, type WireGateway } from '../support/gateway.ts'

let gateway: WireGateway
before(async () => {
  gateway = await openReference({
    database: findDatabase('SQLite'),
    properties: {
      'ig.trustedProxies': '127.0.0.1',
      'ig.tls.hsts': '2d',
      'ig.errorStyle': 'standard',
      'ig.cors.origins': 'https://hr.example, http://hr.example:8080',
    },
    configure: (configuration) => ({
      ...configuration,
      operations: configuration.operations.map((operation) => {
        const id = `${operation.name}_${operation.method}`
        if (id === 'METADATA_BASIC_GET') return { ...operation, verification: 'BasicSSL' }
        if (id === 'KEY_VALUE_GET') return { ...operation, allowedAddresses: ['192.0.2.0/24', '2001:db8::/32'] }
        if (id === 'CACHED_TIME_GET') return { ...operation, allowsOptions: true }
        return operation
      }),
    }),
  })
})
after(() => gateway.close())

const from = (address: string) => ({ 'x-forwarded-for': address })
const overTls = { 'x-forwarded-proto': 'https' }

test('28.1, 3.10 a call whose TLS ended at a trusted proxy is one over TLS, with a secure cookie', async () => {
  const line = 'GET METADATA_BASIC.v1/'
  const refused = await gateway.call(line, { headers: basic('DEMO') })
  assert.deepEqual([refused.status, refused.headers['ig-refusal']], [403, 'tlsRequired'])
  const { status, headers } = await gateway.call(line, { headers: { ...basic('DEMO'), ...overTls } })
  assert.equal(status, 200)
  assert.match(headers['set-cookie'] ?? '', /; Secure/)
})

test('28.11 with ig.tls.hsts each response to a call over TLS, and no other, has Strict-Transport-Security', async () => {
  for (const line of ['GET ECHO.v1/echo/x', 'GET NOTHING.v1/', 'OPTIONS CACHED_TIME.v1', 'GET /healthz']) {
    const secure = await gateway.call(line, { headers: overTls })
    assert.equal(secure.headers['strict-transport-security'], 'max-age=172800', line)
    const plain = await gateway.call(line)
    assert.equal(plain.headers['strict-transport-security'], undefined, line)
  }
})

test('28.9, 28.3 an operation with allowed addresses refuses any other address before authentication', async () => {
  const line = 'GET KEY_VALUE.v1/none'
  for (const address of ['192.0.2.7', '2001:db8::7', '6.6.6.6, 192.0.2.255'])
    assert.equal((await gateway.call(line, { headers: { ...basic('DEMO'), ...from(address) } })).status, 200, address)
  for (const address of ['192.0.3.1', '192.0.2.7, 6.6.6.6', 'unknown', '192.0.2.7, _hidden', '']) {
    const headers = { ...basic('DEMO', 'wrong'), ...(address && from(address)) }
    const { status, headers: answered, text } = await gateway.call(line, { headers })
    assert.deepEqual([status, answered['ig-refusal']], [403, 'addressDenied'], address)
    assert.equal(JSON.parse(text).detail, 'This operation cannot be called from your address.')
  }
  assert.equal((await gateway.call('GET METADATA.v1/', { headers: from('6.6.6.6') })).status, 200)
})

test('28.9 allowed addresses are a field of the configuration, with its errors and its differences', async () => {
  const { configuration } = gateway.gateway.catalog
  const at = configuration.operations.findIndex(({ allowedAddresses }) => allowedAddresses)
  const changed = (allowedAddresses: readonly string[]) => ({
    ...configuration,
    operations: configuration.operations.map((each, index) => (index === at ? { ...each, allowedAddresses } : each)),
  })
  const parsed = parseConfiguration(changed(['192.0.2.0/33', 'office']))
  const rule = 'must be an address or a network, such as 10.0.0.5, 10.1.0.0/16 or 2001:db8::/32'
  const place = `operations[${at}].allowedAddresses`
  assert.deepEqual(
    'problems' in parsed && parsed.problems,
    [0, 1].map((index) => ({ path: `${place}[${index}]`, message: rule })),
  )
  const differences = diffConfigurations(configuration, { ...configuration, ...changed(['192.0.2.0/24']) })
  assert.match(JSON.stringify(differences), /allowedAddresses/)
})

test('28.12 a page of another site cannot use the Basic credentials of a browser', async () => {
  const site = (value: string) => ({ 'sec-fetch-site': value })
  const rows: readonly (readonly [line: string, headers: Record<string, string>, status: number])[] = [
    ['GET KEY_VALUE.v1/none', { ...basic('DEMO'), ...site('cross-site'), ...from('192.0.2.7') }, 403],
    ['GET METADATA.v1/', { ...basic('DEMO', 'wrong'), ...site('cross-site') }, 403],
    ['POST KEY_VALUE.v1/', { ...basic('DEMO'), ...site('cross-site') }, 403],
    ['GET METADATA.v1/', { ...basic('DEMO'), ...site('same-site') }, 200],
    ['GET METADATA.v1/', { ...basic('DEMO'), ...site('same-origin') }, 200],
    ['GET METADATA.v1/', { ...basic('DEMO'), ...site('none') }, 200],
    ['GET METADATA.v1/', { ...basic('DEMO'), origin: 'https://other.example', ...site('same-site') }, 200],
    ['GET METADATA.v1/', { cookie: 'JSESSIONID=y', ...site('cross-site') }, 200],
    ['GET METADATA.v1/', { authorization: 'Bearer x', ...site('cross-site') }, 401],
    ['GET CACHED_TIME.v1/', { ...basic('DEMO'), ...site('cross-site'), origin: 'https://hr.example' }, 200],
    ['GET CACHED_TIME.v1/', { ...basic('DEMO'), ...site('cross-site'), origin: 'https://other.example' }, 403],
    ['GET CACHED_TIME.v1/', { ...basic('DEMO'), ...site('cross-site') }, 403],
  ]
  for (const [line, headers, status] of rows) {
    const answer = await gateway.call(line, { headers })
    assert.equal(answer.status, status, JSON.stringify([line, headers]))
    if (status === 403) assert.equal(answer.headers['ig-refusal'], 'originRefused')
  }
})

test('28.12 without Sec-Fetch-Site an Origin of another host and port is another site', async () => {
  const rows: readonly (readonly [host: string, origin: string, status: number])[] = [
    ['gw.example', 'http://gw.example', 200],
    ['gw.example', 'https://gw.example', 200],
    ['GW.example', 'http://gw.EXAMPLE', 200],
    ['gw.example', 'http://gw.example:80', 200],
    ['gw.example:80', 'http://gw.example', 200],
    ['gw.example', 'https://gw.example:443', 200],
    ['gw.example:8080', 'http://gw.example:8080', 200],
    ['[2001:db8::1]:8080', 'http://[2001:DB8:0::1]:8080', 200],
    ['192.0.2.1', 'http://192.0.2.1', 200],
    ['gw.example', 'http://gw.example:8080', 403],
    ['gw.example:8080', 'http://gw.example', 403],
    ['gw.example', 'https://gw.example:80', 403],
    ['gw.example', 'http://other.example', 403],
    ['gw.example', 'http://gw.example.other.example', 403],
    ['gw.example', 'http://a.gw.example', 403],
    ['gw.example', 'http://gw.example.', 403],
    ['gw.example', 'http://other.example/gw.example', 403],
    ['gw.example', 'http://gw.example@other.example', 403],
    ['gw.example', 'http://user@gw.example', 403],
    ['gw.example', 'http://gw.example/', 403],
    ['gw.example', 'http://gw.example http://other.example', 403],
    ['[2001:db8::1]', 'http://[2001:db8::2]', 403],
    ['gw.example', 'moz-extension://gw.example', 403],
    ['gw.example', 'file://', 403],
    ['gw.example', 'gw.example', 403],
    ['gw.example', 'null', 403],
    ['gw.example', '', 403],
  ]
  const ask = async (line: string, headers: Record<string, string>) => {
    const { status, headers: answered } = await gateway.call(line, { headers })
    return `${status} ${answered['ig-refusal'] ?? ''}`.trim()
  }
  for (const [host, origin, status] of rows) {
    const headers = { 'x-forwarded-host': host, origin }
    const expected = status === 403 ? '403 originRefused' : '200'
    assert.equal(await ask('GET METADATA.v1/', { ...headers, ...basic('DEMO') }), expected, `${host} ${origin}`)
    assert.equal(await ask('GET METADATA.v1/', headers), '200', `${host} ${origin}`)
  }
  // An operation that answers OPTIONS answers the origins of ig.cors.origins
  const line = 'GET CACHED_TIME.v1/'
  const at = (origin: string) => ({ 'x-forwarded-host': 'gw.example', origin, ...basic('DEMO') })
  for (const origin of ['https://hr.example', 'http://hr.example:8080', 'http://gw.example'])
    assert.equal(await ask(line, at(origin)), '200', origin)
  for (const origin of ['http://hr.example', 'https://hr.example:8443', 'null'])
    assert.equal(await ask(line, at(origin)), '403 originRefused', origin)
  assert.equal(await ask('GET METADATA.v1/', at('https://hr.example')), '403 originRefused')
})

test('2.4 with ig.cors.origins every response to one of them names it, and Vary names Origin', async () => {
  const ask = async (line: string, origin?: string) => {
    const { headers } = await gateway.call(line, { headers: { ...basic('DEMO'), ...(origin && { origin }) } })
    return [headers['access-control-allow-origin'], headers.vary?.includes('origin')]
  }
  for (const line of ['GET CACHED_TIME.v1/', 'OPTIONS CACHED_TIME.v1/']) {
    assert.deepEqual(await ask(line, 'https://hr.example'), ['https://hr.example', true], line)
    assert.deepEqual(await ask(line, 'https://other.example'), [undefined, true], line)
    assert.deepEqual(await ask(line), [undefined, true], line)
  }
  assert.deepEqual(await ask('GET METADATA.v1/'), [undefined, undefined])
})

test('28.8 a trial of a call reports which address counts, and why, and what it decides', async () => {
  const { proxies } = gateway.settings
  const place = { gatewayPath: 'PSIGW', node: 'LOCAL_NODE', maxBodyBytes: 100, proxies, rawUrlBytes: false }
  const explain = async (options: { readonly header?: readonly string[]; readonly from?: string }) => {
    const call = makeCall('GET', '/KEY_VALUE.v1/none', place, options)
    const { decisions } = await explainCall(call, gateway.gateway)
    const [first, , , authentication] = decisions
    return [first?.step, first?.text, authentication?.refusal]
  }
  const header = ['X-Forwarded-For: 192.0.2.7', 'X-Forwarded-Proto: https']
  const stated = '192.0.2.7 over TLS, as the trusted proxy 127.0.0.1 states'
  assert.deepEqual(await explain({ header }), ['address', stated, 'basicRejected'])
  const unstated = '127.0.0.1 without TLS: a trusted proxy, which states no caller'
  assert.deepEqual(await explain({}), ['address', unstated, 'addressDenied'])
  const ignored =
    '192.0.2.9 without TLS, as the connection shows, which is no trusted proxy: what it says in headers does not count'
  assert.deepEqual(await explain({ header, from: '192.0.2.9' }), ['address', ignored, 'basicRejected'])
})

test('28.1, 28.8 logs, monitor and traces have the address of the caller, and the proxy that states it', async () => {
  const { headers } = await gateway.call('GET METADATA.v1/', { headers: from('192.0.2.7') })
  const answered = gateway.observations.find(
    (each): each is AnsweredCall => each.kind === 'answered' && each.transaction.id === headers['ig-transaction-id'],
  )
  assert.deepEqual([answered?.call.remoteAddress, answered?.call.proxy], ['192.0.2.7', '127.0.0.1'])
})
