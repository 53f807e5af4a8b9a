/** The files of this package. A build joins modules in a few files, so none looks for others by its own place. */
import { findPackageJSON } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** False in the published package, which is compiled. */
export const runsSources = import.meta.url.endsWith('.ts')

export const packageFolder = new URL('.', pathToFileURL(findPackageJSON('..', import.meta.url) ?? ''))

/** `src/`, or `dist/` in the package. */
export const codeFolder = new URL(runsSources ? 'src/' : 'dist/', packageFolder)

/** For `node --import`, in processes that load many modules. */
export const useBundled = new URL('bin/use-bundled.js', packageFolder).href

/**
 * A module that a process or thread of its own runs.
 * @param name below `src/`: `store/sqlite/writer-worker`; `tools/build/bundle-modules.js` lists them
 */
export function packageModule(name: string): string {
  return fileURLToPath(new URL(`${name}${runsSources ? '.ts' : '.js'}`, codeFolder))
}
