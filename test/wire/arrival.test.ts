/** What proxies write about a call counts where the connection is a trusted proxy's, and nowhere else (specification 28). */
import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import { networkInterfaces } from 'node:os'
import { after, before, test } from 'node:test'
import { openAddressList } from '../../src/base/address-list.ts'
import type { HeaderFamily } from '../../src/model/arrival.ts'
import { readSettings, SettingsProblems } from '../../src/settings.ts'
import { send } from '../support/client.ts'
import { openEdge } from '../support/edge.ts'
import { openRawSocket, sendRaw } from '../support/raw-socket.ts'

const hasNoIpv6 = !JSON.stringify(networkInterfaces()).includes('"::1"') && 'This machine has no IPv6.'

/** The test calls from the first two: the third is no loopback address, so that a caller can have it. */
const trusted = ['127.0.0.1', '127.1.0.0/16', '10.0.0.5', '2001:db8:f::/48']
const open = (header: HeaderFamily) =>
  openEdge({
    settings: { proxies: { list: openAddressList(trusted), header, protocol: false, clientCa: undefined } },
    operation: ({ remoteAddress, isSecure, headers, proxy }) =>
      `${remoteAddress} ${isSecure ? 'https' : 'http'} ${headers.host} ${proxy ?? 'direct'}`,
  })
type Edge = Awaited<ReturnType<typeof open>>
let edges: Readonly<Record<HeaderFamily, Edge>>
before(async () => {
  edges = { 'x-forwarded': await open('x-forwarded'), forwarded: await open('forwarded') }
})
after(async () => {
  for (const edge of Object.values(edges)) await edge.close()
})

async function ask(family: HeaderFamily, lines: readonly string[]): Promise<string> {
  const head = ['GET / HTTP/1.1', 'Host: inner:8080', ...lines, '', ''].join('\r\n')
  return (await sendRaw(edges[family].url, head)).text
}

type Row = readonly [lines: string | readonly string[], expected: string]

const addresses: readonly Row[] = [
  ['X-Forwarded-For: 192.0.2.7', '192.0.2.7'],
  ['X-Forwarded-For: 6.6.6.6, 192.0.2.7', '192.0.2.7'],
  [['X-Forwarded-For: 6.6.6.6', 'x-forwarded-for: 192.0.2.7'], '192.0.2.7'],
  ['X-Forwarded-For: 192.0.2.7, 10.0.0.5', '192.0.2.7'],
  ['X-Forwarded-For: 6.6.6.6, 192.0.2.7 ,10.0.0.5,\t127.1.2.3', '192.0.2.7'],
  ['X-Forwarded-For: 192.0.2.7,, ,', '192.0.2.7'],
  ['X-Forwarded-For: 10.0.0.5', '10.0.0.5'],
  ['X-Forwarded-For: 192.0.2.7:4711', '192.0.2.7'],
  ['X-Forwarded-For: [2001:DB8::7]:4711', '2001:db8::7'],
  ['X-Forwarded-For: 2001:0db8:0:0::7', '2001:db8::7'],
  ['X-Forwarded-For: 192.0.2.7, 2001:db8:f::1', '192.0.2.7'],
  ['X-Forwarded-For: ::ffff:192.0.2.7', '192.0.2.7'],
  ['X-Forwarded-For: 192.0.2.7, ::ffff:a00:5', '192.0.2.7'],
  ['X-Forwarded-For: 192.0.2.7, unknown', 'unknown'],
  ['X-Forwarded-For: 192.0.2.7, _hidden', 'unknown'],
  ['X-Forwarded-For: 192.0.2.7, 10.0.0.05', 'unknown'],
  ['X-Forwarded-For: 192.0.2.7, [10.0.0.5]', 'unknown'],
  ['X-Forwarded-For: 192.0.2.7, fe80::1%eth0', 'unknown'],
  ['X-Forwarded-For: 192.0.2.7, 0x0a000005', 'unknown'],
  ['X-Forwarded-For: "192.0.2.7"', 'unknown'],
  [`X-Forwarded-For: ${'9'.repeat(20_000)}`, 'unknown'],
  [`X-Forwarded-For: ${'6.6.6.6,'.repeat(3500)}192.0.2.7`, '192.0.2.7'],
  [`X-Forwarded-For: 192.0.2.7${',10.0.0.5'.repeat(3000)}`, '192.0.2.7'],
  ['X-Forwarded-For:', '127.0.0.1'],
  [[], '127.0.0.1'],
  ['Forwarded: for=6.6.6.6', '127.0.0.1'],
  ['X-Real-IP: 6.6.6.6', '127.0.0.1'],
]

