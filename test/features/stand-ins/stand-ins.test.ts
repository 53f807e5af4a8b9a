/** Stand-ins: recorded responses as the handler of an operation (specification 16.1 to 16.5). */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { compileCatalog } from '../../../src/configuration/catalog.ts'
import { digestConfiguration } from '../../../src/configuration/revision.ts'
import { openProject, ProjectProblems } from '../../../src/project/open-project.ts'
import { openTestGateway } from '../../../src/testing.ts'
import { checkTypes } from '../../support/check-types.ts'
import { ig, makeProject, serve } from '../../support/cli.ts'
import { basic } from '../../support/client.ts'
import { scaled } from '../../support/patience.ts'

const config = (operations: string) => `
import { defineGateway, defineSampleOperators } from 'integration-gateway'

export default defineGateway({
  nodes: [{ name: 'LOCAL_NODE', isDefaultLocal: true }, { name: 'ANONYMOUS', defaultUser: 'GUEST' }],
  documents: [{ name: 'KEYS', elements: { id: { type: 'Integer' }, tag: { type: 'String', isCollection: true } } }],
  messages: [{ name: 'KEYS_MESSAGE', document: 'KEYS' }],
  services: [{ name: 'PEOPLE' }],
  operations: [${operations}],
  permissionLists: [{ name: 'ALL', services: ['PEOPLE'] }],
})
export const sampleOperators = defineSampleOperators([
  { id: 'GUEST', password: 'guest-password', email: 'guest@example.com', permissionLists: ['ALL'] },
  { id: 'DEMO', password: 'demo-password', email: 'demo@example.com', permissionLists: ['ALL'] },
  { id: 'NOPERM', password: 'noperm-password', email: 'noperm@example.com', permissionLists: [] },
])
`
const rows = `[
  { template: 'person/{id}', parameters: { id: '007' }, file: 'bond.json', headers: { 'X-Thing': 'a', 'Set-Cookie': 'c=1' } },
  { template: 'person/{id}', parameters: { id: '2' }, status: 500, file: 'failed.json', contentType: 'application/x-failed' },
  { template: 'person?id={id}{&tag*}', parameters: { id: '1', tag: 'a,b' }, file: 'tagged.txt', delay: 1 },
  { template: 'person?id={id}{&tag*}', parameters: { id: '3' }, status: 302, headers: { location: '/elsewhere' } },
  { parameters: { id: '4' }, status: 204 },
  { parameters: { id: '5' }, delay: 60000 },
]`
const person = (fixture: string, more = '') =>
  `{ service: 'PEOPLE', name: 'PERSON', method: 'GET', documentTemplate: 'KEYS_MESSAGE',
    uriTemplates: ['person/{id}', 'person?id={id}{&tag*}'], fixture: ${fixture}, ${more} },`
const names = (fixture: string, more = '') =>
  `{ service: 'PEOPLE', name: 'NAMES', method: 'GET', verification: 'Basic', fixture: ${fixture}, ${more} },`
const files = {
  'fixtures/bond.json': '{"id": 7}\n',
  'fixtures/failed.json': '{"failed":true}',
  'fixtures/tagged.txt': 'tagged',
  'fixtures/deep/names.xml': '\ufeff<names/>\r\n',
  'integrationGateway.properties': `ig.limits.handlerTimeout=${scaled(200)}ms\n`,
}
const project = (operations: string, more: Readonly<Record<string, string>> = {}) =>
  makeProject({ 'gateway.config.ts': config(operations), ...files, ...more })

async function problemsOf(folder: string): Promise<readonly string[]> {
  const error = await openProject(folder).then(
    () => undefined,
    (thrown) => thrown,
  )
  assert.ok(error instanceof ProjectProblems, String(error))
  return error.problems.map(({ path, message }) => `${path} ${message}`)
}

