/** docs/how-to/handlers.md and its pages: their blocks make one project, which is compiled, called and tested. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { openTestGateway } from 'integration-gateway/testing'
import { parse } from 'yaml'
import { writeProjectFiles } from '../../src/project/new/project-files.ts'
import { checkTypes } from '../support/check-types.ts'
import { runProgram } from '../support/transcript.ts'

const folderOfGuide = join(import.meta.dirname, '../../docs/how-to')
const pages = [
  'handlers.md',
  ...(await readdir(join(folderOfGuide, 'handlers'))).sort().map((page) => `handlers/${page}`),
]
const guide = (await Promise.all(pages.map((page) => readFile(join(folderOfGuide, page), 'utf8')))).join('\n')
const blocks = readBlocks(guide)
const { files, unsound, exchanges } = assemble()
let folder = ''

before(async () => {
  folder = await mkdtemp(join(import.meta.dirname, '.guide-')) // where the name of the SDK leads to its sources
  for (const [path, text] of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
})
after(() => rm(folder, { recursive: true, force: true }))

test('the project of the guide compiles, except what the guide says does not', async () => {
  assert.ok(files.size >= 11, `${files.size} files`)
  assert.deepEqual(await checkTypes(Object.fromEntries(files)), [])
  assert.ok(unsound.length > 0)
  for (const { path, text, output } of unsound) {
    const faults = await checkTypes({ ...Object.fromEntries(files), [path]: text })
    assert.equal(faults.length, 1)
    assert.ok(faults[0]?.startsWith(path) && faults[0].includes(output.trim()), faults[0])
  }
})

test('every response that the guide shows is the real one', async () => {
  assert.ok(exchanges.length >= 20, `${exchanges.length} exchanges`)
  await expectAnswers(folder, exchanges)
})

test('both clients of the guide that repeat a call get its response', async () => {
  await using gateway = await openTestGateway({ project: folder, listen: true })
  const [, encoded = ''] = (await gateway.basicCredentials('ANN')).split(' ')
  const page = guide.replaceAll('ANN:ann-password', atob(encoded)) // a test gateway has passwords of its own
  const [, script = ''] = /^```sh \[curl\]\n([\s\S]*?)^```$/m.exec(page) ?? []
  const { stdout } = await promisify(execFile)('sh', ['-c', script.replace('http://127.0.0.1:8080', gateway.url)])
  for (const printed of [stdout, await runProgram(page, gateway.url)])
    assert.match(printed.trimEnd(), /^\{"order":"[\w-]+","item":"hat"\}$/)
})

for (const [example, project, count] of [
  ['hr', 'hr', 10],
  ['query', 'query/stand-in', 3],
] as const)
  test(`every response that the page of examples/${example} shows is the real one`, async () => {
    const examples = join(import.meta.dirname, '../../examples')
    const shown = readBlocks(readFileSync(join(examples, example, 'README.md'), 'utf8')).flatMap(readExchanges)
    assert.ok(shown.length >= count, `${shown.length} exchanges`)
    await expectAnswers(join(examples, project), shown)
  })

async function expectAnswers(project: string, all: readonly Exchange[]): Promise<void> {
  await using gateway = await openTestGateway({ project })
  for (const { line, as, header, body, expected } of all) {
    const answer = await gateway.call(line, { body, ...(as ? { as } : {}), headers: readFields(header) })
    const type = answer.headers['content-type']
    const [name] = Object.keys(readFields(/^[^\n]*?, (.*)/.exec(expected)?.[1]))
    const first = `${answer.status}${type ? ` ${type}` : ''}${name ? `, ${name}: ${answer.headers[name]}` : ''}`
    const shown = answer.text === '' ? first : `${first}\n${answer.text}`
    const pattern = expected
      .split('…')
      .map((literal) => literal.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
      .join('[\\s\\S]*')
    assert.match(shown, new RegExp(`^${pattern}$`), `${line}: ${shown}`)
  }
}

test('the tests of the guide pass', async () => {
  const tests = [...files.keys()].filter((path) => path.endsWith('.test.ts')).map((path) => join(folder, path))
  const count = tests.flatMap((path) => readFileSync(path, 'utf8').match(/^test\(/gm) ?? []).length
  assert.ok(count >= 5, `${count} tests`)
  const { NODE_TEST_CONTEXT: _, IG_TEST_POSTGRES, ...rest } = process.env // else it would report to the test that runs now
  const env = { ...rest, ...(IG_TEST_POSTGRES && { TEST_POSTGRES: IG_TEST_POSTGRES }) }
  const options = [
    '--conditions=integration-gateway-source',
    '--test-reporter=tap',
    '--test',
    '--test-isolation=none',
    ...tests,
  ]
  const output = await new Promise<string>((resolve) => {
    execFile(process.execPath, options, { env }, (_error, stdout) => resolve(stdout))
  })
  assert.match(output, new RegExp(`^# pass ${count}$[\\s\\S]*^# fail 0$`, 'm'), output)
})

test('the profiler, the linter and the steps of CI that the guide shows work', async () => {
  const run = promisify(execFile)
  const profile = ['--conditions=integration-gateway-source', '--cpu-prof', join(folder, 'tools/profile.ts'), '20']
  const { stdout } = await run(process.execPath, profile, { cwd: folder })
  assert.match(stdout, /^\d+\.\d{3} ms for each call\n$/)
  assert.equal((await readdir(folder)).filter((name) => /^CPU\..*\.0\.001\.cpuprofile$/.test(name)).length, 1)

  const [launch = '', lint = ''] = blocksOf('json')
  assert.equal(JSON.parse(launch).configurations[0].port, 9229)
  const linted = await mkdtemp(join(tmpdir(), 'ig-lint-'))
  try {
    await writeFile(join(linted, 'biome.json'), lint)
    const forgetful =
      'async function save(): Promise<void> {}\n\nexport default class A {\n  onRequest() {\n    save()\n  }\n}\n'
    await writeFile(join(linted, 'forgetful.ts'), forgetful)
    const biome = join(import.meta.dirname, '../../node_modules/.bin/biome')
    const { stdout } = await run(biome, ['lint', '--reporter=json'], { cwd: linted }).catch((error) => error)
    assert.deepEqual(
      JSON.parse(stdout).diagnostics.map(({ category }: { readonly category: string }) => category),
      ['lint/nursery/noFloatingPromises'],
    )
  } finally {
    await rm(linted, { recursive: true })
  }

  const own = { version: '1.0.0', devDependencies: {} }
  const { scripts } = JSON.parse(writeProjectFiles('shop', own, '1.0.0')['package.json'] ?? '')
  const { steps } = parse(blocksOf('yaml')[0] ?? '').jobs.test
  const commands = steps.flatMap(({ run = '' }) => /^npm (?:run )?(?!ci)(\w+)$/.exec(run)?.[1] ?? [])
  assert.deepEqual(commands, ['check', 'test'])
  for (const command of commands) assert.ok(scripts[command], command)
})

function blocksOf(wanted: string): readonly string[] {
  return blocks.filter(({ language }) => language === wanted).map(({ text }) => text)
}

function readFields(field = ''): Record<string, string> {
  const [name = '', value = ''] = field.split(/: (.*)/)
  return name === '' ? {} : { [name]: value }
}

interface Block {
  readonly language: string
  readonly text: string
}

interface Exchange {
  readonly line: string
  readonly as: string | undefined
  /** One header, `range: bytes=2-4`, behind a comma. */
  readonly header: string | undefined
  readonly body: string
  /** Status, content type, perhaps a header, and on the next line the body; `…` matches any text. */
  readonly expected: string
}

