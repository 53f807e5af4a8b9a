/** `ig dev`, `ig start`, `ig access-token` and `ig check` as real processes (specification 2.12, 4.15, 8.2, 9.14 to 9.16). */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { openProgram } from '../../src/cli/main.ts'
import { verbs } from '../../src/cli/verbs.ts'
import { listCommands, pathOf } from '../../src/terminal/commands.ts'
import { afterwards } from '../support/afterwards.ts'
import {
  copyReference,
  type IgProcess,
  ig,
  makeProject,
  root,
  serve,
  spawnIg,
  withoutSlowLoads,
} from '../support/cli.ts'
import { testKey } from '../support/secret-key.ts'

const freePorts = ['--port', '0', '--issuer-port', '0']
const project = copyReference()

/** A first start, on any free ports. */
async function dev(
  folder: string,
): Promise<IgProcess & { readonly welcome: string; readonly base: string; readonly issuerPort: string }> {
  const serving = serve(['dev', folder, ...freePorts])
  const [welcome] = await serving.until(/[\s\S]*Ctrl-C stops[^\n]*\n/)
  const base = /Gateway +(http:\S+)/.exec(welcome)?.[1] ?? ''
  const issuerPort = /Issuer +http:\/\/127\.0\.0\.1:(\d+)/.exec(welcome)?.[1] ?? ''
  return { ...serving, welcome, base, issuerPort }
}

test('9.15, 9.16 ig dev prints a curl line for every operation, and each of them works as printed', async () => {
  const { welcome, base, issuerPort, stop } = await dev(project)
  assert.match(base, /^http:\/\/127\.0\.0\.1:\d+\/PSIGW\/RESTListeningConnector\/LOCAL_NODE$/)
  const curls = welcome.split('\n').filter((line) => line.startsWith('curl '))
  const outcomes: string[] = []
  for (const line of curls) {
    const { status, url } = await runCurl(line)
    outcomes.push(`${status} ${url.slice(base.length)}`)
  }
  assert.deepEqual(outcomes, [
    '200 /METADATA.v1/',
    '200 /METADATA_BASIC.v1/',
    '200 /METADATA_OAUTH2.v1/',
    '200 /KEY_VALUE.v1/',
    '200 /KEY_VALUE.v1/hello',
    '200 /KEY_VALUE.v1/hello',
    '200 /KEY_VALUE.v1/hello',
    '200 /ECHO.v1/echo/hello',
    '200 /ECHO.v1/echo/?value-to-echo=hello',
    '200 /CACHED_TIME.v1/',
    '200 /PSTOKEN.v1/',
    '200 /METADATA_TOKEN.v1/',
  ])

  const token = await spawnIg(['access-token', 'DEMO', '--project', project, '--issuer-port', issuerPort])
  assert.match(token.stdout, /^eyJ[\w-]+\.[\w-]+\.[\w-]+\n$/)
  const answer = await fetch(`${base}/METADATA_OAUTH2.v1/`, {
    headers: { authorization: `Bearer ${token.stdout.trim()}` },
  })
  assert.equal(((await answer.json()) as { currentUser: string }).currentUser, 'DEMO')

  const { code } = await stop('SIGINT')
  assert.equal(code, 0)
  const log = readFileSync(`${project}/data/logs/msgLog.html`, 'utf8')
  assert.match(log, /Fetched 1 signing key from/)
})

