/** The memory budget of a process: what calls hold of it, what is refused, and that all of it comes back (specification 7.8). */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Handler, HandlerContext, RequestMessage } from '../../src/sdk.ts'
import { basic } from '../support/client.ts'
import { findDatabase } from '../support/databases.ts'
import { openReference, type WireGateway } from '../support/gateway.ts'
import { scaled } from '../support/patience.ts'

/** What the next call does, and a way to hold it there. */
let plan: (request: RequestMessage, context: HandlerContext) => Promise<string> = async () => ''

class Planned implements Handler {
  async onRequest(request: RequestMessage, context: HandlerContext) {
    const response = context.broker.createMessage(request.operationName, 'response')
    response.setContentString(await plan(request, context))
    return response
  }
}

const budget = 8 * 1024 ** 2
const openPlanned = (properties: Readonly<Record<string, string>> = {}): Promise<WireGateway> =>
  openReference({
    database: findDatabase('SQLite'),
    properties: { 'ig.limits.memory': String(budget), 'ig.errorStyle': 'standard', ...properties },
    handlers: { 'handlers/planned.ts': Planned },
    configure: (configuration) => ({
      ...configuration,
      operations: configuration.operations.map((operation) =>
        operation.name === 'KEY_VALUE' && operation.method === 'PUT'
          ? { ...operation, handler: 'handlers/planned.ts' }
          : operation,
      ),
    }),
  })
let gateway: WireGateway
before(async () => {
  gateway = await openPlanned()
})
after(() => gateway.close())

const headers = basic('DEMO')
const put = (body: string | Buffer, signal?: AbortSignal) =>
  gateway.call('PUT KEY_VALUE.v1/k', { headers, body, ...(signal && { signal }) })
const reserved = () => gateway.gateway.memory.reserved
const attributes = Array.from({ length: 20 }, (_, index) => `${'abcdefghijklmnopqrst'[index]}="${index}"`).join(' ')

const bombs: Readonly<Record<string, string>> = {
  attributes: `<request><row>${`<k ${attributes}/>`.repeat(20_000)}</row></request>`,
  elements: `<request><row>${'<k/>'.repeat(200_000)}</row></request>`,
  entities: `<request><row><value>${'&lt;'.repeat(400_000)}</value></row></request>`,
  text: `<request><row><value>${'x'.repeat(6_000_000)}</value></row></request>`,
}
for (const [name, body] of Object.entries(bombs)) {
  test(`7.8 a row that alone exceeds the budget is refused and holds nothing afterwards: ${name}`, async () => {
    const reply = await gateway.call('POST KEY_VALUE.v1', { headers, body })
    assert.deepEqual([reply.status, reply.headers['ig-refusal']], [413, 'bodyTooLarge'], reply.text)
    assert.equal(reserved(), 0)
    assert.equal((await gateway.call('GET METADATA.v1/')).status, 200)
  })
}

test('7.8 a body of any size is read as a stream, a row at a time', async () => {
  const rows = '<row><key>k</key><value>v</value></row>'.repeat(20_000)
  plan = async (request) => {
    let count = 0
    for await (const { name } of request.getXmlElements('request')) if (name === 'row') count += 1
    let size = 0
    for await (const chunk of request.getContentStream()) size += chunk.length
    return `${count} ${size}`
  }
  const body = `<request>${rows}</request>`
  const reply = await put(body)
  assert.deepEqual([reply.status, reply.text], [200, `20000 ${body.length}`])
  assert.equal(reserved(), 0)
})

test('5.20, 7.8 JSON whose value alone exceeds the budget is refused and holds nothing afterwards', async () => {
  plan = async (request) => String(((await request.getJson()) as readonly unknown[]).length)
  const post = (body: string) =>
    gateway.call('PUT KEY_VALUE.v1/k', { headers: { ...headers, 'content-type': 'application/json' }, body })
  const reply = await post(`[${'[],'.repeat(200_000)}[]]`)
  assert.deepEqual([reply.status, reply.headers['ig-refusal']], [413, 'bodyTooLarge'], reply.text)
  assert.equal(reserved(), 0)
  assert.equal((await post(`[${'1,'.repeat(200_000)}1]`)).text, '200001')
  assert.equal(reserved(), 0)
})

