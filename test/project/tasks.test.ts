/** examples/tasks: each task has a judge, and a new project, which does nothing of what is asked, passes no test of any. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { writeProjectFiles } from '../../src/project/new/project-files.ts'

const tasks = join(import.meta.dirname, '../../examples/tasks')
const namesOf = (end: string) =>
  globSync(`[0-9]*${end}`, { cwd: tasks })
    .map((file) => file.slice(0, -end.length))
    .sort()
const names = namesOf('.md')

test('each of the twelve tasks has a judge, and is listed', () => {
  assert.equal(names.length, 12)
  assert.deepEqual(namesOf('.judge.ts'), names)
  const listed = readFileSync(join(tasks, 'README.md'), 'utf8').matchAll(/^\| \[.*\]\((.*)\.md\) \|/gm)
  assert.deepEqual(
    [...listed].map(([, name]) => name),
    names,
  )
})

test('a new project passes no test of a judge, and each failure names what the project lacks', async (t) => {
  const project = mkdtempSync(join(import.meta.dirname, '.tasks-')) // where the name of the SDK leads to its sources
  t.after(() => rmSync(project, { recursive: true, force: true }))
  const { 'package.json': _, ...files } = writeProjectFiles(
    'library',
    { version: '1.0.0', devDependencies: {} },
    '1.0.0',
  )
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, path)), { recursive: true })
    writeFileSync(join(project, path), text)
  }
  const judges = names.map((name) => join(project, `test/${name}.judge.ts`))
  for (const judge of judges) cpSync(join(tasks, judge.slice(judge.lastIndexOf('/'))), judge)

  const { NODE_TEST_CONTEXT: __, ...env } = process.env // else it would report to the test that runs now
  const options = ['--conditions=integration-gateway-source', '--test', '--test-isolation=none', '--test-reporter=tap']
  const output = await new Promise<string>((resolve) => {
    execFile(process.execPath, [...options, ...judges], { env }, (_error, stdout) => resolve(stdout))
  })
  assert.match(output, /^# pass 0$/m, output)
  for (const name of names) {
    const failures = output.split(/^not ok /m).filter((failure) => failure.includes(`/test/${name}.judge.ts`))
    const tests = readFileSync(join(tasks, `${name}.judge.ts`), 'utf8').match(/^test\(/gm) ?? []
    assert.equal(failures.length, tests.length, `${name}: ${output}`)
    const asked = readFileSync(join(tasks, `${name}.md`), 'utf8').match(/\b[A-Z][A-Z_]{3,}\b/g) ?? []
    for (const failure of failures) {
      const [, error = ''] = /^ {2}error: ([\s\S]*?)^ {2}\w+:/m.exec(failure) ?? []
      assert.ok(
        asked.some((word) => error.toUpperCase().includes(word)),
        `${name} fails without a name of its task: ${failure}`,
      )
    }
  }
})