/** What the line would do in a shell: its words, and the one substitution that fetches a token. */
async function runCurl(line: string): Promise<{ readonly status: number; readonly url: string }> {
  const inner = /\$\((curl [^|]*?) \| grep -o 'eyJ\[\^"\]\*'\)/.exec(line)
  const token = inner ? /eyJ[^"]*/.exec(await (await callCurl(inner[1] ?? '')).text())?.[0] : undefined
  const plain = inner ? line.replace(inner[0], token ?? '') : line
  const response = await callCurl(plain)
  await response.arrayBuffer()
  return { status: response.status, url: response.url }
}

function callCurl(line: string): Promise<Response> {
  const words = [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, plain]) => single ?? double ?? plain ?? '',
  )
  const url = words.find((word) => word.startsWith('http:')) ?? ''
  const after = (option: string) => words[words.indexOf(option) + 1] ?? ''
  const headers = new Headers()
  if (words.includes('-u')) headers.set('authorization', `Basic ${btoa(after('-u'))}`)
  if (words.includes('-d')) headers.set('content-type', 'application/x-www-form-urlencoded')
  for (const [at, word] of words.entries()) {
    const [name = '', value = ''] = word === '-H' ? (words[at + 1] ?? '').split(/: (.*)/s) : []
    if (name) headers.set(name, value)
  }
  const method = words.includes('-X') ? after('-X') : words.includes('-d') ? 'POST' : 'GET'
  return fetch(url, { method, headers, ...(words.includes('-d') ? { body: after('-d') } : {}) })
}

test('9.15 a port in use is reported with the option that sets another', async () => {
  const busy = createServer().listen(0, '127.0.0.1')
  await once(busy, 'listening')
  afterwards(() => busy.close())
  const port = String((busy.address() as AddressInfo).port)
  const gateway = await ig(['dev', project, '--port', port, '--issuer-port', '0'])
  assert.equal(gateway.code, 1)
  assert.equal(
    withoutSlowLoads(gateway.stderr),
    `ig: Port ${port} is in use. Choose another with --port <n> or ig.port=<n> in integrationGateway.properties.\n`,
  )
  const issuer = await ig(['dev', project, '--port', '0', '--issuer-port', port], {
    env: { npm_lifecycle_event: 'start' },
  })
  assert.equal(issuer.code, 1)
  assert.equal(
    withoutSlowLoads(issuer.stderr),
    `ig: Port ${port} is in use. Choose another with npm start -- --issuer-port <n> or ig.sampleIssuer.port=<n> in integrationGateway.properties.\n`,
  )
})

test('9.15 two ports in use are reported at once', async () => {
  const both = [createServer().listen(0, '127.0.0.1'), createServer().listen(0, '127.0.0.1')]
  await Promise.all(both.map((server) => once(server, 'listening')))
  afterwards(() => both.forEach((server) => void server.close()))
  const [port = '', issuerPort = ''] = both.map((server) => String((server.address() as AddressInfo).port))
  const { code, stderr } = await ig(['dev', project, '--port', port, '--issuer-port', issuerPort])
  assert.equal(code, 1)
  assert.deepEqual(/^ig: (Port \d+ is in use)\..*\n(Port \d+ is in use)\..*\n$/.exec(stderr)?.slice(1), [
    `Port ${port} is in use`,
    `Port ${issuerPort} is in use`,
  ])
})

test('4.15 a signal that comes as soon as the process reports that it serves stops it gracefully', async () => {
  const module = join(import.meta.dirname, '../../src/serve/stop.ts')
  const script = `
    import { runUntilStopped } from ${JSON.stringify(module)}
    const serving = setInterval(() => {}, 1000)
    await runUntilStopped({
      observe() {},
      grace: 60_000,
      onReady: () => process.kill(process.pid, 'SIGTERM'),
      onStop: () => console.log('stopping'),
      async close() {
        clearInterval(serving)
        console.log('closed')
      },
    })`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close')
  assert.equal(await text(child.stdout), 'stopping\nclosed\n')
  assert.deepEqual(await ended, [0, null])
})

test('9.14 ig start has no operators except those that were added, says so, and stops on SIGTERM with exit code 0', async () => {
  const folder = copyReference()
  const serving = serve(['start', folder, '--port', '0'])
  const [, url] = await serving.until(/serving \S+ at (http:\S+)/)
  const answer = await fetch(`${url}/PSIGW/RESTListeningConnector/LOCAL_NODE/METADATA.v1/`)
  assert.match(await answer.text(), /User Id: {2}is not authorized for the operation METADATA_GET\./)
  const { code, stdout, stderr } = await serving.stop()
  assert.equal(code, 0)
  assert.match(stderr, /there are no operators yet[\s\S]*ig operator add <id> --permission-list PUBLIC --project /)
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.deepEqual(
    lines.map(({ event, refusal }) => event ?? refusal).filter((name) => name !== 'keysUnreachable'),
    ['started', 'permissionDenied', 'stopping'],
  )
})

