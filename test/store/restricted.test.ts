/** What SQL of handlers and migrations may not reach (specification 5.15). */
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { HandlerDatabase } from '../../src/sdk.ts'
import type { HandlerTransaction } from '../../src/store/transaction.ts'
import { findDatabase } from '../support/databases.ts'
import { begin, openTestStore, readNotes } from '../support/stores.ts'

const reading = [
  'select password_hash from ig_operator',
  'select count(*) from IG_OPERATOR',
  'select t.id from NOTE left join main."ig_operator" t on true',
  'select (select id from [ig_operator]) as id',
  'select * from EVERY_OPERATOR',
  'select 1 from pragma_writable_schema',
]

const writing = [
  'with o as (select id from ig_operator) select * from o',
  'explain select * from ig_operator',
  "insert or replace into ig_audit (sequence, time, actor, via, address, action, subject) values (1, 2, '', '', '', '', '')",
  'update ig_operator set is_locked = 0',
  'delete from ig_operator_permission_list',
  'insert into NOTE (ID, TEXT) select 5, password_hash from ig_operator',
  'update NOTE set TEXT = (select id from ig_operator)',
  "insert into KEYED (ID, TEXT) values (6, 'x') on conflict (ID) do update set TEXT = (select max(id) from ig_operator)",
  'insert into TRIGGERING values (1)',
  "insert into REFERRING values ('KIM')",
  'drop table ig_audit',
  'drop trigger ig_audit_no_update',
  'drop index ig_audit_actor',
  'alter table ig_audit rename to AUDIT',
  'alter table NOTE rename to ig_note',
  'create table ig_own (id integer)',
  'create temp table ig_operator (id text)',
  'create temp table NOTE (id text)',
  'create temporary view V as select 1 as id',
  'create temp view ig_operator as select 1 as id',
  'create table CHILD (id text references ig_operator (id))',
  'create view V as select * from ig_operator',
  'create trigger T after insert on ig_operator begin select 1; end',
  'create temp trigger T after insert on main.ig_operator begin select 1; end',
  'create trigger T after insert on NOTE begin delete from ig_operator; end',
  'create index I on ig_operator (description)',
  'create virtual table F using fts5(actor, content=ig_audit)',
  "attach '/dev/null' as other",
  'detach main',
  'pragma foreign_keys = off',
  'pragma recursive_triggers = 1',
  'pragma writable_schema = on',
  'pragma synchronous = off',
  'pragma journal_mode = delete',
  "select load_extension('x')",
  '/* /* */ commit',
  '/* /* */ savepoint s',
]

/** What reaches the gateway's tables, made by SQL outside the gateway. */
const made = `
  create view EVERY_OPERATOR as select * from ig_operator;
  create table KEYED (ID integer primary key, TEXT text);
  create table TRIGGERING (id integer);
  create trigger REACHES after insert on TRIGGERING begin delete from ig_operator; end;
  create table REFERRING (id text references ig_operator (id))`

const restricted = /^Error: The SQL of handlers and migrations is restricted: /

test('5.15 SQL of a handler reaches no table of the gateway and changes no setting of the database (SQLite)', async (t) => {
  const { store, url } = await openTestStore(t, findDatabase('SQLite'))
  await store.operators.add({ id: 'KIM', passwordHash: 'a hash' })
  const outside = new DatabaseSync(url)
  outside.exec(made)
  outside.close()
  for (const statement of reading) await requireRefused(begin(store), statement) // in process
  for (const statement of [...reading, ...writing]) {
    const transaction = begin(store)
    await transaction.database.insertInto('NOTE').values({ ID: 1, TEXT: 'one' }).execute()
    await requireRefused(transaction, statement)
  }
  const many = begin(store)
  await assert.rejects(many.database.insertRows('ig_operator_email', ['operator_id'], [['KIM']]), restricted)
  await many.rollback()
  const streaming = begin(store)
  await assert.rejects(streaming.database.selectFrom('ig_operator').selectAll().stream().next(), restricted)
  await streaming.rollback()
  assert.deepEqual(await readNotes(store), [])
  assert.equal(await store.operators.setPasswordHash('KIM', 'another'), true)
  assert.equal((await store.operators.find('KIM'))?.passwordHash, 'another')
})

test('5.15 a migration of the project is restricted as handlers are, and its own tables are open to both (SQLite)', async (t) => {
  const { store } = await openTestStore(t, findDatabase('SQLite'))
  const migration = (name: string, statement: string) => ({
    name,
    up: async (database: HandlerDatabase) => void (await sql.raw(statement).execute(database)),
  })
  await assert.rejects(store.migrate([migration('0002-reach', 'delete from ig_audit')]), restricted)
  const allowed = [
    'create table CONFIG_IG_ (ID integer primary key autoincrement, CONFIG_ig_TEXT text)',
    'alter table CONFIG_IG_ rename to BIG_TABLE',
    'create index BIG_INDEX on BIG_TABLE (ID)',
    "insert into BIG_TABLE (CONFIG_ig_TEXT) values ('create ig_operator')",
    'create trigger BIG_TRIGGER after insert on BIG_TABLE begin update NOTE set TEXT = new.ID; end',
    'create view BIG_VIEW as select * from BIG_TABLE',
  ]
  const migrations = allowed.map((statement, index) => migration(`000${index + 3}`, statement))
  assert.equal((await store.migrate(migrations)).length, allowed.length)
  const detached = {
    name: '0099-detached',
    up: async (database: HandlerDatabase) =>
      process.nextTick(() => sql`delete from ig_epoch`.execute(database).catch(() => {})),
  }
  await assert.rejects(store.migrate([detached]), restricted)
  const transaction = begin(store)
  const { database } = transaction
  await sql`pragma defer_foreign_keys = on`.execute(database)
  await sql`insert into BIG_TABLE (CONFIG_ig_TEXT) values ('x')`.execute(database)
  const tables = await database.introspection.getTables()
  assert.ok(tables.some(({ name }) => name === 'BIG_TABLE'))
  assert.deepEqual(await database.selectFrom('BIG_VIEW').select('CONFIG_ig_TEXT').where('ID', '=', 2).execute(), [
    { CONFIG_ig_TEXT: 'x' },
  ])
  await transaction.commit()
})

async function requireRefused(transaction: HandlerTransaction, statement: string): Promise<void> {
  await assert.rejects(async () => sql.raw(statement).execute(transaction.database), restricted, statement)
  await assert.rejects(transaction.commit(), restricted, statement)
}
