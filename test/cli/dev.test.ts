/** What is saved is live: `ig dev` as a real process, its project edited while clients call (specification 14). */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { get as getSecurely } from 'node:https'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectSecurely } from 'node:tls'
import { makeCertificate } from '../support/certificate.ts'
import { ig, makeProject, readSetupLink, serve, withoutSlowLoads } from '../support/cli.ts'
import { poll } from '../support/poll.ts'
import { openRawSocket } from '../support/raw-socket.ts'

const handler = (answer: string, more = '') => `
${more}
export class Hello {
  onRequest(request, { broker }) {
    const response = broker.createMessage(request.operationName, 'response')
    response.setContentString(${answer})
    return response
  }
}
`
const config = (more = '') => `
import { defineGateway, defineSampleOperators } from 'integration-gateway'

export default defineGateway({
  nodes: [{ name: 'LOCAL', isDefaultLocal: true }, { name: 'ANONYMOUS', defaultUser: 'GUEST' }],
  services: [{ name: 'S' }],
  operations: [
    { service: 'S', name: 'HELLO', method: 'GET', uriTemplates: ['/'], handler: 'handlers/hello.ts#Hello' },${more}
  ],
  permissionLists: [{ name: 'ALL', services: ['S'] }],
})
export const sampleOperators = defineSampleOperators([
  { id: 'GUEST', password: 'guest-password', email: 'guest@example.com', permissionLists: ['ALL'] },
])
`
const second = `
    { service: 'S', name: 'SECOND', method: 'GET', uriTemplates: ['/'], handler: 'handlers/hello.ts#Hello' },`

async function dev(files: Readonly<Record<string, string>> = {}, more: readonly string[] = []) {
  const folder = makeProject({ 'gateway.config.ts': config(), 'handlers/hello.ts': handler(`'one'`), ...files })
  const serving = serve(['dev', folder, '--port', '0', ...more])
  const [, base = ''] = await serving.until(/Gateway +(http:\S+)/)
  await serving.until(/Ctrl-C stops/)
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
  return { ...serving, folder, url: `${base}/HELLO.v1/`, base, write }
}

function read(url: string, agent: Agent): Promise<string> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part) => {
        text += part
      })
      response.on('end', () => resolve(text)).on('error', reject)
    }).on('error', reject)
  })
}

/** Calls on connections that are kept and on new ones, until it is stopped: some hundred during a reload, which needs the processor, too. */
function stream(url: string) {
  const agents = [new Agent({ keepAlive: true }), new Agent({ keepAlive: true }), new Agent({ keepAlive: false })]
  const seen = new Set<string>()
  let isOver = false
  const running = Promise.all(
    agents.map(async (agent) => {
      for (; !isOver; await sleep(10)) seen.add(await read(url, agent))
      agent.destroy()
    }),
  )
  running.catch(() => {})
  return {
    /** Rejects where a call was dropped. @returns every answer that was seen */
    async stop() {
      isOver = true
      await running
      return seen
    },
  }
}

/** Keeps the event loop busy forever, and the processor free for other tests. */
const endless = 'for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000);'

/** What serves, and what is about to: the supervisor itself is not counted. */
function listProcesses(supervisor: number | undefined): readonly string[] {
  const list = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
  return list
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .flatMap(([pid = '', parent]) => (parent === String(supervisor) && pid ? [pid] : []))
}

test('14.1, 14.3 a saved handler takes effect, and no call on old or new connections is dropped', async () => {
  const { url, until, stop, write } = await dev()
  const calls = stream(url)
  write('handlers/hello.ts', handler(`'two'`))
  await until(/Reloaded in \d+ ms: handlers\/hello\.ts\n/)
  assert.equal(await read(url, new Agent()), 'two')
  assert.deepEqual(
    [...(await calls.stop())].filter((answer) => answer !== 'one' && answer !== 'two'),
    [],
  )
  assert.equal((await stop()).code, 0)
})

