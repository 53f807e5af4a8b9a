/** What the package is made of: reasons, licences and digests of what others wrote, and the documents of it that are published. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { findBundled, findInstalled, type LockedPackage, readLock } from '../../tools/build/published-packages.ts'

const root = join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const lock = readLock()
const locked = Object.entries(lock)

/** Whose terms a published package can keep by naming them. */
const allowed = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT']

const findWrong = (entries: Iterable<readonly [string, LockedPackage]>, isRight: (entry: LockedPackage) => boolean) =>
  Array.from(entries)
    .filter(([, entry]) => !isRight(entry))
    .map(([place]) => place)

const hasDigest = ({ integrity = '', resolved, link }: LockedPackage) =>
  link ? !resolved?.includes(':') : /^sha512-[\w+/]{86}==$/.test(integrity) && resolved === undefined

test('every package of the lock file has a digest, and names no host', () => {
  const packages = locked.filter(([place]) => place.includes('node_modules/'))
  assert.ok(packages.length > 300)
  assert.deepEqual(findWrong(packages, hasDigest), [])
  const zod = lock['node_modules/zod'] as LockedPackage
  const { integrity: _, ...none } = zod
  const faulty = [
    none,
    { ...zod, integrity: 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=' },
    { ...zod, resolved: 'https://a/zod.tgz' },
  ]
  assert.equal(
    findWrong(
      faulty.map((each, at) => [`${at}`, each]),
      hasDigest,
    ).length,
    3,
  )
})

/** One of the list, or a choice that has one; what combines terms is looked at by hand. */
const isAllowed = ({ license = '' }: LockedPackage) =>
  (/^\(([^()]+)\)$/.exec(license)?.[1] ?? license).split(' OR ').some((each) => allowed.includes(each))

test('everything that is published has a licence of the list', () => {
  const installed = findInstalled(lock)
  const bundled = findBundled(lock)
  assert.ok(installed.has('node_modules/zod') && installed.has('node_modules/@node-rs/argon2-win32-x64-msvc'))
  for (const name of ['@floating-ui/core', 'vitepress', 'minisearch'])
    assert.ok([...bundled.keys()].some((place) => place.endsWith(`node_modules/${name}`)))
  assert.ok(![...installed.keys(), ...bundled.keys()].some((place) => place.endsWith('/vite')))
  assert.deepEqual(findWrong([...installed, ...bundled], isAllowed), [])
  assert.deepEqual(
    findWrong(
      [
        ['a', { license: 'GPL-3.0-only' }],
        ['b', {}],
        ['c', { license: '(MIT OR GPL-2.0-only) AND GPL-3.0-only' }],
        ['d', { license: '(MIT AND GPL-3.0-only)' }],
        ['e', { license: '(GPL-3.0-only OR MIT)' }],
      ],
      isAllowed,
    ),
    ['a', 'b', 'c', 'd'],
  )
})

test('every direct dependency has an exact version and a reason in the decisions, and nothing else has', () => {
  const manifests = [
    'package.json',
    'console/package.json',
    'site/package.json',
    ...globSync('tools/*/package.json', { cwd: root }),
  ]
  const direct = manifests.flatMap((file) => {
    const { dependencies, devDependencies } = JSON.parse(read(file))
    return Object.entries({ ...dependencies, ...devDependencies } as Record<string, string>)
  })
  const chapter = read('docs/explanation/decisions/dependencies.md').split(/^## /m)[0] ?? ''
  const rows = [...chapter.matchAll(/^\| (`[^|]*) \| ([^|]+) \| ([^|]+) \|$/gm)]
  const reasoned = new Set(rows.flatMap(([, names = '']) => [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => name)))
  assert.deepEqual(
    direct.filter(([name, version]) => !reasoned.has(name) || !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version)),
    [],
  )
  const names = new Set(direct.map(([name]) => name))
  assert.deepEqual(
    [...reasoned].filter((name) => !names.has(name ?? '')),
    [],
  )
})

test('9.15 npm ci builds nothing: neither the package nor a workspace has a script that npm runs where it is installed', () => {
  const { scripts, workspaces } = JSON.parse(read('package.json'))
  const all = [scripts, ...workspaces.map((folder: string) => JSON.parse(read(`${folder}/package.json`)).scripts ?? {})]
  const hooks = ['install', 'prepublish', 'prepare'].flatMap((name) => [`pre${name}`, name, `post${name}`])
  assert.deepEqual(
    all.flatMap((each) => hooks.filter((name) => name in each)),
    [],
  )
})
