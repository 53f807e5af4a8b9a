/** `ig record` in front of a second gateway, and of servers that misbehave (specification 38). */
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { openTestGateway, type TestGateway } from 'integration-gateway/testing'
import { placeUrl } from '../../src/moving/import/place-url.ts'
import { silent } from '../../src/moving/import/verification.ts'
import { maskUrls } from '../../src/moving/record/mask-urls.ts'
import { dropLost } from '../../src/moving/record/merge.ts'
import { openPseudonyms } from '../../src/moving/record/pseudonyms.ts'
import { type IgProcess, ig, makeProject, serve } from '../support/cli.ts'
import { openRawOriginal } from '../support/original.ts'
import { poll } from '../support/poll.ts'
import { openRawSocket } from '../support/raw-socket.ts'

const base = '/PSIGW/RESTListeningConnector/PSFT_HR'
const person = (id: string) =>
  JSON.stringify({ emplid: id, name: 'Ada Lovelace', born: '1815-12-10', rate: 42.5, active: true })

interface Shape {
  readonly method?: 'POST' | 'PUT' | 'DELETE'
  readonly elements?: readonly string[]
  readonly template: string
  /** Below the operation → the row that answers. */
  readonly calls: Readonly<
    Record<
      string,
      { parameters?: Record<string, string>; file?: string; status?: number; headers?: Record<string, string> }
    >
  >
}

/** Of every kind that URLs of the original have. */
const shapes: Readonly<Record<string, Shape>> = {
  ROOT: { template: '/', calls: { '/': { file: 'names.xml' } } },
  PATH: {
    template: 'people/{id}',
    elements: ['id'],
    calls: {
      '/people/KU0001': { parameters: { id: 'KU0001' }, file: 'ku0001.json' },
      '/people/KU0002': { parameters: { id: 'KU0002' }, file: 'ku0002.json' },
      '/people/KU0009': { parameters: { id: 'KU0009' }, file: 'none.json', status: 404 },
    },
  },
  NAMED: {
    template: 'EMPLID={emplid}/EFFDT={effdt}',
    elements: ['emplid', 'effdt'],
    calls: { '/EMPLID=KU0001/EFFDT=2026-01-02': { file: 'names.xml' } },
  },
  QUERY: { template: 'find?q={q}', elements: ['q'], calls: { '/find?q=Love%20lace': { file: 'ku0001.json' } } },
  OPTIONAL: {
    template: 'list{?page,size}',
    elements: ['page', 'size'],
    calls: { '/list?page=2': { parameters: { page: '2' }, file: 'ku0002.json' }, '/list': { file: 'ku0001.json' } },
  },
  EMPTY: { template: 'x/{a}/{b}', elements: ['a', 'b'], calls: { '/x//5': { file: 'ku0001.json' } } },
  TEXT: { template: 'report', calls: { '/report': { file: 'report.txt' } } },
  DOWN: { template: 'down', calls: { '/down': { file: 'none.json', status: 503, headers: { 'retry-after': '5' } } } },
  MAKE: { method: 'POST', template: '/', calls: { '/': { file: 'names.xml', status: 201 } } },
  CHANGE: { method: 'PUT', template: 'item/{id}', elements: ['id'], calls: { '/item/71': { file: 'none.json' } } },
  REMOVE: { method: 'DELETE', template: 'item/{id}', elements: ['id'], calls: { '/item/72': { status: 204 } } },
}
const files = {
  'names.xml': '<names><name id="KU0001">Ada &amp; Grace</name></names>',
  'ku0001.json': person('KU0001'),
  'ku0002.json': person('KU0002'),
  'none.json': '{"error":"unknown person"}',
  'report.txt': 'Lovelace, Ada: 42',
}
const operations = [1, 2, 3, 4, 5].flatMap((at) =>
  Object.entries(shapes).map(([shape, { method = 'GET', template, elements, calls }]) => ({
    service: 'HR',
    name: `${shape}_${at}`,
    method: method as 'GET',
    verification: at % 2 === 0 ? ('Basic' as const) : ('NONE' as const),
    uriTemplates: [template],
    ...(elements ? { documentTemplate: `${shape}_${at}` } : {}),
    fixture: Object.values(calls),
  })),
)
const documents = operations.flatMap(({ name }) => {
  const elements = shapes[name.replace(/_\d$/, '')]?.elements
  return elements
    ? [{ name, elements: Object.fromEntries(elements.map((one) => [one, { type: 'String' as const }])) }]
    : []
})
const calls = operations.flatMap(({ name, method, verification }) =>
  Object.keys(shapes[name.replace(/_\d$/, '')]?.calls ?? {}).map((path) => ({
    method,
    path: `/${name}.v1${path}`,
    verification,
  })),
)

