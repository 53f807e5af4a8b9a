/** Callers that authenticate by a client certificate: own TLS, and as a trusted proxy states it (specification 28). */
import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls'
import { openAddressList } from '../../src/base/address-list.ts'
import { Peer } from '../../src/http/peer.ts'
import { describeCertificate, parseCertificateName } from '../../src/model/certificate.ts'
import { readSettings } from '../../src/settings.ts'
import { openClientAuthorities } from '../../src/tls/client-certificate.ts'
import { type Authority, type KeyPair, openAuthority } from '../support/authority.ts'
import { makeCertificate } from '../support/certificate.ts'
import { basic, send } from '../support/client.ts'
import { findDatabase } from '../support/databases.ts'
import { openReference, root, type WireGateway } from '../support/gateway.ts'
import { poll } from '../support/poll.ts'

const folder = mkdtempSync(join(tmpdir(), 'ig-client-certificate-'))
const file = (name: string) => join(folder, name)
const authority: Authority = openAuthority()
const kim = authority.issue('kim')
const named = authority.issue('named')
const nobody = authority.issue('nobody')
const both = authority.issue('both')
const locked = authority.issue('locked')
const expired = authority.issue('expired', -1)
const revoked = authority.issue('revoked')
const foreign = openAuthority().issue('kim')
let gateway: WireGateway

const fingerprintOf = ({ cert }: KeyPair) => describeCertificate(new X509Certificate(cert)).fingerprint

before(async () => {
  const { cert, key } = makeCertificate()
  writeFileSync(file('cert.pem'), cert)
  writeFileSync(file('key.pem'), key, { mode: 0o600 })
  writeFileSync(file('ca.pem'), authority.cert)
  writeFileSync(file('crl.pem'), authority.revoke(revoked.serial))
  gateway = await openReference({
    database: findDatabase('SQLite'),
    properties: {
      'ig.trustedProxies': '127.0.0.1',
      ...{ 'ig.tls.cert': file('cert.pem'), 'ig.tls.key': file('key.pem'), 'ig.tls.port': '0' },
      ...{ 'ig.tls.clientCa': file('ca.pem'), 'ig.tls.clientCrl': file('crl.pem') },
      'ig.proxy.clientCertificates': 'true',
    },
    configure: (configuration) => ({
      ...configuration,
      operations: configuration.operations.map((operation) =>
        operation.name === 'METADATA_BASIC' ? { ...operation, verification: 'Certificate' } : operation,
      ),
    }),
  })
  const { operators } = gateway.gateway.store
  const subject = 'subject: O = Example\\, Inc., CN = named; issuer: O=Example\\, Inc.,CN=Example CA'
  const names = [fingerprintOf(kim), fingerprintOf(both), fingerprintOf(revoked), fingerprintOf(expired)]
  await operators.setCertificates('DEMO', [...names, fingerprintOf(foreign)])
  await operators.setCertificates('DEMO2', [fingerprintOf(both), parseCertificateName(subject) ?? ''])
  await operators.setCertificates('LOCKED', [fingerprintOf(locked)])
  await poll(() => gateway.gateway.operators.get('LOCKED')?.certificates?.length === 1)
})
after(async () => {
  await gateway.close()
  rmSync(folder, { recursive: true })
})

/** Not from the address of the trusted proxy. */
const elsewhere = { localAddress: '127.0.0.2', host: '127.0.0.1', rejectUnauthorized: false }

async function open(client: Partial<KeyPair> = {}, more: ConnectionOptions & { localAddress?: string } = {}) {
  const { cert, key } = client
  const { port } = new URL(gateway.tlsUrl ?? '')
  const socket = connect({ ...elsewhere, port: Number(port), ...(cert && { cert, key }), ...more } as ConnectionOptions)
  await once(socket, 'secureConnect')
  return socket
}

