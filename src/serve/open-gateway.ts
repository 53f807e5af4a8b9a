/**
 * Assembles a gateway: store, operators, catalog, caches, listeners; and closes it again in reverse. Everything that
 * can be prepared before the first call is prepared here, once (specification 3, 8).
 */
import type { Server } from 'node:net'
import { measureBudget } from '../base/memory-limit.ts'
import { preciseTime } from '../base/precise-time.ts'
import { type Catalog, compileCatalog } from '../configuration/catalog.ts'
import { loadContributions, type OpenFeature } from '../feature.ts'
import { Idempotency } from '../features/idempotency/idempotency.ts'
import { openIdempotencyRows } from '../features/idempotency/rows.ts'
import { exchangeLimits } from '../features/limits/exchange.ts'
import { CallLimits } from '../features/limits/limits.ts'
import { openLimitRows } from '../features/limits/rows.ts'
import { RestCache } from '../features/rest-cache/rest-cache.ts'
import { openCacheRows } from '../features/rest-cache/rows.ts'
import { answer, type Gateway } from '../gateway.ts'
import type { ConnectionSource, TakeOver } from '../http/hand-over.ts'
import { type OpenServer, openServer } from '../http/server.ts'
import { MemoryBudget } from '../model/memory-budget.ts'
import type { Observe } from '../model/observation.ts'
import {
  followRevisions,
  makeFirstRevision,
  openNewestServable,
  openRevision,
  type RevisionParts,
  type ServedRevision,
} from '../project/activate-revision.ts'
import { followChanges } from '../project/follow-changes.ts'
import type { FindHandlers, Project } from '../project/open-project.ts'
import type { Settings } from '../settings.ts'
import { openSharedParts } from '../steps/handler/shared-parts.ts'
import { logAuditHead } from '../store/administration/log-head.ts'
import type { StoreOptions } from '../store/open-store.ts'
import type { Changes, Store } from '../store/store.ts'
import { type LastGoodState, openStoreAtStart } from '../store/store-at-start.ts'
import { openProviderDocuments } from '../verification/oauth2/provider-documents.ts'
import { openVerifiers } from '../verification/open-verifiers.ts'
import type { Verifier } from '../verification/verifier.ts'
import { describeServer } from './describe-server.ts'
import { indexOperators } from './index-operators.ts'
import { reportProcess } from './report-process.ts'
import { requireKeyForFactors, requireSettings } from './require-settings.ts'
import { stopCalls } from './stop.ts'

export interface OpenGatewayOptions {
  readonly project: Pick<Project, 'configuration' | 'handlers' | 'migrations'>
  readonly settings: Settings
  readonly observe: Observe
  /** Undefined if no call is traced. */
  readonly tracing?: Gateway['tracing']
  /**
   * Serves the active revision of the store, with handlers found by this, and follows its activations; the project's
   * configuration becomes the first revision of an empty store. If omitted, serves that configuration.
   */
  readonly findHandlers?: FindHandlers
  /** Serves a single call of a person: no secret of the store is needed, and none is made. */
  readonly isTrial?: boolean
  /** Runs before the first call, on a migrated store: `ig dev` adds its sample operators here. */
  readonly prepare?: (store: Store) => Promise<void>
  /** For `/readyz`: what the observers cannot write. */
  readonly activeConditions?: Gateway['condition']['activeConditions']
  readonly features?: readonly Pick<OpenFeature, 'openStore' | 'onStoreRead' | 'stop' | 'connections'>[]
  /** Set for one process of an instance. */
  readonly logsAuditHead?: boolean
  /** For `context.fetch` of handlers: in development and in tests. */
  readonly allowsLoopback?: boolean
  /** Refuses calls while the process has more of them than it can serve; not in development and in tests. */
  readonly shedsLoad?: boolean
  /** See SqliteOptions. */
  readonly isNewDatabase?: boolean | undefined
  /**
   * The number of processes that serve together, this one included: they share the port, and the connections to the
   * database.
   */
  readonly processes?: number
  /** Epoch milliseconds; tests pass their own clock. */
  readonly now?: () => number
  /** The sockets of the replaced process. */
  readonly takeOver?: TakeOver | undefined
  /** Not ready until administration listens, or cannot. */
  readonly awaitsAdministration?: boolean
  /** Instead of own ports: `ig dev` replaces its serving process behind one open port. */
  readonly source?: ConnectionSource
}

