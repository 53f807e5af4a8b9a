/** The build of this gateway (specification 20.4): as `npm run build` wrote it, or `source` without a build. */
import { readFileSync } from 'node:fs'
import { codeFolder, packageFolder } from '../../base/package-files.ts'

export interface BuildInfo {
  readonly version: string
  readonly node: string
  /** The digest of all its code: two packages of one version differ in it. */
  readonly build: string
}

export function readBuildInfo(): BuildInfo {
  const { version } = readJson<{ version: string }>(new URL('package.json', packageFolder)) ?? { version: 'unknown' }
  const { digest } = readJson<{ digest: string }>(new URL('build.json', codeFolder)) ?? { digest: 'source' }
  return { version, node: process.versions.node, build: digest }
}

function readJson<T>(place: URL): T | undefined {
  try {
    return JSON.parse(readFileSync(place, 'utf8')) as T
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
