/** Another process on the same store, for tests: `node store-process.ts <what> <database>`. */
import { existsSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { openStore } from '../../src/store/open-store.ts'
import type { ProjectMigration, Store } from '../../src/store/store.ts'
import { patience } from './patience.ts'
import { poll } from './poll.ts'

export const notes: ProjectMigration = {
  name: '0001-notes',
  async up(database) {
    await database.schema
      .createTable('NOTE')
      .addColumn('ID', 'integer', (column) => column.notNull())
      .addColumn('TEXT', 'varchar(254)')
      .execute()
    await database.insertInto('NOTE').values({ ID: 0, TEXT: 'made by the migration' }).execute()
  },
}

const deeds: Record<string, (store: Store) => Promise<void>> = {
  /** Ends by itself, once the store is closed. */
  async migrate(store) {
    await store.migrate([notes])
    await store.close()
  },
  /** Ends as by a failure of power, with one transaction committed and another open. */
  async crash(store) {
    const options = { wait: patience, signal: new AbortController().signal }
    const acknowledged = store.openHandlerTransaction(options)
    await acknowledged.database.insertInto('NOTE').values({ ID: 1, TEXT: 'acknowledged' }).execute()
    await acknowledged.commit()
    const open = store.openHandlerTransaction(options)
    await open.database.insertInto('NOTE').values({ ID: 2, TEXT: 'open' }).execute()
    process.kill(process.pid, 'SIGKILL')
  },
  /** Many transactions at once, of ten rows each and without an end; says which one was acknowledged. */
  async pour(store) {
    let count = 0
    const pour = async () => {
      for (;;) {
        count += 1
        const id = count
        const transaction = store.openHandlerTransaction({ wait: patience, signal: new AbortController().signal })
        const rows = Array.from({ length: 10 }, (_, index) => [id, `row ${index}`])
        await transaction.database.insertRows('NOTE', ['ID', 'TEXT'], rows)
        await transaction.commit()
        writeSync(1, `${id}\n`) // at once, as an answer to a caller would be
      }
    }
    await Promise.all(Array.from({ length: 16 }, pour))
  },
  /** One transaction is committed and waits for the disk, another writes meanwhile; see `disk.mjs`. */
  async disk(store) {
    const folder = process.env.IG_TEST_DISK ?? ''
    let fatal: string | null = null
    process.on('uncaughtException', ({ name, message }) => {
      fatal = `${name}: ${message}`
    })
    const options = { wait: patience, signal: new AbortController().signal }
    const [first, second] = [store.openHandlerTransaction(options), store.openHandlerTransaction(options)]
    await first.database.insertRows('NOTE', ['ID', 'TEXT'], [[1, 'first']])
    writeFileSync(join(folder, 'waits'), '')
    let isAnswered = false
    const committed = first.commit().finally(() => {
      isAnswered = true
    })
    const failed = committed.then(
      () => undefined,
      (error: Error) => error.message,
    )
    await second.database.insertRows('NOTE', ['ID', 'TEXT'], [[2, 'second']])
    const isFirst = !isAnswered
    await poll(() => existsSync(join(folder, 'asked')))
    rmSync(join(folder, 'waits'))
    const failures = [await failed]
    failures.push(
      await second.commit().then(
        () => undefined,
        (error: Error) => error.message,
      ),
    )
    const third = store.openHandlerTransaction(options)
    const written = third.database.insertRows('NOTE', ['ID', 'TEXT'], [[3, 'third']]).then(() => third.commit())
    failures.push(
      await written.then(
        () => undefined,
        (error: Error) => error.message,
      ),
    )
    console.log(JSON.stringify({ isFirst, failures, fatal }))
    await store.close()
  },
  async lock(store) {
    await store.operators.setLocked('DEMO', true)
    await store.close()
  },
  /** Activates a revision of its own, believing that revision 1 is active; says what came of it. */
  async apply(store) {
    const digest = String(process.pid)
    const outcome = await store.revisions.add({ document: '{\n}\n', digest }, { expectedActive: 1, time: 0 })
    console.log(JSON.stringify(outcome))
    await store.close()
  },
  /** Keeps the write lock of the SQLite file until its standard input ends. */
  async hold(store) {
    const transaction = store.openHandlerTransaction({ wait: patience, signal: new AbortController().signal })
    await sql`update NOTE set TEXT = TEXT`.execute(transaction.database)
    console.log('holding')
    for await (const _ of process.stdin);
    await transaction.rollback()
    await store.close()
  },
}

if (import.meta.main) {
  const [what = '', database = ''] = process.argv.slice(2)
  await deeds[what]?.(await openStore(database))
}
