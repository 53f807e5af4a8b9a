/**
 * Activates a revision of the store in this process: reads it, compiles it in small steps between calls, and replaces
 * the catalog by one assignment. A revision that this process cannot serve is reported and changes nothing
 * (specification 13.5 to 13.9, 13.16).
 */

import { inSlices } from '../base/in-slices.ts'
import { type Catalog, compileSteps } from '../configuration/catalog.ts'
import type { Configuration } from '../configuration/configuration.ts'
import { type Activation, digestSteps, documentSteps, type Revision, readDocument } from '../configuration/revision.ts'
import type { Observe } from '../model/observation.ts'
import { type Problem, RevisionProblems } from '../model/problem.ts'
import type { Settings } from '../settings.ts'
import type { Condition } from '../steps/built-in/health.ts'
import { systemUser } from '../store/administration/system-user.ts'
import type { ActivationOptions, ActivationOutcome, RevisionStore } from '../store/revision-store.ts'
import type { Store } from '../store/store.ts'
import type { CheckHandlers } from './check-handlers/check-handlers.ts'
import { checkSettings } from './check-settings.ts'
import type { FindHandlers, LoadedHandlers } from './open-project.ts'

export interface RevisionParts {
  readonly store: Pick<Store, 'revisions'>
  readonly settings: Pick<Settings, 'authorizationServer' | 'jsonWebKey' | 'secretKey'>
  readonly findHandlers: FindHandlers
}

export interface CheckParts {
  readonly checkHandlers: CheckHandlers
  readonly handlers: LoadedHandlers
}

/** @throws RevisionProblems */
export async function openRevision(number: number, parts: RevisionParts): Promise<Catalog> {
  const revision = await parts.store.revisions.find(number)
  if (!revision) throw new Error(`The store has no revision ${number}`)
  return compile(await readRevision(revision), number, parts)
}

/** The revision that a process starts with. */
export interface ServedRevision {
  readonly catalog: Catalog
  readonly activation: Activation
  /** Why this process serves an earlier revision instead. */
  readonly refusal?: string | undefined
}

/** How many earlier revisions are tried: enough to notice quickly that a folder has none of the code. */
const maxTried = 50

/**
 * The active revision, or the newest before it that this process can serve.
 * @throws RevisionProblems of the active one, if it can serve none
 */
export async function openNewestServable(activation: Activation, parts: RevisionParts): Promise<ServedRevision> {
  try {
    return { catalog: await openRevision(activation.revision, parts), activation }
  } catch (error) {
    if (!(error instanceof RevisionProblems)) throw error
    if (error.problems.some(({ path }) => path === 'ig.secretKey')) throw error // the person who starts it can set it
    const catalog = await openEarlier(activation, parts)
    if (catalog) return { catalog, activation, refusal: error.message }
    throw error
  }
}

async function openEarlier({ sequence, revision }: Activation, parts: RevisionParts): Promise<Catalog | undefined> {
  const activations = await parts.store.revisions.activations()
  const numbers = new Set(activations.filter((each) => each.sequence < sequence).map((each) => each.revision))
  numbers.delete(revision)
  for (const number of [...numbers].slice(0, maxTried)) {
    try {
      return await openRevision(number, parts)
    } catch (error) {
      if (!(error instanceof RevisionProblems)) throw error
    }
  }
  return undefined
}

export const firstRevisionNote = 'made by the first start'

/** The first revision of an empty store. @returns undefined if another process was faster */
export async function makeFirstRevision(
  configuration: Configuration,
  time: number,
  parts: RevisionParts,
): Promise<ServedRevision | undefined> {
  const catalog = await compile(configuration, 1, parts)
  const options = { expectedActive: undefined, note: firstRevisionNote, author: systemUser(), time }
  const made = await addRevision(parts.store.revisions, configuration, options)
  return 'activation' in made ? { catalog, activation: made.activation } : undefined
}

