/** A handler's transaction, on both databases (specification 5.8, 5.9). */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { setImmediate as breathe } from 'node:timers/promises'
import { sql } from 'kysely'
import { openIdempotencyRows } from '../../src/features/idempotency/rows.ts'
import type { HandlerDatabase } from '../../src/model/handler-database.ts'
import { insertInBatches } from '../../src/store/insert-rows.ts'
import type { Store } from '../../src/store/store.ts'
import { findDatabase, forEachDatabase } from '../support/databases.ts'
import { begin, openTestStore, readNotes } from '../support/stores.ts'

const overloaded = { name: 'Refusal', code: 'overloaded' }

forEachDatabase((database) => {
  test(`5.8 the commit of a transaction stores all of its writes or nothing (${database.name})`, async (t) => {
    const { store } = await openTestStore(t, database)
    const committed = begin(store)
    await committed.database.insertInto('NOTE').values({ ID: 1, TEXT: 'one' }).execute()
    await committed.database.insertInto('NOTE').values({ ID: 2, TEXT: 'two' }).execute()
    const seen = await committed.database.selectFrom('NOTE').select('TEXT').where('ID', '=', 2).execute()
    assert.deepEqual(seen, [{ TEXT: 'two' }])
    assert.deepEqual(await readNotes(store), [])
    await committed.commit()
    assert.deepEqual(await readNotes(store), ['one', 'two'])

    const rolledBack = begin(store)
    const { numDeletedRows } = await rolledBack.database.deleteFrom('NOTE').where('ID', '>', 0).executeTakeFirst()
    assert.equal(numDeletedRows, 2n)
    await rolledBack.rollback()
    assert.deepEqual(await readNotes(store), ['one', 'two'])
  })

  test(`5.8 a row that its table refuses fails insertRows itself, and nothing is stored (${database.name})`, async (t) => {
    const { store } = await openTestStore(t, database)
    const up = async (schema: HandlerDatabase) => {
      await sql.raw('create table ONLY_ONCE (ID integer unique, TEXT varchar(10) not null)').execute(schema)
    }
    await store.migrate([{ name: '0002-only-once', up }])
    const refused = [
      [
        [1, 'one'],
        [1, 'again'],
      ],
      [[1, undefined]],
    ]
    for (const rows of refused) {
      const inserting = begin(store)
      await assert.rejects(inserting.database.insertRows('only_once', ['id', 'text'], rows), /constraint/)
      await assert.rejects(inserting.commit(), /constraint/)
    }
    const reading = begin(store)
    assert.deepEqual((await sql`select * from only_once`.execute(reading.database)).rows, [])
    await reading.rollback()
  })

  test(`17.12 a transaction whose first statement comes after the close fails at once (${database.name})`, async (t) => {
    const { store } = await openTestStore(t, database)
    const late = begin(store)
    await store.close()
    const statement = late.database.insertInto('NOTE').values({ ID: 1, TEXT: 'late' }).execute()
    await assert.rejects(statement, (error: Error) => !error.message.startsWith('Waited'))
  })

  test(`5.9 a text with a NUL is refused before the database has it, and nothing is stored (${database.name})`, async (t) => {
    const { store } = await openTestStore(t, database)
    const refused = { name: 'Refusal', code: 'bodyMalformed' }
    const one = begin(store)
    await one.database.insertInto('NOTE').values({ ID: 1, TEXT: 'kept?' }).execute()
    await assert.rejects(one.database.insertInto('NOTE').values({ ID: 2, TEXT: 'a\u0000b' }).execute(), refused)
    await assert.rejects(one.commit(), refused)
    const other = begin(store)
    await assert.rejects(other.database.selectFrom('NOTE').selectAll().where('TEXT', '=', '\u0000').execute(), refused)
    await other.rollback()
    const many = begin(store)
    await assert.rejects(many.database.insertRows('NOTE', ['ID', 'TEXT'], [[3, 'a\u0000']]), refused)
    await assert.rejects(many.commit(), refused)
    assert.deepEqual(await readNotes(store), [])
  })

  test(`5.8 an invalid value fails its own transaction, and concurrent ones are stored (${database.name})`, async (t) => {
    const { store } = await openTestStore(t, database)
    const other = begin(store)
    const failing = begin(store)
    const value = { toJSON: () => assert.fail('no value'), none: Symbol('no value') }
    await other.database.insertInto('NOTE').values({ ID: 1, TEXT: 'one' }).execute()
    const committed = other.commit()
    await assert.rejects(failing.database.insertRows('NOTE', ['ID', 'TEXT'], [[2, value]]), /value/)
    await assert.rejects(failing.commit(), /value/)
    await committed
    const next = begin(store)
    await next.database.insertInto('NOTE').values({ ID: 3, TEXT: 'three' }).execute()
    await next.commit()
    assert.deepEqual(await readNotes(store), ['one', 'three'])
  })

  test(`5.8 a row with an array is refused, and stores neither several rows nor none (${database.name})`, async (t) => {
    const { store } = await openTestStore(t, database)
    for (const value of [[], ['a', 'b'], [['a']]]) {
      const transaction = begin(store)
      const rows = [
        [1, 'one'],
        [2, value],
      ]
      await assert.rejects(
        transaction.database.insertRows('NOTE', ['ID', 'TEXT'], rows),
        /^TypeError: Row 2 has an array/,
      )
      await assert.rejects(transaction.commit(), /Row 2/)
    }
    const alone = begin(store)
    await assert.rejects(alone.database.insertRows('NOTE', ['TEXT'], [[['a', 'b']]]), /Row 1 has an array/)
    await alone.rollback()
    assert.deepEqual(await readNotes(store), [])
  })

  test(`5.8 a promise that was not awaited, and a function that was not called, are refused as values (${database.name})`, async (t) => {
    const { store } = await openTestStore(t, database)
    const one = begin(store)
    const value = Promise.resolve('not awaited')
    await assert.rejects(one.database.insertInto('NOTE').values({ ID: 1, TEXT: value }).execute(), /await it first/)
    await assert.rejects(one.commit(), /await it first/)
    const many = begin(store)
    await assert.rejects(many.database.insertRows('NOTE', ['ID', 'TEXT'], [[1, value]]), /await it first/)
    await assert.rejects(many.commit(), /await it first/)
    const uncalled = begin(store)
    await assert.rejects(uncalled.database.insertRows('NOTE', ['ID', 'TEXT'], [[1, () => 'one']]), /call it/)
    await assert.rejects(uncalled.commit(), /call it/)
    const symbol = begin(store)
    await assert.rejects(
      symbol.database.insertRows('NOTE', ['ID', 'TEXT'], [[1, Symbol('one')]]),
      /A symbol cannot be stored/,
    )
    await assert.rejects(symbol.commit(), /A symbol cannot be stored/)
    assert.deepEqual(await readNotes(store), [])
  })

  if (database.name === 'SQLite') {
    test('5.8 an object is refused as a value, even as the first, and the values after it do not shift', async (t) => {
      const { store } = await openTestStore(t, database)
      for (const value of [{}, new Map([['a', 1]]), /a/]) {
        const one = begin(store)
        const update = one.database.updateTable('NOTE').set({ TEXT: value }).where('ID', '=', 0)
        await assert.rejects(update.execute(), /An object is not a column value/)
        await assert.rejects(one.commit(), /An object is not a column value/)
        const read = begin(store)
        const find = read.database.selectFrom('NOTE').selectAll().where('TEXT', '=', value).where('ID', '=', 0)
        await assert.rejects(find.execute(), /An object is not a column value/)
        await read.rollback()
      }
      const many = begin(store)
      await assert.rejects(
        many.database.insertRows('NOTE', ['ID', 'TEXT'], [[{}, 1]]),
        /An object is not a column value/,
      )
      await many.rollback()
      assert.deepEqual(await readNotes(store), [])
    })
  }

  test(`5.8 a whole number in a text column is stored as its digits (${database.name})`, async (t) => {
    const { store } = await openTestStore(t, database)
    const transaction = begin(store)
    const notes = transaction.database
    await notes.insertInto('NOTE').values({ ID: 1, TEXT: 1 }).execute()
    await notes.insertRows('NOTE', ['ID', 'TEXT'], [[2, -20]])
    await notes.insertRows('NOTE', ['ID', 'TEXT'], [[3, 2 ** 53]])
    const found = await notes.selectFrom('NOTE').select('TEXT').where('TEXT', '=', 1).execute()
    await transaction.commit()
    assert.deepEqual(await readNotes(store), ['1', '-20', '9007199254740992'])
    assert.equal(found.length, 1)
  })

  test(`5.8 acknowledged data outlives the process, and unacknowledged data leaves nothing (${database.name})`, async (t) => {
    const { store, url, openAnother } = await openTestStore(t, database)
    await store.close()
    const script = new URL('../support/store-process.ts', import.meta.url).pathname
    const child = spawn(process.execPath, [...process.execArgv, script, 'crash', url], { stdio: 'ignore' })
    const [, signal] = await once(child, 'exit')
    assert.equal(signal, 'SIGKILL')
    assert.deepEqual(await readNotes(await openAnother()), ['acknowledged'])
  })

  test(`5.8 a commit that fails throws, and nothing is stored (${database.name})`, async (t) => {
    const { store } = await openTestStore(t, database)
    const up = async (database: ReturnType<typeof begin>['database']) => {
      await sql`create table "OWNER" ("ID" integer primary key)`.execute(database)
      await sql`create table "OWNED" ("ID" integer references "OWNER" deferrable initially deferred)`.execute(database)
    }
    assert.deepEqual(await store.migrate([{ name: '0002-owned', up }]), ['0002-owned'])
    const transaction = begin(store)
    await transaction.database.insertInto('NOTE').values({ ID: 1, TEXT: 'lost' }).execute()
    await transaction.database.insertInto('OWNED').values({ ID: 5 }).execute()
    const next = begin(store) // waits for the failing one, and has nothing of it
    const inserted = next.database.insertInto('NOTE').values({ ID: 2, TEXT: 'served' }).execute()
    await assert.rejects(transaction.commit(), /foreign key/i)
    await transaction.rollback()
    await assert.rejects(transaction.commit(), /has ended/)
    assert.deepEqual(await readNotes(store), [])
    await inserted
    await next.commit()
    assert.deepEqual(await readNotes(store), ['served'])
  })

  test(`5.8 after a failed statement nothing is stored, even if the handler caught the error (${database.name})`, async (t) => {
    const { store } = await openTestStore(t, database)
    const transaction = begin(store)
    await transaction.database.insertInto('NOTE').values({ ID: 1, TEXT: 'half' }).execute()
    const failing = transaction.database.insertInto('NOTE').values({ ID: null, TEXT: 'no id' }).execute()
    await assert.rejects(failing, /null/i)
    await assert.rejects(transaction.database.insertInto('NOTE').values({ ID: 2 }).execute(), /null/i)
    await assert.rejects(transaction.commit(), /null/i)
    assert.deepEqual(await readNotes(store), [])
  })

  test(`5.8 a statement that was not awaited is part of the commit, or fails it (${database.name})`, async (t) => {
    const { store } = await openTestStore(t, database)
    const transaction = begin(store)
    transaction.database.insertInto('NOTE').values({ ID: 1, TEXT: 'not awaited' }).execute()
    await transaction.commit()
    assert.deepEqual(await readNotes(store), ['not awaited'])
    const failing = begin(store)
    failing.database.insertInto('NOTE').values({ ID: 2, TEXT: 'lost' }).execute()
    failing.database
      .insertInto('NOTE')
      .values({ ID: null })
      .execute()
      .catch(() => {})
    await assert.rejects(failing.commit(), /null/i)
    assert.deepEqual(await readNotes(store), ['not awaited'])
  })

  test(`5.8 a call is one transaction: begin, commit and use after the end are refused (${database.name})`, async (t) => {
    const { store } = await openTestStore(t, database)
    const transaction = begin(store)
    const inner = () => transaction.database.transaction().execute(async () => {})
    await assert.rejects(inner(), /one transaction already/)
    for (const statement of [
      'begin',
      ' COMMIT',
      'rollback',
      'savepoint a',
      'end',
      'release a',
      '-- why\n commit',
      '/* * */ rollback',
      '; commit',
      ' ;; /* -- */ ; end',
      '/* /* */ */ commit',
      '-- why\r commit',
    ]) {
      await assert.rejects(sql.raw(statement).execute(transaction.database), /one transaction already/)
    }
    await transaction.database.insertInto('NOTE').values({ ID: 1, TEXT: 'one' }).execute()
    await assert.rejects(inner(), /one transaction already/)
    await transaction.commit()
    await transaction.rollback()
    await assert.rejects(transaction.database.selectFrom('NOTE').selectAll().execute(), /has ended/)
    await assert.rejects(transaction.database.insertRows('NOTE', ['ID'], [[2]]), /has ended/)
    await assert.rejects(transaction.commit(), /has ended/)
    assert.deepEqual(await readNotes(store), ['one'])
  })

  test(`26.4, 26.6 of two calls with a key one is stored with its answer, also beside other claims (${database.name})`, async (t) => {
    const { store } = await openTestStore(t, database)
    const idempotency = openIdempotencyRows(store.databases)
    const claim = (key: string, owner: string) => idempotency.claim({ key, owner }, 60_000, 1)
    const storing = (owner: string, answer: string) => {
      const row = { key: "it's", owner, request: '', now: 1, expires: 2, operator: 'ANN', status: 200, size: 1 }
      const query = idempotency.keep({ ...row, answer: Buffer.from(answer) })
      return { query, fail: () => new Error('another one was faster') }
    }
    assert.deepEqual(await Promise.all([claim("it's", 'one'), claim('other', 'two')]), ['claimed', 'claimed'])
    assert.deepEqual(await Promise.all([claim('other', 'three'), claim("it's", 'four')]), ['taken', 'taken'])
    const first = begin(store)
    await first.database.insertInto('NOTE').values({ ID: 1, TEXT: 'first' }).execute()
    await first.commit(storing('one', 'é\0'))
    for (const insert of [true, false]) {
      const second = begin(store)
      if (insert) await second.database.insertRows('NOTE', ['ID', 'TEXT'], [[2, 'second']])
      await assert.rejects(second.commit(storing('four', 'second')), /another one was faster/)
    }
    const kept = { request: '', status: 200, answer: Buffer.from('é\0') }
    assert.deepEqual(await Promise.all([claim('new', 'five'), claim("it's", 'six')]), ['claimed', kept])
    assert.deepEqual(await readNotes(store), ['first'])
  })

  test(`5.9 a transaction without a statement opens nothing and waits for no one (${database.name})`, async (t) => {
    const { store } = await openTestStore(t, database, { handlerConnections: 1 })
    const writing = begin(store)
    await writing.database.insertInto('NOTE').values({ ID: 1, TEXT: 'open' }).execute()
    const idle = begin(store, { wait: 0 })
    assert.ok(idle.database)
    await idle.commit()
    await begin(store, { wait: 0 }).rollback()
    await writing.rollback()
  })

  test(`5.9 the wait to write is bounded and ends in overloaded, and the next one is served (${database.name})`, async (t) => {
    const { store } = await openTestStore(t, database, { handlerConnections: 1 })
    const writing = begin(store)
    await writing.database.insertInto('NOTE').values({ ID: 1, TEXT: 'first' }).execute()
    const waiting = begin(store, { wait: 20 })
    await assert.rejects(waiting.database.insertInto('NOTE').values({ ID: 2 }).execute(), overloaded)
    await assert.rejects(waiting.commit(), overloaded)
    await waiting.rollback()
    const next = begin(store)
    const inserted = next.database.insertInto('NOTE').values({ ID: 3, TEXT: 'third' }).execute()
    await writing.commit()
    await inserted
    await next.commit()
    assert.deepEqual(await readNotes(store), ['first', 'third'])
  })

  test(`5.9 reads wait for no open transaction and see what was committed (${database.name})`, async (t) => {
    const { store } = await openTestStore(t, database)
    const writing = begin(store)
    await writing.database.updateTable('NOTE').set({ TEXT: 'changed' }).execute()
    const reading = begin(store, { wait: 1000 })
    const before = await reading.database.selectFrom('NOTE').select('TEXT').execute()
    assert.deepEqual(before, [{ TEXT: 'made by the migration' }])
    const raw = await sql`select "TEXT" from "NOTE"`.execute(reading.database)
    assert.deepEqual(raw.rows, before)
    await writing.commit()
    assert.deepEqual(await reading.database.selectFrom('NOTE').select('TEXT').execute(), [{ TEXT: 'changed' }])
    await reading.commit()
  })

  test(`5.4, 5.9 an abort ends the wait, rolls back, and refuses what follows (${database.name})`, async (t) => {
    const { store } = await openTestStore(t, database, { handlerConnections: 1 })
    const first = new AbortController()
    const writing = begin(store, { signal: first.signal })
    await writing.database.insertInto('NOTE').values({ ID: 1, TEXT: 'aborted' }).execute()
    const second = new AbortController()
    const waiting = begin(store, { signal: second.signal })
    const inserted = waiting.database.insertInto('NOTE').values({ ID: 2 }).execute()
    await breathe() // until it waits
    second.abort(new Error('the client left'))
    await assert.rejects(inserted, /the client left/)
    await waiting.rollback()
    first.abort()
    const next = begin(store) // nobody called rollback: the abort did
    await next.database.insertInto('NOTE').values({ ID: 3, TEXT: 'next' }).execute()
    await next.commit()
    await assert.rejects(writing.database.insertInto('NOTE').values({ ID: 4 }).execute(), /aborted/)
    await assert.rejects(writing.commit(), /aborted/)
    await writing.rollback()
    assert.deepEqual(await readNotes(store), ['next'])
  })

  test(`5.8 many rows are inserted in order, from arrays and from streams (${database.name})`, async (t) => {
    const { store } = await openTestStore(t, database)
    const transaction = begin(store)
    const rows = Array.from({ length: 25_000 }, (_, index) => [index + 1, `“${index}”, {"\\'}`])
    assert.equal(await transaction.database.insertRows('NOTE', ['ID', 'TEXT'], rows), 25_000)
    async function* stream() {
      for (const [id] of rows) yield ['streamed', Number(id) + 25_000]
    }
    assert.equal(await transaction.database.insertRows('NOTE', ['TEXT', 'ID'], stream()), 25_000)
    assert.equal(await transaction.database.insertRows('NOTE', ['TEXT', 'ID'], []), 0)
    await transaction.commit()
    const notes = await readNotes(store)
    assert.equal(notes.length, 50_000)
    assert.deepEqual(
      notes.slice(0, 25_000),
      rows.map(([, text]) => text),
    )
    assert.ok(notes.slice(25_000).every((text) => text === 'streamed'))

    const reading = begin(store)
    let count = 0
    const chunks = reading.database.selectFrom('NOTE').select('ID').where('ID', '>', 0).orderBy('ID').stream(1000)
    for await (const { ID } of chunks) assert.equal(ID, ++count)
    assert.equal(count, 50_000)
    await reading.commit()
  })

  test(`5.8 one bad row among many fails the transaction, and none is stored (${database.name})`, async (t) => {
    const { store } = await openTestStore(t, database)
    const insert = async (last: unknown[]) => {
      const transaction = begin(store)
      const rows = [...Array.from({ length: 5000 }, (_, index) => [index + 1, 'text']), last]
      const inserted = transaction.database.insertRows('NOTE', ['ID', 'TEXT'], rows)
      const failure = await inserted.then(
        () => undefined,
        (error: Error) => error,
      )
      await assert.rejects(transaction.commit(), failure)
      return failure?.message ?? ''
    }
    assert.match(await insert([null, 'no id']), /null/i)
    assert.match(await insert([1]), /Row 5001 has 1 values for 2 columns/)
    if (database.name === 'PostgreSQL') assert.match(await insert([1, 'x'.repeat(255)]), /too long/)
    const source = begin(store)
    async function* failing() {
      yield [1, 'first']
      throw new Error('cut off half-way')
    }
    await assert.rejects(source.database.insertRows('NOTE', ['ID', 'TEXT'], failing()), /cut off half-way/)
    await source.rollback()
    assert.deepEqual(await readNotes(store), [])
  })

  test(`5.8 values come back as they were written (${database.name})`, async (t) => {
    const { store } = await openTestStore(t, database)
    const isPostgres = database.name === 'PostgreSQL'
    const up = async (handler: ReturnType<typeof begin>['database']) => {
      const types = ['bigint', 'double precision', isPostgres ? 'boolean' : 'integer', 'text']
      const [wide, real, flag, text] = types.map((type) => sql.raw(type))
      const [bytes, time] = [sql.raw(isPostgres ? 'bytea' : 'blob'), sql.raw(isPostgres ? 'timestamp(6)' : 'text')]
      await sql`create table "SAMPLE" ("WIDE" ${wide}, "REAL" ${real}, "FLAG" ${flag}, "TEXT" ${text},
        "BYTES" ${bytes}, "TIME" ${time}, "CODE" char(36))`.execute(handler)
    }
    await store.migrate([{ name: '0002-sample', up }])
    const written = [
      [
        9007199254740991,
        0.1,
        true,
        'é\u{1f600}\n\t"\\',
        Buffer.from([0, 255]),
        '2026-11-21 09:00:00.120000',
        'a'.repeat(36),
      ],
      [9223372036854775807n, -1e-300, false, '', Buffer.alloc(0), '2026-11-21 09:00:00.000000', 'b'.repeat(36)],
      [-42, 1 / 3, null, undefined, null, null, null],
    ]
    const flags = isPostgres ? [true, false, null] : [1, 0, null]
    const expected = written.map(([WIDE, REAL, , TEXT = null, BYTES, TIME, CODE], index) => {
      return { WIDE, REAL, FLAG: flags[index], TEXT, BYTES, TIME, CODE }
    })
    const columns = ['WIDE', 'REAL', 'FLAG', 'TEXT', 'BYTES', 'TIME', 'CODE']
    const transaction = begin(store)
    const { database: handler } = transaction
    const read = () => handler.selectFrom('SAMPLE').selectAll().execute()
    await handler.insertRows('SAMPLE', columns, written)
    assert.deepEqual(await read(), expected)
    await handler.deleteFrom('SAMPLE').execute()
    for (const row of written) {
      const values = Object.fromEntries(columns.map((column, index) => [column, row[index]]))
      await handler.insertInto('SAMPLE').values(values).execute()
    }
    assert.deepEqual(await read(), expected)
    await transaction.commit()
    const reading = begin(store)
    assert.deepEqual(await reading.database.selectFrom('SAMPLE').selectAll().execute(), expected)
    const count = await reading.database
      .selectFrom('SAMPLE')
      .select(({ fn }) => fn.countAll().as('rows'))
      .execute()
    assert.deepEqual(count, [{ rows: 3 }])
    await reading.commit()
  })
})

