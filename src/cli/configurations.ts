/** Configurations by name, for verbs that compare or write them: `files`, `active` or the number of a revision (specification 13.3). */
import type { Action } from '../actions/action.ts'
import { activationRoutes } from '../admin/routes/activations.ts'
import { revisionRoutes } from '../admin/routes/revisions.ts'
import type { Configuration } from '../configuration/configuration.ts'
import { openProject } from '../project/open-project.ts'
import { RequestRefused } from '../terminal/administration.ts'
import { nameFault, noRevisionYet } from '../terminal/use-revisions.ts'
import { openPlane, type Plane, type PlaneOptions } from './plane.ts'

export interface NamedConfiguration {
  /** `revision 3`, `the project's files` */
  readonly title: string
  /** Undefined: the files. */
  readonly revision?: number
  readonly configuration: Configuration
}

export async function withConfigurations<Result>(
  options: PlaneOptions,
  work: (read: (name: string) => Promise<NamedConfiguration>) => Promise<Result>,
): Promise<Result> {
  const plane = await openPlane(options)
  try {
    return await work((name) => read(name, plane, options.project))
  } finally {
    await plane.close()
  }
}

async function read(name: string, plane: Plane, project: string): Promise<NamedConfiguration> {
  if (name === 'files')
    return { title: "the project's files", configuration: (await openProject(project)).configuration }
  const fault = name === 'active' ? undefined : nameFault(name)
  if (fault) throw fault
  const revision = name === 'active' ? await readActive(plane) : Number(name)
  return { title: `revision ${revision}`, revision, configuration: await readRevision(revision, plane) }
}

async function readActive(plane: Plane): Promise<number> {
  try {
    const { body } = await plane.perform(find('getActivation'), { params: {}, query: {}, body: undefined })
    return (body as { readonly revision: number }).revision
  } catch (error) {
    throw error instanceof RequestRefused && error.code === 'notFound' ? noRevisionYet() : error
  }
}

async function readRevision(number: number, plane: Plane): Promise<Configuration> {
  const input = { params: { number }, query: {}, body: undefined }
  return (await plane.perform(find('getRevisionConfiguration'), input)).body as Configuration
}

function find(operationId: string): Action {
  const action = [...revisionRoutes, ...activationRoutes].find((route) => route.operationId === operationId)
  if (action) return action as Action
  throw new Error(`there is no action ${operationId}`)
}
