/** The tables of the administration plane; the audit's are append-only by triggers (specification 18.30). */
import type { Kysely } from 'kysely'
import type { ColumnTypes } from '../database.ts'
import { createEpoch } from '../epoch.ts'
import type { Tables } from '../tables.ts'

export async function createAdministration(database: Kysely<Tables>, columnTypes: ColumnTypes): Promise<void> {
  const { text } = columnTypes
  const { schema } = database
  await createEpoch(database, columnTypes, 'administrators')
  await createEpoch(database, columnTypes, 'audit')
  await schema
    .createTable('ig_administrator')
    .addColumn('name', text, (column) => column.primaryKey())
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('password_hash', 'text', (column) => column.notNull())
    .addColumn('is_locked', 'integer', (column) => column.notNull())
    .addColumn('created', 'bigint', (column) => column.notNull())
    .addColumn('changed', 'bigint', (column) => column.notNull())
    .execute()
  await schema
    .createTable('ig_admin_session')
    .addColumn('digest', text, (column) => column.primaryKey())
    .addColumn('administrator', text, (column) => column.notNull().references('ig_administrator.name'))
    .addColumn('created', 'bigint', (column) => column.notNull())
    .addColumn('used', 'bigint', (column) => column.notNull())
    .addColumn('expires', 'bigint', (column) => column.notNull())
    .execute()
  await schema
    .createTable('ig_admin_token')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('digest', text, (column) => column.notNull().unique())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('administrator', text, (column) => column.notNull().references('ig_administrator.name'))
    .addColumn('created', 'bigint', (column) => column.notNull())
    .addColumn('expires', 'bigint', (column) => column.notNull())
    .addColumn('revoked', 'bigint')
    .execute()
  await schema
    .createTable('ig_admin_invitation')
    .addColumn('digest', text, (column) => column.primaryKey())
    .addColumn('expires', 'bigint', (column) => column.notNull())
    .execute()
  await schema
    .createTable('ig_draft')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('title', 'text', (column) => column.notNull())
    .addColumn('base', 'bigint', (column) => column.notNull().references('ig_revision.number'))
    .addColumn('version', 'bigint', (column) => column.notNull())
    .addColumn('created', 'bigint', (column) => column.notNull())
    .addColumn('created_by', 'text', (column) => column.notNull())
    .addColumn('changed', 'bigint', (column) => column.notNull())
    .addColumn('changed_by', 'text', (column) => column.notNull())
    .execute()
  await schema
    .createTable('ig_draft_edit')
    .addColumn('draft', text, (column) => column.notNull().references('ig_draft.id'))
    .addColumn('list', text, (column) => column.notNull())
    .addColumn('item', text, (column) => column.notNull())
    .addColumn('value', 'text')
    .addColumn('version', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('ig_draft_edit_key', ['draft', 'list', 'item'])
    .execute()
  await schema
    .createTable('ig_audit')
    .addColumn('sequence', 'bigint', (column) => column.primaryKey())
    .addColumn('time', 'bigint', (column) => column.notNull())
    .addColumn('actor', text, (column) => column.notNull())
    .addColumn('via', 'text', (column) => column.notNull())
    .addColumn('address', 'text', (column) => column.notNull())
    .addColumn('action', text, (column) => column.notNull())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('before', 'text')
    .addColumn('after', 'text')
    .execute()
  for (const column of ['actor', 'action', 'time'] as const)
    await schema.createIndex(`ig_audit_${column}`).on('ig_audit').columns([column, 'sequence']).execute()
  await schema
    .createTable('ig_audit_link')
    .addColumn('sequence', 'bigint', (column) => column.primaryKey())
    .addColumn('hash', 'text', (column) => column.notNull())
    .execute()
  for (const table of ['ig_audit', 'ig_audit_link'])
    for (const trigger of [...columnTypes.appendOnly(table), ...columnTypes.neverReplaced(table, 'sequence')])
      await trigger.execute(database)
}