let original: TestGateway
before(async () => {
  const folder = makeProject(
    Object.fromEntries(Object.entries(files).map(([name, text]) => [`fixtures/${name}`, text])),
  )
  original = await openTestGateway({
    listen: true,
    operators: [{ id: 'CALLER', permissionLists: ['ALL'] }],
    project: {
      folder,
      configuration: {
        nodes: [
          { name: 'PSFT_HR', isDefaultLocal: true },
          { name: 'ANONYMOUS', defaultUser: 'CALLER' },
        ],
        documents,
        messages: documents.map(({ name }) => ({ name, document: name })),
        services: [{ name: 'HR' }],
        operations,
        permissionLists: [{ name: 'ALL', services: ['HR'] }],
      },
    },
  })
})
after(() => original.close())

async function startRecording(project: string, upstream: string, ...more: readonly string[]) {
  const serving = serve(['record', project, '--upstream', upstream, '--port', '0', ...more])
  const [, url = ''] = await serving.until(/Recording \S+ at (http:\S+)\. /)
  return { serving, url }
}

const stop = async (serving: IgProcess) => {
  const { code, stdout, stderr } = await serving.stop('SIGINT')
  assert.equal(code, 0, stderr)
  return stdout
}

/** Status and body of each call, through a proxy or at the original itself. */
async function callAll(url: string) {
  const authorization = await original.basicCredentials('CALLER')
  const answers = []
  for (const { method, path, verification } of calls) {
    const headers: Record<string, string> = verification === 'Basic' ? { authorization } : {}
    const response = await fetch(url + base + path, { method, headers })
    answers.push([path, response.status, response.headers.get('content-type'), await response.text()])
  }
  return answers
}

/** The same, from the project that was recorded. */
async function callRecorded(project: string, paths = calls) {
  await using gateway = await openTestGateway({ project })
  const answers = []
  for (const { method, path, verification } of paths) {
    const answer = await gateway.call(`${method} ${path.slice(1)}`, verification === 'Basic' ? { as: 'DEMO' } : {})
    answers.push([path, answer.status, answer.headers['content-type'] ?? null, answer.text])
  }
  return answers
}

