/** What documents and comments refer to exists: links, anchors, decisions and paragraphs of the specification. */
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { test } from 'node:test'
import { refusalTable } from '../../src/model/refusal.ts'
import { parseParagraphs, readSpecification } from '../spec.ts'

const root = join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const list = (...patterns: string[]) => globSync(patterns, { cwd: root, exclude: ['**/node_modules', '**/dist'] })

const decisionsFolder = 'docs/explanation/decisions'
const chapters = list(`${decisionsFolder}/*.md`).filter((file) => basename(file) !== 'README.md')
const decided = chapters.flatMap((file) => numbersOf(read(file)).map((number) => ({ file, number })))

test('every link of a document leads somewhere', () => {
  const documents = list('*.md', 'docs/**/*.md', 'examples/**/*.md', 'bench/**/*.md')
  const broken = documents.flatMap((file) =>
    readLinks(read(file))
      .filter(([path, anchor]) => !leadsSomewhere(file, path, anchor))
      .map(([path, anchor]) => `${file}: ${path}${anchor}`),
  )
  assert.ok(documents.length > 30)
  assert.deepEqual(broken, [])
})

test('every path of the repository that a document names exists', () => {
  const documents = list('*.md', 'docs/**/*.md', 'examples/**/*.md', 'bench/**/*.md')
  const missing = documents.flatMap((file) =>
    namedPaths(read(file))
      .filter((path) => !isElsewhere.has(path) && list(path).length === 0)
      .map((path) => `${file}: ${path}`),
  )
  assert.deepEqual(missing, [])
})

test('the rules for documents detect what does not exist', () => {
  assert.deepEqual(
    namedPaths('`src/model/` and `npm test -- test/x.test.ts`, not `handlers/a.ts`\n```sh\nbench/setup\n```'),
    ['src/model', 'test/x.test.ts', 'bench/setup'],
  )
  assert.deepEqual(readLinks('[a](b.md#c) `[no](link)` [d](https://example.com)'), [['b.md', '#c']])
  assert.equal(leadsSomewhere('README.md', 'CHANGELOG.md', '#no-such-heading'), false)
})

test('a block of a page that begins with a file of an example is a part of it', () => {
  const pages = list('docs/**/*.md')
  const blocks = pages.flatMap((page) => [...read(page).matchAll(/^```ts\n\/\/ (examples\/\S+)\n([\s\S]*?)^```/gm)])
  assert.ok(blocks.length > 0)
  // The example has longer lines
  const plain = (code: string) => code.replaceAll(/\s+/g, '').replaceAll(/,(?=[)\]}])/g, '')
  for (const [, file = '', text = ''] of blocks) assert.ok(plain(read(file)).includes(plain(text)), file)
})

test('a line of a shell example has one command before its comment', () => {
  const documents = list('*.md', 'docs/**/*.md', 'examples/**/*.md', 'bench/**/*.md')
  const joined = documents.flatMap((file) => joinedCommands(read(file)).map((line) => `${file}: ${line}`))
  assert.deepEqual(joined, [])
  assert.deepEqual(joinedCommands('```sh\nig check # finds errors\nig check # finds errors ig start\n```'), [
    'ig check # finds errors ig start',
  ])
})

test('only transcripts have prompts, which their copy button leaves out', () => {
  const pages = list('docs/**/*.md', 'src/features/*/README.md')
  const blocks = pages.flatMap((file) =>
    [...read(file).matchAll(/^```(.*)\n([\s\S]*?)^```/gm)].map(([, language = '', text = '']) => ({
      file,
      language,
      text,
    })),
  )
  const has = ({ text }: { text: string }) => /^\$ /m.test(text)
  const isTranscript = ({ language }: { language: string }) => /^console\b/.test(language)
  assert.ok(blocks.filter(isTranscript).filter(has).length > 30)
  assert.deepEqual(
    blocks
      .filter((block) => has(block) !== isTranscript(block))
      .map(({ file, text }) => `${file}: ${text.slice(0, 80)}`),
    [],
  )
})

test('the page about troubles names every refusal', () => {
  const page = read('docs/how-to/troubleshooting.md').split('## By refusal code')[1] ?? ''
  const missing = Object.keys(refusalTable).filter((code) => !page.includes(`\`${code}\``))
  assert.deepEqual(missing, [])
})

test('the page about performance is method and current figures, in at most 150 lines', () => {
  assert.ok(read('docs/explanation/performance.md').trimEnd().split('\n').length <= 150)
})

test('the README of a feature begins with a sentence that says what the feature does', () => {
  const pages = list('src/features/*/README.md')
  const first = pages.map((file) => `${file}: ${read(file).split('\n')[2]}`)
  assert.ok(pages.length > 10)
  assert.deepEqual(
    first.filter((line) => !/README\.md: (?!Chapter|Paragraph)[A-Z]/.test(line)),
    [],
  )
})

test('a picture has at most 150 kB', () => {
  const pictures = list('docs/images/*')
  assert.ok(pictures.length > 0)
  assert.deepEqual(
    pictures.filter((file) => statSync(join(root, file)).size > 150_000),
    [],
  )
})

