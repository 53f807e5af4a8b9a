/**
 * Puts a gateway together: store, operators, catalog, caches, listeners; and takes it apart again in reverse. What can
 * be known before the first call is made here, once (specification 3, 8).
 */
import type { SendHandle } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  followRevisions,
  makeFirstRevision,
  openNewestServable,
  type RevisionFollower,
  type RevisionParts,
  type ServedRevision,
} from './activate-revision.ts'
import { describeServer } from './describe-server.ts'
import { answer, type Gateway } from './gateway.ts'
import type { ConnectionSource } from './http/connection-source.ts'
import { type OpenServer, openServer } from './http/server.ts'
import { type Catalog, compileCatalog } from './model/catalog.ts'
import { collectAfterStart } from './model/collect-garbage.ts'
import { MemoryBudget } from './model/memory-budget.ts'
import { measureBudget } from './model/memory-limit.ts'
import type { Observe } from './model/observation.ts'
import type { Operator } from './model/operator.ts'
import type { FindHandlers, Project } from './project.ts'
import { reportProcess } from './report-process.ts'
import type { Settings } from './settings.ts'
import { openCredentials } from './steps/authenticate.ts'
import { openRestCache } from './steps/rest-cache.ts'
import { openStore, type StoreOptions } from './store/open-store.ts'
import type { Changes, Store } from './store/store.ts'
import { openStoreTeller } from './store/tell-store.ts'

export interface OpenGatewayOptions {
  readonly project: Pick<Project, 'configuration' | 'handlers' | 'migrations'>
  readonly settings: Settings
  readonly observe: Observe
  /** Undefined where no call is traced. */
  readonly tracing?: Gateway['tracing']
  /**
   * Serves the revision that is in force in the store, with handlers found by this, and follows its activations; the
   * project's configuration becomes the first revision of an empty store. Left out, that configuration is served.
   */
  readonly findHandlers?: FindHandlers
  /** Runs before the first call is taken, on a migrated store: `ig dev` adds its sample operators here. */
  readonly prepare?: (store: Store) => Promise<void>
  /** See SqliteOptions. */
  readonly isNewDatabase?: boolean | undefined
  /** How many processes serve together, this one of them: they share the port, and the connections to the database. */
  readonly processes?: number
  /** Epoch milliseconds; tests bring their own clock. */
  readonly now?: () => number
  /** Listening sockets of the process that this one replaces. */
  readonly inherited?: readonly number[] | undefined
  /** In place of ports of its own: `ig dev` replaces its serving process behind one open port. */
  readonly source?: ConnectionSource
}

export interface OpenGateway {
  readonly gateway: Gateway
  readonly url: string
  readonly tlsUrl: string | undefined
  /** What is open at the listeners. */
  count: OpenServer['count']
  /** The store was empty: the project's configuration is its first revision now. */
  readonly hasMadeRevision: boolean
  /** For the process that replaces this one. */
  readonly listeningSockets: readonly SendHandle[]
  /** No new calls; those under way finish within the grace time. What `close` begins with. */
  stop(): Promise<void>
  /** Stops in order, then everything is closed. */
  close(): Promise<void>
}

export type OpenPipeline = Pick<OpenGateway, 'gateway' | 'hasMadeRevision' | 'close'>

/**
 * Milliseconds between two looks for changes that another process made: a lock or a grant is in force within a second, also
 * where a look was lost.
 */
const changesEvery = { usual: 250, whileAway: 100 }
/** Milliseconds; tokens have a skew of 30 seconds. */
const clockTolerance = 5_000

export async function openGateway(options: OpenGatewayOptions): Promise<OpenGateway> {
  await using opened = new AsyncDisposableStack()
  const { gateway, hasMadeRevision, close } = await openPipeline(options)
  opened.defer(close)
  const sharesPort = (options.processes ?? 1) > 1
  const { settings, source, inherited } = options
  collectAfterStart()
  const server = await openServer({ gateway, settings, answer, sharesPort, source, inherited })
  const leave = options.findHandlers ? reportProcess(gateway, server.url) : async () => {}
  let stopping: Promise<unknown> | undefined
  const stop = async () => {
    gateway.condition.isStopping = true
    stopping ??= Promise.all([server.close(), leave()])
    await stopping
  }
  opened.defer(stop)
  const closing = opened.move()
  const { url, tlsUrl, count, listeningSockets } = server
  return { gateway, url, tlsUrl, count, hasMadeRevision, listeningSockets, stop, close: () => closing.disposeAsync() }
}

