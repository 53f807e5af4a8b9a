/** `ig compare` between two servers (specification 36.9 to 36.12). */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, suite, test } from 'node:test'
import { nameOfCall } from '../../src/model/called-operation.ts'
import { type ComparedAnswer, comparedHeaders, findDifferences } from '../../src/model/content/differences.ts'
import type { Operation } from '../../src/model/operation.ts'
import { operationIdOf } from '../../src/model/operation-name.ts'
import { readCalls } from '../../src/moving/compare/read-calls.ts'
import { reportAdoption } from '../../src/project/report-adoption.ts'
import { ig } from '../support/cli.ts'
import { type Original, openOriginal } from '../support/original.ts'

const folder = mkdtempSync(join(tmpdir(), 'ig-compare-'))
let one: Original
let two: Original
before(async () => {
  one = await openOriginal()
  two = await openOriginal()
})
after(() => {
  one.close()
  two.close()
})
beforeEach(() => {
  for (const server of [one, two]) {
    server.requests.length = 0
    server.answer = (_request, response) => response.end('ok')
  }
})

const list = (text: string, name = 'calls.txt') => {
  const file = join(folder, name)
  writeFileSync(file, text)
  return file
}
const compare = (file: string, args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) =>
  ig(['compare', one.url, `${two.url}/base`, file, ...args], { env })

test('36.9 each call is sent to both, and equal answers end with exit code 0', async () => {
  const { code, stdout } = await compare(list('GET /a?b=%20c\n\n# a comment\nHEAD https://host.example/x y.json 200\n'))
  assert.equal(stdout, '2 calls: 2 the same, 0 differ.\n')
  assert.equal(code, 0)
  const seen = (server: Original) => server.requests.map(({ method, url }) => `${method} ${url}`).sort()
  assert.deepEqual(seen(one), ['GET /a?b=%20c', 'HEAD /x'])
  assert.deepEqual(seen(two), ['GET /base/a?b=%20c', 'HEAD /base/x'])
})

test('36.9 methods that change something are sent with --unsafe only, with their bodies', async () => {
  const file = list(
    '{ "method": "POST", "url": "/a", "headers": { "Content-Type": "text/plain", "Cookie": "a=b" }, "body": "hello" }\nGET /b\n',
  )
  const first = await compare(file)
  assert.match(first.stdout, /^1 call: 1 the same, 0 differ, 1 not sent \(--unsafe sends them\)\.\n$/)
  assert.deepEqual(
    one.requests.map(({ method }) => method),
    ['GET'],
  )
  await compare(file, ['--unsafe'])
  const post = two.requests.find(({ method }) => method === 'POST')
  assert.deepEqual(
    [String(post?.body), post?.headers['content-type'], post?.headers.cookie],
    ['hello', 'text/plain', undefined],
  )
})

test('36.10 a HAR is read too, and every bad line is reported at once', async () => {
  const request = {
    method: 'GET',
    url: 'https://host.example/a?b',
    headers: [
      { name: 'Authorization', value: 'Basic eDp5' },
      { name: 'Accept', value: 'text/xml' },
      { name: 'X-Api-Key', value: 'word-5' },
    ],
  }
  const { code } = await compare(list(`\ufeff${JSON.stringify({ log: { entries: [{ request }] } })}`, 'a.har'))
  assert.equal(code, 0)
  const [seen] = one.requests
  assert.equal(seen?.headers['x-api-key'], undefined)
  assert.deepEqual([seen?.url, seen?.headers.accept, seen?.headers.authorization], ['/a?b', 'text/xml', undefined])
  const bad = await compare(
    list('get /a\nGET\n{ broken\nGET /ä\n{"method":"GET","url":"/","headers":{"a b":"c"}}\nGET /fine\n'),
  )
  assert.equal(bad.code, 1)
  for (const line of [
    'calls.txt:1 must begin',
    'calls.txt:2 has no URL',
    'calls.txt:3 begins with {',
    'calls.txt:4 has a URL',
    'calls.txt:5 has an invalid header',
  ])
    assert.ok(bad.stderr.replaceAll(': ', ' ').includes(line), `${line}\n${bad.stderr}`)
  assert.deepEqual(readCalls('', 'x.txt').problems, [{ path: 'x.txt', message: 'has no calls' }])
})

