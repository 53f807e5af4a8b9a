/**
 * No caller forges an address, a scheme, a host or a certificate through HAProxy and nginx as `deploy/` and
 * docs/how-to/behind-a-proxy.md have them.
 */
import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent as PlainAgent } from 'node:http'
import { Agent } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { openAddressList } from '../../src/base/address-list.ts'
import { modernSuites } from '../../src/settings/tls.ts'
import { openAuthority } from '../support/authority.ts'
import { makeCertificate } from '../support/certificate.ts'
import { send } from '../support/client.ts'
import { openEdge } from '../support/edge.ts'
import { type ProxyName, skipWithout, startProxy } from '../support/proxies.ts'

const names: readonly ProxyName[] = ['haproxy', 'nginx']
const folder = mkdtempSync(join(tmpdir(), 'ig-forged-'))
const list = openAddressList(['127.0.0.1']) // the proxy; the client is 127.0.0.9
const files = { cert: join(folder, 'tls.crt'), key: join(folder, 'tls.key') }
const clients = openAuthority()
let authority: string
before(() => {
  const { cert, key } = makeCertificate()
  authority = cert
  writeFileSync(files.cert, cert)
  writeFileSync(files.key, key)
  writeFileSync(join(folder, 'clients-ca.pem'), clients.cert)
})
after(() => rmSync(folder, { recursive: true }))

const open = (header: 'x-forwarded' | 'forwarded', protocol = false) =>
  openEdge({
    settings: {
      proxies: { list, header, protocol, clientCa: protocol ? undefined : join(folder, 'clients-ca.pem') },
      tls: {
        ...{ minVersion: 'TLSv1.2', maxVersion: 'TLSv1.3', ciphers: modernSuites, strictFiles: false },
        ...{ ...files, port: 0 },
      },
    },
    operation: ({ remoteAddress, isSecure, headers }) =>
      JSON.stringify({
        came: `${remoteAddress} ${isSecure ? 'https' : 'http'} ${headers.host}`,
        certificate: headers['client-cert'],
        chain: headers['client-cert-chain'],
      }),
  })
const portOf = (url: string | undefined) => Number(new URL(url ?? '').port)
type Edge = Awaited<ReturnType<typeof open>>
const targets = ({ url, tlsUrl }: Edge) => ({
  plain: [portOf(url), portOf(url)] as const,
  secure: [portOf(tlsUrl), portOf(tlsUrl)] as const,
  authority,
})

const stated = (pem: string) => `:${new X509Certificate(pem).raw.toString('base64')}:`
/** A valid one, but not of the caller's connection. */
const certificate = stated(clients.issue('kim').cert)
const forged: readonly Readonly<Record<string, string | string[]>>[] = [
  { 'x-forwarded-for': '6.6.6.6' },
  { 'X-FORWARDED-FOR': ['6.6.6.6', '6.6.6.7'] },
  { 'x-forwarded-for': '6.6.6.6, 127.0.0.1', 'x-real-ip': '6.6.6.6' },
  { 'x-forwarded-proto': 'https' },
  { 'x-forwarded-proto': ['https', 'https'] },
  { 'x-forwarded-host': 'evil.example' },
  { 'x-forwarded-host': ['evil.example', 'evil.example'], 'x-forwarded-port': '1' },
  { forwarded: 'for=6.6.6.6;proto=https;host=evil.example' },
  { forwarded: ['for=6.6.6.6;x="', '";proto=https'] },
  { 'client-cert': certificate, 'client-cert-chain': certificate },
  { 'Client-Cert': [certificate, certificate] },
  { client_cert: certificate, x_forwarded_for: '6.6.6.6', x_forwarded_proto: 'https' },
  { connection: 'close, x-forwarded-for, x-forwarded-proto, x-forwarded-host' },
]
const from = { localAddress: '127.0.0.9' } as object

/** The lines of the page in the place of those of `deploy/`. */
const page = readFileSync(join(import.meta.dirname, '../../docs/how-to/behind-a-proxy.md'), 'utf8')
const fences: Readonly<Record<ProxyName, RegExp>> = {
  haproxy: /```text \[HAProxy\]\n( +http-request [\s\S]*?)```/,
  nginx: /```nginx \[nginx\]\n([\s\S]*?)```/,
}
const ofDeploy: Readonly<Record<ProxyName, RegExp>> = {
  haproxy: /^ +http-request (?:set|del)-header .*\n/gm,
  nginx: /^ +proxy_set_header (?!Connection).*\n/gm,
}
const firstOf: Readonly<Record<ProxyName, RegExp>> = {
  haproxy: /^ +http-request disable-l7-retry .*\n/gm,
  nginx: /^ +proxy_set_header Connection .*\n/gm,
}
const asOnPage = (name: ProxyName) => (text: string) =>
  text
    .replaceAll(ofDeploy[name], '')
    .replaceAll(firstOf[name], (line) => line + (fences[name].exec(page)?.[1] ?? assert.fail(name)))

