/** `ig import access-log` (specification 16.19). */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createWriteStream, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { readAccessLog } from '../../src/moving/import/access-log.ts'
import { openProject } from '../../src/project/open-project.ts'
import { ig, makeProject } from '../support/cli.ts'

const base = '/PSIGW/RESTListeningConnector/PSFT_HR'
const line = (request: string, { host = '10.0.0.1', user = '-', status = 200, end = '' } = {}) =>
  `${host} - ${user} [28/Nov/2026:04:06:00 +0000] "${request}" ${status} 120${end}`
const agent = ' "-" "Mozilla/5.0 (X11; \\"quoted\\")"'

const log = [
  line(`GET ${base}/Person.v1/KU0001?x=1 HTTP/1.1`, { user: 'KIM' }),
  line(`GET ${base}/Person.v1/KU0002 HTTP/1.1`, { user: 'KIM', end: agent }),
  line(`GET ${base}/Person.v1 HTTP/1.1`, { host: '10.0.0.2', status: 404 }),
  line(`POST ${base}/HIRE.v2/ HTTP/1.1`, { user: 'L\u00e9a', end: `${agent} 0.012` }),
  line(`GET ${base.replace('PSFT_HR', 'PSFT_CS')}/HIRE.v2 HTTP/1.1`),
  '#Version: 1.0',
  line(`GET ${base}/PROBE.v1/..%2f HTTP/1.1`, { status: 500 }),
  line('GET /psp/ps/?cmd=login HTTP/1.1'),
  line('GET /psc/ps/RESTListeningConnector HTTP/1.1'),
  line(`PROPFIND ${base}/Person.v1 HTTP/1.1`),
  line(`GET ${base}/ HTTP/1.1`),
  line(`GET /x?y=${base}/HIDDEN.v1/ HTTP/1.1`),
  'not a line of an access log',
  `${'x'.repeat(40_000)}`,
  line(`GET ${base}/OTHER.v1 HTTP/1.1`, { host: 'web1:443 10.0.0.9' }),
  line(`GET ${base}/OTHER.v1 HTTP/1.1`, { host: '10.0.0.1, 10.0.0.2' }),
  line(`GET ${base}/OTHER.v1 HTTP/1.1`, { host: '' }),
  line(`GET ${base}/OTHER.v1 HTTP/1.1`, { host: '10.0.0.1', user: 'a b' }),
  `web1 10.0.0.9 - [28/Nov/2026:04:06:00 +0000] "GET ${base}/OTHER.v1 HTTP/1.1" 200 1`,
  '',
].join('\n')

const run = async (cwd: string, ...args: readonly string[]) =>
  ig(['import', 'access-log', 'access.log', '--upstream', 'https://hr.example', ...args], { cwd })

test('16.19 an access log becomes a table of operations and callers, and rows that pass exactly these on', async () => {
  const cwd = makeProject({ 'access.log': log })
  const { code, stdout } = await run(cwd, '--into', 'made')
  assert.equal(code, 0)
  const table = stdout
    .split('\n\n')[0]
    ?.split('\n')
    .map((row) => row.trim().split(/ {2,}/))
  assert.deepEqual(table, [
    ['OPERATION', 'VERIFICATION', 'CALLS', 'FAILED', 'LAST', 'CALLERS'],
    ['HIRE_GET.v2', 'Basic', '1', '0', '28/Nov/2026:04:06:00 +0000', '10.0.0.1 (1)'],
    ['HIRE_POST.v2', 'Basic', '1', '0', '28/Nov/2026:04:06:00 +0000', 'L\u00e9a 10.0.0.1 (1)'],
    ['PERSON_GET.v1', 'Basic', '3', '1', '28/Nov/2026:04:06:00 +0000', 'KIM 10.0.0.1 (2), 10.0.0.2 (1)'],
  ])
  const { configuration } = await openProject(join(cwd, 'made'))
  assert.deepEqual(
    configuration.operations.map(({ name, alias, method, version, verification, handler }) => [
      `${alias ?? name} ${name}_${method}.${version} ${verification}`,
      handler,
    ]),
    ['HIRE HIRE_GET.v2 Basic', 'HIRE HIRE_POST.v2 Basic', 'Person PERSON_GET.v1 Basic'].map((text) => [
      text,
      { passThrough: 'https://hr.example', credentials: 'caller', cookies: 'drop' },
    ]),
  )
  assert.deepEqual(
    configuration.nodes.map(({ name }) => name),
    ['PSFT_HR', 'PSFT_CS'],
  )
})