/** Status, operator, and whether the connection goes on. */
async function ask(socket: TLSSocket, path = 'METADATA_BASIC.v1/', headers = ''): Promise<string> {
  socket.write(`GET ${root}/${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`)
  let text = ''
  for (;;) {
    const [, length] = /\r\ncontent-length: (\d+)\r\n/i.exec(text) ?? []
    if (length !== undefined && text.length >= text.indexOf('\r\n\r\n') + 4 + Number(length)) break
    text += String((await once(socket, 'data'))[0])
  }
  const status = text.split(' ')[1]
  return `${status} ${/"currentUser": ?"(\w+)"/.exec(text)?.[1] ?? ''}${/\r\nconnection: close\r\n/i.test(text) ? ' close' : ''}`
}

async function askOnce(client?: Partial<KeyPair>, path?: string, headers?: string): Promise<string> {
  const socket = await open(client)
  const answer = await ask(socket, path, headers)
  socket.destroy()
  return answer.replace(' close', '')
}

test('28.13, 28.14, 28.16 a certificate names its operator by fingerprint, or by subject and issuer', async () => {
  assert.equal(await askOnce(kim), '200 DEMO')
  assert.equal(await askOnce(named), '200 DEMO2')
  assert.equal(await askOnce(kim, undefined, `Authorization: ${basic('DEMO2').authorization}\r\n`), '200 DEMO')
})

