/** `ig start` with several workers, as real processes (specification 17.1 to 17.6). */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { readSettings } from '../../src/settings.ts'
import { besides } from '../../src/store/sqlite/files.ts'
import { ig, serve } from '../support/cli.ts'
import { type Instance, openCluster, openInstance } from '../support/cluster.ts'
import { findDatabase, forEachDatabase } from '../support/databases.ts'
import { installed } from '../support/installed.ts'
import { migrateAsLater } from '../support/later-version.ts'
import { scaled } from '../support/patience.ts'
import { poll } from '../support/poll.ts'

const sqlite = findDatabase('SQLite')

/** Until each of so many workers has said that it serves. */
async function allServe(instance: Instance, count: number): Promise<void> {
  for (let number = 1; number <= count; number += 1)
    await instance.until(new RegExp(`"event":"started","worker":${number},`))
}

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const startTwo = async (t: TestContext) => {
  const cluster = await openCluster(t, sqlite)
  const instance = await cluster.start()
  await allServe(instance, 2)
  return { ...cluster, instance }
}

forEachDatabase((database) => {
  test(`17.1, 17.2 a worker that is killed during a POST stores nothing in part, is replaced, and the others keep serving (${database.name})`, async (t) => {
    const { start } = await openCluster(t, database)
    const instance = await start()
    await allServe(instance, 2)
    const before = await instance.pids(2)
    assert.equal(before.length, 2)
    assert.equal((await instance.call('POST NOTE.v1', 'note=whole')).status, 200)
    const cut = instance.call('POST NOTE.v1', 'note=half&hold=1').then(
      () => 'answered',
      (error) => error.code,
    )
    const [, holder = ''] = await instance.until(/holding in (\d+)/)
    process.kill(Number(holder), 'SIGKILL')
    assert.equal(await cut, 'ECONNRESET')
    await instance.until(
      new RegExp(`"event":"workerDied","message":"Worker \\d \\(process ${holder}\\) ended by SIGKILL`),
    )
    assert.equal((await instance.call('POST NOTE.v1', 'note=after')).status, 200)
    assert.equal((await instance.call('GET NOTE.v1')).text, 'after whole')
    await instance.until(/"event":"workerDied"[\s\S]*"event":"started"/)
    const after = await instance.pids(2)
    assert.equal(after.length, 2)
    assert.equal(after.includes(holder), false)
    const { code, stdout, stderr } = await instance.stop()
    assert.equal(code, 0)
    assert.deepEqual(stderr.match(/ig: serving .* with 2 workers/g)?.length, 1)
    for (const line of stdout.trim().split('\n')) {
      const { event, worker, pid } = JSON.parse(line)
      if (event === 'started') assert.ok(worker >= 1 && worker <= 2 && pid > 0, line)
    }
  })

  test(`17.9 two instances that start at once on an empty database migrate it once, and both serve (${database.name})`, async (t) => {
    const { start } = await openCluster(t, database)
    const instances = await Promise.all([start(['--workers', '1']), start(['--workers', '2'])])
    for (const [index, instance] of instances.entries()) {
      assert.equal((await instance.call('POST NOTE.v1', `note=${index}`)).status, 200)
      await instance.until(/revision 1 is active/)
    }
    assert.equal((await instances[0].call('GET NOTE.v1')).text, '0 1')
    const ends = await Promise.all(instances.map(({ stop }) => stop()))
    assert.equal(ends.filter(({ stderr }) => /the store had none/.test(stderr)).length, 1)
  })

  test(`17.9 when a later version migrates the database, an older instance keeps serving, and does not start again (${database.name})`, async (t) => {
    const { start, folder, env } = await openCluster(t, database)
    const instance = await start(['--workers', '1'])
    assert.equal((await instance.call('POST NOTE.v1', 'note=before')).status, 200)
    await migrateAsLater(env.IG_DATABASE ?? '')
    assert.equal((await instance.call('POST NOTE.v1', 'note=after')).status, 200)
    assert.equal((await instance.call('GET NOTE.v1')).text, 'after before')
    const { code, stderr } = await ig(['start', folder, '--port', '0', '--workers', '1'], { env })
    assert.equal(code, 1)
    assert.match(
      stderr,
      /^(?:warning: ig\.database\.handlers is not set: .*\n)?ig: The database is newer than this gateway: it has the migration 0099-later\./,
    )
    assert.equal((await instance.call('GET NOTE.v1')).text, 'after before')
    const { stdout } = await instance.stop()
    assert.doesNotMatch(stdout, /"event":"storeAway"/)
  })
})

