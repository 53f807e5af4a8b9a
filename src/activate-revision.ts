/**
 * Puts a revision of the store in force in this process: read, compiled beside the calls in small steps, and swapped in
 * by one assignment. What cannot be served here is told, and changes nothing (specification 13.5 to 13.9).
 */
import { type Catalog, compileSteps } from './model/catalog.ts'
import type { Configuration } from './model/configuration.ts'
import { inSlices } from './model/in-slices.ts'
import type { Observe } from './model/observation.ts'
import { formatProblem, type Problem } from './model/problem.ts'
import { type Activation, digestSteps, documentSteps, type Revision, readDocument } from './model/revision.ts'
import type { FindHandlers } from './project.ts'
import type { Settings } from './settings.ts'
import { checkAuthorizationServer } from './steps/credentials/service-app.ts'
import type { ActivationOptions, ActivationOutcome, RevisionStore, Store } from './store/store.ts'

export interface RevisionParts {
  readonly store: Pick<Store, 'revisions'>
  readonly settings: Pick<Settings, 'authorizationServer' | 'jsonWebKey'>
  readonly findHandlers: FindHandlers
}

/** This process cannot serve a revision as it is. */
export class RevisionProblems extends Error {
  override readonly name = 'RevisionProblems'
  readonly revision: number
  readonly problems: readonly Problem[]

  constructor(revision: number, problems: readonly Problem[]) {
    super(problems.map(formatProblem).join('; '))
    this.revision = revision
    this.problems = problems
  }
}

/** @throws RevisionProblems */
export async function openRevision(number: number, parts: RevisionParts): Promise<Catalog> {
  const revision = await parts.store.revisions.find(number)
  if (!revision) throw new Error(`The store has no revision ${number}`)
  return compile(await readRevision(revision), number, parts)
}

export interface FirstRevision {
  readonly catalog: Catalog
  readonly activation: Activation
}

/** The first revision of an empty store. @returns undefined where another process was faster */
export async function makeFirstRevision(
  configuration: Configuration,
  time: number,
  parts: RevisionParts,
): Promise<FirstRevision | undefined> {
  const catalog = await compile(configuration, 1, parts)
  const note = 'made by the first start'
  const made = await addRevision(parts.store.revisions, configuration, { expectedActive: undefined, note, time })
  return 'activation' in made ? { catalog, activation: made.activation } : undefined
}

/** Makes a configuration the next revision and puts it in force, for whoever has validated it. */
export async function addRevision(
  revisions: RevisionStore,
  configuration: Configuration,
  options: ActivationOptions,
): Promise<ActivationOutcome> {
  const document = await inSlices(documentSteps(configuration))
  const revision = { document, digest: await inSlices(digestSteps(configuration)) }
  return revisions.add(revision, { ...options, time: Math.floor(options.time) })
}

/** As it was stored: no fault is looked for. */
export function readRevision({ document }: Pick<Revision, 'document'>): Promise<Configuration> {
  return inSlices(readDocument(document))
}

/** Whether this process could serve a valid configuration: its provider is registered, the code of its handlers is there. */
export async function checkServable(
  configuration: Configuration,
  { settings, findHandlers }: Omit<RevisionParts, 'store'>,
): Promise<readonly Problem[]> {
  const found = await findHandlers(configuration)
  const missing = 'problems' in found ? found.problems : []
  return [...checkAuthorizationServer(settings, configuration.oauth2ServiceApps), ...missing]
}

export interface RevisionFollower {
  /** Takes note of an activation, and of the end of an absence of the store; returns at once. */
  follow(activation: Activation | undefined): void
  /** When what was noted is in force, or refused. */
  settled(): Promise<void>
}

/** Handlers that a revision names may be deployed after it. Milliseconds. */
const retryEvery = 5_000

/** Of several activations that come while one is prepared, only the last is. */
export function followRevisions(
  gateway: { catalog: Catalog; readonly observe: Observe },
  parts: RevisionParts,
): RevisionFollower {
  let wanted: Activation | undefined
  let working: Promise<void> | undefined
  let refused: { readonly activation: Activation; readonly reason: string; readonly at: number } | undefined
  const activate = async (activation: Activation) => {
    const { revision } = activation
    const before = refused
    refused = undefined
    if (revision === gateway.catalog.revision) return
    try {
      gateway.catalog = await openRevision(revision, parts)
      const message = `Revision ${revision} is in force.`
      gateway.observe({ kind: 'event', level: 'information', name: 'revisionActivated', message })
    } catch (error) {
      if (!(error instanceof RevisionProblems)) throw error
      refused = { activation, reason: error.message, at: performance.now() }
      if (before?.activation === activation && before.reason === error.message) return
      const message = `Revision ${revision} cannot be served by this process, and revision ${gateway.catalog.revision} stays in force here: ${error.message}`
      gateway.observe({ kind: 'event', level: 'error', name: 'revisionRefused', message })
    }
  }
  const work = async () => {
    while (wanted) {
      const activation = wanted
      try {
        await activate(activation)
        if (wanted === activation) wanted = undefined
      } catch (error) {
        const message = `Revision ${activation.revision} could not be read; the gateway tries again.`
        gateway.observe({ kind: 'event', level: 'error', name: 'revisionUnreadable', message, error })
        break // until the store answers again
      }
    }
    working = undefined
  }
  return {
    follow(activation) {
      const isDue = refused && performance.now() - refused.at > retryEvery
      wanted = activation ?? wanted ?? (isDue ? refused?.activation : undefined)
      if (wanted) working ??= work()
    },
    settled: async () => void (await working),
  }
}

async function compile(configuration: Configuration, revision: number, parts: RevisionParts): Promise<Catalog> {
  const problems = [...checkAuthorizationServer(parts.settings, configuration.oauth2ServiceApps)]
  const found = await parts.findHandlers(configuration)
  if ('problems' in found) problems.push(...found.problems)
  if (problems.length > 0 || 'problems' in found) throw new RevisionProblems(revision, problems)
  return inSlices(compileSteps(configuration, found.handlers, revision))
}
