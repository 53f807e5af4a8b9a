/** The verbs of revisions as real processes (specification 13). */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { copyReference, type IgProcess, ig, serve, spawnIg } from '../support/cli.ts'
import { forEachDatabase } from '../support/databases.ts'

const echo = '/PSIGW/RESTListeningConnector/LOCAL_NODE/ECHO.v1/echo/x'

function edit(folder: string, change: (text: string) => string): void {
  const file = join(folder, 'gateway.config.ts')
  writeFileSync(file, change(readFileSync(file, 'utf8')))
}

const describeEcho = (folder: string, text: string) =>
  edit(folder, (config) =>
    config.replace(
      /description: '[^']*',(\s+verification: 'NONE',\s+uriTemplates: \['echo)/,
      `description: '${text}',$1`,
    ),
  )

async function listRevisions(folder: string, env: Readonly<Record<string, string>> = {}) {
  const list = async (verb: string) =>
    JSON.parse((await ig(['revision', verb, '--project', folder, '--json'], { env })).stdout).items
  const revisions: readonly { number: number; note: string; isActive: boolean }[] = await list('list')
  const activations: readonly { revision: number; note: string }[] = await list('list-activations')
  return { active: revisions.find(({ isActive }) => isActive)?.number ?? null, revisions, activations }
}

test('13.1 to 13.3, 13.10 a configuration is applied, changed, compared and rolled back', async () => {
  const folder = copyReference()
  const run = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await ig([...args, '--project', folder])
    assert.deepEqual([code, stderr], [0, ''], args.join(' '))
    return stdout
  }
  const apply = (...args: readonly string[]) => ig(['apply', folder, ...args])
  assert.equal(await run('revision', 'list'), 'There is no revision yet. Create the first: ig apply <project>\n')

  const dry = await apply('--dry-run')
  assert.equal(dry.code, 0)
  assert.match(dry.stdout, /^There is no revision yet\. 11 operations added, .*\nDry run: nothing was activated\.\n$/)
  assert.deepEqual((await listRevisions(folder)).revisions, [])

  assert.match(
    (await apply('--note', 'the first')).stdout,
    /\nRevision 1 is active: no running process has reported\.\n$/,
  )
  assert.deepEqual(await apply(), {
    code: 0,
    stdout: 'No changes: the active revision 1 is identical.\n',
    stderr: '',
  })

  edit(folder, (config) =>
    config.replace("verification: 'OAuth2'", "verification: 'Basic'").replace(", 'ECHO_GET.v1'", ''),
  )
  const changes = [
    '~ operation        METADATA_OAUTH2_GET.v1  GET METADATA_OAUTH2.v1  Basic',
    '    verification  OAuth2 → Basic',
    '~ permission list  PUBLIC',
    '    operations  - ECHO_GET.v1',
    '1 operation changed, 1 permission list changed.',
  ].join('\n')
  assert.equal(
    (await apply()).stdout,
    `Changes from revision 1 to the project's files:\n${changes}\nRevision 2 is active: no running process has reported.\n`,
  )
  assert.equal(await run('diff', '1', 'active'), `Changes from revision 1 to revision 2:\n${changes}\n`)
  assert.equal(await run('diff', '2', 'files'), "No differences between revision 2 and the project's files.\n")
  const [operation, list] = JSON.parse(await run('diff', '1', '2', '--json'))
  assert.deepEqual(operation.fields, [{ field: 'verification', before: 'OAuth2', after: 'Basic' }])
  assert.equal(list.id, 'PUBLIC')

  assert.match(
    await run('rollback', '1', '--note', 'too early'),
    /\+ ECHO_GET\.v1\n.*\nRevision 1 is active: no running process has reported\.\n$/,
  )
  assert.equal(await run('rollback', '1'), 'No changes: the active revision 1 is identical.\n')
  const { active, revisions, activations } = await listRevisions(folder)
  assert.deepEqual(
    [active, revisions.map(({ number, note }) => [number, note])],
    [
      1,
      [
        [2, ''],
        [1, 'the first'],
      ],
    ],
  )
  assert.deepEqual(
    activations.map(({ revision, note }) => [revision, note]),
    [
      [1, 'too early'],
      [2, ''],
      [1, 'the first'],
    ],
  )
  assert.match(
    await run('revision', 'list'),
    /^REVISION +MADE +ACTIVATED +STATE +AUTHOR +NOTE\n2 +\S+ \S+Z +\S+ \S+Z +former +\S+\n1 +\S+ \S+Z +\S+ \S+Z +active +\S+ +the first\n$/,
  )
  assert.match(
    await run('revision', 'list-activations'),
    /^ACTIVATED +REVISION +NOTE\n\S+ \S+Z +1 +too early\n.*Z +2\n.*Z +1 +the first\n$/,
  )
})

