/** The files of an SQLite database: removed, replaced or damaged while the gateway runs, or when it starts (specification 23). */
import assert from 'node:assert/strict'
import {
  closeSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import type { Event, Observation } from '../../src/model/observation.ts'
import { openStore } from '../../src/store/open-store.ts'
import { besides } from '../../src/store/sqlite/files.ts'
import { ig, makeProject } from '../support/cli.ts'
import { basic } from '../support/client.ts'
import { clusterFiles } from '../support/cluster-project.ts'
import { findDatabase } from '../support/databases.ts'
import { noProvider, openReference } from '../support/gateway.ts'
import { begin, cacheRowsOf, openTestStore } from '../support/stores.ts'

/** Each is undone by putting the same files back. */
const ways: readonly { readonly title: string; readonly part: string; take(file: string): void }[] = [
  { title: 'removed', part: '', take: (file) => rmSync(file) },
  {
    title: 'replaced by a copy',
    part: '',
    take(file) {
      copyFileSync(file, `${file}.copy`)
      renameSync(`${file}.copy`, file)
    },
  },
  { title: 'without its write-ahead log', part: '-wal', take: (file) => rmSync(`${file}-wal`) },
]

test('23.1 a database file that is removed or replaced while the gateway runs is noticed by the next commit, refused and logged, until it is back (SQLite)', async (t) => {
  const { gateway, file, post, events } = await open(t)
  assert.equal(await post('before'), 200)
  let count = 0
  for (const { title, part, take } of ways) {
    count += 1
    linkSync(`${file}${part}`, `${file}.kept`)
    take(file)
    assert.equal(await post('after'), 503, title)
    const event = await events('storeFileGone', count)
    assert.equal(event.level, 'error')
    assert.ok(event.message.includes(`${file}${part}`), event.message)
    assert.equal(await post('later'), 503, title)
    assert.equal((await gateway.call('GET METADATA_BASIC.v1', { headers: basic('DEMO') })).status, 200)
    const { status, text } = await gateway.call('GET /readyz')
    assert.equal(status, 200)
    assert.deepEqual(JSON.parse(text).conditions, [{ name: 'storeFileGone', isReady: true, detail: event.message }])
    renameSync(`${file}.kept`, `${file}${part}`)
    assert.equal(await post('back'), 200, title)
    await events('storeFileBack', count)
  }
})

test('23.1 an idle gateway notices it too, and continues when the original is back (SQLite)', async (t) => {
  const { file, post, events } = await open(t)
  renameSync(file, `${file}.old`)
  await events('storeFileGone')
  renameSync(`${file}.old`, file)
  await events('storeFileBack')
  assert.equal(await post('again'), 200)
})

test('23.2 damage that a statement finds is logged once; that call and every call that writes get 503, the others continue (SQLite)', async (t) => {
  const { gateway, file, post, events } = await open(t)
  const rows = Array.from({ length: 3_000 }, (_, at) => `<row><key>many</key><value>${at}</value></row>`)
  const body = `<request>${rows.join('')}</request>`
  await gateway.call('POST KEY_VALUE.v1', { headers: basic('DEMO'), body })
  const read = async (key: string) => (await gateway.call(`GET KEY_VALUE.v1/${key}`, { headers: basic('DEMO') })).status
  const other = new DatabaseSync(file)
  other.exec('pragma wal_checkpoint(truncate)')
  other.close()
  overwriteRows(file)
  assert.equal(await read('many'), 503)
  const event = await events('storeDamaged')
  assert.match(event.message, /^The SQLite database .* is damaged: .*malformed.* ig restore <file>/)
  assert.equal(await post('after'), 503)
  assert.equal(await read('many'), 503)
  assert.equal((await gateway.call('GET METADATA_BASIC.v1', { headers: basic('DEMO') })).status, 200)
  const { conditions } = JSON.parse((await gateway.call('GET /readyz')).text)
  assert.deepEqual(conditions, [{ name: 'storeDamaged', isReady: true, detail: event.message }])
  assert.equal(gateway.observations.filter((one) => one.kind === 'event' && one.name === 'storeDamaged').length, 1)
})

test('23.2 a truncated file is noticed by the next commit; one that SQLite itself shortened is valid (SQLite)', async (t) => {
  const cuts: readonly ((file: string) => void)[] = [
    (file) => truncateSync(file, 0),
    (file) => truncateSync(file, statSync(file).size / 2),
  ]
  for (const cut of cuts) {
    const { file, post, events, gateway } = await open(t)
    const checkpoint = (and: string) => {
      const other = new DatabaseSync(file)
      other.exec(`${and}; pragma wal_checkpoint(truncate)`)
      other.close()
    }
    const much = 'as select randomblob(400000) as X'
    checkpoint(`create table KEPT ${much}; create table DROPPED ${much}`)
    assert.equal(await post('longer'), 200)
    checkpoint('drop table DROPPED; vacuum')
    assert.equal(await post('shorter'), 200)
    cut(file)
    assert.equal(await post('after'), 503)
    const event = await events('storeDamaged')
    assert.ok(event.message.includes(file) && event.message.includes('ig restore'), event.message)
    assert.equal((await gateway.call('GET METADATA_BASIC.v1', { headers: basic('DEMO') })).status, 200)
  }
})

test('23.3 a missing or empty database that existed before is not a new installation, unless requested (SQLite)', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'ig-files-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'gateway.sqlite')
  const start = async (isNew?: boolean) => {
    const store = await openStore(file, { isNew })
    const { length } = await store.operators.list()
    await store.operators.add({ id: 'DEMO' })
    await store.close()
    return length
  }
  const refused = (isNew: boolean | undefined, message: RegExp) =>
    assert.rejects(start(isNew), { name: 'StoreUnavailable', message })
  await refused(false, /no SQLite database at .*gateway\.sqlite, and --no-new forbids/)
  assert.equal(existsSync(file), false)
  assert.equal(await start(), 0)
  assert.equal(await start(), 1)
  assert.equal(await start(false), 1)
  await refused(true, /There is a database at .* already\. Omit --new/)
  rmSync(file)
  await refused(
    undefined,
    /although .*gateway-id\.sqlite shows that there was one[\s\S]*ig restore <file>[\s\S]*an empty database: --new/,
  )
  writeFileSync(file, '')
  await refused(undefined, /shows that there was one/)
  assert.equal(await start(true), 0)
  assert.equal(await start(), 1)
})

