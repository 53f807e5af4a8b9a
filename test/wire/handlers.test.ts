import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { parseUriTemplate } from '../../src/model/uri/uri-template.ts'
import {
  createXmlDoc,
  type Handler,
  type HandlerContext,
  Refusal,
  type RequestMessage,
  type ResponseMessage,
} from '../../src/sdk.ts'
import { readSettings } from '../../src/settings.ts'
import { describeOperation, run, someTransactionId, succeed } from '../support/handler-run.ts'

type OnRequest = (request: RequestMessage, context: HandlerContext) => ResponseMessage | Promise<ResponseMessage>

/** A handler class with this `onRequest`, and what else is given. */
function handlerOf(onRequest: OnRequest, others: Partial<Handler> = {}): new () => Handler {
  return class Sample {
    onRequest = onRequest

    constructor() {
      Object.assign(this, others)
    }
  }
}

const ok = (request: RequestMessage, { broker }: HandlerContext) =>
  broker.createMessage(request.operationName, 'response')

/** What only JavaScript lets a handler do. */
const wrong = (value: unknown) => value as ResponseMessage

test('5.1 the message that onRequest returns becomes the response, with the content type of the operation', async () => {
  const handler = handlerOf((request, context) => {
    const response = ok(request, context)
    response.setContentString('<é/>')
    return response
  })
  const { response, text, headers, isBodyClosed } = await succeed({ handler })
  assert.equal(response?.status, 200)
  assert.equal(text, '<é/>')
  assert.deepEqual(headers, { 'content-type': 'text/xml; encoding="UTF-8"' })
  assert.equal(response?.hasFailed, undefined)
  assert.equal(response?.cacheExpires, undefined)
  assert.equal(isBodyClosed, true)
})

test('5.1 each request gets its own instance', async () => {
  class Counter implements Handler {
    count = 0
    onRequest(request: RequestMessage, context: HandlerContext) {
      this.count += 1
      const response = ok(request, context)
      response.setContentString(String(this.count))
      return response
    }
  }
  assert.equal((await succeed({ handler: Counter })).text, '1')
  assert.equal((await succeed({ handler: Counter })).text, '1')
})

test('5.2 the request message has operation, transaction, URI document, headers and body', async () => {
  let seen: unknown
  const handler = handlerOf(async (request, context) => {
    seen = {
      operation: [request.operationName, request.operationVersion],
      transaction: request.transactionId,
      index: request.uriResourceIndex,
      values: request.getUriDocument(),
      headers: ['X-One', 'x-two', 'constructor', 'ig-transaction-id', 'X-Platform-dms-ecid'].map((name) =>
        request.getHeader(name),
      ),
      exception: request.exception,
      text: await request.getContentString(),
      again: await request.getContentString(),
      bytes: Buffer.concat(await request.getContentStream().toArray()).toString(),
      xml: (await request.getXmlDoc()).root.text,
    }
    return ok(request, context)
  })
  await succeed({
    handler,
    body: '<a>b</a>',
    values: { key: 'k', list: [1, 2] },
    uriResourceIndex: 2,
    headers: {
      'x-one': '1',
      'x-two': ['2', '3'],
      'ig-transaction-id': 'forged',
      'x-platform-dms-ecid': 'forged',
    },
  })
  assert.deepEqual(seen, {
    operation: ['SAMPLE_POST', 'v1'],
    transaction: someTransactionId,
    index: 2,
    values: { key: 'k', list: [1, 2] },
    headers: ['1', '2, 3', undefined, undefined, undefined],
    exception: undefined,
    text: '<a>b</a>',
    again: '<a>b</a>',
    bytes: '<a>b</a>',
    xml: 'b',
  })
})