test('17.1 if the system cannot share a port, one process serves, with a warning', async (t) => {
  const { start } = await openCluster(t, sqlite)
  const preload = pathToFileURL(join(import.meta.dirname, '../support/no-shared-port.mjs')).href
  const instance = await start(['--workers', '2'], { NODE_OPTIONS: `--import ${preload}` })
  assert.equal((await instance.call('GET WHO.v1')).text, String(instance.process.pid))
  const { code, stderr } = await instance.stop()
  assert.equal(code, 0)
  assert.match(stderr, /warning: this system cannot share a port between processes; the gateway uses one process/)
})

test('17.1 an invalid number of workers is refused, and so is a port that another gateway shares', async (t) => {
  const { folder, env, instance } = await startTwo(t)
  const told = /ig\.workers must be a whole number \(processes\) from 1 to 256, not "[^"]+" \(--workers\)/
  for (const value of ['0', '-1', 'two', '10000'])
    assert.throws(() => readSettings(folder, {}, { 'ig.workers': { value, option: '--workers' } }), { message: told })
  const refused = await ig(['start', folder, '--workers=1.5'], { env })
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, told)
  const { code, stderr } = await ig(['start', folder, '--workers', '2', '--port', instance.port], { env })
  assert.equal(code, 1)
  assert.match(stderr, new RegExp(`^ig: Port ${instance.port} is in use\\. Choose another with --port <n>`))
  assert.equal(
    (await ig(['start-worker', folder, '--host=x', '--port=0', '--admin-port=off', '--number=1', '--count=1'])).code,
    1,
  )
})

test('17.1 with port 0 the port is one that the system does not assign before the workers listen', async (t) => {
  const { start } = await openCluster(t, sqlite)
  const { port } = await start(['--workers', '2'])
  assert.ok(Number(port) >= 20_000 && Number(port) < 32_768, `${port}`)
})

test('17.1 on SQLite one process serves unless more are configured', async (t) => {
  const { start } = await openCluster(t, sqlite)
  const instance = await start([])
  assert.equal((await instance.call('GET WHO.v1')).text, String(instance.process.pid))
})

test('17.2 a worker whose event loop is blocked is replaced', async (t) => {
  const { start } = await openCluster(t, sqlite)
  const instance = await start(['--workers', '2'], { IG_WORKERS_STALLTIMEOUT: `${scaled(2000)}ms` })
  await allServe(instance, 2)
  const cut = instance.call('GET WHO.v1', 'stall=60000').catch((error) => error.code)
  const [, pid] = await instance.until(
    /"event":"workerStalled","message":"Worker \d \(process (\d+)\) has blocked its event loop/,
  )
  assert.equal(await cut, 'ECONNRESET')
  await instance.until(/"event":"workerDied"[\s\S]*"event":"started"/)
  const pids = await instance.pids(2)
  assert.equal(pids.length, 2)
  assert.equal(pids.includes(pid ?? ''), false)
})

