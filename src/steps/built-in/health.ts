/** The health checks of load balancers and container platforms (specification 1.11, 20.11). */

import type { Catalog } from '../../configuration/catalog.ts'
import type { Activation } from '../../configuration/revision.ts'
import { listContributions } from '../../features.ts'
import type { OperationResponse } from '../../model/call.ts'
import type { HealthTarget } from '../../model/request-target.ts'
import type { StoreFault } from '../../store/faults.ts'
import { storeFullMessage } from '../../store/report-store.ts'
import type { Store } from '../../store/store.ts'
import type { Verifier } from '../../verification/verifier.ts'

/** The condition of a process with regard to its calls. */
export interface Condition {
  /** Epoch milliseconds of the last read of the store. */
  storeReadAt: number
  /** The last read failed. */
  isStoreOutage: boolean
  /** Running calls finish; new ones should go elsewhere. */
  isStopping: boolean
  /** The instance has just started, and its administration does not listen yet. */
  awaitsAdministration?: boolean
  /** The last activation that this process served or refused; undefined if files are served. */
  activation?: Activation | undefined
  /** Why it serves an earlier revision instead. For the log and for administrators: it may name files. */
  revisionRefusal?: string | undefined
  /** Conditions of what observes calls, by name. */
  activeConditions?: (() => Readonly<Record<string, string | undefined>>) | undefined
  /** The connections of the listeners. */
  connections?: { trouble(): string | undefined }
  /** Resources of handlers; undefined: none. */
  resources?: { readonly trouble: string | undefined } | undefined
  /** Epoch milliseconds of the last-good copy, if the process started from it and has not read the store since. */
  lastGood?: number | undefined
}

export interface HealthParts {
  readonly catalog: Catalog
  readonly condition: Readonly<Condition>
  readonly store: Pick<Store, 'full' | 'fault'>
  readonly verifiers: Readonly<Record<string, Verifier>>
  now(): number
}

interface ConditionRow {
  readonly name: string
  /** False if a load balancer should send calls elsewhere while this applies. */
  readonly isReady: boolean
  /** For people: what happened, why, what to do. Undefined while it does not apply. */
  readonly detail: (parts: HealthParts) => string | undefined
}

/** The conditions that `/readyz` reports besides "ready". A new one is a field of `Condition`, and a row here. */
const conditions: readonly ConditionRow[] = [
  {
    name: 'starting',
    isReady: false,
    detail: ({ condition }) =>
      condition.awaitsAdministration ? 'The gateway is starting: administration does not listen yet.' : undefined,
  },
  {
    name: 'stopping',
    isReady: false,
    detail: ({ condition }) => (condition.isStopping ? 'The gateway is stopping.' : undefined),
  },
  {
    name: 'lastGood',
    isReady: true,
    detail: ({ condition: { lastGood } }) =>
      lastGood === undefined
        ? undefined
        : `The database was not available when this process started. It serves the last-good copy of ${new Date(lastGood).toISOString()}; calls that need the database get 503 until it answers.`,
  },
  {
    name: 'storeStale',
    isReady: true,
    detail: ({ condition, now }) =>
      isStale(condition, now())
        ? 'The store does not answer. Calls use the configuration and the operators that were read last.'
        : undefined,
  },
  {
    name: 'revisionRefused',
    isReady: true, // serving an earlier revision is better than serving none: decisions D-320
    detail: ({ catalog, condition: { activation, revisionRefusal } }) =>
      revisionRefusal === undefined
        ? undefined
        : `Revision ${activation?.revision} is active, but this process cannot serve it and serves revision ${catalog.revision}. The log has the reason (revisionRefused).`,
  },
  { name: 'connectionsFull', isReady: false, detail: ({ condition }) => condition.connections?.trouble() },
  { name: 'resourceAway', isReady: false, detail: ({ condition }) => condition.resources?.trouble },
  { name: 'storeFull', isReady: true, detail: ({ store: { full } }) => full && storeFullMessage },
  observerRow('logFailed'),
  {
    name: 'providerUnusable',
    isReady: true, // other calls are answered
    detail: ({ catalog, verifiers }) =>
      Object.values(verifiers)
        .map((verifier) => verifier.trouble?.(catalog))
        .find((trouble) => trouble !== undefined),
  },
  ...listContributions<string>('conditionNames').map(observerRow),
  faultRow('storeFileGone'),
  faultRow('storeDamaged'),
]

export const conditionNames: readonly string[] = conditions.map(({ name }) => name)

function observerRow(name: string): ConditionRow {
  return { name, isReady: true, detail: ({ condition }) => condition.activeConditions?.()[name] }
}

/** Calls that need no rows are answered all the same. */
function faultRow(name: StoreFault['name']): ConditionRow {
  const detail = ({ store: { fault } }: HealthParts) => (fault?.name === name ? fault.message : undefined)
  return { name, isReady: true, detail }
}

export interface ActiveCondition {
  readonly name: string
  readonly isReady: boolean
  readonly detail: string
}

export function listConditions(parts: HealthParts): readonly ActiveCondition[] {
  return conditions.flatMap(({ name, isReady, detail: describe }) => {
    const detail = describe(parts)
    return detail === undefined ? [] : [{ name, isReady, detail }]
  })
}

const uncached = ['cache-control', 'no-store']

/** Milliseconds since the store was last read; the gateway reads it four times a second or more. */
const staleAfter = 5_000

export function answerHealthCheck({ kind }: HealthTarget, parts: HealthParts): OperationResponse {
  return kind === 'healthz' ? healthy : describeReadiness(parts)
}

export function isStale({ storeReadAt, isStoreOutage }: Condition, now: number): boolean {
  return isStoreOutage || now - storeReadAt > staleAfter
}

export const healthy: OperationResponse = {
  status: 200,
  headers: ['content-type', 'text/plain; charset=UTF-8', ...uncached],
  body: { bytes: Buffer.from('OK\n') },
}

/** A process with a stale store is ready: calls use the last known state. */
function describeReadiness(parts: HealthParts): OperationResponse {
  const { catalog, condition } = parts
  const time = parts.now()
  const holding = listConditions(parts)
  const unready = holding.find(({ isReady }) => !isReady)
  const facts = {
    status: unready?.name ?? 'ready',
    revision: catalog.revision ?? null,
    store: isStale(condition, time) ? 'stale' : 'current',
    storeAgeSeconds: Math.max(0, Math.round((time - condition.storeReadAt) / 100) / 10),
    conditions: holding,
  }
  return {
    status: unready ? 503 : 200,
    headers: ['content-type', 'application/json', ...uncached],
    body: { bytes: Buffer.from(`${JSON.stringify(facts)}\n`) },
  }
}
