/** Specification 3.22: what the gateway fetches of an identity provider, from where, and what it tells of a failure. */
import assert from 'node:assert/strict'
import type { lookup } from 'node:dns'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, createServer as createNetServer, type Server } from 'node:net'
import { type TestContext, test } from 'node:test'
import { type FetchSettings, fetchJson, providerRule } from '../../src/verification/fetch-json.ts'
import { openTestAdmin } from '../support/admin.ts'
import { makeCertificate } from '../support/certificate.ts'
import { findDatabase } from '../support/databases.ts'

const secret = 'root:x:0:0 secret text of an internal page'
const allow: FetchSettings = { privateAddresses: 'allow' }
const refuse: FetchSettings = { privateAddresses: 'refuse' }

async function open(t: TestContext, server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}
const serve = (t: TestContext, listener: RequestListener) => open(t, createServer(listener))

const pages: readonly { title: string; listener: RequestListener; message: RegExp }[] = [
  {
    title: '3.22 for a page that is not JSON no text is reported',
    listener: (_, response) => response.end(secret),
    message: /^the document is not JSON$/,
  },
  {
    title: '3.22 for a page that is not text no text is reported',
    listener: (_, response) => response.end(Buffer.from([0xff, 0xfe, ...Buffer.from(secret)])),
    message: /^the document is not JSON$/,
  },
  {
    title: '3.22 for a page with another status only the status is reported',
    listener: (_, response) => response.writeHead(403, secret).end(secret),
    message: /^the status is not 200 \(403\)$/,
  },
  {
    title: '3.22 a redirect is not followed, and its target is not reported',
    listener: (_, response) => response.writeHead(302, { location: `/${encodeURIComponent(secret)}` }).end(),
    message: /^it redirects; redirects are not followed \(302\)$/,
  },
  {
    title: '3.22 an endless document is abandoned',
    listener(_, response) {
      const more = () => void (response.write(secret.repeat(1000)) ? setImmediate(more) : response.once('drain', more))
      more()
    },
    message: /^the document is longer than 512 KiB$/,
  },
  {
    title: '3.22 a document that is cut off is a failed connection',
    listener: (_, response) =>
      response.writeHead(200, { 'content-length': '1000' }).write(secret, () => response.destroy()),
    message: /^the connection failed \(ECONNRESET\)$/,
  },
]
for (const { title, listener, message } of pages) {
  test(title, async (t) => {
    const asked: string[] = []
    const port = await serve(t, (request, response) => {
      asked.push(request.url ?? '')
      listener(request, response)
    })
    await assert.rejects(fetchJson(`http://127.0.0.1:${port}/start`, allow), { message })
    assert.deepEqual(asked, ['/start'])
  })
}

test('3.22 no HTTP, no TLS, no server and an untrusted certificate are reported with a system code', async (t) => {
  const speaker = await open(
    t,
    createNetServer((socket) => void socket.on('error', () => {}).end(`SSH-2.0-${secret}\r\n`)),
  )
  await assert.rejects(fetchJson(`http://127.0.0.1:${speaker}/`, allow), {
    message: /^the answer is not HTTP \(HPE_\w+\)$/,
  })
  const switches = 'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\n'
  const switcher = await open(
    t,
    createNetServer((socket) => void socket.on('error', () => {}).write(switches)),
  )
  await assert.rejects(fetchJson(`http://127.0.0.1:${switcher}/`, allow), { message: 'the status is not 200 (101)' })
  await assert.rejects(fetchJson(`https://127.0.0.1:${speaker}/`, allow), { message: /^TLS failed \(\w+\)$/ })
  const secure = await open(
    t,
    createSecureServer(makeCertificate(), (_, response) => response.end(secret)),
  )
  await assert.rejects(fetchJson(`https://127.0.0.1:${secure}/`, allow), {
    message: 'TLS failed (DEPTH_ZERO_SELF_SIGNED_CERT)',
  })
  await assert.rejects(fetchJson('http://127.0.0.1:1/', allow), { message: 'the connection failed (ECONNREFUSED)' })
  await assert.rejects(fetchJson('http://provider.invalid/', allow), { kind: 'nameUnknown' })
})

