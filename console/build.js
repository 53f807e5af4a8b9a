/**
 * Builds the console into `dist/`, unless it was built from the same files: for `npm run build`, the first `ig dev` of a
 * checkout, and the tests. Without the development dependencies it says so, and the gateway runs without.
 */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const root = import.meta.dirname
const hasSources = existsSync(join(root, 'src/main.tsx'))

if (!hasSources) console.log('The console is not built: its sources are not here.')
else if (!hasVite())
  console.log('The console is not built: vite is not installed (npm ci without --omit=dev brings it).')
else {
  const generate = ['--conditions=integration-gateway-source', join(root, 'generate-types.ts')]
  execFileSync(process.execPath, generate, { stdio: 'inherit' })
  const { buildOnce } = await import('../tools/build/built-from.js')
  await buildOnce({
    name: 'console',
    folder: 'console/dist',
    sources: ['console/src/**/*', 'console/*.{html,js,json,ts}', 'src/{base,model}/**/*.ts', 'package-lock.json'],
    build: async () => (await import('vite')).build({ configFile: join(root, 'vite.config.ts'), logLevel: 'warn' }),
  })
}

function hasVite() {
  try {
    return createRequire(import.meta.url).resolve('vite') !== ''
  } catch {
    return false
  }
}