test('5.3 a response message is created for the operation named on the request, and for no other', async () => {
  const other = handlerOf((_, { broker }) => broker.createMessage('OTHER_POST', 'response'))
  assert.match(
    (await run({ handler: other })).refusal?.message ?? '',
    /OTHER_POST is not the operation of this request/,
  )
  const kind = handlerOf((request, { broker }) => broker.createMessage(request.operationName, 'request' as 'response'))
  assert.match((await run({ handler: kind })).refusal?.message ?? '', /not request/)
})

test('5.3 a response is filled with XML or with text', async () => {
  const handler = handlerOf((request, context) => {
    const response = ok(request, context)
    const document = createXmlDoc('response')
    document.root.addElement('a', 'b')
    response.setXmlDoc(document)
    document.root.addElement('later')
    return response
  })
  assert.equal((await succeed({ handler })).text, '<?xml version="1.0"?><response><a>b</a></response>')
  const other = handlerOf((request, context) => {
    const response = ok(request, context)
    response.setContentString(wrong(5) as unknown as string)
    return response
  })
  assert.equal((await run({ handler: other })).refusal?.code, 'handlerFailed')
})

test('5.4 the context has operator, transaction id, broker, log, signal, time and server', async () => {
  let context: HandlerContext | undefined
  const handler = handlerOf((request, given) => {
    context = given
    const { log, now } = given
    log.warning('low', { left: 3 })
    log.debug('now', { now: now() })
    return ok(request, given)
  })
  const { notes } = await succeed({ handler, operatorId: 'demo', now: () => 5.25 })
  assert.ok(context)
  const { id, description } = context.operator
  assert.deepEqual({ id, description }, { id: 'demo', description: 'Operator demo' })
  assert.equal(context.transactionId, someTransactionId)
  assert.equal(context.now(), 5.25)
  assert.equal(context.signal.aborted, false)
  assert.equal(context.server.dbname, 'GATEWAY')
  assert.deepEqual(
    notes.map(({ level, message, detail }) => [level, message, detail]),
    [
      ['warning', 'low', { left: 3 }],
      ['debug', 'now', { now: 5.25 }],
    ],
  )
  assert.equal(notes[0]?.transaction?.id, someTransactionId)
})

const fails: readonly { readonly title: string; readonly onRequest: OnRequest }[] = [
  {
    title: '5.6 a handler that throws',
    onRequest: () => {
      throw new TypeError('broken')
    },
  },
  { title: '5.6 a handler that rejects', onRequest: () => Promise.reject(new TypeError('broken')) },
  {
    title: '5.6 a handler that throws something other than an error',
    onRequest: () => {
      throw { reason: 'broken' }
    },
  },
  { title: '5.6 a handler that rejects with nothing', onRequest: () => Promise.reject() },
  { title: '5.6 a handler that returns nothing', onRequest: () => wrong(undefined) },
  { title: '5.6 a handler that returns null', onRequest: async () => wrong(null) },
  { title: '5.6 a handler that returns text', onRequest: () => wrong('<response/>') },
  { title: '5.6 a handler that returns the request', onRequest: (request) => wrong(request) },
  {
    title: '5.6 a handler that returns a look-alike',
    onRequest: (request) =>
      wrong({ operationName: request.operationName, httpResponseCode: 200, contentType: 'text/xml' }),
  },
  { title: '5.7 a handler that returns 302', onRequest: answering(302) },
  { title: '5.7 a handler that returns 500', onRequest: answering(500) },
  { title: '5.7 a handler that returns 199', onRequest: answering(199) },
  { title: '5.7 a handler that returns 200.5', onRequest: answering(200.5) },
  { title: '5.7 a handler that returns a word as status', onRequest: answering('200' as unknown as number) },
]

for (const { title, onRequest } of fails) {
  test(`${title} has failed`, async () => {
    const { refusal, isBodyClosed } = await run({ handler: handlerOf(onRequest), body: '<a/>' })
    assert.equal(refusal?.code, 'handlerFailed')
    assert.equal(refusal?.detail, undefined)
    assert.match(refusal?.development ?? '', /^Sample: \w*Error: /)
    assert.equal(isBodyClosed, true)
  })
}

