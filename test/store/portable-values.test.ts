/** Values that both databases give alike, decimal columns, and types of expressions (specification 5.60, 5.62). */
import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import { CamelCasePlugin, PostgresAdapter, sql } from 'kysely'
import { asBoolean, asDate, asDecimal, decimalColumn, type HandlerDatabase } from '../../src/sdk.ts'
import type { Store } from '../../src/store/store.ts'
import { forEachDatabase, type TestDatabase } from '../support/databases.ts'
import { begin, openTestStore } from '../support/stores.ts'

const moment = new Date('2026-11-23T01:02:03.456Z')
const bytes = Buffer.from([0, 1, 255])

const tables = {
  name: '0002-values',
  async up(database: HandlerDatabase) {
    await database.schema
      .createTable('SAMPLE')
      .addColumn('ID', 'integer', (column) => column.primaryKey())
      .addColumn('PLAIN', 'numeric(30, 10)')
      .addColumn('SHORT', decimalColumn(database, 9, 2))
      .addColumn('LONG', decimalColumn(database, 30, 4))
      .addColumn('FLAG', 'boolean')
      .addColumn('DAY', 'date')
      .addColumn('AT', 'timestamp(6)')
      .addColumn('ZONED', 'timestamptz(6)')
      .addColumn('BIG', 'bigint')
      .addColumn('RATIO', 'double precision')
      .addColumn('WORDS', 'varchar(100)')
      .execute()
    const isPostgres = database.getExecutor().adapter instanceof PostgresAdapter
    await database.schema
      .createTable('BLOBS')
      .addColumn('DATA', isPostgres ? 'bytea' : 'blob')
      .addColumn('UNIT_PRICE', decimalColumn(database, 9, 2))
      .execute()
  },
}

async function within<T>(
  store: Store,
  isPortable: boolean,
  work: (database: HandlerDatabase) => Promise<T>,
): Promise<T> {
  const transaction = begin(store, { isPortable })
  try {
    const result = await work(transaction.database)
    await transaction.commit()
    return result
  } finally {
    await transaction.rollback()
  }
}

async function openTables(database: TestDatabase): Promise<Store> {
  const { store } = await openTestStore({ after } as TestContext, database)
  await store.migrate([tables])
  return store
}

const given = {
  ID: 1,
  PLAIN: '12.5000',
  SHORT: '1234.50',
  LONG: '12345678901234567890.1200',
  FLAG: true,
  DAY: '2026-11-23',
  AT: '2026-11-23 01:02:03',
  ZONED: '2026-11-23 03:02:03.5+02:00',
  BIG: 9007199254740993n,
  RATIO: 0.5,
  WORDS: '007.50',
}
const portable = {
  ...given,
  PLAIN: '12.5',
  SHORT: '1234.5',
  LONG: '12345678901234567890.12',
  AT: '2026-11-23 01:02:03.000000',
  ZONED: '2026-11-23 01:02:03.500000+00',
}

const used: TestDatabase[] = []
forEachDatabase((database) => void used.push(database))
const stores = new Map<string, Store>()
for (const database of used) stores.set(database.name, await openTables(database))

