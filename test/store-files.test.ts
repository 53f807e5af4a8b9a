/** The files of an SQLite database: removed, replaced or damaged while the gateway runs, or when it starts (specification 23). */
import assert from 'node:assert/strict'
import { closeSync, copyFileSync, linkSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import type { Event } from '../src/model/observation.ts'
import { basic } from './support/client.ts'
import { findDatabase } from './support/databases.ts'
import { openReference } from './support/gateway.ts'

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

test('23.1 an idle gateway notices it, too, and goes on when the original is back (SQLite)', async (t) => {
  const { file, post, events } = await open(t)
  renameSync(file, `${file}.old`)
  await events('storeFileGone')
  renameSync(`${file}.old`, file)
  await events('storeFileBack')
  assert.equal(await post('again'), 200)
})

test('23.2 damage that a statement meets is logged once; it and every call that writes get 503, the others go on (SQLite)', async (t) => {
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

/** All pages that hold a row of theirs. */
function overwriteRows(file: string): void {
  const bytes = readFileSync(file)
  const handle = openSync(file, 'r+')
  for (let page = 4096; page < bytes.length; page += 4096) {
    if (bytes.subarray(page, page + 4096).includes('many')) writeSync(handle, Buffer.alloc(4096, 0xff), 0, 4096, page)
  }
  closeSync(handle)
}

async function open(t: TestContext) {
  const gateway = await openReference({ database: findDatabase('SQLite') })
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
