/** `ig import`: requests, OpenAPI and WADL as projects of stand-ins (specification 16.6 to 16.9). */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { openTestGateway } from 'integration-gateway/testing'
import { parseConfiguration } from '../../src/configuration/parse-configuration.ts'
import { formatProblem } from '../../src/model/problem.ts'
import { parseTarget } from '../../src/model/uri/target.ts'
import { assembleProject } from '../../src/moving/import/assemble.ts'
import { importRequests } from '../../src/moving/import/import-requests.ts'
import { inferTemplates } from '../../src/moving/import/infer-templates.ts'
import { openTakenNames } from '../../src/moving/import/names.ts'
import { importOpenApi } from '../../src/moving/import/openapi.ts'
import { placeUrl } from '../../src/moving/import/place-url.ts'
import { readDocument } from '../../src/moving/import/read-document.ts'
import { readHar } from '../../src/moving/import/read-har.ts'
import type { Recording } from '../../src/moving/import/recording.ts'
import { streamHar } from '../../src/moving/import/stream-har.ts'
import { silent } from '../../src/moving/import/verification.ts'
import { importWadl } from '../../src/moving/import/wadl.ts'
import { openProject } from '../../src/project/open-project.ts'
import { ig, makeProject, serve, spawnIg } from '../support/cli.ts'
import { readTranscript } from '../support/transcript.ts'

const base = 'https://hr.example.com/PSIGW/RESTListeningConnector/PSFT_HR'

interface Recorded {
  readonly url: string
  readonly text: string
  readonly method?: string
  readonly status?: number
  readonly mimeType?: string
  readonly encoding?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly answer?: Readonly<Record<string, string>>
}

const pairs = (headers: Readonly<Record<string, string>> = {}) =>
  Object.entries(headers).map(([name, value]) => ({ name, value }))

function writeHar(recorded: readonly Recorded[]): string {
  const entries = recorded.map(({ url, text, method = 'GET', status = 200, encoding, headers, answer, ...rest }) => ({
    request: { method, url: url.startsWith('/') ? base + url : url, headers: pairs(headers) },
    response: {
      status,
      headers: pairs(answer),
      content: {
        size: text.length,
        mimeType: rest.mimeType ?? 'application/json',
        text,
        ...(encoding ? { encoding } : {}),
      },
    },
  }))
  return JSON.stringify({ log: { version: '1.2', entries } })
}

/** Name → text; what `ig import` runs in. */
const makeFolder = (files: Readonly<Record<string, string>>) => makeProject(files)

const infer = (...urls: readonly string[]) =>
  inferTemplates(urls.map((url) => parseTarget(`/P/RESTListeningConnector/N/O.v1${url}`, 'P')))

test('16.6, 16.8 one command imports seventy operations, and each returns what was recorded, byte for byte', async () => {
  const recorded = Array.from({ length: 70 }, (_, at): Recorded[] => [
    { url: `/OP_${at}.v1/items/${at}`, text: `{ "operation":  ${at} }` },
    {
      url: `/OP_${at}.v1/items/${at}?detail=full`,
      text: `<a n="${at}"/>`,
      mimeType: 'text/xml',
      status: at % 2 ? 404 : 200,
    },
  ]).flat()
  const binary = Buffer.from([0, 255, 254, 10, 13, 128])
  const odd: Recorded = {
    url: '/BINARY.v2/',
    text: binary.toString('base64'),
    encoding: 'base64',
    mimeType: 'image/png',
  }
  const folder = makeFolder({ 'recorded.har': writeHar([...recorded, odd]) })
  const outcome = await spawnIg(['import', 'requests', 'recorded.har', '--open', '--into', 'made'], { cwd: folder })
  assert.deepEqual([outcome.code, outcome.stderr], [0, ''])
  assert.match(outcome.stdout, /^71 operations in made\. Next:\n {2}ig dev made\n {2}curl /m)

  const serving = serve(['dev', 'made', '--port', '0'], { cwd: folder })
  const [, origin = ''] = await serving.until(/(http:\/\/127\.0\.0\.1:[1-9]\d*)/)
  for (const { url, text, status = 200, mimeType = 'application/json' } of recorded) {
    const response = await fetch(`${origin}/PSIGW/RESTListeningConnector/PSFT_HR${url}`)
    assert.deepEqual([url, response.status, await response.text()], [url, status, text])
    assert.equal(response.headers.get('content-type'), mimeType)
  }
  const response = await fetch(`${origin}/PSIGW/RESTListeningConnector/PSFT_HR/BINARY.v2`)
  assert.deepEqual(Buffer.from(await response.arrayBuffer()), binary)
  await serving.stop()
})

const inferred: readonly { title: string; urls: readonly string[]; sources: readonly string[] }[] = [
  {
    title: '16.7 segments that differ become a variable',
    urls: ['/echo/x', '/echo/y'],
    sources: ['echo/{parameter2}'],
  },
  {
    title: '16.7 a number, a date or an id is a variable even if it occurs once',
    urls: ['/employees/1/absences/2026-01-02'],
    sources: ['employees/{employee}/absences/{absence}'],
  },
  {
    title: '16.7 the beginning of a longer path is a name',
    urls: ['/a/1', '/b/1'],
    sources: ['a/{parameter2}', 'b/{parameter2}'],
  },
  {
    title: '16.7 a query parameter of all requests is required, one of some requests is optional',
    urls: ['/a?x=1', '/a?x=2&y=3'],
    sources: ['a?x={x}{&y}'],
  },
  {
    title: '16.7 a query name that cannot be an element name gets a template of its own',
    urls: ['/a', '/a?value-to-echo=1'],
    sources: ['a', 'a?value-to-echo={value_to_echo}'],
  },
  { title: '16.7 a repeated query name is a collection', urls: ['/a?id=1&id=2'], sources: ['a{?id*}'] },
  {
    title: '16.11 a segment of the form name=value keeps its name',
    urls: ['/EMPLID=KU0001/EFFDT=2026-01-02', '/EMPLID=A/EFFDT=2026-01-02'],
    sources: ['EMPLID={EMPLID}/EFFDT={EFFDT}'],
  },
  { title: '16.7 a trailing slash makes no difference', urls: ['/a/', '/a', '', '/'], sources: ['a', '/'] },
  { title: '16.7 a path of slashes only is the path without any', urls: ['?x=1', '//', ''], sources: ['/{?x}'] },
]
for (const { title, urls, sources } of inferred) test(title, () => assert.deepEqual(infer(...urls).sources, sources))