const textOf = (project: string) =>
  globSync('**/*', { cwd: project, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.name} ${readFileSync(join(entry.parentPath, entry.name), 'utf8')}`)
    .join('\n')

test('38.1, 38.2 fifty-five operations of every shape pass unchanged, and the project answers each call as the original did', async () => {
  assert.equal(operations.length, 55)
  const project = join(makeProject({}), 'hr')
  const { serving, url } = await startRecording(project, original.url, '--keep-values', '--yes')
  const expected = await callAll(original.url)
  assert.deepEqual(await callAll(url), expected)
  await callAll(url)
  const table = await stop(serving)
  assert.match(table, /^OPERATION +CALLS +ROWS\nCHANGE_1_PUT\.v1 +2 +1\n/)
  assert.match(table, /\nPATH_2_GET\.v1 +6 +3\n/)
  assert.match(table, /\n55 operations in /)
  assert.deepEqual(await callRecorded(project), expected)
})

test('1.14, 2.35, 38.1, 38.2 operations without a version are recorded below a gateway path of two segments', async () => {
  const raw = await openRawOriginal((socket) => {
    socket.on('data', (bytes) => {
      const [, path = ''] = /^\w+ (\S+) HTTP/.exec(bytes.toString('latin1')) ?? []
      const text = JSON.stringify({ path: path.split('/').at(-1) })
      socket.write(`HTTP/1.1 200 x\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`)
    })
  })
  const project = join(makeProject({}), 'hr')
  const { serving, url } = await startRecording(project, raw.url, '--keep-values', '--yes')
  const paths = ['absence/request/71', 'absence/request/72', 'absence/balances', 'PERSON.v1/x']
  for (const path of paths) await (await fetch(`${url}/SSCDEV${base}/${path}`)).text()
  await (await fetch(`${url}/SSCDEV${base}/absence/request/new`, { method: 'POST' })).text()
  const table = await stop(serving)
  raw.close()
  assert.match(table, /\nABSENCE_GET +3 +3\nABSENCE_POST +1 +1\nPERSON_GET\.v1 +1 +1\n/)
  assert.match(readFileSync(join(project, 'integrationGateway.properties'), 'utf8'), /^ig\.gatewayPath=SSCDEV\/PSIGW$/m)
  await using gateway = await openTestGateway({ project })
  for (const path of paths) {
    const { status, text } = await gateway.call(`GET ${path}`)
    assert.deepEqual([status, JSON.parse(text).path], [200, path.split('/').at(-1)], path)
  }
})

test('38.4 without --keep-values no value is in the project: names, types and shapes are, and any value is answered', async () => {
  const project = join(makeProject({}), 'hr')
  const { serving, url } = await startRecording(project, original.url)
  await callAll(url)
  assert.match(await stop(serving), /parts of URLs are not masked, .*: item, down, x, list, people, find, report\n/)
  const written = textOf(project)
  for (const value of [
    'KU0001',
    'KU0002',
    'Ada',
    'Lovelace',
    'Grace',
    '1815-12-10',
    '42.5',
    'Love',
    'unknown',
    '2026-01-02',
  ])
    assert.ok(!written.includes(value), value)
  const answers = await callRecorded(project)
  const [, status, , text] = answers.find(([path]) => path === '/PATH_1.v1/people/KU0001') ?? []
  const { emplid, name, born, rate, active } = JSON.parse(String(text))
  assert.deepEqual([status, typeof rate, active], [200, 'number', true])
  assert.match(`${emplid} ${name} ${born}`, /^[A-Z]{2}000[1-9] [A-Z][a-z]{2} [A-Z][a-z]{7} \d{4}-\d\d-\d\d$/)
  const pseudonym = [{ method: 'GET' as const, path: `/PATH_1.v1/people/${emplid}`, verification: 'NONE' as const }]
  assert.deepEqual((await callRecorded(project, pseudonym))[0]?.[3], text)
  const [, , , xml] = answers.find(([path]) => path === '/ROOT_1.v1/') ?? []
  assert.match(String(xml), /^<names><name id="[A-Z]{2}000[1-9]">[A-Z][a-z]{2} &amp; [A-Z][a-z]{4}<\/name><\/names>$/)
})

test('38.5 a later session adds to the project, and keeps what a person changed', async () => {
  const project = join(makeProject({}), 'hr')
  const call = (url: string, path: string) => fetch(url + base + path).then((response) => response.text())
  const first = await startRecording(project, original.url, '--keep-values', '--yes')
  await call(first.url, '/PATH_1.v1/people/KU0001')
  await call(first.url, '/PATH_3.v1/people/KU0001')
  await stop(first.serving)
  const definition = join(project, 'recorded/definition.json')
  const config = readFileSync(join(project, 'gateway.config.ts'), 'utf8')
  writeFileSync(join(project, 'gateway.config.ts'), `${config}// mine\n`)
  writeFileSync(
    definition,
    readFileSync(definition, 'utf8').replace('"name": "PATH_3"', '"name": "PATH_3", "description": "mine"'),
  )
  writeFileSync(join(project, 'fixtures/PATH_1_GET.v1/KU0001.json'), '{"mine":1}')

  const second = await startRecording(project, original.url, '--keep-values', '--yes')
  for (const path of ['/PATH_1.v1/people/KU0002', '/PATH_3.v1/people/KU0002', '/ROOT_1.v1/'])
    await call(second.url, path)
  assert.match(
    await stop(second.serving),
    /PATH_3_GET\.v1 was changed in recorded\/definition\.json and stays as it is/,
  )
  const calls = [
    ['/PATH_1.v1/people/KU0001', 200, '{"mine":1}'],
    ['/PATH_1.v1/people/KU0002', 200, person('KU0002')],
    ['/PATH_3.v1/people/KU0001', 200, person('KU0001')],
    ['/ROOT_1.v1/', 200, files['names.xml']],
  ] as const
  const paths = calls.map(([path]) => ({ method: 'GET' as const, path, verification: 'NONE' as const }))
  const answers = await callRecorded(project, paths)
  assert.deepEqual(
    answers.map(([path, status, , text]) => [path, status, text]),
    calls,
  )
  assert.match(readFileSync(join(project, 'gateway.config.ts'), 'utf8'), /\/\/ mine\n$/)
  assert.match(readFileSync(definition, 'utf8'), /"description": "mine"/)
})

