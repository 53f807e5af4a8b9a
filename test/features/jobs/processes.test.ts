/** Jobs in processes of `ig start`: a paused one, the command line, log, metrics and monitor (specification 24). */
import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { openStore } from '../../../src/store/open-store.ts'
import { besides } from '../../../src/store/sqlite/files.ts'
import { ig, makeProject } from '../../support/cli.ts'
import { openCluster } from '../../support/cluster.ts'
import { clusterFiles } from '../../support/cluster-project.ts'
import { findDatabase, runOutside } from '../../support/databases.ts'
import { poll } from '../../support/poll.ts'
import { parseScrape, sumOf } from '../../support/scrape.ts'

const files = {
  ...clusterFiles,
  'gateway.config.js': clusterFiles['gateway.config.js']?.replace(
    /\}$/,
    `  jobs: [
    { name: 'NOTE', every: '1d', isActive: false, handler: 'handlers/job.js' },
    { name: 'DIE', every: '1d', isActive: false, handler: 'handlers/job.js#Die' },
    { name: 'FAIL', at: '0 3 * * *', timeZone: 'Europe/Berlin', handler: 'handlers/job.js#Fail' },
  ],
}`,
  ) as string,
  'handlers/job.js': `
import { existsSync } from 'node:fs'
export default class Note {
  async run({ database, attempt }) {
    await database.insertInto('NOTE').values({ TEXT: String(process.pid) }).execute()
    console.error('attempt ' + attempt + ' in ' + process.pid)
    while (attempt === 1 && existsSync(new URL('../hold', import.meta.url))) await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
export class Die {
  async run({ database, attempt }) {
    await database.insertInto('NOTE').values({ TEXT: 'died ' + attempt }).execute()
    if (attempt === 1) process.kill(process.pid, 'SIGKILL')
  }
}
export class Fail {
  run({ log }) {
    log.warning('about to fail', { password: 'secret-of-the-job' })
    throw new Error('password=secret-of-the-job is wrong')
  }
}`,
}

test('24.7, 24.8 a process that is paused longer than its lease, or dies, commits nothing of the run that another takes over (PostgreSQL)', async (t) => {
  const { start, folder, env } = await openCluster(t, findDatabase('PostgreSQL'), files)
  const database = env.IG_DATABASE ?? ''
  writeFileSync(join(folder, 'hold'), '')
  const instances = await Promise.all([start(['--workers', '1']), start(['--workers', '1'])])
  assert.equal((await ig(['job', 'run', 'NOTE', '--project', folder], { env })).code, 0)
  const begun = instances.map(async (instance) => ({
    instance,
    pid: Number((await instance.until(/attempt 1 in (\d+)/))[1]),
  }))
  for (const each of begun) each.catch(() => {})
  const { instance: paused, pid } = await Promise.race(begun)
  const other = instances.find((instance) => instance !== paused)
  process.kill(pid, 'SIGSTOP')
  await runOutside(database, 'update ig_job set until = 0') // as after 15 seconds
  const [, heir] = (await other?.until(/attempt 2 in (\d+)/)) ?? []
  await other?.until(/"event":"jobEnded","outcome":"succeeded","attempt":2/)
  rmSync(join(folder, 'hold'))
  process.kill(pid, 'SIGCONT')
  await paused.until(/"event":"jobEnded","outcome":"lost","attempt":1/)
  assert.deepEqual(await runOutside(database, 'select "TEXT" from "NOTE"'), [{ TEXT: heir }])
  assert.notEqual(heir, String(pid))

  await ig(['job', 'run', 'DIE', '--project', folder], { env })
  const died = await Promise.race(instances.map(({ ended }, index) => ended.then(() => index)))
  await runOutside(database, 'update ig_job set until = 0')
  await instances[1 - died]?.until(/"event":"jobLost"[^\n]*\bDIE\b/)
  await instances[1 - died]?.until(/"event":"jobEnded","outcome":"succeeded","attempt":2[^\n]*"DIE"/)
  const rows = await runOutside(database, `select "TEXT" from "NOTE" where "TEXT" like 'died%'`)
  assert.deepEqual(rows, [{ TEXT: 'died 2' }])
})

