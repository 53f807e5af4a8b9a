/** The verbs that answer questions, as real processes; and docs/how-to/questions.md, run as written (specification 15). */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { afterwards } from '../support/afterwards.ts'
import { copyReference, ig, serve } from '../support/cli.ts'
import { basic } from '../support/client.ts'
import { mask, openShell, readTranscript } from '../support/transcript.ts'

const root = join(import.meta.dirname, '../..')
const project = copyReference()
const serving = serve(['dev', project, '--port', '0', '--issuer-port', '0'])
const [, base = ''] = await serving.until(/Gateway +(http:\S+)/)
const { origin } = new URL(base)
const ask = (...args: readonly string[]) => ig([...args, '--project', project])
const password = { IG_HEALTHCHECK_PASSWORD: 'demo-password' }

async function refusedId(path: string, init: RequestInit = {}): Promise<string> {
  const response = await fetch(`${base}${path}`, init)
  await response.arrayBuffer()
  return response.headers.get('ig-transaction-id') ?? ''
}

test('15.1, 15.2, 15.3, 15.4, 15.5, 15.6, 15.7 every transcript of docs/how-to/questions.md is what the commands print', async () => {
  const document = readFileSync(join(root, 'docs/how-to/questions.md'), 'utf8')
  const policy = /```\n(# Who stages[\s\S]*?)```/.exec(document)?.[1] ?? ''
  const id = await refusedId('/KEY_VALUE.v1/hello', { headers: basic('NOPERM', 'noperm-password') })
  const commands = readTranscript(document)
  assert.equal(commands.length, 11)
  const shell = openShell(project, password)
  for (const { line, expected } of commands) {
    if (line === 'ig check') writeFileSync(join(project, 'permissions.policy'), policy)
    const real = line.replace('http://127.0.0.1:8080', origin).replace(/[\da-f]{8}-[\da-f-]{27}/, id)
    assert.equal(mask(await shell.run(real)), mask(expected), line)
  }
})

test('15.1 ig try runs the pipeline on the store: the next call sees what a handler writes', async () => {
  const body = '<request><row><key>tried</key><value>world</value></row></request>'
  const post = await ask('try', 'POST', '/KEY_VALUE.v1', '--as', 'DEMO2', '--body', body, '--json')
  const { status, body: answered, transactionId } = JSON.parse(post.stdout)
  assert.deepEqual([post.code, status], [0, 200])
  assert.match(answered, /<OPRID>DEMO2<\/OPRID>/)
  const overHttp = await fetch(`${base}/KEY_VALUE.v1/tried`, { headers: basic('DEMO', 'demo-password') })
  assert.match(await overHttp.text(), new RegExp(`<IBTRANSACTIONID>${transactionId}</IBTRANSACTIONID>`))

  const file = join(project, 'body.xml')
  writeFileSync(file, '<wrong/>')
  const failed = await ask('try', 'PUT', '/KEY_VALUE.v1/tried', '--as', 'DEMO', '--body-file', file)
  assert.equal(failed.code, 1)
  assert.match(failed.stdout, /^400\n[\s\S]*handler +failed +bodyMalformed: /)

  const args = ['try', 'POST', '/KEY_VALUE.v1', '--as', 'DEMO', '--body-file', '-', '--project', project]
  const large = await ig(args, { input: body, env: { IG_LIMITS_BODY: '40' } })
  assert.equal(large.code, 1)
  assert.match(large.stdout, /^413\n[\s\S]*The request body is larger than 40 bytes/)
})

