/** A project folder: what is read of it, and how its errors are reported (specification 2.12, 9.1, 9.14). */
import assert from 'node:assert/strict'
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { compileCatalog } from '../../src/configuration/catalog.ts'
import { formatProblem } from '../../src/model/problem.ts'
import { openProject, ProjectProblems } from '../../src/project/open-project.ts'

const temporary = await realpath(await mkdtemp(join(tmpdir(), 'ig-project-')))
after(() => rm(temporary, { recursive: true }))
let count = 0

const handler = 'export class Sample { onRequest() {} }\nexport default Sample\n'

/** A folder with these files; a module is never loaded twice, so each has a folder of its own. */
async function makeFolder(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = join(temporary, `project-${++count}`)
  for (const [path, content] of Object.entries({ 'package.json': '{"type":"module"}', ...files })) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), content)
  }
  return folder
}

/** An operation for each handler, by GET: `ONE`, `TWO`… */
function configure(...handlers: readonly string[]): string {
  const operations = handlers.map((handler, index) => ({
    service: 'SAMPLES',
    name: `SAMPLE_${index}`,
    method: 'GET',
    handler,
  }))
  const definition = {
    nodes: [{ name: 'LOCAL_NODE', isDefaultLocal: true }],
    services: [{ name: 'SAMPLES' }],
    operations,
  }
  return `export default ${JSON.stringify(definition)}\n`
}

async function problemsOf(folder: string): Promise<readonly string[]> {
  try {
    await openProject(folder)
  } catch (error) {
    assert.ok(error instanceof ProjectProblems, String(error))
    assert.equal(error.message, error.problems.map(formatProblem).join('\n'))
    return error.problems.map(formatProblem)
  }
  return []
}

test('9.1 the example project has the reference operations at one node', async () => {
  const { configuration, handlers, migrations } = await openProject(
    join(import.meta.dirname, '../../examples/reference'),
  )
  const catalog = compileCatalog(configuration, handlers)
  const operations = [...catalog.operations.values()].filter(({ name }) => name !== 'METADATA_TOKEN') // of a feature
  const lines = operations.map(({ id, verification, templates, response }) =>
    [
      id,
      verification,
      ...templates.toSorted((a, b) => a.index - b.index).map(({ source }) => source),
      response.contentType,
    ].join(' '),
  )
  assert.deepEqual(lines, [
    'METADATA_GET.v1 NONE / application/json; encoding=UTF-8',
    'METADATA_BASIC_GET.v1 Basic / application/json; encoding=UTF-8',
    'METADATA_OAUTH2_GET.v1 OAuth2 / application/json; encoding=UTF-8',
    'KEY_VALUE_POST.v1 Basic / text/xml; encoding="UTF-8"',
    'KEY_VALUE_GET.v1 Basic {key}{?transaction} text/xml; encoding="UTF-8"',
    'KEY_VALUE_PUT.v1 Basic {key} text/xml; encoding="UTF-8"',
    'KEY_VALUE_DELETE.v1 Basic {key}{?transaction} text/xml; encoding="UTF-8"',
    'ECHO_GET.v1 NONE echo/{parameter1} echo/?value-to-echo={parameter1} text/xml; encoding="UTF-8"',
    'CACHED_TIME_GET.v1 Basic / text/xml; encoding="UTF-8"',
    'PSTOKEN_GET.v1 Basic / application/json; encoding=UTF-8',
  ])
  assert.equal(catalog.defaultNode, 'LOCAL_NODE')
  assert.equal(catalog.operations.get('CACHED_TIME_GET.v1')?.cacheKeyPolicy, 'shared')
  assert.deepEqual(
    migrations.map(({ name }) => name),
    ['0001-key-value'],
  )
})

