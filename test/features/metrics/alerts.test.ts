/** Alerts of a gateway over both databases: since when, what was, and silences (specification 43.7 to 43.9). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keyOf, maxEnded, openAlertRows } from '../../../src/features/metrics/alert-rows.ts'
import { openMetricRows } from '../../../src/features/metrics/rows.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { openTestAdmin } from '../../support/admin.ts'
import { forEachDatabase } from '../../support/databases.ts'
import { poll } from '../../support/poll.ts'

const start = Date.parse('2026-03-01T12:00:00Z')

forEachDatabase((database) => {
  test(`43.7, 43.8 an alert begins once, ends when it was not found for a minute, and the last 500 are kept (${database.name})`, async (t) => {
    const place = await database.open()
    t.after(() => place.remove())
    const store = await openStore(place.url, { now: Date.now })
    t.after(() => store.close())
    const rows = openAlertRows(store.databases)
    const slow = { name: 'GatewaySlow', subject: 'A_GET.v1', detail: '3 s' }
    const both = await Promise.all([rows.follow([slow], start), rows.follow([slow], start)])
    assert.equal(both.flatMap(({ begun }) => begun).length, 1, 'two instances find it, one reports it')
    await rows.follow([{ ...slow, detail: '4 s' }], start + 15_000)
    const [active] = await rows.active()
    assert.deepEqual(active, { ...slow, detail: '4 s', began: start, seen: start + 15_000, ended: null })
    assert.deepEqual(await rows.follow([], start + 75_000), { begun: [], ended: [] })
    const { ended } = await rows.follow([], start + 75_001)
    assert.deepEqual([ended.map(keyOf), await rows.active()], [['GatewaySlow:A_GET.v1'], []])
    assert.deepEqual(await rows.ended(), [{ ...active, ended: start + 15_000 }])
    const many = Array.from({ length: maxEnded }, (_, at) => ({ ...slow, subject: `B${at}_GET.v1` }))
    await rows.follow(many, start + 100_000)
    await rows.follow([], start + 200_000)
    const kept = await rows.ended()
    assert.deepEqual([kept.length, kept.some(({ subject }) => subject === 'A_GET.v1')], [maxEnded, false])
  })

  test(`43.7, 43.8, 43.9 the API lists an alert with what to do, reports it, and operators silence it (${database.name})`, async (t) => {
    let now = Date.now()
    const properties = { 'ig.alerts.memory': '1MiB', 'ig.alerts.eventLoopDelay': 'off' }
    const { ask, observations, opened } = await openTestAdmin(t, { database, properties, now: () => now })
    const list = async (query = '') => (await ask(`GET /api/alerts${query}`, { as: 'viewer' })).body.items
    const reported = () =>
      observations.flatMap((each) => (each.kind === 'event' && /^alert/.test(each.name) ? each : []))
    assert.deepEqual(await list(), [])
    const counts = { calls: 0, refused: 0, failed: 0, slow: 0, seconds: 0, longest: 0 }
    const details = JSON.stringify({ memory: 5 * 1024 ** 2, delay: 0 })
    const minutes = [1, 2, 3, 4].map((ago) => {
      const time = (Math.floor(now / 60_000) - ago) * 60_000
      return { resolution: 60, time, operation: '', ...counts, details } as const
    })
    await openMetricRows(opened.gateway.store.databases).write('gateway-1:8080/writer', minutes, now)
    await poll(async () => (await list()).length > 0)
    const [{ id, began, detail, action, ...alert }] = await list()
    assert.equal(id, 'GatewayMemory:gateway-1:8080')
    assert.equal(detail, 'its processes used 5 MiB for 3 minutes (threshold 1 MiB)')
    assert.match(action, /grows for days/)
    assert.ok(Math.abs(Date.parse(began) - now) < 60_000)
    assert.deepEqual(alert, {
      ...{ name: 'GatewayMemory', title: 'An instance uses much memory', severity: 'warning' },
      ...{ operation: null, instance: 'gateway-1:8080', ended: null },
      means: 'Its processes use more than ig.alerts.memory.',
      ...{ silencedUntil: null, silencedBy: null },
    })
    await poll(() => reported().length === 1)
    assert.deepEqual(reported()[0]?.detail, { alert: 'GatewayMemory', subject: alert.instance })

    const path = `/api/alerts/${encodeURIComponent(id)}/silence`
    const silence = async (until: number, as: 'viewer' | 'operator') =>
      (await ask(`PUT ${path}`, { as, body: { until: new Date(until).toISOString() } })).status
    assert.deepEqual(
      [await silence(now + 9e6, 'viewer'), await silence(now - 1, 'operator'), await silence(now + 9e9, 'operator')],
      [403, 400, 400],
    )
    assert.equal(
      (await ask('PUT /api/alerts/GatewayMemory%3Ab/silence', { body: { until: '2026-03-01T12:00:00Z' } })).status,
      404,
    )
    assert.equal(await silence(now + 9e6, 'operator'), 204)
    const [silenced] = await list()
    assert.deepEqual([silenced.silencedUntil, silenced.silencedBy], [new Date(now + 9e6).toISOString(), 'an operator'])
    const { items } = (await ask('GET /api/audit')).body
    const entry = items.find((each: { action: string }) => each.action === 'silenceAlert')
    assert.deepEqual([entry.action, entry.subject, entry.actor], ['silenceAlert', id, 'an operator'])

    now += 600_000
    await poll(async () => (await list()).length === 0)
    const [ended] = await list('?ended=true')
    assert.deepEqual([ended.id, ended.began, ended.silencedUntil], [id, began, silenced.silencedUntil])
    assert.equal(reported().length, 1, 'its end is not reported: it is silenced')
    assert.equal((await ask(`DELETE ${path}`, { as: 'operator' })).status, 204)
    assert.equal((await ask(`DELETE ${path}`, { as: 'operator' })).status, 404)
  })
})
