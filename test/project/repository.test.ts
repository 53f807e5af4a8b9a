/** What the repository's documents say about the repository holds. */
import assert from 'node:assert/strict'
import { accessSync, constants, globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const contributing = read('CONTRIBUTING.md')

test("the code map lists every step, in the pipeline's order", () => {
  const codeMap = sectionOf(contributing, 'Code map')
  const pipeline = read('src/gateway.ts').split('export async function answer')[1] ?? ''
  const steps = globSync('src/steps/*.ts', { cwd: root }).map((path) => path.replace(/^.*\/|\.ts$/g, ''))
  const position = (step: string) => {
    const names = [...read(`src/steps/${step}.ts`).matchAll(/^export (?:async )?(?:function|const) (\w+)/gm)]
    const found = names.map(([, name]) => pipeline.search(new RegExp(`\\b${name}\\b`))).filter((index) => index >= 0)
    assert.ok(found.length > 0, `the pipeline uses nothing of src/steps/${step}.ts`)
    return Math.min(...found)
  }
  const inOrder = steps.map((step) => ({ step, at: position(step) })).sort((a, b) => a.at - b.at)
  assert.deepEqual(
    [...codeMap.matchAll(/`steps\/([\w-]+)\.ts`/g)].map(([, step]) => step),
    inOrder.map(({ step }) => step),
  )
})

test('the code map lists every folder of the sources', () => {
  const codeMap = sectionOf(contributing, 'Code map')
  const folders = globSync('src/*/', { cwd: root, exclude: ['src/steps', 'src/settings', 'src/testing'] })
  assert.deepEqual(
    folders.filter((folder) => !codeMap.includes(`\`${folder}/\``)),
    [],
  )
})

test('no source but base/node-http.ts imports node:http, which would load an HTTP client at each start', () => {
  const importing = globSync('src/**/*.ts', { cwd: root }).filter((file) =>
    /^import (?!type )(?:\{[^}]*\}|[\w* ]+) from '(?:node:)?http'/m.test(read(file)),
  )
  assert.deepEqual(importing, [])
})

test('every identifier of the glossary occurs in the sources', () => {
  const glossary = sectionOf(contributing, 'Glossary')
  const sources = globSync('src/**/*.ts', { cwd: root }).map(read).join('\n')
  const identifiers = glossary
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .flatMap((line) => [...(line.split('|')[2] ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name))
  assert.ok(identifiers.length > 20, 'the glossary is a table: word, identifiers, place')
  assert.deepEqual(
    identifiers.filter((name) => !sources.includes(name)),
    [],
  )
})

test('continuous integration runs the test command of the contribution guide', () => {
  const [, command = ''] = /^(npm ci && npm test) /m.exec(contributing) ?? []
  assert.ok(command, 'a line of its first example begins with it')
  assert.ok(read('.ci/run').includes(command))
  accessSync(join(root, '.ci/run'), constants.X_OK)
})

test('every npm script that a document names exists', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
  const documents = globSync(['*.md', 'docs/**/*.md'], { cwd: root }).map(read).join('\n')
  const named = [...documents.matchAll(/`(?:[^`\n]*&& )?npm (?:run )?(start|test|[a-z:]+)\b/g)].map(
    ([, name = '']) => name,
  )
  const own = named.filter(
    (name) => !['audit', 'ci', 'create', 'exec', 'install', 'pack', 'run', 'version'].includes(name),
  )
  assert.deepEqual(
    own.filter((name) => !Object.hasOwn(scripts, name)),
    [],
  )
})

test('npm scripts use no syntax that only one shell has', () => {
  const files = [
    'package.json',
    'console/package.json',
    'site/package.json',
    'tools/openapi-client/package.json',
    'tools/deployment/package.json',
  ]
  const commands = files.flatMap((file) => {
    const { scripts = {} } = JSON.parse(read(file)) as { scripts?: Record<string, string> }
    return Object.values(scripts).flatMap((script) => script.split(' && '))
  })
  assert.ok(commands.length > 15)
  assert.deepEqual(
    commands.filter((command) => !/^(?:node|npm|tsc|biome) [^$'`;|<>*\\]*$/.test(command)),
    [],
  )
})

test('npm ci warns of no package on Node 20, 22 and 24, and the lock file names no registry', () => {
  const require = createRequire(join(root, 'package.json'))
  const semver = createRequire(require.resolve('fastify'))('semver')
  const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, LockedPackage> }
  const ofAll = Object.entries(packages)
  const refusing = (node: string) =>
    ofAll.flatMap(([name, { engines, optional }]) =>
      optional || engines?.node === undefined || semver.satisfies(node, engines.node)
        ? []
        : `${name} on ${node}: ${engines.node}`,
    )
  assert.ok(ofAll.length > 300)
  assert.deepEqual(['20.19.0', '22.12.0', '24.0.0'].flatMap(refusing), [])
  assert.deepEqual(
    ofAll.filter(([, { deprecated, resolved }]) => deprecated || resolved?.includes(':')).map(([name]) => name),
    [],
  )
})

interface LockedPackage {
  readonly engines?: { readonly node?: string }
  readonly resolved?: string
  readonly deprecated?: string
  /** Left out in silence where it does not fit the machine. */
  readonly optional?: boolean
}

function sectionOf(text: string, heading: string): string {
  return text.split(/^## /m).find((section) => section.startsWith(`${heading}\n`)) ?? ''
}
