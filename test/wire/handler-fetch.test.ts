/** Calls of other services by handlers, to real servers (specification 5.50 to 5.53). */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, suite, test } from 'node:test'
import { FetchError, type Handler, type HandlerContext, type RequestMessage } from 'integration-gateway'
import { openTestGateway } from 'integration-gateway/testing'
import { maxBody } from '../../src/steps/handler/fetch/limit-body.ts'
import { type OutgoingOptions, openOutgoingCalls } from '../../src/steps/handler/fetch/open-fetch.ts'
import { scaled } from '../support/patience.ts'

type Answer = (request: IncomingMessage, response: ServerResponse, count: number) => unknown

/** By the first segment of the path; counts its requests. */
const answers = new Map<string, Answer>()
const counts = new Map<string, number>()
const listener: RequestListener = (request, response) => {
  const [, name = ''] = (request.url ?? '').split(/[/?]/)
  const count = (counts.get(name) ?? 0) + 1
  counts.set(name, count)
  Promise.resolve(answers.get(name)?.(request, response, count)).catch(() => response.destroy())
}
const servers = [createServer(listener), createServer(listener)] as const
let origin = ''
let other = ''
const opened: { close(): Promise<void> }[] = []

before(async () => {
  const origins: string[] = []
  for (const server of servers) {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    origins.push(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  }
  ;[origin = '', other = ''] = origins
})
after(async () => {
  for (const { close } of opened) await close()
  for (const server of servers) server.close().closeAllConnections()
})

function open(options: Partial<OutgoingOptions> = {}) {
  const calls = openOutgoingCalls({
    origins: undefined,
    allowsLoopback: true,
    now: Date.now,
    random: () => 1,
    ...options,
  })
  opened.push(calls)
  const run = { signal: new AbortController().signal }
  return (
    path: string,
    given?: Parameters<typeof calls.fetch>[1],
    with_: Partial<typeof run & { headers: Record<string, string> }> = {},
  ) => calls.fetch(path.startsWith('/') ? origin + path : path, given, { ...run, ...with_ })
}
const refusedAs = (code: string) => (error: unknown) => {
  assert(error instanceof FetchError, String(error))
  assert.equal(error.code, code)
  return true
}

suite('what is called', () => {
  test('5.50 a request has its method, headers and body, and the trace headers; the result is a Response', async () => {
    answers.set('echo', async (request, response) => {
      const { method, headers, url } = request
      response.writeHead(201, { 'content-type': 'application/json' })
      const { traceparent, authorization } = headers
      response.end(JSON.stringify({ method, url, traceparent, authorization, body: await text(request) }))
    })
    const headers = { Authorization: 'Bearer x' }
    const answer = await open()(
      '/echo?a=1',
      { method: 'put', headers, body: 'é' },
      { headers: { traceparent: '00-1' } },
    )
    assert.deepEqual([answer.status, answer.url], [201, `${origin}/echo?a=1`])
    const expected = { method: 'PUT', url: '/echo?a=1', traceparent: '00-1', authorization: 'Bearer x', body: 'é' }
    assert.deepEqual(await answer.json(), expected)
  })

  const refused: readonly {
    readonly title: string
    readonly url: string
    readonly options: Partial<OutgoingOptions>
    readonly code: string
  }[] = [
    { title: 'loopback', url: 'http://127.0.0.1:1/', options: { allowsLoopback: false }, code: 'addressRefused' },
    { title: 'loopback in IPv6', url: 'http://[::1]:1/', options: { allowsLoopback: false }, code: 'addressRefused' },
    {
      title: 'loopback as a number',
      url: 'http://2130706433/',
      options: { allowsLoopback: false },
      code: 'addressRefused',
    },
    { title: 'private', url: 'http://10.1.2.3/', options: {}, code: 'addressRefused' },
    { title: 'private in IPv6', url: 'http://[::ffff:192.168.1.1]/', options: {}, code: 'addressRefused' },
    {
      title: 'link-local, even if it is listed',
      url: 'http://169.254.169.254/latest',
      options: { origins: new Set(['http://169.254.169.254']) },
      code: 'addressRefused',
    },
    {
      title: 'unspecified, even if it is listed',
      url: 'http://0.0.0.0:1/',
      options: { origins: new Set(['http://0.0.0.0:1']) },
      code: 'addressRefused',
    },
    {
      title: 'an origin that is not listed',
      url: 'https://hr.example/',
      options: { origins: new Set(['https://hr.example:8443']) },
      code: 'originRefused',
    },
  ]
  for (const { title, url, options, code } of refused)
    test(`5.50 refused: ${title}`, () => assert.rejects(open(options)(url), refusedAs(code)))

  test('5.50 a name is checked with the address that the connection uses', async () => {
    const resolveName = ((_name: string, _options: object, callback: (...args: unknown[]) => void) =>
      callback(null, [{ address: '10.0.0.1', family: 4 }])) as never
    await assert.rejects(open({ resolveName })('http://intranet.example/secret?token=x'), (error) => {
      refusedAs('addressRefused')(error)
      assert.doesNotMatch((error as Error).message, /secret|token/)
      return true
    })
  })

  test('5.50 an origin that is listed may be private or loopback', async () => {
    answers.set('listed', (_, response) => response.end('fine'))
    const answer = await open({ origins: new Set([origin]), allowsLoopback: false })('/listed')
    assert.equal(await answer.text(), 'fine')
  })

  test('5.50 a URL that is not http, or has credentials, is a TypeError that quotes nothing', async () => {
    for (const url of ['ftp://x.example/', 'data:,x', 'file:///etc/passwd', 'http://bob:secret@x.example/'])
      await assert.rejects(open()(url), (error) => {
        assert(error instanceof TypeError)
        assert.doesNotMatch(error.message, /secret|passwd/)
        return true
      })
    await assert.rejects(open()('/echo', { headers: { 'x y': 'z' } }), TypeError)
  })

  test('5.50 5.52 an option that is not allowed is a TypeError, and not a failure of the origin', async () => {
    answers.set('fine', (_, response) => response.end('fine'))
    const fetch = open()
    const wrong = [
      { timeout: -1 },
      { timeout: Number.NaN },
      { timeout: 2 ** 31 },
      { headers: { 'transfer-encoding': 'x' } },
    ]
    for (const options of [...wrong, ...wrong]) await assert.rejects(fetch('/fine', options), TypeError)
    assert.equal((await fetch('/fine')).status, 200)
  })
})

suite('limits', () => {
  test('5.50 a body of more than 10 MiB is an error, with or without a stated length, unless it is streamed', async () => {
    answers.set('stated', (_, response) => {
      response.writeHead(200, { 'content-length': maxBody + 1 })
      response.flushHeaders()
    })
    await assert.rejects(open()('/stated'), refusedAs('bodyTooLong'))
    const piece = Buffer.alloc(1024 * 1024)
    answers.set('unstated', async (_, response) => {
      for (let count = 0; count <= 10; count++) if (!response.write(piece)) await once(response, 'drain')
      response.end()
    })
    const answer = await open()('/unstated')
    await assert.rejects(answer.bytes(), refusedAs('bodyTooLong'))
    let size = 0
    for await (const chunk of (await open()('/unstated', { isStreamed: true })).body ?? []) size += chunk.length
    assert.equal(size, 11 * 1024 * 1024)
  })

  test('5.50 the time limit covers response and body, and the signal of the call ends both', async () => {
    answers.set('never', () => {})
    answers.set('half', (_, response) => void response.write('half'))
    await assert.rejects(open()('/never', { timeout: 20 }), refusedAs('timedOut'))
    const half = await open()('/half', { timeout: scaled(200) })
    await assert.rejects(half.text(), refusedAs('timedOut'))
    const leaving = new AbortController()
    const call = open()('/never', {}, { signal: leaving.signal })
    const reason = new Error('The client left.')
    leaving.abort(reason)
    await assert.rejects(call, reason)
  })
})

suite('redirections', () => {
  before(() => {
    answers.set('moved', (_, response) => response.writeHead(302, { location: '/target' }).end())
    answers.set('away', (_, response) => response.writeHead(307, { location: `${other}/target` }).end())
    answers.set('inside', (_, response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end())
    answers.set('round', (_, response) => response.writeHead(302, { location: '/round' }).end())
    answers.set('target', async (request, response) => {
      const { authorization = 'none', 'x-api-key': key = 'none', 'x-plain': plain = 'none' } = request.headers
      response.end([request.method, authorization, key, plain, await text(request)].join(' '))
    })
  })

  test('5.51 a redirect is returned unless following is requested', async () => {
    const answer = await open()('/moved')
    assert.deepEqual([answer.status, answer.headers.get('location')], [302, '/target'])
  })

  test('5.51 within the origin credentials stay; a POST becomes a GET without its body', async () => {
    const headers = { authorization: 'Bearer x', 'x-api-key': 'k', 'x-plain': 'p' }
    const answer = await open()('/moved', { method: 'POST', body: 'content', headers, redirect: 'follow' })
    assert.equal(await answer.text(), 'GET Bearer x k p ')
    assert.equal(answer.url, `${origin}/target`)
  })

  test('5.51 another origin gets no credentials; 307 repeats method and body', async () => {
    const headers = { authorization: 'Bearer x', 'x-api-key': 'k', 'x-plain': 'p' }
    const answer = await open()('/away', { method: 'POST', body: 'content', headers, redirect: 'follow' })
    assert.equal(await answer.text(), 'POST none none p content')
  })

  test('5.51 each target is checked, and five are followed', async () => {
    await assert.rejects(open()('/inside', { redirect: 'follow' }), refusedAs('addressRefused'))
    const listed = open({ origins: new Set([origin]) })
    await assert.rejects(listed('/away', { redirect: 'follow' }), refusedAs('originRefused'))
    await assert.rejects(open()('/round', { redirect: 'follow' }), refusedAs('tooManyRedirects'))
    assert.equal(counts.get('round'), 6)
  })

  test('5.51 a target that no handler could request is not followed: the other service cannot cause a TypeError', async () => {
    for (const location of ['file:///etc/passwd', `${other.replace('//', '//bob:secret@')}/asked`]) {
      answers.set('odd', (_, response) => response.writeHead(302, { location }).end())
      assert.equal((await open()('/odd', { redirect: 'follow' })).status, 302)
    }
  })
})

suite('services that fail', () => {
  test('5.52 GET is retried twice after a lost connection or a 502, 503 or 504; POST is not', async () => {
    answers.set('recovers', (request, response, count) =>
      count === 1 ? request.socket.destroy() : response.writeHead(count === 2 ? 502 : 200).end(`${count}`),
    )
    assert.equal(await (await open()('/recovers')).text(), '3')
    answers.set('busy', (_, response) => response.writeHead(503).end())
    assert.equal((await open()('/busy')).status, 503)
    assert.equal(counts.get('busy'), 3)
    assert.equal((await open()('/busy', { method: 'POST' })).status, 503)
    assert.equal(counts.get('busy'), 4)
    answers.set('refuses', (_, response) => response.writeHead(500).end())
    assert.equal((await open()('/refuses')).status, 500)
    assert.equal(counts.get('refuses'), 1)
  })

  test('5.52 Retry-After is honoured, and beyond the time limit the response is returned', async () => {
    answers.set('later', (_, response, count) =>
      count === 1 ? response.writeHead(429, { 'retry-after': '0' }).end() : response.end('now'),
    )
    assert.equal(await (await open()('/later')).text(), 'now')
    answers.set('much-later', (_, response) => response.writeHead(503, { 'retry-after': '60' }).end())
    assert.equal((await open()('/much-later')).status, 503)
    assert.equal(counts.get('much-later'), 1)
  })

  test('5.52 a call that is tried three times counts as one failure', async () => {
    answers.set('thrice', (_, response) => response.writeHead(503, { 'retry-after': '0' }).end())
    const call = open()
    for (let failure = 0; failure < 5; failure++) assert.equal((await call('/thrice')).status, 503)
    await assert.rejects(call('/thrice'), refusedAs('circuitOpen'))
    assert.equal(counts.get('thrice'), 15)
  })

  test('5.52 after five failures in a row an origin is not called for five seconds, then by one call', async () => {
    let time = 0
    let works = false
    const gate = Promise.withResolvers<void>()
    answers.set('breaks', async (_, response) => {
      if (works) await gate.promise
      response.writeHead(works ? 200 : 503).end()
    })
    const call = open({ clock: () => time })
    const post = () => call('/breaks', { method: 'POST' })
    for (let failure = 0; failure < 5; failure++) assert.equal((await post()).status, 503)
    await assert.rejects(post(), refusedAs('circuitOpen'))
    time = 4999
    await assert.rejects(post(), refusedAs('circuitOpen'))
    assert.equal(counts.get('breaks'), 5)
    time = 5000
    works = true
    const trying = post()
    await assert.rejects(post(), refusedAs('circuitOpen'), 'one tries')
    gate.resolve()
    assert.equal((await trying).status, 200)
    assert.equal((await post()).status, 200)
    answers.set('fine', (_, response) => response.end('fine'))
    assert.equal((await call(`${other}/fine`)).status, 200, 'another origin')
  })
})

test('5.53 a handler that calls a service after its transaction has written causes one warning', async () => {
  answers.set('asked', (request, response) => response.end(String(request.headers.traceparent)))
  class Sample implements Handler {
    async onRequest(request: RequestMessage, context: HandlerContext) {
      const response = context.broker.createMessage(request.operationName, 'response')
      const { database, fetch } = context
      const parent = await (await fetch(`${origin}/asked`)).text()
      if (request.getHeader('x-writes')) {
        await database.insertInto('VISITS').values({ WHO: 'x' }).execute()
        await fetch(`${origin}/asked`)
        await fetch(`${origin}/asked`)
      }
      context.afterCommit(async () => void (await fetch(`${origin}/asked`)))
      response.setContentString(parent)
      return response
    }
  }
  await using gateway = await openTestGateway({
    project: {
      configuration: {
        nodes: [{ name: 'HERE', isDefaultLocal: true }],
        services: [{ name: 'S' }],
        operations: [{ service: 'S', name: 'ASK', method: 'POST', verification: 'Basic', handler: 'ask.ts' }],
        permissionLists: [{ name: 'ALL', services: ['S'] }],
      },
      handlers: { 'ask.ts': Sample },
      migrations: [
        { name: '1', up: (database) => database.schema.createTable('VISITS').addColumn('WHO', 'text').execute() },
      ],
    },
    operators: [{ id: 'ANN', permissionLists: ['ALL'] }],
  })
  const reads = await gateway.call('POST ASK.v1/', { as: 'ANN' })
  assert.match(reads.text, /^00-[0-9a-f]{32}-/)
  assert.equal(reads.log.length, 0)
  const writes = await gateway.call('POST ASK.v1/', { as: 'ANN', headers: { 'x-writes': '1' } })
  assert.deepEqual(
    writes.log.map(({ level }) => level),
    ['warning'],
  )
  assert.match(writes.log[0]?.message ?? '', /calls another service while its transaction holds locks/)
})