test('17.2, 5.8 a worker that ends because of a failing disk reports it, and the others continue', async (t) => {
  const { start, folder } = await openCluster(t, sqlite)
  const preload = pathToFileURL(join(import.meta.dirname, '../support/disk.mjs')).href
  const disk = { IG_TEST_DISK: folder, IG_TEST_DISK_FAILS: 'yes', NODE_OPTIONS: `--import ${preload}` }
  const instance = await start(['--workers', '2'], disk)
  await allServe(instance, 2)
  writeFileSync(join(folder, 'waits'), '')
  const failing = instance.call('POST NOTE.v1', 'note=maybe')
  await poll(() => existsSync(join(folder, 'asked')))
  rmSync(join(folder, 'waits'))
  assert.equal((await failing).status, 500)
  const [, number] = await instance.until(
    /"event":"storeFailed","worker":(\d),[^\n]*"message":"The SQLite database [^"]* failed: EIO[^"]*\. This process can no longer write to it\. The worker ends and is restarted\."/,
  )
  await instance.until(new RegExp(`"event":"storeFailed"[\\s\\S]*"event":"started","worker":${number},`))
  assert.equal((await instance.call('POST NOTE.v1', 'note=after')).status, 200)
  assert.doesNotMatch((await instance.stop()).stderr, /The gateway stops/)
})

test('17.3 an error is reported once, and nothing is restarted repeatedly', async (t) => {
  const { folder, env } = await openCluster(t, findDatabase('PostgreSQL'))
  const config = join(folder, 'gateway.config.js')
  writeFileSync(config, readFileSync(config, 'utf8').replaceAll('#Who', '#Nobody'))
  const { code, stderr } = await ig(['start', folder, '--port', '0', '--workers', '3'], { env })
  assert.equal(code, 1)
  assert.equal(stderr.match(/The project has/g)?.length, 1, stderr)
})

test('17.3 if the first worker ends without a message, how it ended is reported', async (t) => {
  const { env, folder } = await openCluster(t, sqlite)
  writeFileSync(join(folder, 'handlers/cluster.js'), 'process.exit(3)')
  const { code, stderr } = await ig(['start', folder, '--port', '0', '--workers', '2'], { env })
  assert.equal(code, 1)
  assert.equal(stderr, 'ig: Worker 1 ended with exit code 3. It never served; see the log.\n')
})

