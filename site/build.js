/**
 * Builds the documentation site into `dist/`, unless it was built from the same files. `npm ci` does it in the checkout; the
 * published package has the built files; without the development dependencies it says so, and the gateway runs without.
 */
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const sources = ['docs/**/*', 'site/.vitepress/**/*', 'site/*.{js,json}', 'package-lock.json']
const mark = join(root, 'site/dist/built-from.json')

if (!existsSync(join(root, 'docs/README.md'))) console.log('The documentation is not built: its pages are not here.')
else if (!hasVitePress())
  console.log('The documentation is not built: vitepress is not installed (npm ci without --omit=dev brings it).')
else if (!existsSync(mark) || readFileSync(mark, 'utf8') !== JSON.stringify(digest())) {
  const { build } = await import('vitepress')
  await build(join(root, 'site'))
  writeFileSync(mark, JSON.stringify(digest()))
}

function digest() {
  const hash = createHash('sha256')
  for (const name of globSync(sources, { cwd: root }).sort()) {
    const file = join(root, name)
    if (statSync(file).isFile()) hash.update(name).update('\0').update(readFileSync(file))
  }
  return hash.digest('hex')
}

function hasVitePress() {
  try {
    return createRequire(import.meta.url).resolve('vitepress') !== ''
  } catch {
    return false
  }
}
