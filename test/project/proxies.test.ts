/** The load balancers that docs/how-to/deploying.md describes do what it says: real HAProxy and nginx before real gateways. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, createServer, type IncomingMessage, request as requestHttp } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { makeCertificate } from '../support/certificate.ts'
import { basic, type CallOptions, send } from '../support/client.ts'
import { openCluster } from '../support/cluster.ts'
import { findDatabase } from '../support/databases.ts'
import { openReference, root, type WireGateway } from '../support/gateway.ts'
import { poll } from '../support/poll.ts'
import { drainHaproxy, type ProxyName, type RunningProxy, skipWithout, startProxy } from '../support/proxies.ts'
import { type RawReply, sendRaw } from '../support/raw-socket.ts'

const names: readonly ProxyName[] = ['haproxy', 'nginx']
const folder = mkdtempSync(join(tmpdir(), 'ig-proxies-'))
let gateways: readonly [WireGateway, WireGateway]
let authority: string

before(async () => {
  const { cert, key } = makeCertificate()
  authority = cert
  writeFileSync(join(folder, 'tls.crt'), cert)
  writeFileSync(join(folder, 'tls.key'), key)
  gateways = [await open(), await open()]
})
after(async () => {
  for (const gateway of gateways) await gateway.close()
  rmSync(folder, { recursive: true, force: true })
})

function open() {
  return openReference({
    database: findDatabase('SQLite'),
    properties: {
      'ig.tls.cert': join(folder, 'tls.crt'),
      'ig.tls.key': join(folder, 'tls.key'),
      'ig.tls.port': '0',
      'ig.errorStyle': 'standard',
    },
    configure: (configuration) => ({
      ...configuration,
      operations: configuration.operations.map((operation) =>
        operation.name === 'METADATA_BASIC' ? { ...operation, verification: 'BasicSSL' } : operation,
      ),
    }),
  })
}
const portOf = (url: string | undefined) => Number(new URL(url ?? '').port)
const targets = () => ({
  plain: [portOf(gateways[0].url), portOf(gateways[1].url)] as const,
  secure: [portOf(gateways[0].tlsUrl), portOf(gateways[1].tlsUrl)] as const,
  authority,
})

/** All that the contract calls tricky: what one server decodes, merges or resolves, and another does not. */
const trickyTargets = [
  `${root}/ECHO.v1/echo/a%2Fb`,
  `${root}/ECHO.v1/echo/a%2fb`,
  `${root}/ECHO.v1/echo//`,
  `${root}/ECHO.v1/echo////5///`,
  `${root}/ECHO.v1//echo/x`,
  `${root}//ECHO.v1/echo/x`,
  `//PSIGW/RESTListeningConnector/LOCAL_NODE/ECHO.v1/echo/x`,
  `${root}/ECHO.v1/echo/.`,
  `${root}/ECHO.v1/echo/..`,
  `${root}/ECHO.v1/other/../echo/x`,
  `${root}/ECHO.v1/./echo/x`,
  `${root}/ECHO.v1/echo/%2e%2e`,
  `${root}/ECHO.v1/echo/%2E`,
  `${root}/ECHO.v1/echo/a+b`,
  `${root}/ECHO.v1/echo/a%20b`,
  `${root}/ECHO.v1/echo/%25`,
  `${root}/ECHO.v1/echo/%252F`,
  `${root}/ECHO.v1/echo/%C3%A9`,
  `${root}/ECHO.v1/echo/a;b=c,d`,
  `${root}/ECHO.v1/echo/a\\b|c"d^e\`{}`,
  `${root}/ECHO.v1/echo/x?`,
  `${root}/ECHO.v1/echo/?value-to-echo=a+b%2B%26c`,
  `${root}/ECHO.v1/echo?value-to-echo=a/../b//c`,
  `${root}/ECHO.v1/echo/?value-to-echo=%zz`,
  `${root}/ECHO.v1/echo/?value-to-echo=a?b&c=%00`,
  `${root}/ECHO.v1/echo`,
  `${root}/ECHO.v1/echo/`,
  `${root}/METADATA.v1//`,
  `/%50SIGW/RESTListeningConnector/LOCAL_NODE/ECHO.v1/echo/x`,
  `/psigw/RESTListeningConnector/LOCAL_NODE/ECHO.v1/echo/x`,
]
/** What nginx refuses itself with 400, and a page of its own: the gateway does so too, or finds nothing there. */
const refusedByNginx = ['/../PSIGW', `${root}/ECHO.v1/echo/%zz`, `${root}/ECHO.v1/echo/%00`]

