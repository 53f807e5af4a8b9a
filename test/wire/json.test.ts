/** JSON, bytes and queries of requests and responses, over real sockets (specification 5.2, 5.3, 5.20, 5.21, 4.16, 2.27). */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { z } from 'zod'
import type { AnsweredCall } from '../../src/model/call-record.ts'
import type { Handler, HandlerContext, RequestMessage, Schema } from '../../src/sdk.ts'
import { openTestGateway } from '../../src/testing.ts'
import type { CallOptions } from '../support/client.ts'
import { scaled } from '../support/patience.ts'
import { openPlanned, type PlannedGateway } from '../support/planned.ts'

let gateway: PlannedGateway
before(async () => {
  gateway = await openPlanned({
    properties: { 'ig.limits.json': '64KiB', 'ig.limits.handlerTimeout': `${scaled(100)}ms` },
    fields: { unknownParameters: 'ignore' },
  })
})
after(() => gateway.close())

const json = { 'content-type': 'application/json' }
const post = (body: string | Buffer, headers: CallOptions['headers'] = json) =>
  gateway.ask('POST', { headers: { ...headers }, body })
const refused = async (body: string | Buffer, headers: CallOptions['headers'] = json) => {
  const { status, headers: replied, text } = await post(body, headers)
  return [status, replied['ig-refusal'], JSON.parse(text).detail]
}

test('5.3 a body is read as bytes, and bytes are returned unchanged', async () => {
  const bytes = Buffer.from([0, 255, 1, 254, 0xed, 0xa0, 0x80])
  gateway.plan = async (response, request) => {
    const read = await request.getContentBytes()
    assert.deepEqual(read, await request.getContentBytes())
    response.contentType = 'image/gif'
    response.setContentBytes(new Uint8Array([...read, 7]).subarray(1))
  }
  const answer = await post(bytes, {})
  assert.deepEqual(
    [answer.status, answer.headers['content-type'], answer.bytes],
    [200, 'image/gif', Buffer.from([...bytes.subarray(1), 7])],
  )
})

test('5.3 large bytes are returned completely, and other values are refused by name', async () => {
  const bytes = Buffer.alloc(300_000, 'abc')
  gateway.plan = (response) => response.setContentBytes(bytes)
  assert.deepEqual((await gateway.ask('GET', { headers: { 'accept-encoding': 'identity' } })).bytes, bytes)
  gateway.plan = (response) => response.setContentBytes('text' as unknown as Buffer)
  gateway.onError = (request) => String(request.exception?.message)
  assert.equal((await gateway.ask('GET')).text, 'setContentBytes takes a Buffer or a Uint8Array, not string')
})

test('5.3 a response can have several cookies besides the session cookie', async () => {
  gateway.plan = (response) => {
    for (const cookie of ['a=1; Path=/', 'b=2']) response.setHeader('Set-Cookie', cookie)
  }
  const { rawHeaders } = await gateway.ask('GET')
  const cookies = rawHeaders.filter((_, at) => rawHeaders[at - 1]?.toLowerCase() === 'set-cookie')
  assert.deepEqual(cookies.slice(0, 2), ['a=1; Path=/', 'b=2'])
  assert.match(cookies[2] ?? '', /^JSESSIONID=/)
})

test('5.2 the query has every parameter, in order and decoded, including those that no template names', async () => {
  gateway.plan = (response, request) => response.setJson([...request.getQuery()])
  const { text } = await gateway.ask('GET ?colour=red&size=&colour=dark+blue%2C%C3%A9&flag&=x')
  assert.deepEqual(JSON.parse(text), [
    ['colour', ['red', 'dark blue,é']],
    ['size', ['']],
    ['flag', ['']],
    ['', ['x']],
  ])
  assert.equal((await gateway.ask('GET')).text, '[]')
})

