/**
 * A separate database of a feature: on SQLite a file beside the store with a thread of its own, on
 * PostgreSQL a connection of its own.
 */
import type { Observe } from '../model/observation.ts'
import type { Database } from './database.ts'
import { allMigrations, separateMigrations } from './gateway-migrations.ts'
import { isPostgres } from './is-postgres.ts'
import { migrateGateway } from './migrations.ts'
import { openSeparateSqlite } from './sqlite/open-sqlite.ts'

/**
 * @param feature its name, which the file has
 * @param options `isDamaged`: a statement found damage in the file; renames it and creates a new one
 * @throws StoreUnavailable
 */
export async function openSeparateDatabase(
  database: string,
  feature: string,
  options: { readonly observe?: Observe; readonly isDamaged?: boolean },
): Promise<Database> {
  const migrations = separateMigrations.get(feature) ?? []
  if (!isPostgres(database))
    return openSeparateSqlite(database, feature, (opened) => migrateGateway(opened, migrations), options)
  const { openPostgres } = await import('./postgres/open-postgres.ts')
  const { own } = await openPostgres(database, { ownConnections: 1, handlerConnections: 1 })
  try {
    await migrateGateway(own, allMigrations)
  } catch (error) {
    await own.close()
    throw error
  }
  return own
}