test('1.14, 2.35, 16.19 operations without a version, and a gateway path of two segments, are in the project', async () => {
  const two = `/SSCDEV${base}`
  const lines = [
    line(`POST ${two}/absence/request/createabsence HTTP/1.1`),
    line(`GET ${two}/absence/request/7?a=1 HTTP/1.1`),
    line(`GET ${two}/absence HTTP/1.1`),
    line(`GET ${two}/Person.v1/7 HTTP/1.1`),
    line(`GET ${two}/Person/7 HTTP/1.1`),
    line(`GET /SSC%2fDEV${base}/absence/request/7 HTTP/1.1`),
  ]
  const cwd = makeProject({ 'access.log': lines.join('\n') })
  const { code, stdout } = await run(cwd, '--into', 'made', '--json')
  assert.equal(code, 0)
  const { notices } = JSON.parse(stdout)
  assert.match(JSON.stringify(notices), /access\.log:5.*has no <node>.*SSC%2FDEV/)
  const { configuration } = await openProject(join(cwd, 'made'))
  assert.deepEqual(
    configuration.operations.map(({ name, alias, method, version }) => [name, alias, method, version]),
    [
      ['ABSENCE', 'absence', 'GET', 'none'],
      ['ABSENCE', 'absence', 'POST', 'none'],
      ['PERSON', 'Person', 'GET', 'v1'],
    ],
  )
  assert.equal(readFileSync(join(cwd, 'made/integrationGateway.properties'), 'utf8'), 'ig.gatewayPath=SSCDEV/PSIGW\n')
})

test('16.19 every line that is left out is in a note, with the place of the first of its kind', async () => {
  const cwd = makeProject({ 'access.log': log })
  const { notices, lines } = JSON.parse((await run(cwd, '--dry-run', '--json')).stdout)
  assert.equal(lines, 19)
  assert.deepEqual(
    notices.map(({ path, message }: { path: string; message: string }) => `${path} ${message}`),
    [
      'access.log:8 and 1 more line are left out: with a URL without RESTListeningConnector, such as /psp/ps/?cmd=login',
      'access.log:9 and 1 more line are left out: with a URL that has no <node>/<operation>.v<number> after RESTListeningConnector, such as /psc/ps/RESTListeningConnector',
      'access.log:10 is left out: with a method that no operation has, such as PROPFIND',
      'access.log:13 and 6 more lines are left out: in neither the common nor the combined format, or longer than 16384 characters: nothing is known of them, such as calls that were refused for lack of credentials',
      'PROBE.v1 GET is left out: its only call did not succeed',
      'operations that nothing declares open get Basic verification (--open imports them with NONE): HIRE.v2 GET',
    ],
  )
})