/** Stores a validated configuration as the next revision and activates it. */
export async function addRevision(
  revisions: RevisionStore,
  configuration: Configuration,
  options: ActivationOptions,
): Promise<ActivationOutcome> {
  const document = await inSlices(documentSteps(configuration))
  const revision = { document, digest: await inSlices(digestSteps(configuration)) }
  return revisions.add(revision, { ...options, time: Math.floor(options.time) })
}

/** Reads the configuration as stored, without validation. */
export function readRevision({ document }: Pick<Revision, 'document'>): Promise<Configuration> {
  return inSlices(readDocument(document))
}

/** Why a valid configuration could not be served here: settings that it needs, and code that it names. */
export async function checkServable(
  configuration: Configuration,
  active: Configuration,
  { settings, checkHandlers }: Pick<RevisionParts, 'settings'> & Pick<CheckParts, 'checkHandlers'>,
): Promise<readonly Problem[]> {
  const missing = await checkHandlers(configuration, active)
  return [...checkSettings(settings, configuration), ...missing]
}

export interface RevisionFollower {
  /** Receives activations and the end of a store outage; returns at once. */
  follow(activation: Activation | undefined): void
  /** Resolves when the latest activation is active here, or refused. */
  settled(): Promise<void>
}

/** The handlers of a revision may be deployed after it. Milliseconds. */
const retryEvery = 5_000

interface FollowingGateway {
  catalog: Catalog
  readonly observe: Observe
  readonly condition: Pick<Condition, 'activation' | 'revisionRefusal'>
}

/**
 * If several activations arrive during one, only the last is prepared next.
 * @param start what the process serves already
 */
export function followRevisions(
  gateway: FollowingGateway,
  parts: RevisionParts,
  start?: Pick<ServedRevision, 'activation' | 'refusal'>,
): RevisionFollower {
  const { condition } = gateway
  let wanted: Activation | undefined
  let working: Promise<void> | undefined
  let triedAt = Number.NEGATIVE_INFINITY
  const settle = (activation: Activation, refusal?: string) => {
    const isKnown = condition.revisionRefusal === refusal && condition.activation?.sequence === activation.sequence
    condition.activation = activation
    condition.revisionRefusal = refusal
    if (refusal === undefined || isKnown) return
    const { revision } = gateway.catalog
    const message = `Revision ${activation.revision} is active, but this process cannot serve it and serves revision ${revision}: ${refusal}`
    gateway.observe({ kind: 'event', level: 'error', name: 'revisionRefused', message })
  }
  if (start) settle(start.activation, start.refusal)
  const activate = async (activation: Activation) => {
    const { revision } = activation
    if (revision === gateway.catalog.revision) return settle(activation)
    triedAt = performance.now()
    try {
      gateway.catalog = await openRevision(revision, parts)
    } catch (error) {
      if (error instanceof RevisionProblems) return settle(activation, error.message)
      throw error
    }
    settle(activation)
    const message = `Revision ${revision} is active.`
    gateway.observe({ kind: 'event', level: 'information', name: 'revisionActivated', message })
  }
  const work = async () => {
    while (wanted) {
      const activation = wanted
      try {
        await activate(activation)
        if (wanted === activation) wanted = undefined
      } catch (error) {
        const message = `Revision ${activation.revision} could not be read; the gateway will retry.`
        gateway.observe({ kind: 'event', level: 'error', name: 'revisionUnreadable', message, error })
        break // until the store is available again
      }
    }
    working = undefined
  }
  return {
    follow(activation) {
      const isDue = condition.revisionRefusal !== undefined && performance.now() - triedAt > retryEvery
      wanted = activation ?? wanted ?? (isDue ? condition.activation : undefined)
      if (wanted) working ??= work()
    },
    settled: async () => void (await working),
  }
}

async function compile(configuration: Configuration, revision: number, parts: RevisionParts): Promise<Catalog> {
  const problems = [...checkSettings(parts.settings, configuration)]
  const found = await parts.findHandlers(configuration)
  if ('problems' in found) problems.push(...found.problems)
  if (problems.length > 0 || 'problems' in found) throw new RevisionProblems(revision, problems)
  return inSlices(compileSteps(configuration, found.handlers, revision))
}