const texts = ['a', 'b', '1', '2', '', 'list', '{x}', 'a,b', '%', '.', 'KU0001', '__proto__'] as const
const segment = fc.oneof(fc.constantFrom(...texts), fc.string({ maxLength: 3 }))
const queryName = fc.oneof(
  fc.constantFrom('x', 'y', 'value-to-echo', 'a b', 'parameter1', '__proto__'),
  fc.string({ minLength: 1, maxLength: 3 }),
)
const request = fc.record({
  operation: fc.constantFrom('OP.v1', 'Op.v1', 'op-x.v2'),
  path: fc.array(segment, { maxLength: 4 }),
  query: fc.array(fc.tuple(queryName, segment), { maxLength: 4 }),
})

test('16.7 every recording gives a valid configuration that answers each request', () => {
  const holds = (requests: readonly { operation: string; path: string[]; query: [string, string][] }[]) => {
    const recordings = requests.map(({ operation, path, query }, at): Recording => {
      const search = query.map((pair) => pair.map(encodeURIComponent).join('=')).join('&')
      const url = placeUrl(`${base}/${[operation, ...path.map(encodeURIComponent)].join('/')}${search && `?${search}`}`)
      const answer = { status: 200, contentType: 'text/plain', headers: {}, body: { text: `${at}`, isBase64: false } }
      return { place: `${at}`, method: 'GET', claim: silent, url, answer }
    })
    const found = importRequests(recordings, { service: 'S' })
    assert.deepEqual(found.problems, [])
    const parsed = parseConfiguration(assembleProject(found).definition)
    assert.ok('configuration' in parsed, JSON.stringify(parsed))
  }
  fc.assert(fc.property(fc.array(request, { minLength: 1, maxLength: 12 }), holds), { numRuns: 500 })
})

const people = [
  { url: '/PERSON.v1/persons/7', text: '{"id":"7"}' },
  { url: '/PERSON.v1/persons/8', text: '{"error":"none"}', status: 404 },
  { url: '/FLAG.v1/EMPLID=1', text: 'yes' },
  { url: '/FLAG.v1/EMPLID=2', text: 'yes' },
]

/** What a project answers to `/PERSON.v1/persons/7`, and so on. */
async function tryAll(project: string, ...urls: readonly string[]) {
  const isClosed = readFileSync(join(project, 'gateway.config.ts'), 'utf8').includes("verification: 'Basic'")
  const outcomes = []
  for (const url of urls) {
    const { stdout } = await ig([
      'try',
      'GET',
      url,
      '--project',
      project,
      '--json',
      ...(isClosed ? ['--as', 'DEMO'] : []),
    ])
    const { status, body } = JSON.parse(stdout)
    outcomes.push([status, typeof body === 'string' ? body : ''])
  }
  return outcomes
}

test('16.11 a variable is a String, and values that were not recorded get an answer where recorded ones answer alike', async () => {
  const folder = makeFolder({ 'r.har': writeHar(people) })
  const { stdout } = await ig(['import', 'requests', 'r.har', '--open'], { cwd: folder })
  assert.match(stdout, /\n {2}FLAG\.v1 GET answers any value of "EMPLID": the recorded ones have the same response\n/)
  const answers = await tryAll(
    join(folder, 'r'),
    '/FLAG.v1/EMPLID=A1234',
    '/PERSON.v1/persons/7',
    '/PERSON.v1/persons/A1',
  )
  assert.deepEqual(
    answers.map(([status]) => status),
    [200, 200, 404],
  )
})

for (const [way, args, options] of [
  ['--any names', ['--any', 'person'], {}],
  ['a person agrees to', [], { isTTY: true, input: 'y\n' }],
] as const) {
  test(`16.11 variables that ${way} have a row for every other value: the first success`, async () => {
    const folder = makeFolder({ 'r.har': writeHar(people) })
    const run = await ig(['import', 'requests', 'r.har', '--open', ...args], { cwd: folder, ...options })
    assert.equal(
      run.stderr,
      'input' in options ? 'person was recorded as 7, 8. Answer all other values, too? [y/N] ' : '',
    )
    assert.deepEqual(await tryAll(join(folder, 'r'), '/PERSON.v1/persons/A1', '/PERSON.v1/persons/8'), [
      [200, '{"id":"7"}'],
      [404, '{"error":"none"}'],
    ])
  })
}

test('16.11 --type gives a variable another type; a recorded value that does not fit is an error', async () => {
  const folder = makeFolder({ 'r.har': writeHar([...people, { url: '/PERSON.v1/persons/A1234', text: '1' }]) })
  const run = (...args: string[]) => ig(['import', 'requests', 'r.har', '--json', ...args], { cwd: folder })
  const messagesOf = ({ stdout }: { stdout: string }) =>
    JSON.parse(stdout).problems.map(({ path, message }: Record<string, string>) => `${path} ${message}`.trim())
  assert.deepEqual(messagesOf(await run('--type', 'person=Integer')), [
    'log.entries[4] has "A1234" for "person", which is no Integer',
  ])
  assert.deepEqual(messagesOf(await run('--any', 'persn')), ['--any persn names no variable; did you mean person?'])
  assert.match(messagesOf(await run('--type', 'person=Number'))[0] ?? '', /^--type person=Number is not NAME=TYPE/)
  assert.ok(!existsSync(join(folder, 'r')))
  assert.equal((await run('--type', 'EMPLID=Integer')).code, 0)
  const { documents } = (await openProject(join(folder, 'r'))).configuration
  assert.deepEqual(documents[0]?.elements, { EMPLID: { type: 'Integer', isCollection: false, isRequired: false } })
})

