/** The project that a verb reads: its files, or a stored revision as its configuration (specification 15, 15.9). */
import { diffConfigurations } from '../configuration/diff-configurations.ts'
import { openHandlers, openProject, openProjectCode, type Project } from '../project/open-project.ts'
import { Failure, formatProblems } from './explain-failure.ts'
import { warn } from './print.ts'
import { readProjectSettings } from './project-options.ts'
import { isAbsent } from './read-project-operators.ts'
import { findActive, readConfiguration, requireRevision, requireValid } from './use-revisions.ts'
import { withStore } from './with-store.ts'

export const revisionOption = ['--revision <n>', 'use a stored revision, or "active", instead of the files'] as const

export interface ProjectRequest {
  readonly project: string
  readonly revision?: string
}

export async function openRequestedProject({ project: folder, revision }: ProjectRequest): Promise<Project> {
  if (revision === undefined) {
    const project = await openProject(folder)
    await warnOfDrift(project, folder)
    return project
  }
  const code = await openProjectCode(folder)
  return withStore(readProjectSettings(folder).database, async ({ revisions }) => {
    const found = await requireRevision(revision, revisions)
    const configuration = requireValid(found)
    const loaded = await openHandlers({ folder: code.folder, handlers: new Map() })(configuration)
    if ('problems' in loaded)
      throw new Failure(formatProblems(`For revision ${found.number}, the project folder has`, loaded.problems))
    return { ...code, configuration, handlers: loaded.handlers }
  })
}

/** The verbs also work without the store; they leave out this warning. */
async function warnOfDrift({ configuration }: Project, folder: string): Promise<void> {
  const { database } = readProjectSettings(folder)
  if (isAbsent(database)) return
  const revision = await withStore(database, ({ revisions }) => findActive(revisions)).catch(() => undefined)
  if (!revision || diffConfigurations(readConfiguration(revision), configuration).length === 0) return
  warn(`this uses the project's files; the active revision ${revision.number} differs. Use it with --revision active`)
}
