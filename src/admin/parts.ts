/** What the administration plane is given; it opens nothing but its listener, so that it can run in any process. */
import type { ServerOptions } from 'node:http'
import type { Socket } from 'node:net'
import type { Gateway } from '../gateway.ts'
import type { Catalog } from '../model/catalog.ts'
import type { Configuration } from '../model/configuration/configuration.ts'
import type { Observe } from '../model/observation.ts'
import type { Scrape } from '../observe/metrics/metrics-listener.ts'
import type { CheckParts } from '../project/activate-revision.ts'
import type { AdminSettings, Settings } from '../settings.ts'
import type { RestCache } from '../steps/rest-cache.ts'
import type { MonitorStore } from '../store/monitor/open-monitor-store.ts'
import type { Store } from '../store/store.ts'
import type { Heartbeat } from './list-instances.ts'
import type { StoreWatch } from './store-watch.ts'

export interface AdminParts {
  readonly store: Store
  /** By which each question to the store is bounded. */
  readonly storeWatch: StoreWatch
  readonly settings: Settings
  /** Every setting as `ig settings` would tell it, secrets masked. */
  readonly shownSettings: readonly ShownSetting[]
  /** What is in force in this process. */
  catalog(): Pick<Catalog, 'configuration' | 'revision' | 'defaultNode' | 'operations'>
  /** The rows of the monitor; undefined where it is off. */
  readonly monitor?: (() => Promise<MonitorStore>) | undefined
  readonly restCache: Pick<RestCache, 'deleteOperation' | 'deleteUrl' | 'list'>
  /** By which a call is tried. */
  readonly gateway: Gateway
  /** Where revisions of the store are served; without it files are, and the configuration is read-only. */
  readonly revisions: CheckParts | undefined
  /** What the project's files said when this process started; drift is told against it. */
  readonly files: Configuration
  /** Where the gateway listens. */
  readonly gatewayUrl: string
  /** What is counted, and the other instances; undefined where metrics are off. */
  readonly metrics?: { readonly heartbeat: Heartbeat; readonly scrape: Scrape } | undefined
  readonly observe: Observe
  now(): number
  /** The one-time link was used: what keeps it may forget it. */
  onFirstAdministrator?(): void
}

export interface ShownSetting {
  readonly key: string
  readonly variable: string
  readonly group: string
  readonly values: string
  readonly help: string
  /** Null where it has none, and none by default. */
  readonly value: string | null
  /** Where it stands; `default` where nowhere. */
  readonly source: string
}

export interface OpenAdminOptions extends Omit<AdminParts, 'storeWatch'> {
  readonly admin: AdminSettings
  /** Tests take others. */
  readonly limits?: ServerOptions
  /** In place of a port of its own. */
  readonly source?: AdminSource | undefined
  /** The process that takes its place listens at the same port before this one stops. */
  readonly sharesPort?: boolean | undefined
}

/** Connections that another process accepts, and gets back when this one stops. */
export interface AdminSource {
  /** Where the other process listens. */
  readonly url: string
  /** Called once. */
  start(take: (socket: Socket) => void): void
  /** A connection of which nothing was read since its last answer. Fulfilled when it is sent: until then it must not be closed. */
  giveBack(socket: Socket): Promise<void>
}
