/** The table of jobs. */
import type { Kysely } from 'kysely'
import type { ColumnTypes } from '../database.ts'
import type { Tables } from '../tables.ts'

export async function createJobs(database: Kysely<Tables>, { text, jobs }: ColumnTypes): Promise<void> {
  await database.schema
    .createTable('ig_job')
    .addColumn('name', text, (column) => column.primaryKey())
    .addColumn('version', 'bigint', (column) => column.notNull())
    .addColumn('schedule', 'text', (column) => column.notNull())
    .addColumn('sequence', 'bigint', (column) => column.notNull())
    .addColumn('last', 'double precision', (column) => column.notNull())
    .addColumn('due', 'double precision')
    .addColumn('attempt', 'integer', (column) => column.notNull())
    .addColumn('retry', 'double precision')
    .addColumn('requested', 'double precision')
    .addColumn('requester', 'text')
    .addColumn('token', 'text')
    .addColumn('until', 'double precision', (column) => column.notNull())
    .addColumn('run', 'text')
    .addColumn('instance', 'text')
    .addColumn('begun', 'double precision')
    .addColumn('ended', 'double precision')
    .addColumn('outcome', 'text')
    .addColumn('reason', 'text')
    .execute()
  for (const statement of jobs.create) await statement.execute(database)
}
