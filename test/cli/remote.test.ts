/** Verbs that use the administration of a running gateway instead of its database (specification 31.1 to 31.3). */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { unknownPath } from '../../src/actions/problem-details.ts'
import { openTestAdmin } from '../support/admin.ts'
import { copyReference, ig } from '../support/cli.ts'
import { findDatabase } from '../support/databases.ts'
import { root } from '../support/gateway.ts'
import { poll } from '../support/poll.ts'

async function openRemote(t: TestContext) {
  const folder = copyReference()
  const plane = await openTestAdmin(t, { database: findDatabase('SQLite'), folder })
  const { body } = await plane.ask('POST /api/tokens', { body: { name: 'ci', role: 'administrator' } })
  const token = String(body.token)
  const config = join(folder, 'gateway.config.ts')
  return {
    ...plane,
    folder,
    token,
    edit: (from: string | RegExp, to: string) => writeFileSync(config, readFileSync(config, 'utf8').replace(from, to)),
    run: (...args: readonly string[]) =>
      ig([...args, '--url', plane.admin.url], { cwd: folder, env: { IG_ADMIN_TOKEN: token } }),
  }
}

test('31.1, 31.2, 18.35 a whole configuration is applied, compared, exported and rolled back by the administration API, and the audit exported', async (t) => {
  const { run, edit, ask, token, folder, admin } = await openRemote(t)
  assert.deepEqual(await run('drift'), {
    code: 0,
    stdout: 'No drift: the files match the active revision 1.\n',
    stderr: '',
  })
  edit("verification: 'OAuth2'", "verification: 'Basic'")
  const drifted = await run('drift')
  assert.deepEqual([drifted.code, /verification +OAuth2 → Basic/.test(drifted.stdout)], [3, true])

  const dry = await run('apply', '--dry-run')
  assert.match(
    dry.stdout,
    /^Changes from revision 1 to the project's files:\n[\s\S]*OAuth2 → Basic[\s\S]*\nDry run: nothing was activated\.\n$/,
  )
  assert.equal((await ask('GET /api/activation')).body.revision, 1)

  const applied = JSON.parse((await run('apply', '--note', 'Basic for all', '--json')).stdout)
  assert.deepEqual([applied.revision, applied.isActivated, applied.changes.length], [2, true, 1])
  assert.equal((await run('apply')).stdout, 'No changes: the active revision 2 is identical.\n')
  const entry = (await ask('GET /api/audit?limit=1')).body.items[0]
  assert.deepEqual(
    [entry.action, entry.actor, entry.via, entry.subject, entry.after.note],
    ['applyConfiguration', 'an administrator', 'token ci', 'revision 2', 'Basic for all'],
  )

  assert.match((await run('diff', '1', 'active')).stdout, /^Changes from revision 1 to revision 2:\n/)
  const file = join(folder, 'exported.ts')
  assert.equal((await run('revision', 'export', '1', '--out', file)).stdout, `Revision 1 is written to ${file}.\n`)
  assert.match(
    readFileSync(file, 'utf8'),
    /^\/\*\* Revision 1 of the configuration\. \*\/\nimport [\s\S]*verification: 'OAuth2'/,
  )
  assert.match((await run('rollback', '1', '--dry-run')).stdout, /\nDry run: nothing was activated\.\n$/)
  assert.equal((await ask('GET /api/activation')).body.revision, 2)
  assert.match((await run('rollback', '1')).stdout, /\nRevision 1 is active: one process serves it\.\n$/)
  assert.equal((await ask('GET /api/activation')).body.revision, 1)
  assert.ok(!JSON.stringify((await ask('GET /api/audit')).body).includes(token))
  const waiting = await ask('PUT /api/activation', { body: { revision: 2, wait: 5 }, ifMatch: '"revision-1"' })
  assert.equal(waiting.status, 200)

  const audit = join(folder, 'audit.jsonl')
  const { entries, head } = (await ask('GET /api/audit/verification')).body
  assert.equal(
    (await run('audit', 'export', '--out', audit)).stdout,
    `Wrote ${entries} entries to ${audit}. Head: ${head}\n`,
  )
  const verified = await ig(['audit', 'verify', audit], { cwd: folder, env: {} })
  assert.deepEqual(
    [verified.code, verified.stdout],
    [0, `All ${entries} entries of the audit are unchanged. Head: ${head}\n`],
  )
  const { body: viewer } = await ask('POST /api/tokens', { body: { name: 'reader', role: 'viewer' } })
  const refused = await ig(['audit', 'export', '--out', `${audit}2`, '--url', admin.url], {
    cwd: folder,
    env: { IG_ADMIN_TOKEN: viewer.token },
  })
  assert.match(refused.stderr, /^ig: .*This needs the role administrator; yours is viewer\.\n$/)
  assert.ok(!existsSync(`${audit}2`), 'nothing stays of a failed export')
})