test('38.5 a row after an operation that a person removed, or gave a handler, is left out', () => {
  const operation = (method: string, rest: object) => ({ name: 'HIRE', method, version: 'v1', ...rest })
  const rows = [
    { after: 'HIRE_POST.v1', status: 204 },
    { after: 'HIRE_PUT.v1', status: 204 },
    { after: 'HIRE_DELETE.v1' },
    {},
  ]
  const next = { operations: [operation('GET', { fixture: rows })] } as never
  const merged = [operation('POST', { handler: 'handlers/hire.ts' }), operation('PUT', { fixture: 'made.json' })]
  const { operations } = dropLost(next, { operations: merged })
  assert.deepEqual(operations[0]?.fixture, [rows[1], rows[3]])
})

test('16.17, 38.2 recorded calls keep their order, which shows what changes an answer', () => {
  const masking = { isFull: true, isNamed: () => false, pseudonyms: openPseudonyms('key') }
  const answer = { status: 200, contentType: 'text/plain', headers: {}, body: { source: 'x' } }
  const calls = (['GET', 'POST', 'GET'] as const).map((method, at) => {
    return { place: `${at}`, method, url: placeUrl(`${base}/HIRE.v1/x`), claim: silent, answer }
  })
  assert.deepEqual(
    maskUrls(calls, masking).map(({ place }) => place),
    ['0', '1', '2'],
  )
})

test('16.17, 16.18, 38.2 of equal calls the later counts, a 401 gives way to what follows, and a change makes a row', async () => {
  const answers: Readonly<Record<string, readonly string[]>> = {
    'GET /A.v1/login': ['401 none', '200 in'],
    'GET /A.v1/twice': ['200 early', '200 late'],
    'GET /A.v1/name': ['200 Ada', '200 Eve'],
    'POST /A.v1/name': ['201 made'],
  }
  const seen = new Map<string, number>()
  const raw = await openRawOriginal((socket) => {
    socket.on('data', (bytes) => {
      const [, method = '', path = ''] = /^(\w+) \S*?(\/A\.v1\/\w+) HTTP/.exec(bytes.toString('latin1')) ?? []
      const key = `${method} ${path}`
      const at = seen.get(key) ?? 0
      seen.set(key, at + 1)
      const [status = '', text = ''] = answers[key]?.[at]?.split(' ') ?? []
      const challenge = status === '401' ? 'www-authenticate: Basic realm="hr"\r\n' : ''
      socket.write(
        `HTTP/1.1 ${status} x\r\ncontent-type: text/plain\r\n${challenge}content-length: ${text.length}\r\n\r\n${text}`,
      )
    })
  })
  const project = join(makeProject({}), 'hr')
  const { serving, url } = await startRecording(project, raw.url, '--keep-values', '--yes')
  const call = async (method: string, path: string) => (await fetch(`${url}${base}${path}`, { method })).text()
  for (const name of ['login', 'login', 'twice', 'twice', 'name']) await call('GET', `/A.v1/${name}`)
  await call('POST', '/A.v1/name')
  await call('GET', '/A.v1/name')
  const { stdout } = await serving.stop()
  raw.close()
  assert.match(stdout, /^A_GET\.v1 +6 +4$/m)
  assert.match(stdout, /recorded\/calls\.jsonl:1 is left out: 401 is a passing state/)
  const { operations } = JSON.parse(readFileSync(join(project, 'recorded/definition.json'), 'utf8'))
  assert.deepEqual(
    operations.map(({ verification }: { verification: string }) => verification),
    ['Basic', 'NONE'],
  )
  await using gateway = await openTestGateway({ project })
  const textOf = async (line: string) => (await gateway.call(line, { as: 'DEMO' })).text
  assert.deepEqual(await Promise.all(['login', 'twice', 'name'].map((name) => textOf(`GET A.v1/${name}`))), [
    'in',
    'late',
    'Ada',
  ])
  await gateway.call('POST A.v1/name', { as: 'DEMO' })
  assert.equal(await textOf('GET A.v1/name'), 'Eve')
})

