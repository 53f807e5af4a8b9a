/** The tables of the administration plane; the audit's are append-only by triggers (specification 18.30). */
import { type Kysely, sql } from 'kysely'
import type { ColumnTypes } from '../database.ts'
import { createEpoch } from '../epoch.ts'
import type { Tables } from '../tables.ts'

export async function createAdministration(database: Kysely<Tables>, columnTypes: ColumnTypes): Promise<void> {
  const { text } = columnTypes
  const { schema } = database
  await createEpoch(database, columnTypes, 'administrators')
  await createEpoch(database, columnTypes, 'audit')
  await sql`create table ig_administrator (
    name ${text} primary key, role text not null, password_hash text not null, is_locked integer not null,
    created bigint not null, changed bigint not null)`.execute(database)
  await sql`create table ig_admin_session (
    digest ${text} primary key, administrator ${text} not null references ig_administrator (name),
    created bigint not null, used bigint not null, expires bigint not null)`.execute(database)
  await sql`create table ig_admin_token (
    id ${text} primary key, digest ${text} not null unique, name text not null, role text not null,
    administrator ${text} not null references ig_administrator (name), created bigint not null,
    expires bigint not null, revoked bigint, used bigint)`.execute(database)
  await sql`create table ig_admin_invitation (digest ${text} primary key, expires bigint not null)`.execute(database)
  await sql`create table ig_draft (
    id ${text} primary key, title text not null, base bigint not null references ig_revision (number),
    version bigint not null, created bigint not null, created_by text not null, changed bigint not null,
    changed_by text not null)`.execute(database)
  await sql`create table ig_draft_edit (
    draft ${text} not null references ig_draft (id), list ${text} not null, item ${text} not null,
    value text, version bigint not null,
    constraint ig_draft_edit_key primary key (draft, list, item))`.execute(database)
  await sql`create table ig_audit (
    sequence bigint primary key, time bigint not null, actor ${text} not null, via text not null,
    address text not null, action ${text} not null, subject text not null, before text, after text)`.execute(database)
  for (const column of ['actor', 'action', 'time'] as const)
    await schema.createIndex(`ig_audit_${column}`).on('ig_audit').columns([column, 'sequence']).execute()
  await sql`create table ig_audit_link (sequence bigint primary key, hash text not null)`.execute(database)
  for (const table of ['ig_audit', 'ig_audit_link'])
    for (const trigger of [...columnTypes.appendOnly(table), ...columnTypes.neverReplaced(table, 'sequence')])
      await trigger.execute(database)
}
