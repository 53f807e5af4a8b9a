/** What a browser loads of the console before its first page is there (specification 18.13): measured at the built files. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'

const dist = join(import.meta.dirname, '../../console/dist')
const max = 300_000
const all = readFileSync(join(import.meta.dirname, '../../console/node_modules/@mantine/core/styles.css'), 'utf8')

test('the first load of the console is less than 300 kB, compressed, whichever page is the first', (t) => {
  const entry = filesOf('index.html')
  assert.ok(entry.some((name) => name.endsWith('.js')) && entry.some((name) => name.endsWith('.css')))
  const common = follow(entry, new Set())
  const other = follow(filesOf('reference.html'), new Set())
  const pages = readdirSync(join(dist, 'assets')).filter(
    (name) => name.endsWith('.js') && !common.has(name) && !other.has(name),
  )
  assert.ok(pages.length > 10, `only ${pages.length} pages are loaded when they are opened`)
  const sizes = pages.map((name) => ({ name, bytes: sizeOf(follow([name], new Set(common))) }))
  const largest = sizes.reduce((one, other) => (other.bytes > one.bytes ? other : one))
  t.diagnostic(`${sizeOf(common)} bytes, and with ${largest.name} ${largest.bytes}`)
  assert.ok(largest.bytes < max, `${largest.bytes} bytes with ${largest.name}`)
})

test('every class of Mantine in the scripts has its style', () => {
  const names = readdirSync(join(dist, 'assets')).filter((name) => !name.startsWith('reference'))
  const read = (end: string) =>
    names.filter((name) => name.endsWith(end)).map((name) => readFileSync(join(dist, 'assets', name), 'utf8'))
  const styles = read('.css').join('')
  const classes = new Set(read('.js').flatMap((source) => source.match(/\bm_[\da-f]{6,8}\b/g) ?? []))
  assert.ok(classes.size > 100)
  const without = [...classes].filter((name) => !styles.includes(`.${name}`) && all.includes(`.${name}`))
  assert.deepEqual(without, [], 'import the style of the component in console/src/mantine.css')
})

test('the API reference is less than 700 kB, compressed, and nothing of it is loaded with the console', (t) => {
  const reference = follow(filesOf('reference.html'), new Set())
  t.diagnostic(`${sizeOf(reference)} bytes`)
  assert.ok(sizeOf(reference) < 700_000, `${sizeOf(reference)} bytes`)
  const ofConsole = follow(filesOf('index.html'), new Set())
  const shared = [...reference].filter((name) => ofConsole.has(name) && !/runtime|\.svg$/.test(name))
  assert.deepEqual(shared, [])
})

function filesOf(page: string): readonly string[] {
  const html = readFileSync(join(dist, page), 'utf8')
  return [...html.matchAll(/\/console\/assets\/([^"]+)/g)].map(([, name = '']) => name)
}

/** With all that they import before they run; what they import later is another load. */
function follow(names: readonly string[], known: Set<string>): Set<string> {
  for (const name of names) {
    if (known.has(name)) continue
    known.add(name)
    if (!name.endsWith('.js')) continue
    const source = readFileSync(join(dist, 'assets', name), 'utf8')
    follow(
      [...source.matchAll(/(?:\bimport|\bfrom)\s*"\.\/([^"]+)"/g)].map(([, found = '']) => found),
      known,
    )
  }
  return known
}

function sizeOf(names: ReadonlySet<string>): number {
  const page = gzipSync(readFileSync(join(dist, 'index.html'))).length
  return [...names].reduce((sum, name) => sum + gzipSync(readFileSync(join(dist, 'assets', name))).length, page)
}