test('14.1 a saved configuration takes effect, and added and removed operations are listed', async () => {
  const { url, base, until, stop, write } = await dev()
  const calls = stream(url)
  write('gateway.config.ts', config(second))
  await until(/Reloaded in \d+ ms: gateway\.config\.ts\n {2}\+ SECOND_GET\.v1\n/)
  assert.equal(await (await fetch(`${base}/SECOND.v1/`)).text(), 'one')
  write('gateway.config.ts', config())
  await until(/Reloaded in \d+ ms: gateway\.config\.ts\n {2}- SECOND_GET\.v1\n/)
  assert.equal((await fetch(`${base}/SECOND.v1/`)).headers.get('ig-refusal'), 'operationNotFound')
  assert.deepEqual([...(await calls.stop())], ['one'])
  await stop()
})

test('14.9, 13.6 with --revisions the configuration is edited in administration, and a saved configuration file is reported, not served', async () => {
  const serving = await dev({}, ['--revisions', '--admin-port', '0'])
  const { url, base, until, stop, write } = serving
  await until(/Configuration +revision 1 {2}\(edited in the console\)/)
  assert.equal((await fetch(url)).headers.get('ig-revision'), '1')
  const { url: admin, token } = await readSetupLink(serving)
  const change = async (path: string, body: object, headers: Readonly<Record<string, string>> = {}) => {
    const sent = { 'content-type': 'application/json', ...headers }
    const response = await fetch(admin + path, { method: 'POST', headers: sent, body: JSON.stringify(body) })
    const etag = response.headers.get('etag') ?? ''
    return {
      etag,
      cookie: response.headers.get('set-cookie')?.split(';')[0] ?? '',
      body: (await response.json()) as Record<string, unknown>,
    }
  }
  const first = await change('/api/invitation', { token, name: 'kim', password: 'a long sentence is a good one' })
  const session = { cookie: first.cookie, 'x-csrf-token': String(first.body.csrfToken) }
  const draft = (await change('/api/drafts', { title: 'A second' }, session)).body.id
  const operation = { service: 'S', name: 'SECOND', method: 'GET', handler: 'handlers/hello.ts#Hello' }
  await change(`/api/drafts/${draft}/operations`, operation, session)
  const read = await fetch(`${admin}/api/drafts/${draft}`, { headers: session })
  const seen = { ...session, 'if-match': read.headers.get('etag') ?? '' }
  assert.equal((await change(`/api/drafts/${draft}/activate`, {}, seen)).body.revision, 2)
  assert.equal(await (await fetch(`${base}/SECOND.v1/`)).text(), 'one')

  write('handlers/hello.ts', handler(`'two'`))
  await until(/Reloaded in \d+ ms: handlers\/hello\.ts\n/)
  const answer = await fetch(`${base}/SECOND.v1/`)
  assert.deepEqual([answer.headers.get('ig-revision'), await answer.text()], ['2', 'two'])
  write('gateway.config.ts', config().replace("[{ name: 'S' }]", "[{ name: 'S' }, { name: 'T' }]"))
  await until(/the project's files differ from revision 2 in \d places\. Show them with ig drift/)
  assert.equal((await fetch(url)).headers.get('ig-revision'), '2')
  assert.equal((await stop()).code, 0)
})

test('14.2 changes of settings, migrations, new folders and files that a handler reads take effect; those of data, dot files and editors’ files do not', async () => {
  const { url, until, stop, write, folder } = await dev({
    'integrationGateway.properties': 'ig.database=own.sqlite\n',
    'data/x.ts': '',
    'handlers/hello.ts': handler(
      `readFileSync(new URL('../words.txt', import.meta.url), 'utf8')`,
      "import { readFileSync } from 'node:fs'",
    ),
    'words.txt': 'before',
  })
  for (const name of [
    '.hidden',
    'handlers/hello.ts~',
    'handlers/.hello.ts.swp',
    '4913',
    'node_modules/x.ts',
    'data/x.ts',
  ])
    write(name, '<<< not TypeScript')
  write('words.txt', 'after')
  await until(/Reloaded in \d+ ms: words\.txt\n/)
  assert.equal(await (await fetch(url)).text(), 'after')
  mkdirSync(join(folder, 'migrations'))
  write('migrations/0001-none.ts', 'export async function up() {}')
  await until(/Reloaded in \d+ ms: migrations\/0001-none\.ts\n/)
  write('integrationGateway.properties', 'ig.database=own.sqlite\nig.dbname=OTHER\n')
  await until(/Reloaded in \d+ ms: integrationGateway\.properties\n/)
  write('handlers/next.ts', handler(`'renamed'`))
  await until(/Reloaded in \d+ ms: handlers\/next\.ts\n/)
  renameSync(join(folder, 'handlers/next.ts'), join(folder, 'handlers/hello.ts'))
  await until(/Reloaded in \d+ ms: handlers\/hello\.ts, handlers\/next\.ts\n/)
  assert.equal(await (await fetch(url)).text(), 'renamed')
  assert.doesNotMatch((await stop()).stdout, /Reloaded.*own/)
})

for (const [title, more] of [
  ['waits', 'await new Promise(() => {})'],
  ['loops', endless],
] as const) {
  test(`14.5 code that ${title} forever while it loads is reported, and the next change replaces it`, async () => {
    const { url, until, stop, write, process: supervisor } = await dev()
    write('handlers/hello.ts', handler(`'never'`, more))
    await until(/Still loading handlers\/hello\.ts: .* The previous version is still served\.\n/)
    assert.equal(await read(url, new Agent()), 'one')
    write('handlers/hello.ts', handler(`'two'`))
    await until(/Reloaded in \d+ ms: handlers\/hello\.ts\n/)
    assert.equal(await read(url, new Agent()), 'two')
    const workers = listProcesses(supervisor.pid)
    assert.equal((await stop()).code, 0)
    for (const pid of workers) assert.throws(() => process.kill(Number(pid), 0), { code: 'ESRCH' })
  })
}

test('14.3 an idle connection moves to the next process: its next call runs the new code', async () => {
  const { url, until, stop, write } = await dev()
  const { host, pathname } = new URL(url)
  const socket = await openRawSocket(`http://${host}`)
  const fresh = await openRawSocket(`http://${host}`)
  const call = `GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\n\r\n`
  socket.write(call)
  assert.equal((await socket.readReply()).text, 'one')
  fresh.write(call.slice(0, 20)) // a call that has begun stays where it is, and is answered there
  write('handlers/hello.ts', handler(`'two'`))
  await until(/Reloaded/)
  socket.write(call)
  assert.equal((await socket.readReply()).text, 'two')
  fresh.write(call.slice(20))
  assert.match((await fresh.readReply()).text, /^(?:one|two)$/)
  write('handlers/hello.ts', handler(`'three'`))
  await until(/Reloaded[\s\S]*Reloaded/)
  socket.write(call)
  assert.equal((await socket.readReply()).text, 'three')
  await stop()
})

const faults = [
  {
    title:
      '14.5 a syntax error in TypeScript is reported with its line, and the last valid project continues to be served',
    name: 'handlers/hello.ts',
    text: `export class Hello {\n  onRequest( {\n}\n`,
    told: /The project has an error:\n {2}gateway\.config\.ts:8 operations\[0\]\.handler cannot be loaded: handlers\/hello\.ts:\d: /,
  },
  {
    title: '14.5 a module that throws at import is reported with the line that throws',
    name: 'handlers/hello.ts',
    text: handler(`'two'`, `throw new Error('not today')`),
    told: /gateway\.config\.ts:8 operations\[0\]\.handler cannot be loaded: handlers\/hello\.ts:2: not today/,
  },
  {
    title: '14.5 an incomplete file is an error like any other',
    name: 'handlers/hello.ts',
    text: handler(`'two'`).slice(0, 90),
    told: /cannot be loaded: handlers\/hello\.ts:\d+: /,
  },
  {
    title: '14.5 all errors of a configuration are reported, each with its file and line',
    name: 'gateway.config.ts',
    text: config(`
    { service: 'NONE', name: 'THIRD', method: 'GET', uriTemplates: ['/'], handler: 'handlers/hello.ts#Hello' },
    {
      service: 'S',
      name: 'FOURTH',
      method: 'GET',
      uriTemplates: ['/'],
      handler: 'handlers/gone.ts#Gone',
    },`),
    told: /has 2 errors:\n {2}gateway\.config\.ts:9 operations\[1\]\.service [^\n]*\n {2}gateway\.config\.ts:15 operations\[2\]\.handler names a file that does not exist/,
  },
  {
    title: '14.5 a process that ends while it loads is reported',
    name: 'handlers/hello.ts',
    text: 'process.exit(7)',
    told: /The serving process ended with exit code 7\./,
  },
  {
    title: '14.5 an error of the settings is reported with its line',
    name: 'integrationGateway.properties',
    text: '\nig.prot=1',
    told: /The settings have an error:\n {2}ig\.prot is not a setting.* \(integrationGateway\.properties, line 2\)/,
  },
] as const

test('14.5 an error in the project or its settings leaves the previous version serving, and once mended the next one', async (t) => {
  const { url, fromNow, stop, write, folder } = await dev()
  let answer = 'one'
  for (const { title, name, text, told } of faults) {
    await t.test(title, async () => {
      const calls = stream(url)
      const until = fromNow()
      write(name, text)
      await until(told)
      await until(/The previous version is still served\./)
      assert.deepEqual([...(await calls.stop())], [answer])
      answer = `mended after: ${title}`
      const untilMended = fromNow()
      if (name === 'integrationGateway.properties') rmSync(join(folder, name))
      write('gateway.config.ts', config())
      write('handlers/hello.ts', handler(JSON.stringify(answer)))
      await untilMended(/Reloaded/)
      assert.equal(await (await fetch(url)).text(), answer)
    })
  }
  assert.equal((await stop()).code, 0)
})

test('14.2 a file that is written in pieces is read once writing has paused', async () => {
  const { url, until, stop, folder, write } = await dev()
  const whole = handler(`'pieces'`)
  write('handlers/hello.ts', '')
  for (let at = 0; at < whole.length; at += 20)
    appendFileSync(join(folder, 'handlers/hello.ts'), whole.slice(at, at + 20))
  await until(/Reloaded/)
  assert.equal(await (await fetch(url)).text(), 'pieces')
  const { stderr } = await stop()
  assert.equal(withoutSlowLoads(stderr), '')
})

test('14.3 a change made while another one is loading wins, even if the other never finishes loading', async () => {
  const { url, until, stop, write } = await dev()
  write('handlers/hello.ts', `console.log('hangs')\nawait new Promise(() => {})\n${handler(`'never'`)}`)
  await until(/^hangs$/m)
  write('handlers/hello.ts', handler(`'newer'`))
  await until(/Reloaded/)
  assert.equal(await (await fetch(url)).text(), 'newer')
  assert.equal((await stop()).code, 0)
})

test('14.6 a process that ends by itself is restarted, and calls that arrive meanwhile wait', async () => {
  const { url, until, stop } = await dev({
    'handlers/hello.ts': handler(`'one'`, `let calls = 0`).replace(
      'const response',
      'if (++calls === 2) process.exit(3)\n    const response',
    ),
  })
  assert.equal(await (await fetch(url)).text(), 'one')
  await assert.rejects(fetch(url))
  await until(/The serving process ended with exit code 3\. Restarting it\./)
  assert.equal(await (await fetch(url)).text(), 'one')
  assert.equal((await stop()).code, 0)
})

test('14.6 an uncaught error replaces the process', async () => {
  const { url, until, stop } = await dev({
    'handlers/hello.ts': handler(`'one'`, `let calls = 0`).replace(
      'const response',
      `if (++calls === 2) setImmediate(() => { throw new Error('thrown outside') })\n    const response`,
    ),
  })
  for (let call = 0; call < 2; call++) assert.equal(await (await fetch(url)).text(), 'one')
  await until(/ended by an uncaught error\. Restarting it\./)
  await until(/Serving again/)
  assert.equal(await (await fetch(url)).text(), 'one')
  assert.equal((await stop()).code, 0)
})

/** A process that stayed would stay at each of them. */
const changes = Number(process.env.IG_TEST_CHANGES ?? 2)

test('14.3 successive changes leave no process behind, and neither does the end', async () => {
  const { url, until, stop, write, process: supervisor } = await dev()
  const calls = stream(url)
  for (let change = 1; change <= changes; change++) {
    write('handlers/hello.ts', handler(`'change ${change}'`))
    write(`change-${change}.txt`, '')
    await until(new RegExp(`Reloaded in .*change-${change}\\.txt`))
  }
  assert.equal(await read(url, new Agent()), `change ${changes}`)
  await calls.stop()
  await poll(() => listProcesses(supervisor.pid).length <= 2) // the last one to go is still going
  const left = listProcesses(supervisor.pid)
  assert.equal((await stop('SIGINT')).code, 0)
  for (const pid of left) assert.throws(() => process.kill(Number(pid), 0), { code: 'ESRCH' })
})

test('14.3 if the supervisor is killed, its processes end too', async () => {
  const { process: supervisor, stop } = await dev()
  assert.ok(listProcesses(supervisor.pid).length > 0)
  await stop('SIGKILL') // resolves when each of them has closed its standard output
})

test('14.3 a second Ctrl-C leaves no process behind, not even one in an endless loop', async () => {
  const loop = `(console.error('looping in ' + process.pid), (() => { ${endless} })())`
  const { process: supervisor, url, until } = await dev({ 'handlers/hello.ts': handler(loop) })
  read(url, new Agent()).catch(() => {})
  await until(/looping in \d+/)
  supervisor.kill('SIGINT')
  await until(/Press Ctrl-C again to stop immediately/)
  const again = setInterval(() => supervisor.kill('SIGINT'), 100) // one that comes with the first is not another wish
  await once(supervisor, 'close') // when each of them has closed its standard output
  clearInterval(again)
  assert.equal(supervisor.exitCode, 130)
})

test('14.4 a first start with errors reports them and waits; once they are fixed, the project is served', async () => {
  const folder = makeProject({ 'gateway.config.ts': config(second), 'handlers/hello.ts': 'export const Hello = 1' })
  const { until, stop } = serve(['dev', folder, '--port', '0'])
  await until(/^The project has an error:\n {2}gateway\.config\.ts:8 operations\[0\]\.handler names Hello of /m)
  await until(/^Nothing is served until the errors are fixed\. Waiting for a file to change; Ctrl-C stops\.$/m)
  writeFileSync(join(folder, 'handlers/hello.ts'), handler(`'mended'`))
  const [, base = ''] = await until(/Gateway +(http:\S+)/)
  assert.equal(await (await fetch(`${base}/HELLO.v1/`)).text(), 'mended')
  assert.equal((await stop()).code, 0)
})

test('14.4 a folder without a configuration ends the first start with exit code 1', async () => {
  const folder = makeProject({ 'handlers/hello.ts': handler(`'one'`) })
  const { code, stdout, stderr } = await serve(['dev', folder, '--port', '0']).ended
  assert.deepEqual([code, stdout], [1, ''])
  assert.match(
    stderr,
    /^The project has an error:\n {2}gateway\.config\.ts does not exist in \S+: name the folder of a project/m,
  )
})

test('14.4 a database that cannot be used ends the first start with exit code 1', async () => {
  const files = { 'integrationGateway.properties': 'ig.database=data/old.db\n', 'data/old.db': 'of something else' }
  const folder = makeProject({ 'gateway.config.ts': config(), ...files, 'handlers/hello.ts': handler(`'one'`) })
  const { code, stdout, stderr } = await serve(['dev', folder, '--port', '0']).ended
  assert.deepEqual([code, stdout], [1, ''])
  assert.match(withoutSlowLoads(stderr), /^ig: The SQLite database \S+old\.db is damaged: file is not a database\./)
})

test('23.3 ig dev --new starts with an empty database and renames the existing one, unless another process uses it (SQLite)', async () => {
  const folder = makeProject({ 'gateway.config.ts': config(), 'handlers/hello.ts': handler(`'one'`) })
  await ig(['operator', 'add', 'KIM', '--no-password', '--project', folder])
  const operators = async () => {
    const { stdout } = await ig(['operator', 'list', '--json', '--project', folder])
    return JSON.parse(stdout).items.map(({ id }: { readonly id: string }) => id)
  }
  assert.deepEqual(await operators(), ['KIM'])
  const serving = serve(['dev', folder, '--port', '0', '--new'])
  const [, former = ''] = await serving.until(/^The previous database is now (\S+gateway-before-\S+\.sqlite)\.$/m)
  await serving.until(/Ctrl-C stops/)
  assert.deepEqual(await operators(), ['GUEST'])
  const other = await serve(['dev', folder, '--port', '0', '--new']).ended
  assert.match(
    withoutSlowLoads(other.stderr),
    /^ig: \S+gateway\.sqlite is in use\. Stop the process that uses it, or omit/,
  )
  assert.equal(other.code, 1)
  await serving.stop()
  renameSync(former, join(folder, 'data', 'gateway.sqlite'))
  assert.deepEqual(await operators(), ['KIM'])
})

test('14.5, 14.6 a process that ends by itself while the project has errors is restarted when a file changes', async () => {
  const ending = handler(`'one'`, `let calls = 0`).replace(
    'const response',
    'if (++calls === 2) process.exit(3)\n    const response',
  )
  const { url, until, stop, write } = await dev({ 'handlers/hello.ts': ending })
  assert.equal(await (await fetch(url)).text(), 'one')
  write('handlers/hello.ts', 'export class {')
  await until(/The previous version is still served\./)
  await assert.rejects(fetch(url))
  await until(/Nothing is served until the errors are fixed\./)
  await assert.rejects(fetch(url), 'nobody is left waiting')
  write('handlers/hello.ts', handler(`'mended'`))
  await until(/Reloaded/)
  assert.equal(await (await fetch(url)).text(), 'mended')
  assert.equal((await stop()).code, 0)
})

test('14.3 calls over TLS run the new code, and none on a new connection is dropped', async () => {
  const { cert, key } = makeCertificate()
  const settings = 'ig.tls.port=0\nig.tls.cert=cert.pem\nig.tls.key=key.pem\n'
  const files = { 'cert.pem': cert, 'key.pem': key, 'integrationGateway.properties': settings }
  const { until, stop, write } = await dev(files)
  const [, base = ''] = await until(/TLS +(https:\S+)/)
  const seen = new Set<string>()
  let isOver = false
  const calling = (async () => {
    for (; !isOver; await sleep(5)) seen.add(await readSecurely(`${base}/HELLO.v1/`, cert))
  })()
  write('handlers/hello.ts', handler(`'two'`))
  await until(/Reloaded in \d+ ms: handlers\/hello\.ts\n/)
  assert.equal(await readSecurely(`${base}/HELLO.v1/`, cert), 'two')
  isOver = true
  await calling
  assert.deepEqual(
    [...seen].filter((answer) => answer !== 'one' && answer !== 'two'),
    [],
  )
  assert.equal((await stop()).code, 0)
})

test('14.3 a TLS connection without a call is closed when the process is replaced', async () => {
  const { cert, key } = makeCertificate()
  const settings = 'ig.tls.port=0\nig.tls.cert=cert.pem\nig.tls.key=key.pem\nig.limits.headersTimeout=1h\n'
  const files = { 'cert.pem': cert, 'key.pem': key, 'integrationGateway.properties': settings }
  const { until, stop, write } = await dev(files)
  const [, port = ''] = await until(/TLS +https:\S+?:(\d+)/)
  const socket = connectSecurely({ host: '127.0.0.1', port: Number(port), ca: cert })
  await once(socket, 'secureConnect')
  write('handlers/hello.ts', handler(`'two'`))
  socket.resume()
  await once(socket, 'close')
  assert.equal((await stop()).code, 0)
})

function readSecurely(url: string, ca: string): Promise<string> {
  return new Promise((resolve, reject) => {
    getSecurely(url, { ca, agent: false }, (response) => text(response).then(resolve, reject)).on('error', reject)
  })
}

/** What `process.pid` is where the debugger is attached. */
async function readInspectedPid(port: number): Promise<string> {
  const [{ webSocketDebuggerUrl }] = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as [
    { webSocketDebuggerUrl: string },
  ]
  const socket = new WebSocket(webSocketDebuggerUrl)
  await once(socket, 'open')
  socket.send(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: { expression: 'process.pid' } }))
  const [{ data }] = (await once(socket, 'message')) as [MessageEvent]
  socket.close()
  return String(JSON.parse(data).result.result.value)
}