test('9.14 ig start does not accept sample passwords from other machines', async () => {
  const folder = copyReference()
  const args = ['operator', 'add', 'DEMO', '--password-stdin', '--project', folder]
  assert.equal((await ig(args, { input: 'demo-password' })).code, 0)
  // No address of this machine: nothing would listen there.
  const { code, stderr } = await ig(['start', folder, '--host', '192.0.2.1', '--port', '0'])
  assert.equal(code, 1)
  assert.match(
    stderr,
    /^ig: DEMO of this database has its sample password, which is public in the project; ig start does not serve them on 192\.0\.2\.1\./,
  )
})

const carelessHandler = `
export class Careless {
  onRequest(request, { broker }) {
    Promise.reject(new Error('forgotten promise'))
    const response = broker.createMessage(request.operationName, 'response')
    response.setContentString('fine')
    return response
  }
}
export class Fatal {
  onRequest(request, { broker }) {
    setImmediate(() => { throw new Error('thrown outside') })
    return broker.createMessage(request.operationName, 'response')
  }
}
`
const carelessConfig = `
import { defineGateway } from 'integration-gateway'
const operation = { service: 'S', method: 'GET', uriTemplates: ['/'] }
export default defineGateway({
  nodes: [{ name: 'LOCAL', isDefaultLocal: true }, { name: 'ANONYMOUS', defaultUser: 'NOBODY' }],
  services: [{ name: 'S' }],
  operations: [
    { ...operation, name: 'CARELESS', handler: 'handler.js#Careless' },
    { ...operation, name: 'FATAL', handler: 'handler.js#Fatal' },
  ],
  permissionLists: [{ name: 'ALL', services: ['S'] }],
})
export const sampleOperators = [{ id: 'NOBODY', password: 'nobody-password', email: 'x@example.com', permissionLists: ['ALL'] }]
`

test('4.15 a rejected promise and an uncaught error of a handler are logged as errors; the first stops nothing, the second stops the gateway gracefully', async () => {
  const folder = makeProject({ 'gateway.config.js': carelessConfig, 'handler.js': carelessHandler })
  const add = ['operator', 'add', 'NOBODY', '--permission-list', 'ALL', '--password-stdin', '--project', folder]
  const added = await ig(add, { input: 'a long password' })
  assert.equal(added.code, 0, added.stderr)
  const serving = serve(['start', folder, '--port', '0'])
  const [, url] = await serving.until(/serving \S+ at (http:\S+)/)
  const base = `${url}/PSIGW/RESTListeningConnector/LOCAL`
  for (let call = 0; call < 2; call++) assert.equal(await (await fetch(`${base}/CARELESS.v1/`)).text(), 'fine')
  assert.equal((await fetch(`${base}/FATAL.v1/`)).status, 200)
  const { code, stderr } = await serving.ended
  assert.equal(code, 1)
  assert.match(stderr, /An error was not caught/)
  const log = readFileSync(`${folder}/data/logs/errorLog.html`, 'utf8')
  assert.match(log, /forgotten promise/)
  assert.match(log, /Error: thrown outside\n {4}at .*handler\.js/)
})

test('9.15 ig dev listens on loopback only, whatever ig.host says', async () => {
  const serving = serve(['dev', project, ...freePorts], { env: { IG_HOST: '192.0.2.1' } })
  const [, host] = await serving.until(/Gateway +http:\/\/([^:]+):/)
  assert.equal(host, '127.0.0.1')
  await serving.until(/ig dev listens on this machine only/)
  await serving.stop()
})

