/** `ig backup`, `ig restore`, and `ig start` with `--new` or `--no-new` (specification 23.3, 23.6, 23.7). */
import assert from 'node:assert/strict'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { watch } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { openStore } from '../../src/store/open-store.ts'
import { besides } from '../../src/store/sqlite/files.ts'
import { copyReference, ig, serve, spawnIg } from '../support/cli.ts'
import { basic } from '../support/client.ts'
import { openReference, referenceFolder } from '../support/gateway.ts'
import { migrateAsLater } from '../support/later-version.ts'

const countRows = (file: string) => {
  const database = new DatabaseSync(file, { readOnly: true })
  const { rows } = database.prepare('select count(*) as rows from C_KEY_VALUE').get() as { rows: number }
  const [{ integrity_check: found } = {}] = database.prepare('pragma integrity_check').all()
  database.close()
  assert.equal(found, 'ok')
  return rows
}

test('23.6 a backup during POSTs is one valid file that only its owner may read, with everything acknowledged before it began (SQLite)', async (t) => {
  const { folder, post, run } = await open(t)
  for (let at = 0; at < 20; at += 1) await post()
  const file = join(folder, 'backup.sqlite')
  let isDone = false
  const posting = (async () => {
    let count = 20
    while (!isDone) {
      await post()
      count += 1
    }
    return count
  })()
  const { code, stdout, stderr } = await run('backup', file)
  isDone = true
  const posted = await posting
  assert.deepEqual([code, stderr], [0, ''])
  assert.match(
    stdout,
    /gateway\.sqlite is backed up to .*backup\.sqlite \([\d.]+ kB\)\. The copy passed its integrity check\.\n$/,
  )
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.deepEqual(readdirSync(folder), ['backup.sqlite'])
  const rows = countRows(file)
  assert.ok(rows >= 20 && rows <= posted, `${rows} of ${posted}`)

  const again = await run('backup', file)
  assert.equal(again.code, 1)
  assert.match(again.stderr, /backup\.sqlite exists\. Replace it with --force\./)
  const forced = await run('backup', file, '--force', '--json')
  const { bytes, ...facts } = JSON.parse(forced.stdout)
  assert.equal(bytes, statSync(file).size)
  assert.equal(facts.file, file)
})

test('23.7 a restore is refused while the gateway runs; after that it restores the backup, keeps the old database and removes its log (SQLite)', async (t) => {
  const { gateway, database, folder, post, run } = await open(t)
  const file = join(folder, 'backup.sqlite')
  await post()
  assert.equal((await run('backup', file)).code, 0)
  await post()
  // Its locks are seen by other processes
  const refused = await spawnIg(['restore', '--project', referenceFolder, file], { env: { IG_DATABASE: database } })
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /gateway\.sqlite is in use\. Stop the gateway/)
  assert.equal(await post(), 200)

  // As a process that was killed leaves it
  const log = readFileSync(`${database}-wal`)
  const main = readFileSync(database)
  await gateway.close()
  writeFileSync(database, main)
  writeFileSync(`${database}-wal`, log)
  const { code, stdout, stderr } = await run('restore', file, '--json')
  assert.deepEqual([code, stderr], [0, ''])
  const { former } = JSON.parse(stdout)
  assert.equal(countRows(former), 3)
  assert.ok(!existsSync(`${database}-wal`))
  assert.ok(!existsSync(besides(database, 'cache')))
  assert.equal(countRows(database), 1)
  const store = await openStore(database)
  assert.ok((await store.operators.list()).length > 0)
  await store.close()
})

test('23.7 if nothing is left of the database, a restore creates one that the next start accepts (SQLite)', async (t) => {
  const { gateway, database, folder, post, run } = await open(t)
  const file = join(folder, 'backup.sqlite')
  await post()
  await run('backup', file)
  await gateway.close()
  for (const name of readdirSync(dirname(database))) rmSync(join(dirname(database), name))
  const { code, stdout } = await run('restore', file)
  assert.equal(code, 0)
  assert.match(stdout, /^.* is restored from .*\. Start the gateway\.\n$/)
  await (await openStore(database, { isNew: false })).close()
  assert.equal(countRows(database), 1)
})