export interface OpenGateway {
  readonly gateway: Gateway
  readonly url: string
  readonly tlsUrl: string | undefined
  /** The open connections of the listeners. */
  count: OpenServer['count']
  /** The store was empty: the project's configuration is its first revision now. */
  readonly hasMadeRevision: boolean
  /** For the successor of this process. */
  readonly listeners: readonly Server[]
  /** The first part of `close`; waits for administration too, which may still use the shared parts. */
  stopCalls(administrationClosed?: Promise<void>): Promise<void>
  /** Stops gracefully, then closes everything. */
  close(): Promise<void>
}

export type OpenPipeline = Pick<OpenGateway, 'gateway' | 'hasMadeRevision' | 'close'>

export async function openGateway(options: OpenGatewayOptions): Promise<OpenGateway> {
  await using opened = new AsyncDisposableStack()
  const { gateway, hasMadeRevision, close } = await openPipeline(requireSettings(options))
  opened.defer(close)
  const sharesPort = (options.processes ?? 1) > 1
  const { settings, source, takeOver, features = [] } = options
  await gateway.shared.resources.openAtStart()
  const server = await openServer({ gateway, settings, answer, sharesPort, source, takeOver })
  gateway.condition.connections = server
  const { limits, store, observe } = gateway
  // The clock of a test passes faster than the database's
  if (!options.now) opened.defer(exchangeLimits({ limits, store: openLimitRows(store.databases), observe }).close)
  const unregister = options.findHandlers ? reportProcess(gateway, server.url) : async () => {}
  let stopped: Promise<void> | undefined
  const stop = (administrationClosed?: Promise<void>) => {
    stopped ??= stopCalls({ gateway, server, features, unregister, administrationClosed })
    return stopped
  }
  opened.defer(() => stop()) // unless `openProcess` has done it before: the testing kit opens the gateway alone
  const closing = opened.move()
  const { url, tlsUrl, count, listeners } = server
  return {
    gateway,
    url,
    tlsUrl,
    count,
    hasMadeRevision,
    listeners,
    stopCalls: stop,
    close: () => closing.disposeAsync(),
  }
}

/** A gateway without listeners: all that `answer` needs. */
export async function openPipeline(options: OpenGatewayOptions): Promise<OpenPipeline> {
  const { project, settings, observe, features = [], processes = 1, now = preciseTime } = options
  await using opened = new AsyncDisposableStack()
  const idleLimit = settings.limits.handlerTimeout + 10_000
  const { streams, streamTime } = settings.limits
  const snapshotIdleLimit = streamTime + 10_000
  const featureConnections = features.reduce((sum, feature) => sum + (feature.connections ?? 0), 0)
  const connections = {
    ...shareConnections(settings, processes, featureConnections),
    idleLimit,
    streams,
    snapshotIdleLimit,
  }
  const { openStore = openStoreAtStart } = features.find((feature) => feature.openStore) ?? {}
  const atStart = await openStore({
    url: settings.database,
    options: { ...connections, now, observe, isNew: options.isNewDatabase },
    migrations: project.migrations,
    prepare: options.prepare,
    observe,
    now,
  })
  const { store, changes, lastGood } = atStart
  opened.defer(() => store.close())
  const { isTrial } = options
  const parts = { settings, store, observe, isTrial, states: lastGood?.verifierStates, now }
  const featureVerifiers = await Promise.all((await loadContributions('verifiers')).map((open) => open(parts)))
  if (!isTrial && !settings.secretKey) await requireKeyForFactors(store)
  const operators = indexOperators(changes.operators, settings)
  const memory = new MemoryBudget(settings.limits.memoryBytes ?? measureBudget(processes))
  const cached = openCacheRows(store.databases, () => store.clockOffset)
  const restCache = new RestCache({ store: cached, settings, memory, observe, now })
  opened.defer(() => restCache.flush())
  if (!lastGood) await restCache.follow()
  const databaseNow = () => now() + store.clockOffset
  const rows = openIdempotencyRows(store.databases)
  const idempotency = new Idempotency({ store: rows, settings, observe, now: databaseNow })
  opened.defer(() => idempotency.close())
  const first = await (lastGood ? openLastGood(options, store, lastGood) : openCatalog(options, store, changes, now))
  const { catalog, served, revisions, hasMadeRevision = false } = first
  const documents = openProviderDocuments(lastGood?.provider)
  const [passwords] = (await loadContributions('passwords')).flatMap((open) => open(settings, now) ?? [])
  const ofKernel = {
    settings,
    catalog,
    observe,
    documents,
    basic: {
      maxDelay: settings.limits.guessDelay,
      observe,
      replacePasswordHash: store.operators.replacePasswordHash,
      passwords,
    },
    now,
  }
  const verifiers = await openVerifiers(ofKernel, Object.assign({}, ...featureVerifiers))
  if (!lastGood) for (const verifier of Object.values<Verifier>(verifiers)) await verifier.prepare?.(catalog)
  const shared = openSharedParts({ settings, observe, allowsLoopback: options.allowsLoopback, store, now })
  opened.defer(() => shared.close())
  const delay = options.shedsLoad ? settings.overload.delay : Number.POSITIVE_INFINITY
  const limits = new CallLimits({ observe, now: options.now, delay, findSpent: openLimitRows(store.databases).find })
  opened.defer(() => limits.close())
  const gateway: Gateway = {
    settings,
    catalog,
    operators,
    store,
    verifiers,
    restCache,
    limits,
    idempotency,
    server: describeServer(settings, store.dbType, now),
    shared,
    observe,
    tracing: options.tracing,
    memory,
    condition: {
      storeReadAt: lastGood?.written ?? now(),
      isStoreOutage: lastGood !== undefined,
      isStopping: false,
      awaitsAdministration: options.awaitsAdministration ?? false,
      lastGood: lastGood?.written,
      activeConditions: options.activeConditions,
      resources: shared.resources,
    },
    targets: (await loadContributions('targets')).flatMap((open) => open(settings) ?? []),
    now,
  }

  const follower = revisions && followRevisions(gateway, revisions, served)
  if (options.logsAuditHead) opened.defer(logAuditHead(store, observe))
  const stopFollowing = followChanges({
    atStart,
    operators,
    gateway,
    revisions: follower,
    followers: [restCache],
    async reopenCatalog(changed) {
      gateway.catalog = (await openCatalog(options, store, changed, now)).catalog
    },
    onRead(storeId, cursor) {
      for (const feature of features) feature.onStoreRead?.({ gateway, documents, storeId, cursor })
    },
  })
  opened.defer(stopFollowing)
  const closing = opened.move()
  return { gateway, hasMadeRevision, close: () => closing.disposeAsync() }
}