test('23.3 a database of the previous version, which has no such file, is opened, even by several processes at once (SQLite)', async (t) => {
  const { url, openAnother } = await openTestStore(t, findDatabase('SQLite'))
  const mark = besides(url, 'id')
  rmSync(mark)
  await Promise.all([openAnother(), openAnother(), openAnother()])
  assert.ok(existsSync(mark))
  writeFileSync(mark, 'no database at all, and long enough to be looked at '.repeat(40))
  await openAnother()
})

test('23.4 a damaged main file is named with what to do, whether it is no database or half of one with its log (SQLite)', async (t) => {
  const { store, url } = await openTestStore(t, findDatabase('SQLite'))
  const writing = begin(store)
  const rows = Array.from({ length: 5_000 }, (_, id) => [id + 1, 'a row that takes some place'])
  await writing.database.insertRows('NOTE', ['ID', 'TEXT'], rows)
  await writing.commit()
  await store.close()
  const log = new DatabaseSync(url)
  log.exec("update NOTE set TEXT = 'changed' where ID = 1") // its write-ahead log stays beside it
  const [half, halfLog] = [readFileSync(url), readFileSync(`${url}-wal`)]
  log.close()
  writeFileSync(url, half.subarray(0, 4096 * Math.floor(half.length / 8192)))
  writeFileSync(`${url}-wal`, halfLog)
  const message =
    /^The SQLite database .*gateway\.sqlite is damaged: .*Stop the gateway and restore a backup: ig restore <file>\.$/s
  await assert.rejects(openStore(url), { name: 'StoreUnavailable', message })
  assert.deepEqual(readFileSync(`${url}-wal`), halfLog, 'nothing is lost that may be of use')
  writeFileSync(url, 'Dear reader, this is no database at all.'.repeat(100))
  await assert.rejects(openStore(url), { name: 'StoreUnavailable', message })
})

