/** Opens the store, or during an outage the last-good copy (specification 17.15). */

import type { Revision } from '../../model/configuration/revision.ts'
import type { Observe } from '../../model/observation.ts'
import { StoreAway, StoreUnavailable } from '../faults.ts'
import { openStore, openStoreLater, type StoreOptions } from '../open-store.ts'
import type { Changes, ProjectMigration, Store } from '../store.ts'
import { type CopyPlace, type LastGoodCopy, readCopy, timeOf } from './copy.ts'

export interface KnownStore {
  readonly store: Store
  readonly changes: Changes
  readonly storeId: string
  /** During an outage: the data that is served instead. */
  readonly copy?: LastGoodCopy
  /** Opens the store after the outage. */
  open?(): Promise<void>
}

export interface StoreOrCopyOptions {
  readonly place: CopyPlace
  readonly keepsCopy: boolean
  readonly store: StoreOptions
  readonly migrations: readonly ProjectMigration[]
  readonly prepare?: ((store: Store) => Promise<void>) | undefined
  readonly observe: Observe
  now(): number
}

/** Milliseconds: with a usable copy, the start does not wait for a slow server. */
const startWait = 4_000

/** @throws StoreUnavailable, StoreAway: no store and no usable copy */
export async function openStoreOrCopy(options: StoreOrCopyOptions): Promise<KnownStore> {
  const { place, keepsCopy, observe, migrations } = options
  try {
    return await openNow(keepsCopy ? { ...options, store: { startWait, ...options.store } } : options)
  } catch (error) {
    const isAway = error instanceof StoreAway || (error instanceof StoreUnavailable && error.isAway)
    if (!isAway || !keepsCopy) throw error
    const copy = await readCopy(place, options.now()).catch((cause: Error) => {
      throw new StoreUnavailable(`${error.message}\nThe last-good copy cannot take its place: ${cause.message}.`, {
        cause,
      })
    })
    await options.prepare?.(asStore(copy))
    const { clockOffset, schema, activation, cursor, revision, sessionTokens, storeId } = copy.facts
    const later = await openStoreLater(place.database, { ...options.store, isAway: true, clockOffset, schema })
    const message = `The database is not available; calls are served from the last-good copy of ${timeOf(copy)}: revision ${revision}, ${copy.operators.length} operators. Calls that need the database are refused with 503 until it answers. ${error.message}`
    observe({ kind: 'event', level: 'error', name: 'startedFromLastGood', message })
    const { operators } = copy
    const changes = { cursor, operators, removedOperators: [], sessionTokens, activation, cacheGenerations: new Map() }
    return { store: later.store, changes, storeId, copy, open: () => later.open(migrations) }
  }
}

async function openNow({ place, store: options, migrations, prepare }: StoreOrCopyOptions): Promise<KnownStore> {
  const store = await openStore(place.database, options)
  try {
    await store.migrate(migrations)
    await prepare?.(store)
    return { store, changes: await store.changesSince(undefined), storeId: await store.identify() }
  } catch (error) {
    await store.close()
    throw error
  }
}

/** The only queries of a start. */
export function asStore({ facts, document, operators }: LastGoodCopy): Store {
  const { revision: number, activation } = facts
  const revision: Revision = { number, document, created: activation.time, note: '', digest: '', author: null }
  const find = async (wanted: number) => (wanted === number ? revision : undefined)
  const list = async () => operators
  return {
    operators: { list, find: async (id: string) => operators.find((operator) => operator.id === id) },
    revisions: { find },
  } as unknown as Store
}