/**
 * A few processes may have as many connections as one; with many, the sum stays below PostgreSQL's default limit unless
 * configured.
 *
 * @param featureConnections what features open besides
 */
function shareConnections(
  { databaseConnections, databaseHandlers }: Settings,
  processes: number,
  featureConnections: number,
): StoreOptions {
  const stated = databaseConnections && Math.floor(databaseConnections / processes) - featureConnections
  const share = Math.max(2, stated ?? Math.min(14, Math.floor(70 / processes)))
  const ownConnections = Math.min(4, Math.ceil(share / 4))
  return { ownConnections, handlerConnections: share - ownConnections, handlerUrl: databaseHandlers }
}

interface FirstCatalog {
  readonly catalog: Catalog
  readonly served?: ServedRevision
  readonly revisions?: RevisionParts
  readonly hasMadeRevision?: boolean
}

async function openCatalog(
  { project, settings, findHandlers }: OpenGatewayOptions,
  store: Pick<Store, 'revisions'>,
  { activation }: Changes,
  now: () => number,
): Promise<FirstCatalog> {
  const { configuration, handlers } = project
  if (!findHandlers) return { catalog: compileCatalog(configuration, handlers) }
  const revisions = { store, settings, findHandlers }
  const first = activation ? undefined : await makeFirstRevision(configuration, now(), revisions)
  const active = activation ?? (await store.revisions.active()) // another process may have created the first
  const served = first ?? (active && (await openNewestServable(active, revisions)))
  if (!served) throw new Error('The store has no active revision')
  return { catalog: served.catalog, served, revisions, hasMadeRevision: first !== undefined }
}

/** Only the served revision is there; activations are followed once the store answers. */
async function openLastGood(
  { project, settings, findHandlers }: OpenGatewayOptions,
  store: Pick<Store, 'revisions'>,
  { revision, activation, refusal, store: copied }: LastGoodState,
): Promise<FirstCatalog> {
  if (!findHandlers) return { catalog: compileCatalog(project.configuration, project.handlers) }
  const revisions = { store, settings, findHandlers }
  const catalog = await openRevision(revision, { ...revisions, store: copied })
  return { catalog, served: { catalog, activation, refusal }, revisions }
}
