/**
 * Thrown answers, conditional and range requests, from handlers and from the REST cache, over real sockets (specification 5.23 to
 * 5.25, 6.13, 2.27).
 */
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import {
  Answer,
  answerConditional,
  formatTimestamp,
  type HandlerContext,
  type RepresentationValidators,
} from '../../src/sdk.ts'
import { basic, type CallOptions } from '../support/client.ts'
import { forEachDatabase } from '../support/databases.ts'
import { openPlanned, type PlannedGateway } from '../support/planned.ts'

const text = 'abcdefghij'.repeat(200)
const modified = Date.UTC(2026, 0, 1, 12)
const date = 'Thu, 01 Jan 2026 12:00:00 GMT'

forEachDatabase((database) => {
  suite(`Answers (${database.name})`, () => {
    let gateway: PlannedGateway
    before(async () => {
      const fields = {
        errorStyle: 'standard' as const,
        unknownParameters: 'refuse' as const,
        uriTemplates: ['/', 'part?mode=full'],
      }
      gateway = await openPlanned({ database, fields })
    })
    after(() => gateway.close())

    const write = ({ database: tables, transactionId }: HandlerContext, key: string) =>
      tables
        .insertInto('C_KEY_VALUE')
        .values({ IBTRANSACTIONID: transactionId, KEY1: key, LONGVALUE: 'x', ADD_DTTM: formatTimestamp(0) })
        .execute()
    const has = async (key: string) =>
      (await gateway.call(`GET KEY_VALUE.v1/${key}`, { headers: basic('DEMO') })).text.includes('<row>')

    test('5.23 an Answer of 200 to 299 is committed, one of 400 to 599 rolled back, without onError', async () => {
      gateway.onError = () => 'onError has run'
      for (const [status, isStored, isReturned] of [
        [201, true, false],
        [409, false, false],
        [503, false, false],
        [202, true, true],
        [404, false, true],
      ] as const) {
        const key = `k${status}`
        gateway.plan = async (_, __, context) => {
          await write(context, key)
          const answer = new Answer(status, { key }, { location: `/x/${key}`, 'Set-Cookie': ['a=1', 'b=2'] })
          if (isReturned) return answer
          throw answer
        }
        const answer = await gateway.ask('POST')
        assert.deepEqual(
          [
            answer.status,
            answer.text,
            answer.headers['content-type'],
            answer.headers.location,
            answer.headers['ig-refusal'],
          ],
          [status, `{"key":"${key}"}`, 'application/json', `/x/${key}`, undefined],
        )
        assert.match(answer.headers['set-cookie'] ?? '', /^a=1,b=2,JSESSIONID/)
        assert.equal(await has(key), isStored)
      }
    })

    test('5.23 the body of an Answer is JSON, text, bytes or nothing, from any depth, and never cached', async () => {
      const rows: [body: unknown, type: string | undefined, sent: string][] = [
        [[1, { a: 2n }], 'application/json', '[1,{"a":2}]'],
        [null, 'application/json', 'null'],
        ['é', 'text/plain; charset=UTF-8', 'é'],
        [Buffer.from('b'), 'application/octet-stream', 'b'],
        [undefined, undefined, ''],
      ]
      for (const [body, type, sent] of rows) {
        gateway.plan = async (response, _, { now }) => {
          response.setRestCache(now() + 60_000)
          const deep = (): never => {
            throw new Answer(200, body)
          }
          await Promise.resolve().then(deep)
        }
        const { headers, text: replied } = await gateway.ask('GET')
        assert.deepEqual([headers['content-type'], replied], [type, sent])
      }
      gateway.plan = (response) => {
        response.contentType = 'text/plain'
        throw new Answer(422, '<no/>', { 'Content-Type': 'text/xml' })
      }
      assert.equal((await gateway.ask('GET')).headers['content-type'], 'text/xml')
    })

    test('5.23 an Answer of another status, or with a header of the gateway, is handlerFailed', async () => {
      gateway.onError = undefined
      const made = [() => new Answer(304), () => new Answer(600), () => new Answer(409, Number.NaN)]
      for (const make of [
        ...made,
        () => new Answer(409, '', { 'ig-refusal': 'x' }),
        () => new Answer(200, '', { a: 'b\n' }),
      ]) {
        gateway.plan = async (_, __, context) => {
          await write(context, 'never')
          throw make()
        }
        const { status, headers } = await gateway.ask('POST')
        assert.deepEqual([status, headers['ig-refusal']], [500, 'handlerFailed'])
      }
      assert.equal(await has('never'), false)
    })

    const plan = (validators: RepresentationValidators, cachedFor = 0) => {
      let runs = 0
      gateway.plan = async (response, request, context) => {
        runs += 1
        if (cachedFor > 0) response.setRestCache(context.now() + cachedFor)
        response.contentType = 'text/plain'
        if (context.database && answerConditional(request, response, validators)) return
        response.setContentString(text)
      }
      return () => runs
    }
    const get = async (headers: CallOptions['headers'], line = 'GET') => {
      const answer = await gateway.ask(line, { headers: { ...headers } })
      return [answer.status, answer.text.length, answer.headers['content-range']]
    }

    test("5.24 a client that has the representation gets 304, and the handler's writes are committed", async () => {
      gateway.plan = async (response, request, context) => {
        await write(context, 'counted')
        if (answerConditional(request, response, { etag: 'v7', lastModified: modified + 999 })) return
        response.setContentString(text)
      }
      const whole = await gateway.ask('GET')
      assert.deepEqual(
        [whole.status, whole.headers.etag, whole.headers['last-modified'], whole.headers['accept-ranges']],
        [200, '"v7"', date, 'bytes'],
      )
      const known = await gateway.ask('GET', { headers: { 'if-none-match': '"v6", W/"v7"' } })
      assert.deepEqual(
        [known.status, known.text, known.headers.etag, known.headers['last-modified'], known.headers.vary],
        [304, '', 'W/"v7"', date, 'accept-encoding'],
      )
      assert.deepEqual([known.headers['content-type'], known.headers['content-length']], [undefined, undefined])
      assert.equal(await has('counted'), true)
      assert.equal((await gateway.ask('HEAD', { headers: { 'if-none-match': '*' } })).status, 304)
      assert.equal((await gateway.ask('HEAD', { headers: { range: 'bytes=0-1' } })).status, 200)
    })

    test('5.24 tags are compared weakly, and a date only if no tag is sent', async () => {
      plan({ etag: 'W/"v7"', lastModified: new Date(modified) })
      const rows: [CallOptions['headers'], number][] = [
        [{ 'if-none-match': '"v7"' }, 304],
        [{ 'if-none-match': '*' }, 304],
        [{ 'if-none-match': '"v8"', 'if-modified-since': date }, 200],
        [{ 'if-none-match': 'v7' }, 200],
        [{ 'if-modified-since': date }, 304],
        [{ 'if-modified-since': 'Thu, 01 Jan 2026 11:59:59 GMT' }, 200],
        [{ 'if-modified-since': 'Thu Jan  1 12:00:00 2026' }, 304],
        [{ 'if-modified-since': 'yesterday' }, 200],
      ]
      for (const [headers, status] of rows) assert.equal((await get(headers))[0], status, JSON.stringify(headers))
      gateway.plan = (response, request) => {
        assert.equal(answerConditional(request, response, { etag: 'v7' }), false)
        response.setContentString(text)
      }
      assert.deepEqual(await get({ 'if-none-match': '"v7"', range: 'bytes=0-1' }, 'POST'), [
        200,
        text.length,
        undefined,
      ])
    })

    test('5.24 an entity tag or a date that HTTP cannot represent is an error', async () => {
      gateway.onError = (request) => String(request.exception?.name)
      for (const wrong of [{ etag: 'a"b' }, { etag: 'a b' }, { lastModified: new Date(Number.NaN) }]) {
        plan(wrong)
        assert.equal((await gateway.ask('GET')).text, 'TypeError')
      }
    })

    test('5.25 a single range gets 206 or 416, anything else the whole response', async () => {
      plan({ etag: 'v7', lastModified: modified })
      const size = text.length
      const whole = [200, size, undefined]
      const rows: [CallOptions['headers'], unknown][] = [
        [{ range: 'bytes=0-0' }, [206, 1, `bytes 0-0/${size}`]],
        [{ range: 'bytes=10-' }, [206, size - 10, `bytes 10-${size - 1}/${size}`]],
        [{ range: 'bytes=-5' }, [206, 5, `bytes ${size - 5}-${size - 1}/${size}`]],
        [{ range: 'bytes=-99999999999999999999' }, [206, size, `bytes 0-${size - 1}/${size}`]],
        [{ range: `bytes=5-${size * 2}` }, [206, size - 5, `bytes 5-${size - 1}/${size}`]],
        [{ range: `bytes=${size}-` }, [416, 0, `bytes */${size}`]],
        [{ range: 'bytes=-0' }, [416, 0, `bytes */${size}`]],
        [{ range: 'bytes=5-4' }, whole],
        [{ range: 'bytes=x' }, whole],
        [{ range: 'bytes=-' }, whole],
        [{ range: 'lines=0-1' }, whole],
        [{ range: 'bytes=0-1,4-5' }, whole],
        [{ range: `bytes=${Array.from({ length: 100 }, (_, at) => `${at}-${at}`).join(',')}` }, whole],
        [{ range: 'bytes=0-1', 'if-range': '"v7"' }, [206, 2, `bytes 0-1/${size}`]],
        [{ range: 'bytes=0-1', 'if-range': date }, [206, 2, `bytes 0-1/${size}`]],
        [{ range: 'bytes=0-1', 'if-range': 'W/"v7"' }, whole],
        [{ range: 'bytes=0-1', 'if-range': '"v6"' }, whole],
        [{ range: 'bytes=0-1', 'if-none-match': '"v7"' }, [304, 0, undefined]],
      ]
      for (const [headers, expected] of rows) assert.deepEqual(await get(headers), expected, JSON.stringify(headers))
    })

    test('5.24, 5.25 a stream has no ranges, and is not read for a client that already has it', async () => {
      let pulled = 0
      gateway.plan = (response, request) => {
        answerConditional(request, response, { etag: 'v7' })
        response.setContentStream(
          (async function* () {
            pulled += 1
            yield text
          })(),
        )
      }
      const whole = await gateway.ask('GET', { headers: { range: 'bytes=0-1' } })
      assert.deepEqual([whole.status, whole.text, whole.headers['accept-ranges']], [200, text, undefined])
      assert.equal((await gateway.ask('GET', { headers: { 'if-none-match': '"v7"' } })).status, 304)
      assert.equal(pulled, 1)
    })

    test('5.25 a range is never compressed, and the tag of a compressed response is weak', async () => {
      plan({ etag: 'v7' })
      const part = await gateway.ask('GET', { headers: { 'accept-encoding': 'gzip', range: 'bytes=0-1499' } })
      assert.deepEqual(
        [part.status, part.headers['content-encoding'], part.headers.etag, part.headers.vary, part.text],
        [206, undefined, '"v7"', 'accept-encoding', text.slice(0, 1500)],
      )
      const packed = await gateway.ask('GET', { headers: { 'accept-encoding': 'gzip' } })
      assert.deepEqual(
        [packed.headers['content-encoding'], packed.headers.etag, gunzipSync(packed.bytes).toString()],
        ['gzip', 'W/"v7"', text],
      )
    })

    test('6.13 a cached response answers conditional and range requests, and partial responses are not cached', async () => {
      const runs = plan({ etag: 'v7', lastModified: modified }, 60_000)
      assert.equal((await get({ 'if-none-match': '"v7"' }, 'GET part?mode=full'))[0], 304)
      assert.deepEqual(await get({}, 'GET part?mode=full'), [200, text.length, undefined])
      assert.equal(runs(), 2)
      const line = 'GET part?mode=full'
      assert.deepEqual(await get({ 'if-none-match': 'W/"v7"' }, line), [304, 0, undefined])
      assert.deepEqual(await get({ 'if-modified-since': date }, line), [304, 0, undefined])
      assert.deepEqual(await get({ range: 'bytes=2-3' }, line), [206, 2, `bytes 2-3/${text.length}`])
      assert.deepEqual(await get({ range: 'bytes=9999-' }, line), [416, 0, `bytes */${text.length}`])
      assert.deepEqual(await get({}, line), [200, text.length, undefined])
      assert.equal(runs(), 2)
      await gateway.restart()
      assert.deepEqual(await get({ range: 'bytes=2-3' }, line), [206, 2, `bytes 2-3/${text.length}`])
      assert.equal(runs(), 2)
    })

    test('2.27 unknownParameters refuse: a parameter that no URI template names is refused, after permission and before the cache', async () => {
      const runs = plan({})
      for (const [url, name] of [
        ['?size=1', 'size'],
        ['part?mode=full&%C3%A9=1', 'é'],
        ['?=1', ''],
      ] as const) {
        const { status, headers, text: problem } = await gateway.ask(`GET ${url}`)
        assert.deepEqual([status, headers['ig-refusal']], [400, 'uriValueInvalid'])
        assert.equal(JSON.parse(problem).detail, `The query parameter ${JSON.stringify(name)} is not known.`)
      }
      assert.equal((await gateway.ask('GET ?mode=half')).status, 200) // the name is known, whatever its value
      const denied = await gateway.call('GET PLANNED.v1/?size=1', { headers: basic('NOPERM') })
      assert.equal(denied.status, 403)
      assert.equal(runs(), 1)
    })
  })
})
