/** Which step refuses a call, and what `ig explain` says of the same call (specification 15.1 to 15.3), over a real socket. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { limit } from '../../src/configuration/limit-schema.ts'
import { explainCall } from '../../src/explain/explain-call.ts'
import { holdBody } from '../../src/explain/hold-body.ts'
import { decisionsOf } from '../../src/explain/recall-decisions.ts'
import type { Call } from '../../src/model/call.ts'
import { type AnsweredCall, recordCall } from '../../src/model/call-record.ts'
import type { Handler } from '../../src/model/handler.ts'
import { basic, type CallOptions } from '../support/client.ts'
import { findDatabase } from '../support/databases.ts'
import { openReference, root, type WireGateway } from '../support/gateway.ts'

let gateway: WireGateway
let letGo = () => {}
const begun = Promise.withResolvers<void>()

/** Waits until the test lets it answer. */
class Slow implements Handler {
  async onRequest(request: Parameters<Handler['onRequest']>[0], context: Parameters<Handler['onRequest']>[1]) {
    begun.resolve()
    await new Promise<void>((resolve) => {
      letGo = resolve
    })
    return context.broker.createMessage(request.operationName, 'response')
  }
}

class Failing implements Handler {
  onRequest(): never {
    throw new Error('of the handler')
  }
}

before(async () => {
  gateway = await openReference({
    database: findDatabase('SQLite'),
    properties: { 'ig.errorStyle': 'standard', 'ig.limits.body': '1000' },
    configure: (configuration) => {
      const echo = configuration.operations.find(({ name }) => name === 'ECHO')
      assert.ok(echo)
      const more = ['SLOW', 'FAILING'].map((name) => {
        return { ...echo, name, uriTemplates: [], documentTemplate: undefined, handler: `${name.toLowerCase()}.ts` }
      })
      const limits = [
        { name: 'address', by: ['address'], calls: 1, per: '24h', operations: ['CACHED_TIME_GET.v1'] },
        { name: 'operator', by: ['operator'], calls: 1, per: '24h', operations: ['METADATA_BASIC_GET.v1'] },
        { name: 'slow', by: ['operation'], concurrency: 1, operations: ['SLOW_GET.v1'] },
      ] as const
      const operations = [...configuration.operations, ...more]
      return { ...configuration, operations, limits: limits.map((each) => limit.parse(each)) }
    },
    handlers: { 'slow.ts': Slow, 'failing.ts': Failing },
  })
})
after(() => gateway.close())

const steps = 'target operation origin authentication limits permission uri cache idempotency message handler reply'

/** @returns the refused or failed step, those shown before it, and what is recorded */
async function refusedAt(line: string, options: CallOptions = {}) {
  const { headers } = await gateway.call(line, options)
  const answered = gateway.observations.find(
    (one): one is AnsweredCall => one.kind === 'answered' && one.transaction.id === headers['ig-transaction-id'],
  )
  assert.ok(answered)
  const record = recordCall(answered)
  const decisions = decisionsOf(answered, gateway.gateway, undefined, record.refusal?.message)
  const passed = decisions.filter(({ outcome }) => outcome === 'passed').map(({ step }) => step)
  const [refused] = decisions.filter(({ refusal }) => refusal !== undefined)
  assert.equal(refused?.step, record.endedBy)
  assert.equal(refused?.refusal, record.refusal?.code)
  assert.ok(steps.split(' ').includes(record.endedBy))
  return `${refused?.outcome} by ${record.endedBy} after ${passed.join(' ')}: ${record.refusal?.code}`
}

const demo = basic('DEMO')
const row = (key: string) => `<request><row><key>${key}</key><value>1</value></row></request>`
const posted = (more: Record<string, string>, body = row('a')) => ({ headers: { ...demo, ...more }, body })
const toUri = 'target operation authentication permission uri'

