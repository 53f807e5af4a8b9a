/**
 * `npm run spec`: which tests hold which paragraph of the specification. Prints paragraph → tests (`--json`: the map;
 * `--brief`: the count and what is wrong) and exits 1 when a paragraph has no test, or a test cites none or one that does not exist.
 */
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'

/** A test, or a row of a table of tests. `title` comes without the citation. */
export interface Title {
  readonly file: string
  readonly line: number
  readonly title: string
  readonly cites: readonly string[]
}

export interface Coverage {
  readonly tests: ReadonlyMap<string, readonly Title[]>
  readonly problems: readonly string[]
}

/** The chapters of the kernel, then those of the features. */
export function readSpecification(root: string): string {
  const files = ['docs/reference/specification.md', ...globSync('src/features/*/README.md', { cwd: root }).sort()]
  return files.map((file) => readFileSync(join(root, file), 'utf8')).join('\n')
}

/** The paragraph numbers, in their order. */
export function parseParagraphs(specification: string): string[] {
  return [...specification.matchAll(/^\*\*(\d+\.\d+)\*\* /gm)].map((match) => match[1] ?? '')
}

/**
 * The titles of a test file: of every `test(` and `it(` whose first argument is a string, and of every row with a
 * citing `title: '3.4 …'`, from which tests are generated. Subtests (`t.test(`) and rows may cite, and need not.
 * Skipped tests hold nothing.
 */
export function parseTitles(source: string, file: string): Title[] {
  const code = source.replace(/^[ \t]*(\/\/|\/\*|\*(?!\w)).*$/gm, '')
  const titles: Title[] = []
  for (const { 1: subtest, 2: row, 3: quote, 4: text = '', index } of code.matchAll(titlePattern)) {
    // Such a title is an expression: the rows of its table cite.
    if (quote === '`' && text.startsWith('${')) continue
    const { cites, title } = readCitation(text)
    if (cites.length === 0 && (subtest || row)) continue
    titles.push({ file, line: code.slice(0, index).split('\n').length, title, cites })
  }
  return titles
}

/** The repository and the looks of the console and of the site: the specification does not promise them. */
const mayCiteNone = /^test\/(?:project|console)\/|\/console\.test\.ts$/

/** Compares titles with paragraphs. */
export function compareCoverage(paragraphs: readonly string[], titles: readonly Title[]): Coverage {
  const tests = new Map<string, Title[]>(paragraphs.map((paragraph) => [paragraph, []]))
  const problems: string[] = paragraphs
    .filter((paragraph, index) => paragraphs.indexOf(paragraph) !== index)
    .map((paragraph) => `${paragraph} stands twice in the specification`)
  for (const title of titles) {
    const place = `${title.file}:${title.line} “${title.title}”`
    if (title.cites.length === 0 && !mayCiteNone.test(title.file)) problems.push(`${place} cites no paragraph`)
    for (const cited of title.cites) {
      const held = tests.get(cited)
      if (held) held.push(title)
      else problems.push(`${place} cites ${cited}, which does not exist`)
    }
  }
  const missing = [...tests].filter(([, held]) => held.length === 0).map(([paragraph]) => paragraph)
  if (missing.length > 0) problems.push(`No test holds ${missing.join(', ')}`)
  return { tests, problems }
}

/** One line for each test, the paragraph and the file standing once. */
export function formatCoverage({ tests, problems }: Coverage): string {
  const places = [...tests.values()].flat().map(({ file }) => shortName(file).length)
  const width = Math.max(0, ...places)
  const lines: string[] = []
  for (const [paragraph, held] of tests) {
    const first = `${paragraph.padStart(5)} →`
    if (held.length === 0) lines.push(`${first} none`)
    for (const [index, { file, title }] of held.entries()) {
      const before = held[index - 1]
      const name = before?.file === file ? '' : shortName(file)
      lines.push(`${index === 0 ? first : ' '.repeat(first.length)} ${name.padEnd(width)}  ${title}`)
    }
  }
  return [...lines, '', summarizeCoverage({ tests, problems })].join('\n')
}

/** How many paragraphs have tests, and what is wrong. */
export function summarizeCoverage({ tests, problems }: Coverage): string {
  const covered = [...tests.values()].filter((held) => held.length > 0).length
  const count = `${covered} of ${tests.size} paragraphs have tests.`
  return problems.length > 0 ? [count, '', ...problems].join('\n') : count
}

const titlePattern = /(?:(?<![\w$.])(?:(t\.)?(?:test|it)(?:\.only)?\(|(title:))\s*)(['"`])((?:\\.|(?!\3)[^\\])*)\3/g

function readCitation(text: string): { cites: string[]; title: string } {
  const match = /^(\d+\.\d+(?:,\s*\d+\.\d+)*)(?=[\s:]|$):?\s*/.exec(text)
  const title = text.slice(match?.[0].length ?? 0).replace(/\\(.)/g, '$1')
  return { cites: match?.[1]?.split(/,\s*/) ?? [], title }
}

function shortName(file: string): string {
  return file.replace(/^test\//, '').replace(/\.test\.ts$/, '')
}

function readTitles(root: string): Title[] {
  return readdirSync(join(root, 'test'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => ({ path, file: relative(root, path).split(sep).join('/') }))
    .filter(({ file }) => file !== 'test/project/spec.test.ts') // its samples are no tests
    .flatMap(({ path, file }) => parseTitles(readFileSync(path, 'utf8'), file))
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..')
  const coverage = compareCoverage(parseParagraphs(readSpecification(root)), readTitles(root))
  if (process.argv.includes('--json')) {
    console.log(JSON.stringify(Object.fromEntries(coverage.tests), null, 2))
    for (const problem of coverage.problems) console.error(problem)
  } else {
    console.log(process.argv.includes('--brief') ? summarizeCoverage(coverage) : formatCoverage(coverage))
  }
  process.exitCode = coverage.problems.length > 0 ? 1 : 0
}
