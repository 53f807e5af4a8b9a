/** The REST cache over real sockets, on both databases (specification 6, 3.1). */
import assert from 'node:assert/strict'
import { get } from 'node:http'
import { after, before, suite, test } from 'node:test'
import type { RequestMessage } from '../../../src/model/content/message.ts'
import type { Handler, HandlerContext } from '../../../src/model/handler.ts'
import { basic } from '../../support/client.ts'
import { forEachDatabase } from '../../support/databases.ts'
import { openReference, type WireGateway } from '../../support/gateway.ts'

const minute = 60_000
let runs = 0

/** What it does is in the query: how long it is cached, on which message, with which status and cookie. */
class Probe implements Handler {
  async onRequest(request: RequestMessage, context: HandlerContext) {
    const { broker, now } = context
    runs += 1
    const run = runs
    const plan = new URLSearchParams(request.getHeader('x-plan'))
    if (plan.has('gate')) await gates.get(plan.get('gate') ?? '')
    if (plan.has('delete')) {
      const operator = plan.get('of') ?? undefined
      const known = await broker.deleteRestCache(plan.get('delete') ?? '', 'v1', { ...(operator && { operator }) })
      if (plan.has('thenFail')) throw new Error('after the deletion')
      const answer = broker.createMessage(request.operationName, 'response')
      answer.setContentString(String(known))
      return answer
    }
    if (plan.has('onRequestMessage')) request.setRestCache(now() + minute)
    if (plan.has('fail')) throw new Error('no answer')
    const response = broker.createMessage(request.operationName, 'response')
    response.setContentString(`run ${run}${plan.has('identity') ? ` for ${context.operator.id}` : ''}`)
    if (plan.has('ttl')) response.setRestCache(now() + Number(plan.get('ttl')))
    if (plan.has('status')) response.httpResponseCode = Number(plan.get('status'))
    if (plan.has('cookie')) response.setHeader('set-cookie', 'a=b')
    if (plan.has('exposed')) response.setHeader('access-control-expose-headers', 'set-cookie')
    return response
  }

  onError() {
    return 'fault'
  }
}

const gates = new Map<string, Promise<void>>()