const scripted = (answers: readonly (readonly [status: number, text: string])[]) => {
  const left = [...answers]
  return openRawOriginal((socket) => {
    socket.on('data', () => {
      const [status, text] = left.shift() ?? [500, '']
      socket.write(`HTTP/1.1 ${status} x\r\ncontent-type: text/plain\r\ncontent-length: ${text.length}\r\n\r\n${text}`)
    })
  })
}

/** What is recorded of calls, each with its answer. */
async function recordAll(calls: readonly Recorded[]) {
  const raw = await scripted(calls.map(({ status = 200, text = '' }) => [status, text]))
  const project = join(makeProject({}), 'hr')
  const { serving, url } = await startRecording(project, raw.url, '--keep-values', '--yes', '--json')
  for (const { method = 'GET', path = '/A.v1/x', headers = {} } of calls)
    await (await fetch(url + base + path, { method, headers, redirect: 'manual' })).text()
  const { notices } = JSON.parse(await stop(serving))
  raw.close()
  const { operations } = JSON.parse(readFileSync(join(project, 'recorded/definition.json'), 'utf8'))
  return {
    operations,
    notes: notices.map(({ path, message }: { path: string; message: string }) => `${path} ${message}`),
  }
}

interface Recorded {
  readonly method?: string
  readonly path?: string
  readonly headers?: Record<string, string>
  readonly status?: number
  readonly text?: string
}

const demands: readonly (readonly [title: string, verification: string, calls: readonly Recorded[]])[] = [
  ['Digest', 'Basic', [{ status: 401 }, { headers: { authorization: 'Digest x' } }]],
  ['the cookie PS_TOKEN', 'Token', [{ status: 401 }, { headers: { cookie: 'PS_TOKEN=x' } }]],
  ['an API key', 'Basic', [{ headers: { 'x-api-key': 'x' } }]],
  ['a token in the query', 'Basic', [{ path: '/A.v1/x?access_token=x' }]],
  ['Bearer before a cookie', 'OAuth2', [{ headers: { authorization: 'Bearer x' } }, { headers: { cookie: 's=x' } }]],
  ['a call that is not recorded', 'OAuth2', [{}, { headers: { authorization: 'Bearer x' }, status: 304 }]],
  ['a redirect, perhaps to a page to sign in', 'Basic', [{}, { path: '/A.v1/y', status: 302 }]],
  ['a header that its client alone knows', 'Basic', [{ headers: { 'x-user': 'x' } }]],
]
test('16.18, 38.2 a recording is open only where no call had or was refused for lack of credentials', async () => {
  for (const [title, verification, calls] of demands) {
    const { operations } = await recordAll(calls)
    assert.deepEqual(
      operations.map((one: { name: string; verification: string }) => `${one.name} ${one.verification}`),
      [`A ${verification}`],
      title,
    )
  }
  const { operations, notes } = await recordAll([{}, { path: '/B.v1/x', status: 403 }])
  assert.deepEqual(
    operations.map(({ verification }: { verification: string }) => verification),
    ['NONE', 'Basic'],
  )
  assert.deepEqual(notes.slice(0, 1), [
    'operations whose calls had no credentials and no cookie, and were never answered 401 or 403, need none: A_GET.v1',
  ])
  assert.ok(notes.includes('operations get Basic verification in place of what a 401 or 403 asks for: B.v1 GET'))
})

