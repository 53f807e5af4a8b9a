/** Permission lists that an operator may be given: those of the active revision, and of the files, which may become active next. */
import { openProject } from '../project/open-project.ts'
import type { RevisionStore } from '../store/revision-store.ts'
import { findActive, readConfiguration } from './use-revisions.ts'

/** Reads the files only for names that the active revision does not have, because they may have errors. */
export async function readKnownLists(
  project: string,
  revisions: RevisionStore,
  names: readonly string[],
): Promise<readonly string[]> {
  const revision = await findActive(revisions)
  const active = revision ? readConfiguration(revision).permissionLists.map(({ name }) => name) : []
  if (names.every((name) => active.includes(name))) return active
  const files = (await openProject(project)).configuration.permissionLists.map(({ name }) => name)
  return [...new Set([...files, ...active])]
}