test('23.5 a damaged file of the cache is set aside and created again by the serving process (SQLite)', async (t) => {
  const { store, url, openAnother } = await openTestStore(t, findDatabase('SQLite'))
  await store.close()
  const cache = besides(url, 'cache')
  const folder = dirname(url)
  const damages: readonly ((bytes: Buffer) => Buffer)[] = [
    () => Buffer.from('no database'.repeat(100)),
    (bytes) => bytes.subarray(0, 4096),
    (bytes) => Buffer.concat([bytes.subarray(0, 4096), Buffer.alloc(bytes.length - 4096, 0xff)]),
  ]
  const events: string[] = []
  const observe = (one: Observation) => void (one.kind === 'event' && events.push(`${one.name}: ${one.message}`))
  for (const [index, damage] of damages.entries()) {
    writeFileSync(cache, damage(readFileSync(cache)))
    await assert.rejects(openAnother(), {
      name: 'StoreUnavailable',
      message: /cache\.sqlite is damaged: .* creates a new one/,
    })
    const served = await openStore(url, { observe })
    assert.equal((await cacheRowsOf(served).changedSince(-1)).generations.size, 0)
    await served.close()
    assert.equal(events.length, index + 1)
    assert.match(
      events[index] ?? '',
      /^fileSetAside: .*gateway-cache\.sqlite is damaged: .* renamed to .*gateway-cache-damaged-/,
    )
    const aside = readdirSync(folder).filter((name) => /^gateway-cache-damaged-[^.]*\.sqlite$/.test(name))
    assert.equal(aside.length, index + 1)
  }
})

test('23.5 a file of the cache that is damaged in its middle is set aside at the next start, and ig apply says before that what is active (SQLite)', async (t) => {
  const { store, url } = await openTestStore(t, findDatabase('SQLite'))
  const folder = makeProject(clusterFiles)
  const env = { IG_DATABASE: url }
  assert.equal((await ig(['apply', folder], { env })).code, 0)
  for (let id = 0; id < 100; id += 1)
    await store.instances.beat({ id: `damaged${id}`, seen: 0, started: 0, facts: 'x'.repeat(1000) }, 0)
  await store.close()
  overwriteRows(besides(url, 'cache'), 'damaged')
  const config = join(folder, 'gateway.config.js')
  writeFileSync(config, readFileSync(config, 'utf8').replaceAll("'ALL'", "'EVERYONE'"))
  const { code, stderr } = await ig(['apply', folder, '--force'], { env })
  assert.equal(code, 1)
  assert.match(
    stderr,
    /^ig: .*Revision 2 is active, but whether every process serves it is unknown\.\n {2}processes their reports cannot be read: .*malformed/m,
  )
  const events: string[] = []
  const served = await openStore(url, { observe: (one) => void (one.kind === 'event' && events.push(one.name)) })
  assert.deepEqual(events, ['fileSetAside'])
  assert.equal((await served.revisions.active())?.revision, 2)
  assert.deepEqual(await served.instances.list(), [])
  await served.close()
})

/** All pages that hold a row with this text. */
function overwriteRows(file: string, text = 'many'): void {
  const bytes = readFileSync(file)
  const handle = openSync(file, 'r+')
  for (let page = 4096; page < bytes.length; page += 4096) {
    if (bytes.subarray(page, page + 4096).includes(text)) writeSync(handle, Buffer.alloc(4096, 0xff), 0, 4096, page)
  }
  closeSync(handle)
}

async function open(t: TestContext) {
  const gateway = await openReference({ database: findDatabase('SQLite'), properties: noProvider })
  t.after(() => gateway.close())
  const file = gateway.settings.database
  const post = async (key: string) => {
    const body = `<request><row><key>${key}</key><value>x</value></row></request>`
    return (await gateway.call('POST KEY_VALUE.v1', { headers: basic('DEMO'), body })).status
  }
  const events = async (name: string, count = 1): Promise<Event> => {
    for (;;) {
      const found = gateway.observations.filter((one): one is Event => one.kind === 'event' && one.name === name)
      const last = found[count - 1]
      if (last) return last
      await new Promise(setImmediate)
      t.signal.throwIfAborted()
    }
  }
  return { gateway, file, post, events }
}