const answer = (body: string, type: string, more: Partial<ComparedAnswer> = {}): ComparedAnswer => ({
  status: 200,
  headers: { 'content-type': type },
  body: Buffer.from(body),
  ...more,
})
const differences = (original: ComparedAnswer, gateway: ComparedAnswer, masks: readonly string[] = []) =>
  findDifferences(original, gateway, { masks: new Set(masks), headers: comparedHeaders }).map(
    ({ what, original: first, gateway: second }) => `${what}: ${first} | ${second}`,
  )

suite('what differs', () => {
  const json = 'application/json'
  const blank = ' '.repeat(5 * 1024 ** 2)
  const cases: readonly {
    title: string
    one: ComparedAnswer
    two: ComparedAnswer
    masks?: string[]
    expected: string[]
  }[] = [
    {
      title: 'order and spaces of JSON',
      one: answer('{"a":1,"b":[1,2]}', json),
      two: answer('{ "b": [1, 2], "a": 1 }', json),
      expected: [],
    },
    {
      title: 'members',
      one: answer('{"a":1,"b":{"c":"x"}}', json),
      two: answer('{"a":"1","b":{"d":null}}', json),
      expected: ['/a: 1 | 1', '/b/c: x | (none)', '/b/d: (none) | null'],
    },
    {
      title: 'numbers beyond doubles',
      one: answer('[12345678901234567890]', json),
      two: answer('[12345678901234567891]', json),
      expected: ['/0: 12345678901234567890 | 12345678901234567891'],
    },
    {
      title: 'masked members',
      one: answer('{"a":1,"b":1}', json),
      two: answer('{"a":2,"b":2}', json),
      masks: ['a'],
      expected: ['/b: 1 | 2'],
    },
    {
      title: 'times and ids',
      one: answer(
        '{"a":"2026-11-24T08:00:00Z","b":"0b2a1c3d-0000-4000-8000-000000000001","c":"2026-11-24-08.00.00.123456"}',
        json,
      ),
      two: answer('{"a":"2025-01-01T09:00:00.1Z","b":"0b2a1c3d-0000-4000-8000-000000000002","c":"x"}', json),
      expected: ['/c: 2026-11-24-08.00.00.123456 | x'],
    },
    {
      title: 'secrets',
      one: answer('{"password":"one","t":"eyJhbGciOiJIUzI1NiJ9aaaaaaaa.b.c"}', json),
      two: answer('{"password":"two","t":"x"}', json),
      expected: ['/password: [redacted] | [redacted]', '/t: [redacted] | x'],
    },
    {
      title: 'a number and a string, and names that objects inherit',
      one: answer('{"a":1.5,"b":12345678901234567890,"constructor":1,"d":1.50}', json),
      two: answer('{"a":"1.5","b":"12345678901234567890","d":1.5}', json),
      expected: ['/a: 1.5 | 1.5', '/b: 12345678901234567890 | 12345678901234567890', '/constructor: 1 | (none)'],
    },
    {
      title: 'secrets in what only one has',
      one: answer('{"a":{"password":"one","n":[12345678901234567890]},"b":"token=one"}', json),
      two: answer('{}', json),
      expected: ['/a: {"password":"[redacted]","n":["12345678901234567890"]} | (none)', '/b: [redacted] | (none)'],
    },
    {
      title: 'secrets in XML that only one has, in lines and in locations',
      one: answer('<a><b><pin>one</pin></b></a>', 'text/xml', {
        headers: { 'content-type': 'text/xml', location: '/x?token=one' },
      }),
      two: answer('<a/>', 'text/xml'),
      expected: ['location: [redacted] | (none)', '/a/b: (elements) | (none)'],
    },
    {
      title: 'secrets in lines',
      one: answer('password: one', 'text/plain'),
      two: answer('x', 'text/plain'),
      expected: ['line 1: [redacted] | x'],
    },
    {
      title: 'masked headers, in any letter case',
      one: answer('', json, { headers: { 'content-type': json, location: '/x' } }),
      two: answer('', json),
      masks: ['Location'],
      expected: [],
    },
    {
      title: 'order and spaces of XML',
      one: answer('<a x="1" y="2"><b>t</b></a>', 'text/xml'),
      two: answer('<?xml version="1.0"?>\n<a y="2" x="1">\n  <b>t</b>\n</a>', 'text/xml'),
      expected: [],
    },
    {
      title: 'elements and attributes',
      one: answer('<a x="1"><b>t</b><c/></a>', 'text/xml'),
      two: answer('<a x="2"><b>u</b></a>', 'text/xml'),
      expected: ['/a/@x: 1 | 2', '/a[1]/b: t | u', '/a/c:  | (none)'],
    },
    {
      title: 'lines of text',
      one: answer('a\nb', 'text/plain'),
      two: answer('a\r\nc', 'text/plain'),
      expected: ['line 2: b | c'],
    },
    {
      title: 'bytes',
      one: answer('a', 'image/png'),
      two: answer('bc', 'image/png'),
      expected: ['body: 1 bytes, SHA-256 ca978112ca1bbdca | 2 bytes, SHA-256 1e0bbd6c686ba050'],
    },
    {
      title: 'status and headers',
      one: answer('', json, { status: 302, headers: { location: 'https://one.example/x', 'set-cookie': 'a' } }),
      two: answer('', json, { status: 200, headers: { location: 'http://two.example/x', allow: 'GET' } }),
      expected: ['status: 302 | 200', 'allow: (none) | GET'],
    },
    {
      title: 'spelling of a media type',
      one: answer('x', 'text/xml; encoding="UTF-8"'),
      two: answer('x', 'Text/XML;encoding=UTF-8'),
      expected: [],
    },
    {
      title: 'names that a JSON pointer must escape',
      one: answer('{"a/b":{"c~d":1}}', json),
      two: answer('{"a/b":{"c~d":2}}', json),
      expected: ['/a~1b/c~0d: 1 | 2'],
    },
    {
      title: 'megabytes of white space in a media type, a name and a text',
      one: answer(JSON.stringify({ [blank]: 1, text: blank }), `${json}${blank}x`),
      two: answer('{}', json),
      expected: [
        `content-type: ${json}${blank.slice(0, 80 - json.length)}… | ${json}`,
        `line 1: {"${blank.slice(0, 78)}… | {}`,
      ],
    },
    { title: 'malformed JSON', one: answer('{', json), two: answer('{}', json), expected: ['line 1: { | {}'] },
  ]
  for (const { title, one: original, two: gateway, masks, expected } of cases)
    test(`36.11 ${title}`, () => assert.deepEqual(differences(original, gateway, masks), expected))
})

