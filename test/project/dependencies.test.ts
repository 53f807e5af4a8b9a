/**
 * Who may import whom: a file imports from its own place or from further right in
 * `cli → serve → { http, admin } → features → explain → project → gateway → steps → verification → store → configuration → model → base`,
 * and anyone may import types of the settings and the table of features. A feature imports no other. Beside that order:
 * `examples → { sdk, testing }`, `sdk → model`. And the size that a file may have.
 */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '../..')
const nouns = ['model', 'base']
const document = ['configuration', ...nouns]
const core = ['gateway', 'steps', 'verification', 'store', ...document]
/** Features that the page of the pipeline names. */
const pipeline = ['features/limits', 'features/idempotency', 'features/rest-cache']
/** The table of features only declares: its code is loaded when it is needed. */
const table = ['features', 'events']

/** What each place may import besides itself and packages; a file right below src/ is a place of its own. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  cli: [
    ...['moving', 'serve', 'admin', 'actions', 'explain', 'terminal', 'project', 'observe'],
    ...['settings', 'feature', ...table, ...core],
  ],
  testing: ['serve', 'http', 'project', 'settings', 'feature', 'features', 'features/jobs', ...core],
  moving: ['serve', 'http', 'terminal', 'project', 'observe', 'settings', ...core],
  serve: [
    ...['http', 'admin', 'explain', 'terminal', 'project', 'tls', 'observe', 'settings', 'feature'],
    ...[...pipeline, ...core],
  ],
  terminal: ['explain', 'project', 'observe', 'settings', 'store', 'features', ...document],
  http: ['tls', ...core],
  admin: ['actions', 'explain', 'project', 'tls', 'observe', 'feature', 'features', ...core],
  actions: ['settings', 'features', ...core],
  feature: ['actions', 'project', 'terminal', 'observe', 'settings', 'features', ...core],
  features: ['store', 'model'],
  events: ['features', 'model'],
  explain: core,
  project: ['settings', 'features', ...core],
  gateway: [...pipeline, 'steps', 'verification', 'store', ...document],
  steps: ['features', 'verification', 'store', ...document],
  verification: ['store', ...document],
  store: ['features', ...document],
  observe: ['features', ...document],
  settings: ['tls', ...table, ...document],
  tls: nouns,
  sdk: ['features/jobs', 'features/pass-through', ...document],
  configuration: ['features', ...nouns],
  model: ['features', 'verifications', 'base'],
  verifications: [],
  base: [],
  examples: ['sdk', 'testing'],
}

/** What every feature may import. */
const kernel = ['feature', ...table, 'actions', 'explain', 'terminal', 'project', 'observe', 'settings', ...core]

/** Packages that an example has besides the SDK, as its users' projects do. */
const ownPackages: Readonly<Record<string, readonly string[]>> = {
  'examples/hr/': ['pg', 'zod'],
  'examples/absence/': ['zod'],
}

/** These are tables; each is read row by row. */
const longFiles: Readonly<Record<string, string>> = {
  'src/model/refusal.ts': 'a table of refusals',
}

test('a file imports from its own place or from further right', () => {
  const sources = readSources(['src/**/*.ts', 'examples/**/*.ts'])
  assert.ok(sources.length > 50, `only ${sources.length} files found`)
  assert.deepEqual(
    sources.flatMap(({ file, source }) => findForbidden(file, source)),
    [],
  )
})