test('5.20 JSON with any JSON type and encoding is read', async () => {
  gateway.plan = async (response, request) => response.setJson(await request.getJson())
  const value = { a: [1, -2.5e3, 'é"\\\n😀', null, true, { '': {} }], 'b:{': 'x:"{[' }
  const text = JSON.stringify(value)
  const types = [
    'application/json',
    'application/json; encoding=UTF-8',
    'APPLICATION/JSON;charset=utf-8',
    'application/problem+json',
  ]
  for (const type of types) {
    const answer = await post(text, { 'content-type': type })
    assert.deepEqual([answer.status, JSON.parse(answer.text)], [200, value], type)
  }
  const wide = Buffer.from(`\ufeff${text}`, 'utf16le')
  assert.deepEqual(JSON.parse((await post(wide)).text), value)
  for (const primitive of ['5', '"a:{"', 'null', ' [] ']) assert.equal((await post(primitive)).text, primitive.trim())
})

test('5.20 another content type is contentUnsupported', async () => {
  gateway.plan = (_, request) => request.getJson()
  const expected = [
    415,
    'contentUnsupported',
    'The content type of the body must be application/json, or end in +json.',
  ]
  for (const type of [
    'text/plain',
    'application/jsonx',
    'application/x-www-form-urlencoded',
    'text/xml; a=application/json',
  ])
    assert.deepEqual(await refused('{}', { 'content-type': type }), expected, type)
  assert.deepEqual(await refused('{}', {}), expected)
})

test('5.20 text that is not JSON, or that parsers read differently, is bodyMalformed', async () => {
  gateway.plan = (_, request) => request.getJson()
  const rows: readonly (readonly [body: string | Buffer, detail: string | RegExp])[] = [
    ['', 'The request has no body; it must be JSON.'],
    ['  ', /^The body is not JSON/],
    ['{"a":1', /^The body is not JSON/],
    ['{a:1}', /^The body is not JSON/],
    ['{"a":1}}', /^The body is not JSON/],
    ['"\\', /^The body is not JSON/],
    [Buffer.from('"\xff"', 'latin1'), 'The body has bytes that are not valid UTF-8.'],
    ['{"a":1,"b":{"a":2},"a":3}', 'The JSON has a name twice in one object: "a".'],
    ['[{"x":[{"q\\"":1,"q\\u0022":2}]}]', 'The JSON has a name twice in one object: "q\\"".'],
    ['{"__proto__":{"isAdmin":true}}', 'The JSON has the name __proto__.'],
    ['[{"\\u005f_proto__":1}]', 'The JSON has the name __proto__.'],
    ['{"a":"\\ud83d"}', 'The JSON has half of a surrogate pair, which is no character.'],
    ['{"\\ude00":1}', 'The JSON has half of a surrogate pair, which is no character.'],
    [`${'['.repeat(65)}${']'.repeat(65)}`, 'The JSON is nested deeper than 64 levels.'],
    ['['.repeat(50_000), 'The JSON is nested deeper than 64 levels.'],
    [`"${'x'.repeat(65_536)}"`, 'The JSON has more than 65536 bytes.'],
  ]
  for (const [body, detail] of rows) {
    const [status, code, replied] = await refused(body)
    assert.deepEqual([status, code], [400, 'bodyMalformed'], String(body).slice(0, 60))
    if (typeof detail === 'string') assert.equal(replied, detail)
    else assert.match(replied, detail)
  }
  const { refusal } = gateway.observations.filter(({ kind }) => kind === 'answered').at(-1) as AnsweredCall
  assert.equal(refusal?.message, 'JSON over ig.limits.json')
  gateway.plan = async (response, request) => response.setJson(await request.getJson())
  for (const sound of [
    `${'['.repeat(64)}${']'.repeat(64)}`,
    '{"a":{"a":[{"a":1},{"a":2}]},"\\u00e9\\ud83d\\ude00":"__proto__"}',
  ])
    assert.deepEqual(JSON.parse((await post(sound)).text), JSON.parse(sound))
})

const employee = z.object({
  name: z.string().min(1),
  salary: z.number(),
  skills: z.array(z.object({ 'a/b~c': z.number() })).default([]),
})

