/** Cached responses by the preferences of the request (specification 6.14, 6.15). */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { defineGateway, type Handler, type HandlerContext, type RequestMessage } from 'integration-gateway'
import { openTestGateway, type TestGateway } from 'integration-gateway/testing'
import { parseConfiguration } from '../../../src/configuration/parse-configuration.ts'
import { findDoubtfulCaching } from '../../../src/features/rest-cache/find-doubtful-caching.ts'

let runs = 0

class Rates implements Handler {
  async onRequest(request: RequestMessage, context: HandlerContext) {
    const response = context.broker.createMessage(request.operationName, 'response')
    if (request.operationName === 'FORGET_POST') {
      await context.broker.deleteRestCache('RATES_GET', 'v1')
      return response
    }
    runs += 1
    response.contentType = request.getAcceptedType() ?? 'application/json'
    response.setContentString(`${runs} ${response.contentType} ${request.getHeader('accept-language')}`)
    if (request.getHeader('x-vary')) response.setHeader('Vary', 'Accept, x-vary')
    response.setRestCache(context.now() + 60_000)
    return response
  }
}

const rates = {
  service: 'S',
  name: 'RATES',
  method: 'GET',
  verification: 'Basic',
  handler: 'rates.ts',
  responseMessage: { contentType: 'application/json' },
  responseTypes: ['application/json', 'text/csv'],
} as const
const configuration = defineGateway({
  nodes: [{ name: 'HERE', isDefaultLocal: true }],
  services: [{ name: 'S' }],
  operations: [
    { ...rates, cacheVary: ['accept', 'accept-language'] },
    { ...rates, name: 'PLAIN', alias: 'PLAIN' },
    { ...rates, name: 'FORGET', alias: 'FORGET', method: 'POST', responseTypes: undefined },
  ],
  permissionLists: [{ name: 'ALL', services: ['S'] }],
})

let gateway: TestGateway
before(async () => {
  gateway = await openTestGateway({
    project: { configuration, handlers: { 'rates.ts': Rates } },
    operators: [{ id: 'ANN', permissionLists: ['ALL'] }],
  })
})
after(() => gateway.close())
const ask = (url: string, headers: Record<string, string> = {}) => gateway.call(`GET ${url}`, { as: 'ANN', headers })

test("6.14 the type that Accept prefers is part of the key, whatever the header's text; hits have Vary too", async () => {
  const json = await ask('RATES.v1/?a', { accept: 'application/json' })
  const csv = await ask('RATES.v1/?a', { accept: 'text/csv' })
  assert.equal(csv.headers['content-type'], 'text/csv')
  const again = await ask('RATES.v1/?a', { accept: 'text/csv;q=0.9, application/json;q=0.1' })
  assert.deepEqual([again.isCached, again.text], [true, csv.text])
  assert.deepEqual(
    [(await ask('RATES.v1/?a')).text, (await ask('RATES.v1/?a', { accept: '*/*' })).text],
    [json.text, json.text],
  )
  for (const { headers } of [json, csv, again]) assert.equal(headers.vary, 'accept, accept-language')
})

test('6.14 the first language tag is part of the key', async () => {
  const german = await ask('RATES.v1/?b', { 'accept-language': 'de-CH, en' })
  assert.equal((await ask('RATES.v1/?b', { 'accept-language': 'DE-ch;q=0.3,fr' })).text, german.text)
  assert.notEqual((await ask('RATES.v1/?b', { 'accept-language': 'en' })).text, german.text)
})

test("6.14 the handler's own Vary is kept", async () => {
  const { headers } = await ask('RATES.v1/?c', { 'x-vary': '1' })
  assert.equal(headers.vary, 'Accept, x-vary, accept-language')
})

test('6.14 sixteen variants of a URL are kept, further ones are served; a deletion removes all', async () => {
  const languages = Array.from({ length: 17 }, (_, index) => `x-${String.fromCharCode(97 + index)}`)
  const speak = (language: string) => ask('RATES.v1/?d', { 'accept-language': language })
  for (const language of languages) assert.equal((await speak(language)).status, 200)
  const cached = []
  for (const language of languages) cached.push((await speak(language)).isCached)
  assert.deepEqual(cached, [...Array(16).fill(true), false])
  await gateway.call('POST FORGET.v1/', { as: 'ANN' })
  assert.equal((await speak('x-a')).isCached, false)
  gateway.advance(60_000)
  await speak('x-q')
  assert.equal((await speak('x-q')).isCached, true, 'expired ones make room')
})

