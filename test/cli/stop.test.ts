/** A stop stops, and a command that has its result ends, whatever is open (specification 17.12, 17.13). */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { ig, makeProject, serve, spawnIg } from '../support/cli.ts'
import { openCluster } from '../support/cluster.ts'
import { clusterFiles } from '../support/cluster-project.ts'
import { findDatabase, forEachDatabase } from '../support/databases.ts'
import { igCommand } from '../support/installed.ts'

const alone = ['--workers', '1']
const brief = { IG_LIMITS_SHUTDOWNGRACE: '100ms' }

for (const [verb = '', ...options] of [
  ['dev', '--issuer-port', '0'],
  ['start', '--workers', '1'],
  ['start', '--workers', '2'],
]) {
  test(`17.5 ig ${verb} ${options.join(' ')} stops gracefully when npm's shell ends`, async (t) => {
    const serving = [...igCommand, verb, makeProject(clusterFiles)]
    const shell = spawn('sh', ['-c', '"$@"; :', 'sh', process.execPath, ...serving, '--port', '0', ...options], {
      env: { PATH: process.env.PATH, IG_ADMIN_PORT: 'off', npm_lifecycle_event: 'start' },
    })
    t.after(() => shell.kill('SIGKILL'))
    let output = ''
    for (const stream of [shell.stdout, shell.stderr])
      stream.setEncoding('utf8').on('data', (part) => {
        output += part
        if (/Ctrl-C stops|is active/.test(output)) shell.kill('SIGTERM')
      })
    await once(shell, 'close') // the gateway has its outputs, too
    assert.match(output, verb === 'dev' ? /Stopping\. Press Ctrl-C again/ : /"event":"stopping"/)
  })
}

test('17.4 with one worker SIGHUP stops the gateway', async () => {
  const serving = serve(['start', makeProject(clusterFiles), '--port', '0', '--workers', '1'])
  await serving.until(/is active/)
  serving.process.kill('SIGHUP')
  const { code, stdout } = await serving.ended
  assert.deepEqual([code, /"event":"stopping"/.test(stdout)], [0, true])
})

/** What modules of a project may leave open, each without an end. */
const leftOpen = `
import { spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { Worker } from 'node:worker_threads'
setInterval(() => {}, 1000)
createServer().listen(0, '127.0.0.1')
new Worker('for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000)', { eval: true })
console.error('left ' + spawn('sleep', ['3600'], { stdio: ['ignore', process.env.IG_TEST_KEEPS_OUTPUT ? 'inherit' : 'ignore', 'ignore'] }).pid)
`

/** Child processes outlive the process that started them: a test ends them by their number. */
function endLeft(stderr: string): void {
  for (const [, pid] of stderr.matchAll(/left (\d+)/g)) process.kill(Number(pid), 'SIGKILL')
}

function leaveOpen(folder: string): void {
  const file = join(folder, 'handlers/cluster.js')
  writeFileSync(file, `${leftOpen}${readFileSync(file, 'utf8')}`)
}

forEachDatabase((database) => {
  test(`17.12 shutdown ends although a handler still waits: its call is refused, rolled back, and logged as cut off by the stop (${database.name})`, async (t) => {
    const { start, folder } = await openCluster(t, database)
    for (const workers of ['1', '2']) {
      const instance = await start(['--workers', workers], brief)
      const cut = instance.call('POST NOTE.v1', `note=cut${workers}&hold=1`)
      await instance.until(/holding in/)
      const { code } = await instance.stop()
      const { status, text } = await cut
      assert.deepEqual(
        [status, JSON.parse(text).code, JSON.parse(text).detail],
        [503, 'overloaded', 'The gateway is stopping.'],
      )
      assert.ok(code === 0 || code === null, `${code}: 0, or killed where the machine was too busy to close in time`)
    }
    const log = readFileSync(join(folder, 'data/logs/errorLog.html'), 'utf8')
    assert.equal(log.match(/cut off by the stop: the grace time has ended/g)?.length, 2)
    assert.doesNotMatch(log, /client left/i)
    const instance = await start(alone)
    assert.equal((await instance.call('GET NOTE.v1')).text, '')
  })
})