/** All of a gateway but its listeners: what `answer` needs. */
export async function openPipeline(options: OpenGatewayOptions): Promise<OpenPipeline> {
  const { project, settings, observe, processes = 1, now = microClock() } = options
  await using opened = new AsyncDisposableStack()
  const connections = shareConnections(settings, processes)
  const store = await openStore(settings.database, { ...connections, now, observe, isNew: options.isNewDatabase })
  opened.defer(() => store.close())
  await store.migrate(project.migrations)
  await options.prepare?.(store)

  const changes = await store.changesSince(undefined)
  const operators = new Map(changes.operators.map((operator) => [operator.id, operator]))
  const memory = new MemoryBudget(settings.limits.memoryBytes ?? measureBudget(processes))
  const restCache = await openRestCache({ store: store.restCache, limits: settings.limits, memory, observe, now })
  opened.defer(() => restCache.flush())
  const { catalog, served, revisions, hasMadeRevision = false } = await openCatalog(options, store, changes, now)
  const credentials = await openCredentials({ settings, catalog, observe, now })
  const gateway: Gateway = {
    settings,
    catalog,
    operators,
    store,
    credentials,
    restCache,
    server: describeServer(settings, store.dbType, now),
    observe,
    tracing: options.tracing,
    memory,
    condition: { storeRead: now(), isStoreAway: false, isStopping: false },
    now,
  }

  const follower = revisions && followRevisions(gateway, revisions, served)
  opened.defer(followChanges(store, changes, operators, gateway, follower))
  const closing = opened.move()
  return { gateway, hasMadeRevision, close: () => closing.disposeAsync() }
}

/** Few processes have as many as one would; many of them stay below what PostgreSQL takes unless told otherwise. */
function shareConnections({ databaseConnections, monitor }: Settings, processes: number): StoreOptions {
  const stated = databaseConnections && Math.floor(databaseConnections / processes) - (monitor ? 1 : 0) // it has its own
  const share = Math.max(2, stated ?? Math.min(14, Math.floor(70 / processes)))
  const ownConnections = Math.min(4, Math.ceil(share / 4))
  return { ownConnections, handlerConnections: share - ownConnections }
}

interface FirstCatalog {
  readonly catalog: Catalog
  readonly served?: ServedRevision
  readonly revisions?: RevisionParts
  readonly hasMadeRevision?: boolean
}

async function openCatalog(
  { project, settings, findHandlers }: OpenGatewayOptions,
  store: Store,
  { activation }: Changes,
  now: () => number,
): Promise<FirstCatalog> {
  const { configuration, handlers } = project
  if (!findHandlers) return { catalog: compileCatalog(configuration, handlers) }
  const revisions = { store, settings, findHandlers }
  const first = activation ? undefined : await makeFirstRevision(configuration, now(), revisions)
  const active = activation ?? (await store.revisions.active()) // another process may have made the first
  const served = first ?? (active && (await openNewestServable(active, revisions)))
  if (!served) throw new Error('The store has no active revision')
  return { catalog: served.catalog, served, revisions, hasMadeRevision: first !== undefined }
}

/** Polls the change feed; a store that is away leaves what is known in force. @returns stops it */
function followChanges(
  store: Store,
  from: Changes,
  operators: Map<string, Operator>,
  { restCache, observe, condition, now }: Gateway,
  revisions: RevisionFollower | undefined,
) {
  let cursor = from.cursor
  let clockOffset = store.clockOffset
  let isClockOff = false
  const tellClock = () => {
    const off = store.clockOffset
    if (Math.abs(off) > clockTolerance === isClockOff) return
    isClockOff = !isClockOff
    const seconds = `${Math.round(Math.abs(off) / 1000)} s ${off < 0 ? 'ahead of' : 'behind'}`
    const message = isClockOff
      ? `This machine's clock is ${seconds} the database's. Tokens are judged by it, and may be refused: set it right.`
      : "This machine's clock agrees with the database's again."
    observe({ kind: 'event', level: 'warning', name: 'clockOff', message })
  }
  tellClock()
  const tellStore = openStoreTeller(store, observe)
  const look = async () => {
    tellStore()
    try {
      const changes = await store.changesSince(cursor)
      for (const operator of changes.operators) operators.set(operator.id, operator)
      restCache.applyGenerations(changes.cacheGenerations)
      if (store.clockOffset !== clockOffset) restCache.forget()
      clockOffset = store.clockOffset
      revisions?.follow(changes.activation)
      tellClock()
      cursor = changes.cursor
      if (condition.isStoreAway)
        observe({ kind: 'event', level: 'warning', name: 'storeBack', message: 'The store answers again.' })
      condition.storeRead = now()
      condition.isStoreAway = false
      await restCache.repeatDeletions().catch(() => {}) // a store that reads may not write; told when it was asked for
    } catch (error) {
      const message = 'The store does not answer; operators and cache stay as they were last seen.'
      if (!condition.isStoreAway) observe({ kind: 'event', level: 'error', name: 'storeAway', message, error })
      condition.isStoreAway = true
    }
  }
  const stopping = new AbortController()
  const pause = () => {
    const time = condition.isStoreAway ? changesEvery.whileAway : changesEvery.usual
    return sleep(time, true, { ref: false, signal: stopping.signal }).catch(() => false)
  }
  const following = (async () => {
    while (await pause()) await look()
  })()
  return async () => {
    stopping.abort()
    await following
    await revisions?.settled()
  }
}

/** The system's time with microseconds, which `Date` lacks; follows the system clock when that is set. */
function microClock(): () => number {
  let origin = performance.timeOrigin
  return () => {
    const time = origin + performance.now()
    const system = Date.now()
    if (time - system < 2 && system - time < 2) return time
    origin = system - performance.now()
    return system
  }
}
