/** Connections that begin with a header of the PROXY protocol (specification 28.6, 28.7). */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { connect as connectSecure } from 'node:tls'
import fc from 'fast-check'
import { openAddressList } from '../../src/base/address-list.ts'
import { readProxyHeader } from '../../src/http/proxy-header.ts'
import { modernSuites } from '../../src/settings/tls.ts'
import { readSettings } from '../../src/settings.ts'
import { makeCertificate } from '../support/certificate.ts'
import { openEdge } from '../support/edge.ts'
import { openRawSocket } from '../support/raw-socket.ts'

const get = 'GET / HTTP/1.1\r\nHost: inner\r\nConnection: close\r\n'
const folder = mkdtempSync(join(tmpdir(), 'ig-proxy-protocol-'))
let edge: Awaited<ReturnType<typeof open>>
function open(limits = {}) {
  return openEdge({
    limits: { headersTimeout: 60_000, ...limits },
    settings: {
      proxies: {
        list: openAddressList(['127.0.0.1', '10.0.0.5']),
        header: 'x-forwarded',
        protocol: true,
        clientCa: undefined,
      },
      tls: {
        ...{ minVersion: 'TLSv1.2', maxVersion: 'TLSv1.3', ciphers: modernSuites, strictFiles: false },
        ...{ cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem'), port: 0 },
      },
    },
    operation: ({ remoteAddress, isSecure, proxy, headers }) =>
      `${remoteAddress} ${isSecure ? 'https' : 'http'} ${proxy} ${headers.host}`,
  })
}
before(async () => {
  const { cert, key } = makeCertificate()
  writeFileSync(join(folder, 'cert.pem'), cert)
  writeFileSync(join(folder, 'key.pem'), key)
  edge = await open()
})
after(async () => {
  await edge.close()
  rmSync(folder, { recursive: true })
})

const signature = '0d0a0d0a000d0a515549540a'
/** Version 2: command, family, addresses, further fields. */
function binary(command: number, family: number, addresses: string, fields = ''): Buffer {
  const body = Buffer.from(addresses + fields, 'hex')
  const head = Buffer.from([command, family, body.length >> 8, body.length & 255])
  return Buffer.concat([Buffer.from(signature, 'hex'), head, body])
}
const four = 'c0000207 0a000001 1267 01bb'.replaceAll(' ', '') // 192.0.2.7
const six = `20010db8${'0'.repeat(22)}07${'0'.repeat(32)}126701bb`
const overTls = '200005' + '01' + '00000000'
const notOverTls = '200005' + '00' + '00000000'

const accepted: readonly (readonly [header: string | Buffer, expected: string])[] = [
  ['PROXY TCP4 192.0.2.7 10.0.0.1 4711 443\r\n', '192.0.2.7 http'],
  ['PROXY TCP6 2001:DB8::7 ::1 4711 443\r\n', '2001:db8::7 http'],
  ['PROXY TCP6 ::ffff:192.0.2.7 ::1 4711 443\r\n', '192.0.2.7 http'],
  ['PROXY UNKNOWN\r\n', '127.0.0.1 http'],
  [`PROXY UNKNOWN ${'x'.repeat(91)}\r\n`, '127.0.0.1 http'],
  [binary(0x20, 0x00, ''), '127.0.0.1 http'],
  [binary(0x20, 0x11, four), '127.0.0.1 http'],
  [binary(0x21, 0x00, ''), '127.0.0.1 http'],
  [binary(0x21, 0x11, four), '192.0.2.7 http'],
  [binary(0x21, 0x21, six), '2001:db8::7 http'],
  [binary(0x21, 0x31, '2f'.repeat(216)), '127.0.0.1 http'],
  [binary(0x21, 0x11, four, overTls), '192.0.2.7 https'],
  [binary(0x21, 0x11, four, `030004deadbeef${notOverTls}`), '192.0.2.7 http'],
  [binary(0x21, 0x11, four, `04fff0${'00'.repeat(0xfff0)}`), '192.0.2.7 http'],
  [binary(0x21, 0x00, overTls), '127.0.0.1 http'],
  [binary(0x20, 0x11, four, overTls), '127.0.0.1 http'],
  [binary(0x21, 0x31, '2f'.repeat(216), overTls), '127.0.0.1 http'],
  ['PROXY TCP4 10.0.0.5 10.0.0.1 1 2\r\n', '10.0.0.5 http'],
]
const forged =
  'X-Forwarded-For: 6.6.6.6\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Host: evil.example\r\n' +
  'Forwarded: for=6.6.6.6;proto=https;host=evil.example\r\nClient-Cert: :AAAA:\r\n'

test('28.6 the header of a trusted proxy names the caller, in both versions, and no header of the caller is read', async () => {
  for (const [header, expected] of accepted)
    for (const more of ['', forged]) {
      const socket = await openRawSocket(edge.url)
      socket.write(Buffer.concat([Buffer.from(header), Buffer.from(`${get}${more}\r\n`)]))
      assert.equal((await socket.readReply()).text, `${expected} 127.0.0.1 inner`, String(header).slice(0, 60))
      socket.destroy()
    }
})

test('28.6 it comes before TLS, and may come in pieces', async () => {
  const { port } = new URL(edge.tlsUrl ?? '')
  const raw = connect(Number(port), '127.0.0.1').setNoDelay(true)
  const header = binary(0x21, 0x11, four, notOverTls)
  for (let at = 0; at < header.length; at += 7) {
    raw.write(header.subarray(at, at + 7))
    await new Promise(setImmediate)
  }
  const secure = connectSecure({ socket: raw, rejectUnauthorized: false })
  await once(secure, 'secureConnect')
  secure.write(`${get}\r\n`)
  assert.match(await text(secure), /\r\n\r\n192\.0\.2\.7 https 127\.0\.0\.1 inner$/)
  const plain = await openRawSocket(edge.url)
  for (const byte of `PROXY TCP4 192.0.2.7 10.0.0.1 1 2\r\n${get}\r\n`) {
    plain.write(byte)
    await new Promise(setImmediate)
  }
  assert.equal((await plain.readReply()).text, '192.0.2.7 http 127.0.0.1 inner')
  plain.destroy()
})

const refused: readonly (string | Buffer)[] = [
  `${get}\r\n`,
  'PROXY TCP4 192.0.2.7 10.0.0.1 4711 443\n',
  'PROXY TCP4 192.0.2.7 10.0.0.1 4711\r\n',
  'PROXY TCP4 192.0.2.7 10.0.0.1 4711 65536\r\n',
  'PROXY TCP4 192.0.2.7 10.0.0.1 04711 443\r\n',
  'PROXY TCP4 2001:db8::7 ::1 4711 443\r\n',
  'PROXY TCP6 192.0.2.7 10.0.0.1 4711 443\r\n',
  'PROXY TCP4 192.0.2.07 10.0.0.1 4711 443\r\n',
  'PROXY TCP4  192.0.2.7 10.0.0.1 4711 443\r\n',
  'proxy TCP4 192.0.2.7 10.0.0.1 4711 443\r\n',
  'PROXY UDP4 192.0.2.7 10.0.0.1 4711 443\r\n',
  `PROXY UNKNOWN ${'x'.repeat(92)}\r\n`,
  `PROXY TCP4 ${'1'.repeat(200)}`,
  binary(0x11, 0x11, four),
  binary(0x22, 0x11, four),
  binary(0x21, 0x13, four),
  binary(0x21, 0x41, four),
  binary(0x21, 0x11, four.slice(2)),
  binary(0x21, 0x21, four),
  binary(0x21, 0x11, four, '2000'),
  binary(0x21, 0x11, four, '200006010000000000'.slice(0, 12)),
  binary(0x21, 0x11, four, '200000'),
  binary(0x21, 0x11, four, overTls + notOverTls),
]

test('28.7 a malformed or missing header closes the connection, without an answer', async () => {
  for (const header of refused) {
    const socket = await openRawSocket(edge.url)
    socket.write(header)
    assert.equal((await socket.closed).length, 0, String(header).slice(0, 60))
  }
  const events = edge.observations.filter((each) => each.kind === 'event')
  assert.deepEqual(
    events.map(({ name }) => name),
    ['proxyRefused'],
  )
})

test('28.7 a header cut short closes the connection, and a repeated one is refused as no request', async () => {
  for (const header of [Buffer.from('PROXY TCP4 192.0.2.7 10.'), binary(0x21, 0x11, four).subarray(0, 20)]) {
    const socket = await openRawSocket(edge.url, { allowHalfOpen: true })
    socket.write(header)
    socket.end()
    assert.equal((await socket.closed).length, 0)
  }
  const line = 'PROXY TCP4 192.0.2.7 10.0.0.1 4711 443\r\n'
  for (const header of [line, binary(0x21, 0x11, four)]) {
    const socket = await openRawSocket(edge.url)
    socket.write(Buffer.concat([Buffer.from(line), Buffer.from(header), Buffer.from(`${get}\r\n`)]))
    assert.equal((await socket.readReply()).status, 400)
    assert.equal((await socket.closed).length, 0)
  }
})

test('28.7 a connection from any other address is closed, with and without a header', async () => {
  for (const written of ['', 'PROXY TCP4 192.0.2.7 10.0.0.1 4711 443\r\n'])
    for (const url of [edge.url, edge.tlsUrl ?? '']) {
      const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', localAddress: '127.0.0.2' })
      socket.on('error', () => {})
      if (written) socket.write(written)
      socket.resume()
      await once(socket, 'close')
      assert.equal(socket.bytesRead, 0)
    }
  const told = edge.observations.map((each) => (each.kind === 'event' ? each.message : '')).join('\n')
  assert.match(told, /one from 127\.0\.0\.2: it is no trusted proxy \(ig\.trustedProxies\)/)
})

test('28.7 a header that never comes ends after the time limit of heads, and keeps no gateway from ending', async () => {
  await using hasty = await openEdge({
    limits: { headersTimeout: 20, shutdownGrace: 10 },
    settings: {
      proxies: { list: openAddressList(['127.0.0.1']), header: 'x-forwarded', protocol: true, clientCa: undefined },
    },
  })
  const silent = await openRawSocket(hasty.url)
  assert.equal((await silent.closed).length, 0)
  const patient = await open({ shutdownGrace: 10 })
  const waiting = await openRawSocket(patient.url)
  waiting.write('PROXY TCP4 ')
  await patient.close()
  await waiting.closed
})

test('28.6, 28.7 whatever comes, it is a header, the beginning of one, or malformed', () => {
  const whole = binary(0x21, 0x11, four, overTls)
  const line = Buffer.from('PROXY TCP4 192.0.2.7 10.0.0.1 4711 443\r\n')
  for (const header of [whole, line])
    for (let length = 0; length < header.length; length += 1)
      assert.equal(readProxyHeader(header.subarray(0, length)), 'more')
  const damaged = fc
    .tuple(fc.constantFrom(whole, line), fc.nat(60), fc.nat(255))
    .map(([header, at, byte]) => Buffer.from(header.map((each, index) => (index === at ? byte : each))))
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 80 }).map(Buffer.from), damaged), (bytes) => {
      const header = readProxyHeader(bytes)
      if (typeof header === 'object') assert.ok(header.length <= bytes.length)
    }),
    { numRuns: 200 },
  )
})

test('28.7 the PROXY protocol without trusted proxies is an error of the settings', () => {
  const given = { 'ig.proxyProtocol': { value: 'true', option: 'test' } }
  assert.throws(() => readSettings(folder, {}, given), /ig\.trustedProxies is missing: with ig\.proxyProtocol=true/)
})