test('5.9 a running statement is cancelled by an abort (PostgreSQL)', async (t) => {
  const { store } = await openTestStore(t, findDatabase('PostgreSQL'), { handlerConnections: 2 })
  const aborting = new AbortController()
  const transaction = begin(store, { signal: aborting.signal })
  await transaction.database.updateTable('NOTE').set({ TEXT: 'aborted' }).execute()
  const sleeping = sql`select pg_sleep(600)`.execute(transaction.database)
  while (!(await isSleeping(store))) await breathe()
  aborting.abort()
  await assert.rejects(sleeping)
  await transaction.rollback()
  const next = begin(store) // which would wait for the row as long as the other sleeps
  await next.database.updateTable('NOTE').set({ TEXT: 'free' }).execute()
  await next.commit()
})

test('5.5 the end of a handler’s time does not wait for a running statement (SQLite)', async (t) => {
  const { store } = await openTestStore(t, findDatabase('SQLite'))
  const aborting = new AbortController()
  const transaction = begin(store, { signal: aborting.signal })
  await transaction.database.insertInto('NOTE').values({ ID: 1, TEXT: 'late' }).execute()
  let isRunning = true
  const counting = sql`with recursive number (n) as (select 1 union all select n + 1 from number where n < 3000000)
    select count(*) from number`.execute(transaction.database)
  const counted = counting
    .catch(() => {})
    .finally(() => {
      isRunning = false
    })
  await breathe()
  aborting.abort()
  await transaction.rollback()
  assert.equal(isRunning, true)
  await counted
  assert.deepEqual(await readNotes(store), [])
  const next = begin(store)
  await next.database.insertInto('NOTE').values({ ID: 2, TEXT: 'served' }).execute()
  await next.commit()
  assert.deepEqual(await readNotes(store), ['served'])
})