test('16.1, 16.2, 16.3, 16.4 the first row that matches answers, by template and by the texts of the URL', async () => {
  await using gateway = await openTestGateway({ project: project(person(rows)) })
  const bond = await gateway.call('GET PERSON.v1/person/007')
  assert.deepEqual([bond.status, bond.text, bond.headers['x-thing']], [200, '{"id": 7}\n', 'a'])
  assert.equal(bond.headers['content-type'], 'application/json; encoding=UTF-8')
  assert.match(bond.headers['set-cookie'] ?? '', /c=1.*JSESSIONID=/)
  assert.match(bond.log[0]?.message ?? '', /^Row 1 of the fixture answers: .*fixtures\/bond\.json/)

  const failed = await gateway.call('GET PERSON.v1/person/2')
  assert.deepEqual([failed.status, failed.headers['content-type']], [500, 'application/x-failed'])
  assert.deepEqual([failed.text, failed.refusal], ['{"failed":true}', undefined])
  const tagged = await gateway.call('GET PERSON.v1/person?tag=a&id=1&tag=b&random=1')
  assert.deepEqual([tagged.status, tagged.text], [200, 'tagged'])
  assert.equal(tagged.headers['content-type'], 'text/plain; charset=UTF-8')
  const moved = await gateway.call('GET PERSON.v1/person?id=3')
  assert.deepEqual([moved.status, moved.headers.location, moved.text], [302, '/elsewhere', ''])
  assert.equal((await gateway.call('GET PERSON.v1/person/4')).status, 204)
  const late = await gateway.call('GET PERSON.v1/person/5')
  assert.deepEqual([late.status, late.refusal?.code], [504, 'handlerTimedOut'])
})

test('16.2 a call that no row matches is uriNotMatched, and the log has the rows', async () => {
  for (const errorStyle of ['observed', 'standard']) {
    const settings = { 'ig.errorStyle': errorStyle }
    await using gateway = await openTestGateway({ project: project(person(rows)), settings })
    const answer = await gateway.call('GET PERSON.v1/person/7')
    assert.deepEqual([answer.status, answer.headers['ig-refusal']], [404, 'uriNotMatched'])
    assert.equal(answer.json().detail, 'No response is recorded for this URL.')
    assert.match(
      answer.refusal?.reason ?? '',
      /person\/\{id\} with id="7"\. Its rows are 1 \(.*id="007".*bond\.json\), 2/,
    )
  }
})

test('16.3 type and status come from the row, the response message or the file', async () => {
  const typed = `responseMessage: { contentType: 'application/vnd.names', httpCode: 201 }`
  for (const [fixture, more, expected] of [
    [`'deep/names.xml'`, '', [200, 'text/xml; encoding="UTF-8"']],
    [`'bond.json'`, '', [200, 'application/json; encoding=UTF-8']],
    [`'bond.json'`, typed, [201, 'application/vnd.names']],
    [`[{ file: 'bond.json', status: 202, contentType: 'text/x' }]`, typed, [202, 'text/x']],
  ] as const) {
    await using gateway = await openTestGateway({ project: project(names(fixture, more)) })
    const { status, headers } = await gateway.call('GET NAMES.v1', { as: 'DEMO' })
    assert.deepEqual([status, headers['content-type']], expected)
  }
})