test('9.14 the example has the sample operators, with what each may call', async () => {
  const { configuration, handlers, sampleOperators } = await openProject(
    join(import.meta.dirname, '../../examples/reference'),
  )
  const { operations, anonymousOperatorId } = compileCatalog(configuration, handlers)
  const called = sampleOperators.map(({ id, password, email, clientSecret, isLocked, permissionLists }) => {
    const allowed = [...operations.values()].filter(({ permittedBy }) =>
      permissionLists.some((list) => permittedBy.has(list)),
    )
    return [id, password, email, clientSecret, isLocked, allowed.length]
  })
  assert.deepEqual(called, [
    ['GUEST', 'guest-password', 'guest@example.com', 'guest-secret', false, 2],
    ['DEMO', 'demo-password', 'demo@example.com', 'demo-secret', false, 11],
    ['DEMO2', 'demo2-password', 'demo2@example.com', 'demo2-secret', false, 11],
    ['NOPERM', 'noperm-password', 'noperm@example.com', 'noperm-secret', false, 0],
    ['LOCKED', 'locked-password', 'locked@example.com', 'locked-secret', true, 11],
  ])
  assert.equal(anonymousOperatorId, 'GUEST')
})

for (const file of ['gateway.config.ts', 'gateway.config.js', 'gateway.config.mjs']) {
  test(`2.1 a project states its configuration in ${file}`, async () => {
    const folder = await makeFolder({
      [file]: configure('handlers/one.ts', 'handlers/one.ts#Sample'),
      'handlers/one.ts': handler,
    })
    const project = await openProject(folder)
    assert.equal(project.folder, folder)
    assert.deepEqual([...project.handlers.keys()], ['handlers/one.ts', 'handlers/one.ts#Sample'])
    assert.deepEqual([project.migrations, project.sampleOperators], [[], []])
  })
}

test('2.1 a handler may be a class whose instances define onRequest', async () => {
  const source = 'export default class { onRequest = () => undefined }'
  assert.deepEqual(await problemsOf(await makeFolder({ 'gateway.config.ts': configure('a.ts'), 'a.ts': source })), [])
})

test('5.8 the migrations of a project are in order of name, without files that are not modules', async () => {
  const up = 'export async function up() {}'
  const folder = await makeFolder({
    'gateway.config.ts': configure(),
    'migrations/0010-b.ts': up,
    'migrations/0002-a.mjs': up,
    'migrations/0001-c.js': up,
    'migrations/0003-d.d.ts': 'export {}',
    'migrations/readme.md': '# Migrations',
  })
  const { migrations } = await openProject(folder)
  assert.deepEqual(
    migrations.map(({ name }) => name),
    ['0001-c', '0002-a', '0010-b'],
  )
})

