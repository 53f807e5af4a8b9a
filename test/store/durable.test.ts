/** What is acknowledged is on the disk, and nothing is half there (specification 5.8). */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { type TestContext, test } from 'node:test'
import type { Event } from '../../src/model/observation.ts'
import { openStore } from '../../src/store/open-store.ts'
import { describeDurability } from '../../src/store/postgres/durability.ts'
import { findDatabase, forEachDatabase } from '../support/databases.ts'
import { begin, openTestStore } from '../support/stores.ts'

const script = new URL('../support/store-process.ts', import.meta.url).pathname

forEachDatabase((database) => {
  test(`5.8 of many concurrent transactions, all acknowledged ones outlive the process, and each is complete (${database.name})`, async (t) => {
    const { store, url, openAnother } = await openTestStore(t, database)
    await store.close()
    const child = spawn(process.execPath, [...process.execArgv, script, 'pour', url], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const exited = once(child, 'exit')
    const acknowledged: number[] = []
    for await (const line of createInterface({ input: child.stdout })) {
      acknowledged.push(Number(line))
      if (acknowledged.length === 200) child.kill('SIGKILL') // what it says still arrives
    }
    await exited
    assert.ok(acknowledged.length >= 200)
    const reading = begin(await openAnother())
    const { database: handler } = reading
    const rows = await handler
      .selectFrom('NOTE')
      .select(({ fn }) => ['ID', fn.countAll().as('rows')])
      .where('ID', '>', 0)
      .groupBy('ID')
      .execute()
    await reading.rollback()
    const stored = new Map(rows.map(({ ID, rows }) => [Number(ID), Number(rows)]))
    assert.deepEqual(new Set(stored.values()), new Set([10]))
    assert.deepEqual(
      acknowledged.filter((id) => !stored.has(id)),
      [],
    )
  })
})

test('5.8, 5.9 a commit is answered when it is on disk, and the next transaction writes meanwhile (SQLite)', async (t) => {
  const { isAsked, isFirst, failures, fatal } = await commitOnDisk(t)
  assert.equal(fatal, null)
  assert.equal(isAsked, true)
  assert.equal(isFirst, true)
  assert.deepEqual(failures, [null, null, null])
})

test('5.8 a commit that the disk refuses is not acknowledged, nor is any later one, and the process must end (SQLite)', async (t) => {
  const { isAsked, failures, fatal } = await commitOnDisk(t, { fails: true })
  assert.match(
    fatal ?? '',
    /^StoreUnavailable: The SQLite database .* failed: EIO.* This process can no longer write to it\.$/,
  )
  assert.equal(isAsked, true)
  assert.equal(failures.length, 3)
  for (const failure of failures) assert.match(failure ?? '', /EIO/)
})

interface OnDisk {
  readonly isAsked: boolean
  /** The second transaction was answered before the first one's commit. */
  readonly isFirst: boolean
  /** Of three transactions. */
  readonly failures: readonly (string | null)[]
  /** Uncaught errors. */
  readonly fatal: string | null
}

async function commitOnDisk(t: TestContext, { fails = false } = {}): Promise<OnDisk> {
  const { store, url } = await openTestStore(t, findDatabase('SQLite'))
  await store.close()
  const folder = mkdtempSync(join(tmpdir(), 'ig-disk-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const disk = new URL('../support/disk.mjs', import.meta.url).href
  const child = spawn(process.execPath, [...process.execArgv, '--import', disk, script, 'disk', url], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, IG_TEST_DISK: folder, ...(fails && { IG_TEST_DISK_FAILS: 'yes' }) },
  })
  let output = ''
  for await (const chunk of child.stdout) output += chunk
  return { isAsked: existsSync(join(folder, 'asked')), ...JSON.parse(output) }
}

test('23.8 a PostgreSQL that may lose what it acknowledged is logged at the start, with the settings to change (PostgreSQL)', async (t) => {
  const { url } = await openTestStore(t, findDatabase('PostgreSQL'))
  const events: Event[] = []
  const store = await openStore(url, { observe: (one) => void (one.kind === 'event' && events.push(one)) })
  await store.close()
  // That of the tests is made to be fast
  assert.deepEqual(
    events.map(({ name, level }) => [name, level]),
    [['storeNotDurable', 'warning']],
  )
  assert.match(events[0]?.message ?? '', /fsync is off: .* Set fsync, full_page_writes, synchronous_commit to on\.$/)
  const sound = { fsync: 'on', full_page_writes: 'on', synchronous_commit: 'local' }
  assert.equal(describeDurability(sound), undefined)
  assert.match(
    describeDurability({ ...sound, synchronous_commit: 'off' }) ?? '',
    /^[^;]* synchronous_commit is off: [^;]*$/,
  )
})