test('16.6 a base URL that ends in a node, an operation and a version keeps them', () => {
  const base = 'https://h/PSIGW/RESTListeningConnector/PSFT_HR/JOB_DATA.v2/'
  const get = { get: { responses: { 200: { description: 'ok' } } } }
  const paths = { '/{emplid}': get, '/': get }
  const server = { url: base.replace('PSFT_HR', '{node}'), variables: { node: { default: 'PSFT_HR' } } }
  const wadl = `<application><resources base="${base}"><resource path="{emplid}"><method name="GET"/></resource></resources>
    <resources base="https://h/PSIGW/RESTListeningConnector/PSFT_HR/OTHER.v1"><resource path="?id={key}"><param name="key" style="template" type="xs:int"/><method name="GET"/></resource></resources></application>`
  const described = importOpenApi({ openapi: '3.1.0', servers: [server], paths })
  const resources = importWadl(wadl, 'a.wadl')
  for (const { operations, nodes, gatewayPath, problems } of [described, resources]) {
    assert.deepEqual([nodes, gatewayPath, problems], [['PSFT_HR'], 'PSIGW', []])
    const [{ alias, version, templates } = {}] = operations
    assert.deepEqual([alias, version, templates?.[0]], ['JOB_DATA', 'v2', '{emplid}'])
  }
  const [, other] = resources.operations
  assert.deepEqual(
    [other?.alias, other?.templates, other?.elements],
    ['OTHER', ['/?id={key}'], { key: { type: 'Integer' } }],
  )
  const above = { url: base.replace('JOB_DATA.v2/', '') }
  const servers = [{ url: 'https://test.h/hr' }, above]
  const several = importOpenApi({
    openapi: '3.1.0',
    servers,
    paths: { '/JOB%2DA.v1/a%2fb': get, '/{emplid}': { ...get, servers: [server] } },
  })
  assert.deepEqual(
    several.operations.map(({ alias, version, templates }) => [alias, version, ...templates]),
    [
      ['JOB-A', 'v1', 'a%2fb'],
      ['JOB_DATA', 'v2', '{emplid}'],
    ],
  )
  assert.deepEqual(several.notices.map(formatProblem), [
    `servers has "${above.url}", which is used, and others, which are not: "https://test.h/hr"`,
  ])
  const elsewhere = importOpenApi({ openapi: '3.1.0', servers: [{ url: 'https://h/hr' }], paths: { '/a': get } })
  assert.deepEqual(elsewhere.notices.map(formatProblem), [
    'GET /a is served as /a.v1 below the node, because /hr/a names no operation of the original',
  ])
})

test('16.11 the value of a segment with the name of a credential is never written, and any other is answered', async () => {
  const paths = ['/A.v1/token=s3cr3t/x', '/B.v1/x;jsessionid=s3cr3t!1;a=b/y;Token=s3cr3t']
  const folder = makeFolder({ 'r.har': writeHar(paths.map((url) => ({ url, text: 'a' }))) })
  const { stdout } = await ig(['import', 'requests', 'r.har', '--open'], { cwd: folder })
  assert.match(stdout, /credentials are not imported: token, jsessionid, Token/)
  const config = readFileSync(join(folder, 'r/gateway.config.ts'), 'utf8')
  assert.ok(!config.includes('s3cr3t') && !stdout.includes('s3cr3t'))
  assert.deepEqual(await tryAll(join(folder, 'r'), '/A.v1/token=other/x', '/B.v1/x;a=b/y'), [
    [200, 'a'],
    [200, 'a'],
  ])
})

test('16.7 an element accepts values from requests of another template', () => {
  const answer = { status: 200, contentType: 'text/plain', headers: {}, body: { text: 'x', isBase64: false } }
  const recordings = ['/O.v1/2//', '/O.v1//', '/O.v1'].map((path): Recording => {
    return { place: path, method: 'GET', claim: silent, url: placeUrl(`${base}${path}`), answer }
  })
  const parsed = parseConfiguration(assembleProject(importRequests(recordings, { service: 'S' })).definition)
  assert.ok('configuration' in parsed, JSON.stringify(parsed))
})

test('16.8 the call that is printed after an import has values that the operation accepts', async () => {
  const openapi = `
openapi: 3.1.0
info: { title: People, version: '1' }
paths:
  /people/{id}:
    get:
      parameters:
        - { name: id, in: path, required: true, schema: { type: integer } }
        - { name: size, in: query, required: true, schema: { type: string, enum: [S, M] } }
      responses: { '200': { description: ok, content: { application/json: { example: 1 } } } }
`
  const folder = makeFolder({ 'api.yaml': openapi })
  const { stdout } = await ig(['import', 'openapi', 'api.yaml', '--open', '--into', 'made'], { cwd: folder })
  const [, line = ''] = /^ {2}curl '?http:\/\/127\.0\.0\.1:8080(\S+?)'?$/m.exec(stdout) ?? []
  assert.match(line, /people\.v1\/1\?size=S$/)
  const tried = await ig(['try', 'GET', line, '--project', 'made'], { cwd: folder })
  assert.match(tried.stdout, /^200\n/)
})