test('31.2 nothing is activated where clients lose a URL, code is missing, the configuration has an error, or another revision came first', async (t) => {
  const { run, edit, ask, opened } = await openRemote(t)
  const active = async () => (await ask('GET /api/activation')).body.revision
  edit(/name: 'CACHED_TIME'/, "name: 'RENAMED'")
  const lost = await run('apply')
  assert.equal(lost.code, 1)
  assert.match(
    lost.stderr,
    /^ig: nothing was activated, because clients would lose these URLs\. To activate anyway, add --force:\n {2}CACHED_TIME_GET\.v1 /,
  )
  edit(/name: 'RENAMED'/, "name: 'CACHED_TIME'")

  const { body: configuration } = await ask('GET /api/revisions/1/configuration')
  const put = (changed: unknown, ifMatch = '"revision-1"') =>
    ask('PUT /api/configuration', { body: { configuration: changed }, ifMatch })
  const [first, ...others] = configuration.operations
  const without = { ...first, handler: 'handlers/not-there.ts#Gone' }
  const missing = await put({ ...configuration, operations: [without, ...others] })
  assert.equal(missing.body.code, 'invalidConfiguration')
  assert.match(JSON.stringify(missing.body.problems), /handlers\/not-there\.ts/)
  const invalid = await put({ ...configuration, operations: [{ ...first, method: 'BREW' }, ...others] })
  assert.deepEqual([invalid.body.code, invalid.body.problems[0].path], ['invalidConfiguration', 'operations[0].method'])
  assert.equal((await put(configuration, '"revision-7"')).body.code, 'preconditionFailed')
  assert.deepEqual((await put(configuration)).body, { revision: 1, isActivated: false, changes: [] })
  assert.equal(await active(), 1)
  assert.equal(opened.gateway.catalog.revision, 1)
})

test('31.1 with --json a process that does not serve the configuration is a problem, as on the database', async (t) => {
  const { run, edit, opened } = await openRemote(t)
  const { instances, clockOffset } = opened.gateway.store
  const process = { pid: 1, sequence: 0, conditions: [] }
  const facts = { host: 'gw-1', url: 'http://127.0.0.1:8080', version: '', processes: 1, revision: null, process }
  const seen = Math.floor(Date.now() + clockOffset) + 60_000
  await instances.beat({ id: 'gw-1', seen, started: 0, facts: JSON.stringify(facts) }, 0)
  edit("verification: 'OAuth2'", "verification: 'Basic'")
  const { code, stdout } = await run('apply', '--json', '--wait', '1')
  const { isActivated, changes, problems } = JSON.parse(stdout)
  assert.deepEqual([code, isActivated, changes.length], [1, false, 1])
  assert.deepEqual(problems, [{ path: 'gw-1:8080 (process 1)', message: 'has not reported within 1 s' }])
})

