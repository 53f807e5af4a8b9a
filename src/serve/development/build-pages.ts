/** What `npm ci` of a checkout leaves out, built by its first `ig dev` (specification 9.15). */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { packageFolder } from '../../base/package-files.ts'
import { warn } from '../../terminal/print.ts'

/** What a script writes last → the script, so that one that was interrupted runs again. */
const scripts = {
  'console/dist/built-from.json': 'console/build.js',
  'site/dist/built-from.json': 'site/build.js',
  'node_modules/.bundled/built-from.json': 'tools/build/bundle-dependencies.js',
}

export function buildPages(): void {
  for (const [built, script] of Object.entries(scripts)) {
    if (existsSync(new URL(built, packageFolder))) continue
    const { status } = spawnSync(process.execPath, [fileURLToPath(new URL(script, packageFolder))], {
      stdio: 'inherit',
    })
    if (status !== 0) warn(`${script} failed. The gateway runs without what it builds; "npm run build" tries again.`)
  }
}
