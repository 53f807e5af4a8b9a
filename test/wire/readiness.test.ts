/** Readiness: what probes get (specification 20.11). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestAdmin } from '../support/admin.ts'
import { send } from '../support/client.ts'
import { findDatabase } from '../support/databases.ts'
import { poll } from '../support/poll.ts'

test('20.11 readiness has the revision, and stays ready with a store that does not answer, which it reports as stale', async (t) => {
  const { opened } = await openTestAdmin(t, { database: findDatabase('SQLite') })
  const { condition } = opened.gateway
  const conditions = { logFailed: undefined }
  condition.activeConditions = () => conditions
  const ask = async () => {
    const { status, headers, text } = await send(opened.url, 'GET /readyz')
    assert.equal(headers['content-type'], 'application/json')
    assert.equal(headers['cache-control'], 'no-store')
    const { storeAgeSeconds, conditions, ...facts } = JSON.parse(text)
    assert.ok(storeAgeSeconds >= 0)
    return [status, { ...facts, conditions: conditions.map(({ name }: { name: string }) => name) }]
  }
  const current = { status: 'ready', revision: 1, store: 'current', conditions: [] }
  assert.deepEqual(await ask(), [200, current])
  const looking = opened.gateway.store.changesSince
  Object.assign(opened.gateway.store, { changesSince: () => Promise.reject(new Error('away')) })
  await poll(() => condition.isStoreOutage)
  assert.deepEqual(await ask(), [200, { ...current, store: 'stale', conditions: ['storeStale'] }])
  Object.assign(opened.gateway.store, { changesSince: looking })
  await poll(() => !condition.isStoreOutage)
  assert.deepEqual(await ask(), [200, current])
  Object.assign(conditions, { logFailed: 'The disk is full.' })
  assert.deepEqual(await ask(), [200, { ...current, conditions: ['logFailed'] }])
})

test('20.11 a gateway that starts or shuts down is not ready, and still alive', async (t) => {
  const { opened } = await openTestAdmin(t, { database: findDatabase('SQLite') })
  const { condition } = opened.gateway
  const ask = async () => {
    const { status, text } = await send(opened.url, 'GET /readyz')
    assert.equal((await send(opened.url, 'GET /healthz')).status, 200)
    const { status: reported, conditions } = JSON.parse(text)
    return [status, reported, conditions]
  }
  condition.awaitsAdministration = true
  const detail = 'The gateway is starting: administration does not listen yet.'
  assert.deepEqual(await ask(), [503, 'starting', [{ name: 'starting', isReady: false, detail }]])
  condition.awaitsAdministration = false
  condition.isStopping = true
  const stopping = { name: 'stopping', isReady: false, detail: 'The gateway is stopping.' }
  assert.deepEqual(await ask(), [503, 'stopping', [stopping]])
})