async function answerWith(t: TestContext, listener: RequestListener) {
  const server = createServer(listener)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('31.3 the token comes from a file or a variable, goes only to the given address, and is never printed', async (t) => {
  const { admin, folder, token } = await openRemote(t)
  const file = join(folder, 'token')
  writeFileSync(file, `${token}\n`)
  const drift = (url: string, args: readonly string[] = [], env = {}) =>
    ig(['drift', '--url', url, ...args], { cwd: folder, env })
  assert.equal((await drift(admin.url, ['--token-file', file])).code, 0)
  assert.equal((await drift(admin.url, [], { IG_ADMIN_TOKEN_FILE: file })).code, 0)
  const seen = await drift(admin.url, ['--token', token])
  assert.deepEqual([seen.code, /other users of this machine can see --token/.test(seen.stderr)], [0, true])

  const received: string[] = []
  const other = await answerWith(t, ({ headers }, response) => {
    received.push(String(headers.authorization))
    response.end()
  })
  const calls = await answerWith(t, (_request, response) => {
    response
      .writeHead(404, { 'content-type': 'application/problem+json' })
      .end('{"title":"Not Found","code":"pathUnknown"}')
  })
  const json = (status: number, body: string) =>
    answerWith(
      t,
      (_request, response) => void response.writeHead(status, { 'content-type': 'application/json' }).end(body),
    )
  const strange = /^ig: http:\S+ answers with something else than getActivation does here: it is no administration/
  const redirecting = await answerWith(
    t,
    (_request, response) => void response.writeHead(307, { location: other }).end(),
  )
  const env = { IG_ADMIN_TOKEN: token }
  const failures: Readonly<Record<string, readonly [Promise<{ code: number | null; stderr: string }>, RegExp]>> = {
    'a redirect': [drift(redirecting, [], env), /redirects to http:\/\/127\.0\.0\.1:\d+\/?\. Give the right address/],
    'no administration': [drift(other, [], env), /is not the administration of a gateway/],
    'plain HTTP': [drift('http://gateway.example.com', [], env), /must be https beyond this machine/],
    'no URL': [drift('gateway', [], env), /must be the address of an administration/],
    'no token': [drift(admin.url), /an API token is needed: --token-file <file> or IG_ADMIN_TOKEN/],
    'a wrong token': [
      drift(admin.url, [], { IG_ADMIN_TOKEN: `${token}x` }),
      /^ig: http:\/\/127\.0\.0\.1:\d+ refuses the API token: it is wrong, expired or revoked, .* Make another: ig token create/,
    ],
    'the port of calls': [drift(calls, [], env), /is not the administration of a gateway: it answers 404 Not Found\./],
    'JSON of another server': [drift(await json(200, '{"revision":"x"}'), [], env), strange],
    'JSON that is nothing': [drift(await json(200, 'null'), [], env), strange],
    'a revision without a configuration': [
      drift(await json(200, '{"sequence":1,"revision":1,"time":"2026-11-29T00:00:00.000Z","note":""}'), [], env),
      /something else than getRevisionConfiguration does here: it is no administration of a gateway/,
    ],
    'a refusal that is nothing': [
      drift(await json(400, 'null'), [], env),
      /gateway: it answers 400\. Administration has/,
    ],
    'broken JSON': [
      drift(await json(200, '{"a":'), [], env),
      /answers 200 with JSON that cannot be read: it is not the/,
    ],
    'nothing there': [drift('http://127.0.0.1:2', [], env), /does not answer: .*ECONNREFUSED/],
    'a lost file': [drift(admin.url, ['--token-file', `${file}s`]), /tokens cannot be read: ENOENT/],
  }
  for (const [name, [outcome, message]] of Object.entries(failures)) {
    const { code, stderr } = await outcome
    assert.equal(code, ['plain HTTP', 'no URL'].includes(name) ? 2 : 1, name)
    assert.match(stderr, message, name)
    assert.ok(!stderr.includes(token), name)
  }
  assert.deepEqual(received, [`Bearer ${token}`], 'only the address that was given')
})

test('31.10 a connection that is cut in the middle of a change: the audit says whether this one was made', async (t) => {
  const { admin, folder, token, edit, ask } = await openRemote(t)
  let cut: 'before' | 'after' | 'proxy' | 'all' = 'before'
  let isCut = false
  const url = await answerWith(t, async (request, response) => {
    const { method = '', url: target = '', headers } = request
    const isChange = method !== 'GET'
    const isLost = cut === 'before' && isChange
    if (isLost) await ask('DELETE /api/rest-cache/ECHO_GET.v1') // by the same person, of another operation
    if (isCut || isLost) return void request.socket.destroy()
    const sent = await text(request)
    const { authorization = '', 'if-match': ifMatch = '' } = headers
    const answer = await fetch(new URL(target, admin.url), {
      method,
      headers: { authorization, 'if-match': ifMatch, ...(sent !== '' && { 'content-type': 'application/json' }) },
      body: sent === '' ? null : sent,
    })
    const body = await answer.text()
    isCut = cut === 'all' && isChange
    if (isChange && cut === 'proxy')
      return void response.writeHead(504, { 'content-type': 'text/html' }).end('<h1>504 Gateway Time-out</h1>')
    if (isChange) return void request.socket.destroy()
    const etag = answer.headers.get('etag') ?? ''
    response.writeHead(answer.status, { 'content-type': 'application/json', etag }).end(body)
  })
  const run = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await ig([...args, '--url', url], { cwd: folder, env: { IG_ADMIN_TOKEN: token } })
    assert.equal(code, 1)
    return `${stdout}${stderr}`
  }
  const clear = () => run('cache', 'clear', 'CACHED_TIME_GET.v1')
  assert.match(
    await clear(),
    /does not answer: .+\. It was not done so far: the audit has no deleteOperationCache since it was sent\. See again: ig audit list --action deleteOperationCache --url http/,
  )
  cut = 'after'
  assert.match(
    await clear(),
    /\. It was done: the audit has \w+ of CACHED_TIME_GET\.v1 by an administrator at \d{4}-\S+Z\.\n$/,
  )
  edit("verification: 'OAuth2'", "verification: 'Basic'")
  assert.match(
    await run('apply'),
    /\. It may have been done: the audit has applyConfiguration of revision 2 by an administrator at \S+Z\. See whether it is this change, and stays: ig revision list --url http/,
  )
  cut = 'proxy'
  assert.match(
    await run('operator', 'set-password', 'DEMO', '--generate-password'),
    /^Password, shown this once, if the change was made: \S+\nig: \S+ answers 504 with text\/html.* It was done: the audit has setOperatorPassword of DEMO by /,
  )
  cut = 'all'
  assert.match(
    await clear(),
    /\. Whether it was done is unknown\. See later: ig audit list --action \w+ --url http\S+\n$/,
  )
})