test('17.3 a worker that cannot be replaced is retried with growing delays, and the others keep serving', async (t) => {
  const { folder, instance } = await startTwo(t)
  const [handlers, away] = [join(folder, 'handlers'), join(folder, 'away')]
  const [pid] = await instance.pids(2)
  renameSync(handlers, away)
  process.kill(Number(pid), 'SIGKILL')
  await instance.until(/"event":"workerDied","message":"Worker \d \(process \d+\) cannot serve: The project has/)
  await instance.until(
    /"event":"workerBackoff","message":"Worker \d failed \d times in a row; restarting it in \d+ s\./,
  )
  assert.equal((await instance.call('GET WHO.v1')).status, 200)
  renameSync(away, handlers)
  await instance.until(/"event":"workerBackoff"[\s\S]*"event":"started"/)
  assert.equal((await instance.pids(2)).length, 2)
})

test('23.5 when a worker sets a damaged file of the cache aside, all workers are replaced, so that they share the new one', async (t) => {
  const { instance, env } = await startTwo(t)
  const before = await instance.pids(2)
  const cache = besides(env.IG_DATABASE ?? '', 'cache')
  writeFileSync(cache, readFileSync(cache).fill(0xff, 4096))
  process.kill(Number(before[0]), 'SIGKILL')
  await instance.until(/"event":"fileSetAside"[\s\S]*"event":"rolling"(?:[\s\S]*"event":"stopping"){2}/)
  for (const pid of await instance.pids(2)) assert.equal(before.includes(pid), false)
})

test('17.4 SIGHUP replaces the workers in turn, with the current code, and drops no call', async (t) => {
  const { folder, instance } = await startTwo(t)
  const before = await instance.pids(2)
  const slow = instance.call('GET WHO.v1', 'wait=3000')
  const [, busy] = await instance.until(/waiting in (\d+)/)
  const file = join(folder, 'handlers/cluster.js')
  writeFileSync(file, readFileSync(file, 'utf8').replace('context, process.pid)', "context, 'new ' + process.pid)"))
  instance.process.kill('SIGHUP')
  assert.deepEqual([(await slow).status, (await slow).text], [200, busy])
  await instance.until(/"event":"rolling"(?:[\s\S]*"event":"stopping"){2}/)
  for (const pid of await instance.pids(2)) {
    assert.match(pid, /^new \d+$/)
    assert.equal(before.includes(pid.slice(4)), false)
  }
  const { code } = await instance.stop()
  assert.equal(code, 0)
})

test('17.4 if the new code cannot serve, the old workers stay', async (t) => {
  const { folder, instance } = await startTwo(t)
  const before = await instance.pids(2)
  writeFileSync(join(folder, 'handlers/cluster.js'), 'throw new Error("half written")')
  instance.process.kill('SIGHUP')
  await instance.until(/"event":"rollingFailed"/)
  assert.deepEqual(await instance.pids(2), before)
})

test('17.4 a SIGHUP while workers are replaced replaces all of them once more', async (t) => {
  const { instance } = await startTwo(t)
  const before = await instance.pids(2)
  instance.process.kill('SIGHUP')
  await instance.until(/"event":"rolling"[\s\S]*"event":"started","worker":1,/)
  instance.process.kill('SIGHUP')
  await instance.until(/(?:"event":"rolling"[\s\S]*){2}"event":"started","worker":1,/)
  const { code, stdout } = await instance.stop()
  assert.equal(code, 0)
  const begun = stdout.match(/"event":"started","worker":1,"pid":\d+/g) ?? []
  assert.equal(begun.length, 3)
  assert.equal(begun.filter((line) => before.some((pid) => line.endsWith(`:${pid}`))).length, 1)
})

test('17.4, 17.5 SIGTERM while workers are replaced stops all of them, and the next one too', async (t) => {
  const { instance } = await startTwo(t)
  instance.process.kill('SIGHUP')
  await instance.until(/"event":"rolling"/)
  const { code, stdout } = await instance.stop()
  assert.equal(code, 0)
  assert.doesNotMatch(stdout, /"event":"started"(?![\s\S]*"event":"stopping")/)
})

/** A module whose load never ends, and a grace time that no test waits for. */
const hanging = `console.error('loading')\nawait new Promise((resolve) => setInterval(() => {}, 1000))`
const longGrace = { IG_LIMITS_SHUTDOWNGRACE: '600s' }

test('17.5 SIGTERM while the first worker starts ends it at once, and starts no other process', async (t) => {
  const { env, folder } = await openCluster(t, sqlite)
  writeFileSync(join(folder, 'handlers/cluster.js'), hanging)
  const options = { env: { ...env, ...longGrace, IG_ADMIN_PORT: '0' } }
  const serving = serve(['start', folder, '--port', '0', '--workers', '2'], options)
  await serving.until(/loading/)
  const { code, stdout } = await serving.stop()
  assert.equal(code, 0)
  assert.doesNotMatch(stdout, /"worker":0|workerDied/)
})

test('17.5 SIGTERM ends a worker at once that blocks while it starts', async (t) => {
  const { env, folder } = await openCluster(t, sqlite)
  const blocking = `console.error('loading')\nAtomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)`
  writeFileSync(join(folder, 'handlers/cluster.js'), blocking)
  const serving = serve(['start', folder, '--port', '0', '--workers', '2'], { env: { ...env, ...longGrace } })
  await serving.until(/loading/)
  assert.equal((await serving.stop()).code, 0)
})

for (const [what, signal] of [
  ['replaced', 'SIGHUP'],
  ['restarted', 'SIGKILL'],
] as const)
  test(`17.5 SIGTERM while a worker is ${what} ends the new one at once, and the others gracefully`, async (t) => {
    const { start, folder } = await openCluster(t, sqlite)
    const instance = await start(['--workers', '2'], longGrace)
    await allServe(instance, 2)
    const [pid = ''] = await instance.pids(2)
    writeFileSync(join(folder, 'handlers/cluster.js'), hanging)
    process.kill(signal === 'SIGHUP' ? (instance.process.pid ?? 0) : Number(pid), signal)
    await instance.until(/loading/)
    const { code, stdout } = await instance.stop()
    assert.equal(code, 0)
    assert.equal(stdout.match(/"event":"stopping"/g)?.length, signal === 'SIGHUP' ? 2 : 1)
  })

test('17.5 SIGTERM lets calls in progress finish in every worker', async (t) => {
  const { instance } = await startTwo(t)
  const slow = instance.call('GET WHO.v1', 'wait=1000')
  await instance.until(/waiting in (\d+)/)
  const { code } = await instance.stop()
  assert.equal((await slow).status, 200)
  assert.equal(code, 0)
})

test('17.5 workers whose supervisor was killed finish their calls, log it, and release the port', async (t) => {
  const { folder, env, instance } = await startTwo(t)
  const pids = await instance.pids(2)
  const slow = instance.call('GET WHO.v1', 'wait=1000')
  await instance.until(/waiting in (\d+)/)
  instance.process.kill('SIGKILL')
  await once(instance.process, 'exit')
  assert.equal((await slow).status, 200)
  const again = serve(['start', folder, '--workers', '2', '--port', instance.port], { env })
  await again.until(/serving \S+ at (http:\S+)/)
  await poll(() => !pids.some((pid) => isAlive(Number(pid))))
  const next = openInstance(again, instance.url)
  await allServe(next, 2)
  assert.equal(
    (await next.pids(2)).some((pid) => pids.includes(pid)),
    false,
  )
  assert.match(
    readFileSync(join(folder, 'data/logs/errorLog.html'), 'utf8'),
    /The supervisor has ended; this worker finishes its calls and ends\./,
  )
})

test('17.5 a worker notices that its supervisor ended before it confirmed a socket', async (t) => {
  const { folder, env } = await openCluster(t, sqlite)
  const worker = ['start-worker', folder, '--host=127.0.0.1', '--port=0', '--admin-port=off', '--number=1', '--count=2']
  const serving = serve(worker, { env: { ...env, NODE_CHANNEL_FD: '3' }, stdio: ['ignore', 'pipe', 'pipe', 'pipe'] })
  const channel = serving.process.stdio[3] as Duplex // as a supervisor's end, but what it gets is not confirmed
  const heard = async (kind: string) => {
    while (!String((await once(channel, 'data'))[0]).includes(`"kind":"${kind}"`));
  }
  await heard('ready')
  channel.write('{"kind":"handOver"}\n')
  await heard('listening')
  channel.destroy()
  const { code, stdout } = await serving.ended
  assert.equal(code, 0)
  assert.match(stdout, /"event":"supervisorGone"/)
})

test('17.5 a worker whose supervisor ends while it starts ends too, however long that takes', async (t) => {
  const { folder, env } = await openCluster(t, sqlite)
  writeFileSync(join(folder, 'handlers/cluster.js'), hanging)
  const serving = serve(['start', folder, '--port', '0', '--workers', '2'], { env })
  await serving.until(/loading/)
  serving.process.kill('SIGKILL')
  await serving.ended // with the worker, which holds its outputs open
})

test('17.3 a worker that cannot be started is retried while others keep serving, with the Node of the current release', async (t) => {
  const { folder, env } = await openCluster(t, sqlite)
  const releases = mkdtempSync(join(tmpdir(), 'ig-releases-'))
  t.after(() => rmSync(releases, { recursive: true }))
  const release = (name: string) => {
    mkdirSync(join(releases, name))
    linkOrCopy(process.execPath, join(releases, name, 'node'))
    writeFileSync(join(releases, name, 'ig.mjs'), `import ${JSON.stringify(join(installed, 'bin/ig.js'))}`)
    symlinkSync(name, join(releases, 'next'))
    renameSync(join(releases, 'next'), join(releases, 'current'))
  }
  release('one')
  const [node, script] = [join(releases, 'current/node'), join(releases, 'current/ig.mjs')]
  const serving = serve(['start', folder, '--port', '0', '--workers', '2'], { env, node, script })
  const [, url = ''] = await serving.until(/serving \S+ at (http:\S+)/)
  const instance = openInstance(serving, url)
  await allServe(instance, 2)
  const [pid = ''] = await instance.pids(2)
  rmSync(join(releases, 'one'), { recursive: true })
  process.kill(Number(pid), 'SIGKILL')
  await instance.until(/"event":"workerDied","message":"Worker \d could not be started: spawn [^"]* ENOENT\."/)
  assert.equal((await instance.call('GET WHO.v1')).status, 200)
  release('two')
  await instance.until(/could not be started[\s\S]*"event":"started"/)
  const [started = ''] = (await instance.pids(2)).filter((one) => readlinkSync(`/proc/${one}/exe`).includes('/two/'))
  assert.ok(Number(started) > 0)
  assert.equal((await instance.stop()).code, 0)
})

/** Hard links cost nothing, but end at the borders of a file system. */
function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch {
    copyFileSync(from, to)
  }
}