test('15.1 --as replaces tokens too, but never runs as a locked or unknown operator, or without permission', async () => {
  const token = await ask('try', 'GET', '/METADATA_OAUTH2.v1/', '--as', 'DEMO', '--json')
  assert.equal(JSON.parse(JSON.parse(token.stdout).body).currentUser, 'DEMO')
  for (const [id, url, reason] of [
    [
      'LOCKED',
      '/METADATA_BASIC.v1/',
      /authentication +refused +basicRejected: .*operator is locked \(claimed: LOCKED\)/,
    ],
    [
      'LOCKED',
      '/METADATA_OAUTH2.v1/',
      /authentication +refused +tokenRejected: .*operator is locked \(claimed: LOCKED\)/,
    ],
    [
      'NOPERM',
      '/METADATA_BASIC.v1/',
      /permission +refused +permissionDenied: [\s\S]*would be granted by REFERENCE_ALL/,
    ],
  ] as const) {
    const { code, stdout } = await ask('try', 'GET', url, '--as', id)
    assert.equal(code, 1)
    assert.match(stdout, reason)
  }
  const unknown = await ask('try', 'GET', '/ECHO.v1/echo/x', '--as', 'DEMOO')
  assert.deepEqual([unknown.code, unknown.stderr], [1, 'ig: there is no operator DEMOO; did you mean DEMO?\n'])
})

test('15.1 HTTP has no equivalent of --as, and the listening gateway accepts no credentials part from outside', async () => {
  for (const authorization of ['Basic impersonated', 'Bearer impersonated', 'impersonated', 'DEMO']) {
    const response = await fetch(`${base}/METADATA_BASIC.v1/`, {
      headers: { authorization, 'ig-as': 'DEMO', 'x-platform-as': 'DEMO' },
    })
    assert.equal(response.status, 401, authorization)
  }
  const users = globSync('src/**/*.ts', { cwd: root }).filter((file) =>
    /from '.*\/impersonate\.ts'/.test(readFileSync(join(root, file), 'utf8')),
  )
  assert.deepEqual(users.map((file) => file.replaceAll('\\', '/')).sort(), [
    'src/admin/routes/try.ts', // an administrator, by another listener: 19.11
    'src/serve/open-trial-gateway.ts',
  ])
  assert.doesNotMatch(readFileSync(join(root, 'src/serve/open-trial-gateway.ts'), 'utf8'), /openGateway|openServer/)
})

test('15.2 ig explain reports the reason of a transaction, which its caller did not get', async () => {
  const wrong = await refusedId('/KEY_VALUE.v1/x', { headers: basic('DEMO', 'wrong') })
  const token = await refusedId('/METADATA_OAUTH2.v1/', { headers: { authorization: 'Bearer x.y.z' } })
  const unmatched = await refusedId('/ECHO.v1/echo')
  const unknown = await refusedId('/ECHOO.v1/echo')
  const good = await refusedId('/ECHO.v1/echo/x')
  const [a, b, c, d, e] = await Promise.all([wrong, token, unmatched, unknown, good].map((id) => ask('explain', id)))
  assert.match(a?.stdout ?? '', /authentication +refused +basicRejected: .*wrong password \(claimed: DEMO\)/)
  assert.match(b?.stdout ?? '', /authentication +refused +tokenRejected: .*Cause: /)
  assert.match(
    c?.stdout ?? '',
    /uri +refused +uriNotMatched: .*\n +1 {2}echo\/\{parameter1\} {2}it has 2 path segments, the request 1/,
  )
  assert.match(d?.stdout ?? '', /operation +refused +operationNotFound: /)
  assert.match(e?.stdout ?? '', /handler +passed +answered 200/)
  assert.deepEqual(
    [a, b, c, d, e].map((outcome) => outcome?.code),
    [0, 0, 0, 0, 0],
  )
})

test('15.2 for a request that could not be read the reason is reported', async () => {
  const headers = ['host', 'localhost', 'authorization', 'Basic a', 'authorization', 'Basic b']
  const [answer] = (await once(get(`${base}/ECHO.v1/echo/x`, { headers }), 'response')) as [IncomingMessage]
  answer.resume()
  assert.equal(answer.statusCode, 400)
  const told = await ask('explain', String(answer.headers['ig-transaction-id']))
  assert.deepEqual([told.code, told.stderr], [0, ''])
  assert.match(
    told.stdout,
    /^Transaction .*\n\nThe request could not be read, or has no response yet\.\nnote: Request refused: .*Authorization.*\n$/i,
  )
})

