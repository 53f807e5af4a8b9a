/** A damaged file of the monitor (specification 23.5). */
import assert from 'node:assert/strict'
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { openMonitor } from '../../../src/features/monitor/open.ts'
import { besides } from '../../../src/store/sqlite/files.ts'
import { basic } from '../../support/client.ts'
import { findDatabase } from '../../support/databases.ts'
import { noProvider, openReference } from '../../support/gateway.ts'
import { openTestStore } from '../../support/stores.ts'

test('23.5 a file of the monitor that is damaged while it is written is set aside, and waiting transactions are stored in a new one (SQLite)', async (t) => {
  const { url } = await openTestStore(t, findDatabase('SQLite'))
  const events: string[] = []
  const monitor = openMonitor({
    settings: {
      log: { masking: 'known' },
      database: url,
      monitor: { isOn: true, perSecond: 100, bodyBytes: 0, days: 1, transactions: 1e6, bytes: 1e9 },
    },
    observe: (one) => void (one.kind === 'event' && events.push(one.name)),
    every: 10,
    retryDelay: 10,
  })
  t.after(() => monitor.close())
  const file = besides(url, 'monitor')
  await monitor.monitorStore()
  const other = new DatabaseSync(file)
  other.exec('pragma wal_checkpoint(truncate)')
  other.close()
  const bytes = readFileSync(file)
  const handle = openSync(file, 'r+')
  writeSync(handle, Buffer.alloc(bytes.length - 4096, 0xff), 0, bytes.length - 4096, 4096)
  closeSync(handle)
  const gateway = await openReference({ database: findDatabase('SQLite'), properties: noProvider })
  t.after(() => gateway.close())
  await gateway.call('GET METADATA_BASIC.v1', { headers: basic('DEMO') })
  for (const one of gateway.observations) monitor.observe(one)
  const count = async () => (await (await monitor.monitorStore())?.extent().catch(() => undefined))?.transactions ?? 0
  while ((await count()) === 0 && !t.signal.aborted) await new Promise(setImmediate)
  assert.ok(events.includes('fileSetAside'), events.join())
})
