/** The dependencies of the administration plane. It opens only its listener, so it can run in any process. */
import type { ServerOptions } from 'node:http'
import type { Socket } from 'node:net'
import type { ActionParts } from '../actions/action.ts'
import type { Catalog } from '../configuration/catalog.ts'
import type { Configuration } from '../configuration/configuration.ts'
import type { OpenFeature } from '../feature.ts'
import type { Gateway } from '../gateway.ts'
import type { Observe } from '../model/observation.ts'
import type { CheckParts } from '../project/activate-revision.ts'
import type { AdminSettings } from '../settings.ts'
import type { Flows } from './sign-in/flows.ts'
import type { Provider } from './sign-in/provider.ts'

export interface AdminParts extends ActionParts {
  readonly gateway: Gateway
  /** Undefined if administrators sign in with passwords only. */
  readonly provider: Provider | undefined
  readonly flows: Flows
  /** Every setting as `ig settings` shows it, with masked secrets. */
  readonly shownSettings: readonly ShownSetting[]
  /** The active configuration of this process. */
  catalog(): Pick<Catalog, 'configuration' | 'revision' | 'defaultNode' | 'operations' | 'anonymousOperatorId'>
  readonly opened: readonly OpenFeature[]
  /** Undefined if the process serves files; the configuration is then read-only. */
  readonly revisions: CheckParts | undefined
  /** The project files' configuration at startup, to compute drift. */
  readonly files: Configuration
  /** The URL of the gateway. */
  readonly gatewayUrl: string
  readonly observe: Observe
  /** Called when the one-time link has been used, to remove copies of it. */
  onFirstAdministrator?(): void
}

export interface ShownSetting {
  readonly key: string
  readonly variable: string
  readonly group: string
  readonly values: string
  readonly help: string
  /** Null if the setting has no value and no default. */
  readonly value: string | null
  /** The source of the value; `default` if it is not set. */
  readonly source: string
}

export interface OpenAdminOptions extends Omit<AdminParts, 'provider' | 'flows' | 'configuration' | 'permissionLists'> {
  readonly admin: AdminSettings
  /** Replaced in tests. */
  readonly limits?: ServerOptions
  /** Replaces an own port. */
  readonly source?: AdminSource | undefined
  /** The successor process listens on the same port before this one stops. */
  readonly sharesPort?: boolean | undefined
}

/** Connections accepted by another process, which gets them back when this one stops. */
export interface AdminSource {
  /** The address of the other process. */
  readonly url: string
  /** Called once. */
  start(take: (socket: Socket) => void): void
  /** Passes on a connection that is idle since its last response. Resolves when sent; it must not be closed before. */
  giveBack(socket: Socket): Promise<void>
}