test("23.7 a database behind a link is restored at the link's target (SQLite)", async (t) => {
  const { gateway, database, folder, post, run } = await open(t)
  const file = join(folder, 'backup.sqlite')
  await post()
  assert.equal((await run('backup', file)).code, 0)
  await post()
  await gateway.close()
  const volume = join(folder, 'volume')
  mkdirSync(volume)
  renameSync(database, join(volume, 'kept.sqlite'))
  symlinkSync(join(volume, 'kept.sqlite'), database)
  const { code, stdout, stderr } = await run('restore', file, '--json')
  assert.deepEqual([code, stderr], [0, ''])
  assert.equal(realpathSync(database), join(realpathSync(volume), 'kept.sqlite'))
  assert.equal(countRows(database), 1)
  const { former } = JSON.parse(stdout)
  assert.deepEqual([dirname(former), countRows(former)], [volume, 2])

  renameSync(join(volume, 'kept.sqlite'), join(volume, 'gone.sqlite')) // as a restore that was cut off leaves it
  assert.equal((await run('restore', file)).code, 0)
  assert.equal(realpathSync(database), join(realpathSync(volume), 'kept.sqlite'))
  assert.ok(!existsSync(besides(database, 'cache')))
})

test('23.7 a damaged file, one of a newer gateway and one that is no backup are refused, and nothing is changed (SQLite)', async (t) => {
  const { gateway, database, folder, post, run } = await open(t)
  const good = join(folder, 'good.sqlite')
  for (let at = 0; at < 30; at += 1) await post()
  await run('backup', good)
  await gateway.close()
  const before = readFileSync(database)
  const other = join(folder, 'other.sqlite')
  const foreign = new DatabaseSync(other)
  foreign.exec('create table T (A)')
  foreign.close()
  const bytes = readFileSync(good)
  const half = join(folder, 'half.sqlite')
  writeFileSync(half, bytes.subarray(0, bytes.length / 2))
  const letter = join(folder, 'letter.txt')
  writeFileSync(letter, 'no database '.repeat(500))
  const later = join(folder, 'later.sqlite')
  copyFileSync(good, later)
  await migrateAsLater(later)
  const rows = [
    { file: join(folder, 'absent.sqlite'), says: /there is no backup at/ },
    { file: database, says: /is the database itself/ },
    { file: other, says: /other\.sqlite is not the database of a gateway/ },
    { file: half, says: /half\.sqlite is damaged/ },
    { file: letter, says: /letter\.txt is damaged: file is not a database/ },
    { file: later, says: /later\.sqlite is newer than this gateway: it has the migration/ },
  ]
  const names = readdirSync(dirname(database))
  for (const { file, says } of rows) {
    const { code, stderr } = await run('restore', file)
    assert.equal(code, 1)
    assert.match(stderr, says)
    assert.deepEqual(readdirSync(dirname(database)), names)
    assert.ok(readFileSync(database).equals(before))
  }
})

test('23.6 a backup never replaces the database itself, under any name (SQLite)', async (t) => {
  const { database, folder, post, run } = await open(t)
  const link = join(folder, 'link')
  symlinkSync(dirname(database), link)
  for (const file of [database, join(link, basename(database))]) {
    const { code, stderr } = await run('backup', file, '--force')
    assert.equal(code, 1)
    assert.match(stderr, /is the database itself\. Name another file\./)
  }
  assert.equal(await post(), 200)
})

test('23.6 Ctrl-C during a backup leaves nothing behind (SQLite)', async (t) => {
  const { folder, backup } = await beginBackup(t)
  const { code, stderr } = await backup.stop('SIGINT')
  assert.deepEqual([code, stderr], [130, 'ig: interrupted. Nothing was changed.\n'])
  assert.deepEqual(readdirSync(folder), [])
})