test('13.4, 13.10 an operation with clients is not renamed without --force, nor by a rollback', async () => {
  const folder = copyReference()
  assert.equal((await ig(['apply', folder])).code, 0)
  edit(folder, (config) => config.replace("name: 'CACHED_TIME',", "name: 'TIME',"))
  for (const args of [[], ['--dry-run'], ['--json']]) {
    const { code, stderr } = await ig(['apply', folder, ...args])
    assert.equal(code, 1)
    assert.equal(
      stderr,
      'ig: nothing was activated, because clients would lose these URLs. To activate anyway, add --force:\n' +
        '  CACHED_TIME_GET.v1 is renamed to TIME_GET.v1: clients that call GET CACHED_TIME.v1 are refused\n',
    )
  }
  assert.equal((await listRevisions(folder)).active, 1)
  const { code, stdout } = await ig(['apply', folder, '--force', '--json'])
  const { revision, isActivated, changes } = JSON.parse(stdout)
  assert.deepEqual([code, revision, isActivated, changes.length], [0, 2, true, 2])
  const back = (...args: readonly string[]) => ig(['rollback', '1', '--project', folder, ...args])
  const refused = await back('--dry-run')
  assert.deepEqual([refused.code, refused.stderr.split('\n')[1]?.slice(0, 13)], [1, '  TIME_GET.v1'])
  assert.match((await back('--dry-run', '--force')).stdout, /\nDry run: nothing was activated\.\n$/)
  assert.equal((await listRevisions(folder)).active, 2)
  assert.match((await back('--force')).stdout, /\nRevision 1 is active: no running process has reported\.\n$/)
})

test('13.2 an export is the active configuration; drift is reported, by the exit code too', async () => {
  const folder = copyReference()
  const none = await ig(['drift', folder])
  assert.deepEqual(
    [none.code, none.stderr],
    [1, 'ig: there is no revision yet. Create the first: ig apply <project>\n'],
  )
  assert.equal((await ig(['apply', folder])).code, 0)
  const file = join(folder, 'gateway.config.ts')
  const kept = await ig(['revision', 'export', '--project', folder, '--out', file])
  assert.deepEqual([kept.code, kept.stderr], [1, `ig: ${file} exists. Replace it with --force.\n`])
  const printed = await ig(['revision', 'export', '--project', folder])
  assert.equal((await ig(['revision', 'export', '--project', folder, '--out', file, '--force'])).code, 0)
  assert.equal(readFileSync(file, 'utf8'), printed.stdout)
  assert.match((await ig(['apply', folder])).stdout, /^No changes: the active revision 1 is identical/)
  assert.match((await ig(['drift', folder])).stdout, /^No drift: the files match the active revision 1\.\n$/)

  edit(folder, (config) => config.replace("uriTemplates: ['{key}'],", "uriTemplates: ['keys/{key}'],"))
  const drift = await ig(['drift', folder])
  assert.equal(drift.code, 3)
  assert.equal(
    drift.stdout,
    [
      'The files differ from the active revision 1:',
      '~ operation  KEY_VALUE_PUT.v1  PUT KEY_VALUE.v1  Basic',
      '    uriTemplates  - {key}',
      '                  + keys/{key}',
      '1 operation changed.\n',
    ].join('\n'),
  )
  const { revision, changes } = JSON.parse((await ig(['drift', folder, '--json'])).stdout)
  assert.deepEqual([revision, changes.length], [1, 1])
  writeFileSync(file, 'export default {')
  assert.equal((await ig(['drift', folder])).code, 1, 'what cannot be told is no drift')
  assert.match((await ig(['drift', '--help'])).stdout, /Exit\s+code\s+0:\s+identical;\s+3:\s+different;\s+1:\s+cannot/)
})