function assemble() {
  const files = new Map<string, string>()
  const unsound: { readonly path: string; readonly text: string; readonly output: string }[] = []
  const exchanges: Exchange[] = []
  for (const [index, block] of blocks.entries()) {
    const { language, text } = block
    const [first = '', rest = ''] = text.split(/\n(.*)/s)
    const [, path, what = ''] = /^\/\/ ([\w./-]+?\.ts)(?:[:,] (.*))?$/.exec(first) ?? []
    if (readExchanges(block).length > 0) exchanges.push(...readExchanges(block))
    else if (language !== 'ts')
      continue // belongs to the block before, or has a test of its own
    else if (path === undefined) assert.fail(`a block without the name of its file: ${first}`)
    else if (what === '') {
      assert.ok(!files.has(path), `two blocks have ${path}`)
      files.set(path, text)
    } else if (what === 'which does not compile') unsound.push({ path, text, output: blocks[index + 1]?.text ?? '' })
    else files.set(path, add(files.get(path) ?? '', rest, what))
  }
  return { files, unsound, exchanges }
}

function add(file: string, text: string, where: string): string {
  const [head, tail, ...others] = file.split('  operations: [\n')
  assert.ok(head !== undefined && tail !== undefined && others.length === 0)
  if (where === 'add to operations') return `${head}  operations: [\n${text}${tail}`
  assert.equal(where, 'add before operations')
  return `${head}${text}  operations: [\n${tail}`
}

function readBlocks(page: string): readonly Block[] {
  return [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language = '', text = '']) => ({ language, text }))
}

/** None if the block is something else. */
function readExchanges({ language, text }: Block): readonly Exchange[] {
  return language === 'text' && /^[A-Z]+ /.test(text) ? text.trimEnd().split('\n\n').map(readExchange) : []
}

function readExchange(text: string): Exchange {
  const [request = '', expected = ''] = text.split('\n→ ')
  const pattern = /^(\S+ [^\s,]+)(?: as (\w+))?(?:, ([^\n]+))?(?:\n([\s\S]*))?$/
  const [, line = '', as, header, body = ''] = pattern.exec(request) ?? []
  return { line, as, header, body, expected }
}
