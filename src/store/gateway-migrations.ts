/** The gateway's own tables. Until 1.0.0 they change in place; from then on published steps never do, and new ones are appended. */
import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import { listTables } from '../features.ts'
import { createAdministration } from './administration/create-tables.ts'
import { createFactorTables } from './administration/factors.ts'
import { createIdentities } from './administration/identities.ts'
import type { ColumnTypes } from './database.ts'
import { createEpoch } from './epoch.ts'
import { createMigrationTable, type OwnMigration } from './migrations.ts'
import type { Tables } from './tables.ts'
import { createTokenGenerations } from './token-generations.ts'

/** Migrations of the main file on SQLite. */
export const mainMigrations: readonly OwnMigration[] = [
  {
    name: '0001-store',
    async up(database, columnTypes) {
      await createOperators(database, columnTypes)
      await createRevisions(database, columnTypes)
      await createAdministration(database, columnTypes)
      await createIdentities(database, columnTypes)
      await createFactorTables(database, columnTypes)
      for (const { create } of listTables('main')) await create(database, columnTypes)
      await database.schema
        .createTable('ig_store')
        .addColumn('id', columnTypes.text, (column) => column.primaryKey())
        .execute()
      await database.insertInto('ig_store').values({ id: randomUUID() }).execute()
    },
  },
]

/** Migrations of the REST cache's file on SQLite, where nothing waits for a handler's transaction. */
export const cacheMigrations: readonly OwnMigration[] = [
  {
    name: '0001-cache',
    async up(database, columnTypes) {
      await createInstances(database, columnTypes)
      for (const { create } of listTables('cache')) await create(database, columnTypes)
    },
  },
]

/** Migrations by feature; on SQLite each feature has a file. */
export const separateMigrations: ReadonlyMap<string, readonly OwnMigration[]> = new Map(
  listTables('separate').map(({ feature, create }) => [feature, [{ name: `0001-${feature}`, up: create }]]),
)

/** The migrations that an up-to-date database has. */
export const allMigrations: readonly OwnMigration[] = [
  ...mainMigrations,
  ...cacheMigrations,
  ...[...separateMigrations.values()].flat(),
]

async function createOperators(database: Kysely<Tables>, columnTypes: ColumnTypes): Promise<void> {
  const { text } = columnTypes
  await createMigrationTable(database, { columnTypes }, 'ig_project_migration')
  await createEpoch(database, columnTypes, 'operators')
  await database.schema
    .createTable('ig_operator')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('description', text, (column) => column.notNull())
    .addColumn('password_hash', text)
    .addColumn('is_locked', 'integer', (column) => column.notNull())
    .addColumn('changed', 'bigint', (column) => column.notNull())
    .execute()
  await createTokenGenerations(database, columnTypes)
  await database.schema.createIndex('ig_operator_changed').on('ig_operator').column('changed').execute()
  await database.schema
    .createTable('ig_operator_email')
    .addColumn('operator_id', text, (column) => column.notNull().references('ig_operator.id'))
    .addColumn('type', text, (column) => column.notNull())
    .addColumn('address', text, (column) => column.notNull())
    .addColumn('is_primary', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('ig_operator_email_key', ['operator_id', 'type', 'address'])
    .execute()
  await database.schema
    .createTable('ig_operator_certificate')
    .addColumn('operator_id', text, (column) => column.notNull().references('ig_operator.id'))
    .addColumn('certificate', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('ig_operator_certificate_key', ['operator_id', 'certificate'])
    .execute()
  await database.schema
    .createTable('ig_operator_permission_list')
    .addColumn('operator_id', text, (column) => column.notNull().references('ig_operator.id'))
    .addColumn('permission_list', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('ig_operator_permission_list_key', ['operator_id', 'permission_list'])
    .execute()
}

async function createRevisions(database: Kysely<Tables>, columnTypes: ColumnTypes): Promise<void> {
  await createEpoch(database, columnTypes, 'activations')
  await database.schema
    .createTable('ig_revision')
    .addColumn('number', 'bigint', (column) => column.primaryKey())
    .addColumn('created', 'bigint', (column) => column.notNull())
    .addColumn('note', 'text', (column) => column.notNull())
    .addColumn('digest', 'text', (column) => column.notNull())
    .addColumn('author', 'text')
    .execute()
  await database.schema
    .createTable('ig_revision_part')
    .addColumn('revision', 'bigint', (column) => column.notNull().references('ig_revision.number'))
    .addColumn('part', 'integer', (column) => column.notNull())
    .addColumn('text', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('ig_revision_part_key', ['revision', 'part'])
    .execute()
  await database.schema
    .createTable('ig_activation')
    .addColumn('sequence', 'bigint', (column) => column.primaryKey())
    .addColumn('revision', 'bigint', (column) => column.notNull().references('ig_revision.number'))
    .addColumn('time', 'bigint', (column) => column.notNull())
    .addColumn('note', 'text', (column) => column.notNull())
    .execute()
}

async function createInstances(database: Kysely<Tables>, { text }: ColumnTypes): Promise<void> {
  await database.schema
    .createTable('ig_instance')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('seen', 'double precision', (column) => column.notNull())
    .addColumn('started', 'double precision', (column) => column.notNull())
    .addColumn('facts', 'text', (column) => column.notNull())
    .execute()
}