test('16.6, 27.16 credentials and cookies are never written, and their scheme becomes the verification', async () => {
  const secret = Buffer.from('KIM:s3cr3t-password').toString('base64')
  const har = writeHar([
    {
      url: '/A.v1/1',
      text: '{}',
      headers: { Authorization: `Basic ${secret}`, Cookie: 'S=s3cr3t-cookie' },
      answer: { 'Set-Cookie': 'S=s3cr3t-cookie', ETag: '"1"', Location: 'https://h/back?x=1&access_token=s3cr3t' },
    },
    {
      url: '/B.v1/1?access_token=s3cr3t-query&X-Amz-Signature=s3cr3t&otp=s3cr3t',
      text: '{}',
      headers: { authorization: 'Bearer s3cr3t-token' },
    },
    { url: '/C.v1/1', text: '{}', answer: { Location: 'https://h/back#SAMLResponse=s3cr3t' } },
    { url: '/D.v1/1', text: '{}', headers: { PS_TOKEN: 's3cr3t-session' } },
  ])
  const folder = makeFolder({ 'recorded.har': har })
  const { code, stdout } = await ig(['import', 'requests', 'recorded.har', '--into', 'made'], { cwd: folder })
  assert.equal(code, 0)
  assert.match(stdout, /credentials are not imported: .*access_token/)
  const { configuration } = await openProject(join(folder, 'made'))
  assert.deepEqual(
    configuration.operations.map(({ verification }) => verification),
    ['Basic', 'OAuth2', 'Basic', 'Token'],
  )
  assert.deepEqual(Reflect.get(configuration.operations[0] ?? {}, 'fixture')[0].headers, { etag: '"1"' })
  const files = readdirSync(join(folder, 'made'), { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  assert.ok(files.length >= 7)
  for (const file of files) {
    const text = readFileSync(join(file.parentPath, file.name), 'utf8')
    assert.ok(!text.includes('s3cr3t') && !text.includes(secret), file.name)
  }
})

test('16.8 operations with OAuth2 can be called at once, with a token of the sample issuer', async () => {
  const har = writeHar([{ url: '/B.v1/1', text: '{"b":1}', headers: { authorization: 'Bearer x' } }])
  const folder = makeFolder({ 'r.har': har })
  const { stdout } = await ig(['import', 'requests', 'r.har'], { cwd: folder })
  assert.match(stdout, /curl -H "Authorization: Bearer \$\(ig access-token DEMO --project r\)" http/)
  const serving = serve(['dev', 'r', '--port', '0', '--issuer-port', '0'], { cwd: folder })
  const [, base = ''] = await serving.until(/Gateway +(http:\S+)/)
  const [, issuer = ''] = await serving.until(/http:\/\/127\.0\.0\.1:(\d+)\/token/)
  const token = await ig(['access-token', 'DEMO', '--project', 'r', '--issuer-port', issuer], { cwd: folder })
  assert.equal(token.code, 0, token.stderr)
  const response = await fetch(`${base}/B.v1/1`, { headers: { authorization: `Bearer ${token.stdout.trim()}` } })
  assert.deepEqual([response.status, await response.text()], [200, '{"b":1}'])
  assert.equal((await fetch(`${base}/B.v1/1`)).status, 401)
  await serving.stop()
})

test('16.6 lists in response headers are kept whole, and what is not imported is reported', async () => {
  const headers = [
    ['Link', '<a>; rel=next'],
    ['Date', 'now'],
    ['link', '<b>; rel=prev'],
    ['ETag', '"1"'],
    ['ETag', '"2"'],
    ['X-Total-Count', '9'],
    ['Content-Range', 'bytes 0-3/10'],
    ['Location', '/a\r\nSet-Cookie: a=b'],
  ].map(([name, value]) => ({ name, value }))
  const har = JSON.parse(writeHar([{ url: '/A.v1/', text: 'part', status: 206 }]))
  har.log.entries[0].response.headers = headers
  const folder = makeFolder({ 'r.har': JSON.stringify(har) })
  const { stdout } = await ig(['import', 'requests', 'r.har'], { cwd: folder })
  assert.match(stdout, /responses have headers that are not imported: location, x-total-count\n/)
  const { configuration } = await openProject(join(folder, 'r'))
  assert.deepEqual(Reflect.get(configuration.operations[0] ?? {}, 'fixture')[0].headers, {
    link: '<a>; rel=next, <b>; rel=prev',
    etag: '"1"',
    'content-range': 'bytes 0-3/10',
  })
})

test('16.17 of two responses to one URL the later counts, which is reported', async () => {
  const folder = makeFolder({
    'r.har': writeHar([
      { url: '/A.v1/1', text: '1' },
      { url: '/A.v1/1', text: '2' },
      { url: '/A.v1/1', text: '1' },
    ]),
  })
  const { stdout } = await ig(['import', 'requests', 'r.har', '--open', '--json'], { cwd: folder })
  const { notices, operations } = JSON.parse(stdout)
  assert.deepEqual(notices.slice(0, 1), [
    {
      path: 'log.entries[1]',
      message: 'GET /PSIGW/RESTListeningConnector/PSFT_HR/A.v1/1 gets the response of log.entries[2]: the same URL',
    },
  ])
  assert.equal(operations[0].templates[0].requests, 3)
})

test('16.6 a list is read by lines, and an invalid name is mapped and reported', async () => {
  const list = [
    '# comment',
    '',
    'GET https://host/api/v2/employees/7 responses/a.json',
    '{ "method": "PUT", "url": "/9-lives.v1/x", "file": "responses/a b.xml", "status": 201 }',
  ]
  const folder = makeFolder({ 'r.txt': list.join('\r\n'), 'responses/a.json': '{"a":1}', 'responses/a b.xml': '<a/>' })
  const { code, stdout } = await ig(['import', 'requests', 'r.txt', '--into', 'made'], { cwd: folder })
  assert.equal(code, 0)
  assert.match(stdout, /\/api\/v2\/employees\/7 is served as \/employees\.v2\/7 below the node/)
  assert.match(stdout, /the alias "9-lives\.v1" is no valid alias: it is renamed to "X_9-lives_v1"/)
  const { operations } = (await openProject(join(folder, 'made'))).configuration
  assert.deepEqual(
    operations.map(({ name, method, version }) => `${name}_${method}.${version}`),
    ['EMPLOYEES_GET.v2', 'X_9_LIVES_V1_PUT.v1'],
  )
  assert.equal(readFileSync(join(folder, 'made/fixtures/EMPLOYEES_GET.v2.json'), 'utf8'), '{"a":1}')
})

test('16.9 of a thousand malformed lines the first is shown, or all with --json; without any other nothing is written', async () => {
  const folder = makeFolder({ 'r.txt': Array.from({ length: 1000 }, (_, at) => `line ${at}`).join('\n') })
  const { code, stderr } = await ig(['import', 'requests', 'r.txt', '--into', 'made'], { cwd: folder })
  assert.equal(code, 1)
  assert.match(
    stderr,
    /^ig: r\.txt has an error; nothing is written:\n {2}r\.txt has no requests that can be imported\n/,
  )
  assert.match(
    stderr,
    /\n {2}r\.txt:1 is left out: must begin with a method, .* \(and 999 more like it; --json has all\)\n$/,
  )
  const json = await ig(['import', 'requests', 'r.txt', '--into', 'made', '--json'], { cwd: folder })
  assert.deepEqual([json.code, JSON.parse(json.stdout).notices.length], [1, 1000])
  assert.ok(!existsSync(join(folder, 'made')))
})

test('16.9 a line whose response file is missing, or outside the folder of the list, is left out with a note', async () => {
  const folder = makeFolder({ 'list/none.txt': '', 'outside.json': '{}' })
  symlinkSync(join(folder, 'outside.json'), join(folder, 'list/link.json'))
  mkdirSync(join(folder, 'list/folder'))
  const files = ['absent.json', '../outside.json', join(folder, 'outside.json'), 'link.json', 'folder']
  writeFileSync(join(folder, 'list/r.txt'), files.map((file) => `GET /A.v1/1 ${file}`).join('\n'))
  const { code, stdout } = await ig(['import', 'requests', 'list/r.txt', '--into', 'made', '--json'], { cwd: folder })
  const messages = JSON.parse(stdout).notices.map(({ message }: { message: string }) =>
    message.replace(/^.*, which /, ''),
  )
  assert.equal(code, 1)
  assert.deepEqual(messages, [
    'does not exist',
    'leads out of the folder of the list',
    'leads out of the folder of the list',
    'is a link that leads out of the folder of the list',
    'is not a file',
  ])
  assert.ok(!existsSync(join(folder, 'made')))
})

const bomb = [
  'a: &a [x, x, x, x, x, x, x, x, x, x]',
  ...'bcdefghi'.split('').map((name, at) => `${name}: &${name} [${Array(10).fill(`*${'abcdefghi'[at]}`)}]`),
]
const refused = [
  {
    title: '16.9 a HAR that is not JSON is refused',
    kind: 'requests',
    file: 'r.har',
    text: 'nonsense',
    fault: /it is not JSON/,
  },
  {
    title: '16.9 a HAR without entries is refused',
    kind: 'requests',
    file: 'r.har',
    text: '{"log":{"entries":[]}}',
    fault: /has no entries/,
  },
  { title: '16.9 a YAML bomb is refused', kind: 'openapi', file: 'a.yaml', text: bomb.join('\n'), fault: /alias/ },
  {
    title: '16.8 a document that is nested too deeply is refused',
    kind: 'openapi',
    file: 'a.json',
    text: `{"openapi":"3.1.0","paths":{},"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
    fault: /a\.json is refused: it is nested more than 500 deep/,
  },
  {
    title: '16.9 an error in YAML has its line',
    kind: 'openapi',
    file: 'a.yaml',
    text: 'a: 1\nb: [\n',
    fault: /a\.yaml:[23] is neither JSON nor YAML/,
  },
  {
    title: '16.9 a key of YAML that is there twice is refused with its line, and a repeated merge key is not',
    kind: 'openapi',
    file: 'a.yaml',
    text: 'x: &x { a: 1 }\ny: { <<: *x, <<: *x }\nb: 1\n"b": 2\n',
    fault: /has an error; nothing is written:\n {2}a\.yaml:4 is neither JSON nor YAML: the key "b" is there twice\n/,
  },
  {
    title: '16.9 YAML of more than 30 MiB is refused, and says what to do',
    kind: 'openapi',
    file: 'a.yaml',
    text: `a: 1\n${'#\n'.repeat(16 * 1024 * 1024)}`,
    fault: /a\.yaml is YAML of more than 30 MiB: convert it to JSON/,
  },
  {
    title: '16.8 Swagger before 2.0 is refused',
    kind: 'openapi',
    file: 'a.yaml',
    text: 'swagger: "1.2"',
    fault: /swagger is 1\.2: supported are Swagger 2\.0, OpenAPI 3\.0 and 3\.1/,
  },
  {
    title: '16.9 a WADL that is not XML is refused',
    kind: 'wadl',
    file: 'a.wadl',
    text: '<application>',
    fault: /is not a WADL document/,
  },
  {
    title: '16.9 a reference out of the document is refused',
    kind: 'openapi',
    file: 'a.json',
    text: '{"openapi":"3.1.0","paths":{"/a":{"$ref":"b.json"}}}',
    fault: /outside the document/,
  },
  {
    title: '16.9 a HAR without usable entries is refused, with the reason',
    kind: 'requests',
    file: 'r.har',
    text: writeHar([{ url: '/A.v1/1', text: '', status: 99 }]),
    fault:
      /r\.har has nothing to import: no entry is left\n\nNote:\n {2}log\.entries\[0\] is left out: 99 is not a final status/,
  },
  {
    title: '16.9 a file that does not exist is refused',
    kind: 'wadl',
    file: 'b.wadl',
    text: undefined,
    fault: /cannot be read/,
  },
]
for (const { title, kind, file, text, fault } of refused) {
  test(title, async () => {
    const folder = makeFolder(text === undefined ? {} : { [file]: text })
    const { code, stderr } = await ig(['import', kind, file, '--into', 'made'], { cwd: folder })
    assert.equal(code, 1)
    assert.match(stderr, fault)
    assert.ok(!existsSync(join(folder, 'made')))
  })
}

test('16.8 a folder that is not empty is refused; --force replaces what an import wrote, and keeps everything else', async () => {
  const folder = makeFolder({ 'r.har': writeHar([{ url: '/A.v1/1', text: '1' }]), 'mine/notes.txt': 'mine' })
  const into = (name: string, ...more: string[]) =>
    ig(['import', 'requests', 'r.har', '--into', name, ...more], { cwd: folder })
  for (const more of [[], ['--force']]) {
    const { code, stderr } = await into('mine', ...more)
    assert.equal(code, 1)
    assert.match(stderr, /mine is not empty/)
  }
  assert.deepEqual(readdirSync(join(folder, 'mine')), ['notes.txt'])
  assert.equal((await into('made')).code, 0)
  for (const name of ['data', '.git', 'test']) mkdirSync(join(folder, 'made', name))
  assert.match((await into('made')).stderr, /Replace it with --force/)
  writeFileSync(join(folder, 'r.har'), writeHar([{ url: '/B.v1/1', text: '1' }]))
  assert.equal((await into('made', '--force')).code, 0)
  assert.deepEqual(readdirSync(join(folder, 'made/fixtures')), ['B_GET.v1.json'])
  for (const name of ['data', '.git', 'test']) assert.ok(existsSync(join(folder, 'made', name)), name)
  const { code, stderr } = await into('')
  assert.deepEqual([code, stderr], [1, 'ig: the folder has no name. Name one with --into <folder>.\n'])
  assert.deepEqual(readdirSync(join(folder, 'mine')), ['notes.txt'])
  assert.deepEqual(
    readdirSync(folder).filter((name) => /^\.(?!mine)/.test(name)),
    [],
  )
})

test('16.7 --dry-run shows the templates and writes nothing', async () => {
  const folder = makeFolder({ 'r.har': writeHar([{ url: '/A.v1/1', text: '1' }]) })
  const { code, stdout } = await ig(['import', 'requests', 'r.har', '--open', '--dry-run'], { cwd: folder })
  assert.equal(code, 0)
  assert.match(
    stdout,
    /^OPERATION +VERIFICATION +URI TEMPLATE +REQUESTS +EXAMPLE\nA_GET\.v1 +NONE \(by --open\) +\{parameter1\} +1 +\/PSIGW/,
  )
  assert.match(stdout, /Nothing is written/)
  assert.ok(!existsSync(join(folder, 'r')))
})

test('16.8 OpenAPI, in YAML too, becomes templates, verification and examples', () => {
  const yaml = `
openapi: 3.0.3
info: { title: People, version: '1' }
components:
  securitySchemes: { login: { type: http, scheme: basic }, key: { type: apiKey, in: header, name: x } }
  schemas:
    Person: { type: object, properties: { name: { type: string, example: Kim }, age: { type: integer }, boss: { $ref: '#/components/schemas/Person' } } }
paths:
  /people/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    get:
      security: [{ login: [] }]
      parameters:
        - { name: fields, in: query, schema: { type: array, items: { type: string } } }
        - { name: mode, in: query, required: true, schema: { type: string, enum: [a, b] } }
      responses: { '200': { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Person' } } } } }
    delete:
      security: [{ key: [] }]
      responses: { '204': { description: gone } }
  /people:
    post:
      requestBody: { content: { application/json: {} } }
      responses: { '201': { description: made, content: { application/xml: { example: <made/> } } } }
`
  const read = readDocument(yaml, 'a.yaml')
  assert.ok('value' in read)
  const { operations, problems, notices } = importOpenApi(read.value)
  assert.deepEqual(problems, [])
  const moved = 'below the node, because'
  assert.deepEqual(
    notices.map(formatProblem).filter((one) => one.includes(moved)),
    [
      `GET /people/{id} is served as /people.v1/1?mode=a ${moved} /people/{id} names no operation of the original`,
      `DELETE /people/{id} is served as /people.v1/1 ${moved} /people/{id} names no operation of the original`,
      `POST /people is served as /people.v1 ${moved} /people names no operation of the original`,
    ],
  )
  const [get, remove, post] = operations
  assert.deepEqual([get?.alias, get?.verification, get?.templates], ['people', 'Basic', ['{id}?mode={mode}{&fields*}']])
  assert.deepEqual(get?.elements, {
    id: { type: 'Integer' },
    mode: { type: 'String', values: ['a', 'b'] },
    fields: { type: 'String', isCollection: true },
  })
  const bodyOf = (operation: typeof get | undefined) =>
    (operation?.rows[0]?.answer.body as { text: string } | undefined)?.text ?? ''
  const person = JSON.parse(bodyOf(get))
  assert.deepEqual([person.name, person.age, person.boss.name], ['Kim', 0, 'Kim'])
  assert.deepEqual([remove?.verification, remove?.rows[0]?.answer.status, bodyOf(remove)], ['Basic', 204, ''])
  assert.deepEqual(
    [post?.rows[0]?.answer.status, post?.requestType, bodyOf(post)],
    [201, 'application/json', '<made/>'],
  )
})

test('16.8 twenty thousand parameters are imported, without searching all others for each name', () => {
  const many = Array.from({ length: 20_000 }, (_, n) => String.fromCodePoint(0x4e00 + n))
  let looked = 0
  const names = openTakenNames(60)
  const added = many.map(() =>
    names.add('parameter_', '', () => {
      looked += 1
      return false
    }),
  )
  assert.deepEqual([added[0], added[1], added.at(-1)], ['parameter_', 'parameter__2', 'parameter__20000'])
  assert.equal(looked, many.length)

  const schema = { type: 'string' }
  const paths = Object.fromEntries(
    many.map((_, n) => [`/a.v1/x${n}/{p${n}}`, { get: { parameters: [{ in: 'path', name: `p${n}`, schema }] } }]),
  )
  const query = many.map((name) => ({ in: 'query', name, required: true, schema }))
  const document = { openapi: '3.0.0', paths: { ...paths, '/b.v1/x': { get: { parameters: query } } } }
  const { operations, problems } = importOpenApi(document)
  assert.deepEqual(problems, [])
  assert.deepEqual(
    operations.map(({ elements }) => Object.keys(elements).length),
    [many.length, many.length],
  )
})

test('16.8 a schema that contains itself, or never ends, gives a readable body', async () => {
  const fields = Array.from({ length: 20 }, (_, at) => `f${at}`)
  const wide = (ref: string) => ({
    type: 'object',
    properties: Object.fromEntries(fields.map((name) => [name, { $ref: `#/components/schemas/${ref}` }])),
  })
  const chain = Array.from({ length: 30 }, (_, at) => [`C${at}`, wide(`C${at + 1}`)] as const)
  const answer = (ref: string) => ({
    get: {
      responses: { 200: { content: { 'application/json': { schema: { $ref: `#/components/schemas/${ref}` } } } } },
    },
  })
  const document = {
    openapi: '3.1.0',
    paths: { '/self': answer('Self'), '/chain': answer('C0') },
    components: {
      schemas: { Self: wide('Self'), ...Object.fromEntries(chain), C30: { type: 'string', maxLength: 1e30 } },
    },
  }
  const folder = makeFolder({ 'a.json': JSON.stringify(document) })
  assert.deepEqual(await ig(['import', 'openapi', 'a.json'], { cwd: folder }).then(({ code }) => code), 0)
  const body = (name: string) => readFileSync(join(folder, `a/fixtures/${name}_GET.v1.json`), 'utf8')
  const { f0, f19 } = JSON.parse(body('SELF'))
  assert.deepEqual([f0.f7, f19.f0, Object.keys(f19).length], [null, null, 20])
  assert.ok(body('CHAIN').length < 2 ** 21)
})

test('16.8 no response file has the name of a device of Windows', () => {
  const recordings = ['con', 'NUL', 'com1', 'console'].map((id): Recording => {
    const answer = { status: 200, contentType: 'text/plain', headers: {}, body: { text: id, isBase64: false } }
    return { place: id, method: 'GET', claim: silent, url: placeUrl(`${base}/O.v1/item/${id}`), answer }
  })
  const { files } = assembleProject(importRequests(recordings, { service: 'S' }))
  assert.deepEqual(
    [...files.keys()].map((name) => name.replace(/.*\//, '')),
    ['_con.txt', '_NUL.txt', '_com1.txt', 'console.txt'],
  )
})

test('16.8 an invalid length is not imported', () => {
  const lengths = [1e308, 1.5, -5, 7]
  const parameters = lengths.map((maxLength, at) => ({ name: `p${at}`, in: 'query', schema: { maxLength } }))
  const { operations } = importOpenApi({ openapi: '3.1.0', paths: { '/a': { get: { parameters } } } })
  assert.deepEqual(
    Object.values(operations[0]?.elements ?? {}).map(({ length }) => length),
    [undefined, undefined, undefined, 7],
  )
})

test('16.6, 16.9 a byte order mark is not part of a file; what cannot be read is reported in JSON too', async () => {
  const folder = makeFolder({ 'r.har': `\ufeff${writeHar([{ url: '/A.v1/1', text: '1' }])}` })
  assert.equal((await ig(['import', 'requests', 'r.har'], { cwd: folder })).code, 0)
  for (const [args, message] of [
    [['absent.har'], 'absent.har cannot be read: there is no such file.'],
    [['r'], 'r cannot be read: it is a folder.'],
    [['r.har'], 'r is not empty. Replace it with --force, or name another folder with --into <folder>.'],
  ] as const) {
    const { code, stdout, stderr } = await ig(['import', 'requests', ...args, '--json'], { cwd: folder })
    const problems = [{ path: '', message }]
    assert.deepEqual(JSON.parse(stdout), { folder: null, operations: [], notices: [], problems })
    assert.deepEqual([code, stderr], [1, ''])
  }
})

test('16.6, 16.7 the second half of docs/how-to/stand-ins.md, from a list to a response', async () => {
  const guide =
    readFileSync(join(import.meta.dirname, '../../docs/how-to/stand-ins.md'), 'utf8').split('\n## Importing')[1] ?? ''
  const [list = '', files = ''] = [...guide.matchAll(/^```text\n([\s\S]*?)```$/gm)].map(([, block = '']) => block)
  const responses = files
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/) as [string, string])
  const folder = makeFolder({ 'requests.txt': list, ...Object.fromEntries(responses) })
  const [made, ...calls] = readTranscript(guide)
  const run = await ig(['import', 'requests', 'requests.txt', '--open', '--into', 'hr'], { cwd: folder })
  assert.deepEqual({ line: 'ig import requests requests.txt --open --into hr', expected: run.stdout.trimEnd() }, made)
  const serving = serve(['dev', 'hr', '--port', '0'], { cwd: folder })
  const [, origin = ''] = await serving.until(/(http:\/\/127\.0\.0\.1:[1-9]\d*)/)
  assert.equal(calls.length, 2)
  for (const { line, expected } of calls) {
    const response = await fetch(line.replace(/^curl -s (?:\\\n *)?http:\/\/127\.0\.0\.1:8080/, origin))
    assert.equal((await response.text()).trimEnd(), expected)
  }
  await serving.stop()
})

test('16.14 definitions of the original as CSV become operations that are passed through, permission lists and operators', async () => {
  const definitions = {
    'PSOPERATION.csv':
      '\ufeffIB_OPERATIONNAME,IB_SERVICENAME,RTNGTYPE,IB_REST_SERVICE,IB_RESTMETHOD,DESCR\r\nJOB_GET,"JOB, SERVICE",S,1,G,"A ""job"""\r\nOLD,SOAP,S,0,,\r\nIDLE_PUT,JOB_SERVICE,S,1,,\r\n',
    'PSOPRVERDFN.csv': 'IB_OPERATIONNAME,VERSIONNAME,ACTIVE_FLAG\nJOB_GET,v1,A\nJOB_GET,v2,A\nJOB_GET,v3,I\n',
    'PSAUTHWS.csv': 'CLASSID,IB_OPERATIONNAME\nHR ALL,JOB_GET\nSOAP,OLD\nHR ALL,GONE_GET\n',
    'PSOPRDEFN.csv':
      'OPRID,OPRDEFNDESC,EMAILID,ACCTLOCK,OPERPSWD,OPERPSWDSALT\nKIM,=1+1,k@example.com,0,uXmFVrdBvv293L9kDR3VnRmx4ZM=, \nLEE,,,1,abc=,salt\n',
    'PSOPRCLS.csv': 'OPRID,OPRCLASS\nKIM,HR ALL\nKIM,PTPT1000\nGONE,HR ALL\n',
    'PSURI.csv': 'URITEMPLATE\n',
  }
  const cwd = makeFolder(Object.fromEntries(Object.entries(definitions).map(([name, text]) => [`defs/${name}`, text])))
  const run = (folder: string, ...args: readonly string[]) =>
    ig(['import', 'definitions', folder, '--upstream', 'https://hr.example', ...args], { cwd })
  const { code, stdout } = await run('defs', '--node', 'PSFT_HR', '--into', 'hr')
  assert.equal(code, 0)
  for (const note of [
    'PSOPERATION.csv, line 3 is left out: "OLD" is not a REST operation',
    'line 4 is left out: "IDLE_PUT" has no active version',
    'has 1 salted password, which is left out',
    'PSAUTHWS.csv has operations that PSOPERATION.csv does not have, which are left out: "GONE_GET"',
    'PSOPRCLS.csv has permission lists without an operation in PSAUTHWS.csv, which are left out: "PTPT1000"',
    'PSOPRCLS.csv has operators that PSOPRDEFN.csv does not have, which are left out: "GONE"',
    'PSURI.csv is not read; known are PSOPERATION.csv',
  ])
    assert.ok(stdout.includes(note), note)
  const { configuration } = await openProject(join(cwd, 'hr'))
  assert.deepEqual(
    configuration.operations.map(({ name, method, version, verification, service }) =>
      [name, method, version, verification, service].join(' '),
    ),
    ['JOB GET v1 Basic JOB_SERVICE', 'JOB GET v2 Basic JOB_SERVICE'],
  )
  assert.deepEqual(
    configuration.permissionLists.map(({ name, operations }) => [name, operations]),
    [['HR_ALL', ['JOB_GET.v1', 'JOB_GET.v2']]],
  )
  assert.equal(statSync(join(cwd, 'hr/operators.csv')).mode & 0o777, 0o600)
  const imported = await ig(['operator', 'import', 'hr/operators.csv', '--project', 'hr', '--dry-run'], { cwd })
  assert.equal(imported.stdout.split('\n')[0], '+ KIM: +HR_ALL')

  const bad = makeFolder({
    'defs/PSOPERATION.csv': 'IB_OPERATIONNAME,IB_SERVICENAMES,OWNER\nJOB,X,Y\n',
    'defs/PSOPRVERDFN.csv': `IB_OPERATIONNAME,VERSIONNAME\n${'JOB_GET\n'.repeat(1000)}`,
  })
  const refused = await ig(['import', 'definitions', 'defs', '--upstream', 'https://hr.example', '--json'], {
    cwd: bad,
  })
  const { folder, problems } = JSON.parse(refused.stdout)
  assert.deepEqual([refused.code, folder, existsSync(join(bad, 'defs-gateway')), problems.length], [1, null, false, 1])
  assert.match(
    JSON.stringify(problems),
    /PSOPERATION\.csv, line 1.*has no column IB_SERVICENAME; did you mean IB_SERVICENAMES/,
  )
  assert.match((await run('defs', '--upstream', 'http://hr.example', '--into', 'other')).stderr, /must be an https URL/)
})

test('16.9 an entry of a HAR is handed over before the rest is read; its body is a file, equal bodies are one', () => {
  const folder = makeFolder({
    'r.har': `${writeHar([1, 2].map((id) => ({ url: `/A.v1/${id}`, text: 'same' }))).slice(0, -2)}, nonsense`,
  })
  const entries: unknown[] = []
  const failure = streamHar(join(folder, 'r.har'), (entry) => entries.push(entry))
  assert.equal(entries.length, 2)
  assert.match(failure ?? '', /^is not a HAR: it is not JSON/)
  writeFileSync(join(folder, 'whole.har'), writeHar([1, 2].map((id) => ({ url: `/A.v1/${id}`, text: 'same' }))))
  const bodies = join(folder, 'bodies')
  mkdirSync(bodies)
  const { recordings } = readHar(join(folder, 'whole.har'), bodies)
  const [name = '', ...others] = readdirSync(bodies)
  assert.deepEqual([others, readFileSync(join(bodies, name), 'utf8')], [[], 'same'])
  assert.deepEqual(
    recordings.map(({ answer }) => answer.body),
    [{ source: name }, { source: name }],
  )
})

test('16.16, 16.17 a GET that changes after another method has a row for each, and they follow the calls', async () => {
  const entry = (method: string, path: string, status: number, text: string) => ({
    request: { method, url: `${base}/${path}`, headers: [] },
    response: { status, headers: [], content: { size: text.length, mimeType: 'text/plain', text } },
  })
  const entries = [
    entry('GET', 'HIRE.v1/n/1', 404, 'none'),
    entry('POST', 'HIRE.v1/n/9', 409, 'refused'),
    entry('GET', 'HIRE.v1/n/1', 200, 'by itself'), // nothing has succeeded
    entry('POST', 'HIRE.v1/n/1', 201, 'made'),
    entry('GET', 'HIRE.v1/n/1', 200, 'hired'),
    entry('GET', 'HIRE.v1/n/2', 200, 'other'),
    entry('DELETE', 'HIRE.v1/n/1', 204, ''),
    entry('GET', 'HIRE.v1/n/1', 404, 'none'),
    entry('GET', 'HIRE.v1/n/2', 200, 'other'),
  ]
  const cwd = makeFolder({ 'r.har': JSON.stringify({ log: { entries } }) })
  const { code, stdout } = await ig(['import', 'requests', 'r.har', '--no-any', '--open', '--into', 'made'], { cwd })
  assert.equal(code, 0)
  assert.match(stdout, /log\.entries\[0\] .* gets the response of log\.entries\[2\]/)
  assert.match(stdout, /log\.entries\[7\] answers HIRE\.v1 GET as recorded after a call of HIRE\.v1 DELETE/)
  await using gateway = await openTestGateway({ project: join(cwd, 'made') })
  const texts: unknown[] = []
  for (const line of [
    'GET HIRE.v1/n/1',
    'POST HIRE.v1/n/9',
    'GET HIRE.v1/n/1',
    'POST HIRE.v1/n/1',
    'GET HIRE.v1/n/1',
    'GET HIRE.v1/n/2',
    'DELETE HIRE.v1/n/1',
    'GET HIRE.v1/n/1',
    'POST HIRE.v1/n/1',
    'GET HIRE.v1/n/1',
  ])
    texts.push((await gateway.call(line)).text)
  assert.deepEqual(texts, ['by itself', 'refused', 'by itself', 'made', 'hired', 'other', '', 'none', 'made', 'hired'])
})

test('16.15 rows are chosen by values of the request body, in JSON and XML', async () => {
  const entry = (body: string, text: string) => ({
    request: { method: 'POST', url: `${base}/HIRE.v1/x`, headers: [], postData: { mimeType: '', text: body } },
    response: { status: 200, headers: [], content: { size: text.length, mimeType: 'text/plain', text } },
  })
  const entries = [
    entry('{"emplid":"A1","job":{"codes":["x",5]}}', 'first'),
    entry('{"emplid":"A2","job":{"codes":["x",6]}}', 'second'),
    entry('<request id="7"><emplid>A3</emplid><emplid>A4</emplid></request>', 'third'),
  ]
  const cwd = makeFolder({ 'r.har': JSON.stringify({ log: { entries } }) })
  const run = (...args: readonly string[]) =>
    ig(['import', 'requests', 'r.har', '--no-any', '--open', ...args], { cwd })
  assert.equal(
    (await run('--into', 'made', '--body', '/emplid', '--body', '/job/codes/1', '--body', '/request/emplid')).code,
    0,
  )
  await using gateway = await openTestGateway({ project: join(cwd, 'made') })
  const call = async (body: string) => {
    const { status, text } = await gateway.call('POST HIRE.v1/x', { body })
    return status === 200 ? text : status
  }
  assert.deepEqual(
    await Promise.all(
      [
        ' {"job":{"codes":[1,5]},"emplid":"A1"}',
        '{"emplid":"A2","job":{"codes":["x","6"]}}',
        '<?xml version="1.0"?>\n<request><other/><emplid>A3</emplid></request>',
        '{"emplid":"A1","job":{"codes":["x",6]}}',
        '<request><emplid>A4</emplid></request>',
        '{"emplid":"A1"',
        '<request>',
        '',
      ].map(call),
    ),
    ['first', 'second', 'third', 404, 404, 404, 404, 404],
  )
  for (const [path, message] of [
    ['emplid', /must begin with \/ and a name/],
    ['/login/password', /has the name of a credential/],
    ['/absent', /--body \/absent is in no recorded request body/],
  ] as const)
    assert.match((await run('--into', 'other', '--body', path)).stderr, message)
})
