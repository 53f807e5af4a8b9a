/**
 * The database of a feature that is opened apart from the store: on SQLite a file beside it with a thread of its own, on
 * PostgreSQL a connection of its own.
 */
import type { Observe } from '../model/observation.ts'
import type { Database } from './database.ts'
import { allMigrations, asideMigrations } from './gateway-migrations.ts'
import { isPostgres } from './is-postgres.ts'
import { migrateGateway } from './migrations.ts'
import { openSqliteBeside } from './sqlite/open-sqlite.ts'

/**
 * @param feature its name, which the file has
 * @param options `isDamaged`: a statement found damage in the file; renames it and creates a new one
 * @throws StoreUnavailable
 */
export async function openAside(
  database: string,
  feature: string,
  options: { readonly observe?: Observe; readonly isDamaged?: boolean },
): Promise<Database> {
  const migrations = asideMigrations.get(feature) ?? []
  if (!isPostgres(database))
    return openSqliteBeside(database, feature, (opened) => migrateGateway(opened, migrations), options)
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
