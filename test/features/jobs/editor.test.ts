/** Jobs in the administration API (specification 24.11). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openJobs } from '../../../src/features/jobs/rows.ts'
import { openTestAdmin } from '../../support/admin.ts'
import { makeProject } from '../../support/cli.ts'
import { forEachDatabase } from '../../support/databases.ts'

const files = {
  'gateway.config.js': `export default {
  nodes: [{ name: 'LOCAL_NODE', isDefaultLocal: true }],
  jobs: [{ name: 'WORK', every: '5min', handler: 'handlers/work.js' }],
}`,
  'handlers/work.js': 'export default class Work { run() {} }\n',
}

forEachDatabase((database) => {
  test(`24.1, 24.11 everyone sees the jobs, administrators request a run, and a draft can change a job (${database.name})`, async (t) => {
    const { ask, opened } = await openTestAdmin(t, { database, folder: makeProject(files), hasOperators: false })
    const { store } = opened.gateway
    const list = async () => (await ask('GET /api/job-runs', { as: 'viewer' })).body.items
    const [before] = await list()
    assert.deepEqual([before.job, before.schedule, before.next, before.runId], ['WORK', 'every 5min', null, null])
    const body = { job: 'WORK' }
    assert.equal((await ask('POST /api/job-runs', { as: 'operator', body })).status, 403)
    assert.equal((await ask('POST /api/job-runs', { body: { job: 'NONE' } })).status, 404)
    assert.equal((await ask('POST /api/job-runs', { body })).status, 204)
    assert.match((await list())[0].requested, /Z$/)
    await openJobs(store.databases).plan('WORK', {
      schedule: 'every 5min',
      sequence: 1,
      last: Date.parse('2026-01-01T12:01:00Z'),
    })
    assert.equal((await list())[0].next, '2026-01-01T12:05:00.000Z')
    const [entry] = await store.administration.audit.list({ action: 'requestJobRun', limit: 1 })
    assert.deepEqual([entry?.actor, entry?.subject], ['an administrator', 'WORK'])

    const draft = (await ask('POST /api/drafts', { body: { title: 'jobs' } })).body.id
    const value = { name: 'WORK', at: '0 3 * *', handler: 'handlers/gone.js' }
    const { etag } = await ask(`GET /api/drafts/${draft}/jobs/WORK`)
    const saved = await ask(`PUT /api/drafts/${draft}/jobs/WORK`, { body: value, ifMatch: etag })
    assert.match(saved.body.problems[0].message, /^must be a cron expression/)
    const mended = await ask(`PUT /api/drafts/${draft}/jobs/WORK`, {
      body: { ...value, at: '0 3 * * *' },
      ifMatch: saved.etag,
    })
    assert.deepEqual(mended.body.problems, [])
    const { body: checked } = await ask(`GET /api/drafts/${draft}/problems`)
    assert.match(JSON.stringify(checked), /"jobs\[0\]\.handler".*does not exist: handlers\/gone\.js/)
  })
})
