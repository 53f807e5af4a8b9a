/** A store on a fresh database, for the time of a test. */
import type { TestContext } from 'node:test'
import type { CacheRows } from '../../src/features/rest-cache/contract.ts'
import { openCacheRows } from '../../src/features/rest-cache/rows.ts'
import { openStore, type StoreOptions } from '../../src/store/open-store.ts'
import type { Store } from '../../src/store/store.ts'
import type { HandlerTransaction, HandlerTransactionOptions } from '../../src/store/transaction.ts'
import type { TestDatabase } from './databases.ts'
import { patience } from './patience.ts'
import { notes } from './store-process.ts'

export interface TestStore {
  readonly store: Store
  readonly url: string
  /** One more on the same database, as another process has it. */
  openAnother(): Promise<Store>
}

export async function openTestStore(
  t: TestContext,
  database: TestDatabase,
  options?: StoreOptions,
): Promise<TestStore> {
  const { url, remove } = await (database.openMigrated?.() ?? database.open())
  const opened: Store[] = []
  t.after(async () => {
    for (const store of opened) await store.close()
    await remove()
  })
  const openAnother = async () => {
    const store = await openStore(url, options)
    opened.push(store)
    return store
  }
  const store = await openAnother()
  await store.migrate([notes])
  return { store, url, openAnother }
}

export function cacheRowsOf(store: Store): CacheRows {
  return openCacheRows(store.databases, () => store.clockOffset)
}

/** @param options by default a wait and a signal that end nothing */
export function begin(store: Store, options: Partial<HandlerTransactionOptions> = {}): HandlerTransaction {
  return store.openHandlerTransaction({ wait: patience, signal: new AbortController().signal, ...options })
}

/** The `TEXT` of all rows of `NOTE`, but that of the migration. */
export async function readNotes(store: Store): Promise<string[]> {
  const transaction = begin(store)
  const rows = await transaction.database.selectFrom('NOTE').select('TEXT').where('ID', '>', 0).orderBy('ID').execute()
  await transaction.rollback()
  return rows.map(({ TEXT }) => TEXT as string)
}
