/** `ig job run --wait` over the database and by a running gateway; the test is the process that runs it (specification 24.11). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openJobs } from '../../../src/features/jobs/rows.ts'
import { openTestAdmin } from '../../support/admin.ts'
import { ig, makeProject } from '../../support/cli.ts'
import { findDatabase } from '../../support/databases.ts'
import { poll } from '../../support/poll.ts'

test('24.11, 31.1 ig job run --wait waits for the end of the run, over the database and by a running gateway', async (t) => {
  const folder = makeProject({
    'gateway.config.js': `export default {
  nodes: [{ name: 'LOCAL_NODE', isDefaultLocal: true }],
  jobs: [{ name: 'WORK', at: '0 3 * * *', handler: 'handlers/work.js' }],
}`,
    'handlers/work.js': 'export default class Work { run() {} }\n',
  })
  const { opened, admin, ask } = await openTestAdmin(t, { database: findDatabase('SQLite'), folder })
  const { store, settings } = opened.gateway
  const jobs = openJobs(store.databases)
  const { body } = await ask('POST /api/tokens', { body: { name: 'ci', role: 'administrator' } })
  const env = { IG_ADMIN_TOKEN: String(body.token), IG_DATABASE: settings.database }
  const lease = { name: 'WORK', token: 'token' }
  const run = async (outcome: 'succeeded' | 'failed', retry: number | null, ...args: readonly string[]) => {
    const running = ig(['job', 'run', 'WORK', '--wait', ...args], { cwd: folder, env })
    const find = async () => (await jobs.list()).find((row) => row.requested !== null)
    await poll(find)
    const requested = await find()
    assert.ok(requested)
    const plan = { ...lease, run: 'a', instance: 'here', begun: 1, due: 1, attempt: 1, last: 1, lease: 60_000 }
    await jobs.begin(requested, plan)
    await jobs.end(lease, { outcome: 'failed', reason: 'it may be repeated', ended: 2, retry })
    const [row] = await jobs.list()
    if (row && retry !== null) await jobs.begin(row, { ...plan, run: 'b', attempt: 2 })
    if (retry !== null) await jobs.end(lease, { outcome, reason: outcome, ended: 3, retry: null })
    return running
  }
  for (const way of [[], ['--url', admin.url]]) {
    const succeeded = await run('succeeded', 2, ...way)
    assert.deepEqual([succeeded.code, succeeded.stdout, succeeded.stderr], [0, 'WORK succeeded.\n', ''])
    const failed = await run('failed', null, ...way, '--json')
    assert.deepEqual([failed.code, failed.stderr], [1, 'ig: WORK failed: it may be repeated\n'])
    const { runId, outcome } = JSON.parse(failed.stdout)
    assert.deepEqual([runId, outcome], ['a', 'failed'])
  }
})