test('31.3 a gateway of an older version and a URL that is too long are said in one sentence', async (t) => {
  const { admin, folder, token, run } = await openRemote(t)
  const problem = { title: 'Not found', detail: unknownPath, code: 'notFound', requestId: 'r' }
  const older = await answerWith(t, (_, response) => {
    response.writeHead(404, { 'content-type': 'application/problem+json' }).end(JSON.stringify(problem))
  })
  const ask = (...args: readonly string[]) =>
    ig([...args, '--url', older], { cwd: folder, env: { IG_ADMIN_TOKEN: token } })
  const hasNo = (action: string) =>
    new RegExp(
      `^ig: http:\\S+ has no ${action}: it is an older version of the gateway\\. Upgrade it, or use the ig of its version\\.\n$`,
    )
  assert.match((await ask('cache', 'list')).stderr, hasNo('listCacheEntries'))
  assert.match((await ask('cache', 'clear', 'X_GET.v1')).stderr, hasNo('listAudit'))
  const long = await run('cache', 'delete', 'CACHED_TIME_GET.v1', `/${'x'.repeat(40_000)}`)
  assert.equal(long.stderr, `ig: ${admin.url} answers 431: what this names is too long for a URL.\n`)
})

test('31.1 a value that an option does not take is a wrong one, before anything is done', async () => {
  const wrong: readonly (readonly [line: string, why: RegExp])[] = [
    ['webhook list --filter receivr=x', /'receivr=x' is invalid\. No row has receivr; did you mean receiver\?\n/],
    ['limit list --sort -none', /'-none' is invalid\. No row has none[.;]/],
    ['revision list --sort numbr', /'numbr' is invalid\. No row has numbr; did you mean number\?\n/],
    ['revision list --sort=', /'' is invalid\. Name a member of the rows: number, /],
    ['revision list --limit abc', /'abc' is invalid\. It must be a whole number from 1 to 10000\.\n/],
    ['revision list --limit 10001', /It must be a whole number from 1 to 10000\.\n/],
    ['operator list --filter x', /'x' is invalid\. It must be <name>=<value>\.\n/],
    ['operator list --filter search=a --filter search=b', /'search=b' is invalid\. Give search once\.\n/],
    ['operator export --format xml', /'xml' is invalid\. Allowed choices are csv, json\.\n/],
    ['operator list --filter isLocked=maybe', /^ig: the input has an error:\n {2}isLocked must be one of true, false/],
    ['operator list --sort emails', /^ig: the input has an error:\n {2}sort must be id, description, isLocked or /],
    ['audit list --from x', /^ig: the input has an error:\n {2}from must be a time in UTC, such as 2026-01-31T/],
    ['revision show abc', /^ig: the input has an error:\n {2}number must be the number of a revision, or active\n/],
    ['operator lock ..', /^ig: nothing is called "\.\."\.\n/],
    ['rollback abc', /^ig: "abc" is not a revision\. Give its number/],
  ]
  for (const [line, why] of wrong) {
    const { code, stdout, stderr } = await ig([...line.split(' '), '--url', 'http://127.0.0.1:1'])
    assert.deepEqual([line, code, stdout], [line, 2, ''])
    assert.match(stderr, why)
  }
})