test('5.6 a handler that cannot be constructed has failed', async () => {
  class Broken implements Handler {
    constructor() {
      throw new Error('no instance')
    }
    onRequest = ok
    onError = () => 'never'
  }
  assert.equal((await run({ handler: Broken })).refusal?.code, 'handlerFailed')
})

test('5.6 a message created for another call is not a response', async () => {
  let kept: ResponseMessage | undefined
  const handler = handlerOf((request, context) => {
    kept ??= ok(request, context)
    return kept
  })
  await succeed({ handler, transactionId: 'one' })
  assert.equal((await run({ handler, transactionId: 'two' })).refusal?.code, 'handlerFailed')
})

test('4.12 the detail of a handler error names class, error and line', async () => {
  const handler = handlerOf(() => {
    throw new RangeError('secret inside')
  })
  const { refusal } = await run({ handler })
  assert.match(refusal?.development ?? '', /^Sample: RangeError: secret inside \(test\/wire\/handlers\.test\.ts:\d+\)$/)
  assert.equal(refusal?.detail, undefined)
})

for (const status of [200, 201, 204, 299, 400, 404, 422, 499]) {
  test(`5.7 a handler may return ${status}`, async () => {
    const { response, text } = await succeed({ handler: handlerOf(answering(status)) })
    assert.equal(response?.status, status)
    assert.equal(response?.hasFailed, undefined)
    assert.equal(text, status === 204 ? '' : 'content')
  })
}

function answering(status: number): OnRequest {
  return (request, context) => {
    const response = ok(request, context)
    response.httpResponseCode = status
    response.setContentString('content')
    return response
  }
}

test('5.5 what onError returns is the body, with status and content type of the fault message', async () => {
  const handler = handlerOf(
    () => {
      throw new Error('none left')
    },
    { onError: (request) => `<fault>${request.exception?.message}</fault>` },
  )
  const { response, text, headers, notes } = await succeed({
    handler,
    operation: { fault: { kind: 'nonRowset', contentType: 'text/xml', httpCode: 503 } },
  })
  assert.equal(response?.status, 503)
  assert.equal(response?.hasFailed, true)
  assert.equal(text, '<fault>none left</fault>')
  assert.deepEqual(headers, { 'content-type': 'text/xml' })
  assert.deepEqual(
    notes.map(({ level, error }) => [level, String(error)]),
    [['error', 'Error: none left']],
  )
})

test('5.5 the handler overrides status and content type of its fault', async () => {
  class Sorry implements Handler {
    onErrorHttpResponseCode = 400
    onErrorContentType = ''
    onRequest(): ResponseMessage {
      throw new Error('none left')
    }
    async onError() {
      this.onErrorHttpResponseCode = 409
      this.onErrorContentType = 'text/plain'
      return 'sorry'
    }
  }
  const { response, headers } = await succeed({ handler: Sorry })
  assert.equal(response?.status, 409)
  assert.deepEqual(headers, { 'content-type': 'text/plain' })
})

test('5.5 onError gets an exception even if the handler throws something other than an error', async () => {
  const handler = handlerOf(() => Promise.reject('just text'), {
    onError: (request) => `${request.exception instanceof Error} ${request.exception?.message}`,
  })
  assert.equal((await succeed({ handler })).text, "true 'just text'")
})

