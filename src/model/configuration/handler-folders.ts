/** Modules that a configuration names outside the handler folders (specification 18.36). */

import type { Problem } from '../problem.ts'
import type { Configuration } from './configuration.ts'
import { parseReference } from './handler-reference.ts'

/**
 * @param folders with a trailing slash; an empty one means the whole project
 * @param known modules that are allowed anyway
 */
export function findForeignModules(
  { operations }: Pick<Configuration, 'operations'>,
  folders: readonly string[],
  known: ReadonlySet<string> = new Set(),
): readonly Problem[] {
  return operations.flatMap(({ handler }, index) => {
    if (handler === undefined) return []
    const { path } = parseReference(handler)
    if (known.has(path) || folders.some((folder) => path.startsWith(folder))) return []
    const message = `names ${path}, which is outside the handler folders (ig.handlerFolders: ${folders.join(', ')}). Move it there, or add its folder to the setting`
    return [{ path: `operations[${index}].handler`, message }]
  })
}

export function listModules({ operations }: Pick<Configuration, 'operations'>): ReadonlySet<string> {
  return new Set(operations.flatMap(({ handler }) => (handler === undefined ? [] : [parseReference(handler).path])))
}