test('28.1, 28.3 of X-Forwarded-For the address counts that a trusted proxy wrote, from the right', async () => {
  const found: Row[] = []
  for (const [lines] of addresses) {
    const [address = '', , , proxy] = (await ask('x-forwarded', [lines].flat())).split(' ')
    assert.equal(proxy, '127.0.0.1')
    found.push([lines, address])
  }
  assert.deepEqual(found, addresses)
})

const schemes: readonly Row[] = [
  ['X-Forwarded-Proto: https', 'https inner:8080'],
  ['X-Forwarded-Proto: HTTPS', 'https inner:8080'],
  ['X-Forwarded-Proto: http', 'http inner:8080'],
  ['X-Forwarded-Proto: https, http', 'http inner:8080'],
  ['X-Forwarded-Proto: https, https', 'http inner:8080'],
  [['X-Forwarded-Proto: https', 'X-Forwarded-Proto: https'], 'http inner:8080'],
  ['X-Forwarded-Proto: https;', 'http inner:8080'],
  ['Forwarded: proto=https;host=evil.example', 'http inner:8080'],
  ['X-Forwarded-Ssl: on', 'http inner:8080'],
  ['X-Forwarded-Host: api.example.com', 'http api.example.com'],
  ['X-Forwarded-Host: evil.example, api.example.com:8443', 'http api.example.com:8443'],
  [['X-Forwarded-Host: evil.example', 'X-Forwarded-Host: [2001:db8::1]:443'], 'http [2001:db8::1]:443'],
  ['X-Forwarded-Host: api.example.com, bad host', 'http inner:8080'],
  ['X-Forwarded-Host: ', 'http inner:8080'],
]

test('28.4, 28.5 a scheme counts as a single value, and of several hosts the last one', async () => {
  const found: Row[] = []
  for (const [lines] of schemes) {
    const [, scheme, host] = (await ask('x-forwarded', [lines].flat())).split(' ')
    found.push([lines, `${scheme} ${host}`])
  }
  assert.deepEqual(found, schemes)
})

const forwarded: readonly Row[] = [
  ['Forwarded: for=192.0.2.7;proto=https;host=api.example.com', '192.0.2.7 https api.example.com'],
  ['Forwarded: For="[2001:db8::7]:4711" ; Proto=HTTPS', '2001:db8::7 https inner:8080'],
  ['Forwarded: for=192.0.2.7:4711;by=_inner', '192.0.2.7 http inner:8080'],
  ['Forwarded: for=6.6.6.6;proto=https;host=evil.example, for=192.0.2.7', '192.0.2.7 http inner:8080'],
  [['Forwarded: for=6.6.6.6;proto=https', 'Forwarded: for=192.0.2.7;proto=http'], '192.0.2.7 http inner:8080'],
  ['Forwarded: for=192.0.2.7;proto=https;host=a.example, for=10.0.0.5;host=b.example', '192.0.2.7 https a.example'],
  ['Forwarded: for=192.0.2.7;proto=https, for=10.0.0.5;proto=https', '192.0.2.7 https inner:8080'],
  ['Forwarded: for=192.0.2.7;proto=https, for=10.0.0.5;proto=http', '192.0.2.7 http inner:8080'],
  ['Forwarded: for=192.0.2.7, proto=https;host=b.example', '127.0.0.1 https b.example'],
  ['Forwarded: for=6.6.6.6;x="open, for=192.0.2.7;proto=http', '192.0.2.7 http inner:8080'],
  ['Forwarded: for=6.6.6.6;x="open, for="[2001:db8::7]";proto=http', '2001:db8::7 http inner:8080'],
  ['Forwarded: for=6.6.6.6;x="a\\", for="192.0.2.7";host="b.example"', '192.0.2.7 http b.example'],
  ['Forwarded: for=192.0.2.7;x="a,b;c\\",d=\\"e"', '192.0.2.7 http inner:8080'],
  ['Forwarded: for=192.0.2.7, for=unknown;proto=https', 'unknown https inner:8080'],
  ['Forwarded: for=192.0.2.7, for="_hidden"', 'unknown http inner:8080'],
  ['Forwarded: for=192.0.2.7, for=10.0.0.5;for=6.6.6.6;proto=https', 'unknown http inner:8080'],
  ['Forwarded: for=192.0.2.7, 10.0.0.5', 'unknown http inner:8080'],
  ['Forwarded: for=192.0.2.7;proto=https;host="bad host"', '192.0.2.7 https inner:8080'],
  ['Forwarded: for=192.0.2.7;,,', '192.0.2.7 http inner:8080'],
  [`Forwarded: ${'for=6.6.6.6;x="\\\\\\"",'.repeat(1200)}for=192.0.2.7`, '192.0.2.7 http inner:8080'],
  [`Forwarded: for="${'\\"'.repeat(10_000)}`, 'unknown http inner:8080'],
  ['Forwarded: ', '127.0.0.1 http inner:8080'],
  [['X-Forwarded-For: 6.6.6.6', 'X-Forwarded-Proto: https'], '127.0.0.1 http inner:8080'],
]

