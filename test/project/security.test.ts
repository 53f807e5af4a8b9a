/** What SECURITY.md says holds a control exists: paragraphs of the specification, tests and ordeals. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ordeals } from '../ordeal/ordeals.ts'
import { parseParagraphs, parseTitles, readSpecification } from '../spec.ts'

const root = join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const paragraphs = new Set(parseParagraphs(readSpecification(root)))

/** One line for each thing that a row of the table of threats names, and that is not there. */
function findMissing(row: string): string[] {
  const [threat = '', , held = ''] = row.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, ''))
  const named = held.match(/(?<![\w.])\d+\.\d+(?![\w.])/g) ?? []
  const tests = [...held.matchAll(testPattern)].map(([, file = '', title = '']) => ({ file, title }))
  const ordealNames = held.match(ordealPattern)?.[0].match(/(?<=`)\w+(?=`)/g) ?? []
  const rest = [testPattern, ordealPattern, /\d+\.\d+/g, /[,; ]/g].reduce((text, part) => text.replace(part, ''), held)
  return [
    ...(held === '' || (rest !== '' && !held.endsWith('; no test'))
      ? [`${threat}: it is not readable what holds it`]
      : []),
    ...named.filter((number) => !paragraphs.has(number)).map((number) => `${threat}: no paragraph ${number}`),
    ...tests.filter((each) => !hasTest(each)).map(({ file, title }) => `${threat}: no test “${title}” in ${file}`),
    ...ordealNames
      .filter((name) => !ordeals.some((ordeal) => ordeal.name === name))
      .map((name) => `${threat}: no ordeal ${name}`),
  ]
}

const testPattern = /`(test\/[\w./-]+)`: "([^"]+)"/g
const ordealPattern = /ordeals? `\w+`(?:, `\w+`)*/

function hasTest({ file, title }: { readonly file: string; readonly title: string }): boolean {
  return existsSync(join(root, file)) && parseTitles(read(file), file).some((each) => each.title === title)
}

test('everything that SECURITY.md names as proof of a control exists', () => {
  const table = /^### Threats\n\n(?:\|.*\n){2}((?:\|.*\n)+)/m.exec(read('SECURITY.md'))?.[1] ?? ''
  const rows = table.trim().split('\n')
  assert.ok(rows.length > 30)
  assert.deepEqual(rows.flatMap(findMissing), [])
})

test('the rule for SECURITY.md detects what does not exist', () => {
  const faults = (held: string) => findMissing(`| A threat | a control | ${held} |`).length
  assert.equal(faults('1.5, 3.11, ordeal `fuzz`'), 0)
  assert.equal(faults('1.5, 99.1, ordeals `fuzz`, `flood`'), 2)
  assert.equal(faults('`test/project/security.test.ts`: "no such test"'), 1)
  assert.equal(faults('`test/project/security.test.ts`: "the rule for SECURITY.md detects what does not exist"'), 0)
  assert.equal(faults('[a document](docs/how-to/releasing.md)'), 1)
})