test('2.12, 8.2 ig check reports every error of settings and project at once', async () => {
  const folder = makeProject({
    'gateway.config.js': 'export default { services: [{ nam: "x" }] }',
    'integrationGateway.properties': 'ig.prot=1\nig.log.level=9\nig.isc.userid=x',
  })
  const { code, stdout } = await ig(['check', folder, '--json'])
  assert.equal(code, 1)
  const { problems, warnings } = JSON.parse(stdout)
  const paths = problems.map(({ path }: { path: string }) => path)
  for (const path of ['ig.prot', 'ig.log.level', 'services[0].nam'])
    assert.ok(paths.includes(path), `${path} in ${paths}`)
  assert.deepEqual(warnings, [])
  assert.match(
    (await ig(['check', folder])).stdout,
    /^The settings have 2 errors:\n {2}ig\.prot is not a setting; did you mean ig\.port\?/,
  )
  assert.ok(!existsSync(`${folder}/data`), 'nothing was started')
})

test('2.12 a folder without a project is a failure of ig check, not a problem that it reports', async () => {
  const folder = makeProject({})
  for (const path of [join(folder, 'missing'), folder]) {
    const { code, stdout, stderr } = await ig(['check', path])
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(stderr, /^The project has an error:\n.* does not exist/)
    assert.equal(JSON.parse((await ig(['check', path, '--json'])).stdout).problems.length, 1)
  }
})

test('2.12 npm run ig -- check uses the current folder, and names the folder if it has no project', async () => {
  const folder = makeProject({})
  const env = {
    PATH: process.env.PATH,
    IG_SECRETKEY: testKey,
    npm_lifecycle_event: 'ig',
    npm_package_json: join(root, 'package.json'),
  }
  const command = ['--conditions=integration-gateway-source', join(root, 'bin/ig.js'), 'check'] // as the script of the checkout has it
  const checkIn = (INIT_CWD: string) =>
    spawnSync(process.execPath, command, { cwd: root, env: { ...env, INIT_CWD }, encoding: 'utf8' })
  assert.match(checkIn(project).stdout, /^No errors: 11 operations/)
  const { status, stderr } = checkIn(folder)
  assert.deepEqual([status, stderr.includes(`gateway.config.ts does not exist in ${realpathSync(folder)}:`)], [1, true])
})

test('14.8 every verb about a project takes it with --project, and those that took it as an argument still do', async () => {
  for (const named of [['--project', project], [project], [project, '--project', `${project}/.`]]) {
    const { code, stdout } = await ig(['check', ...named])
    assert.deepEqual([code, /^No errors: 11 operations/.test(stdout)], [0, true], named.join(' '))
  }
  assert.deepEqual(await ig(['check', project, '--project', root]), {
    code: 1,
    stdout: '',
    stderr: `ig: two projects are given, ${project} and ${root}. Give one, with --project <folder>.\n`,
  })
  const program = await openProgram(process, Object.keys(verbs))
  const lacking = listCommands(program).filter((command) => {
    const isGroup = command.commands.length > 0
    return !isGroup && !command.options.some(({ long }) => long === '--project')
  })
  assert.deepEqual(
    lacking.map(pathOf),
    [
      ...['new', 'start-worker', 'compare', 'report', 'import requests', 'import postman', 'import openapi'],
      ...['import wadl', 'import access-log', 'import definitions', 'record', 'completion'],
    ].map((path) => `ig ${path}`),
  )
})

test('2.12 ig check finds no error in the reference project', async () => {
  const { code, stdout, stderr } = await ig(['check'], { cwd: project })
  assert.deepEqual(
    { code, stdout, stderr },
    { code: 0, stdout: 'No errors: 11 operations, 1 service, 2 permission lists.\n', stderr: '' },
  )
})

test('6.9 ig check reports a handler that reads the operator and caches without a stated policy', async () => {
  const folder = copyReference()
  const path = `${folder}/gateway.config.ts`
  const config = readFileSync(path, 'utf8')
  writeFileSync(path, config.replace(/^ *cacheKeyPolicy: .*$/m, ''))
  const { code, stdout } = await ig(['check', folder, '--json'])
  const { problems, warnings } = JSON.parse(stdout)
  assert.deepEqual([code, problems, warnings.length], [0, [], 1])
  assert.match(warnings[0].path, /^operations\[\d+\]\.cacheKeyPolicy$/)
})