const fruitless: readonly { readonly title: string; readonly others: Partial<Handler> }[] = [
  { title: '5.6 an empty string of onError', others: { onError: () => '' } },
  { title: '5.6 an onError that returns nothing', others: { onError: () => wrong(undefined) as unknown as string } },
  {
    title: '5.6 an onError that throws',
    others: {
      onError: () => {
        throw new Error('second')
      },
    },
  },
  { title: '5.6 an onError that rejects', others: { onError: () => Promise.reject(new Error('second')) } },
  {
    title: '5.6 an onError that throws a refusal',
    others: { onError: () => Promise.reject(new Refusal('bodyMalformed', '')) },
  },
  { title: '5.6 an onError that never ends', others: { onError: () => new Promise(() => {}) } },
  {
    title: '5.6 an onError that uses the database',
    others: {
      onError: async (_, context) => {
        await context.database.selectFrom('T').selectAll().execute()
        return 'stored'
      },
    },
  },
  { title: '5.5 a status of 302 for a fault', others: { onError: () => 'x', onErrorHttpResponseCode: 302 } },
  { title: '5.5 a status of NaN for a fault', others: { onError: () => 'x', onErrorHttpResponseCode: Number.NaN } },
  {
    title: '5.5 a content type with a line break for a fault',
    others: { onError: () => 'x', onErrorContentType: 'text/xml\r\nset-cookie: a=b' },
  },
]

for (const { title, others } of fruitless) {
  test(`${title} gives handlerFailed, of the first error`, async () => {
    const handler = handlerOf(() => Promise.reject(new Error('first')), others)
    const { refusal, isBodyClosed } = await run({ handler, limits: { handlerTimeout: 40 } })
    assert.equal(refusal?.code, 'handlerFailed')
    assert.match(String(refusal?.cause), /first/)
    assert.equal(isBodyClosed, true)
  })
}

test('5.6 a handler that exceeds its time is handlerTimedOut, and its signal aborted', async () => {
  let context: HandlerContext | undefined
  const handler = handlerOf((_, given) => {
    context = given
    return new Promise(() => {})
  })
  const { refusal, isBodyClosed } = await run({ handler, limits: { handlerTimeout: 20 } })
  assert.equal(refusal?.code, 'handlerTimedOut')
  assert.match(refusal?.message ?? '', /exceeded its time of 20 ms/)
  assert.equal(context?.signal.aborted, true)
  assert.equal(isBodyClosed, true)
})

test('5.6 a time-out with an onError that returns nothing is handlerTimedOut', async () => {
  const handler = handlerOf(() => new Promise(() => {}), { onError: () => '' })
  assert.equal((await run({ handler, limits: { handlerTimeout: 20 } })).refusal?.code, 'handlerTimedOut')
})

test('5.5 onError runs after a time-out, with a signal that is not aborted', async () => {
  const handler = handlerOf(() => new Promise(() => {}), {
    onError: (request, context) => `${request.exception?.name} ${context.signal.aborted}`,
  })
  const { text, response } = await succeed({ handler, limits: { handlerTimeout: 20 } })
  assert.equal(text, 'HandlerTimeout false')
  assert.equal(response?.status, 500)
})

test('5.6 what a handler does after its time has no effect', async () => {
  const rejections: unknown[] = []
  const listen = (reason: unknown) => rejections.push(reason)
  process.on('unhandledRejection', listen)
  const handler = handlerOf(async (request, { signal }) => {
    if (!signal.aborted) await once(signal, 'abort')
    await request.getContentStream().toArray()
    throw new Error('too late')
  })
  await run({ handler, body: 'x'.repeat(100_000), limits: { handlerTimeout: 20, spoolMemoryBytes: 10 } })
  await new Promise((resolve) => setImmediate(resolve))
  process.off('unhandledRejection', listen)
  assert.deepEqual(rejections, [])
})

test('5.4 the signal is aborted when the client disconnects, and no onError runs', async () => {
  const client = new AbortController()
  let hasRun = false
  const handler = handlerOf(
    async (request, context) => {
      client.abort()
      if (!context.signal.aborted) await once(context.signal, 'abort')
      return ok(request, context)
    },
    {
      onError: () => {
        hasRun = true
        return 'x'
      },
    },
  )
  const { refusal } = await run({ handler, signal: client.signal })
  assert.match(refusal?.message ?? '', /client left/i)
  assert.equal(hasRun, false)
})

test('5.4 a client that disconnected before the handler began to wait is noticed too', async () => {
  const handler = handlerOf(() => new Promise(() => {}))
  assert.match((await run({ handler, signal: AbortSignal.abort() })).refusal?.message ?? '', /client left/i)
})

