/** The database of a project, for a verb that is no action: questions about files and operators, migrations, keys. */
import { openStore } from '../store/open-store.ts'
import type { Store } from '../store/store.ts'

export async function withStore<Result>(database: string, work: (store: Store) => Promise<Result>): Promise<Result> {
  const store = await openStore(database)
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}
