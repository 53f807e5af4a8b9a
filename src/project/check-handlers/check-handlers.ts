/**
 * Checks whether the modules of a draft could be served, without loading them here: only modules in the handler folders
 * or already active, all of them in one child process (specification 18.36, 18.37).
 */

import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findNode } from '../../base/find-node.ts'
import { packageModule } from '../../base/package-files.ts'
import { type StartedProcess, startProcess } from '../../base/start-process.ts'
import { setTimeout } from '../../base/timers.ts'
import type { Configuration } from '../../configuration/configuration.ts'
import { findForeignModules, listModules } from '../../configuration/handler-folders.ts'
import { parseReference } from '../../configuration/handler-reference.ts'
import { type ListedReference, listReferences } from '../../configuration/list-references.ts'
import type { Problem } from '../../model/problem.ts'
import { openBoundedWork } from '../../verification/bounded-work.ts'
import { findTokenRenewals } from '../find-token-renewals.ts'
import type { Project } from '../open-project.ts'
import { checkFiles } from '../substitutes.ts'
import type { FromLoading, ToLoad } from './messages.ts'
import { listReadable } from './readable.ts'

/** @param active the configuration that is active here */
export type CheckHandlers = (configuration: Configuration, active: Configuration) => Promise<readonly Problem[]>

export interface HandlerCheckOptions {
  readonly project: Pick<Project, 'folder' | 'handlers'>
  /** Folders with a trailing slash. */
  readonly handlerFolders: readonly string[]
  /** What features check of a draft. */
  readonly checkDraft?: CheckHandlers
  /** Files that modules may not read, whatever their names. */
  readonly hidden?: readonly string[]
  /** Milliseconds for all modules together, once their process has started. */
  readonly timeLimit?: number
}

/** A module that passed is not loaded again until its file changes. */
const maxRemembered = 10_000

export function openHandlerCheck(options: HandlerCheckOptions): CheckHandlers {
  const { project, handlerFolders, checkDraft = async () => [], hidden = [], timeLimit = 10_000 } = options
  const { folder, handlers } = project
  const oneByOne = openBoundedWork({
    concurrency: 1,
    maxWaiting: 16,
    full: 'Too many drafts are waiting for their modules to be checked.',
  })
  const sound = new Set<string>()
  /** Concurrent checks of the same draft share one process. */
  const underWay = new Map<string, Promise<readonly Problem[]>>()
  return async (configuration, active) => {
    const foreign = [
      ...findForeignModules(configuration, handlerFolders, listModules(active)),
      ...(await checkDraft(configuration, active)),
    ]
    const places = new Set(foreign.map(({ path }) => path))
    const files = await checkFiles(folder, configuration)
    const listed = listReferences(configuration)
    const known = [...foreign, ...findTokenRenewals(listed, handlers), ...files]
    const references = listed.filter(({ key, place }) => !handlers.has(key) && !places.has(place))
    const digests = await readDigests(references, folder)
    for (const [use, digest] of digests) if (sound.has(digest)) digests.delete(use)
    const unknown = references.filter((reference) => digests.has(useOf(reference)))
    if (digests.size === 0) return known
    const work = JSON.stringify([[...digests], unknown])
    const loading = underWay.get(work) ?? oneByOne(() => load({ folder, references: unknown }, hidden, timeLimit))
    underWay.set(work, loading)
    const problems = await loading.finally(() => underWay.delete(work))
    if (sound.size > maxRemembered) sound.clear()
    if (problems.length === 0) for (const digest of digests.values()) sound.add(digest)
    return [...known, ...problems]
  }
}

/** Whether a class fits depends on the verification of its operation as well. */
const useOf = ({ key, verification = '' }: ListedReference) => `${key} ${verification}`

/** By use, of the reference and the content of its file; the loading process reports files that cannot be read. */
async function readDigests(references: readonly ListedReference[], folder: string): Promise<Map<string, string>> {
  const digests = new Map<string, string>()
  for (const listed of references) {
    const { reference } = listed
    const use = useOf(listed)
    if (digests.has(use)) continue
    const content = await readFile(join(folder, parseReference(reference).path)).catch(() => '') // one file open at a time
    digests.set(use, createHash('sha256').update(`${use}\n`).update(content).digest('base64'))
  }
  return digests
}

async function load(work: ToLoad, hidden: readonly string[], timeLimit: number): Promise<readonly Problem[]> {
  const { promise, resolve } = Promise.withResolvers<readonly Problem[]>()
  let last: FromLoading = { place: findPlace(work), problems: [] }
  const fail = (message: string) => resolve([...last.problems, { path: last.place ?? '', message }])
  let timer: NodeJS.Timeout | undefined
  const onMessage = (message: unknown) => {
    // From the first module on: on a busy machine a process may take as long to start
    timer ??= setTimeout(fail, timeLimit, `names a module that does not finish loading within ${timeLimit / 1000} s`)
    last = readMessage(message) ?? last
    if (last.place === undefined) resolve(last.problems)
  }
  const child = startLoading(await listReadable(work.folder, hidden), onMessage)
  child.ended.then((how) => {
    if (child.pid === undefined) return fail(`cannot be checked: a process ${how}`)
    fail(`names a module that ends its process (${how.replace(/^ended (?:by|with) /, '')})`)
  })
  child.send(work)
  process.once('exit', child.kill) // a module that loops would ignore it
  try {
    return await promise
  } finally {
    process.off('exit', child.kill)
    clearTimeout(timer)
    child.kill()
  }
}

function startLoading(readable: readonly string[], onMessage: (message: unknown) => void): StartedProcess<ToLoad> {
  return startProcess<ToLoad, unknown>({
    file: packageModule('project/check-handlers/load-process'),
    args: [],
    execPath: findNode(),
    env: {},
    execArgv: [
      ...process.execArgv.filter((option) => option.startsWith('--conditions=')),
      '--max-old-space-size=256',
      '--permission',
      '--allow-addons', // handlers often use packages with native code
      ...readable.map((path) => `--allow-fs-read=${path}`),
    ],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'], // output of modules is discarded
    onMessage,
  })
}

const findPlace = ({ references }: ToLoad) => references[0]?.place ?? ''

const isPlace = (place: unknown): place is string =>
  typeof place === 'string' && /^\w{1,30}\[\d{1,9}\]\.handler(?:\.\w{1,30})?$/.test(place)

/** A module can send any message from its process, even `ready`. */
function readMessage(message: unknown): FromLoading | undefined {
  const { place, problems } = (message ?? {}) as { place?: unknown; problems?: unknown }
  if (!Array.isArray(problems)) return undefined
  const read = problems.map((problem) => ({ path: problem?.path, message: String(problem?.message).slice(0, 2000) }))
  return { ...(isPlace(place) && { place }), problems: read.filter(({ path }) => isPlace(path)) }
}