test('17.12 timers, threads, sockets and child processes of modules delay neither a shutdown nor a failed start', async (t) => {
  const { start, folder, env } = await openCluster(t, findDatabase('SQLite'))
  leaveOpen(folder)
  const instance = await start(alone)
  const { code, stderr } = await instance.stop()
  endLeft(stderr)
  assert.equal(code, 0)
  const failed = await ig(['start', folder, '--port', '0', ...alone], { env: { ...env, IG_HOST: '192.0.2.1' } })
  endLeft(failed.stderr)
  assert.equal(failed.code, 1)
})

test('17.12, 17.2 a child process that keeps the output of a worker open delays neither its successor nor the shutdown', async (t) => {
  const { start, folder } = await openCluster(t, findDatabase('SQLite'))
  leaveOpen(folder)
  const instance = await start(['--workers', '2'], { IG_TEST_KEEPS_OUTPUT: 'yes' })
  const [, left = ''] = await instance.until(/left (\d+)/)
  t.after(async () => endLeft((await instance.ended).stderr))
  const [pid] = await instance.pids(2)
  process.kill(Number(pid), 'SIGKILL')
  await instance.until(new RegExp(`"event":"workerDied","message":"Worker \\d \\(process ${pid}\\)`))
  await instance.until(/"event":"workerDied"[\s\S]*"event":"started"/)
  assert.ok(Number(left) > 0)
  assert.equal((await instance.stop()).code, 0)
})

test('17.12 a process whose outputs have lost their readers stops', async (t) => {
  const { start } = await openCluster(t, findDatabase('SQLite'))
  for (const workers of ['1', '2']) {
    const instance = await start(['--workers', workers], { IG_LOG_LEVEL: '5' })
    instance.process.stdout?.destroy()
    instance.process.stderr?.destroy()
    assert.equal((await instance.call('GET WHO.v1', 'wait=1')).status, 200) // writes to both
    instance.process.kill('SIGTERM')
    assert.deepEqual(await once(instance.process, 'exit'), [0, null])
  }
})

test('17.12 anything still stuck after the grace time is killed with the process', async (t) => {
  const { start, folder } = await openCluster(t, findDatabase('SQLite'))
  const pipe = join(folder, 'pipe')
  spawnSync('mkfifo', [pipe])
  const file = join(folder, 'handlers/cluster.js')
  const stuck = `import { open } from 'node:fs'\nopen(${JSON.stringify(pipe)}, 'r', () => {})\n` // until it has a writer
  writeFileSync(file, `${stuck}${readFileSync(file, 'utf8')}`)
  const instance = await start(alone, brief)
  instance.process.kill('SIGTERM')
  assert.deepEqual(await once(instance.process, 'exit'), [null, 'SIGKILL'])
})

test('17.13 a command ends with its result, whatever modules of the project have left open', async () => {
  const folder = makeProject(clusterFiles)
  leaveOpen(folder)
  const lines = [
    ['check', folder],
    ['apply', folder, '--dry-run'],
    ['describe', 'openapi', folder],
    ['try', 'GET', '/WHO.v1', '--project', folder],
  ]
  const outcomes = await Promise.all(lines.map((line) => spawnIg(line)))
  for (const { stderr } of outcomes) endLeft(stderr)
  assert.deepEqual(
    outcomes.map(({ code, stdout }) => [code, stdout.split('\n')[0]]),
    [
      [0, 'No errors: 7 operations, 1 service, 1 permission list.'],
      [0, 'There is no revision yet. 7 operations added, 1 service added, 1 permission list added, 2 nodes added.'],
      [0, '{'],
      [1, '200'],
    ],
  )
})

test('17.13 a slow reader gets the complete output of a command', async () => {
  const operations = Array.from({ length: 1500 }, (_, at) => ({
    name: `ONE${at}`,
    service: 'MANY',
    method: 'GET',
    uriTemplates: ['/'],
    handler: 'handlers/one.js#One',
  }))
  const folder = makeProject({
    'gateway.config.js': `export default ${JSON.stringify({
      nodes: [{ name: 'LOCAL_NODE', isDefaultLocal: true }],
      services: [{ name: 'MANY' }],
      operations,
      permissionLists: [],
    })}`,
    'handlers/one.js': 'export class One { onRequest() {} }',
  })
  const child = spawn(process.execPath, [...igCommand, 'describe', 'openapi', folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const document = JSON.parse(await text(child.stdout))
  assert.equal(Object.keys(document.paths).length, 1500)
})