forEachDatabase((database) => {
  const { name } = database
  /** One store for all tests. */
  async function openEmpty(): Promise<Store> {
    const store = stores.get(name)
    assert.ok(store)
    await within(store, false, async (db) => {
      for (const table of ['SAMPLE', 'BLOBS']) await db.deleteFrom(table).execute()
    })
    return store
  }

  test(`5.60 values are the same on both databases, by the declared types of their columns (${name})`, async () => {
    const store = await openEmpty()
    const inTransaction = await within(store, true, async (db) => {
      await db.insertInto('SAMPLE').values(given).execute()
      await db.insertInto('BLOBS').values({ DATA: bytes }).execute()
      return db.selectFrom('SAMPLE').selectAll().execute() // by the writer
    })
    assert.deepEqual(inTransaction, [portable])
    await within(store, true, async (db) => {
      assert.deepEqual(await db.selectFrom('SAMPLE').selectAll().execute(), [portable]) // in process
      const streamed: unknown[] = []
      for await (const row of db.selectFrom('SAMPLE').selectAll().stream()) streamed.push(row)
      assert.deepEqual(streamed, [portable])
      assert.deepEqual(await db.selectFrom('BLOBS').selectAll().execute(), [{ DATA: bytes, UNIT_PRICE: null }])
      const snapshot = store.openSnapshot({ wait: 10_000, isPortable: true, requireDue() {} })
      assert.deepEqual(await snapshot.database.selectFrom('SAMPLE').selectAll().execute(), [portable])
      await snapshot.close()
      const renamed = await db
        .selectFrom((inner) => inner.selectFrom('SAMPLE').select(['FLAG as isSet', 'SHORT as price']).as('inner'))
        .selectAll()
        .execute()
      assert.deepEqual(renamed, [{ isSet: true, price: '1234.5' }])
      const returned = await db.updateTable('SAMPLE').set({ FLAG: false }).returning(['FLAG', 'LONG']).execute()
      assert.deepEqual(returned, [{ FLAG: false, LONG: portable.LONG }])
    })
  })

  test(`5.60 without it, values are as each database has them (${name})`, async () => {
    const store = await openEmpty()
    const [row] = await within(store, false, async (db) => {
      await db.insertInto('SAMPLE').values({ ID: 1, PLAIN: '12.5000', FLAG: true }).execute()
      return db.selectFrom('SAMPLE').select(['PLAIN', 'FLAG']).execute()
    })
    const expected = { SQLite: { PLAIN: 12.5, FLAG: 1 }, PostgreSQL: { PLAIN: '12.5000000000', FLAG: true } }
    assert.deepEqual(row, expected[name])
  })

  test(`5.60 a Date is stored and compared as its time in UTC, and absent values stay null (${name})`, async () => {
    const store = await openEmpty()
    await within(store, true, async (db) => {
      await db.insertInto('SAMPLE').values({ ID: 1, DAY: moment, AT: moment }).execute()
      await db.insertRows('SAMPLE', ['ID', 'DAY', 'AT', 'SHORT'], [[2, moment, moment, null]])
    })
    await within(store, true, async (db) => {
      const found = await db.selectFrom('SAMPLE').select(['DAY', 'AT', 'SHORT']).where('AT', '<=', moment).execute()
      const row = { DAY: '2026-11-23', AT: '2026-11-23 01:02:03.456000', SHORT: null }
      assert.deepEqual(found, [row, row])
      const later = await db.selectFrom('SAMPLE').select('ID').where('AT', '>', moment).execute()
      assert.deepEqual(later, [])
    })
  })

  test(`5.62 a day or a time that the calendar does not have is refused, however it is written (${name})`, async () => {
    const store = await openEmpty()
    const noDates = ['2026-02-30', '2026-13-01', '0000-01-01', 'tomorrows', '2026-11-23 25:00', '2026-11-23 10:60']
    const ways: Readonly<Record<string, (db: HandlerDatabase, row: object) => Promise<unknown>>> = {
      insert: (db, row) => db.insertInto('SAMPLE').values(row).execute(),
      update: (db, row) => db.updateTable('SAMPLE').set(row).execute(),
      insertRows: (db, row) => db.insertRows('SAMPLE', Object.keys(row), [Object.values(row)]),
    }
    await within(store, true, (db) => db.insertInto('SAMPLE').values({ ID: 1 }).execute())
    const expected = (column: string) =>
      name === 'PostgreSQL' ? /date\/time|invalid input syntax/ : new RegExp(`^TypeError: SAMPLE.${column} takes `)
    for (const column of ['DAY', 'AT', 'ZONED'])
      for (const [at, value] of noDates.entries()) {
        const write = Object.values(ways)[at % 3] ?? assert.fail()
        await assert.rejects(
          within(store, true, (db) => write(db, { ID: 3, [column]: value })),
          expected(column),
        )
      }
    await within(store, true, (db) => db.insertInto('SAMPLE').values({ ID: 2, DAY: '2028-02-29 23:59:59' }).execute())
    const rows = await within(store, true, (db) =>
      db.selectFrom('SAMPLE').select(['ID', 'DAY']).orderBy('ID').execute(),
    )
    assert.deepEqual(rows, [
      { ID: 1, DAY: null },
      { ID: 2, DAY: '2028-02-29' },
    ])
  })

  const decimals = [
    ['1.005', '1.01'],
    [-1.005, '-1.01'],
    ['1e3', '1000'],
    [0.1 + 0.2, '0.3'],
    [12n, '12'],
    ['-0.001', '0'],
  ] as const

  test(`5.60 a decimal column rounds to its scale, half away from zero, however it is written (${name})`, async () => {
    const store = await openEmpty()
    const read = await within(store, true, async (db) => {
      await db.insertRows(
        'SAMPLE',
        ['ID', 'SHORT'],
        decimals.map(([value], at) => [at, value]),
      )
      await db
        .insertInto('SAMPLE')
        .values(decimals.map(([value], at) => ({ ID: 100 + at, SHORT: value })))
        .execute()
      for (const [at, [value]] of decimals.entries()) {
        await db
          .insertInto('SAMPLE')
          .values({ ID: 200 + at })
          .execute()
        await db
          .updateTable('SAMPLE')
          .set({ SHORT: value })
          .where('ID', '=', 200 + at)
          .execute()
        const row = { ID: at, SHORT: value }
        await db
          .insertInto('SAMPLE')
          .values(row)
          .onConflict((on) => on.column('ID').doUpdateSet({ SHORT: value }))
          .execute()
      }
      return db.selectFrom('SAMPLE').select('SHORT').orderBy('ID').execute()
    })
    const expected = decimals.map(([, text]) => ({ SHORT: text }))
    assert.deepEqual(read, [...expected, ...expected, ...expected])
  })

  test(`5.60 a plugin that renames columns does not change this (${name})`, async () => {
    const store = await openEmpty()
    const read = await within(store, true, async (db) => {
      const renaming = db.withPlugin(new CamelCasePlugin({ upperCase: true }))
      await renaming.insertInto('blobs').values({ unitPrice: '1.005' }).execute()
      return renaming.selectFrom('blobs').select(['unitPrice', 'data']).execute()
    })
    assert.deepEqual(read, [{ unitPrice: '1.01', data: null }])
  })

  test(`5.60 too many digits before the decimal point are refused, and nothing is stored (${name})`, async () => {
    const store = await openEmpty()
    const overflow = within(store, true, async (db) => {
      await db.insertInto('SAMPLE').values({ ID: 1 }).execute()
      await db
        .insertInto('SAMPLE')
        .values({ ID: 2, SHORT: '12345678.9' })
        .execute()
        .catch(() => {})
    })
    await assert.rejects(
      overflow,
      {
        SQLite: /^RangeError: SAMPLE\.SHORT takes 7 digits before the point, and the value has 8/,
        PostgreSQL: /numeric field overflow/,
      }[name],
    )
    assert.deepEqual(await within(store, true, (db) => db.selectFrom('SAMPLE').select('ID').execute()), [])
  })

  test(`5.60 a decimal column is exact with thirty digits, and compares as a number if the SQL casts it (${name})`, async () => {
    const store = await openEmpty()
    const values = ['99999999999999999999999999.9999', '-0.0001', '9', '10']
    await within(store, true, (db) =>
      db.insertRows(
        'SAMPLE',
        ['ID', 'LONG'],
        values.map((value, at) => [at, value]),
      ),
    )
    const rows = await within(store, true, (db) =>
      db.selectFrom('SAMPLE').select('LONG').orderBy(sql`cast("LONG" as numeric)`).execute(),
    )
    assert.deepEqual(
      rows.map(({ LONG }) => LONG),
      ['-0.0001', '9', '10', values[0]],
    )
  })

  test(`5.60 a decimal column of up to 15 digits sorts, compares and sums as numbers (${name})`, async () => {
    const store = await openEmpty()
    await within(store, true, (db) =>
      db.insertRows(
        'SAMPLE',
        ['ID', 'SHORT'],
        [
          [1, '9.10'],
          [2, '10.20'],
          [3, '0.1'],
        ],
      ),
    )
    await within(store, true, async (db) => {
      const sorted = await db.selectFrom('SAMPLE').select('SHORT').where('SHORT', '>', '0.5').orderBy('SHORT').execute()
      assert.deepEqual(sorted, [{ SHORT: '9.1' }, { SHORT: '10.2' }])
      const equal = await db.selectFrom('SAMPLE').select('ID').where('SHORT', '=', '9.1').execute()
      assert.deepEqual(equal, [{ ID: 1 }])
    })
  })

  test(`5.60 an expression has the type that its SQL states (${name})`, async () => {
    const store = await openEmpty()
    await within(store, true, (db) =>
      db.insertRows(
        'SAMPLE',
        ['ID', 'SHORT', 'AT'],
        [
          [1, '0.1', '2026-11-23 23:59:59'],
          [2, '0.2', null],
          [3, '100', null],
        ],
      ),
    )
    await within(store, true, async (db) => {
      const built = await db
        .selectFrom('SAMPLE')
        .select(({ fn, eb }) => [
          asDecimal(fn.sum('SHORT')).as('total'),
          asDecimal<string | null>(eb.lit(null)).as('nothing'),
          asBoolean(sql`count(*) > 2`).as('many'),
          asDate(fn.max('AT')).as('last day'),
          fn.countAll<number>().as('count'),
        ])
        .execute()
      const expected = { total: '100.3', nothing: null, many: true, 'last day': '2026-11-23', count: 3 }
      assert.deepEqual(built, [expected])
    })
    await within(store, true, async (db) => {
      const { rows } =
        await sql`select ${asDecimal(sql`avg("SHORT")`)} as average, ${asBoolean(sql`1 = 2`)} as never from "SAMPLE" where "ID" < 3`.execute(
          db,
        )
      assert.deepEqual(rows, [{ average: '0.15', never: false }])
      const nested = await db
        .selectFrom((inner) =>
          inner
            .selectFrom('SAMPLE')
            .select(({ fn }) => asDecimal(fn.sum('SHORT')).as('total'))
            .as('sums'),
        )
        .selectAll()
        .where('total', '>', 100)
        .orderBy('total')
        .execute()
      assert.deepEqual(nested, [{ total: '100.3' }])
    })
  })

  if (name === 'PostgreSQL') return

  const tooLong = ['1234567890123456.78', '12345678901234567', 12345678901234567n, 0.1 + 0.2] as const
  for (const [way, write] of Object.entries({
    insert: (db: HandlerDatabase, value: unknown) => db.insertInto('SAMPLE').values({ ID: 1, PLAIN: value }).execute(),
    update: (db: HandlerDatabase, value: unknown) => db.updateTable('SAMPLE').set({ PLAIN: value }).execute(),
    insertRows: (db: HandlerDatabase, value: unknown) => db.insertRows('SAMPLE', ['PLAIN'], [[value]]),
  })) {
    test(`5.62 more than 15 digits in a plain numeric column are a TypeError that names it: ${way} (SQLite)`, async () => {
      const store = await openEmpty()
      for (const value of tooLong) {
        const digits = value === 0.1 + 0.2 ? 17 : String(value).replace('.', '').length
        await assert.rejects(
          within<unknown>(store, true, (db) => write(db, value)),
          {
            name: 'TypeError',
            message: `SAMPLE.PLAIN is declared numeric(30, 10), of which SQLite keeps 15 digits, and the value has ${digits}: declare it with decimalColumn(database, precision, scale)`,
          },
        )
      }
      await within<unknown>(store, true, (db) => write(db, '123456789012345'))
      await within(store, false, (db) =>
        db.insertInto('SAMPLE').values({ ID: 7, PLAIN: '1234567890123456.78' }).execute(),
      ) // as before
    })
  }

  test('5.60 a precision or a scale that no database supports is a RangeError (SQLite)', async () => {
    const store = await openEmpty()
    await within(store, true, async (db) => {
      for (const [precision, scale] of [
        [0, 0],
        [10, 11],
        [1.5, 0],
        [1001, 0],
        [5, -1],
      ] as const) {
        assert.throws(() => decimalColumn(db, precision, scale), RangeError)
      }
    })
  })
})
