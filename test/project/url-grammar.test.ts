/** A gateway path of several segments, and operations without a version, over sockets and on both databases (specification 1.14, 2.35). */
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { Handler, HandlerContext, RequestMessage } from 'integration-gateway'
import { openTestGateway, type TestGateway } from 'integration-gateway/testing'
import { openMonitor } from '../../src/features/monitor/open.ts'
import { passThrough } from '../../src/features/pass-through/author.ts'
import { describeCall } from '../../src/features/tracing/trace-call.ts'
import type { AnsweredCall } from '../../src/model/call-record.ts'
import { maskings } from '../../src/observe/masking/masking.ts'
import { type CallOptions, send } from '../support/client.ts'
import { forEachDatabase, type OpenTestDatabase } from '../support/databases.ts'
import { type Original, openOriginal } from '../support/original.ts'
import { sendRaw } from '../support/raw-socket.ts'

const connector = '/SSCDEV/PSIGW/RESTListeningConnector'
const root = `${connector}/LOCAL_NODE`
let runs = 0

/** What it does besides is in a header. */
class Absence implements Handler {
  async onRequest(request: RequestMessage, context: HandlerContext) {
    const { broker, now } = context
    const plan = request.getHeader('x-plan')
    const response = broker.createMessage(request.operationName, 'response')
    if (plan === 'cache') response.setRestCache(now() + 60_000)
    const deleted = plan === 'delete' ? await broker.deleteRestCache('ABSENCE_GET', 'none') : undefined
    runs += 1
    response.setJson({
      operation: [request.operationName, request.operationVersion],
      index: request.uriResourceIndex,
      ...request.getUriDocument(),
      run: runs,
      deleted,
      url: broker.getUrl('ABSENCE_GET', 'none', 2, { id: 'a b' }),
    })
    return response
  }
}

function configure(upstream: string) {
  const own = { service: 'ABSENCES', handler: 'absence.ts', verification: 'Basic' } as const
  const json = { contentType: 'application/json' }
  const absence = { ...own, name: 'ABSENCE', alias: 'absence', version: 'none', responseMessage: json } as const
  const uriTemplates = ['request/createabsence', 'request/{id}']
  return {
    nodes: [
      { name: 'LOCAL_NODE', isDefaultLocal: true },
      { name: 'OLD_NODE', upstream: { passThrough: upstream, verification: 'Basic', permissionLists: ['ALL'] } },
    ],
    documents: [{ name: 'ABSENCE', elements: { id: { type: 'String' } } }],
    messages: [{ name: 'ABSENCE', document: 'ABSENCE' }],
    services: [{ name: 'ABSENCES' }],
    operations: [
      { ...absence, method: 'GET', uriTemplates, documentTemplate: 'ABSENCE', allowsOptions: true },
      { ...absence, method: 'POST', uriTemplates, documentTemplate: 'ABSENCE' },
      { ...absence, method: 'GET', version: 'v2', deprecated: { since: '2026-01-01', successor: 'ABSENCE_GET' } },
      { ...absence, method: 'PUT', isActive: false },
      { ...own, name: 'VERSIONED', method: 'GET' },
      { ...own, name: 'PASSED', alias: 'passed', version: 'none', method: 'GET', handler: passThrough(upstream) },
    ],
    permissionLists: [
      { name: 'ALL', services: ['ABSENCES'] },
      { name: 'WRITERS', operations: ['ABSENCE_POST'] },
    ],
    limits: [
      { name: 'creations', calls: 2, per: '1min', burst: 2, operations: ['ABSENCE_POST'], operators: ['WRITER'] },
    ],
  } as const
}