test('36.9, 40.6 headers of the original that the gateway does not return are listed by name, and ig report lists them too', async () => {
  one.answer = ({ url }, response) =>
    response
      .setHeader('X-Left', 'a')
      .setHeader(url === '/b' ? 'X-Other' : 'ETag', '1')
      .end('ok')
  two.answer = (_request, response) => response.setHeader('X-New', 'a').setHeader('ETag', '2').end('ok')
  const file = list('GET /a\nGET /b\n')
  const { stdout, code } = await compare(file)
  assert.equal(code, 0)
  assert.match(
    stdout,
    /^\/a leaves out headers: response x-left\.\n\/b leaves out headers: response x-left, response x-other\.\n2 calls: 2 the same, 0 differ\.\n$/,
  )
  const { operations } = JSON.parse((await compare(file, ['--json'])).stdout)
  assert.deepEqual(operations[1].leftOut, ['response x-left', 'response x-other'])
})

test('40.6 the report lists left-out headers by operation, of all sources once', () => {
  const counts = { calls: 0, differ: 0 }
  const { leftOut, operations } = reportAdoption(
    { operations: new Map(), anonymousOperatorId: undefined },
    new Map(),
    undefined,
    [
      { operation: 'JOB_GET.v1', ...counts, leftOut: ['response server', 'request x-a'] },
      { operation: 'JOB_GET.v1', ...counts, leftOut: ['response server'] },
      { operation: 'PAY_GET.v1', ...counts },
    ],
  )
  assert.deepEqual(leftOut, [{ operation: 'JOB_GET.v1', headers: ['request x-a', 'response server'] }])
  assert.deepEqual(operations, [])
})