for (const [name, place] of names.flatMap((each) => [
  [each, 'deploy/'] as const,
  [each, 'behind-a-proxy.md'] as const,
])) {
  test(
    `${name} as in ${place} overwrites every header that a gateway which trusts it would believe`,
    skipWithout(name),
    async () => {
      await using edge = await open('x-forwarded')
      await using other = await open('forwarded')
      const change = place === 'deploy/' ? {} : { change: asOnPage(name) }
      await using proxy = await startProxy(name, { ...targets(edge), ...change })
      await using otherProxy = await startProxy(name, { ...targets(other), ...change })
      const plain = new PlainAgent(from)
      const secure = new Agent({ ...from, rejectUnauthorized: false })
      const ask = async (url: string, headers: (typeof forged)[number]) => {
        const agent = url.startsWith('https') ? secure : plain
        const all = { host: 'api.example.com', ...headers } as Record<string, string>
        return JSON.parse((await send(url, 'GET /', { headers: all, agent })).text)
      }
      for (const headers of forged) {
        const came = (scheme: string) => ({ came: `127.0.0.9 ${scheme} api.example.com` })
        assert.deepEqual(await ask(proxy.plainUrl, headers), came('http'), JSON.stringify(headers))
        assert.deepEqual(await ask(proxy.secureUrl, headers), came('https'), JSON.stringify(headers))
        // A proxy of the other family: nothing of it reaches the gateway, which takes the proxy for the caller
        const ofProxy = { came: '127.0.0.1 http api.example.com' }
        assert.deepEqual(await ask(otherProxy.plainUrl, headers), ofProxy, JSON.stringify(headers))
      }
      plain.destroy()
      secure.destroy()
    },
  )
}

test('haproxy states the certificate of its client, if its authority issued it', skipWithout('haproxy'), async () => {
  const [kim, foreign] = [clients.issue('kim'), openAuthority().issue('kim')]
  await using edge = await open('x-forwarded')
  const bind = 'alpn h2,http/1.1\n'
  await using proxy = await startProxy('haproxy', {
    ...targets(edge),
    replace(folder) {
      writeFileSync(join(folder, 'clients-ca.pem'), clients.cert)
      return [
        [bind, bind.replace('\n', ` ca-file ${join(folder, 'clients-ca.pem')} crt-ignore-err all verify optional\n`)],
      ]
    },
  })
  for (const [client, expected] of [
    [kim, stated(kim.cert)],
    [foreign, undefined],
    [{}, undefined],
  ] as const)
    for (const headers of [undefined, { 'client-cert': certificate, 'client-cert-chain': certificate }]) {
      const agent = new Agent({ ...client, rejectUnauthorized: false })
      const seen = JSON.parse((await send(proxy.secureUrl, 'GET /', { ...(headers && { headers }), agent })).text)
      assert.deepEqual([seen.certificate, seen.chain], [expected, undefined])
      agent.destroy()
    }
})

test(
  'haproxy names the caller by the PROXY protocol too, before TLS that it does not open',
  skipWithout('haproxy'),
  async () => {
    await using edge = await open('x-forwarded', true)
    await using proxy = await startProxy('haproxy', {
      ...targets(edge),
      replace: () => [['default-server check', 'default-server send-proxy-v2 check-send-proxy check']],
    })
    const agents = { http: new PlainAgent(from), https: new Agent({ ...from, rejectUnauthorized: false }) }
    for (const [url, agent] of [
      [proxy.plainUrl, agents.http],
      [proxy.passthroughUrl, agents.https],
    ] as const) {
      const headers = { host: 'api.example.com', 'x-forwarded-for': '6.6.6.6', 'x-forwarded-host': 'evil.example' }
      const { came } = JSON.parse((await send(url, 'GET /', { headers, agent })).text)
      assert.equal(came, `127.0.0.9 ${new URL(url).protocol.slice(0, -1)} api.example.com`)
    }
    agents.http.destroy()
    agents.https.destroy()
  },
)
