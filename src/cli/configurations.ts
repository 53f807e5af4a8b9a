/** Configurations by name, for verbs that compare or write them: `files`, `active` or the number of a revision (specification 13.3). */
import type { Action } from '../actions/action.ts'
import { activationRoutes } from '../admin/routes/activations.ts'
import { revisionRoutes } from '../admin/routes/revisions.ts'
import type { Configuration } from '../configuration/configuration.ts'
import { openProject } from '../project/open-project.ts'
import { RequestRefused } from '../terminal/administration.ts'
import { noRevisionYet, readNumber } from '../terminal/use-revisions.ts'
import { type Plane, type PlaneOptions, withPlane } from './plane.ts'

export interface NamedConfiguration {
  /** `revision 3`, `the project's files` */
  readonly title: string
  /** Undefined: the files. */
  readonly revision?: number
  readonly configuration: Configuration
}

export type ReadConfiguration = (name: string) => Promise<NamedConfiguration>

export function withConfigurations<Result>(
  options: PlaneOptions,
  work: (read: ReadConfiguration, plane: Plane) => Promise<Result>,
): Promise<Result> {
  return withPlane(options, (plane) => work((name) => read(name, plane, options.project), plane))
}

/** Undefined if there is none yet. */
export async function readActive(plane: Plane): Promise<NamedConfiguration | undefined> {
  const revision = await findActive(plane)
  return revision === undefined ? undefined : readRevision(revision, plane)
}

async function read(name: string, plane: Plane, project: string): Promise<NamedConfiguration> {
  if (name === 'files') return readFiles(project)
  if (name !== 'active') return readRevision(readNumber(name, 'Give a revision number, active or files.'), plane)
  const active = await readActive(plane)
  if (active) return active
  throw noRevisionYet()
}

export async function readFiles(project: string): Promise<NamedConfiguration> {
  return { title: "the project's files", configuration: (await openProject(project)).configuration }
}

async function findActive(plane: Plane): Promise<number | undefined> {
  try {
    const { body } = await plane.perform(findAction('getActivation'), { params: {}, query: {}, body: undefined })
    return (body as { readonly revision: number }).revision
  } catch (error) {
    if (error instanceof RequestRefused && error.code === 'notFound') return undefined
    throw error
  }
}

async function readRevision(number: number, plane: Plane): Promise<NamedConfiguration> {
  const input = { params: { number }, query: {}, body: undefined }
  const { body } = await plane.perform(findAction('getRevisionConfiguration'), input)
  return { title: `revision ${number}`, revision: number, configuration: body as Configuration }
}

export function findAction(operationId: string): Action {
  const action = [...revisionRoutes, ...activationRoutes].find((route) => route.operationId === operationId)
  if (action) return action
  throw new Error(`there is no action ${operationId}`)
}
