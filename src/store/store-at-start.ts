/** The store when a process starts, with all that was read from it; during an outage, the last-good copy (specification 17.15). */
import type { Activation } from '../configuration/revision.ts'
import type { Observe } from '../model/observation.ts'
import { openStore, type StoreOptions } from './open-store.ts'
import { beginning, type Changes, type ProjectMigration, type Store } from './store.ts'

export interface StoreOpening {
  readonly url: string
  readonly options: StoreOptions
  readonly migrations: readonly ProjectMigration[]
  /** Runs before the first call, on a migrated store. */
  readonly prepare?: ((store: Store) => Promise<void>) | undefined
  readonly observe: Observe
  now(): number
}

export interface StoreAtStart {
  readonly store: Store
  /** Everything: the first reading of the change feed. */
  readonly changes: Changes
  readonly storeId: string
  readonly lastGood?: LastGoodState
}

/** What is served while the store does not answer. */
export interface LastGoodState {
  /** Epoch milliseconds: everything here was active then. */
  readonly written: number
  /** The served revision, the active one, and why they differ. */
  readonly revision: number
  readonly activation: Activation
  readonly refusal: string | undefined
  readonly store: Pick<Store, 'revisions'>
  /** Documents of the identity provider, by URL. */
  readonly provider: readonly (readonly [url: string, document: unknown])[]
  /** The last `state` of each verifier, by mode. */
  readonly verifierStates: Readonly<Record<string, unknown>>
  /** Opens the store after the outage. */
  open(): Promise<void>
}

export async function openStoreAtStart({ url, options, migrations, prepare }: StoreOpening): Promise<StoreAtStart> {
  const store = await openStore(url, options)
  try {
    await store.migrate(migrations)
    await prepare?.(store)
    return { store, changes: await store.changesSince(beginning), storeId: await store.identify() }
  } catch (error) {
    await store.close()
    throw error
  }
}