test('7.8 a body that would be a text larger than the budget is refused', async () => {
  plan = (request) => request.getContentString()
  const reply = await put('x'.repeat(budget / 2))
  assert.deepEqual([reply.status, reply.headers['ig-refusal']], [413, 'bodyTooLarge'])
  assert.equal((await put('x'.repeat(100_000))).text.length, 100_000)
  assert.equal(reserved(), 0)
})

const tree = `<request>${'<k/>'.repeat(40_000)}</request>` // 5.5 MB of the budget
const ends: Readonly<Record<string, () => string>> = {
  'an answer': () => 'done',
  'an error': () => {
    throw new Error('of the handler')
  },
}
for (const [name, end] of Object.entries(ends)) {
  test(`7.8 while another call holds the rest, one is overloaded; ${name} releases it`, async () => {
    const holding = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    plan = async (request) => {
      await request.getXmlDoc()
      holding.resolve()
      await release.promise
      return end()
    }
    const first = put(tree)
    await holding.promise
    assert.ok(reserved() > budget / 2, `${reserved()}`)
    plan = async (request) => (await request.getXmlDoc()).root.name
    const refused = await put(tree)
    const { 'ig-refusal': code, 'retry-after': retry } = refused.headers
    assert.deepEqual([refused.status, code, retry], [503, 'overloaded', '1'])
    release.resolve()
    await first
    assert.equal(reserved(), 0)
    assert.equal((await put(tree)).text, 'request')
    assert.equal(reserved(), 0)
  })
}

test('7.8 a handler that exceeds its time, and a client that disconnects, release what they held', async (t) => {
  const forever = new Promise<string>(() => {})
  plan = async (request) => {
    await request.getXmlDoc()
    return forever
  }
  const hurried = await openPlanned({ 'ig.limits.handlerTimeout': `${scaled(1000)}ms` })
  t.after(() => hurried.close())
  assert.equal((await hurried.call('PUT KEY_VALUE.v1/k', { headers, body: tree })).status, 504)
  assert.equal(hurried.gateway.memory.reserved, 0)

  const held = Promise.withResolvers<void>()
  const left = Promise.withResolvers<void>()
  plan = async (request, { signal }) => {
    await request.getXmlDoc()
    signal.addEventListener('abort', () => left.resolve())
    held.resolve()
    return forever
  }
  const client = new AbortController()
  const call = put(tree, client.signal)
  await held.promise
  client.abort()
  await assert.rejects(call)
  await left.promise
  while (reserved() > 0) await gateway.call('GET METADATA.v1/')
})

test("7.8 a response that does not fit is overloaded, and its handler's writes are rolled back", async () => {
  plan = async (_request, { database, transactionId }) => {
    const row = {
      IBTRANSACTIONID: transactionId,
      KEY1: 'memory',
      LONGVALUE: 'v',
      ADD_DTTM: '2026-11-22-10.00.00.000000',
    }
    await database.insertInto('C_KEY_VALUE').values(row).execute()
    return 'x'.repeat(budget + 1)
  }
  const reply = await put('')
  assert.deepEqual([reply.status, reply.headers['ig-refusal']], [503, 'overloaded'])
  assert.doesNotMatch((await gateway.call('GET KEY_VALUE.v1/memory', { headers })).text, /row/)
  assert.equal(reserved(), 0)
  plan = async () => 'x'.repeat(budget / 2)
  assert.equal((await put('')).bytes.length, budget / 2)
  assert.equal(reserved(), 0)
})

test('7.8 a call with a small body, rows and response reserves nothing', async (t) => {
  const opened = t.mock.method(gateway.gateway.memory, 'open')
  assert.equal((await gateway.call('GET METADATA.v1/')).status, 200)
  const body = '<request><row><key>small</key><value>v</value></row></request>'
  assert.equal((await gateway.call('POST KEY_VALUE.v1', { headers, body })).status, 200)
  assert.match((await gateway.call('GET KEY_VALUE.v1/small', { headers })).text, /<LONGVALUE>v</)
  assert.equal(opened.mock.callCount(), 0)
})

test('7.8, 20.4 the budget and its reserved part are metrics', async () => {
  const { watchGateway } = await import('../../src/serve/watch-gateway.ts')
  const gauges = watchGateway(gateway.gateway).gauges?.()
  assert.deepEqual([gauges?.ig_memory_budget_bytes, gauges?.ig_memory_reserved_bytes], [budget, 0])
})