test('6.9 the response to a GET with a body is not cached', async () => {
  const options = { as: 'ANN', headers: { accept: 'text/csv', 'content-type': 'text/plain' } }
  const sent = await gateway.call('GET RATES.v1/?body', { ...options, body: 'of one caller' })
  const plain = await ask('RATES.v1/?body', { accept: 'text/csv' })
  assert.deepEqual([sent.status, plain.isCached], [200, false])
  assert.notEqual(plain.text, sent.text)
})

test('6.9 a handler that reads headers outside the key and caches causes one warning in the log, and one of ig check', async () => {
  const { log, headers } = await ask('PLAIN.v1/', { accept: 'text/csv' })
  assert.equal(headers.vary, undefined)
  assert.match(
    log.map(({ message }) => message).join('\n'),
    /^[^\n]*PLAIN_GET\.v1 read accept, accept-language, x-vary and made its response cacheable[^\n]*$/,
  )
  const parsed = parseConfiguration(configuration)
  assert('configuration' in parsed)
  const handlers = new Map([['rates.ts', Rates]])
  const doubts = findDoubtfulCaching({ configuration: parsed.configuration, handlers } as never)
  assert.deepEqual(
    doubts.map(({ path, message }) => `${path} ${message.slice(0, 71)}`),
    [
      'operations[0].cacheKeyPolicy is not set, and the handler reads x-vary and caches its response: calle',
      'operations[1].cacheKeyPolicy is not set, and the handler reads accept, accept-language, x-vary and c',
    ],
  )
})

test('6.9 with ig.cache.strict such a response is not cached, nor one of before used, unless the operation states a policy', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'ig-strict-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const open = (isStrict: boolean) =>
    openTestGateway({
      project: {
        configuration: defineGateway({
          ...configuration,
          operations: [
            { ...rates, name: 'PLAIN', alias: 'PLAIN' },
            { ...rates, name: 'STATED', alias: 'STATED', cacheKeyPolicy: 'shared' },
          ],
        }),
        handlers: { 'rates.ts': Rates },
      },
      operators: [{ id: 'ANN', permissionLists: ['ALL'] }],
      settings: { 'ig.cache.strict': String(isStrict) },
      database: join(folder, 'kept.sqlite'),
    })
  const callTwice = async (opened: TestGateway, name: string) => {
    const call = () => opened.call(`GET ${name}.v1/`, { as: 'ANN' })
    const calls = [await call(), await call()]
    const warnings = calls.flatMap(({ log }) => log.map(({ message }) => message))
    return { isCached: calls.map((each) => each.isCached), warnings }
  }
  const lax = await open(false)
  assert.deepEqual((await callTwice(lax, 'PLAIN')).isCached, [false, true])
  await lax.close()
  const strict = await open(true)
  t.after(() => strict.close())
  const plain = await callTwice(strict, 'PLAIN')
  assert.deepEqual(plain.isCached, [false, false])
  assert.equal(plain.warnings.length, 1)
  assert.match(
    plain.warnings[0] ?? '',
    /it is not cached \(ig\.cache\.strict\)\. Set cacheKeyPolicy to shared or perOperator\.$/,
  )
  assert.deepEqual(await callTwice(strict, 'STATED'), { isCached: [false, true], warnings: [] })
})

const faults: readonly { readonly title: string; readonly change: object; readonly problem: string }[] = [
  { title: 'accept without response types', change: { responseTypes: undefined }, problem: 'responseTypes is missing' },
  { title: 'another method', change: { method: 'POST' }, problem: 'cacheVary has no effect with POST' },
  { title: 'an unknown header', change: { cacheVary: ['cookie'] }, problem: 'cacheVary[0] must be one of' },
  {
    title: 'a duplicate type',
    change: { responseTypes: ['text/csv', 'TEXT/csv; x=1'] },
    problem: 'responseTypes has text/csv twice',
  },
  {
    title: 'an invalid type',
    change: { responseTypes: ['csv'] },
    problem: 'responseTypes[0] must be a media type',
  },
]
for (const { title, change, problem } of faults)
  test(`6.15 an error of the configuration: ${title}`, () => {
    const operations = [{ ...configuration.operations[0], ...change }]
    const parsed = parseConfiguration({ ...configuration, operations })
    const found = 'problems' in parsed ? parsed.problems.map(({ path, message }) => `${path} ${message}`) : []
    assert.equal(found.length, 1, found.join('\n'))
    assert.ok(found[0]?.startsWith(`operations[0].${problem}`), found[0])
  })