const refusals: readonly (readonly [line: string, options: CallOptions, expected: string])[] = [
  ['GET /nowhere', {}, 'refused by target after : pathUnknown'],
  ['GET NOPE.v1/', {}, 'refused by operation after target: operationNotFound'],
  [
    'GET METADATA_BASIC.v1/',
    { headers: { ...demo, 'sec-fetch-site': 'cross-site' } },
    'refused by origin after target operation: originRefused',
  ],
  ['GET METADATA_OAUTH2.v1/', {}, 'refused by authentication after target operation: tokenRejected'],
  ['GET KEY_VALUE.v1/a', {}, 'refused by authentication after target operation: basicRejected'],
  [
    'GET KEY_VALUE.v1/a',
    { headers: basic('NOPERM') },
    'refused by permission after target operation authentication: permissionDenied',
  ],
  ['GET ECHO.v1/a/b/c', {}, 'refused by uri after target operation authentication permission: uriNotMatched'],
  [
    'POST KEY_VALUE.v1',
    posted({ 'idempotency-key': '' }),
    `refused by idempotency after ${toUri} cache: idempotencyKeyInvalid`,
  ],
  [
    'POST KEY_VALUE.v1',
    posted({ 'content-encoding': 'gzip' }),
    `refused by message after ${toUri} cache: contentUnsupported`,
  ],
  ['POST KEY_VALUE.v1', posted({}, 'x'.repeat(1001)), `refused by message after ${toUri} cache: bodyTooLarge`],
  ['GET FAILING.v1/', { headers: demo }, `failed by handler after ${toUri} cache: handlerFailed`],
]
for (const [line, options, expected] of refusals)
  test(`15.2, 21.15 ${line} is ${expected}`, async () => assert.equal(await refusedAt(line, options), expected))

test('15.2, 25.11 a limit by address refuses before authentication, others after it, and a full slot is a limit too', async () => {
  await gateway.call('GET CACHED_TIME.v1/', { headers: demo })
  const byAddress = await refusedAt('GET CACHED_TIME.v1/', { headers: demo })
  assert.equal(byAddress, 'refused by limits after target operation: rateLimited')
  await gateway.call('GET METADATA_BASIC.v1/', { headers: demo })
  const byOperator = await refusedAt('GET METADATA_BASIC.v1/', { headers: demo })
  assert.equal(byOperator, 'refused by limits after target operation authentication: rateLimited')
  const first = gateway.call('GET SLOW.v1/', { headers: demo })
  await begun.promise
  const full = await refusedAt('GET SLOW.v1/', { headers: demo })
  letGo()
  await first
  assert.match(full, /^refused by limits after target operation authentication.*: overloaded$/)
})

test('15.2, 26.3 another request with a used Idempotency-Key is refused by the step idempotency', async () => {
  const headers = { ...demo, 'idempotency-key': 'once' }
  await gateway.call('POST KEY_VALUE.v1', { headers, body: row('once') })
  const reused = await refusedAt('POST KEY_VALUE.v1', { headers, body: row('other') })
  assert.equal(reused, `refused by idempotency after ${toUri} cache: idempotencyKeyReused`)
})

/** @returns the decisions of `ig explain`, as `step outcome` */
async function explained(line: string, headers: Record<string, string> = {}, body = '') {
  const [method = '', path = ''] = line.split(' ')
  const call: Call = {
    method,
    target: `${root}/${path}`,
    headers: { host: 'a', ...headers },
    isSecure: false,
    remoteAddress: '192.0.2.7',
    signal: new AbortController().signal,
    readBody: (max = 1000) => holdBody(Buffer.from(body), Math.min(max, 1000)),
  }
  const { decisions, refusal } = await explainCall(call, gateway.gateway)
  return { lines: decisions.map(({ step, outcome }) => `${step} ${outcome}`), last: decisions.at(-1), refusal }
}

test('15.3 ig explain meets 413 and 415, runs no handler, stores nothing and holds nothing', async () => {
  const encoded = await explained('POST KEY_VALUE.v1', { ...demo, 'content-encoding': 'gzip' })
  assert.deepEqual([encoded.lines.at(-1), encoded.refusal?.code], ['message refused', 'contentUnsupported'])
  const large = await explained('POST KEY_VALUE.v1', demo, 'x'.repeat(1001))
  assert.deepEqual([large.lines.at(-1), large.refusal?.code], ['message refused', 'bodyTooLarge'])
  for (const _ of [1, 2]) {
    const { last } = await explained('POST KEY_VALUE.v1', { ...demo, 'idempotency-key': 'new' }, row('new'))
    assert.deepEqual([last?.step, last?.text], ['idempotency', 'no answer is kept: the handler runs'])
  }
  const failing = await explained('GET FAILING.v1/', demo)
  assert.deepEqual([failing.lines.at(-1), failing.refusal], ['cache passed', undefined])
  assert.equal(gateway.gateway.limits.load.atWork, 0)
})

test('15.3 steps after a refusal are reported where possible', async () => {
  const begin = ['target passed', 'operation passed', 'authentication refused', 'permission not reached']
  const unknownOperator = basic('nobody')
  const { lines } = await explained('GET KEY_VALUE.v1/a', unknownOperator)
  assert.deepEqual(lines, [...begin, 'uri would pass', 'cache not reached'])
  const { lines: others } = await explained('GET KEY_VALUE.v1/a/b', unknownOperator)
  assert.deepEqual(others, [...begin, 'uri would refuse', 'cache not reached'])
})