test('17.12 a handler that shutdown cuts off is refused as overloaded, and onError does not run', async () => {
  const stop = new AbortController()
  const handler = handlerOf(
    () => {
      setImmediate(() => stop.abort(new Refusal('overloaded', 'cut off by the stop')))
      return new Promise(() => {})
    },
    { onError: () => 'answered' },
  )
  const { refusal } = await run({ handler, signal: stop.signal })
  assert.deepEqual([refusal?.code, refusal?.message], ['overloaded', 'cut off by the stop'])
})

test('17.12 reading a large body ends when its call is cut off', async () => {
  const stop = new AbortController()
  const reading = Promise.withResolvers<unknown>()
  const handler = handlerOf(async (request) => {
    const stream = async () => {
      for await (const _ of request.getXmlElements()) stop.abort(new Refusal('overloaded', 'cut off by the stop'))
    }
    await stream().then(reading.resolve, reading.reject)
    return new Promise(() => {})
  })
  const body = `<a>${'<b>c</b>'.repeat(200_000)}</a>`
  await run({ handler, body, limits: { spoolMemoryBytes: 8 * 1024 ** 2 }, signal: stop.signal })
  await assert.rejects(reading.promise, { code: 'overloaded' })
})

const refusals: readonly { readonly title: string; readonly body: string | Buffer; readonly code: string }[] = [
  { title: '5.11 ill-formed XML', body: '<a>', code: 'bodyMalformed' },
  { title: '5.11 a DOCTYPE', body: '<!DOCTYPE a><a/>', code: 'bodyMalformed' },
  { title: '5.12 invalid UTF-8', body: Buffer.from([0x3c, 0xff]), code: 'bodyMalformed' },
  { title: '4.10 an unknown charset', body: '<?xml version="1.0" encoding="ebcdic"?><a/>', code: 'contentUnsupported' },
]

for (const { title, body, code } of refusals) {
  test(`${title} that a handler does not catch is ${code}, without onError`, async () => {
    const handler = handlerOf(
      async (request, context) => {
        await request.getXmlDoc()
        return ok(request, context)
      },
      { onError: () => 'never' },
    )
    const { refusal, isBodyClosed } = await run({ handler, body })
    assert.equal(refusal?.code, code)
    assert.equal(isBodyClosed, true)
  })
}

test('5.11 a handler may catch and handle ill-formed XML', async () => {
  const handler = handlerOf(async (request, context) => {
    const response = ok(request, context)
    await request.getXmlDoc().catch(() => {
      response.httpResponseCode = 422
    })
    return response
  })
  assert.equal((await succeed({ handler, body: '<a>' })).response?.status, 422)
})

test('4.10 a content encoding other than identity is contentUnsupported, before the body is read', async () => {
  const handler = handlerOf(ok)
  for (const encoding of ['gzip', 'deflate', 'br', 'identity, gzip', 'x'.repeat(100)]) {
    const { refusal } = await run({ handler, headers: { 'content-encoding': encoding } })
    assert.equal(refusal?.code, 'contentUnsupported')
    assert.ok((refusal?.detail ?? '').length < 170)
  }
  for (const encoding of ['identity', 'Identity', '']) {
    await succeed({ handler, headers: { 'content-encoding': encoding } })
  }
})

test('5.10 the body of a POST is readable even if empty, and ignored if it is not read', async () => {
  const reading = handlerOf(async (request, context) => {
    assert.equal(await request.getContentString(), '')
    assert.deepEqual(await request.getContentStream().toArray(), [])
    return ok(request, context)
  })
  await succeed({ handler: reading })
  const { isBodyClosed } = await succeed({ handler: handlerOf(ok), body: '<not XML' })
  assert.equal(isBodyClosed, true)
})

