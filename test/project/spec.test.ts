// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the samples are source
/**
 * The tool behind `npm run spec` (test/spec.ts), on small samples. Whether the tests cover the specification is not
 * asked here.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareCoverage, formatCoverage, parseParagraphs, parseTitles, type Title } from '../spec.ts'

const specification = `# Specification

## 3. Who is calling

**3.1** A call is answered
in this order.

| see | **3.9** |
|---|---|

**3.10** As 3.2 **says**, bold text is no paragraph.
`

test('paragraphs are the bold numbers at the start of a line', () => {
  assert.deepEqual(parseParagraphs(specification), ['3.1', '3.10'])
})

test('titles are read from test and it, in all quotes, on the same line or the next', () => {
  const source = [
    "test('3.1 a caller\\'s call', () => {})",
    'it("3.1, 3.10 two paragraphs", run)',
    'test(',
    '  `3.10: a name ${x}`,',
    '  { timeout: 5 },',
    ')',
    "test.only('3.2 alone', run)",
    "test('no citation', run)",
  ].join('\n')
  assert.deepEqual(citations(source), [
    ['3.1', "a caller's call", 1],
    ['3.1 3.10', 'two paragraphs', 2],
    ['3.10', 'a name ${x}', 3],
    ['3.2', 'alone', 7],
    ['', 'no citation', 8],
  ])
})

test('rows of a table cite by their title, and a title that is an expression needs no citation', () => {
  const source = [
    'const rows = [',
    "  { title: '3.1 the first', value: 1 },",
    '  { value: 2, title:',
    "    '3.10 the second' },",
    "  { title: 'Not Found', status: 404 },",
    ']',
    'for (const row of rows) test(row.title, () => {})',
    'for (const row of rows) test(`${row.title} on ${row.store}`, () => {})',
  ].join('\n')
  assert.deepEqual(citations(source), [
    ['3.1', 'the first', 2],
    ['3.10', 'the second', 3],
  ])
})

test('suites, methods, comments and skipped tests hold nothing; a subtest may cite', () => {
  const source = [
    "describe('3.1 a suite', () => {",
    '',
    "  // test('3.1 in a comment', run)",
    "  /x/.test('3.1 a string')",
    "  await('3.1 another function')",
    "  test.skip('3.1 skipped', run)",
    "  t.test('3.10 a subtest', run)",
    "  t.test('without a number', run)",
    '})',
  ].join('\n')
  assert.deepEqual(citations(source), [['3.10', 'a subtest', 7]])
})

test('a citation ends at a space: other numbers at the start of a title are none', () => {
  assert.deepEqual(citations("test('3.1.2 is a release', run)"), [['', '3.1.2 is a release', 1]])
  assert.deepEqual(citations("test('404 is answered', run)"), [['', '404 is answered', 1]])
})

test('every gap is a problem, each with its location; tests of the repository and of looks need no citation', () => {
  const { tests, problems } = compareCoverage(
    ['3.1', '3.2', '3.2', '3.3'],
    [
      sample('test/a.test.ts', '3.1'),
      sample('test/a.test.ts', '3.2', '9.9'),
      sample('test/b.test.ts'),
      sample('test/project/c.test.ts'),
      sample('test/features/metrics/console.test.ts'),
    ],
  )
  assert.deepEqual(
    [...tests].map(([paragraph, held]) => [paragraph, held.length]),
    [
      ['3.1', 1],
      ['3.2', 1],
      ['3.3', 0],
    ],
  )
  assert.deepEqual(problems, [
    '3.2 stands twice in the specification',
    'test/a.test.ts:7 “it holds” cites 9.9, which does not exist',
    'test/b.test.ts:7 “it holds” cites no paragraph',
    'No test holds 3.3',
  ])
})

test('the output is aligned, and names a file once per paragraph', () => {
  const coverage = compareCoverage(
    ['3.1', '3.10'],
    [sample('test/wire/long.test.ts', '3.1'), sample('test/wire/long.test.ts', '3.1'), sample('test/a.test.ts', '3.1')],
  )
  assert.deepEqual(formatCoverage(coverage).split('\n'), [
    '  3.1 → wire/long  it holds',
    '                   it holds',
    '        a          it holds',
    ' 3.10 → none',
    '',
    '1 of 2 paragraphs have tests.',
    '',
    'No test holds 3.10',
  ])
})

function citations(source: string): unknown[] {
  return parseTitles(source, 'test/a.test.ts').map(({ cites, title, line }) => [cites.join(' '), title, line])
}

function sample(file: string, ...cites: string[]): Title {
  return { file, line: 7, title: 'it holds', cites }
}