test('38.3 an answer without a usable content type is recorded as bytes, and counted', async () => {
  const raw = await openRawOriginal((socket) => {
    socket.on('data', () => socket.write('HTTP/1.1 200 x\r\ncontent-type: none\r\ncontent-length: 2\r\n\r\nok'))
  })
  const project = join(makeProject({}), 'hr')
  const { serving, url } = await startRecording(project, raw.url, '--keep-values', '--yes', '--json')
  await (await fetch(`${url}${base}/A.v1/x`)).text()
  const { unexpressed } = JSON.parse(await stop(serving))
  raw.close()
  assert.deepEqual(unexpressed, [{ reason: 'no usable content type: the row has application/octet-stream', calls: 1 }])
})

test('16.17, 38.2 of equal answers that alternate with others the later counts, as in an import', async () => {
  const sequences = [
    [403, 404, 403],
    [301, 200, 301],
    [200, 302, 200],
    [500, 503, 500],
    [410, 404, 410],
  ]
  const statusOf = ({ responseMessage, fixture }: { responseMessage?: { httpCode?: number }; fixture: unknown }) => {
    const [row] = Array.isArray(fixture) ? fixture : [{}]
    return row?.status ?? responseMessage?.httpCode ?? 200
  }
  const calls = sequences.flatMap((statuses, at) => statuses.map((status) => ({ status, path: `/A${at}.v1/x` })))
  const { operations } = await recordAll(calls)
  assert.deepEqual(operations.map(statusOf), [403, 301, 200, 500, 410])
})

test('16.17, 38.2 an answer that another call did not change is no row of its own, as in an import', async () => {
  const { operations } = await recordAll([
    { status: 404 },
    { text: 'a' },
    { method: 'DELETE', status: 204 },
    { text: 'a' },
  ])
  assert.equal(operations[1].fixture, 'A_GET.v1/answer.txt')
})

test('16.17, 38.2 an answer that comes back after another change is a row, as in an import', async () => {
  const { operations } = await recordAll([
    { text: 'a' },
    { method: 'DELETE', status: 204 },
    { status: 404 },
    { method: 'PUT', status: 204 },
    { text: 'a' },
  ])
  const [, get] = operations
  const rows = get.fixture.map(({ after, status = 200 }: { after?: string; status?: number }) => [after, status])
  assert.deepEqual(rows, [
    ['A_DELETE.v1', 404],
    ['A_PUT.v1', 200],
    [undefined, 200],
  ])
})

test('38.2 a second Ctrl-C does not wait for running calls: those that have ended are in the project', async () => {
  const raw = await openRawOriginal((socket) => {
    socket.on('data', (bytes) => {
      const isEndless = bytes.toString('latin1').includes('/endless')
      socket.write(
        `HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: ${isEndless ? 200_000 : 2}\r\n\r\nok`,
      )
    })
  })
  const project = join(makeProject({}), 'hr')
  const { serving, url } = await startRecording(project, raw.url)
  await (await fetch(`${url}${base}/A.v1/`)).text()
  const running = await fetch(`${url}${base}/A.v1/endless`)
  const cut = assert.rejects(running.text())
  serving.process.kill('SIGINT')
  await serving.until(/Waiting for running calls\. Ctrl-C again writes the project without them\.\n/)
  await poll(() => serving.process.exitCode !== null || !serving.process.kill('SIGINT')) // one within half a second does not count
  await cut
  raw.close()
  const { code, stdout } = await serving.ended
  assert.deepEqual([code, /^A_GET\.v1 +2 +1$/m.test(stdout)], [130, true], stdout)
  assert.equal((await callRecorded(project, [{ method: 'GET', path: '/A.v1/', verification: 'NONE' }]))[0]?.[1], 200)
})

