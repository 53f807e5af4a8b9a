/** A fresh database with the tables of the reference project, and a way to look into them from outside. */
import * as keyValue from '../../examples/reference/migrations/0001-key-value.ts'
import { openStore } from '../../src/store/open-store.ts'
import type { Store } from '../../src/store/store.ts'
import type { TestDatabase } from './databases.ts'
import { patience } from './patience.ts'

export interface StagedRow {
  readonly IBTRANSACTIONID: string
  readonly KEY1: string
  readonly LONGVALUE: string
  readonly ADD_DTTM: string
}

export async function withKeyValueStore(database: TestDatabase, work: (store: Store) => Promise<void>): Promise<void> {
  const { url, remove } = await database.open()
  try {
    const store = await openStore(url)
    try {
      await store.migrate([keyValue])
      await work(store)
    } finally {
      await store.close()
    }
  } finally {
    await remove()
  }
}

/** In order of insertion. */
export async function readStaged(store: Store): Promise<readonly StagedRow[]> {
  const transaction = store.openHandlerTransaction({ wait: patience, signal: new AbortController().signal })
  try {
    const columns = ['IBTRANSACTIONID', 'KEY1', 'LONGVALUE', 'ADD_DTTM'] as const
    return await transaction.database.selectFrom('C_KEY_VALUE').select(columns).orderBy('ROW_NBR').execute()
  } finally {
    await transaction.rollback()
  }
}
