/** TLS: versions, suites, certificates that are renewed, a plain port that is off (specification 7.12 to 7.15). */
import assert from 'node:assert/strict'
import { generateKeyPairSync, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls'
import type { Observation } from '../../src/model/observation.ts'
import { modernSuites } from '../../src/settings/tls.ts'
import type { TlsSettings } from '../../src/settings.ts'
import { followCertificate, readCertificate } from '../../src/tls/certificate.ts'
import { openTestAdmin } from '../support/admin.ts'
import { makeCertificate } from '../support/certificate.ts'
import { findDatabase } from '../support/databases.ts'
import { openEdge } from '../support/edge.ts'
import { referenceFolder } from '../support/gateway.ts'
import { poll } from '../support/poll.ts'
import { sendRaw } from '../support/raw-socket.ts'
import { runVerb } from '../support/run-verb.ts'

const policy = { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.3', ciphers: modernSuites, strictFiles: false } as const
const pairs = [makeCertificate(), makeCertificate(), makeCertificate()] as const
const serials = pairs.map(({ cert }) => new X509Certificate(cert).serialNumber)
let folder = ''
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ig-certificate-'))
})
after(() => rm(folder, { recursive: true }))

async function place(name: string, { cert, key }: { cert: string; key: string } = pairs[0]): Promise<TlsSettings> {
  const at = join(folder, name)
  await mkdir(at, { recursive: true })
  await write(at, { cert, key })
  return { ...policy, cert: join(at, 'cert.pem'), key: join(at, 'key.pem') }
}

async function write(at: string, { cert, key }: { cert: string; key: string }): Promise<void> {
  await replace(join(at, 'cert.pem'), cert)
  await replace(join(at, 'key.pem'), key)
}

/** In one step: a reader meanwhile never finds an empty file. */
async function replace(file: string, text: string): Promise<void> {
  await writeFile(`${file}.new`, text, { mode: 0o600 })
  await rename(`${file}.new`, file)
}

async function shake(url: string, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false, ...options })
  await once(socket, 'secureConnect')
  return socket
}

async function serialAt(url: string): Promise<string> {
  const socket = await shake(url)
  const { serialNumber } = socket.getPeerCertificate()
  socket.destroy()
  return serialNumber
}