test('8.7 a log of whole messages gets the first part of a body, and the handler all of it', async () => {
  const handler = handlerOf(async (request, context) => {
    const response = ok(request, context)
    response.setContentString(String((await request.getContentString()).length))
    return response
  })
  const { log } = readSettings('/', {})
  const whole = { log: { ...log, level: 5 as const } }
  for (const spoolMemoryBytes of [10, 1_000_000]) {
    const limits = { spoolMemoryBytes }
    assert.equal((await succeed({ handler, limits, body: '<a/>' })).loggedBody, undefined)
    assert.equal((await succeed({ handler, limits, body: '<a/>', settings: whole })).loggedBody?.toString(), '<a/>')
    const long = await succeed({ handler, limits, body: 'x'.repeat(300_000), settings: whole })
    assert.equal(long.loggedBody?.length, 64 * 1024)
    assert.equal(long.text, '300000')
  }
})

test('5.10 a body can be read again after an abandoned read', async () => {
  const handler = handlerOf(async (request, context) => {
    for await (const row of request.getXmlElements()) if (row.text === '2') break
    for await (const _ of request.getContentStream()) break
    const response = ok(request, context)
    response.setContentString(String((await request.getXmlDoc()).root.elements().length))
    return response
  })
  const body = `<request>${'<row>2</row>'.repeat(50_000)}</request>`
  for (const spoolMemoryBytes of [10, 1_000_000]) {
    assert.equal((await succeed({ handler, body, limits: { spoolMemoryBytes } })).text, '50000')
  }
})

test('5.10 a stream that the handler opened and abandoned ends with the call', async () => {
  let stream: ReturnType<RequestMessage['getContentStream']> | undefined
  const handler = handlerOf((request, context) => {
    stream = request.getContentStream()
    return ok(request, context)
  })
  for (const spoolMemoryBytes of [10, 1_000_000]) {
    await succeed({ handler, body: 'x'.repeat(100_000), limits: { spoolMemoryBytes } })
    assert.equal(stream?.destroyed, true)
  }
})

test('5.11 elements are read one by one from a body on disk', async () => {
  const handler = handlerOf(async (request, context) => {
    let total = 0
    for await (const row of request.getXmlElements('request')) total += Number(row.text)
    const response = ok(request, context)
    response.setContentString(String(total))
    return response
  })
  const body = `<request>${'<row>2</row>'.repeat(50_000)}</request>`
  assert.equal((await succeed({ handler, body, limits: { spoolMemoryBytes: 1000 } })).text, '100000')
})

test('5.3 a handler can set its own headers, and none of the gateway’s', async () => {
  const taken = [
    'Content-Length',
    'transfer-encoding',
    'Connection',
    'content-type',
    'content-encoding',
    'IG-Refusal',
    'x-platform-dms-rid',
  ]
  const handler = handlerOf((request, context) => {
    const response = ok(request, context)
    for (const name of [...taken, '', 'a b', 'a:b', 'a\n'])
      assert.throws(() => response.setHeader(name, '1'), TypeError)
    for (const value of ['a\r\nb: c', '\n', '\u0000', '\u0100']) {
      assert.throws(() => response.setHeader('x-a', value), TypeError)
      assert.throws(() => {
        response.contentType = value
      }, TypeError)
    }
    for (const value of [5, null, undefined, ['a']] as unknown as string[]) {
      assert.throws(() => response.setHeader('x-a', value), /The value of the header x-a must be a string, not /)
      assert.throws(() => response.setHeader(value, 'a'), /The name of a header must be a string, not /)
    }
    response.contentType = 'text/plain'
    response.setHeader('X-Mine', '1')
    response.setHeader('x-mine', '2')
    response.setHeader('Set-Cookie', 'a=b')
    response.setHeader('Set-Cookie', 'c=d')
    return response
  })
  const { response } = await succeed({ handler })
  assert.equal(response?.headers.join('|'), 'content-type|text/plain|x-mine|2|set-cookie|a=b|set-cookie|c=d')
})

const later = Date.now() + 60_000