const rows: readonly {
  readonly title: string
  readonly files: Readonly<Record<string, string>>
  readonly problems: readonly string[]
}[] = [
  {
    title: '2.12 a folder without a configuration is refused',
    files: {},
    problems: [
      'gateway.config.ts does not exist in <folder>: name the folder of a project, which has its configuration there',
    ],
  },
  {
    title: '2.12 a configuration without a default export is refused',
    files: { 'gateway.config.ts': 'export const configuration = {}' },
    problems: ['gateway.config.ts has no default export: export default defineGateway({ … })'],
  },
  {
    title: '2.12 a configuration that throws is refused with file and line',
    files: { 'gateway.config.ts': '\n\nthrow new Error("no tables today")\nexport default {}' },
    problems: ['gateway.config.ts cannot be loaded: gateway.config.ts:3: no tables today'],
  },
  {
    title: '2.12 a configuration with a syntax error is refused with file and line',
    files: { 'gateway.config.ts': 'const a: string = "a"\nconst b: = 1\nexport default {}' },
    problems: ['gateway.config.ts cannot be loaded: gateway.config.ts:2: Unexpected token `=`'],
  },
  {
    title: '2.12 a syntax error in plain JavaScript has its line too',
    files: { 'gateway.config.mjs': 'const a = 1\n\nconst b = = 1\nexport default {}' },
    problems: ["gateway.config.mjs cannot be loaded: gateway.config.mjs:3: Unexpected token '='"],
  },
  {
    title: '2.12 a module that lacks an import is refused with the file and line of the import',
    files: {
      'gateway.config.ts': configure('handlers/one.ts', 'handlers/two.ts', 'handlers/three.ts'),
      'handlers/one.ts': 'import "./tables.ts"\nexport default class { onRequest() {} }',
      'handlers/tables.ts': '\nimport "./nowhere.ts"',
      'handlers/two.ts': '\n\nimport { nothing } from "./four.ts"\nexport default class { onRequest() {} }',
      'handlers/three.ts': 'import "no-such-package"',
      'handlers/four.ts': 'export {}',
    },
    problems: [
      "operations[0].handler cannot be loaded: handlers/tables.ts:2: Cannot find module 'handlers/nowhere.ts' imported from handlers/tables.ts",
      "operations[1].handler cannot be loaded: handlers/two.ts:3: The requested module './four.ts' does not provide an export named 'nothing'",
      "operations[2].handler cannot be loaded: handlers/three.ts:1: Cannot find package 'no-such-package' imported from handlers/three.ts",
    ],
  },
  {
    title: '2.12 TypeScript beyond what the runtime strips is refused with file and line',
    files: {
      'gateway.config.ts': configure('a.ts'),
      'a.ts': 'enum Colour { Red }\nexport default class { onRequest() {} }',
    },
    problems: ['operations[0].handler cannot be loaded: a.ts:1: TypeScript enum is not supported in strip-only mode'],
  },
  {
    title: "2.12 if package.json does not declare a project's files as modules, the error says so",
    files: { 'package.json': '{"type":"commonjs"}', 'gateway.config.ts': 'export default {}' },
    problems: [
      'gateway.config.ts cannot be loaded: gateway.config.ts:1: Unexpected token \'export\' (package.json of the project must say "type": "module")',
    ],
  },
  {
    title: '2.12 a module that throws something other than an error is refused',
    files: { 'gateway.config.ts': configure('a.ts'), 'a.ts': 'throw undefined' },
    problems: ['operations[0].handler cannot be loaded: a.ts: it throws undefined'],
  },
  {
    title: '2.12 a handler file that does not exist is refused, naming the nearest one',
    files: { 'gateway.config.ts': configure('handlers/one.js', 'other/two.ts'), 'handlers/one.ts': handler },
    problems: [
      'operations[0].handler names a file that does not exist: handlers/one.js; did you mean one.ts?',
      'operations[1].handler names a file that does not exist: other/two.ts',
    ],
  },
  {
    title: '2.12 a handler that is a folder is refused',
    files: { 'gateway.config.ts': configure('one.ts'), 'one.ts/index.ts': handler },
    problems: ['operations[0].handler names something that is not a file: one.ts'],
  },
  {
    title: '2.12 an export that does not exist is refused, naming the nearest one',
    files: {
      'gateway.config.ts': configure('one.ts#Sampel', 'two.ts', 'one.ts#toString'),
      'one.ts': handler,
      'two.ts': 'export const limit = 3\nexport class Sample { onRequest() {} }',
    },
    problems: [
      'operations[0].handler names an export that one.ts does not have: Sampel; did you mean Sample?',
      'operations[1].handler names two.ts, which has no default export; did you mean two.ts#Sample?',
      'operations[2].handler names an export that one.ts does not have: toString',
    ],
  },
  {
    title: '2.12 a handler that is not a class with onRequest is refused',
    files: {
      'gateway.config.ts': configure('one.ts', 'one.ts#arrow', 'one.ts#Empty', 'one.ts#Throws'),
      'one.ts': [
        'export default { onRequest() {} }',
        'export const arrow = () => undefined',
        'export class Empty { onError() {} }',
        'export class Throws { constructor() { throw new Error() } }',
      ].join('\n'),
    },
    problems: [
      'operations[0].handler names the default export of one.ts, which is not a class',
      'operations[1].handler names arrow of one.ts, which is not a class with a method onRequest',
      'operations[2].handler names Empty of one.ts, which is not a class with a method onRequest',
      'operations[3].handler names Throws of one.ts, which is not a class with a method onRequest',
    ],
  },
  {
    title: '2.12 a module that cannot be loaded is reported once, however many operations name it',
    files: { 'gateway.config.ts': configure('a.ts#A', 'a.ts#B', 'a.ts#A'), 'a.ts': 'throw new Error("no")' },
    problems: ['operations[0].handler cannot be loaded: a.ts:1: no'],
  },
  {
    title: '2.12 a migration that cannot be used is refused',
    files: {
      'gateway.config.ts': configure(),
      'migrations/0001.ts': 'export const up = true',
      'migrations/0002.js': 'export function up() {}',
      'migrations/0002.ts': 'export function up() {}',
      'migrations/0003.ts': '\nthrow new Error("no")',
    },
    problems: [
      'migrations/0001.ts must export a function up(database)',
      'migrations/0002.ts repeats the migration 0002: give it another name',
      'migrations/0003.ts cannot be loaded: migrations/0003.ts:2: no',
    ],
  },
  {
    title: '2.12 sample operators are validated with the project',
    files: {
      'gateway.config.ts': [
        configure(),
        'const one = { id: "ONE", password: "one-password", email: "one@example.com" }',
        'export const sampleOperators = [{ ...one, permissionLists: ["NONE_SUCH"] }, one]',
      ].join('\n'),
    },
    problems: [
      'sampleOperators[0].permissionLists[0] names no permission list of this configuration: "NONE_SUCH"; it has no permission lists',
      'sampleOperators[1].id repeats ONE: operator ids are unique',
    ],
  },
  {
    title: '2.12 sample operators with invalid fields are refused',
    files: {
      'gateway.config.ts': `${configure()}export const sampleOperators = [{ id: "A:B", password: "", email: "one", secret: "s" }, 7]`,
    },
    problems: [
      'sampleOperators[0].email must be an e-mail address',
      'sampleOperators[0].id must be an operator id: 1 to 30 characters, without a colon',
      'sampleOperators[0].password must not be empty',
      'sampleOperators[0].secret is not a known field',
      'sampleOperators[1] must be an object, not 7',
    ],
  },
  {
    title: '2.12 errors of configuration, handlers and migrations are reported at once',
    files: {
      'gateway.config.ts': configure('handlers/missing.ts', '../outside.ts').replace('"SAMPLES"', '"samples"'),
      'migrations/0001.ts': 'export default {}',
    },
    problems: [
      "operations[1].handler must stay in the project folder: '..' leads out of it",
      'services[0].name must be 1 to 30 capitals',
      'operations[0].handler names a file that does not exist: handlers/missing.ts',
      'migrations/0001.ts must export a function up(database)',
    ],
  },
]