test("5.21 getJson returns the schema's output, with its type", async () => {
  gateway.plan = async (response, request) => {
    const { name, salary, skills } = await request.getJson(employee)
    response.setJson([name.toUpperCase(), salary.toFixed(1), skills.length])
  }
  assert.equal((await post('{"name":"ann","salary":3,"more":1}')).text, '["ANN","3.0",0]')
})

test('4.16, 5.21 a body that the schema rejects is bodyInvalid, with JSON pointers and the words of the schema, without values', async () => {
  gateway.plan = (_, request) => request.getJson(employee)
  const body = '{"name":"","salary":"secret-4711","skills":[{"a/b~c":"hidden"},{"a/b~c":1}]}'
  const { status, headers, text } = await post(body)
  assert.deepEqual(
    [status, headers['ig-refusal'], headers['content-type']],
    [422, 'bodyInvalid', 'application/problem+json'],
  )
  const { detail, errors } = JSON.parse(text)
  assert.equal(detail, 'The request body does not match its schema.')
  const words = [
    'Too small: expected string to have >=1 characters',
    'Invalid input: expected number, received string',
    'Invalid input: expected number, received string',
  ]
  assert.deepEqual(errors, [
    { pointer: '/name', detail: words[0] },
    { pointer: '/salary', detail: words[1] },
    { pointer: '/skills/0/a~1b~0c', detail: words[2] },
  ])
  assert.doesNotMatch(text, /secret|hidden/)
  const xml = await post(body, { ...json, accept: 'application/xml' })
  assert.match(xml.text, /<errors><i><pointer>\/name<\/pointer><detail>Too small: expected string to have &gt;=1 char/)
  assert.deepEqual(JSON.parse((await post('[]')).text).errors, [
    { pointer: '', detail: 'Invalid input: expected object, received array' },
  ])
})

/** As libraries and authors write it, for the refused value `secret`. */
const messages: readonly (readonly [message: string, detail: string, value?: number])[] = [
  ['Invalid type: Expected number but received "secret"', 'Invalid type: Expected number'],
  ['Invalid email: Received "secret"', 'Invalid email'],
  ["Invalid enum value. Expected 'a' | 'b', received 'secret'", "Invalid enum value. Expected 'a' | 'b'"],
  ['must be an email address (was "secret")', 'must be an email address'],
  ['Expected number, actual "secret"', 'Expected number'],
  ['must be a number (was a string)', 'must be a number (was a string)'],
  ['Received "secret"', 'is not valid'],
  ['secret is no colour of ours', '… is no colour of ours'],
  ['A secretary was received late', 'A secretary was received late'],
  ['The salary -4711.5 is too low.', 'The salary … is too low.', -4711.5],
  ['5 is over 0.5, and 15 or 5.25 would be', '… is over 0.5, and 15 or 5.25 would be', 5],
  ['Invalid input: received 4711', 'Invalid input', 4711],
]
for (const [message, detail, value = 'secret'] of messages)
  test(`4.16 the message ${JSON.stringify(message)} is sent without the value, and logged so`, async () => {
    gateway.plan = (_, request) =>
      request.getJson({
        '~standard': {
          version: 1,
          vendor: 'test',
          validate: () => ({ issues: [{ message, path: ['a', { key: 0 }] }] }),
        },
      } as Schema)
    const { errors } = JSON.parse((await post(JSON.stringify({ a: [value] }))).text)
    assert.deepEqual(errors, [{ pointer: '/a/0', detail }])
    const { refusal } = gateway.observations.filter(({ kind }) => kind === 'answered').at(-1) as AnsweredCall
    assert.equal(refusal?.message, `the body does not match the schema: /a/0: ${detail}`)
  })