test('28.13, 28.14, 28.16 any other certificate, and none, is refused, with an empty 401', async () => {
  const refused = { none: undefined, nobody, both, locked, expired, revoked, foreign }
  for (const [title, client] of Object.entries(refused)) assert.equal(await askOnce(client), '401 ', title)
  const reasons = gateway.observations.flatMap((each) =>
    each.kind === 'answered' && each.refusal ? [`${each.refusal.code}: ${each.refusal.message}`] : [],
  )
  const expected = [
    /the client sent no certificate/,
    /no operator names the certificate \(claimed: sha256:.*CN=nobody/,
    /2 operators name the certificate/,
    /operator is locked \(claimed: LOCKED\)/,
    /CERT_HAS_EXPIRED/,
    /CERT_REVOKED/,
    /UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT|CERT_SIGNATURE_FAILURE/,
  ]
  for (const [at, pattern] of expected.entries()) assert.match(reasons[at] ?? '', pattern)
  const plain = await gateway.call('GET METADATA_BASIC.v1/', { headers: basic('DEMO') })
  assert.deepEqual([plain.status, plain.text, plain.headers['ig-refusal']], [401, '', undefined])
  assert.equal(plain.headers['www-authenticate'], 'Certificate realm="platform"')
  assert.equal(plain.headers['cache-control'], 'no-store, must-revalidate, private')
})

test('28.14 operations that need no certificate are served without one, and with one that is not valid', async () => {
  for (const client of [undefined, foreign, revoked, expired])
    assert.match(await askOnce(client, 'METADATA.v1/'), /^200 /)
})

test('28.14 no TLS session is resumed, so each connection shows its certificate again', async () => {
  for (const maxVersion of ['TLSv1.3', 'TLSv1.2'] as const) {
    const first = await open(kim, { maxVersion })
    const sessions: Buffer[] = []
    first.on('session', (session) => sessions.push(session))
    assert.equal(await ask(first), '200 DEMO')
    const session = sessions.at(-1) ?? first.getSession()
    first.destroy()
    const second = await open(kim, { maxVersion, ...(session && { session }) })
    assert.equal(second.isSessionReused(), false)
    assert.equal(await ask(second), '200 DEMO')
    second.destroy()
  }
})

test('28.14 a certificate that is revoked while its connection is open ends that connection', async () => {
  const open_ = await open(kim)
  assert.equal(await ask(open_), '200 DEMO')
  const closed = once(open_, 'close')
  writeFileSync(file('crl.pem'), authority.revoke(revoked.serial, kim.serial))
  await closed
  assert.equal(await askOnce(kim), '401 ')
  const refusal = () => gateway.observations.find((each) => each.kind === 'event' && each.name === 'certificateRefused')
  rmSync(file('crl.pem'))
  await poll(() => refusal() !== undefined)
  assert.match(JSON.stringify(refusal()), /\(\S+crl\.pem\): ENOENT\. The previous ones stay in use/)
  assert.equal(await askOnce(kim), '401 ')
  writeFileSync(file('crl.pem'), authority.revoke(revoked.serial))
  const before = gateway.observations.length
  await poll(() =>
    gateway.observations.slice(before).some((each) => each.kind === 'event' && each.name === 'certificateReloaded'),
  )
  assert.equal(await askOnce(kim), '200 DEMO')
})

const stated = ({ cert }: KeyPair) => ({ 'client-cert': `:${new X509Certificate(cert).raw.toString('base64')}:` })

test('28.15 with ig.proxy.clientCertificates Client-Cert of a trusted proxy counts, if ig.tls.clientCa issued it, in the place of its own certificate', async () => {
  const line = 'GET METADATA_BASIC.v1/'
  assert.equal(JSON.parse((await gateway.call(line, { headers: stated(kim) })).text).currentUser, 'DEMO')
  const wrong = { ...stated(nobody) }
  const several = `${stated(kim)['client-cert']}, ${stated(kim)['client-cert']}`
  const invalid = [expired, foreign, { cert: authority.cert } as KeyPair].map((each) => stated(each)['client-cert'])
  const values = [
    wrong['client-cert'],
    several,
    ...invalid,
    ':!:',
    '::',
    ':AAAA:',
    'kim',
    kim.cert.replaceAll('\n', ' '),
  ]
  for (const value of values)
    assert.equal((await gateway.call(line, { headers: { 'client-cert': value } })).status, 401, value.slice(0, 40))
  const proxied = await open(kim, { localAddress: '127.0.0.1' }) // the proxy's own is not the caller's
  assert.match(await ask(proxied), /^401 /)
  proxied.destroy()
})

test('28.15 from anyone else Client-Cert is removed, and no one gets to see it', async () => {
  const agent = new Agent({ localAddress: '127.0.0.2' } as object)
  const headers = { ...stated(kim), 'client-cert-chain': stated(kim)['client-cert'] }
  const { status } = await send(gateway.url, `GET ${root}/METADATA_BASIC.v1/`, { headers, agent })
  assert.equal(status, 401)
  const seen = gateway.observations.at(-1)
  assert.ok(seen?.kind === 'answered')
  assert.deepEqual(
    Object.keys(seen.call.headers).filter((name) => name.startsWith('client-cert')),
    [],
  )
  agent.destroy()
})

test('28.15 without the setting, with the PROXY protocol, and from a proxy in plain text beyond loopback, Client-Cert is not read and no one sees it', async () => {
  const list = openAddressList(['127.0.0.1', '10.0.0.5'])
  const header = 'x-forwarded'
  const authorities = openClientAuthorities(file('ca.pem'))
  const readFrom = (
    remoteAddress: string,
    encrypted: boolean,
    known: typeof authorities | undefined,
    protocol = false,
  ) => {
    const peer = new Peer(
      { remoteAddress, ...(encrypted && { encrypted }) } as never,
      { list, header, protocol },
      known,
      undefined,
    )
    const headers: Record<string, string> = { ...stated(kim), 'client-cert-chain': 'x' }
    peer.receive({ headers } as never)
    const certificate = peer.readCertificate({ headers } as never)
    return typeof certificate === 'object' ? Object.keys(headers).length : [certificate, Object.keys(headers)]
  }
  assert.equal(readFrom('127.0.0.1', false, authorities), 2)
  assert.equal(readFrom('10.0.0.5', true, authorities), 2)
  const unread = ['Client-Cert is not read (ig.proxy.clientCertificates, over TLS or loopback)', []]
  assert.deepEqual(readFrom('127.0.0.1', false, undefined), unread)
  assert.deepEqual(readFrom('10.0.0.5', true, undefined), unread)
  assert.deepEqual(readFrom('10.0.0.5', false, authorities), unread)
  for (const protocol of [true, false])
    assert.deepEqual(readFrom(protocol ? '127.0.0.1' : '10.0.0.6', false, authorities, protocol), [
      'the call came without TLS',
      [],
    ])
})

test('28.15 the setting needs the authorities and the proxies, and goes with no PROXY protocol', () => {
  const given = (more: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries({ 'ig.proxy.clientCertificates': 'true', ...more }).map(([key, value]) => [
        key,
        { value, option: 'test' },
      ]),
    )
  const proxies = { 'ig.trustedProxies': '127.0.0.1' }
  const authorities = { 'ig.tls.clientCa': file('ca.pem') }
  assert.throws(
    () => readSettings(folder, {}, given(proxies)),
    /ig\.tls\.clientCa is missing: ig\.proxy\.clientCertificates/,
  )
  assert.throws(() => readSettings(folder, {}, given(authorities)), /ig\.trustedProxies is missing/)
  const both = { ...proxies, ...authorities }
  assert.throws(
    () => readSettings(folder, {}, given({ ...both, 'ig.proxyProtocol': 'true' })),
    /ig\.proxyProtocol must be/,
  )
  assert.equal(readSettings(folder, {}, given(both)).proxies?.clientCa, file('ca.pem'))
})

test('28.14, 28.15 changed authorities are used, and unusable ones leave the previous ones', () => {
  const own = openAuthority('Other CA')
  const path = file('changing.pem')
  assert.throws(() => openClientAuthorities(path), { path, code: 'ENOENT' })
  writeFileSync(path, 'no certificate')
  assert.throws(() => openClientAuthorities(path), { path, message: /no certificates in PEM/ })
  writeFileSync(path, authority.cert)
  const authorities = openClientAuthorities(path)
  const isValid = (each: KeyPair) => typeof authorities?.readHeader(stated(each)['client-cert']) === 'object'
  const other = own.issue('kim')
  assert.deepEqual([isValid(kim), isValid(other)], [true, false])
  writeFileSync(path, `${authority.cert}${own.cert}`)
  assert.deepEqual([isValid(kim), isValid(other)], [true, true])
  writeFileSync(path, 'nothing')
  assert.deepEqual([isValid(kim), isValid(other)], [true, true])
  rmSync(path)
  assert.deepEqual([isValid(kim), isValid(other)], [true, true])
})

test('28.12 a page of another site cannot use the certificate of a browser', async () => {
  assert.equal(await askOnce(kim, undefined, 'Sec-Fetch-Site: cross-site\r\n'), '403 ')
})

test('28.16 names of certificates have one notation', () => {
  const digits = '0a'.repeat(32)
  const rows: readonly (readonly [string, string | undefined])[] = [
    [`sha256:${digits}`, `sha256:${digits}`],
    [`SHA256: ${digits.toUpperCase().match(/../g)?.join(':')}`, `sha256:${digits}`],
    ['subject: O=A,CN=b; issuer: CN=c', 'subject: O=A, CN=b; issuer: CN=c'],
    ['Subject: O = A\\, B, CN = b;issuer:CN = c', 'subject: O=A\\, B, CN=b; issuer: CN=c'],
    ['subject: CN=\\ b\\ ; issuer: CN=c', 'subject: CN=\\ b\\ ; issuer: CN=c'],
    ['subject: CN=b\u00a0; issuer: CN=c', 'subject: CN=b\u00a0; issuer: CN=c'],
    ['subject: CN=b ; issuer: CN=c', undefined],
    ['subject: CN=b; issuer: CN=c ', undefined],
    [' subject: CN=b; issuer: CN=c', undefined],
    ['subject: O=A , CN=b; issuer: CN=c', undefined],
    ['subject: CN=  b; issuer: CN=c', undefined],
    ['subject: CN=x\\; issuer: CN=y; issuer: CN=z', 'subject: CN=x\\; issuer: CN=y; issuer: CN=z'],
    [`sha256:${digits.slice(2)}`, undefined],
    [`sha1:${digits}`, undefined],
    ['subject: CN=b', undefined],
    ['subject: ; issuer: CN=c', undefined],
    ['subject: CN=b; issuer: c', undefined],
    [`subject: CN=${'b'.repeat(1000)}; issuer: CN=c`, undefined],
    ['subject: CN=b\n; issuer: CN=c', undefined],
    ['', undefined],
  ]
  for (const [text, expected] of rows) assert.equal(parseCertificateName(text), expected, text)
})