test('13.3 of more than 100 changes the first are shown, with the number of the rest and the sum', async () => {
  const folder = copyReference()
  assert.equal((await ig(['apply', folder])).code, 0)
  const services = Array.from({ length: 150 }, (_, at) => `{ name: 'MORE_${String(at).padStart(3, '0')}' }`)
  edit(folder, (config) => config.replace('services: [{', `services: [${services.join(', ')}, {`))
  const { stdout } = await ig(['apply', folder])
  const lines = stdout.trimEnd().split('\n')
  assert.equal(lines.length, 1 + 100 + 3)
  assert.deepEqual(lines.slice(-4), [
    '+ service  MORE_099',
    '… and 50 more: ig diff 1 files shows all.',
    '150 services added.',
    'Revision 2 is active: no running process has reported.',
  ])
  const all = await ig(['diff', '1', 'files', '--project', folder])
  assert.match(all.stdout, /\n\+ service {2}MORE_149\n150 services added\.\n$/)
})

const faults: readonly { title: string; spoil: (folder: string) => void; says: RegExp }[] = [
  {
    title: '13.14 an incomplete configuration activates nothing',
    spoil: (folder) => edit(folder, (config) => config.slice(0, config.length / 2)),
    says: /^The project has an error:\n {2}gateway\.config\.ts cannot be loaded: gateway\.config\.ts:\d+: /,
  },
  {
    title: '13.14 a handler module that throws activates nothing',
    spoil: (folder) => writeFileSync(join(folder, 'handlers/echo.ts'), "\nthrow new Error('not today')\n"),
    says: /operations\[7\]\.handler cannot be loaded: handlers\/echo\.ts:2: not today/,
  },
  {
    title: '13.14 a handler that does not exist activates nothing',
    spoil: (folder) => edit(folder, (config) => config.replace('#Echo', '#Ecko')),
    says: /operations\[7\]\.handler names an export that handlers\/echo\.ts does not have: Ecko; did you mean Echo\?/,
  },
  {
    title: '13.14 an invalid configuration activates nothing',
    spoil: (folder) => edit(folder, (config) => config.replaceAll("'{key}'", "'{kee}'")),
    says: /operations\[5\]\.uriTemplates\[0\] has the variable kee/,
  },
  {
    title: '13.14 an authorization server that is not registered activates nothing',
    spoil: (folder) => edit(folder, (config) => config.replace("'SAMPLE_ISSUER'", "'OTHER'")),
    says: /ig\.AuthorizationServer names no OAuth2 service app: SAMPLE_ISSUER/,
  },
]

for (const { title, spoil, says } of faults) {
  test(title, async () => {
    const folder = copyReference()
    assert.equal((await ig(['apply', folder])).code, 0)
    spoil(folder)
    const { code, stdout, stderr } = await ig(['apply', folder, '--force'])
    assert.equal(code, 1)
    assert.doesNotMatch(stdout, /is active/)
    assert.match(stderr, says)
    assert.deepEqual((await listRevisions(folder)).activations.length, 1)
  })
}

test('13.10 a rollback to a revision whose handlers are not in the project folder is refused', async () => {
  const folder = copyReference()
  assert.equal((await ig(['apply', folder])).code, 0)
  writeFileSync(
    join(folder, 'handlers/echo.ts'),
    readFileSync(join(folder, 'handlers/echo.ts'), 'utf8').replace('class Echo ', 'class Repeat '),
  )
  edit(folder, (config) => config.replace('#Echo', '#Repeat'))
  assert.equal((await ig(['apply', folder])).code, 0)
  const { code, stderr } = await ig(['rollback', '1', '--project', folder])
  assert.equal(code, 1)
  assert.equal(
    stderr,
    'ig: The configuration is invalid. Revision 1 cannot be served here.\n' +
      '  operations[7].handler names an export that handlers/echo.ts does not have: Echo\n',
  )
  assert.equal((await listRevisions(folder)).active, 2)
})