test('2.35, 40.6 what ig compare names by its URL counts for the operation of that alias', () => {
  const of = (name: string, alias: string, version: string) =>
    ({ id: operationIdOf({ name, method: 'GET', version }), alias, version, method: 'GET' }) as Operation
  const both = [of('ABSENCE', 'absence', 'none'), of('ABSENCE', 'absence', 'v1'), of('JOB', 'JOB', 'v1')]
  const compared = ['/absence/request/7', '/absence.v1/x', '/absence.V1/x', '/JOB.v1'].map((path) => ({
    operation: nameOfCall({ method: 'GET', url: `/SSCDEV/PSIGW/RESTListeningConnector/N${path}?a` }),
    calls: 1,
    differ: 0,
  }))
  const { operations } = reportAdoption(
    { operations: new Map(both.map((one) => [one.id, one])), anonymousOperatorId: undefined },
    new Map(),
    undefined,
    compared,
  )
  assert.deepEqual(
    operations.map(({ id, compared }) => [id, compared?.calls]),
    [
      ['ABSENCE_GET', 1],
      ['ABSENCE_GET.v1', 2],
      ['JOB_GET.v1', 1],
    ],
  )
})

test('36.12 credentials come from the environment, go over TLS or loopback only, and are in no output', async () => {
  const env = { IG_COMPARE_PASSWORD: 'word-1', IG_COMPARE_ORIGINAL_TOKEN: 'token-2' }
  two.answer = ({ headers }, response) => response.end(headers.authorization)
  const file = list('GET /a?password=word-3\n')
  const { stdout, code } = await compare(file, ['--as', 'ME'], env)
  assert.equal(code, 1)
  assert.equal(one.requests[0]?.headers.authorization, 'Bearer token-2')
  assert.equal(two.requests[0]?.headers.authorization, `Basic ${Buffer.from('ME:word-1').toString('base64')}`)
  assert.match(stdout, /^GET \/a\?password=\[redacted\]$/m)
  assert.doesNotMatch(stdout, /word-[13]|token-2/)
  const plain = await ig(['compare', 'http://original.example', two.url, file, '--as', 'ME'], { env })
  assert.match(plain.stderr, /credentials are sent over TLS only/)
  const inUrl = await ig(['compare', 'https://a:b@original.example', two.url, file], { env })
  assert.match(inUrl.stderr, /a URL with a password is visible/)
})

test('36.9 the differences are a table, JSON and an HTML page; foreign text cannot steer the terminal or the page', async () => {
  one.answer = (_request, response) =>
    response.setHeader('content-type', 'application/json').end('{"n":"<b>\\u001b[31m"}')
  two.answer = (_request, response) => response.setHeader('content-type', 'application/json').end('{"n":"b"}')
  const html = join(folder, 'report.html')
  const { code, stdout } = await compare(list('GET /a\n'), ['--html', html])
  assert.equal(code, 1)
  assert.equal(stdout, 'GET /a\n  /n  <b>\\x1b[31m  b\n1 call: 0 the same, 1 differs.\n')
  const page = readFileSync(html, 'utf8')
  assert.match(page, /<td>&lt;b&gt;/)
  assert.ok(!page.includes('\u001b') && !page.includes('<b>'))
  const json = JSON.parse((await compare(list('GET /a\n'), ['--json'])).stdout)
  assert.deepEqual([json.calls, json.same, json.differ], [1, 0, 1])
  assert.deepEqual(json.differing[0].differences, [{ what: '/n', original: '<b>\u001b[31m', gateway: 'b' }])
})

test('36.9 a server that gives no answer is a difference', async () => {
  two.answer = (_request, response) => response.destroy()
  const { code, stdout } = await compare(list('GET /a\n'))
  assert.equal(code, 1)
  assert.match(stdout, /answer {2}status 200 {2}no answer \(/)
})