forEachDatabase((database) => {
  suite(`operations without a version (${database.name})`, () => {
    let place: OpenTestDatabase
    let original: Original
    let gateway: TestGateway
    const open = (settings: Readonly<Record<string, string>> = {}) =>
      openTestGateway({
        listen: true,
        database: place.url,
        settings: { 'ig.gatewayPath': 'SSCDEV/PSIGW', 'ig.describe': 'permitted', ...settings },
        operators: [
          { id: 'KIM', permissionLists: ['ALL'] },
          { id: 'WRITER', permissionLists: ['WRITERS'] },
        ],
        project: { configuration: configure(original.url), handlers: { 'absence.ts': Absence } },
      })
    before(async () => {
      place = await database.open()
      original = await openOriginal()
      original.answer = (_request, response) => response.end('of the original')
      gateway = await open()
    })
    after(async () => {
      await gateway.close()
      original.close()
      await place.remove()
    })

    const ask = async (line: string, { as = 'KIM', headers = {}, at = gateway, ...rest }: Ask = {}) => {
      const [method, path = ''] = line.split(' ')
      const target = path.startsWith('/') ? path : `${root}/${path}`
      const authorization = await at.basicCredentials(as)
      return send(at.url, `${method} ${target}`, { headers: { authorization, ...headers }, ...rest })
    }
    interface Ask extends CallOptions {
      readonly as?: string
      readonly at?: TestGateway
    }
    const codeOf = async (line: string, options?: Ask) => {
      const { status, headers } = await ask(line, options)
      return `${status} ${headers['ig-refusal'] ?? ''}`.trim()
    }

    test(`1.14, 2.35 an operation without a version is called by its alias, below a gateway path of two segments (${database.name})`, async () => {
      const { status, text } = await ask('GET absence/request/createabsence')
      const { operation, index, url } = JSON.parse(text)
      assert.deepEqual([status, operation, index], [200, ['ABSENCE_GET', 'none'], 1])
      assert.equal(url, `${root}/absence/request/a%20b`)
      for (const [line, expected] of [
        ['POST absence/request/createabsence', ['ABSENCE_POST', 1, undefined]],
        ['GET absence/request/7', ['ABSENCE_GET', 2, '7']],
        ['GET %61bsence/request/7/', ['ABSENCE_GET', 2, '7']],
        [`GET ${connector.replace('SSCDEV', '%53SCDEV')}/LOCAL_NODE/absence/request/7`, ['ABSENCE_GET', 2, '7']],
      ] as const) {
        const { text } = await ask(line)
        const { operation, index, id } = JSON.parse(text)
        assert.deepEqual([operation[0], index, id], expected, line)
      }
    })

    test(`2.35 with a version and without are two operations; other spellings are refused as before (${database.name})`, async () => {
      assert.deepEqual(JSON.parse((await ask('GET absence.v2')).text).operation, ['ABSENCE_GET', 'v2'])
      assert.deepEqual(JSON.parse((await ask('GET absence.V2/')).text).operation, ['ABSENCE_GET', 'v2'])
      const rows: readonly (readonly [line: string, expected: string])[] = [
        ['GET absence.v1/request/7', '404 operationNotFound'],
        ['GET absence.none/request/7', '404 operationNotFound'],
        ['GET absence./request/7', '404 operationNotFound'],
        ['GET Absence/request/7', '404 operationNotFound'],
        ['GET ABSENCE/request/7', '404 operationNotFound'],
        ['GET absence%2Frequest/7', '404 operationNotFound'],
        ['GET VERSIONED', '404 operationNotFound'],
        ['GET versioned/', '404 operationNotFound'],
        ['PUT absence/request/7', '404 operationNotFound'],
        ['DELETE absence/request/7', '404 operationNotFound'],
        ['HEAD absence/request/7', '404 operationNotFound'],
        ['POST absence.v2', '404 operationNotFound'],
        ['GET absence', '404 uriNotMatched'],
        ['GET absence/request', '404 uriNotMatched'],
        ['GET /PSIGW/RESTListeningConnector/LOCAL_NODE/absence/request/7', '404 pathUnknown'],
        ['GET /SSCDEV%2FPSIGW/RESTListeningConnector/LOCAL_NODE/absence/request/7', '404 pathUnknown'],
        ['GET /SSCDEV//PSIGW/RESTListeningConnector/LOCAL_NODE/absence/request/7', '404 pathUnknown'],
        [`GET ${connector}/OTHER/absence/request/7`, '404 nodeUnknown'],
      ]
      const standard = await open({ 'ig.errorStyle': 'standard' })
      try {
        for (const [line, expected] of rows) {
          const observed = await ask(line)
          assert.equal(observed.headers['ig-refusal'] ?? '', expected.split(' ')[1], line)
        }
        assert.equal(await codeOf('GET absence.v1/request/7', { at: standard }), '404 operationNotFound')
        const { status, headers } = await ask('DELETE absence/request/7', { at: standard })
        assert.deepEqual([status, headers.allow], [405, 'GET, POST, HEAD'])
        assert.equal(await codeOf('HEAD absence/request/7', { at: standard }), '200')
        const { text } = await ask('GET absence.v1/request/7', { at: standard })
        assert.match(JSON.parse(text).detail, /absence\.v1/)
      } finally {
        await standard.close()
      }
    })

    test(`2.35 OPTIONS, permission lists, limits and Idempotency-Key hold for it by its id (${database.name})`, async () => {
      const options = await ask('OPTIONS absence/request/7')
      assert.deepEqual([options.status, options.headers.allow], [200, 'GET, POST, OPTIONS'])
      assert.equal(await codeOf('OPTIONS absence.v2'), await codeOf('OPTIONS VERSIONED.v1'))
      assert.match(await codeOf('GET absence/request/7', { as: 'WRITER' }), /permissionDenied/)
      const post = (headers: Record<string, string> = {}) =>
        ask('POST absence/request/7', { as: 'WRITER', headers, body: 'x' })
      const key = { 'idempotency-key': 'one-absence' }
      const [first, second] = [await post(key), await post(key)]
      assert.deepEqual([first.status, first.text], [200, second.text])
      assert.deepEqual(
        [first, second].map(({ headers }) => headers['ig-idempotent-replay']),
        [undefined, 'true'],
      )
      assert.equal((await post()).headers['ig-refusal'], 'rateLimited')
    })

    test(`2.35 its responses are cached and deleted by its name and version (${database.name})`, async () => {
      const run = async (plan = '') =>
        JSON.parse((await ask('GET absence/request/9', { headers: { 'x-plan': plan } })).text).run
      const kept = await run('cache')
      assert.equal(await run(), kept)
      const { text } = await ask('GET absence/request/createabsence', { headers: { 'x-plan': 'delete' } })
      assert.equal(JSON.parse(text).deleted, true)
      assert.notEqual(await run(), kept)
    })

    test(`2.35, 7.20 it can be the successor of a version (${database.name})`, async () => {
      const { headers } = await ask('GET absence.v2/?a=1')
      assert.equal(headers.link, `<${root}/absence/?a=1>; rel="successor-version"`)
    })

    test(`1.14, 2.35, 36.19, 36.20 it is passed through, and a node passes on what is not here (${database.name})`, async () => {
      for (const [line, expected] of [
        [`GET ${root}/passed/request/7?a=1`, `GET ${root}/passed/request/7?a=1`],
        [`POST ${connector}/OLD_NODE/leave/request/7`, `POST ${connector}/OLD_NODE/leave/request/7`],
        [`GET ${connector}/OLD_NODE/leave.v3`, `GET ${connector}/OLD_NODE/leave.v3`],
      ] as const) {
        const { text } = await ask(line)
        assert.equal(text, 'of the original', line)
        const { method, url } = original.requests.at(-1) ?? {}
        assert.equal(`${method} ${url}`, expected)
      }
      const seen = original.requests.length
      for (const path of [
        'PUT absence/x',
        'PUT Absence/x',
        'GET Leave/x',
        'GET LEAVE/x',
        'GET leave;a/x',
        'GET le%61ve.x/x',
        'GET leave./x',
      ]) {
        const [method, below] = path.split(' ')
        const { headers } = await ask(`${method} ${connector}/OLD_NODE/${below}`)
        assert.equal(headers['ig-refusal'], 'operationNotFound', path)
      }
      assert.equal(original.requests.length, seen)
      const refused = await ask(`GET ${connector}/OLD_NODE/leave/x`, { as: 'WRITER' })
      assert.match(refused.text, /leave_GET/)
    })

    test(`2.35, 12.5 descriptions have its path without a version (${database.name})`, async () => {
      const { text } = await ask(`GET ${connector}/openapi.json`)
      const { paths, servers } = JSON.parse(text)
      assert.match(servers[0].url, new RegExp(`${root}$`))
      assert.deepEqual(
        Object.keys(paths).filter((path) => path.startsWith('/absence')),
        ['/absence/request/createabsence', '/absence/request/{id}', '/absence.v2'],
      )
      assert.equal(paths['/absence/request/createabsence'].post.operationId, 'ABSENCE_POST')
      const wadl = await ask(`GET ${connector}/ABSENCES.1.wadl`)
      assert.match(wadl.text, /path="absence\/request\/\{id\}"/)
    })

    test(`1.14, 2.35, 20.13 its route has no version (${database.name})`, async () => {
      await ask('GET absence/request/7?a=1')
      const answered = gateway.observations.findLast((one): one is AnsweredCall => one.kind === 'answered')
      assert.ok(answered)
      const { attributes } = describeCall(answered, maskings.known)
      assert.equal(attributes['http.route'], `${root}/absence/request/{id}`)
      assert.equal(attributes['ig.operation'], 'ABSENCE_GET')
    })

    test(`2.35, 21.8 the monitor has its calls by its id (${database.name})`, async () => {
      const monitored = openMonitor({
        settings: {
          monitor: { isOn: true, perSecond: 100, bodyBytes: 0, days: 7, transactions: 1000, bytes: 1024 ** 3 },
          database: place.url,
          log: { masking: 'known' },
        },
        observe: () => {},
        every: 1,
      })
      try {
        await ask('GET absence/request/7')
        const answered = gateway.observations.findLast(({ kind }) => kind === 'answered')
        assert.ok(answered)
        monitored.observe(answered as AnsweredCall)
        const store = await monitored.monitorStore()
        for (;;) {
          const { transactions } = await store.list({ filter: { operation: 'ABSENCE_GET' }, limit: 10 })
          if (transactions.length === 0) continue
          assert.equal(transactions[0]?.url, `${root}/absence/request/7`)
          break
        }
      } finally {
        await monitored.close()
      }
    })

    test(`1.14, 33.2, 33.3 compatibility settings hold below a gateway path of two segments (${database.name})`, async () => {
      const lenient = await open({ 'ig.compat.emptySegments': 'true', 'ig.compat.sessionSuffix': 'true' })
      try {
        const authorization = await lenient.basicCredentials('KIM')
        for (const path of [`${root}//absence/request/7`, `${root}/absence/request/7;jsessionid=abc`]) {
          const head = `GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\nConnection: close\r\n\r\n`
          const { status, text } = await sendRaw(lenient.url, head)
          assert.deepEqual([status, JSON.parse(text).id], [200, '7'], path)
        }
        assert.match(
          await codeOf('GET /SSCDEV//PSIGW/RESTListeningConnector/LOCAL_NODE/absence/request/7', { at: lenient }),
          /pathUnknown/,
        )
      } finally {
        await lenient.close()
      }
    })
  })
})