for (const { title, files, problems } of rows) {
  test(title, async () => {
    const folder = await makeFolder(files)
    const place = await realpath(folder)
    const found = (await problemsOf(folder)).map((problem) => problem.replace(place, '<folder>'))
    const cut = found.map((problem, index) =>
      problems[index] && problem.startsWith(problems[index]) ? problems[index] : problem,
    )
    assert.deepEqual(cut, problems)
    assert.ok(!found.join().includes(temporary), 'paths are those within the project')
  })
}

test('2.12 a missing folder, or a file in its place, is refused by name', async () => {
  const folder = await makeFolder({ file: '' })
  assert.deepEqual(await problemsOf('no/such/folder'), ['no/such/folder does not exist: name the folder of a project'])
  assert.deepEqual(await problemsOf(join(folder, 'file')), [`${join(folder, 'file')} is not a folder`])
})

test('2.12 a handler or migration that leaves the project by a symbolic link is refused, and not run', async () => {
  const outside = await makeFolder({
    'handler.ts': 'globalThis.outsideWasRun = true\nexport default class { onRequest() {} }',
  })
  const folder = await makeFolder({ 'gateway.config.ts': configure('link.ts', 'folder/handler.ts') })
  await symlink(join(outside, 'handler.ts'), join(folder, 'link.ts'))
  await symlink(outside, join(folder, 'folder'))
  await symlink(outside, join(folder, 'migrations'))
  assert.deepEqual(await problemsOf(folder), [
    'operations[0].handler names a symbolic link that leads out of the project folder: link.ts',
    'operations[1].handler names a symbolic link that leads out of the project folder: folder/handler.ts',
    'migrations/handler.ts names a symbolic link that leads out of the project folder: migrations/handler.ts',
  ])
  assert.ok(!('outsideWasRun' in globalThis))
})

test('2.12 a project may be behind a symbolic link, and contain links', async () => {
  const folder = await makeFolder({ 'gateway.config.ts': configure('link.ts'), 'handlers/one.ts': handler })
  await symlink(join(folder, 'handlers/one.ts'), join(folder, 'link.ts'))
  await symlink(folder, join(temporary, 'linked'))
  assert.equal((await openProject(join(temporary, 'linked'))).folder, folder)
})