const caching: readonly {
  readonly title: string
  readonly fill?: (response: ResponseMessage, request: RequestMessage) => void
  readonly expires?: Date | number
  readonly method?: 'GET' | 'POST'
  readonly expected: number | undefined
}[] = [
  { title: '6.1 setRestCache on a GET keeps the response', expected: later },
  { title: '6.1 setRestCache takes a Date', expires: new Date(later), expected: later },
  { title: '6.6 setRestCache on a POST keeps nothing', method: 'POST', expected: undefined },
  { title: '6.6 an expiry in the past keeps nothing', expires: Date.now() - 1, expected: undefined },
  {
    title: '6.6 a 4xx is not kept',
    fill: (response) => {
      response.httpResponseCode = 404
    },
    expected: undefined,
  },
  {
    title: '6.6 a response with a cookie of its own is not kept',
    fill: (response) => response.setHeader('Set-Cookie', 'a=b'),
    expected: undefined,
  },
]

for (const { title, fill, expires = later, method = 'GET', expected } of caching) {
  test(title, async () => {
    const handler = handlerOf((request, context) => {
      const response = ok(request, context)
      response.setRestCache(expires)
      fill?.(response, request)
      return response
    })
    assert.equal((await succeed({ handler, operation: { method } })).response?.cacheExpires, expected)
  })
}

test('6.1 setRestCache on the request has no effect', async () => {
  const handler = handlerOf((request, context) => {
    request.setRestCache(later)
    return ok(request, context)
  })
  assert.equal((await succeed({ handler, operation: { method: 'GET' } })).response?.cacheExpires, undefined)
})

test('6.1 setRestCache refuses a value that is not a time', async () => {
  const handler = handlerOf((request, context) => {
    const response = ok(request, context)
    assert.throws(() => response.setRestCache(new Date(Number.NaN)), TypeError)
    assert.throws(() => response.setRestCache('soon' as unknown as number), TypeError)
    for (const duration of [60, 60_000, -1, 99_999_999_999])
      assert.throws(() => response.setRestCache(duration), /^RangeError: .*looks like a duration: pass a Date or epoch/)
    for (const time of [new Date(60_000), 100_000_000_000]) response.setRestCache(time)
    return response
  })
  await succeed({ handler })
})

const readers: readonly { readonly read: string; readonly onRequest: OnRequest }[] = [
  { read: "the caller's identity", onRequest: (...call) => cacheable(...call, () => call[1].operator.id) },
  ...['Authorization', 'Cookie', 'Host', 'Accept-Language', 'X-Tenant'].map((name) => ({
    read: name.toLowerCase(),
    onRequest: (...call: Parameters<OnRequest>) => cacheable(...call, () => call[0].getHeader(name)),
  })),
  { read: 'accept', onRequest: (...call) => cacheable(...call, () => call[0].getAcceptedType()) },
  {
    read: "x-one, x-two, the caller's identity",
    onRequest: (...call) =>
      cacheable(...call, () => [call[1].operator, call[0].getHeader('x-one'), call[0].getHeader('x-two')]),
  },
]
for (const { read, onRequest } of readers)
  test(`6.9 a handler that read ${read} and then cached causes one warning, unless its operation states a policy`, async () => {
    const handler = handlerOf(onRequest)
    const { notes } = await succeed({ handler, operation: { method: 'GET' } })
    assert.deepEqual(
      notes.map(({ level }) => level),
      ['warning'],
    )
    assert.ok(
      notes[0]?.message.includes(`SAMPLE_GET.v1 read ${read} and made its response cacheable`),
      notes[0]?.message,
    )
    for (const cacheKeyPolicy of ['shared', 'perOperator'] as const) {
      assert.deepEqual((await succeed({ handler, operation: { method: 'GET', cacheKeyPolicy } })).notes, [])
    }
  })

test('6.9 a handler that read neither a header nor the identity is cached without a warning', async () => {
  const innocent = handlerOf((request, context) => cacheable(request, context, () => {}))
  assert.deepEqual((await succeed({ handler: innocent, operation: { method: 'GET' } })).notes, [])
})