/** A server that follows its certificate, and hands over what it tells, one by one. */
async function follow(t: TestContext, tls: TlsSettings) {
  const read = await readCertificate(tls)
  const server = createServer(read, (_, response) => response.end('here')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const events: { name: string; message: string }[] = []
  let wake = () => {}
  const observe = (observation: Observation) => {
    events.push(observation as never)
    wake()
  }
  const end = followCertificate({ tls, read, server, observe, every: 10 })
  t.after(() => {
    end()
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** The next event of that name: two files are changed one after the other, and there may be others between. */
    async next(name: string) {
      for (;;) {
        const event = events.shift()
        if (event?.name === name) return event
        if (!event)
          await new Promise<void>((resolve) => {
            wake = resolve
          })
      }
    },
  }
}

test('7.13 new connections use a rewritten certificate, and open ones continue', async (t) => {
  const tls = await place('written')
  const it = await follow(t, tls)
  const open = await shake(it.url)
  assert.equal(await serialAt(it.url), serials[0])
  await rm(tls.key)
  assert.match((await it.next('certificateRefused')).message, /ENOENT\. The previous ones stay in use/)
  await write(join(folder, 'written'), pairs[1])
  await it.next('certificateReloaded')
  assert.equal(await serialAt(it.url), serials[1])
  open.write('GET / HTTP/1.1\r\nHost: here\r\n\r\n')
  assert.match(String((await once(open, 'data'))[0]), /^HTTP\/1\.1 200/)
  open.destroy()
})

test('7.13 a pair that does not match is not used, and none of its text is reported; a matching one is used', async (t) => {
  const tls = await place('torn')
  const it = await follow(t, tls)
  await replace(tls.cert, pairs[1].cert)
  const { message } = await it.next('certificateRefused')
  assert.match(message, /ERR_OSSL_X509_KEY_VALUES_MISMATCH/)
  assert.equal(await serialAt(it.url), serials[0])
  await replace(tls.key, `secret ${pairs[1].key.slice(40, 90)}`)
  const refused = await it.next('certificateRefused')
  assert.doesNotMatch(refused.message, /secret|MIG/)
  assert.equal(await serialAt(it.url), serials[0])
  await replace(tls.key, pairs[1].key)
  await it.next('certificateReloaded')
  assert.equal(await serialAt(it.url), serials[1])
})

test('7.13 a private key of another type than its certificate is not used, stops a start, and ig check reports it', async (t) => {
  const { privateKey } = generateKeyPairSync('ed25519')
  const other = { cert: pairs[1].cert, key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }
  const tls = await place('kinds')
  const it = await follow(t, tls)
  await write(join(folder, 'kinds'), other)
  assert.match((await it.next('certificateRefused')).message, /ERR_OSSL_X509_KEY_VALUES_MISMATCH/)
  assert.equal(await serialAt(it.url), serials[0])
  const message = `${tls.key} is not the private key of the certificate ${tls.cert}`
  await assert.rejects(readCertificate(tls), { code: 'ERR_OSSL_X509_KEY_VALUES_MISMATCH', message })
  const env = {
    ...{ IG_TLS_CERT: tls.cert, IG_TLS_KEY: tls.key, IG_ADMIN_TLS_CERT: tls.cert, IG_ADMIN_TLS_KEY: tls.key },
    IG_DATABASE: `postgres://u@localhost/d?sslmode=verify-full&sslcert=${tls.cert}&sslkey=${tls.key}`,
  }
  const outcome = await runVerb(['check', '--json'], { cwd: referenceFolder, env, input: '' })
  const { problems, warnings } = JSON.parse(outcome.stdout)
  assert.equal(outcome.code, 1)
  assert.deepEqual(problems, [
    { path: 'ig.tls.key', message },
    { path: 'ig.admin.tls.key', message },
  ])
  const unusable = `has a client certificate that cannot be used: ${message}`
  const ofDatabase = (path: string) =>
    warnings
      .filter((warning: { path: string }) => warning.path === path)
      .map((warning: { message: string }) => warning.message)
  assert.deepEqual(ofDatabase('ig.database'), [unusable])
  await write(join(folder, 'kinds'), pairs[1])
  await it.next('certificateReloaded')
  assert.equal(await serialAt(it.url), serials[1])
})

test('7.13 a file that is empty while it is written is not used, and stops a start', async (t) => {
  const tls = await place('empty')
  const it = await follow(t, tls)
  await writeFile(tls.cert, '')
  assert.match((await it.next('certificateRefused')).message, /EMPTY\. The previous ones stay in use/)
  assert.equal(await serialAt(it.url), serials[0])
  await assert.rejects(readCertificate(tls), { path: tls.cert, message: `${tls.cert} is empty` })
  await write(join(folder, 'empty'), pairs[1])
  await it.next('certificateReloaded')
  assert.equal(await serialAt(it.url), serials[1])
  await writeFile(tls.key, '')
  await it.next('certificateRefused')
  assert.equal(await serialAt(it.url), serials[1])
  await assert.rejects(readCertificate(tls), { path: tls.key })
})

test('7.13 links that are swapped as Kubernetes and certbot do are followed', async (t) => {
  await place('mounted/..1', pairs[0])
  await place('mounted/..2', pairs[1])
  await place('mounted/..3', pairs[2])
  const at = (name: string) => join(folder, 'mounted', name)
  await symlink('..1', at('..data'))
  for (const file of ['cert.pem', 'key.pem']) await symlink(`..data/${file}`, at(file))
  const it = await follow(t, { ...policy, cert: at('cert.pem'), key: at('key.pem') })
  await symlink('..2', at('..new'))
  await rename(at('..new'), at('..data')) // Kubernetes: one link for both
  await it.next('certificateReloaded')
  assert.equal(await serialAt(it.url), serials[1])
  for (const file of ['cert.pem', 'key.pem']) await symlink(`..3/${file}`, at(`new-${file}`))
  for (const file of ['cert.pem', 'key.pem']) await rename(at(`new-${file}`), at(file)) // certbot: one by one
  do await it.next('certificateReloaded')
  while ((await serialAt(it.url)) !== serials[2])
})

test('7.14 with ig.tls.strictFiles a changed key that others can read is not used, until they cannot', async (t) => {
  const tls = { ...(await place('strict')), strictFiles: true }
  const it = await follow(t, tls)
  await chmod(tls.key, 0o644)
  assert.match(
    (await it.next('certificateRefused')).message,
    /the key can be read or changed by other users \(mode 644\)/,
  )
  await write(join(folder, 'strict'), pairs[1])
  await chmod(tls.key, 0o600)
  await it.next('certificateReloaded')
  assert.equal(await serialAt(it.url), serials[1])
})

const ports = (tls: TlsSettings) => ({ settings: { tls: { ...tls, port: 0 } } })

test('7.12 TLS 1.2 and 1.3 are supported, with modern suites', async () => {
  await using edge = await openEdge(ports(await place('modern')))
  const url = edge.tlsUrl ?? ''
  for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
    const socket = await shake(url, { minVersion: version, maxVersion: version })
    assert.equal(socket.getProtocol(), version)
    socket.destroy()
  }
  const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' } as const
  await assert.rejects(shake(url, old), { code: 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION' })
  const weak = ['ECDHE-ECDSA-AES128-SHA256', 'ECDHE-ECDSA-AES256-SHA', 'AES128-GCM-SHA256', 'NULL:eNULL:@SECLEVEL=0']
  for (const ciphers of weak)
    await assert.rejects(
      shake(url, { maxVersion: 'TLSv1.2', ciphers }),
      { code: /HANDSHAKE_FAILURE|NO_CIPHER/ },
      ciphers,
    )
})

test('7.12 versions and suites are settings', async () => {
  const tls = await place('narrow')
  await using narrow = await openEdge(ports({ ...tls, minVersion: 'TLSv1.3' }))
  await assert.rejects(shake(narrow.tlsUrl ?? '', { maxVersion: 'TLSv1.2' }), { code: /PROTOCOL_VERSION/ })
  await using wide = await openEdge(ports({ ...tls, ciphers: 'ECDHE-ECDSA-AES256-SHA' }))
  const socket = await shake(wide.tlsUrl ?? '', { maxVersion: 'TLSv1.2' })
  assert.equal(socket.getCipher().name, 'ECDHE-ECDSA-AES256-SHA')
  socket.destroy()
})

test('7.15 without a plain port the gateway listens over TLS only', async () => {
  const tls = { ...(await place('only')), port: 0 }
  await using edge = await openEdge({ settings: { port: undefined, tls }, operation: ({ isSecure }) => `${isSecure}` })
  assert.match(edge.url, /^https:/)
  assert.equal(edge.url, edge.tlsUrl)
  assert.equal((await sendRaw(edge.url, 'GET / HTTP/1.1\r\nHost: gateway\r\n\r\n')).text, 'true')
})

test('7.13 calls and administration use changed certificates', async (t) => {
  const tls = await place('both')
  const paths = { 'ig.tls.cert': tls.cert, 'ig.tls.key': tls.key, 'ig.tls.port': '0' }
  const properties = { ...paths, 'ig.admin.tls.cert': tls.cert, 'ig.admin.tls.key': tls.key, 'ig.log.level': '-100' }
  const { admin, opened, observations } = await openTestAdmin(t, { database: findDatabase('SQLite'), properties })
  const longer = makeCertificate(5)
  await write(join(folder, 'both'), longer)
  const { serialNumber } = new X509Certificate(longer.cert)
  for (const url of [opened.tlsUrl ?? '', admin.url]) await poll(async () => (await serialAt(url)) === serialNumber)
  const reloaded = observations.filter(({ kind, ...event }) => 'name' in event && event.name === 'certificateReloaded')
  assert.equal(reloaded.length, 2)
})