test('17.6 several processes write whole entries to one log, and rotate each file once', async (t) => {
  const { start, folder } = await openCluster(t, sqlite)
  const settings = { IG_LOG_LEVEL: '4', IG_MESSAGELOG_MAXSIZE: '20', IG_MESSAGELOG_MAXNBBACKUPFILES: '1000' }
  const instance = await start(['--workers', '2'], settings)
  await allServe(instance, 2)
  const seen = new Set<string>()
  for (let round = 0; round < 10; round += 1) {
    const ids = Array.from({ length: 20 }, (_, at) => `${round}-${at}`)
    await Promise.all(ids.map((id) => instance.call(`GET WHO.v1?${id}`)))
    for (const id of ids) seen.add(id)
  }
  const { stdout } = await instance.stop()
  for (const line of stdout.trim().split('\n')) JSON.parse(line)
  const logs = join(folder, 'data/logs')
  const texts: string[] = [readFileSync(join(logs, 'msgLog.html'), 'utf8')]
  for (let number = 1; ; number += 1) {
    try {
      texts.push(readFileSync(join(logs, `msgLog.${number}.html`), 'utf8'))
    } catch {
      break
    }
  }
  assert.ok(texts.length > 2, 'it was rotated')
  for (const text of texts) {
    assert.equal(text.match(/<!DOCTYPE/g)?.length, 1)
    assert.match(text, /^<!DOCTYPE/)
    // The supervisor and the other worker may write a batch each meanwhile: a sixteenth
    assert.ok(text.length <= 20 * 1024 * (1 + 2 / 16), `${text.length} characters`)
    assert.equal(text.match(/<article/g)?.length, text.match(/<\/article>/g)?.length)
  }
  const logged = [...texts.join('').matchAll(/WHO\.v1\?(\d+-\d+)</g)].map(([, id]) => id)
  assert.deepEqual(logged.sort(), [...seen].sort())
})

test('17.2 a graceful stop is never reported as a stall, however long its calls block the process', async (t) => {
  const { start } = await openCluster(t, sqlite)
  const instance = await start(['--workers', '2'], { IG_WORKERS_STALLTIMEOUT: `${scaled(1000)}ms` })
  await allServe(instance, 2)
  const blocked = instance.call('GET WHO.v1', `stall=${scaled(2500)}`).catch((error) => error.code)
  await instance.until(/stalls \d+/)
  const { code, stdout } = await instance.stop()
  await blocked
  assert.equal(code, 0)
  assert.doesNotMatch(stdout, /workerStalled|workerDied/)
})
