/**
 * Builds the console. `npm ci` does it in the checkout; where the console's sources are absent, as in the published
 * package, its built files are there already, and this says so.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const root = import.meta.dirname
if (!existsSync(join(root, 'src/main.tsx'))) {
  console.log('The console is not built: its sources are not here.')
} else {
  const { build } = await import('vite')
  await build({ configFile: join(root, 'vite.config.ts'), logLevel: 'warn' })
}
