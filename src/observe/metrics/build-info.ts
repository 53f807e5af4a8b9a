/** The build of this gateway (specification 20.4): as `npm run build` wrote it, or `source` without a build. */
import { readFileSync } from 'node:fs'

export interface BuildInfo {
  readonly version: string
  readonly node: string
  /** The digest of all its code: two packages of one version differ in it. */
  readonly build: string
}

export function readBuildInfo(): BuildInfo {
  const { version } = readJson<{ version: string }>('../../../package.json') ?? { version: 'unknown' }
  const { digest } = readJson<{ digest: string }>('../../build.json') ?? { digest: 'source' }
  return { version, node: process.versions.node, build: digest }
}

function readJson<T>(place: string): T | undefined {
  try {
    return JSON.parse(readFileSync(new URL(place, import.meta.url), 'utf8')) as T
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