test('15.6, 16.2 samples for a stand-in have the values of a row with a success status', async () => {
  const folder = project(person(rows) + names(`'deep/names.xml'`))
  const serving = serve(['dev', folder, '--port', '0', '--issuer-port', '0'])
  const [origin = ''] = await serving.until(/http:\/\/127\.0\.0\.1:\d+/)
  await serving.until(/PERSON\.v1\/person\/007\n[^\n]*PERSON\.v1\/person\?id=1&tag=a&tag=b'\n/)
  const env = { IG_HEALTHCHECK_PASSWORD: 'demo-password' }
  const { code, stdout } = await ig(['healthcheck', origin, '--as', 'DEMO', '--project', folder], { env })
  assert.equal(code, 0, stdout)
  assert.match(stdout, /3 passed, 0 failed\.\n$/)
  await serving.stop()
})

test('16.1 a caller without permission does not reach a stand-in', async () => {
  await using gateway = await openTestGateway({ project: project(names(`'deep/names.xml'`)) })
  assert.equal((await gateway.call('GET NAMES.v1')).status, 401)
  const refused = await gateway.call('GET NAMES.v1', { as: 'NOPERM' })
  assert.equal(refused.refusal?.code, 'permissionDenied')
  const answer = await gateway.call('GET NAMES.v1', { as: 'DEMO' })
  assert.equal(answer.bytes.toString('hex'), Buffer.from(files['fixtures/deep/names.xml']).toString('hex'))
})

test('16.5 all errors of fixtures are reported at once, with their location', async () => {
  const folder = project(
    `${person(`[
      { template: 'persn/{id}', file: 'bond.jsn' },
      { template: 'person/{id}', parameters: { tga: 'x' }, file: 'deep', status: 100, colour: 1 },
      { parameters: { tga: 'x' }, file: '../gateway.config.ts', delay: -1 },
      { file: 'leads-out', headers: { 'Content-Length': '1', 'X-A': 'a\\nb', 'ig-thing': 'x' }, contentType: 'json' },
      { file: 'a\\\\b' }, { file: 'a\\0b' }, { file: '/etc/passwd' }, { file: 'bond.json', status: 204 }, {},
    ] as never`)}
    ${names(`'nmes.xml'`, `version: 'v2'`)}
    ${names(`[]`, `version: 'v3'`)}
    ${names(`'bond.json'`, `version: 'v4', handler: 'handlers/none.ts'`)}
    ${names(`undefined`, `version: 'v5'`)}
    ${names(`7`, `version: 'v6'`)}`.replaceAll(/^ {4}\$/gm, ''),
  )
  symlinkSync('/etc/hostname', join(folder, 'fixtures/leads-out'))
  const problems = await problemsOf(folder)
  const expected = [
    /^operations\[0\]\.fixture\[0\]\.template names no URI template of the operation: "persn\/\{id\}"; did you mean person\/\{id\}\?$/,
    /^operations\[0\]\.fixture\[0\]\.file names a file that does not exist: fixtures\/bond\.jsn; did you mean bond\.json\?$/,
    /^operations\[0\]\.fixture\[1\]\.parameters\.tga is not a variable of the URI template person\/\{id\}/,
    /^operations\[0\]\.fixture\[1\]\.file names something that is not a file: fixtures\/deep$/,
    /^operations\[0\]\.fixture\[1\]\.status must be 200 to 599/,
    /^operations\[0\]\.fixture\[1\]\.colour is not a known field/,
    /^operations\[0\]\.fixture\[2\]\.parameters\.tga is not a variable of any URI template of the operation; did you mean tag\?$/,
    /^operations\[0\]\.fixture\[2\]\.file must stay in the folder fixtures/,
    /^operations\[0\]\.fixture\[2\]\.delay must be 0 or more/,
    /^operations\[0\]\.fixture\[3\]\.file names a symbolic link that leads out of the folder fixtures: fixtures\/leads-out$/,
    /^operations\[0\]\.fixture\[3\]\.headers\.Content-Length cannot be set: /,
    /^operations\[0\]\.fixture\[3\]\.headers\.X-A cannot be set: /,
    /^operations\[0\]\.fixture\[3\]\.headers\.ig-thing cannot be set: /,
    /^operations\[0\]\.fixture\[3\]\.contentType must be a media type/,
    /^operations\[0\]\.fixture\[4\]\.file must have forward slashes/,
    /^operations\[0\]\.fixture\[5\]\.file must have no control characters/,
    /^operations\[0\]\.fixture\[6\]\.file must be a path within the folder fixtures/,
    /^operations\[0\]\.fixture\[7\]\.file names a file with a body, which no response of status 204 can have/,
    ...[4, 5, 6, 7, 8].map(
      (at) => new RegExp(`^operations\\[0\\]\\.fixture\\[${at}\\] never answers: fixture\\[3\\] comes first`),
    ),
    /^operations\[1\]\.fixture names a file that does not exist: fixtures\/nmes\.xml/,
    /^operations\[2\]\.fixture must have at least one row/,
    /^operations\[3\]\.fixture cannot be set together with handler/,
    /^operations\[3\]\.handler names a file that does not exist/,
    /^operations\[4\]\.handler is missing: .*fixture/,
    /^operations\[5\]\.fixture must be the name of a file below fixtures\/, or a list of rows$/,
  ]
  for (const pattern of expected)
    assert.ok(
      problems.some((problem) => pattern.test(problem)),
      `${pattern}\n${problems.join('\n')}`,
    )
  assert.equal(problems.length, expected.length, problems.join('\n'))
})

test('16.5 a row with the conditions of an earlier one is reported, whatever their order', async () => {
  const rows = (last: string) => `[
    { parameters: { id: '7', tag: 'a' }, status: 204 }, { parameters: { id: '7' }, status: 204 }, { ${last}, status: 404 },
  ]`
  assert.deepEqual(await problemsOf(project(person(rows(`parameters: { tag: 'a', id: '7' }`)))), [
    'operations[0].fixture[2] never answers: fixture[0] comes first and matches the same requests',
  ])
  await openProject(project(person(rows(`parameters: { tag: 'a' }`))))
})

test('16.16 after names an operation with a fixture, and counts as a condition of its row', async () => {
  const rows = `[
    { after: 'NAMES_GET.v1', status: 204 }, { after: 'NAMES_GET.v2', status: 204 }, { after: 'CODE_GET.v1', status: 204 },
    { parameters: { id: '7' }, after: 'NAMES_GET.v1', status: 204 }, { status: 204 },
  ]`
  const code = `{ service: 'PEOPLE', name: 'CODE', method: 'GET', handler: 'handlers/code.ts' },`
  const handler = 'export default class { onRequest() { throw new Error() } }'
  const folder = project(person(rows) + names(`'deep/names.xml'`) + code, { 'handlers/code.ts': handler })
  assert.deepEqual(await problemsOf(folder), [
    'operations[0].fixture[1].after names no operation of this configuration: "NAMES_GET.v2"; did you mean NAMES_GET.v1?',
    'operations[0].fixture[2].after names CODE_GET.v1, which has a handler: only recorded responses are noticed',
    'operations[0].fixture[3] never answers: fixture[0] comes first and matches the same requests',
  ])
})

test('16.5 a row after a more general one, and a value that does not fit its element, are reported', async () => {
  const looser = `[
    { parameters: { tag: 'a' }, status: 204 }, { parameters: { id: '7', tag: 'a' } }, { parameters: { id: '7', tag: 'b' } },
    { template: 'person/{id}', parameters: { id: '8' } }, { parameters: { id: '8' } }, { parameters: { id: 'x8', tag: 'b' } },
  ]`
  assert.deepEqual(await problemsOf(project(person(looser))), [
    'operations[0].fixture[1] never answers: fixture[0] comes first and matches the same requests',
    'operations[0].fixture[5].parameters.id can never match: id must be an Integer of up to 9007199254740991, not "x8"',
  ])
  const one = `uriTemplates: ['person/{id}']`
  assert.deepEqual(
    await problemsOf(project(person(`[{ template: 'person/{id}' }, { parameters: { id: '7' } }]`, one))),
    ['operations[0].fixture[1] never answers: fixture[0] comes first and matches the same requests'],
  )
  const many = Array.from({ length: 10_000 }, (_, id) => `{ parameters: { id: '${id}' }, status: 204 }`)
  const last = `{ parameters: { id: '9999', tag: 'x' } }`
  assert.deepEqual(await problemsOf(project(person(`[${many.join()}, ${last}] as never`))), [
    'operations[0].fixture[10000] never answers: fixture[9999] comes first and matches the same requests',
  ])
})

test('16.5 an unreadable file is reported', {
  skip: process.getuid?.() === 0 && 'root reads everything',
}, async () => {
  const folder = project(names(`'bond.json'`))
  chmodSync(join(folder, 'fixtures/bond.json'), 0)
  assert.match((await problemsOf(folder))[0] ?? '', /cannot be read: fixtures\/bond\.json: EACCES/)
})

test('16.1 for the compiler an operation has a handler or a fixture', async () => {
  const both = await checkTypes({ 'gateway.config.ts': config(names(`'a.xml'`, `handler: 'handlers/a.ts'`)) })
  assert.equal(both.length, 1, both.join('\n'))
  const neither = await checkTypes({
    'gateway.config.ts': config(`{ service: 'PEOPLE', name: 'NAMES', method: 'GET' }`),
  })
  assert.equal(neither.length, 1, neither.join('\n'))
  assert.deepEqual(await checkTypes({ 'gateway.config.ts': config(person(rows) + names(`'a.xml'`)) }), [])
})

test('16.1 the short form and the order of keys make no difference between configurations', async () => {
  const digest = async (fixture: string, write = names) =>
    digestConfiguration((await openProject(project(write(fixture)))).configuration)
  assert.equal(await digest(`'bond.json'`), await digest(`[{ file: 'bond.json', delay: 0 }]`))
  const one = await digest(`[{ file: 'bond.json', status: 200, headers: { a: '1', b: '2' } }]`)
  assert.equal(await digest(`[{ headers: { b: '2', a: '1' }, status: 200, file: 'bond.json' }]`), one)
  const [first, second] = [`{ parameters: { id: '1' } }`, `{ parameters: { tag: 'a' } }`]
  assert.notEqual(await digest(`[${first}, ${second}]`, person), await digest(`[${second}, ${first}]`, person))
})

test('16.4, 16.5 over HTTP a changed file takes effect, a large one is streamed unchanged, and a missing one affects no other', async () => {
  const folder = project(
    names(`'deep/names.xml'`) +
      person(`'big.bin'`, `name: 'BIG', uriTemplates: [], documentTemplate: undefined`) +
      person(`'long.txt'`, `name: 'LONG', uriTemplates: [], documentTemplate: undefined`),
    { 'fixtures/long.txt': 'x'.repeat(2_000_000) },
  )
  const big = randomBytes(3_000_000)
  writeFileSync(join(folder, 'fixtures/big.bin'), big)
  const serving = serve(['dev', folder, '--port', '0', '--issuer-port', '0'])
  const [origin = ''] = await serving.until(/http:\/\/127\.0\.0\.1:\d+/)
  const call = (path: string, init: RequestInit = {}) =>
    fetch(`${origin}/PSIGW/RESTListeningConnector/LOCAL_NODE/${path}`, init)
  const headers = basic('DEMO', 'demo-password')

  const first = await call('NAMES.v1', { headers })
  assert.deepEqual(
    [first.status, Buffer.from(await first.arrayBuffer()).toString()],
    [200, files['fixtures/deep/names.xml']],
  )
  writeFileSync(join(folder, 'fixtures/deep/names.xml'), '<changed/>')
  assert.equal(await (await call('NAMES.v1', { headers })).text(), '<changed/>')

  const large = await call('BIG.v1')
  assert.equal(large.headers.get('content-length'), '3000000')
  assert.equal(sha(Buffer.from(await large.arrayBuffer())), sha(big))
  const packed = await call('LONG.v1', { headers: { 'accept-encoding': 'gzip' } })
  assert.deepEqual([packed.headers.get('content-encoding'), packed.headers.get('vary')], ['gzip', 'accept-encoding'])
  assert.equal((await packed.text()).length, 2_000_000)

  // A client that disconnects half way affects no one.
  const { port } = new URL(origin)
  const socket = connect(Number(port), '127.0.0.1')

  socket.write('GET /PSIGW/RESTListeningConnector/LOCAL_NODE/BIG.v1 HTTP/1.1\r\nhost: x\r\n\r\n')
  await new Promise((resolve) => socket.once('data', resolve))
  socket.destroy()
  assert.equal((await call('NAMES.v1', { headers })).status, 200)

  // Another thing in its place is not followed, and not waited for.
  writeFileSync(join(folder, 'outside.xml'), '<outside/>')
  for (const put of [
    () => symlinkSync(join(folder, 'outside.xml'), join(folder, 'fixtures/deep/names.xml')),
    () => execFileSync('mkfifo', [join(folder, 'fixtures/deep/names.xml')]),
    () => mkdirSync(join(folder, 'fixtures/deep/names.xml')),
  ]) {
    rmSync(join(folder, 'fixtures/deep/names.xml'), { recursive: true })
    put()
    const { status, headers: answered } = await call('NAMES.v1', { headers })
    assert.deepEqual([status, answered.get('ig-refusal')], [500, 'handlerFailed'])
  }

  rmSync(join(folder, 'fixtures/deep'), { recursive: true })
  const gone = await call('NAMES.v1', { headers })
  assert.deepEqual([gone.status, gone.headers.get('ig-refusal')], [500, 'handlerFailed'])
  assert.equal((await call('BIG.v1')).status, 200)
  await serving.stop()
})

test('16.5 a revision is not activated if a file that it names is missing, and export writes it unchanged', async () => {
  const folder = project(person(rows))
  const applied = await ig(['apply', folder])
  assert.equal(applied.code, 0, applied.stderr)
  const exported = await ig(['revision', 'export', 'active', '--project', folder])
  assert.match(exported.stdout, /fixture: \[[\s\S]*parameters: \{ id: '007' \},\s+file: 'bond\.json'/)
  assert.doesNotMatch(exported.stdout, /delay: 0/)
  writeFileSync(join(folder, 'gateway.config.ts'), config(names(`'deep/names.xml'`)))
  assert.equal((await ig(['apply', folder, '--force'])).code, 0)
  mkdirSync(join(folder, 'fixtures/other'))
  rmSync(join(folder, 'fixtures/bond.json'))
  const back = await ig(['rollback', '1', '--project', folder])
  assert.equal(back.code, 1)
  assert.match(
    back.stderr,
    /operations\[0\]\.fixture\[0\]\.file names a file that does not exist: fixtures\/bond\.json/,
  )
})

test('16.4 descriptions have the statuses and media types of the rows', async () => {
  const folder = project(person(rows))
  const { stdout } = await ig(['describe', 'openapi', folder])
  const { responses } = Object.values(Object.values(JSON.parse(stdout).paths)[0] as object)[0] as { responses: object }
  assert.ok(
    ['200', '204', '302', '404', '500', '504'].every((status) => Object.keys(responses).includes(status)),
    stdout,
  )
  assert.match(stdout, /What was recorded, as `application\/json; encoding=UTF-8`/)
  const wadl = await ig(['describe', 'wadl', folder, '--service', 'PEOPLE'])
  assert.match(wadl.stdout, /status="302"[\s\S]*application\/x-failed/)
  const { configuration, handlers } = await openProject(folder)
  assert.equal(
    compileCatalog(configuration, handlers).operations.get('PERSON_GET.v1')?.substitute?.responses?.length,
    6,
  )
})

test('16.5 a running process that lacks a file keeps the previous revision, and logs why', async () => {
  const here = project(names(`'deep/names.xml'`))
  const elsewhere = project(names(`'new.xml'`), { 'fixtures/new.xml': '<new/>' })
  const env = { IG_PORT: '0', IG_DATABASE: join(here, 'shared.sqlite') }
  const serving = serve(['start', here], { env })
  await serving.until(/http:\/\/127\.0\.0\.1:\d+/)
  const applied = await ig(['apply', elsewhere, '--no-wait'], { env })
  assert.equal(applied.code, 0, applied.stderr)
  const [message] = await serving.until(/Revision 2 is active, but this process cannot serve it .*/)
  assert.match(message, /and serves revision 1: operations\[0\]\.fixture\[0\]\.file names a file that does not/)
  await serving.stop()
})

function sha(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