test('31.1 with --json a refused action prints the problem details, over the database without a request id', async (t) => {
  const { run, folder, opened, ask } = await openRemote(t)
  const here = (...args: readonly string[]) =>
    ig(args, { cwd: folder, env: { IG_DATABASE: opened.gateway.settings.database } })
  for (const args of [
    ['operator', 'show', 'DEMOO'],
    ['operator', 'grant', 'DEMO', 'NONE'],
  ]) {
    const [there, local] = [await run(...args, '--json'), await here(...args, '--json')]
    const { requestId, ...details } = JSON.parse(there.stdout)
    assert.deepEqual([there.code, local.code, there.stderr], [1, 1, local.stderr])
    assert.match(requestId, /^[\da-f-]{36}$/)
    assert.deepEqual(JSON.parse(local.stdout), details)
    assert.ok(local.stderr.startsWith(`ig: ${details.title}. ${details.detail}`), local.stderr)
  }
  const { requestId: _, ...answered } = (await ask('GET /api/operators/DEMOO')).body
  assert.deepEqual(JSON.parse((await here('operator', 'show', 'DEMOO', '--json')).stdout), answered)
})

test('18.16 a long name is shortened in the message', async () => {
  const project = copyReference()
  const run = async (...args: readonly string[]) => (await ig(['operator', ...args, '--project', project])).stderr
  const [long, short] = ['x'.repeat(30_000), `${'x'.repeat(200)}… (29800 more)`]
  assert.equal(await run('show', long), `ig: Not found. There is no operator ${short}.\n`)
  const [said = '', problem] = (await run('grant', 'KIM', long)).split('\n')
  assert.ok(said.startsWith(`ig: The request is invalid. There is no permission list ${short}. Available: `), said)
  assert.equal(problem, `  permissionLists[0] is not a permission list of the configuration: ${short}`)
})

test('13.1 the active revision is shown by its number and as active', async (t) => {
  const { run, ask } = await openRemote(t)
  const { stdout } = await run('revision', 'show', 'active', '--json')
  assert.deepEqual(JSON.parse(stdout), (await ask('GET /api/revisions/1')).body)
  assert.equal(JSON.parse(stdout).state, 'active')
})

test('37.14 the holders of a list that only the files have, and no operator holds, are an error', async (t) => {
  const { run, edit, folder, opened } = await openRemote(t)
  edit('  permissionLists: [', "$&{ name: 'NEXT', operations: [] },")
  const here = { cwd: folder, env: { IG_DATABASE: opened.gateway.settings.database } }
  const refused = { code: 1, stdout: '', stderr: 'ig: Not found. There is no permission list NEXT.\n' }
  assert.deepEqual(await run('operator', 'holders', 'NEXT'), refused)
  assert.deepEqual(await ig(['operator', 'holders', 'NEXT'], here), refused)
  assert.equal((await ig(['operator', 'grant', 'DEMO', 'NEXT'], here)).code, 0)
  assert.deepEqual(await run('operator', 'holders', 'NEXT'), { code: 0, stdout: 'DEMO\n', stderr: '' })
})

test('31.3 a port without TLS is said to have none', async (t) => {
  const { admin, folder, token } = await openRemote(t)
  const url = admin.url.replace('http:', 'https:')
  const { stderr } = await ig(['cache', 'list', '--url', url], { cwd: folder, env: { IG_ADMIN_TOKEN: token } })
  assert.equal(
    stderr,
    `ig: ${url} does not answer: this port has no TLS. Give its http URL, or the port that has TLS.\n`,
  )
})

test('18.27 a cached response is deleted by its whole URL, and that nothing was deleted is said', async (t) => {
  const { run, opened, ask } = await openRemote(t)
  const url = `${opened.url}${root}/CACHED_TIME.v1/`
  await fetch(url, { headers: { authorization: `Basic ${btoa('DEMO:demo-password')}` } })
  await poll(async () => (await ask('GET /api/rest-cache')).body.total === 1)
  const remove = async () => (await run('cache', 'delete', 'CACHED_TIME_GET.v1', url)).stdout
  assert.equal(await remove(), `Deleted 1 cached response of ${url}, on all instances within a second.\n`)
  assert.equal(
    await remove(),
    `Nothing was deleted: CACHED_TIME_GET.v1 has no cached response of ${url}. See: ig cache list\n`,
  )
})
