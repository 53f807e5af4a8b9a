/** The TLS listener beside the plain one (specification 3.10, 7.1). */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { modernSuites } from '../../src/settings/tls.ts'
import { makeCertificate } from '../support/certificate.ts'
import { openEdge, signalled } from '../support/edge.ts'
import { openRawSocket, sendRaw } from '../support/raw-socket.ts'

const get = 'GET / HTTP/1.1\r\nHost: gateway\r\n\r\n'
let folder = ''
const policy = {
  minVersion: 'TLSv1.2',
  maxVersion: 'TLSv1.3',
  ciphers: modernSuites,
  strictFiles: false,
} as const
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'edge-tls-'))
  const { cert, key } = makeCertificate()
  await Promise.all([writeFile(join(folder, 'cert.pem'), cert), writeFile(join(folder, 'key.pem'), key)])
})
after(() => rm(folder, { recursive: true }))

const secureOptions = (port = 0) => ({
  settings: { tls: { ...policy, cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem'), port } },
})
const openBoth = (limits = {}, port = 0) =>
  openEdge({ ...secureOptions(port), limits, operation: ({ isSecure }) => `secure: ${isSecure}` })

test('3.10, 7.1 both listeners run, only a call over TLS is secure, and so is its cookie', async () => {
  await using edge = await openBoth()
  const secure = await sendRaw(edge.tlsUrl ?? '', get)
  assert.equal(secure.text, 'secure: true')
  assert.match(secure.header('set-cookie') ?? '', /^JSESSIONID=[\w-]{32}; Path=\/; HttpOnly; SameSite=Lax; Secure$/)
  const plain = await sendRaw(edge.url, get)
  assert.equal(plain.text, 'secure: false')
  assert.doesNotMatch(plain.header('set-cookie') ?? '', /Secure/)
})

test('3.10, 3.18 a header that claims TLS does not make a call secure', async () => {
  await using edge = await openBoth()
  const claim = 'X-Forwarded-Proto: https\r\nForwarded: proto=https\r\n'
  assert.equal((await sendRaw(edge.url, get.replace('\r\n\r\n', `\r\n${claim}\r\n`))).text, 'secure: false')
})

test('7.5 framing errors are refused over TLS too, and plain text is disconnected', async () => {
  await using edge = await openBoth()
  const socket = await openRawSocket(edge.tlsUrl ?? '')
  socket.write('G(T / HTTP/1.1\r\n\r\n')
  assert.equal((await socket.readReply()).status, 400)
  assert.equal((await socket.closed).length, 0)
  const plain = await openRawSocket((edge.tlsUrl ?? '').replace('https', 'http'))
  plain.write(get)
  await plain.closed
  assert.equal((await sendRaw(edge.tlsUrl ?? '', get)).status, 200)
})

test('4.15 a handshake that never ends does not keep the gateway from ending', async () => {
  const edge = await openBoth({ shutdownGrace: 10 })
  const socket = await openRawSocket((edge.tlsUrl ?? '').replace('https', 'http'))
  await edge.close()
  await socket.closed
})

test('3.10 a client that disconnects before its handshake is released at once', async () => {
  await using edge = await openBoth({ headersTimeout: 600_000 })
  const socket = await openRawSocket((edge.tlsUrl ?? '').replace('https', 'http'), { allowHalfOpen: true })
  socket.end()
  await socket.closed
})

test('3.10 a TLS port in use closes the plain listener too', async () => {
  await using taken = await openEdge()
  const port = Number(new URL(taken.url).port)
  await assert.rejects(openBoth({}, port), { code: 'EADDRINUSE', port })
})

test('7.5 a flood of pipelined calls over TLS is answered in order', async () => {
  await using edge = await openEdge({ ...secureOptions(), operation: ({ target }) => target })
  const socket = await openRawSocket(edge.tlsUrl ?? '')
  const paths = Array.from({ length: 1000 }, (_, index) => `/${index}`)
  socket.write(paths.map((path) => get.replace('/', path)).join(''))
  for (const path of paths) assert.equal((await socket.readReply()).text, path)
  socket.destroy()
})

test('5.10 a body of many small pieces over TLS is read completely', async () => {
  const begun = signalled()
  await using edge = await openEdge({
    ...secureOptions(),
    async operation(call) {
      const reading = call.readBody()
      begun.resolve()
      return String((await reading).size)
    },
  })
  const socket = await openRawSocket(edge.tlsUrl ?? '')
  socket.write('POST / HTTP/1.1\r\nHost: gateway\r\nTransfer-Encoding: chunked\r\n\r\n')
  await begun.promise // what comes now is taken as it comes
  socket.write(`${'1\r\nx\r\n'.repeat(20_000)}0\r\n\r\n`)
  assert.equal((await socket.readReply()).text, '20000')
  socket.destroy()
})

test('7.5 a client that has closed its sending half is still answered over TLS', async () => {
  const answered = signalled()
  await using edge = await openEdge({ ...secureOptions(), operation: () => answered.promise.then(() => 'late') })
  const socket = await openRawSocket(edge.tlsUrl ?? '', { allowHalfOpen: true })
  socket.write(get)
  socket.end()
  await once(socket.socket, 'finish')
  setImmediate(answered.resolve)
  assert.equal((await socket.readReply()).text, 'late')
})
