/**
 * Migrations, the gateway's own and the project's: each runs once, even if two processes start at the same time.
 * Decisions D-438 explains why Kysely's `Migrator` does not run them.
 */
import { type Kysely, sql } from 'kysely'
import type { Database } from './database.ts'
import { StoreUnavailable } from './faults.ts'
import type { ProjectMigration } from './store.ts'
import type { Tables } from './tables.ts'
import { inTransaction } from './transaction.ts'

export interface OwnMigration {
  readonly name: string
  up(database: Kysely<Tables>, types: Database['columnTypes']): Promise<void>
}

/** How long one start waits for the migrations of another. */
const wait = 120_000

/** Runs all pending ones in one transaction. @throws StoreUnavailable if the database is newer than this code */
export async function migrateGateway(database: Database, migrations: readonly OwnMigration[]): Promise<void> {
  const work = async (transaction: Kysely<Tables>) => {
    await database.lockMigrations(transaction)
    await createMigrationTable(transaction, database, 'ig_migration')
    const applied = await readApplied(transaction, 'ig_migration')
    requireKnown(applied, migrations)
    for (const migration of migrations) {
      if (applied.has(migration.name)) continue
      await migration.up(transaction, database.columnTypes)
      await note(transaction, 'ig_migration', migration.name)
    }
  }
  await inTransaction(database, work, wait)
}

/** Runs the project's pending ones in order of name, each in a transaction. @returns their names */
export async function migrateProject(database: Database, migrations: readonly ProjectMigration[]): Promise<string[]> {
  const ran: string[] = []
  const inOrder = migrations.toSorted((one, other) => (one.name < other.name ? -1 : 1))
  let applied = await readApplied(database.reader, 'ig_project_migration')
  for (const migration of inOrder) {
    if (applied.has(migration.name)) continue
    const work: Parameters<typeof inTransaction<boolean>>[1] = async (transaction, restrict) => {
      await database.lockMigrations(transaction)
      applied = await readApplied(transaction, 'ig_project_migration')
      if (applied.has(migration.name)) return false
      await note(transaction, 'ig_project_migration', migration.name)
      await restrict()
      await migration.up(transaction)
      return true
    }
    if (await inTransaction(database, work, wait)) ran.push(migration.name)
  }
  return ran
}

export interface PendingMigrations {
  /** Names of the gateway's migrations. */
  readonly own: readonly string[]
  readonly project: readonly string[]
}

/** Changes nothing. @throws StoreUnavailable if the database is newer than this code */
export async function findPending(
  database: Database,
  migrations: readonly OwnMigration[],
  project: readonly ProjectMigration[],
): Promise<PendingMigrations> {
  const [applied, appliedOfProject] = [
    await readIfThere(database.reader, 'ig_migration'),
    await readIfThere(database.reader, 'ig_project_migration'),
  ]
  requireKnown(applied, migrations)
  const notIn =
    (names: ReadonlySet<string>) =>
    ({ name }: { readonly name: string }) =>
      names.has(name) ? [] : [name]
  return {
    own: migrations.flatMap(notIn(applied)),
    project: project.flatMap(notIn(appliedOfProject)).toSorted(),
  }
}

function requireKnown(applied: ReadonlySet<string>, migrations: readonly OwnMigration[]): void {
  const unknown = [...applied].filter((name) => !migrations.some((migration) => migration.name === name))
  if (unknown.length === 0) return
  throw new StoreUnavailable(
    `The database is newer than this gateway: it has the migration ${unknown.join(', ')}. Start the gateway version that made it, or a later one.`,
  )
}

export async function createMigrationTable(
  database: Kysely<Tables>,
  { columnTypes }: Pick<Database, 'columnTypes'>,
  table: MigrationTableName,
): Promise<void> {
  await sql`create table if not exists ${sql.table(table)} (
    name ${columnTypes.text} primary key, applied text not null)`.execute(database)
}

type MigrationTableName = 'ig_migration' | 'ig_project_migration'

async function readApplied(database: Kysely<Tables>, table: MigrationTableName): Promise<ReadonlySet<string>> {
  const rows = await database.selectFrom(table).select('name').execute()
  return new Set(rows.map(({ name }) => name))
}

/** A new database has no tables yet. */
async function readIfThere(database: Kysely<Tables>, table: MigrationTableName): Promise<ReadonlySet<string>> {
  return readApplied(database, table).catch((error: Error) => {
    if (/no such table|relation ".*" does not exist/.test(error.message)) return new Set<string>()
    throw error
  })
}

async function note(database: Kysely<Tables>, table: MigrationTableName, name: string): Promise<void> {
  await database.insertInto(table).values({ name, applied: sql<string>`cast(current_timestamp as text)` }).execute()
}