test('28.2, 28.3, 28.4, 28.5 Forwarded is read in place of X-Forwarded-*, an element for each proxy', async () => {
  const found: Row[] = []
  for (const [lines] of forwarded) {
    const told = await ask('forwarded', [lines].flat())
    found.push([lines, told.replace(/ 127\.0\.0\.1$/, '')])
  }
  assert.deepEqual(found, forwarded)
})

test('28.1 from any other address forwarding headers change nothing', async () => {
  const headers = {
    host: 'inner:8080',
    'x-forwarded-for': '6.6.6.6',
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'evil.example',
    forwarded: 'for=6.6.6.6;proto=https;host=evil.example',
  }
  const agent = new Agent({ localAddress: '127.0.0.2' } as object)
  for (const { url } of Object.values(edges)) {
    const { text, headers: answered } = await send(url, 'GET /', { headers, agent })
    assert.equal(text, '127.0.0.2 http inner:8080 direct')
    assert.doesNotMatch(answered['set-cookie'] ?? '', /Secure/)
  }
  agent.destroy()
})

test('28.3 an IPv4 address counts as IPv4 on a listener of both families', { skip: hasNoIpv6 }, async () => {
  const settings = { host: '::', proxies: undefined }
  await using edge = await openEdge({ settings, operation: ({ remoteAddress }) => remoteAddress })
  const { port } = new URL(edge.url)
  assert.equal((await send(`http://127.0.0.1:${port}`, 'GET /')).text, '127.0.0.1')
  assert.equal(await (await fetch(`http://[::1]:${port}/`)).text(), '::1')
})

test('28.1, 28.4 on one connection each call has what its own headers say', async () => {
  const socket = await openRawSocket(edges['x-forwarded'].url)
  const call = (more: string) => socket.write(`GET / HTTP/1.1\r\nHost: inner\r\n${more}\r\n`)
  call('X-Forwarded-For: 192.0.2.1\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Host: a.example\r\n')
  call('')
  const [first, second] = [await socket.readReply(), await socket.readReply()]
  assert.equal(first.text, '192.0.2.1 https a.example 127.0.0.1')
  assert.match(first.header('set-cookie') ?? '', /; Secure$/)
  assert.equal(second.text, '127.0.0.1 http inner 127.0.0.1')
  assert.doesNotMatch(second.header('set-cookie') ?? '', /Secure/)
  socket.destroy()
})

test('28.1 ig.trustedProxies takes addresses and networks, and warns if it is everyone', () => {
  const read = (properties: Readonly<Record<string, string>>) => {
    const given = Object.entries({ ...properties, 'ig.database': 'x.sqlite' })
    return readSettings(
      '/nowhere',
      {},
      Object.fromEntries(given.map(([key, value]) => [key, { value, option: 'test' }])),
    )
  }
  const { proxies } = read({ 'ig.trustedProxies': '10.0.0.5, 10.1.0.0/16,::ffff:10.2.0.0/112, 2001:DB8::/32, fe80::1' })
  const included = (address: string) => proxies?.list.includes(address)
  for (const address of ['10.0.0.5', '10.1.2.3', '10.2.255.1', '::ffff:10.1.2.3', '2001:db8:1::', 'fe80::1%eth0'])
    assert.equal(included(address), true, address)
  for (const address of ['10.0.0.6', '10.3.0.0', '2001:db9::', '::ffff:10.0.0.6', 'unknown', '', '10.0.0.5:80'])
    assert.equal(included(address), false, address)
  assert.equal(read({}).proxies, undefined)
  for (const wrong of [
    'proxy.example',
    '10.0.0.0/33',
    '10.0.0',
    '::1/129',
    '10.0.0.1-10.0.0.9',
    '10.0.0.5,',
    '::ffff:10.0.0.0/8',
  ])
    assert.throws(
      () => read({ 'ig.trustedProxies': wrong }),
      (error) => error instanceof SettingsProblems && /must be an address or a network/.test(error.message),
    )
  const { warnings } = read({ 'ig.trustedProxies': '0.0.0.0/0' })
  assert.match(
    warnings.map(({ path, message }) => `${path} ${message}`).join(),
    /ig\.trustedProxies trusts every address/,
  )
})