test('15.2 an unknown or an invalid id ends with exit code 1', async () => {
  const missing = await ask('explain', '00000000-0000-4000-8000-000000000000')
  assert.equal(missing.code, 1)
  assert.match(missing.stderr, /^ig: 0{8}-\S+ is not among the latest transactions/)
  const none = await ask('explain', 'hello')
  assert.deepEqual([none.code, none.stdout], [1, ''])
  assert.match(none.stderr, /^ig: hello is neither a transaction id nor a request/)
  const off = await ig(['explain', '00000000-0000-4000-8000-000000000000', '--project', project], {
    env: { IG_RECENTTRANSACTIONS: '0' },
  })
  assert.deepEqual([off.code, off.stderr], [1, 'ig: no transactions are kept: ig.recentTransactions is 0.\n'])
})

test('15.3 ig explain runs no handler, and finds cached responses', async () => {
  const before = await ask('explain', 'GET', '/CACHED_TIME.v1/?explained', '--as', 'DEMO')
  assert.match(before.stdout, /cache +passed +(?:no unexpired|the operation has cached nothing)/)
  await ask('try', 'GET', '/CACHED_TIME.v1/?explained', '--as', 'DEMO')
  const later = await ask('explain', 'GET /CACHED_TIME.v1/?explained', '--as', 'DEMO2', '--json')
  const { decisions } = JSON.parse(later.stdout)
  assert.deepEqual(decisions.at(-1), {
    step: 'cache',
    outcome: 'passed',
    text: 'answers 200, the handler does not run',
  })
})

test('15.3 ig explain says what becomes of a body that is too large or encoded', async () => {
  for (const [header, refusal] of [
    ['Content-Length: 300000000', 'bodyTooLarge'],
    ['Content-Encoding: gzip', 'contentUnsupported'],
  ] as const) {
    const { stdout } = await ask('explain', 'POST /KEY_VALUE.v1', '--as', 'DEMO', '--header', header)
    assert.match(stdout, new RegExp(`message +refused +${refusal}: `))
  }
})

test('15.1, 15.3 ig try and ig explain say how a URL is sent that raw bytes would not reach', async () => {
  for (const verb of ['try', 'explain']) {
    const { stdout, stderr } = await ask(verb, 'GET', '/ECHO.v1/echo/Zürich', '--as', 'DEMO')
    assert.match(stdout, /uri +passed/)
    assert.match(
      stderr,
      /The URL is sent as \S*\/ECHO\.v1\/echo\/Z%C3%BCrich\. Raw bytes would be refused without ig\.compat\.rawUrlBytes=true\./,
    )
    const encoded = await ask(verb, 'GET', '/ECHO.v1/echo/Z%C3%BCrich', '--as', 'DEMO')
    assert.doesNotMatch(encoded.stderr, /sent as/)
  }
  const env = { IG_COMPAT_RAWURLBYTES: 'true' }
  const accepted = await ig(['explain', 'GET /ECHO.v1/echo/Zürich', '--as', 'DEMO', '--project', project], { env })
  assert.doesNotMatch(accepted.stderr, /sent as/)
})