function cacheable(request: RequestMessage, context: HandlerContext, read: () => unknown): ResponseMessage {
  read()
  const response = ok(request, context)
  response.setRestCache(later)
  return response
}

test('5.40 a handler sees the permission lists of its operator, which counts as reading the identity', async () => {
  const handler = handlerOf((request, context) => {
    const response = cacheable(request, context, () => {})
    response.setContentString(context.operator.permissionLists.join())
    return response
  })
  const { text, notes } = await succeed({ handler, operation: { method: 'GET' } })
  assert.equal(text, 'ALL,NONE')
  assert.match(notes[0]?.message ?? '', /read the caller's identity/)
})

test('6.8 deleteRestCache returns whether the operation exists, and takes effect at the commit', async () => {
  const other = describeOperation(handlerOf(ok), { name: 'CACHED_TIME', method: 'GET' })
  const results: boolean[] = []
  const deleting = (status: number) =>
    handlerOf(async (request, context) => {
      results.push(await context.broker.deleteRestCache('CACHED_TIME_GET', 'v1'))
      results.push(await context.broker.deleteRestCache('CACHED_TIME', 'v1'))
      results.push(await context.broker.deleteRestCache('CACHED_TIME_GET', 'v2'))
      const response = ok(request, context)
      response.httpResponseCode = status
      return response
    })
  const kept = await succeed({ handler: deleting(404), operations: [other] })
  assert.deepEqual(kept.deletedCaches, [])
  const gone = await succeed({ handler: deleting(200), operations: [other] })
  assert.deepEqual(gone.deletedCaches, ['CACHED_TIME_GET.v1'])
  assert.deepEqual(results, [true, false, false, true, false, false])
})

test('6.8 a cache deletion that fails after the commit is logged, and the response stays', async () => {
  const other = describeOperation(handlerOf(ok), { name: 'CACHED_TIME', method: 'GET' })
  const handler = handlerOf(async (request, context) => {
    await context.broker.deleteRestCache('CACHED_TIME_GET', 'v1')
    return ok(request, context)
  })
  const deleteOperation = () => Promise.reject(new Error('store away'))
  const { response, notes } = await succeed({ handler, operations: [other], deleteOperation })
  assert.equal(response?.status, 200)
  assert.equal(notes[0]?.level, 'error')
})

test('2.26 getUrl builds the URL of an operation from one of its templates', async () => {
  const elements = new Map([
    ['a', { name: 'a', type: 'String', isCollection: false, isRequired: false, length: undefined, values: undefined }],
  ] as const)
  const parsed = parseUriTemplate('x/{a}', 2, { name: 'D', elements })
  assert.ok('template' in parsed)
  const other = describeOperation(handlerOf(ok), {
    name: 'OTHER',
    alias: 'Other',
    method: 'GET',
    templates: [parsed.template],
  })
  const handler = handlerOf((request, context) => {
    const { getUrl } = context.broker
    const response = ok(request, context)
    response.setContentString(getUrl('OTHER_GET', 'v1', 2, { a: 'é/1' }))
    assert.throws(() => getUrl('OTHER', 'v1', 2, { a: '1' }), /no operation OTHER\.v1/)
    assert.throws(() => getUrl('OTHER_GET', 'v2', 2, { a: '1' }), /no operation OTHER_GET\.v2/)
    assert.throws(() => getUrl('OTHER_GET', 'v1', 1, { a: '1' }), /no URI template 1/)
    assert.throws(() => getUrl('OTHER_GET', 'v1', 2, { a: '..' + '\u0000' }), /value of a/)
    return response
  })
  const { text } = await succeed({ handler, operations: [other], settings: { gatewayPath: 'GW' } })
  assert.equal(text, '/GW/RESTListeningConnector/LOCAL_NODE/Other.v1/x/%C3%A9%2F1')
})
