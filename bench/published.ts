/** The package as it is published, compiled, and the reference project beside it, in a temporary folder. */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface InstalledPackage {
  /** Its folder. */
  readonly home: string
  /** Its command. */
  readonly ig: string
  /** The reference project's folder. */
  readonly project: string
  remove(): void
}

const root = join(import.meta.dirname, '..')

export function publish(): InstalledPackage {
  const folder = mkdtempSync(join(tmpdir(), 'ig-bench-package-'))
  const home = join(folder, 'node_modules', 'integration-gateway')
  mkdirSync(home, { recursive: true })
  for (const part of ['bin', 'package.json']) cpSync(join(root, part), join(home, part), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(home, 'node_modules'))
  execFileSync(process.execPath, [join(root, 'tools/build/bundle-modules.ts'), join(home, 'dist')])
  execFileSync(process.execPath, [join(root, 'tools/build/bundle-dependencies.js'), join(home, 'dist/bundled')])
  const project = join(folder, 'reference')
  cpSync(join(root, 'examples', 'reference'), project, { recursive: true })
  return {
    home,
    ig: join(home, 'bin', 'ig.js'),
    project,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
