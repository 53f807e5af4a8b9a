/** Where `ig` performs actions: here, over the project's database, or in a running gateway (specification 31.1). */
import { realpath } from 'node:fs/promises'
import { hostname } from 'node:os'
import type { Action, ActionParts, Caller } from '../actions/action.ts'
import type { CommandLine } from '../actions/command-line.ts'
import { parseInput, perform } from '../actions/perform.ts'
import { AdminProblem, asProblem, unknownPath, writeProblem } from '../actions/problem-details.ts'
import { bodyLimit } from '../admin/hold-request.ts'
import type { Configuration } from '../configuration/configuration.ts'
import type { Problem } from '../model/problem.ts'
import { openHandlers, openProject } from '../project/open-project.ts'
import { viaCommandLine } from '../store/administration/contract.ts'
import { openStore } from '../store/open-store.ts'
import type { RevisionStore } from '../store/revision-store.ts'
import {
  ConnectionLost,
  findRemoteAdministration,
  type RemoteOptions,
  RequestRefused,
  toRequestRefused,
} from '../terminal/administration.ts'
import { type AuthorOptions, readAuthor } from '../terminal/audited.ts'
import { Failure, formatProblems, WrongValue } from '../terminal/explain-failure.ts'
import { printJson, report, show } from '../terminal/print.ts'
import { readProjectSettings, requireProjectFolder } from '../terminal/project-options.ts'
import { findActive, readConfiguration } from '../terminal/use-revisions.ts'
import { explainLoss, readLastEntry } from './lost-connection.ts'

export interface ActionInput {
  readonly params: Readonly<Record<string, unknown>>
  readonly query: Readonly<Record<string, unknown>>
  readonly body: Readonly<Record<string, unknown>> | undefined
  readonly ifMatch?: string | undefined
}

export interface ActionAnswer {
  readonly body: unknown
  readonly etag: string
}

export interface Plane {
  /** @throws RequestRefused */
  perform(action: Action, input: ActionInput): Promise<ActionAnswer>
  /** The file of an action that streams. @throws RequestRefused */
  stream(action: Action, input: ActionInput): AsyncIterable<string>
  close(): Promise<void>
}

export type PlaneOptions = RemoteOptions & AuthorOptions & { readonly project: string }

/** With `--json` the problem details of what is refused are printed, too. */
export async function withPlane<Result>(
  options: PlaneOptions & { readonly json?: boolean },
  work: (plane: Plane) => Promise<Result>,
): Promise<Result> {
  let plane: Plane | undefined
  try {
    plane = await openPlane(options)
    return await work(plane)
  } catch (error) {
    if (options.json && error instanceof RequestRefused) printJson(error.details)
    throw error
  } finally {
    await plane?.close()
  }
}

/** Checks the input as administration does, before anything is done or asked. @throws WrongValue */
export function checkInput(action: Action, input: ActionInput): void {
  try {
    parseInput(action, input)
  } catch (error) {
    if (!(error instanceof AdminProblem)) throw error
    const { message, extra: { problems = [] } = {} } = error
    throw new WrongValue(problems.length > 0 ? formatProblems('the input has', problems) : message)
  }
}

async function openPlane(options: PlaneOptions): Promise<Plane> {
  const administration = findRemoteAdministration(options)
  if (!administration) return openLocalPlane(options)
  if (options.as !== undefined)
    throw new WrongValue('--as is for the database of the project. With --url the author is who made the token.')
  return {
    async *stream(action, input) {
      const asked = administration.stream(targetOf(action, input), action.streams ?? [])
      const pieces = await asked.catch((error) => explainOlderGateway(action.operationId, options, error))
      if (!pieces) throw somethingElse(action.operationId, options)
      yield* pieces
    },
    async perform(action, input) {
      const { body, ifMatch } = input
      const target = targetOf(action, input)
      const size = Buffer.byteLength(JSON.stringify(body ?? {}))
      const limit = action.bodyLimit ?? bodyLimit
      if (size > limit)
        throw new Failure(
          `${show(options.url ?? '')} takes ${limit} bytes at once, and this has ${size}. Without --url, ig takes it on the machine of the database.`,
        )
      const isAudited = action.method !== 'GET' && action.done !== undefined
      const last = isAudited
        ? await readLastEntry(administration).catch((error) => explainOlderGateway('listAudit', options, error))
        : 0
      if (last === undefined) throw somethingElse('listAudit', options)
      const answer = await administration.ask(action.method, target, { body, ifMatch }).catch(async (error) => {
        if (isAudited && error instanceof ConnectionLost)
          throw await explainLoss(error, action, { before: last, subject: subjectOf(action, input) }, administration)
        return explainOlderGateway(action.operationId, options, error)
      })
      const isDescribed = action.answer ? action.answer.safeParse(answer.body).success : answer.body === undefined
      if (isDescribed) return answer
      throw somethingElse(action.operationId, options)
    },
    async close() {},
  }
}

