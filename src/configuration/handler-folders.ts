/** Modules that a configuration names outside the handler folders (specification 18.36). */

import type { Problem } from '../model/problem.ts'
import type { Configuration } from './configuration.ts'
import { parseReference } from './handler-reference.ts'
import { listReferences } from './list-references.ts'

/**
 * @param folders with a trailing slash; an empty one means the whole project
 * @param known modules that are allowed anyway
 */
export function findForeignModules(
  configuration: Pick<Configuration, 'operations'>,
  folders: readonly string[],
  known: ReadonlySet<string> = new Set(),
): readonly Problem[] {
  return listReferences(configuration).flatMap(({ reference, place }) => {
    const { path } = parseReference(reference)
    if (known.has(path) || folders.some((folder) => path.startsWith(folder))) return []
    const message = `names ${path}, which is outside the handler folders (ig.handlerFolders: ${folders.join(', ')}). Move it there, or add its folder to the setting`
    return [{ path: place, message }]
  })
}

export function listModules(configuration: Pick<Configuration, 'operations'>): ReadonlySet<string> {
  return new Set(listReferences(configuration).map(({ reference }) => parseReference(reference).path))
}