test('5.9 a transaction waits for another process that holds the file, but not forever (SQLite)', async (t) => {
  const { store, url } = await openTestStore(t, findDatabase('SQLite'))
  const script = new URL('../support/store-process.ts', import.meta.url).pathname
  const child = spawn(process.execPath, [...process.execArgv, script, 'hold', url], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit') // it may be gone before anyone would wait for it
  await once(child.stdout, 'data')
  const refused = begin(store, { wait: 20 })
  await assert.rejects(refused.database.insertInto('NOTE').values({ ID: 1 }).execute(), overloaded)
  await refused.rollback()
  const patient = begin(store)
  const inserted = patient.database.insertInto('NOTE').values({ ID: 2, TEXT: 'patient' }).execute()
  child.stdin.end()
  await inserted
  await patient.commit()
  await exited
  assert.deepEqual(await readNotes(store), ['patient'])
})

test('5.8 a long stream is read no faster than the database accepts it', async () => {
  let read = 0
  function* rows() {
    for (; read < 100_000; read += 1) yield [read]
  }
  let inserted = 0
  const count = await insertInBatches(rows(), 1, async (batch) => {
    await new Promise(setImmediate)
    inserted += batch.length
    assert.ok(read - inserted <= 1001, 'one batch is read while another is inserted')
  })
  assert.equal(count, 100_000)
  assert.equal(inserted, 100_000)
})

/** In a transaction of its own: within one, PostgreSQL shows its activity as it first was. */
async function isSleeping(store: Store): Promise<boolean> {
  const watching = begin(store)
  const sleeping = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`
  const { rows } = await sleeping.execute(watching.database)
  await watching.rollback()
  return rows.length > 0
}