for (const name of names) {
  test(`${name} forwards every URL byte for byte`, skipWithout(name), async () => {
    await using proxy = await startProxy(name, targets())
    const differences: unknown[] = []
    for (const target of [...trickyTargets, ...(name === 'haproxy' ? refusedByNginx : [])]) {
      const [direct, proxied] = await callBoth(gateways[0].url, proxy.plainUrl, target)
      if (!isDeepStrictEqual(direct, proxied)) differences.push([target, direct, proxied])
    }
    assert.deepEqual(differences, [])
  })

  test(`${name} logs the transaction id of each response of the gateway`, skipWithout(name), async () => {
    await using proxy = await startProxy(name, targets())
    const line = `GET ${root}/METADATA.v1/`
    for (const url of [proxy.plainUrl, proxy.secureUrl]) {
      const { headers } = await send(url, line)
      const id = String(headers['ig-transaction-id'])
      assert.match(id, /^[0-9a-f-]{36}$/)
      await poll(() => proxy.log().includes(id)) // it is written behind the answer
      const logged = proxy
        .log()
        .split('\n')
        .find((each) => each.includes(id))
      assert.match(logged ?? '', /METADATA\.v1/)
    }
  })

  test(`${name} leaves limits on URLs and headers to the gateway`, skipWithout(name), async () => {
    await using proxy = await startProxy(name, targets())
    const path = `${root}/ECHO.v1/echo/`
    const cases: readonly (readonly [status: number, target: string, headers: string])[] = [
      [200, path.padEnd(8192, 'x'), ''],
      [414, path.padEnd(8193, 'x'), ''],
      [200, `${path}x`, `X-Long: ${'x'.repeat(31 * 1024)}\r\n`],
      [200, `${path}x`, Array.from({ length: 30 }, (_, at) => `X-Long-${at}: ${'x'.repeat(1000)}\r\n`).join('')],
      [431, `${path}x`, `X-Long: ${'x'.repeat(33 * 1024)}\r\n`],
    ]
    for (const [status, target, headers] of cases) {
      const [direct, proxied] = await callBoth(gateways[0].url, proxy.plainUrl, target, headers)
      assert.equal(direct.status, status)
      assert.deepEqual(proxied, direct)
    }
  })

  test(
    `${name} buffers neither request nor response bodies, and keeps its connections`,
    skipWithout(name),
    async () => {
      const begun = Promise.withResolvers<void>()
      let connections = 0
      const server = createServer((request, response) => {
        if (request.method === 'GET') return response.end('ok')
        request.once('data', () => begun.resolve())
        request.resume().once('end', () => response.writeHead(200, { 'content-length': 6 }).write('fir'))
        request.once('end', () => setImmediate(() => void finish.promise.then(() => response.end('st!'))))
      })
      const finish = Promise.withResolvers<void>()
      server.on('connection', () => (connections += 1))
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      const port = (server.address() as { port: number }).port
      try {
        await using proxy = await startProxy(name, { plain: [port, port] })
        const agent = new Agent({ keepAlive: true, maxSockets: 1 })
        for (let call = 0; call < 3; call += 1) await send(proxy.plainUrl, 'GET /x', { agent })
        const before = connections
        for (let call = 0; call < 20; call += 1) await send(proxy.plainUrl, 'GET /x', { agent })
        agent.destroy()
        // Health checks have connections of their own.
        assert.ok(connections - before < 10, `${connections - before} connections for 20 calls`)

        const request = requestHttp(`${proxy.plainUrl}/x`, { method: 'POST', headers: { 'content-length': 8 } })
        request.write('half')
        await begun.promise // the gateway's side has the half, while the other half is not sent
        const answered = once(request, 'response')
        request.end('more')
        const [response] = (await answered) as [IncomingMessage]
        const [first] = await once(response, 'data') // before the answer is at its end
        assert.equal(String(first), 'fir')
        finish.resolve()
        assert.equal(await text(response), 'st!')
      } finally {
        server.closeAllConnections()
        server.close()
      }
    },
  )

  test(`${name} terminates TLS, and calls the gateway over TLS again`, skipWithout(name), async () => {
    await using proxy = await startProxy(name, targets())
    const line = `GET ${root}/METADATA_BASIC.v1/`
    const plain = await send(proxy.plainUrl, line, { headers: basic('DEMO') })
    assert.deepEqual([plain.status, plain.headers['ig-refusal']], [403, 'tlsRequired'])
    const claimed = { ...basic('DEMO'), 'x-forwarded-proto': 'https', forwarded: 'proto=https' }
    assert.equal((await send(proxy.plainUrl, line, { headers: claimed })).status, 403)
    const places = [proxy.secureUrl, ...(name === 'haproxy' ? [proxy.passthroughUrl] : [])]
    for (const place of places) {
      const secure = await send(place, line, { headers: basic('DEMO') })
      assert.equal(secure.status, 200, place)
      assert.match(secure.headers['set-cookie'] ?? '', /; Secure/)
    }
    const path = `${root}/ECHO.v1/echo/?value-to-echo=a%2Fb//../c`
    const [status, body] = await callByHttp2(proxy.secureUrl, path)
    assert.equal(status, 200)
    assert.equal(body, (await send(gateways[0].url, `GET ${path}`)).text)
  })

  test(`${name} calls no gateway without a trusted certificate`, skipWithout(name), async () => {
    await using proxy = await startProxy(name, { ...targets(), authority: makeCertificate().cert })
    const answer = await send(proxy.secureUrl, `GET ${root}/ECHO.v1/echo/x`)
    assert.match(String(answer.status), /^50[23]$/)
  })

  test(`${name} loses no call when a gateway is drained, stopped and replaced`, skipWithout(name), async () => {
    const leaving = await open()
    const { plain } = targets()
    await using proxy = await startProxy(name, { plain: [portOf(leaving.url), plain[1]] })
    let isOver = false
    const statuses: number[] = []
    const body = '<request><row><key>drained</key><value>x</value></row></request>'
    // nginx closes idle connections of its clients when it is reloaded: these make one for each call
    const agent = new Agent({ keepAlive: false })
    const callers = Array.from({ length: 8 }, async () => {
      const call = async (line: string, options: CallOptions) => {
        const lost = { status: 0 }
        statuses.push((await send(proxy.plainUrl, line, { ...options, agent }).catch(() => lost)).status)
      }
      while (!isOver) {
        await call(`POST ${root}/KEY_VALUE.v1/`, { headers: basic('DEMO'), body })
        await call(`GET ${root}/ECHO.v1/echo/x`, {})
        await sleep(10) // enough calls are under way at any moment
      }
    })
    const answered = (gateway: WireGateway) => gateway.observations.filter(({ kind }) => kind === 'answered').length
    await poll(() => answered(leaving) > 20 && answered(gateways[1]) > 20)
    if (name === 'haproxy') await drainHaproxy(proxy, 'a')
    else await drainNginx(proxy, portOf(leaving.url))
    await leaving.close()
    const before = answered(gateways[1])
    await poll(() => answered(gateways[1]) > before + 50)
    isOver = true
    await Promise.all(callers)
    assert.deepEqual(
      statuses.filter((status) => status !== 200),
      [],
    )
    assert.ok(statuses.length > 90)
  })

  test(`${name} loses no POST while workers are replaced`, skipWithout(name), async (t) => {
    const cluster = await openCluster(t, findDatabase('SQLite'))
    const instance = await cluster.start(['--workers', '2'], { IG_LIMITS_SHUTDOWNIDLE: '1s' })
    await instance.until(/"event":"started","worker":2,/)
    const port = Number(instance.port)
    await using proxy = await startProxy(name, { plain: [port, port] })
    const statuses: number[] = []
    let isOver = false
    const callers = Array.from({ length: 8 }, async (_, at) => {
      const agent = new Agent({ keepAlive: at % 2 === 0 }) // its own connection to the gateway, or one that idled
      const lost = { status: 0 }
      while (!isOver) {
        statuses.push((await send(proxy.plainUrl, `POST ${root}/WHO.v1`, { agent }).catch(() => lost)).status)
        await sleep(10) // closed connections keep their local port for a minute, and there are 28,000
      }
      agent.destroy()
    })
    for (let roll = 1; roll <= rolls; roll += 1) {
      instance.process.kill('SIGHUP')
      await instance.until(stopped(2 * roll))
      const before = statuses.length
      await poll(() => statuses.length > before + 50)
    }
    isOver = true
    await Promise.all(callers)
    assert.deepEqual(
      statuses.filter((status) => status !== 200),
      [],
    )
    await instance.stop()
  })
}