async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}

test('7.8, 14.3 ig dev accepts a connection for every three descriptors that are left; the next one when another is closed', {
  skip: process.platform === 'win32' && 'no limit of descriptors there',
}, async () => {
  const folder = makeProject({ 'gateway.config.ts': config(), 'handlers/hello.ts': handler(`'one'`) })
  const node = join(folder, 'node.sh')
  writeFileSync(node, `#!/bin/sh\nulimit -n 300\nexec '${process.execPath}' "$@"\n`, { mode: 0o755 })
  const serving = serve(['dev', folder, '--port', '0', '--admin-port', 'off'], { node })
  const [, url = ''] = await serving.until(/Gateway +(http:\S+)/)
  await serving.until(/Ctrl-C stops/)
  const crowd = await Promise.all(Array.from({ length: 150 }, () => openRawSocket(new URL(url).origin)))
  await serving.until(/New connections are closed: 68 are open/)
  const countOpen = () => crowd.filter(({ socket }) => !socket.readableEnded && !socket.destroyed).length
  for (const { socket } of crowd) socket.resume()
  await poll(async () => countOpen() === 68)
  for (const { destroy } of crowd) destroy()
  await poll(async () => {
    const response = await fetch(`${url}/HELLO.v1/`).catch(() => undefined)
    return (await response?.text()) === 'one'
  })
  await serving.stop()
})

