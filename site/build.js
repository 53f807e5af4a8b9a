/**
 * Builds the documentation site into `dist/`, unless it was built from the same files: for `npm run build`, the first
 * `ig dev` of a checkout, and the tests. Without the development dependencies it says so, and the gateway runs without.
 */
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

if (!existsSync(join(root, 'docs/README.md'))) console.log('The documentation is not built: its pages are not here.')
else if (!hasVitePress())
  console.log('The documentation is not built: vitepress is not installed (npm ci without --omit=dev brings it).')
else {
  const { buildOnce } = await import('../tools/build/built-from.js')
  await buildOnce({
    name: 'documentation',
    folder: 'site/dist',
    sources: [
      'docs/**/*',
      'README.md',
      'src/features/*/README.md',
      'site/.vitepress/**/*',
      'site/*.{js,json}',
      'console/src/icon.svg',
      'package-lock.json',
    ],
    build: async () => (await import('vitepress')).build(join(root, 'site')),
  })
}

function hasVitePress() {
  try {
    return createRequire(import.meta.url).resolve('vitepress') !== ''
  } catch {
    return false
  }
}
