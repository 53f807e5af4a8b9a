/** Several workers keep what they answered in one monitor (specification 21.5). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMonitorStore } from '../../../src/features/monitor/monitor-store.ts'
import { openCluster } from '../../support/cluster.ts'
import { forEachDatabase } from '../../support/databases.ts'
import { poll } from '../../support/poll.ts'

forEachDatabase((database) => {
  test(`21.5 every worker keeps its calls, and the process of administration reads them all (${database.name})`, async (t) => {
    const { start, env } = await openCluster(t, database)
    const instance = await start(['--workers', '2'], { IG_ADMIN_PORT: 'off' })
    const store = await openMonitorStore(env.IG_DATABASE ?? '')
    t.after(() => store.close())
    await instance.until(/"event":"started","worker":2/)
    const pids = new Set<string>()
    let sent = 0
    for (; pids.size < 2; sent += 1) pids.add((await instance.call('GET WHO.v1')).text)
    await poll(async () => (await store.extent()).transactions >= sent)
    const { transactions } = await store.list({ filter: { operation: 'WHO_GET.v1' }, limit: 100 })
    assert.equal(transactions.length, sent)
    const workers = new Set(transactions.map((each) => each.instance.slice(-2)))
    assert.deepEqual([...workers].sort(), [' 1', ' 2'])
    await instance.stop()
  })
})
