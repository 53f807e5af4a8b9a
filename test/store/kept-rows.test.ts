/** Rows that travel with the commit (specification 5.73). */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { HandlerDatabase } from '../../src/model/handler-database.ts'
import type { Store } from '../../src/store/store.ts'
import type { HandlerTransaction } from '../../src/store/transaction.ts'
import { findDatabase } from '../support/databases.ts'
import { begin, openTestStore, readNotes } from '../support/stores.ts'

const overloaded = { name: 'Refusal', code: 'overloaded' }
const columns = ['ID', 'TEXT']

test('5.73 rows that their table cannot refuse take the writer only for the commit, with their values of then (SQLite)', async (t) => {
  const { store } = await openTestStore(t, findDatabase('SQLite'))
  const open = begin(store)
  const row: unknown[] = [3, Buffer.from('three')]
  assert.equal(await open.database.insertRows('NOTE', columns, [row]), 1)
  row[0] = 4
  ;(row[1] as Buffer).fill(0)
  const other = begin(store, { wait: 0 })
  await other.database.insertInto('NOTE').values({ ID: 1, TEXT: 'one' }).execute() // no one else has the writer
  await open.database.insertRows('NOTE', columns, [[2, new Date(0)]])
  const late = begin(store, { wait: 20 })
  await late.database.insertRows('NOTE', columns, [[5, 'five']])
  await assert.rejects(late.commit(), overloaded)
  await other.commit()
  await open.commit()
  assert.deepEqual(await readNotes(store), ['one', '1970-01-01T00:00:00.000Z', Buffer.from('three')])

  const rolledBack = begin(store)
  await rolledBack.database.insertRows('NOTE', columns, [[6, 'six']])
  await rolledBack.rollback()
  const reading = begin(store)
  await reading.database.insertRows('NOTE', columns, [[7, 'seven']])
  const seen = await reading.database.selectFrom('NOTE').select('TEXT').where('ID', '>', 5).execute()
  assert.deepEqual(seen, [{ TEXT: 'seven' }], 'a statement comes after the rows before it')
  await reading.rollback()
  assert.equal((await readNotes(store)).length, 3)
})

test('5.8, 5.73 a row that its table may refuse is refused by insertRows itself (SQLite)', async (t) => {
  const { store } = await openTestStore(t, findDatabase('SQLite'))
  const definitions = [
    '(ID integer primary key, TEXT)',
    '(ID integer unique, TEXT)',
    '(ID integer, TEXT check (TEXT is null))',
    '(ID integer, TEXT references NOTE (ID))',
    '(ID integer, TEXT integer) strict',
    '(ID integer, TEXT not null)',
    '(ID integer, TEXT, MORE not null)',
  ]
  const tables = definitions.map((definition, at) => [`T${at}`, `create table T${at} ${definition}`] as const)
  await store.migrate([
    {
      name: '0002-tables',
      async up(database) {
        for (const [, statement] of tables) await sql.raw(statement).execute(database)
        await sql.raw('create table T7 (ID integer, TEXT)').execute(database)
        await sql
          .raw("create trigger refuse before insert on T7 begin select raise(abort, 'constraint of a trigger'); end")
          .execute(database)
        await sql.raw('create table T8 (ID integer, TEXT)').execute(database)
        await sql.raw("create index T8_PARTS on T8 (json_extract(TEXT, '$.a'))").execute(database)
      },
    },
  ])
  for (const name of [...tables.map(([name]) => name), 'T7', 'T8']) {
    const transaction = begin(store)
    const rows = [
      [1, name === 'T5' ? Number.NaN : 'a text'],
      [1, 'another'],
    ]
    await assert.rejects(transaction.database.insertRows(name, columns, rows), /constraint|cannot store|mismatch|JSON/)
    await assert.rejects(transaction.commit(), /constraint|cannot store|mismatch|JSON/)
  }
})

test('5.73 of transactions that are committed together each is stored or not by itself (SQLite)', async (t) => {
  const { store } = await openTestStore(t, findDatabase('SQLite'))
  await store.migrate([
    { name: '0002-table', up: async (database) => void (await sql.raw('create table T (ID)').execute(database)) },
  ])
  const transactions = [1, 2, 2, 3].map((id, at) => ({ rows: [[10 + at], [id]], transaction: begin(store) }))
  for (const { rows, transaction } of transactions) await transaction.database.insertRows('T', ['ID'], rows)
  const changing = begin(store)
  await sql.raw('create unique index T_ID on T (ID)').execute(changing.database)
  await changing.commit()
  const outcomes = await Promise.allSettled(transactions.map(({ transaction }) => transaction.commit()))
  assert.deepEqual(
    outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason.message : 'stored')),
    ['stored', 'stored', 'UNIQUE constraint failed: T.ID', 'stored'],
  )
  const reading = begin(store)
  const rows = await reading.database.selectFrom('T').select('ID').orderBy('ID').execute()
  await reading.rollback()
  assert.deepEqual(
    rows.map(({ ID }) => ID),
    [1, 2, 3, 10, 11, 13],
  )
})