test('8.56 ig dev --inspect attaches to the process that runs handlers, also after a change', async () => {
  const port = await findFreePort()
  const { url, write, until, stop } = await dev({ 'handlers/hello.ts': handler('String(process.pid)') }, [
    '--inspect',
    `${port}`,
  ])
  const call = async () => (await fetch(url)).text()
  const before = await call()
  assert.equal(await readInspectedPid(port), before)
  write('handlers/hello.ts', handler("String(process.pid) + ''"))
  await until(/Reloaded in \d+ ms: handlers\/hello\.ts\n/)
  const after = await call()
  assert.notEqual(after, before)
  await poll(async () => (await readInspectedPid(port).catch(() => '')) === after)
  await stop()
})

test('8.56 ig dev logs at level 4 unless ig.log.level is set', async () => {
  const noting = `
export class Hello {
  onRequest(request, { broker, log }) {
    log.information('a note of level 4')
    const response = broker.createMessage(request.operationName, 'response')
    response.setContentString('fine')
    return response
  }
}
`
  const noisy = await dev({ 'handlers/hello.ts': noting })
  await fetch(noisy.url)
  await noisy.until(/a note of level 4/)
  await noisy.stop()
  const quiet = await dev({ 'handlers/hello.ts': noting, 'integrationGateway.properties': 'ig.log.level=3\n' })
  await fetch(quiet.url)
  assert.doesNotMatch((await quiet.stop()).stdout, /a note of level 4/)
})

test('24.10 ig dev runs jobs with --jobs, also a changed one, and names those that it does not run', async () => {
  const jobs = "jobs: [{ name: 'TICK', every: '1s', handler: 'handlers/tick.ts' }],\n  permissionLists"
  const tick = (answer: string) => `export default class Tick {\n  run() {\n    console.error('${answer}')\n  }\n}\n`
  const folder = makeProject({
    'gateway.config.ts': config().replace('permissionLists', jobs),
    'handlers/hello.ts': handler(`'one'`),
    'handlers/tick.ts': tick('tick one'),
  })
  const idle = serve(['dev', folder, '--port', '0', '--admin-port', 'off'])
  await idle.until(/Jobs +TICK {2}\(not run without --jobs\)/)
  await idle.stop()
  const serving = serve(['dev', folder, '--port', '0', '--admin-port', 'off', '--jobs'])
  await serving.until(/Jobs +TICK\n/)
  await serving.until(/tick one/)
  writeFileSync(join(folder, 'handlers/tick.ts'), tick('tick two'))
  await serving.until(/tick two/)
  const { stdout, stderr } = await serving.stop()
  assert.doesNotMatch((await idle.ended).stderr, /tick/)
  assert.doesNotMatch(stdout + stderr, /jobLost/)
})