/** Below the address of the administration. */
function targetOf({ path }: Action, { params, query }: ActionInput): string {
  const named = path.slice(1).replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name])))
  const stated = Object.entries(query).filter(([, value]) => value !== undefined)
  const search = new URLSearchParams(stated.map(([name, value]): [string, string] => [name, String(value)]))
  return search.size === 0 ? named : `${named}?${search}`
}

/** Its first argument is the subject of the audit entry, unless it is a file. */
function subjectOf({ commandLine }: Action, { params, body }: ActionInput): string | undefined {
  const { args: [named = ''] = [], inputs = {} } = (commandLine ?? {}) as CommandLine<unknown, ActionInput['params']>
  const value = inputs[named]?.reads === undefined ? (params[named] ?? body?.[named]) : undefined
  return value === undefined ? undefined : String(value)
}

/** @throws the error, or that the gateway is older if it has no such path */
function explainOlderGateway(operationId: string, { url = '' }: RemoteOptions, error: unknown): never {
  if (error instanceof RequestRefused && error.message.endsWith(unknownPath))
    throw new Failure(
      `${show(url)} has no ${operationId}: it is an older version of the gateway. Upgrade it, or use the ig of its version.`,
    )
  throw error
}

function somethingElse(operationId: string, { url = '' }: RemoteOptions): Failure {
  return new Failure(
    `${show(url)} answers with something else than ${operationId} does here: it is no administration of a gateway, or that of another version.`,
  )
}

/** The person at the terminal may do all, as the database is theirs. */
async function openLocalPlane({ project, ...author }: PlaneOptions): Promise<Plane> {
  const caller: Caller = {
    name: readAuthor(author),
    role: 'administrator',
    session: undefined,
    isLocal: true,
    via: viaCommandLine,
    signsInWith: 'password',
    lacksSecondFactor: false,
  }
  requireProjectFolder(project)
  const settings = readProjectSettings(project)
  const store = await openStore(settings.database)
  const parts: ActionParts = {
    store,
    settings,
    opened: [],
    revisions: { checkHandlers: (configuration) => checkHandlers(project, configuration) },
    async configuration() {
      const active = await findActive(store.revisions)
      return active ? readConfiguration(active) : (await openProject(project)).configuration
    },
    permissionLists: (names) => readKnownLists(project, store.revisions, names),
    now: Date.now,
    tell: report,
  }
  const performHere = (action: Action, { ifMatch, ...input }: ActionInput) => {
    const request = {
      ...{ ...input, caller, address: hostname(), url: '', flow: undefined },
      ifMatch: ifMatch === undefined ? undefined : `"${ifMatch}"`,
      inTurn: <Result>(work: () => Promise<Result>) => work(),
    }
    return perform(action, request, parts).catch((error) => {
      throw asRequestRefused(error)
    })
  }
  return {
    async *stream(action, input) {
      yield* (await performHere(action, input)).stream?.pieces ?? []
    },
    async perform(action, input) {
      const { body, etag = '' } = await performHere(action, input)
      return { body: body === undefined ? undefined : JSON.parse(JSON.stringify(body)), etag }
    },
    close: () => store.close(),
  }
}

/**
 * Permission lists that an operator may be given: those of the active revision, and of the files, which may become active
 * next. Reads the files only for names that the active revision does not have, because they may have errors.
 */
async function readKnownLists(
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

/** Errors in the files do not matter here: only the code that the configuration names is needed. */
async function checkHandlers(project: string, configuration: Configuration): Promise<readonly Problem[]> {
  const found = await openHandlers({ folder: await realpath(project), handlers: new Map() })(configuration)
  return 'problems' in found ? found.problems : []
}

/** Without a request id, which only a gateway has. */
function asRequestRefused(error: unknown): unknown {
  const problem = asProblem(error)
  if (problem.code === 'unexpected') return error
  const { requestId: _, ...details } = writeProblem(problem, '')
  return toRequestRefused(details)
}