test('16.19, 44.3 a call that no listener can have is in a note, and the project of the others is valid', async () => {
  const guarded = '/PSIGW/HttpListeningConnector'
  const calls = [
    '?Operation=A.v1&From=PARTNER&To=PSFT_HR',
    '?Operation=%zz',
    '?Operation=A.v1&From=PARTNER-1',
    '?Operation=&From=PARTNER',
    '?Operation=A.v1&Operation=B.v1',
    '?Operation=A.v1&OperationType=async',
    '/a?Operation=A.v1',
  ].map((end) => line(`POST ${guarded}${end} HTTP/1.1`))
  const others = [`GET ${guarded}?wsdl=a`, 'POST /PSIGW/PS81ListeningConnector?Operation=A&Password=hunter2']
  const cwd = makeProject({ 'access.log': [...calls, ...others.map((each) => line(`${each} HTTP/1.1`))].join('\n') })
  const { code, stdout } = await run(cwd, '--into', 'made')
  assert.equal(code, 0)
  for (const reason of ['whose URL is malformed', 'no configuration can name', 'refuses (44.3)', 'no POST'])
    assert.ok(stdout.includes(reason), reason)
  assert.doesNotMatch(stdout, /hunter2/)
  const { configuration } = await openProject(join(cwd, 'made'))
  assert.deepEqual(
    (Reflect.get(configuration, 'listeners') as readonly { readonly allow: unknown }[]).map(({ allow }) => allow),
    [[{ operation: 'A.v1', from: 'PARTNER', to: 'PSFT_HR' }]],
  )
})

test('16.18, 16.19 a user, a 401 or 403 or a credential in the URL, at any node, closes an operation with --open, too', async () => {
  const other = base.replace('PSFT_HR', 'PSFT_CS')
  const calls = [
    line(`GET ${base}/A.v1 HTTP/1.1`),
    line(`GET ${other}/A.V1 HTTP/1.1`, { status: 401 }),
    line(`GET ${base}/B.v1?access_token=x HTTP/1.1`),
    line(`GET ${base}/C.v1 HTTP/1.1`),
  ]
  const cwd = makeProject({ 'access.log': calls.join('\n') })
  const { operations } = JSON.parse((await run(cwd, '--dry-run', '--json', '--open')).stdout)
  assert.deepEqual(
    operations.map(({ id, verification }: { id: string; verification: string }) => `${id} ${verification}`),
    ['A_GET.v1 Basic', 'B_GET.v1 Basic', 'C_GET.v1 NONE'],
  )
})

test('16.19 with --open an operation of which the log names no user needs no credentials, and passes none on', async () => {
  const cwd = makeProject({ 'access.log': log })
  const { stdout } = await run(cwd, '--open', '--into', 'made')
  assert.match(stdout, /\nHIRE_GET\.v2 +NONE \(by --open\) /)
  const next = stdout.split('\n').filter((row) => row.includes('ig operator add'))
  assert.deepEqual(next, [
    '  ig operator add GUEST --no-password --permission-list IMPORTED_PUBLIC --project made',
    '  ig operator add DEMO --permission-list IMPORTED_ALL --project made',
  ])
  const { operations } = (await openProject(join(cwd, 'made'))).configuration
  assert.deepEqual(
    operations.map(({ verification, handler }) => [verification, Reflect.get(Object(handler), 'credentials')]),
    [
      ['NONE', 'none'],
      ['Basic', 'caller'],
      ['Basic', 'caller'],
    ],
  )
})

test('16.19 a file that is compressed, binary or no access log is refused, and says so', async () => {
  const cwd = makeProject({})
  for (const [content, message] of [
    [gzipSync(log), /^ig: access\.log is compressed \(gzip\)\. Decompress it first\./],
    [Buffer.from([1, 0, 2]), /^ig: access\.log is binary, not text\./],
    [
      '{"time":"x"}\n'.repeat(3),
      /access\.log has no successful call .*\n\nNote:\n {2}access\.log:1 and 2 more lines are left out/s,
    ],
    ['', /access\.log has no successful call/],
  ] as const) {
    writeFileSync(join(cwd, 'access.log'), content)
    const { code, stderr } = await run(cwd)
    assert.equal(code, 1)
    assert.match(stderr, message)
  }
  assert.ok(!existsSync(join(cwd, 'access-gateway')))
})