test('each decision has a number of its own', () => {
  const numbers = decided.map(({ number }) => number)
  assert.ok(numbers.length > 50)
  assert.deepEqual(
    numbers.filter((number, at) => numbers.indexOf(number) !== at),
    [],
  )
})

test('each decision gives its question, what was decided, why, and what was rejected', () => {
  const parts = ['Question', 'Decided', 'Why', 'Rejected']
  const incomplete = chapters.flatMap((file) =>
    read(file)
      .split(/^## /m)
      .slice(1)
      .filter((decision) => `${[...decision.matchAll(/^\*\*(\w+)\.\*\* /gm)].map(([, part]) => part)}` !== `${parts}`)
      .map((decision) => `${file}: ${decision.split('\n')[0]}`),
  )
  assert.deepEqual(incomplete, [])
})

test('the index of the decisions lists every chapter with its numbers', () => {
  const rows = read(`${decisionsFolder}/README.md`).matchAll(/^\| \[.*\]\((.*\.md)\) \| (.*) \|$/gm)
  const listed = [...rows].map(([, file, numbers = '']) => `${file}: ${numbers}`)
  const expected = chapters.map((file) => `${basename(file)}: ${numbersOf(read(file)).join(', ')}`)
  assert.deepEqual(listed.sort(), expected.sort())
})

test('every decision that a file cites exists', () => {
  const numbers = new Set(decided.map(({ number }) => number))
  const files = list(
    '*.md',
    '{docs,src,console,site,test,bench,deploy,tools,examples}/**/*.{md,ts,tsx,js,yaml,cfg,conf,sql}',
  )
  const unknown = files.flatMap((file) =>
    [...read(file).matchAll(/\bD-\d+\b/g)]
      .filter(([number]) => !numbers.has(number))
      .map(([number]) => `${file}: ${number}`),
  )
  assert.ok(files.length > 500)
  assert.deepEqual(unknown, [])
})

test('every paragraph of the specification that a comment or a document cites exists', () => {
  const paragraphs = new Set(parseParagraphs(readSpecification(root)))
  const numbers = '(\\d+\\.\\d+(?:(?:, | and | to )\\d+\\.\\d+)*)'
  const unknown = (files: readonly string[], citation: RegExp) =>
    files.flatMap((file) =>
      [...read(file).matchAll(citation)]
        .flatMap(([, cited = '']) => cited.split(/, | and | to /))
        .filter((number) => !paragraphs.has(number))
        .map((number) => `${file}: ${number}`),
    )
  const code = list('{src,console,site,test,bench,tools,examples}/**/*.{ts,tsx,js}')
  assert.deepEqual(unknown(code, new RegExp(`specification ${numbers}`, 'g')), [])
  assert.deepEqual(unknown(list('*.md', '{docs,src}/**/*.md'), new RegExp(`\\(${numbers}\\)`, 'g')), [])
})

/** Files of the projects that the guides make, a resource of Kubernetes, and what only a build writes. */
const isElsewhere = new Set([
  'test/hello.test.ts',
  'test/shop.test.ts',
  'test/jobs.test.ts',
  'deploy/gateway',
  'console/dist',
  'site/dist',
  'test/prices.test.ts',
  'test/pack.test.ts',
  'test/rates.test.ts',
  'test/http.test.ts',
  'test/order.test.ts',
  'tools/with-postgres.ts',
  'tools/profile.ts',
])

/** Paths in code that begin with a folder of the repository; those of users' projects begin otherwise. */
function namedPaths(text: string): string[] {
  const code = [...text.matchAll(/^```[\s\S]*?^```|`[^`\n]*`/gm)].map(([each]) => each).join('\n')
  const paths = code.matchAll(
    /(?<![\w/.@:-])(?:src|console|site|docs|test|bench|deploy|tools|bin|\.ci|examples)\/[\w./*{},-]*/g,
  )
  return [...new Set([...paths].map(([path]) => path.replace(/[./,]+$/, '')))]
}

function numbersOf(chapter: string): string[] {
  return [...chapter.matchAll(/^## (D-\d+) /gm)].map(([, number = '']) => number)
}

/** Path and anchor of every link within the repository; code is no text. */
function readLinks(text: string): (readonly [path: string, anchor: string])[] {
  const prose = text.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, '')
  return [...prose.matchAll(/\]\((?!\w+:)([^)#\s]*)(#[^)\s]*)?\)/g)].map(([, path = '', anchor = '']) => [path, anchor])
}

function leadsSomewhere(from: string, path: string, anchor: string): boolean {
  const target = path === '' ? from : join(dirname(from), path)
  if (!existsSync(join(root, target))) return false
  return anchor === '' || headingsOf(read(target)).has(anchor.slice(1))
}

function headingsOf(text: string): ReadonlySet<string> {
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading.toLowerCase())
  return new Set(headings.map((heading) => heading.replace(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-')))
}

/** A command that stands in the comment of another, because lines of an example were filled like prose. */
function joinedCommands(document: string): readonly string[] {
  const examples = document.match(/^```sh\n[\s\S]*?^```/gm) ?? []
  return examples
    .flatMap((example) => example.split('\n'))
    .filter((line) => /\S.*#.*\s(ig|npm|npx|curl) [a-z-]/.test(line))
}
