/** Rows that travel with the commit (specification 5.73). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
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