test('16.19 what is kept of a log does not grow with its length: a hundred thousand callers of twenty thousand operations', async () => {
  const cwd = makeProject({})
  const file = join(cwd, 'access.log')
  const out = createWriteStream(file)
  for (let at = 0; at < 100_000; at += 1000) {
    const some = Array.from({ length: 1000 }, (_, more) =>
      line(`GET ${base}/OP_${(at + more) % 20_000}.v1/${at} HTTP/1.1`, { host: `host-${at + more}` }),
    )
    if (!out.write(`${some.join('\n')}\n`)) await once(out, 'drain')
  }
  out.end()
  await once(out, 'finish')
  const { lines, operations, notices } = readAccessLog(file, 'access.log', () => {})
  assert.deepEqual([lines, operations.length], [100_000, 10_000])
  assert.match(notices[0]?.message ?? '', /^and 49999 more lines are left out: beyond 10000 operations/)
  assert.ok(readFileSync(file).length > 5_000_000)
})

test('16.19 what is kept of a log does not grow with its texts, and the table says where callers are left out', async () => {
  const long = 'x'.repeat(15_000)
  const text = [
    line(`GET ${base}/OP.v1/1 HTTP/1.1`, { user: `KIM${long}` }),
    line(`GET ${base}/OP${long}.v1/1 HTTP/1.1`),
    ...Array.from({ length: 1001 }, (_, at) => line(`GET ${base}/MANY.v1/1 HTTP/1.1`, { host: `h${at}` })),
  ].join('\n')
  const cwd = makeProject({ 'access.log': text })
  const { stdout } = await run(cwd, '--dry-run')
  assert.match(stdout, /MANY_GET\.v1 .* h0 \(1\), h1 \(1\), h2 \(1\) and 997 or more others\n/)
  assert.match(stdout, / KIMx{97} \(1\)\n/)
  assert.match(stdout, /access\.log:2 is left out: with an operation of more than 1000 characters\n/)
})

test('16.19, 44.1 calls of other listeners become rows that pass exactly these, where the log says which they are', async () => {
  const plain = '/SSCDEV/PSIGW/HttpListeningConnector'
  const soap = '/SSCDEV/PSIGW/PeopleSoftServiceListeningConnector'
  const calls = [
    line(`POST ${plain}?Operation=JOB_SYNC.v1&From=PARTNER&To=PSFT_HR HTTP/1.1`),
    line(`POST ${plain}?OperationName=JOB_SYNC.v1&From=PARTNER&To=PSFT_HR&Password=secret HTTP/1.1`),
    line(`POST ${plain}?Operation=PROBE.v1 HTTP/1.1`, { status: 500 }),
    line(`POST ${plain} HTTP/1.1`),
    line(`POST ${soap}?Operation=OPEN.v1 HTTP/1.1`),
    line(`GET ${soap}?Operation=GetWSDL&wsdl=OPEN.1 HTTP/1.1`),
    line('POST /SSCDEV/PSIGW/PeopleSoftListeningConnector HTTP/1.1'),
  ]
  const cwd = makeProject({ 'access.log': calls.join('\n') })
  const { stdout } = await run(cwd, '--into', 'made')
  assert.match(stdout, /^HttpListeningConnector:JOB_SYNC\.v1:PARTNER:PSFT_HR +Basic +2 +0 /m)
  assert.match(stdout, /access\.log:4 is left out: whose operation is in a header, which the log does not have/)
  assert.ok(!stdout.includes('secret'))
  const { configuration } = await openProject(join(cwd, 'made'))
  const common = { passThrough: 'https://hr.example', verification: 'Basic', logDetail: 'none' }
  assert.deepEqual(Reflect.get(configuration, 'listeners'), [
    {
      ...common,
      connector: 'HttpListeningConnector',
      allow: [{ operation: 'JOB_SYNC.v1', from: 'PARTNER', to: 'PSFT_HR' }],
      wsdl: false,
      nodePassword: true,
    },
    {
      ...common,
      connector: 'PeopleSoftServiceListeningConnector',
      allow: [{ operation: 'OPEN.v1' }],
      wsdl: true,
      nodePassword: false,
    },
  ])
  assert.match(readFileSync(join(cwd, 'made/integrationGateway.properties'), 'utf8'), /SSCDEV\/PSIGW/)
})