const webToken = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJLSU0ifQ.c2ln'
let cutHalf = () => {}
const { promise: endlessClosed, resolve: closeEndless } = Promise.withResolvers<void>()
/** By the last segment of the path. */
const misbehaving: Readonly<Record<string, (socket: Socket) => void>> = {
  endless(socket) {
    socket.once('close', () => closeEndless())
    socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n')
  },
  half(socket) {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 200000\r\n\r\nhalf')
    cutHalf = () => socket.destroy()
  },
  liar: (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n'),
  headers: (socket) => socket.end(`HTTP/1.1 200 OK\r\n${`x-a: ${'a'.repeat(8000)}\r\n`.repeat(1300)}\r\n`),
  garbage: (socket) => socket.end('\x1b[31mnot http\r\n\r\n'),
  away: (socket) => socket.end('HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n'),
  secrets: (socket) => {
    const body =
      '{"password":"s3cr3t","PS_TOKEN":{"a":"s3cr3t"},"rows":[{"apiKey":"s3cr3t"}],"NAME":"Ada","id":7,"note":"Bearer s3cr3t"}'
    socket.end(
      `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nset-cookie: a=s3cr3t\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    )
  },
  packed: (socket) => {
    const body = gzipSync('<a>packed</a>')
    socket.write(
      `HTTP/1.1 200 OK\r\ncontent-type: text/xml\r\ncontent-encoding: gzip\r\ncontent-length: ${body.length}\r\n\r\n`,
    )
    socket.end(body)
  },
  silent: () => {},
}

test('38.3, 38.6 an original that misbehaves is passed on or refused with a reason, and nothing half is recorded', async () => {
  const raw = await openRawOriginal((socket) => {
    socket.once('data', (bytes) => {
      const [, name = ''] = /^GET \S*?\/(\w+)(?:\?\S*)? HTTP/.exec(bytes.toString('latin1')) ?? []
      misbehaving[name]?.(socket)
    })
  })
  const project = join(makeProject({}), 'hr')
  const args = ['--keep-values', '--yes', '--mask', 'name', '--timeout', '1']
  const { serving, url } = await startRecording(project, raw.url, ...args)
  const get = (path: string) =>
    fetch(`${url}${base}/A.v1/${path}`, {
      redirect: 'manual',
      headers: { authorization: 'Bearer s3cr3t', cookie: 'c=s3cr3t' },
    })
  const half = await get('half')
  cutHalf()
  await assert.rejects(half.text())
  for (const [name, status] of [
    ['liar', 502],
    ['headers', 502],
    ['garbage', 502],
    ['silent', 504],
    ['away', 302],
  ] as const)
    assert.equal((await get(name)).status, status, name)
  const leaving = new AbortController()
  await fetch(`${url}${base}/A.v1/endless`, { signal: leaving.signal })
  leaving.abort()
  await endlessClosed
  assert.match(await (await get('secrets?access_token=s3cr3t')).text(), /s3cr3t/)
  assert.match(await (await get(`${webToken}/secrets`)).text(), /s3cr3t/)
  assert.equal(await (await get('packed')).text(), '<a>packed</a>')
  for (const _ of [1, 2]) await (await fetch(`${url}${base}/1%20%1b[b.v1/packed`)).text()
  const asterisk = await openRawSocket(url)
  asterisk.write('OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n')
  assert.equal((await asterisk.readReply()).status, 204)
  asterisk.destroy()
  const { stdout, stderr } = await serving.stop('SIGINT')
  raw.close()
  assert.match(stdout, /\nX_1_B_GET\.v1 +2 +1\n/)
  assert.match(stdout, /Passed, and not recorded:\n +2 +an answer that was cut off\n/)
  assert.match(stderr, /warning: .*sends more headers than/)
  assert.match(stderr, /did not begin to answer within 1000 ms/)
  assert.doesNotMatch(stderr, /client left/i)
  const written = textOf(project)
  assert.ok(!written.includes('eyJ') && /"\{parameter1\}\/secrets"/.test(written))
  assert.ok(!written.includes('s3cr3t') && !(written + stdout + stderr).includes('\x1b') && !written.includes('half'))
  assert.match(
    written,
    /"password":"\[redacted\]","PS_TOKEN":\{"a":"\[redacted\]"\},"rows":\[\{"apiKey":"\[redacted\]"\}\],"NAME":"[A-Z][a-z]{2}","id":7/,
  )
  assert.match(written, /<a>packed<\/a>/)
})

const refused = [
  [
    'an upstream that is no origin',
    ['--upstream', 'http://127.0.0.1:1/path'],
    /is not an origin: https:\/\/original\.example/,
  ],
  ['an upstream with credentials', ['--upstream', 'http://u:p@127.0.0.1:1'], /without path or user/],
  [
    'a time limit that is no number',
    ['--upstream', 'http://127.0.0.1:1', '--timeout', '0'],
    /is not a number of seconds/,
  ],
  [
    'values kept without a terminal',
    ['--upstream', 'http://127.0.0.1:1', '--keep-values'],
    /there is no terminal: add --yes/,
  ],
] as const
for (const [what, args, reason] of refused) {
  test(`38.6 ${what} is refused before anything is listened to`, async () => {
    const project = join(makeProject({}), 'hr')
    const { code, stderr } = await ig(['record', project, ...args])
    assert.equal(code, 1)
    assert.match(stderr, reason)
    assert.ok(!existsSync(project))
  })
}

test('38.5 a project that does not use what is recorded, or whose files cannot be read, is refused', async () => {
  const other = makeProject({ 'gateway.config.ts': 'export default {}' })
  const broken = makeProject({ 'recorded/calls.jsonl': '{}\n{' })
  for (const [project, reason] of [
    [other, /has a gateway\.config\.ts that does not use recorded\/definition\.json/],
    [broken, /calls\.jsonl:2 is not JSON/],
  ] as const) {
    const { code, stderr } = await ig(['record', project, '--upstream', 'http://127.0.0.1:1'])
    assert.deepEqual([code, reason.test(stderr)], [1, true], stderr)
  }
})

test('38.2 docs/how-to/moving.md, from ig record to its table', async () => {
  const guide = readFileSync(join(import.meta.dirname, '../../docs/how-to/moving.md'), 'utf8')
  const originalFiles = [...guide.matchAll(/^```\w+\n\/\/ original\/([\w./-]+)\n([\s\S]*?)```/gm)]
  const source = makeProject(Object.fromEntries(originalFiles.map(([, name = '', text = '']) => [name, text])))
  await using upstream = await openTestGateway({ project: source, listen: true })
  const section = guide.split('## Record\n')[1]?.split('\n## ')[0] ?? ''
  const [started = '', called = ''] = [...section.matchAll(/```console\n\$ ([\s\S]*?)```/g)].map(
    ([, text = '']) => text,
  )
  const [, table = ''] = /```text\n([\s\S]*?)```/.exec(section) ?? []
  assert.match(
    started,
    /^ig record hr --upstream http:\/\/127\.0\.0\.1:8001 --port 8002\nRecording \S+ at \S+ Ctrl-C ends it and writes hr\.\n$/,
  )

  const cwd = makeProject({})
  const serving = serve(['record', 'hr', '--upstream', upstream.url, '--port', '0'], { cwd })
  const [, url = ''] = await serving.until(/Recording \S+ at (http:\S+)\. Ctrl-C ends it and writes hr\.\n/)
  const second = await ig(['record', 'other', '--upstream', upstream.url, '--port', new URL(url).port], { cwd })
  assert.match(second.stderr, /^ig: Port \d+ is in use\. Choose another with --port <n>/)
  assert.ok(!existsSync(join(cwd, 'other')), 'nothing is written')
  const [line = '', expected] = called.split('\n')
  const [, target = ''] = /^curl -s http:\/\/127\.0\.0\.1:8002(\S+)$/.exec(line) ?? []
  assert.equal((await (await fetch(url + target)).text()).trimEnd(), expected)
  assert.equal(await stop(serving), table)
})