test('the dependency rule sees static, type, dynamic and worker imports', () => {
  const forbidden = (file: string, source: string) => findForbidden(file, source).length
  assert.equal(forbidden('src/store/a.ts', "import { b } from './b.ts'\nimport { c } from '../model/c.ts'"), 0)
  assert.equal(forbidden('src/store/a.ts', "import type { Settings } from '../settings.ts'"), 0)
  assert.equal(forbidden('src/store/a.ts', "import {\n  readSettings,\n} from '../settings.ts'"), 1)
  assert.equal(forbidden('src/store/a.ts', "import { type Settings } from '../settings.ts'"), 1)
  assert.equal(forbidden('src/store/a.ts', "import type { Step } from '../steps/a.ts'"), 1)
  assert.equal(forbidden('src/model/a.ts', "await import('../store/store.ts')"), 1)
  assert.equal(forbidden('src/model/a.ts', "new Worker(new URL('../store/worker.ts', import.meta.url))"), 1)
  assert.equal(forbidden('src/steps/a.ts', "import '../../test/support/a.ts'"), 1)
  assert.equal(forbidden('src/steps/a.ts', "import { Refusal } from 'integration-gateway'"), 1)
  assert.equal(
    forbidden('examples/a/b.ts', "import { Refusal } from 'integration-gateway'\nimport fs from 'node:fs'"),
    0,
  )
  assert.equal(forbidden('examples/a/b.ts', "import { z } from 'zod'"), 1)
  assert.equal(forbidden('examples/hr/b.ts', "import { z } from 'zod'"), 0)
  assert.equal(forbidden('examples/hr/b.ts', "import { S } from 'saxes'"), 1)
  assert.equal(forbidden('examples/a/b.ts', "export * from '../../src/model/call.ts'"), 1)
})

test('no files import each other in a circle, types included', () => {
  for (const part of ['src', 'console/src']) {
    const imports = readImports(readSources([`${part}/**/*.{ts,tsx}`]))
    assert.ok(imports.size > 50, `only ${imports.size} files found in ${part}`)
    assert.deepEqual(findCircles(imports), [], part)
  }
})

test('a feature imports the kernel, and no other feature', () => {
  const forbidden = (file: string, source: string) => findForbidden(file, source).length
  assert.equal(
    forbidden('src/features/a/step.ts', "import { b } from '../../store/b.ts'\nimport { c } from './c.ts'"),
    0,
  )
  assert.equal(forbidden('src/features/a/step.ts', "import { b } from '../b/b.ts'"), 1)
  assert.equal(forbidden('src/features/a/step.ts', "import { b } from '../../serve/b.ts'"), 1)
  assert.equal(forbidden('src/store/a.ts', "import { b } from '../features/b/rows.ts'"), 1)
  assert.equal(forbidden('src/features.ts', "import { b } from './features/b/feature.ts'"), 0)
  assert.equal(forbidden('src/features.ts', "import { b } from './features/b/rows.ts'"), 1)
})

test('the rule of circles finds one through types, and none if two paths lead to the same file', () => {
  const circles = (sources: readonly Source[]) => findCircles(readImports(sources)).length
  const [a, b, c] = ['src/a.ts', 'src/b.ts', 'src/c.ts']
  assert.equal(
    circles([
      { file: a, source: "import type { B } from './b.ts'" },
      { file: b, source: "import { c } from './c.ts'" },
      { file: c, source: "import {\n  a,\n} from './a.ts'" },
    ]),
    1,
  )
  assert.equal(
    circles([
      { file: a, source: "import { b } from './b.ts'\nimport { c } from './c.ts'" },
      { file: b, source: "import { c } from './c.ts'" },
      { file: c, source: '' },
    ]),
    0,
  )
})

test('the thread of an SQLite writer loads no package: each thread would hold all of it', () => {
  const sources = new Map(readSources(['src/**/*.ts']).map(({ file, source }) => [file, source]))
  const packages: string[] = []
  const seen = new Set<string>()
  const follow = (file: string) => {
    if (seen.has(file)) return
    seen.add(file)
    for (const [, type, path = ''] of (sources.get(file) ?? '').matchAll(importPattern)) {
      if (type !== undefined || path.startsWith('node:') || path === '') continue
      if (path.startsWith('.')) follow(join(dirname(file), path))
      else packages.push(`${file} imports ${path}`)
    }
  }
  follow('src/store/sqlite/writer-worker.ts')
  assert.ok(seen.size > 5, [...seen].join(', '))
  assert.deepEqual(packages, [])
})