forEachDatabase((database) => {
  suite(`REST cache (${database.name})`, () => {
    let time = 1_800_000_000_000
    let gateway: WireGateway

    before(async () => {
      gateway = await openReference({
        database,
        now: () => time,
        handlers: { 'handlers/probe.ts': Probe },
        configure: (configuration) => {
          const [model] = configuration.operations.filter(({ name }) => name === 'METADATA_BASIC')
          assert(model)
          const probe = { ...model, handler: 'handlers/probe.ts' }
          const operations = [
            ...configuration.operations,
            { ...probe, name: 'PROBE', alias: 'PROBE' },
            { ...probe, name: 'OTHER', alias: 'OTHER' },
            { ...probe, name: 'WARNED', alias: 'WARNED' },
            { ...probe, name: 'PROBE', alias: 'PROBE', version: 'v2' },
            { ...probe, name: 'OWN', alias: 'OWN', cacheKeyPolicy: 'perOperator' as const },
            { ...probe, name: 'PROBE', alias: 'PROBE', method: 'POST' as const },
            { ...probe, name: 'STANDARD', alias: 'STANDARD', errorStyle: 'standard' as const },
          ]
          return { ...configuration, operations }
        },
      })
    })
    after(() => gateway.close())

    const ask = async (line: string, plan = '', operator = 'DEMO', method = 'GET') => {
      const answer = await gateway.call(`${method} ${line}`, { headers: { ...basic(operator), 'x-plan': plan } })
      assert.equal(answer.status, 200, answer.text)
      return answer
    }

    test('6.1 setRestCache on the response message makes a GET cacheable, on the request message it has no effect', async () => {
      const first = await ask('PROBE.v1/?6.1', 'ttl=60000')
      assert.equal((await ask('PROBE.v1/?6.1')).text, first.text)
      const other = await ask('PROBE.v1/?6.1b', 'onRequestMessage=1')
      assert.notEqual((await ask('PROBE.v1/?6.1b')).text, other.text)
    })

    test('6.2 an unexpired entry is served from the cache; after expiry the handler runs again', async () => {
      const first = await ask('PROBE.v1/?6.2', 'ttl=60000')
      time += minute - 1
      const second = await ask('PROBE.v1/?6.2', 'ttl=60000')
      time += 1
      const third = await ask('PROBE.v1/?6.2', 'ttl=60000')
      assert.equal(second.text, first.text)
      assert.equal(second.headers['content-type'], first.headers['content-type'])
      assert.notEqual(third.text, first.text)
    })

    test('6.3 a second user of the same URL receives the first user’s response', async () => {
      const first = await gateway.call('GET CACHED_TIME.v1/', { headers: basic('DEMO') })
      const second = await gateway.call('GET CACHED_TIME.v1/', { headers: basic('DEMO2') })
      assert.match(first.text, /<current-user>DEMO<\/current-user>/)
      assert.equal(second.text, first.text)
    })

    test('3.1 authentication and permission precede the cache', async () => {
      await ask('PROBE.v1/?3.1', 'ttl=60000')
      const refused = await gateway.call('GET PROBE.v1/?3.1', { headers: basic('NOPERM') })
      assert.match(refused.text, /User Id: NOPERM is not authorized for the operation PROBE_GET\./)
      assert.equal((await gateway.call('GET PROBE.v1/?3.1')).status, 401)
      assert.equal((await gateway.call('GET PROBE.v1/?3.1', { headers: basic('DEMO', 'wrong') })).status, 401)
    })

    test('6.4 any change of path or query is a separate entry; a throw-away parameter bypasses the cache', async () => {
      const lines = ['PROBE.v1', 'PROBE.v1/', 'PROBE.v1/?', 'PROBE.v1/?a=1', 'PROBE.v1/?a=%31', 'PROBE.v1/?random=0.5']
      const texts = []
      for (const line of lines) texts.push((await ask(line, 'ttl=60000')).text)
      assert.equal(new Set(texts).size, lines.length)
      for (const [index, line] of lines.entries()) assert.equal((await ask(line)).text, texts[index])
    })

    test('7.6, 6.4 Cache-Control and Pragma of a request do not bypass the cache', async () => {
      const first = await ask('PROBE.v1/?7.6', 'ttl=60000')
      const headers = { ...basic('DEMO'), 'cache-control': 'no-cache', pragma: 'no-cache' }
      assert.equal((await gateway.call('GET PROBE.v1/?7.6', { headers })).text, first.text)
    })

    test('6.5 two operations and two versions never share an entry; perOperator adds the operator', async () => {
      const texts = []
      for (const line of ['PROBE.v1/?6.5', 'OTHER.v1/?6.5', 'PROBE.v2/?6.5'])
        texts.push((await ask(line, 'ttl=60000')).text)
      assert.equal(new Set(texts).size, 3)
      const own = await ask('OWN.v1/?6.5', 'ttl=60000&identity=1', 'DEMO')
      const others = await ask('OWN.v1/?6.5', 'ttl=60000&identity=1', 'DEMO2')
      assert.match(own.text, /for DEMO$/)
      assert.match(others.text, /for DEMO2$/)
      assert.equal((await ask('OWN.v1/?6.5', '', 'DEMO')).text, own.text)
    })

    test('6.6 a POST neither reads nor fills the cache, an expiry in the past caches nothing', async () => {
      const first = await ask('PROBE.v1/?6.6', 'ttl=60000')
      assert.notEqual((await ask('PROBE.v1/?6.6', 'ttl=60000', 'DEMO', 'POST')).text, first.text)
      assert.equal((await ask('PROBE.v1/?6.6')).text, first.text)
      for (const ttl of ['0', '-1', 'NaN', 'Infinity']) {
        const headers = { ...basic('DEMO'), 'x-plan': `ttl=${ttl}` }
        const past = await gateway.call(`GET PROBE.v1/?past${ttl}`, { headers })
        assert.notEqual((await ask(`PROBE.v1/?past${ttl}`)).text, past.text)
      }
    })

    test('6.6 a 4xx, a fault and a response with a cookie of its own are never stored', async () => {
      for (const plan of ['ttl=60000&status=404', 'ttl=60000&fail=1', 'ttl=60000&cookie=1']) {
        const line = `GET PROBE.v1/?${encodeURIComponent(plan)}`
        await gateway.call(line, { headers: { ...basic('DEMO'), 'x-plan': plan } })
        const next = await gateway.call(line, { headers: basic('DEMO') })
        assert.equal(next.status, 200)
        assert.match(next.text, /^run \d+$/)
        assert.equal(String(next.headers['set-cookie']).includes('a=b'), false)
      }
    })

    test('6.6 a HEAD that is answered from GET reads the cache', async () => {
      const first = await ask('STANDARD.v1/?head', 'ttl=60000')
      const before = runs
      const head = await ask('STANDARD.v1/?head', '', 'DEMO', 'HEAD')
      assert.equal(head.headers['content-length'], String(first.bytes.length))
      assert.equal(head.text, '')
      assert.equal(runs, before)
    })

    test('6.6 a HEAD that is answered from GET does not fill the cache', async () => {
      await ask('STANDARD.v1/?headFirst', 'ttl=60000', 'DEMO', 'HEAD')
      const before = runs
      await ask('STANDARD.v1/?headFirst')
      assert.equal(runs, before + 1)
    })

    test('6.6 a header that only mentions Set-Cookie does not keep a response from the cache', async () => {
      const first = await ask('PROBE.v1/?exposed', 'ttl=60000&exposed=1')
      assert.equal((await ask('PROBE.v1/?exposed')).text, first.text)
    })

    test('6.7 the cache survives a restart', async () => {
      const first = await ask('PROBE.v1/?6.7', 'ttl=60000')
      await gateway.restart()
      const again = await ask('PROBE.v1/?6.7')
      assert.equal(again.text, first.text)
      assert.equal(again.headers['content-type'], first.headers['content-type'])
    })

    test('6.8 deleteRestCache takes the full name, removes the entries at the commit, and returns whether the operation exists', async () => {
      const first = await ask('PROBE.v1/?6.8', 'ttl=60000')
      const other = await ask('OTHER.v1/?6.8', 'ttl=60000')
      await gateway.call('GET OTHER.v1/?fails', {
        headers: { ...basic('DEMO'), 'x-plan': 'delete=PROBE_GET&thenFail=1' },
      })
      assert.equal((await ask('PROBE.v1/?6.8')).text, first.text, 'not committed, nothing removed')
      assert.equal((await ask('OTHER.v1/?a', 'delete=PROBE')).text, 'false')
      assert.equal((await ask('OTHER.v1/?b', 'delete=PROBE_GET')).text, 'true')
      assert.notEqual((await ask('PROBE.v1/?6.8', 'ttl=60000')).text, first.text)
      assert.equal((await ask('OTHER.v1/?6.8')).text, other.text)
    })

    test('6.8 deleteRestCache removes the responses of one operator; under another policy these are all', async () => {
      const askOwn = (operator: string) => ask('OWN.v1/?5.41', 'ttl=60000', operator)
      const [mine, other] = [await askOwn('DEMO'), await askOwn('DEMO2')]
      await ask('OTHER.v1/?of', 'delete=OWN_GET&of=DEMO')
      assert.notEqual((await askOwn('DEMO')).text, mine.text)
      assert.equal((await askOwn('DEMO2')).text, other.text)
      const shared = await ask('PROBE.v1/?5.41', 'ttl=60000')
      await ask('OTHER.v1/?of2', 'delete=PROBE_GET&of=DEMO2')
      assert.notEqual((await ask('PROBE.v1/?5.41')).text, shared.text)
    })

    test('6.8 a response created while the entries are deleted is not kept', async () => {
      await ask('PROBE.v1/?warm', 'ttl=60000')
      const { promise, resolve } = Promise.withResolvers<void>()
      gates.set('6.8', promise)
      const before = runs
      const slow = ask('PROBE.v1/?6.8late', 'ttl=60000&gate=6.8')
      while (runs === before) await new Promise(setImmediate)
      await ask('OTHER.v1/?c', 'delete=PROBE_GET')
      resolve()
      const stale = await slow
      assert.notEqual((await ask('PROBE.v1/?6.8late')).text, stale.text)
    })

    test('6.8 a call after the deletion does not receive a response begun before it', async () => {
      await ask('PROBE.v1/?6.8joined', 'ttl=60000')
      time += minute
      const { promise, resolve } = Promise.withResolvers<void>()
      gates.set('6.8joined', promise)
      const before = runs
      const slow = ask('PROBE.v1/?6.8joined', 'ttl=60000&gate=6.8joined')
      while (runs === before) await new Promise(setImmediate)
      await ask('OTHER.v1/?d', 'delete=PROBE_GET')
      const fresh = await ask('PROBE.v1/?6.8joined', 'ttl=60000')
      resolve()
      assert.notEqual(fresh.text, (await slow).text)
      assert.equal((await ask('PROBE.v1/?6.8joined')).text, fresh.text)
    })

    test('6.9 a handler that read the identity and cached without a stated policy is reported in the log', async () => {
      const warned = () =>
        gateway.observations.filter((o) => o.kind === 'note' && /identity and made.*cacheKeyPolicy/.test(o.message))
      await ask('OWN.v1/?6.9', 'ttl=60000&identity=1')
      await ask('PROBE.v1/?6.9a', 'ttl=60000')
      assert.equal(warned().length, 0)
      await ask('WARNED.v1/?6.9b', 'ttl=60000&identity=1')
      await ask('WARNED.v1/?6.9c', 'ttl=60000&identity=1')
      assert.equal(warned().length, 1)
    })

    test('6.10 concurrent misses of an entry that was cached before run the handler once', async () => {
      await ask('PROBE.v1/?6.10', 'ttl=60000')
      time += minute
      const { promise, resolve } = Promise.withResolvers<void>()
      gates.set('6.10', promise)
      const before = runs
      const answers = Array.from({ length: 50 }, () => ask('PROBE.v1/?6.10', 'ttl=60000&gate=6.10'))
      while (runs === before) await new Promise(setImmediate)
      resolve()
      const texts = new Set((await Promise.all(answers)).map(({ text }) => text))
      assert.equal(texts.size, 1)
      assert.equal(runs, before + 1)
    })

    test('6.10 if the one run caches nothing, each of the others runs the handler itself', async () => {
      await ask('PROBE.v1/?6.10b', 'ttl=60000')
      time += minute
      const { promise, resolve } = Promise.withResolvers<void>()
      gates.set('6.10b', promise)
      const before = runs
      const answers = Array.from({ length: 5 }, () => ask('PROBE.v1/?6.10b', 'gate=6.10b'))
      while (runs === before) await new Promise(setImmediate)
      resolve()
      assert.equal(new Set((await Promise.all(answers)).map(({ text }) => text)).size, 5)
    })

    test('6.10 if the client whose call runs the handler disconnects, it runs once more for all the others', async () => {
      await ask('PROBE.v1/?6.10c', 'ttl=60000')
      time += minute
      const { promise, resolve } = Promise.withResolvers<void>()
      gates.set('6.10c', promise)
      const before = runs
      const plan = { ...basic('DEMO'), 'x-plan': 'ttl=60000&gate=6.10c' }
      const target = new URL('/PSIGW/RESTListeningConnector/LOCAL_NODE/PROBE.v1/?6.10c', gateway.url)
      const leaving = get(target, { headers: plan }).on('error', () => {})
      while (runs === before) await new Promise(setImmediate)
      const answers = Array.from({ length: 20 }, () => ask('PROBE.v1/?6.10c', 'ttl=60000&gate=6.10c'))
      leaving.destroy()
      while (runs === before + 1) await new Promise(setImmediate)
      resolve()
      const texts = new Set((await Promise.all(answers)).map(({ text }) => text))
      assert.equal(texts.size, 1)
      assert.equal(runs, before + 2)
    })

    test('6.11 a cached response still has a session cookie and its own transaction id', async () => {
      const first = await ask('PROBE.v1/?6.11', 'ttl=60000')
      const second = await ask('PROBE.v1/?6.11')
      assert.equal(second.text, first.text)
      assert.match(String(second.headers['set-cookie']), /^JSESSIONID=[\w-]{32}; Path=\/; HttpOnly; SameSite=Lax$/)
      assert.notEqual(second.headers['ig-transaction-id'], first.headers['ig-transaction-id'])
    })
  })
})