test('26.11 ig explain and ig try say which step answers a repeated call', async () => {
  const call = ['POST', '/KEY_VALUE.v1', '--as', 'DEMO', '--header', 'Idempotency-Key: tried-once']
  const body = ['--body', '<request><row><key>once</key><value>x</value></row></request>']
  assert.match((await ask('explain', ...call)).stdout, /idempotency +passed +no answer is kept: the handler runs/)
  const first = await ask('try', ...call, ...body)
  assert.match(first.stdout, /handler +passed +\S+ answered 200/)
  const repeat = await ask('try', ...call, ...body)
  assert.match(repeat.stdout, /ig-idempotent-replay: true/)
  assert.match(repeat.stdout, /idempotency +passed +the first answer to this Idempotency-Key was repeated/)
  assert.match(repeat.stdout, /handler +not run +the first answer to this Idempotency-Key was repeated/)
  const overHttp = async (key: string) => {
    const headers = { ...basic('DEMO', 'demo-password'), 'idempotency-key': key, 'content-type': 'text/xml' }
    return ask('explain', await refusedId('/KEY_VALUE.v1', { method: 'POST', headers, body: body[1] ?? '' }))
  }
  const kept = /idempotency +passed +the answer is kept: a repeat .* gets it\nhandler +passed +answered 200/
  assert.match((await overHttp('over-http')).stdout, kept)
  assert.match((await overHttp('over-http')).stdout, /idempotency +passed +the first answer .*\nhandler +not run/)
  assert.match((await overHttp('a b')).stdout, /idempotency +refused +idempotencyKeyInvalid: /)
})

test('15.6 a refusal page with status 200 and a missing response are a FAIL, with exit code 1', async () => {
  const original = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<html>User Id: is not authorized for X.</html>')
  }).listen(0, '127.0.0.1')
  afterwards(() => original.close())
  await once(original, 'listening')
  const { port } = original.address() as AddressInfo
  const trap = await ask('healthcheck', `http://127.0.0.1:${port}/PSIGW/RESTListeningConnector/NODE`, '--json')
  const checks = JSON.parse(trap.stdout) as { status: number; isPassed: boolean }[]
  assert.equal(trap.code, 1)
  assert.ok(checks.length === 9 && checks.every(({ status, isPassed }) => status === 200 && !isPassed))
  original.closeAllConnections()
  await new Promise((resolve) => original.close(resolve))
  const away = await ask('healthcheck', `http://127.0.0.1:${port}`)
  assert.equal(away.code, 1)
  assert.match(away.stdout, /^FAIL {2}- .*ECONNREFUSED[\s\S]*0 passed, 9 failed\.\n$/)
})

test('15.6 with all credentials everything passes, with given values and without what is skipped', async () => {
  const issuerPort = (await serving.until(/Issuer +http:\/\/127\.0\.0\.1:(\d+)/))[1] ?? ''
  const token = (await ig(['access-token', 'DEMO', '--project', project, '--issuer-port', issuerPort])).stdout
  const session = (await ig(['session-token', 'create', 'DEMO', '--project', project])).stdout
  const args = [
    'healthcheck',
    origin,
    '--as',
    'DEMO',
    '--value',
    'parameter1=ä b',
    '--skip',
    'METADATA_GET',
    '--project',
    project,
  ]
  const { code, stdout } = await ig(args, {
    env: { ...password, IG_HEALTHCHECK_TOKEN: token, IG_HEALTHCHECK_SESSION_TOKEN: session },
  })
  assert.equal(code, 0, stdout)
  assert.match(stdout, /PASS {2}200 .*\/ECHO\.v1\/echo\/%C3%A4%20b\n[\s\S]*8 passed, 0 failed, 1 skipped\.\n$/)
})