test('23.6 the next backup to the same file removes what a killed one left behind, and nothing else (SQLite)', async (t) => {
  const { folder, backup, run } = await beginBackup(t)
  await backup.stop('SIGKILL')
  const killed = readdirSync(folder).find((name) => name.endsWith('.tmp')) ?? ''
  assert.match(killed, /^backup\.sqlite\.\d+\.tmp$/)
  const others = ['backup.sqlite.1.tmp', 'backup.sqlite.x.tmp', killed.replace('backup', 'other')]
  for (const name of others) writeFileSync(join(folder, name), '')
  // Of a container that has other process ids
  const locked = killed.replace(/\d+/, (pid) => `9${pid}`)
  const writing = new DatabaseSync(join(folder, locked))
  writing.exec('begin exclusive')
  const { code, stderr } = await run('backup', join(folder, 'backup.sqlite'))
  writing.close()
  assert.deepEqual([code, stderr], [0, ''])
  assert.deepEqual(readdirSync(folder).sort(), ['backup.sqlite', locked, ...others].sort())
})

/** Of a database that is large enough for it to be met. */
async function beginBackup(t: TestContext) {
  const { gateway, database, folder, run } = await open(t)
  await gateway.close()
  const large = new DatabaseSync(database)
  large.exec('create table LARGE (A); insert into LARGE select zeroblob(60000000) union all select zeroblob(60000001)')
  large.close()
  const began = (async () => {
    for await (const { filename } of watch(folder)) if (filename?.endsWith('.tmp')) return
  })()
  const backup = serve(['backup', '--project', referenceFolder, join(folder, 'backup.sqlite')], {
    env: { IG_DATABASE: database },
  })
  await began
  return { folder, backup, run }
}

test('23.6, 23.7 on PostgreSQL both commands say what to use instead, and stop', async () => {
  const env = { IG_DATABASE: 'postgres://someone:secret@127.0.0.1:1/x' }
  const backup = await ig(['backup', '--project', referenceFolder, 'x'], { env })
  assert.equal(backup.code, 1)
  assert.match(backup.stderr, /pg_dump --format=custom/)
  const restore = await ig(['restore', '--project', referenceFolder, 'x'], { env })
  assert.equal(restore.code, 1)
  assert.match(restore.stderr, /pg_restore --clean --if-exists/)
})

async function open(t: TestContext) {
  const kept = mkdtempSync(join(tmpdir(), 'ig-kept-'))
  const place = { url: join(kept, 'gateway.sqlite'), remove: async () => {} } // it outlives the gateway
  const gateway = await openReference({ database: { name: 'SQLite', open: async () => place } })
  let closing: Promise<void> | undefined
  const close = () => (closing ??= gateway.close())
  t.after(close)
  const { database } = gateway.settings
  const folder = mkdtempSync(join(tmpdir(), 'ig-backup-'))
  t.after(() => {
    rmSync(folder, { recursive: true, force: true })
    rmSync(kept, { recursive: true, force: true })
  })
  const body = '<request><row><key>a</key><value>x</value></row></request>'
  const post = async () => (await gateway.call('POST KEY_VALUE.v1', { headers: basic('DEMO'), body })).status
  const run = (verb: string, file: string, ...options: string[]) =>
    ig([verb, '--project', referenceFolder, file, ...options], { env: { IG_DATABASE: database } })
  return { gateway: { close }, database, folder, post, run }
}

test('23.3 --new and --no-new decide for ig start, in one process and in several (SQLite)', async () => {
  const folder = copyReference()
  const none = await ig(['start', folder, '--port', '0', '--workers', '2', '--no-new'])
  assert.equal(none.code, 1)
  assert.match(none.stderr, /no SQLite database at .*gateway\.sqlite, and --no-new forbids/)
  await (await openStore(join(folder, 'data/gateway.sqlite'))).close()
  const there = await ig(['start', folder, '--port', '0', '--new'])
  assert.equal(there.code, 1)
  assert.match(there.stderr, /There is a database at .* already\. Omit --new/)
})