/** As an administrator would: marked down, reloaded, and the old processes waited for. */
async function drainNginx(proxy: RunningProxy, port: number): Promise<void> {
  const workers = () =>
    readFileSync(`/proc/${proxy.process.pid}/task/${proxy.process.pid}/children`, 'utf8').trim().split(' ')
  const old = workers()
  const server = `server 127.0.0.1:${port} max_fails=10 fail_timeout=2s;`
  proxy.rewrite((text) => text.replace(server, server.replace(';', ' down;')))
  proxy.process.kill('SIGHUP')
  await poll(() => {
    const now = workers()
    return now.length > 0 && !old.some((worker) => now.includes(worker))
  })
}

/** How often all workers are replaced while clients post: more of them find rarer losses. */
const rolls = Number(process.env.IG_TEST_ROLLS ?? 2)

/** What was logged once so many workers were stopped, in an unambiguous order. */
function stopped(count: number): RegExp {
  return new RegExp(`^(?:(?:(?!"event":"stopping")[^])*"event":"stopping"){${count}}`)
}

async function callBoth(direct: string, proxied: string, target: string, headers = '') {
  const request = `GET ${target} HTTP/1.1\r\nHost: gateway.example\r\n${headers}Cookie: JSESSIONID=${'x'.repeat(32)}\r\nConnection: close\r\n\r\n`
  return [comparable(await sendRaw(direct, request)), comparable(await sendRaw(proxied, request))] as const
}

/** Without what differs from call to call, and what belongs to one connection. */
function comparable({ status, headers, text }: RawReply) {
  const ofOneCall = /^(date|server|connection|keep-alive|ig-transaction-id|x-platform-dms-ecid)$/
  return {
    status,
    headers: headers
      .map(([name, value]) => `${name.toLowerCase()}: ${value}`)
      .filter((line) => !ofOneCall.test(line.split(':')[0] ?? ''))
      .toSorted(),
    text: text.replace(/"\w*DTTM": ?"[^"]*"/gi, '').replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, ''),
  }
}

async function callByHttp2(url: string, path: string): Promise<readonly [number, string]> {
  const session = connectHttp2(url, { rejectUnauthorized: false })
  const stream = session.request({ ':path': path })
  const [headers] = await once(stream, 'response')
  const body = await text(stream)
  session.close()
  return [headers[':status'], body]
}