test('the pipeline is one page, and a long file is a table', () => {
  const lengths = readSources(['src/**/*.ts']).map(({ file, source }) => ({ file, lines: source.split('\n').length }))
  const max = (file: string) => {
    if (file === 'src/gateway.ts') return 90
    if (file.startsWith('src/http/')) return 250
    return longFiles[file] ? 700 : 300
  }
  assert.deepEqual(
    lengths.filter(({ file, lines }) => lines > max(file)).map(({ file, lines }) => `${file} has ${lines} lines`),
    [],
  )
})

test('the edge has at most 1,900 lines, without comments and empty ones', () => {
  const isCode = (line: string) => !/^\s*(?:\/\/|$)/.test(line)
  const code = readSources(['src/http/*.ts']).flatMap(({ source }) =>
    source
      .replace(/^\s*\/\*[\s\S]*?\*\//gm, '')
      .split('\n')
      .filter(isCode),
  )
  assert.ok(code.length > 1000 && code.length <= 1900, `${code.length} lines`)
})

interface Source {
  readonly file: string
  readonly source: string
}

function readSources(patterns: readonly string[]): Source[] {
  const files = globSync([...patterns], { cwd: root }).sort()
  return files.map((file) => ({ file, source: readFileSync(join(root, file), 'utf8') }))
}

/** Of each file, the files that it imports. */
function readImports(sources: readonly Source[]): ReadonlyMap<string, readonly string[]> {
  const files = new Set(sources.map(({ file }) => file))
  return new Map(
    sources.map(({ file, source }) => {
      const now = source.replaceAll(/\bimport\(['"][^'"]+['"]\)/g, '') // what is loaded later needs not be there before
      const paths = [...now.matchAll(importPattern)].map(({ 2: path, 3: other }) => path ?? other ?? '')
      return [file, paths.map((path) => join(dirname(file), path)).filter((path) => files.has(path))]
    }),
  )
}

/** Each as the way that leads back to its beginning. */
function findCircles(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const circles: string[] = []
  const done = new Set<string>()
  const way: string[] = []
  const follow = (file: string): void => {
    if (way.includes(file)) circles.push([...way.slice(way.indexOf(file)), file].join(' → '))
    if (done.has(file)) return
    done.add(file)
    way.push(file)
    for (const next of imports.get(file) ?? []) follow(next)
    way.pop()
  }
  for (const file of imports.keys()) follow(file)
  return circles
}

/** One line for each import that the rule forbids. */
function findForbidden(file: string, source: string): string[] {
  const from = placeOf(file)
  const allowed = mayImport[from] ?? (from.startsWith('features/') ? kernel : [])
  const isForbidden = (path: string, isType: boolean) => {
    if (path.startsWith('node:')) return false
    if (Object.entries(ownPackages).some(([folder, names]) => file.startsWith(folder) && names.includes(path)))
      return false
    // A package: an example has the SDK alone, by the name that users have it by.
    if (!path.startsWith('.')) return (from === 'examples') !== /^integration-gateway(?:\/testing)?$/.test(path)
    const to = placeOf(join(dirname(file), path))
    const declaration = { features: '/feature.ts', verifications: '/verifications.ts' }[from]
    const isDeclaration = declaration && /^features\/[\w-]+$/.test(to) && path.endsWith(declaration)
    return to !== from && !allowed.includes(to) && !(to === 'settings' && isType) && !isDeclaration
  }
  return [...source.matchAll(importPattern)]
    .map(({ 1: type, 2: path, 3: otherPath }) => ({ path: path ?? otherPath ?? '', isType: type !== undefined }))
    .filter(({ path, isType }) => isForbidden(path, isType))
    .map(({ path }) => `${file} imports ${path}`)
}

/** A relative path of a source file is an import wherever it is: in `import()`, in the URL of a worker. */
const importPattern =
  /^(?:import|export)( type)?\s(?:[\w\s{},*$]*?\sfrom\s)?['"]([^'"\n]+)['"]|['"](\.{1,2}\/[^'"\n]+\.ts)['"]/gm

function placeOf(file: string): string {
  const [top = '', place = '', feature] = file.split('/')
  if (top !== 'src') return top
  return place === 'features' ? `features/${feature}` : place.replace(/\.ts$/, '')
}
