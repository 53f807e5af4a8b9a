/** The gateway's own tables. Until 1.0.0 they change in place; from then on published steps never do, and new ones are appended. */
import { randomUUID } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
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
      await sql`create table ig_store (id ${columnTypes.text} primary key)`.execute(database)
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
  await sql`create table ig_operator (
    id ${text} primary key, description ${text} not null, password_hash ${text}, is_locked integer not null,
    changed bigint not null)`.execute(database)
  await createTokenGenerations(database, columnTypes)
  await database.schema.createIndex('ig_operator_changed').on('ig_operator').column('changed').execute()
  await sql`create table ig_operator_email (
    operator_id ${text} not null references ig_operator (id), type ${text} not null,
    address ${text} not null, is_primary integer not null,
    constraint ig_operator_email_key primary key (operator_id, type, address))`.execute(database)
  await sql`create table ig_operator_certificate (
    operator_id ${text} not null references ig_operator (id), certificate ${text} not null,
    constraint ig_operator_certificate_key primary key (operator_id, certificate))`.execute(database)
  await sql`create table ig_operator_permission_list (
    operator_id ${text} not null references ig_operator (id), permission_list ${text} not null,
    constraint ig_operator_permission_list_key primary key (operator_id, permission_list))`.execute(database)
}

async function createRevisions(database: Kysely<Tables>, columnTypes: ColumnTypes): Promise<void> {
  await createEpoch(database, columnTypes, 'activations')
  await sql`create table ig_revision (
    number bigint primary key, created bigint not null, note text not null, digest text not null,
    author text)`.execute(database)
  await sql`create table ig_revision_part (
    revision bigint not null references ig_revision (number), part integer not null, text text not null,
    constraint ig_revision_part_key primary key (revision, part))`.execute(database)
  await sql`create table ig_activation (
    sequence bigint primary key, revision bigint not null references ig_revision (number),
    time bigint not null, note text not null)`.execute(database)
}

async function createInstances(database: Kysely<Tables>, { text }: ColumnTypes): Promise<void> {
  await sql`create table ig_instance (
    id ${text} primary key, seen double precision not null, started double precision not null,
    facts text not null)`.execute(database)
}