test('24.11, 24.12 ig job requests a run that a serving process begins; log, metrics and monitor have its end, without secrets (SQLite)', async (t) => {
  const { start, folder, env } = await openCluster(t, findDatabase('SQLite'), files)
  const verb = (...args: readonly string[]) => ig(['job', ...args, '--project', folder], { env })
  const instance = await start(['--workers', '1'], { IG_METRICS_PORT: '0', IG_ADMIN_PORT: '0' })
  const run = await verb('run', 'NOTE', '--wait', '--as', 'kim')
  assert.deepEqual([run.code, run.stdout], [0, 'NOTE succeeded.\n'], run.stderr)
  const failed = await verb('run', 'FAIL', '--wait')
  assert.deepEqual([failed.code, failed.stderr], [1, 'ig: FAIL failed: Error: password=[redacted] is wrong\n'])
  const unknown = await verb('run', 'NOTES')
  assert.deepEqual([unknown.code, unknown.stderr], [1, 'ig: Not found. There is no job NOTES; did you mean NOTE?\n'])

  const { stdout } = await verb('list', '--json')
  const [note, , fail] = JSON.parse(stdout).items
  assert.deepEqual([note.job, note.next, note.outcome, note.reason], ['NOTE', null, 'succeeded', null])
  assert.deepEqual([fail.schedule, fail.outcome], ['at 0 3 * * * (Europe/Berlin)', 'failed'])
  assert.match(fail.next, /T0[12]:00:00\.000Z$/)
  assert.match((await verb('list')).stdout, /^JOB +SCHEDULE +NEXT[^\n]*\nNOTE +every 1d +succeeded /)

  const [line = ''] = await instance.until(/^.*"event":"jobEnded","outcome":"failed".*$/m)
  const entry = JSON.parse(line)
  assert.deepEqual([entry.level, entry.job, entry.transactionId], ['error', 'FAIL', fail.runId])
  assert.equal(entry.msg ?? entry.message, 'The job FAIL failed: Error: password=[redacted] is wrong.')
  const [, metrics = ''] = await instance.until(/metrics at (http:\S+?\/metrics)/)
  await poll(async () => {
    const scraped = parseScrape(await (await fetch(metrics)).text())
    return sumOf(scraped, 'ig_job_runs_total', { name: 'FAIL', outcome: 'failed' }) === 1
  })
  const scraped = parseScrape(await (await fetch(metrics)).text())
  assert.equal(sumOf(scraped, 'ig_job_runs_total', { name: 'NOTE', outcome: 'succeeded' }), 1)
  assert.equal(sumOf(scraped, 'ig_job_duration_seconds_count', { name: 'NOTE' }), 1)
  assert.equal(scraped.get('ig_job_runs_total')?.samples.length, 15) // also of outcomes that none had
  const { stderr, stdout: output } = await instance.stop()
  assert.doesNotMatch(stderr + output, /secret-of-the-job/)

  const monitor = new DatabaseSync(besides(env.IG_DATABASE ?? '', 'monitor'))
  t.after(() => monitor.close())
  const transactions = monitor.prepare(`select url, status, reason from ig_monitor
    join ig_monitor_class on ig_monitor_class.id = class where method = 'JOB' order by sequence desc`)
  assert.deepEqual(
    transactions.all().map(({ url, status, reason }) => [url, status, reason]),
    [
      ['FAIL', 500, 'The job FAIL failed: Error: password=[redacted] is wrong.'],
      ['NOTE', 200, null],
    ],
  )
  const store = await openStore(env.IG_DATABASE ?? '')
  t.after(() => store.close())
  const audit = await store.administration.audit.list({ action: 'requestJobRun', limit: 10 })
  assert.deepEqual(audit.map(({ actor, subject, via }) => [actor, subject, via]).at(-1), [
    'kim',
    'NOTE',
    'command line',
  ])
})

test('24.1 ig check reports a job without its class along with the errors of operations', async () => {
  const folder = makeProject({
    'gateway.config.js': `export default {
  nodes: [{ name: 'LOCAL_NODE', isDefaultLocal: true }],
  services: [{ name: 'ONE' }],
  operations: [{ service: 'ONE', name: 'ONE', method: 'GET', handler: 'handlers/both.js#Job' }],
  jobs: [
    { name: 'GOOD', every: '5min', handler: 'handlers/both.js#Job' },
    { name: 'BAD', every: '5min', handler: 'handlers/both.js#Operation' },
    { name: 'LOST', every: '5min', handler: 'handlers/lost.js' },
  ],
}`,
    'handlers/both.js': 'export class Job { run() {} }\nexport class Operation { onRequest() {} }\n',
  })
  const { code, stdout } = await ig(['check', '--project', folder, '--json'])
  const { problems } = JSON.parse(stdout) as { problems: { path: string; message: string }[] }
  assert.equal(code, 1)
  assert.deepEqual(
    problems.map(({ path, message }) => `${path} ${message}`),
    [
      'operations[0].handler names Job of handlers/both.js, which is not a class with a method onRequest',
      'jobs[1].handler names Operation of handlers/both.js, which is not a class with a method run',
      'jobs[2].handler names a file that does not exist: handlers/lost.js; did you mean both.js?',
    ],
  )
})