test('15.6 without a project it calls what the URL publishes to the caller, whatever files are in the folder', async () => {
  const gateway = serve(['dev', copyReference(), '--port', '0', '--issuer-port', '0'], {
    env: { IG_DESCRIBE: 'permitted' },
  })
  const url = (await gateway.until(/Gateway +(http:\/\/[\d.:]+)/))[1] ?? ''
  const cwd = mkdtempSync(join(tmpdir(), 'ig-nowhere-'))
  const check = (...args: readonly string[]) => ig(['healthcheck', url, ...args], { cwd, env: password })
  const { code, stdout, stderr } = await check(
    '--as',
    'DEMO',
    '--skip',
    'METADATA_OAUTH2_GET',
    '--skip',
    'METADATA_TOKEN_GET',
    '--value',
    'parameter1=ä b',
  )
  assert.equal(code, 0, stdout + stderr)
  assert.match(
    stdout,
    /PASS {2}200 .*METADATA_BASIC_GET\.v1 [\s\S]*\/ECHO\.v1\/echo\/%C3%A4%20b\n[\s\S]* passed, 0 failed, 2 skipped\.\n$/,
  )
  const guest = JSON.parse((await check('--json')).stdout) as { operation: string; reason: string }[]
  assert.deepEqual(
    guest.map(({ operation }) => operation),
    ['METADATA_GET.v1', 'ECHO_GET.v1', 'ECHO_GET.v1'],
  )
  await gateway.stop()
  const away = await check()
  assert.deepEqual([away.code, away.stdout], [1, ''])
  assert.match(
    away.stderr,
    /^ig: http:\S+ publishes no API description \(ig\.describe=permitted\), and \S+ig-nowhere\S+ is not a project\. Name one with --project <folder>\.\n$/,
  )
  rmSync(cwd, { recursive: true })
})

test("15.7 all of a policy's thousand malformed lines are counted, and listed in JSON", async () => {
  const folder = copyReference({ 'permissions.policy': 'alow DEMO *\n'.repeat(1000) })
  const [text, json] = await Promise.all([ig(['check', folder]), ig(['check', folder, '--json'])])
  assert.deepEqual([text.code, json.code], [1, 1])
  const lines = text.stdout.trimEnd().split('\n')
  assert.deepEqual(
    [lines.length, lines[0], lines.at(-1)],
    [102, 'The permission policy has 1000 errors:', '  … and 900 more'],
  )
  assert.equal(JSON.parse(json.stdout).problems.length, 1000)
})

test('15.8 for a project that was never started the sample operators are used, and no database is created', async () => {
  const folder = copyReference({ 'permissions.policy': 'allow DEMO *\ndeny NOPERM *\n' })
  const can = await ig(['can', 'DEMO', 'KEY_VALUE_POST', '--project', folder])
  assert.deepEqual([can.code, can.stdout], [0, 'yes: DEMO may call KEY_VALUE_POST.v1: granted by REFERENCE_ALL\n'])
  assert.match(can.stderr, /the store has no operators yet; showing the project's sample operators/)
  assert.equal((await ig(['check', folder])).code, 0)
  assert.equal(
    (await ig(['template', 'build', 'KEY_VALUE_GET', '1', 'key=x', '--project', folder])).stdout,
    '/KEY_VALUE.v1/x\n',
  )
  assert.equal(existsSync(join(folder, 'data')), false)
  const tried = await ig(['try', 'GET', '/ECHO.v1/echo/x', '--as', 'DEMO', '--project', folder])
  assert.deepEqual([tried.code, tried.stdout.split('\n')[0]], [0, '200'])
})

test('15.4, 15.5 a name that does not exist is reported with the nearest one, and a URL that cannot be built with its variable', async () => {
  const outcomes = await Promise.all([
    ask('can', 'DEMO', 'KEY_VALUE_PSOT'),
    ask('template', 'build', 'ECHO_GET', '3'),
    ask('template', 'build', 'ECHO_GET', '1'),
    ask('template', 'match', 'ECHO_GET', 'nowhere'),
  ])
  assert.deepEqual(
    outcomes.map(({ code }) => code),
    [1, 1, 1, 1],
  )
  assert.match(outcomes[0]?.stderr ?? '', /there is no operation KEY_VALUE_PSOT; did you mean KEY_VALUE_POST\?/)
  assert.match(
    outcomes[1]?.stderr ?? '',
    /ECHO_GET\.v1 has no URI template 3\. It has:\n {2}1 {2}echo\/\{parameter1\}\n/,
  )
  assert.match(outcomes[2]?.stderr ?? '', /parameter1: it is missing/)
  assert.match(outcomes[3]?.stdout ?? '', /uriNotMatched: /)
})