test('5.73 rows that their table cannot refuse take a connection only for the commit, with their values of then (PostgreSQL)', async (t) => {
  const { store } = await openTestStore(t, findDatabase('PostgreSQL'), { handlerConnections: 2 })
  await define(
    store,
    'create table plain (row_nbr bigint generated always as identity primary key, id integer, text text)',
  )
  const insert = (open: HandlerTransaction, rows: unknown[][]) =>
    open.database.insertRows('plain', ['id', 'text'], rows)
  const used = () => Number(store.load().handlers?.open) - Number(store.load().handlers?.idle)
  const [open, late] = [begin(store), begin(store, { wait: 20 })]
  const row: unknown[] = [3, 'three']
  assert.equal(await insert(open, [row, [4, undefined]]), 2)
  row[0] = 5
  await insert(late, [[6, 'late']])
  assert.equal(used(), 0)
  const others = [begin(store), begin(store)]
  for (const { database } of others) await sql`select 1`.execute(database)
  await assert.rejects(late.commit(), overloaded)
  for (const other of others) await other.rollback()
  await open.commit() // on a connection that has just answered
  assert.equal(used(), 0)

  const rolledBack = begin(store)
  await insert(rolledBack, [[7, 'seven']])
  await rolledBack.rollback()
  const reading = begin(store)
  await assert.rejects(sql`select lastval()`.execute(reading.database), /not yet defined/)
  await reading.rollback()
  const writing = begin(store)
  await insert(writing, [[8, 'a "quoted" \\ text']])
  const { rows } = await sql`select id, text from plain order by id`.execute(writing.database)
  assert.deepEqual(rows, [
    { id: 3, text: 'three' },
    { id: 4, text: null },
    { id: 8, text: 'a "quoted" \\ text' },
  ])
  await writing.rollback()
  assert.equal(used(), 0)
})

test('5.8, 5.73 a row that its table may refuse is refused by insertRows itself (PostgreSQL)', async (t) => {
  const { store } = await openTestStore(t, findDatabase('PostgreSQL'))
  const long = randomBytes(3_000).toString('base64') // does not compress
  const tables: readonly (readonly [columns: string, text?: unknown, more?: string])[] = [
    ['id integer primary key, text text'],
    ['id integer unique, text text'],
    ['id integer, text text check (text is null)'],
    ['id integer, text integer references other (id)', 1],
    ['id integer, text text not null', null],
    ['id integer, text text, more text not null'],
    ['id integer, text varchar(3)'],
    ['id integer, text char(3)'],
    ['id integer, text integer'],
    ['id integer, text smallint', 40_000],
    ['id integer, text timestamp', '2026-02-29 12:00:00'],
    ['id integer, text timestamp', '2026-02-28 12:60:00'],
    ['id integer, text date', '2025-02-29'],
    ['id integer, text boolean', 'perhaps'],
    ['id integer, text uuid'],
    ['id integer, text short'],
    ['id integer, text text generated always as (id::text) stored'],
    ['id integer, text text', long, 'create index on T (text)'],
    ['id integer, text text', 'a', 'create index on T ((text::integer))'],
    ['id integer, text text', 'a', 'create trigger refuse before insert on T execute function refuse()'],
    [
      'id integer, text text',
      'a',
      'create rule refuse as on insert to T do instead (select 1/(count(*)-count(*)) from T)',
    ],
  ]
  const statements = tables.flatMap(([columns, , more], at) =>
    [`create table T (${columns})`, more ?? ''].map((statement) => statement.replaceAll(/\bT\b/g, `t${at}`)),
  )
  await define(
    store,
    'create domain short as varchar(3)',
    'create table other (id integer primary key)',
    "create function refuse() returns trigger language plpgsql as $$ begin raise exception 'a trigger refuses'; end $$",
    ...statements,
  )
  for (const [at, [, text = 'a text']] of tables.entries()) {
    const transaction = begin(store)
    const rows = [
      [1, text],
      [1, text],
    ]
    await assert.rejects(transaction.database.insertRows(`t${at}`, ['id', 'text'], rows), tables[at]?.[0])
    await assert.rejects(transaction.commit())
  }
})

test('5.73 of transactions that are one message each is stored or not by itself (PostgreSQL)', async (t) => {
  const { store } = await openTestStore(t, findDatabase('PostgreSQL'))
  await define(store, 'create table t (id integer)')
  const transactions = [1, 2, 2, 3].map((id, at) => ({ rows: [[10 + at], [id]], transaction: begin(store) }))
  for (const { rows, transaction } of transactions)
    for (const row of rows) await transaction.database.insertRows('t', ['id'], [row])
  const changing = begin(store)
  await sql.raw('create unique index t_id on t (id)').execute(changing.database)
  await changing.commit()
  const outcomes: string[] = []
  for (const { transaction } of transactions)
    outcomes.push(
      await transaction.commit().then(
        () => 'stored',
        ({ message }) => message,
      ),
    )
  assert.deepEqual(outcomes, ['stored', 'stored', 'duplicate key value violates unique constraint "t_id"', 'stored'])
  const reading = begin(store)
  const { rows } = await sql<{ id: number }>`select id from t order by id`.execute(reading.database)
  await reading.rollback()
  assert.deepEqual(
    rows.map(({ id }) => id),
    [1, 2, 3, 10, 11, 13],
  )
})

async function define(store: Store, ...statements: readonly string[]): Promise<void> {
  const up = async (database: HandlerDatabase) => {
    for (const statement of statements.filter(Boolean)) await sql.raw(statement).execute(database)
  }
  await store.migrate([{ name: '0002-tables', up }])
}