test('3.22 link-local addresses and those of cloud metadata are refused, however they are written', async () => {
  const hosts = [
    '169.254.169.254',
    '0xA9FEA9FE',
    '2852039166',
    '0251.0376.0251.0376',
    '169.254.169.254.',
    '168.63.129.16',
  ]
  const six = ['[::ffff:169.254.169.254]', '[fe80::1]', '[febf::1]', '[fd00:ec2::254]', '[64:ff9b::a9fe:a9fe]']
  const carried = ['[64:ff9b:1::a9fe:a9fe]', '[::169.254.169.254]', '[2002:a9fe:a9fe::1]', '[::ffff:0:169.254.169.254]']
  const ofClouds = ['[fd00:ec2::23]', '[fd20:ce::254]', '[fd00:c1::a9fe:a9fe]', '[fd00:42::42]', '[fd00:a9fe:a9fe::1]']
  for (const host of [...hosts, ...six, ...carried, ...ofClouds])
    await assert.rejects(fetchJson(`http://${host}/latest/meta-data/`, allow), { kind: 'addressRefused' }, host)
})

test('3.22 with ig.oauth.privateAddresses=refuse private and loopback addresses are refused, too', async (t) => {
  const port = await serve(t, (_, response) => response.end('{"keys":[]}'))
  assert.deepEqual(await fetchJson(`http://127.0.0.1:${port}/`, allow), { keys: [] })
  assert.deepEqual(await fetchJson(`http://localhost:${port}/`, allow), { keys: [] })
  const four = ['127.0.0.1', '127.1', '0.0.0.0', '10.1.2.3', '172.31.0.1', '192.168.1.1', '100.64.0.1', '240.0.0.1']
  const six = ['[::1]', '[::]', '[fd12::1]', '[::ffff:10.0.0.1]', '[64:ff9b::10.0.0.1]', '[2002:7f00:1::]', 'localhost']
  for (const host of [...four, ...six])
    await assert.rejects(fetchJson(`http://${host}:${port}/`, refuse), { kind: 'addressRefused' }, host)
})

test('3.22 a name is resolved once, and the connection uses the checked address', async (t) => {
  const asked: string[] = []
  const port = await serve(t, (request, response) => {
    asked.push(request.headers.host ?? '')
    response.end('{}')
  })
  const answers = ['127.0.0.1', '169.254.169.254'] // of a resolver that changes its mind
  let looks = 0
  const rebinding = ((_name: string, _options: object, done: (error: null, found: object[]) => void) =>
    done(null, [{ address: answers[Math.min(looks++, 1)], family: 4 }])) as unknown as typeof lookup
  const url = `http://provider.example:${port}/`
  assert.deepEqual(await fetchJson(url, allow, providerRule(allow, rebinding)), {})
  assert.deepEqual([asked, looks], [[`provider.example:${port}`], 1])
  const other = `http://other.example:${port}/`
  await assert.rejects(fetchJson(other, allow, providerRule(allow, rebinding)), { kind: 'addressRefused' })
  const both = ((_name: string, _options: object, done: (error: null, found: object[]) => void) =>
    done(
      null,
      [answers[0], answers[1]].map((address) => ({ address, family: 4 })),
    )) as unknown as typeof lookup
  await assert.rejects(fetchJson(other, allow, providerRule(allow, both)), { kind: 'addressRefused' })
  assert.equal(asked.length, 1)
})

const database = findDatabase('SQLite')
test('18.26 fetching metadata creates an audit entry without any text of the page', async (t) => {
  const port = await serve(t, (request, response) =>
    response.end(request.url === '/text' ? secret : JSON.stringify({ issuer: `http://${'secret'}.example`, secret })),
  )
  const { ask, observations } = await openTestAdmin(t, { database })
  const { body: draft } = await ask('POST /api/drafts', { body: { title: 'a provider' } })
  const paths = ['/api/oauth2-service-apps/metadata', `/api/drafts/${draft.id}/oauth2-service-apps/from-metadata`]
  const urls = ['/text', '/json?token=secret'].map((path) => `http://127.0.0.1:${port}${path}`)
  const answers: unknown[] = []
  for (const path of paths)
    for (const metadataUrl of [...urls, 'http://169.254.169.254/latest'])
      answers.push((await ask(`POST ${path}`, { body: { metadataUrl } })).body)
  const { body } = await ask('GET /api/audit')
  const entries = body.items.filter(({ subject }: { subject: string }) => subject.startsWith('metadata of http://'))
  assert.deepEqual(
    entries.map(({ action }: { action: string }) => action).sort(),
    ['addDraftOAuth2ServiceAppFromMetadata', 'readServiceAppMetadata'].flatMap((action) => [action, action, action]),
  )
  assert.equal(entries.filter(({ after }: { after: { failure: string } }) => /refused/.test(after.failure)).length, 2)
  assert.doesNotMatch(JSON.stringify([answers, entries, observations]), /secret/)
})
