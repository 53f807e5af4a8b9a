/** Dependencies of many small files are loaded as one file each (decisions D-482). */
import { existsSync, readFileSync } from 'node:fs'
import * as module from 'node:module'

/** `tools/build/bundle-dependencies.js` makes the files. */
export const bundledNames = ['jose', 'kysely', 'zod']

/**
 * Of a dependency that is installed in another version than it was bundled in, the installed files are used.
 * @param {URL} folder where the files are
 * @param {URL} sources folder of the modules that get them; those of a project get what the project has
 */
export function useBundled(folder, sources) {
  if (!existsSync(folder)) return
  const files = new Map(bundledNames.map((name) => [name, new URL(bundledFile(name, sources), folder)]))
  module.registerHooks({
    resolve(specifier, context, next) {
      const file = files.get(specifier)
      const isOurs = file && context.parentURL?.startsWith(sources.href) && existsSync(file)
      return isOurs ? { url: file.href, format: 'module', shortCircuit: true } : next(specifier, context)
    },
  })
}

/** @param {string} name @param {URL} from a module or folder that has it installed */
export function bundledFile(name, from) {
  const { version } = JSON.parse(readFileSync(module.findPackageJSON(name, from), 'utf8'))
  return `${name}-${version}.js`
}