test('4.16 at most 100 errors, each of bounded length', async () => {
  gateway.plan = (_, request) => request.getJson(z.record(z.string(), z.array(z.number())))
  const many = { ['k'.repeat(5000)]: ['x'], list: Array.from({ length: 500 }, () => 'x') }
  const { errors } = JSON.parse((await post(JSON.stringify(many))).text)
  assert.equal(errors.length, 100)
  assert.equal(errors[0].pointer, `/${'k'.repeat(255)}…`)
})

test('5.21 a schema that throws is handlerFailed, one whose promise never settles handlerTimedOut', async () => {
  gateway.onError = undefined
  const schemaOf = (validate: Schema['~standard']['validate']): Schema => ({
    '~standard': { version: 1, vendor: 'test', validate },
  })
  const outcomes: [Schema, number, string][] = [
    [schemaOf(() => assert.fail('a bug of the schema')), 500, 'handlerFailed'],
    [schemaOf(() => undefined as never), 500, 'handlerFailed'],
    [{} as Schema, 500, 'handlerFailed'],
    [schemaOf(() => new Promise(() => {})), 504, 'handlerTimedOut'],
    [schemaOf(async (value) => ({ value })), 200, ''],
  ]
  for (const [schema, expected, code] of outcomes) {
    gateway.plan = (_, request) => request.getJson(schema)
    const { status, headers } = await post('{}')
    assert.deepEqual([status, headers['ig-refusal'] ?? ''], [expected, code])
  }
  assert.equal(gateway.gateway.memory.reserved, 0)
})

test('5.3 a value is written as JSON, and the content type says so unless it is a JSON type already', async () => {
  const value = {
    big: 12345678901234567890n,
    date: new Date(0),
    none: undefined,
    list: [undefined, 1n],
    raw: Object.create(null),
  }
  gateway.plan = (response) => {
    response.contentType = 'text/xml'
    response.setJson(value)
  }
  const answer = await gateway.ask('GET')
  assert.deepEqual(
    [answer.status, answer.headers['content-type'], answer.text],
    [
      200,
      'application/json',
      '{"big":12345678901234567890,"date":"1970-01-01T00:00:00.000Z","list":[null,1],"raw":{}}',
    ],
  )
  gateway.plan = (response) => {
    assert.equal(response.contentType, 'application/json; encoding=UTF-8') // as configured
    response.setJson('é')
  }
  const other = await gateway.ask('GET')
  assert.deepEqual([other.headers['content-type'], other.text], ['application/json; encoding=UTF-8', '"é"'])
})

test('4.16, 5.21, 11.4 getJson uses the schema that the class states; the status and the messages are settings', async () => {
  class Hire implements Handler {
    static requestSchema = employee
    async onRequest(request: RequestMessage, { broker }: HandlerContext) {
      const response = broker.createMessage(request.operationName, 'response')
      response.setJson(await request.getJson())
      return response
    }
  }
  const [service, name] = ['PEOPLE', 'HIRE']
  await using kit = await openTestGateway({
    project: {
      configuration: {
        nodes: [
          { name: 'LOCAL_NODE', isDefaultLocal: true },
          { name: 'ANONYMOUS', defaultUser: 'GUEST' },
        ],
        services: [{ name: service }],
        operations: [{ service, name, method: 'POST', handler: 'handlers/hire.ts' }],
        permissionLists: [{ name: 'ALL', services: [service] }],
      },
      handlers: { 'handlers/hire.ts': Hire },
    },
    operators: [{ id: 'GUEST', permissionLists: ['ALL'] }],
    settings: { 'ig.json.invalidStatus': '400', 'ig.serviceSystemStatus': 'development' },
  })
  const call = (value: unknown) => kit.call('POST HIRE.v1/', { json: value })
  assert.deepEqual((await call({ name: 'a', salary: 1 })).json(), { name: 'a', salary: 1, skills: [] })
  const refusal = await call({ name: 1, salary: 1 })
  assert.deepEqual([refusal.status, refusal.refusal?.code], [400, 'bodyInvalid'])
  assert.match(refusal.refusal?.reason ?? '', /schema: \/name: Invalid input: expected string, received number$/)
})