test('13.1 a revision that does not exist is reported', async () => {
  const folder = copyReference()
  assert.equal((await ig(['apply', folder])).code, 0)
  for (const [args, exitCode, says] of [
    [['rollback', '7'], 1, 'Not found. There is no revision 7. The newest is 1.'],
    [['rollback', 'files'], 2, '"files" is not a revision. Give its number: ig revision list has all.'],
    [['diff', '1', 'first'], 2, '"first" is not a revision. Give a revision number, active or files.'],
    [['revision', 'export', '0'], 2, '"0" is not a revision. Give a revision number, active or files.'],
  ] as const) {
    const { code, stderr } = await ig([...args, '--project', folder])
    assert.deepEqual([code, stderr], [exitCode, `ig: ${says}\n`])
  }
})

test('13.17 a wait is 1 to 120 seconds', async () => {
  for (const wait of ['long', '0', '121']) {
    const { code, stderr } = await ig(['apply', '--wait', wait])
    assert.deepEqual([code, /It is a whole number of seconds from 1 to 120\./.test(stderr)], [2, true], stderr)
  }
})

forEachDatabase((database) => {
  const openDatabase = async (t: TestContext) => {
    const { url, remove } = await database.open()
    t.after(remove)
    return { IG_DATABASE: url }
  }

  test(`13.5 two concurrent applies are both complete, and neither is lost without a message (${database.name})`, async (t) => {
    const env = await openDatabase(t)
    const folders = [copyReference(), copyReference()]
    const [first = ''] = folders
    assert.equal((await ig(['apply', first], { env })).code, 0)
    for (const [index, folder] of folders.entries()) describeEcho(folder, `Said by ${index}`)
    const outcomes = await Promise.all(folders.map((folder) => spawnIg(['apply', folder, '--no-wait'], { env })))
    const made = outcomes.filter(({ code }) => code === 0).length
    const { active, revisions } = await listRevisions(first, env)
    assert.ok(made >= 1)
    assert.deepEqual([active, revisions.length], [1 + made, 1 + made])
    for (const { code, stderr } of outcomes) {
      if (code === 0) continue
      assert.match(stderr, /^ig: .*Revision 2 is active now\. Check its changes and try again\.\n$/)
    }
  })

  test(`13.6, 13.7, 13.9 several processes on one store follow each apply and rollback (${database.name})`, async (t) => {
    const env = await openDatabase(t)
    const folder = copyReference()
    const add = ['operator', 'add', 'GUEST', '--no-password', '--permission-list', 'PUBLIC', '--project', folder]
    assert.equal((await ig(add, { env })).code, 0)
    const start = async () => {
      const serving = serve(['start', folder, '--port', '0', '--workers', '1'], { env: { ...env, IG_LOG_LEVEL: '4' } })
      const [, url = ''] = await serving.until(/serving \S+ at (http:\S+)/)
      return { ...serving, url }
    }
    const first = await start()
    await first.until(/ig: revision 1 is active: created from the project's files, because the store had none\n/)
    const second = await start()
    await second.until(/ig: revision 1 is active\n/)
    const processes = [first, second]
    const revisionOf = async (url: string) => {
      const answer = await fetch(url + echo)
      assert.equal(answer.status, 200)
      assert.match(await answer.text(), /<parameter1>x</)
      return answer.headers.get('ig-revision')
    }
    const inForce = (number: number) =>
      Promise.all(processes.map(({ until }) => until(new RegExp(`"Revision ${number} is active\\.`))))
    assert.deepEqual(await Promise.all(processes.map(({ url }) => revisionOf(url))), ['1', '1'])

    for (const { until } of processes) await until(/"url":"[^"]*\/echo\/x".*"revision":1\b/)

    describeEcho(folder, 'Another')
    assert.equal((await ig(['apply', folder], { env })).code, 0)
    await inForce(2)
    assert.deepEqual(await Promise.all(processes.map(({ url }) => revisionOf(url))), ['2', '2'])
    assert.equal((await ig(['rollback', '1', '--project', folder], { env })).code, 0)
    await inForce(1)
    assert.deepEqual(await Promise.all(processes.map(({ url }) => revisionOf(url))), ['1', '1'])

    const third: IgProcess & { url: string } = await start()
    await third.until(/warning: the project's files differ from revision 1 in one place\. Show them with ig drift /)
    assert.equal(await revisionOf(third.url), '1')
    const ends = await Promise.all([...processes, third].map(({ stop }) => stop()))
    assert.deepEqual(
      ends.map(({ code }) => code),
      [0, 0, 0],
    )
  })
})

test('15.9 a command about a revision answers whatever errors the files have', async () => {
  const folder = copyReference()
  assert.equal((await ig(['apply', folder])).code, 0)
  const project = ['--project', folder]
  const guest = ['operator', 'add', 'GUEST', '--no-password', '--permission-list', 'PUBLIC']
  assert.equal((await ig([...guest, ...project])).code, 0)
  const ask = (...args: readonly string[]) => ig([...args, '--revision', 'active', ...project])
  writeFileSync(join(folder, 'handlers/unused.ts'), 'export default {')
  for (const faulty of ['export default { nodes: [] }', 'export default {']) {
    writeFileSync(join(folder, 'gateway.config.ts'), faulty)
    assert.equal((await ig(['can', 'GUEST', 'ECHO_GET', ...project])).code, 1)
    for (const verb of [
      ['can', 'GUEST', 'ECHO_GET'],
      ['try', 'GET', '/ECHO.v1/echo/x'],
      ['template', 'match', 'ECHO_GET', 'echo/x'],
    ]) {
      const { code, stdout, stderr } = await ask(...verb)
      assert.deepEqual([code, stderr], [0, ''], stdout)
    }
  }
  writeFileSync(join(folder, 'handlers/echo.ts'), 'export default {')
  const { code, stderr } = await ask('can', 'GUEST', 'ECHO_GET')
  assert.equal(code, 1)
  assert.match(stderr, /^ig: For revision 1, the project folder has [\s\S]*cannot be loaded: handlers\/echo\.ts:1/)
})

test('15.9 a command answers for the files, warns if they differ from the active revision, and can answer for a revision', async () => {
  const folder = copyReference()
  assert.equal((await ig(['apply', folder])).code, 0)
  edit(folder, (config) =>
    config
      .replace(", 'ECHO_GET.v1'", '')
      .replace('permissionLists: [', "permissionLists: [\n    { name: 'NEXT', operations: ['ECHO_GET.v1'] },"),
  )
  const ask = (...args: readonly string[]) => ig([...args, '--project', folder])
  const files = await ask('can', 'GUEST', 'ECHO_GET')
  assert.match(files.stderr, /uses the project's files; the active revision 1 differs. Use it with --revision active/)
  assert.match(files.stdout, /^no: GUEST may not call ECHO_GET\.v1/)
  const active = await ask('can', 'GUEST', 'ECHO_GET', '--revision', 'active')
  assert.match(active.stdout, /^yes: GUEST may call ECHO_GET\.v1: granted by PUBLIC/)
  assert.doesNotMatch(active.stderr, /active revision/)
  for (const verb of [
    ['try', 'GET', '/ECHO.v1/echo/x'],
    ['explain', 'GET /ECHO.v1/echo/x'],
    ['template', 'match', 'ECHO_GET', 'echo/x'],
  ]) {
    const { code, stderr, stdout } = await ask(...verb, '--revision', '1')
    assert.deepEqual([code, stderr.includes('differs')], [0, false], stdout)
  }
  const described = await ig(['describe', 'openapi', folder, '--revision', '1', '--as', 'GUEST'])
  assert.deepEqual([described.code, described.stderr], [1, 'ig: there is no operator GUEST.\n'])
  const missing = await ask('can', '--revision', '7')
  assert.deepEqual(
    [missing.code, missing.stderr],
    [1, 'ig: there is no revision 7. The newest is 1: ig revision list has all.\n'],
  )

  for (const list of ['NEXT', 'PUBLIC'])
    assert.equal((await ask('operator', 'add', `OF_${list}`, '--no-password', '--permission-list', list)).code, 0)
  const unknown = await ask('operator', 'grant', 'OF_NEXT', 'NEX')
  assert.match(unknown.stderr, /There is no permission list NEX; did you mean NEXT\?/)
})
