/** Permission lists that an operator may be given: those of the active revision, and of the files, which may become active next. */
import { openProject } from '../project/open-project.ts'
import { findActive, readConfiguration, withRevisions } from './use-revisions.ts'

/** Reads the files only for names that the active revision does not have, because they may have errors. */
export async function readKnownLists(project: string, names: readonly string[]): Promise<readonly string[]> {
  if (names.length === 0) return []
  const active = await readActiveLists(project)
  if (names.every((name) => active.includes(name))) return active
  const files = (await openProject(project)).configuration.permissionLists.map(({ name }) => name)
  return [...new Set([...files, ...active])]
}

async function readActiveLists(project: string): Promise<readonly string[]> {
  let lists: readonly string[] = []
  await withRevisions(project, async (revisions) => {
    const revision = await findActive(revisions)
    if (revision) lists = readConfiguration(revision).permissionLists.map(({ name }) => name)
  })
  return lists
}