test('3.16 an ig.AuthorizationServer that the configuration does not register stops the start', async () => {
  const { code, stderr } = await ig(['start', project, '--port', '0'], { env: { IG_AUTHORIZATIONSERVER: 'OTHER' } })
  assert.equal(code, 1)
  assert.match(stderr, /ig\.AuthorizationServer names no OAuth2 service app: OTHER\. Registered are: SAMPLE_ISSUER/)
})

test('8.2 a certificate that cannot be read stops the start, and the error names the setting', async () => {
  const folder = copyReference({ 'wrong.pem': 'no certificate' })
  const missing = await ig(['start', folder, '--port', '0'], {
    env: { IG_TLS_CERT: 'gone.pem', IG_TLS_KEY: 'gone.pem' },
  })
  assert.equal(missing.code, 1)
  assert.match(missing.stderr, /^ig: ig\.tls\.cert cannot be read: ENOENT/m)
  const wrong = await ig(['start', folder, '--port', '0'], {
    env: { IG_TLS_CERT: 'wrong.pem', IG_TLS_KEY: 'integrationGateway.properties' },
  })
  assert.equal(wrong.code, 1)
  assert.match(wrong.stderr, /^ig: ig\.tls\.cert and ig\.tls\.key are not a PEM certificate and its key: /m)
})

test('9.16 ig access-token outside a project asks for its folder', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ig-none-'))
  afterwards(() => rmSync(folder, { recursive: true }))
  const { code, stderr } = await ig(['access-token', 'DEMO'], { cwd: folder })
  assert.equal(code, 1)
  const told = 'is not a project: it has no gateway.config.ts. Name the folder with --project <folder>.'
  assert.equal(stderr, `ig: ${realpathSync(folder)} ${told}\n`)
})

test('9.16 if the sample issuer does not respond, ig access-token names the address that it tried', async () => {
  const free = createServer().listen(0, '127.0.0.1')
  await once(free, 'listening')
  const { port } = free.address() as AddressInfo
  await new Promise((resolve) => free.close(resolve))
  const { code, stderr } = await ig(['access-token', 'DEMO', '--project', project, '--issuer-port', String(port)])
  assert.deepEqual(
    [code, stderr],
    [
      1,
      `ig: the sample issuer does not answer at http://127.0.0.1:${port}/token. Is ig dev running? Name another port with --issuer-port <n> or ig.sampleIssuer.port.\n`,
    ],
  )
})

for (const { env, coloured } of [
  { env: { FORCE_COLOR: '1', NO_COLOR: '' }, coloured: true },
  { env: { FORCE_COLOR: '1', NO_COLOR: '1' }, coloured: false },
  { env: { FORCE_COLOR: '0', NO_COLOR: '' }, coloured: false },
  { env: { FORCE_COLOR: '', NO_COLOR: '' }, coloured: false },
]) {
  test(`32.5 failures are red; off a terminal there are ${coloured ? '' : 'no '}colours with ${JSON.stringify(env)}`, async () => {
    const { stdout } = await ig(['settings'], { env })
    assert.equal(stdout.includes('\x1b[1m'), coloured)
    const folder = makeProject({ 'gateway.config.ts': 'export default {' })
    const red = (text: string) => (coloured ? `\x1b[31m${text}\x1b[0m` : text)
    for (const args of [
      ['check', 'no-such-folder'],
      ['check', '--project', folder],
    ]) {
      const { stdout: reported, stderr } = await ig(args, { env })
      assert.equal(`${reported}${stderr}`.split('\n')[0], red('The project has an error:'))
    }
    const { stderr } = await ig(['chek'], { env })
    assert.equal(stderr.split('\n')[0], `${red('error:')} unknown command 'chek'`)
  })
}
