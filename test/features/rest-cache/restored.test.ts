/** A database that is restored under a running gateway (specification 6.7, 17.16). */
import assert from 'node:assert/strict'
import { backup, DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { openStore } from '../../../src/store/open-store.ts'
import { besides } from '../../../src/store/sqlite/files.ts'
import { basic } from '../../support/client.ts'
import { forEachDatabase, runOutside } from '../../support/databases.ts'
import { openReference } from '../../support/gateway.ts'
import { poll } from '../../support/poll.ts'
import { cacheRowsOf } from '../../support/stores.ts'

const operationId = 'CACHED_TIME_GET.v1'

forEachDatabase((database) => {
  const restorers = { SQLite: backUpFiles, PostgreSQL: backUpTables }

  for (const isCached of [true, false])
    test(`17.16, 6.7 a store that is restored to ${isCached ? 'an earlier' : 'an empty'} cache is read again while it serves (${database.name})`, async (t) => {
      const gateway = await openReference({ database })
      t.after(() => gateway.close())
      const { database: url } = gateway.settings
      const call = async (line = 'GET CACHED_TIME.v1/') => gateway.call(line, { headers: basic('DEMO') })
      const other = await openStore(url)
      const fill = () =>
        poll(async () => {
          const first = await call()
          const { total } = await gateway.gateway.restCache.list({ operationId, offset: 0, limit: 1 }) // once it is stored
          return total === 1 && (await call()).text === first.text
        })
      if (isCached) await fill()
      const restore = await restorers[database.name](url)

      await fill()
      for (let times = 0; times < 3; times += 1) await cacheRowsOf(other).deleteOperation(operationId)
      await fill()
      await other.operators.setLocked('DEMO', true)
      await poll(async () => (await call('GET METADATA_BASIC.v1')).status === 401)
      await restore()
      await poll(async () => (await call('GET METADATA_BASIC.v1')).status === 200)
      assert.ok(gateway.observations.some((one) => one.kind === 'event' && one.name === 'storeChanged'))
      await fill()
      await other.close()
    })
})

async function backUpFiles(url: string): Promise<() => Promise<void>> {
  const copies = [url, besides(url, 'cache')].map((file) => ({ file, copy: besides(file, 'copy') }))
  const copy = async (from: string, to: string) => {
    const source = new DatabaseSync(from)
    await backup(source, to)
    source.close()
  }
  for (const { file, copy: to } of copies) await copy(file, to)
  return async () => {
    for (const { file, copy: from } of copies) await copy(from, file)
  }
}

/** As `pg_restore --single-transaction` leaves them. */
async function backUpTables(url: string): Promise<() => Promise<void>> {
  const named = await runOutside(url, "select tablename from pg_tables where schemaname = 'public'")
  const tables = named.map(({ tablename }) => `"${tablename}"`)
  const copied = tables.map((table) => `create table backup.${table} as table public.${table}`)
  await runOutside(url, ['create schema backup', ...copied].join(';'))
  const filled = tables.map(
    (table) => `insert into public.${table} overriding system value select * from backup.${table}`,
  )
  const statements = [
    'set session_replication_role = replica',
    `truncate ${tables.join()}`,
    ...filled,
    'drop schema backup cascade',
  ]
  return async () => void (await runOutside(url, `begin; ${statements.join(';')}; commit`))
}
