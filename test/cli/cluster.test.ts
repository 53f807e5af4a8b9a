/** Several instances on one PostgreSQL, as real processes (specification 17.7 to 17.10, 13.8). */
import assert from 'node:assert/strict'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import { openStore } from '../../src/store/open-store.ts'
import { ig } from '../support/cli.ts'
import { type Instance, openCluster } from '../support/cluster.ts'
import { findDatabase } from '../support/databases.ts'
import { scaled } from '../support/patience.ts'
import { poll } from '../support/poll.ts'

const postgres = findDatabase('PostgreSQL')
const alone = ['--workers', '1']

/** Until what the first instance has just cached is served by the second. */
async function untilShared([first, second]: readonly Instance[], name: string, ttl: number): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    assert.ok(attempt < 40, 'the second instance never served what the first one had cached')
    const url = `GET CACHED.v1/?${name}=${attempt}`
    const cached = await first?.call(url, `ttl=${ttl}`)
    await new Promise((resolve) => setTimeout(resolve, 50 * (attempt + 1))) // stored after the reply, later on a busy machine
    if ((await second?.call(url, `ttl=${ttl}`))?.text === cached?.text) return
  }
}

/** A URL that the first instance had cached, and that has expired. */
async function cacheOnce(instances: readonly Instance[], path: string): Promise<void> {
  for (const other of instances.slice(1)) await untilShared([instances[0] as Instance, other], 'shared', 60_000)
  assert.equal((await instances[0]?.call(`GET ${path}`, `ttl=${scaled(200)}`))?.status, 200)
  await new Promise((resolve) => setTimeout(resolve, scaled(250)))
}

test('17.7, 17.8 a response cached by one instance is served by all, and concurrent misses of a once-cached entry run the handler once', async (t) => {
  const { start } = await openCluster(t, postgres)
  const instances = await Promise.all([start(), start(alone)])
  await cacheOnce(instances, 'CACHED.v1/?once')
  const crowd = instances.flatMap(({ call }) =>
    Array.from({ length: 10 }, () => call('GET CACHED.v1/?once', `work=${scaled(300)}`)),
  )
  assert.equal(new Set((await Promise.all(crowd)).map(({ text }) => text)).size, 1)

  const before = (await instances[0].call('GET CACHED.v1/?once')).text
  assert.equal((await instances[1].call('POST FORGET.v1')).text, 'true')
  for (const { call } of instances) await poll(async () => (await call('GET CACHED.v1/?once')).text !== before)
})

test('17.8 if several processes answer the first calls of a URL at the same time, all serve the response that was stored first', async (t) => {
  const { start } = await openCluster(t, postgres)
  const instances = await Promise.all([start(alone), start(alone), start(alone)])
  const askAll = (plan = '') => Promise.all(instances.map(({ call }) => call('GET CACHED.v1/?first', plan)))
  const made = (await askAll(`work=${scaled(300)}`)).map(({ text }) => text)
  assert.equal(new Set(made).size, 3, 'each made its own')
  let served: string[] = []
  await poll(async () => {
    served = (await askAll()).map(({ text }) => text)
    return new Set(served).size === 1
  })
  assert.ok(made.includes(served[0] as string))
  for (let round = 0; round < 5; round += 1)
    assert.deepEqual(
      (await askAll()).map(({ text }) => text),
      served,
    )
})

test('17.8 if the process that runs the handler is killed, another one runs it', async (t) => {
  const { start } = await openCluster(t, postgres)
  const instances = await Promise.all([start(alone), start(alone)])
  const [first, second] = instances
  await cacheOnce(instances, 'CACHED.v1/?once')
  const cut = first.call('GET CACHED.v1/?once', 'work=60000').catch((error) => error.code)
  await new Promise((resolve) => setTimeout(resolve, scaled(300))) // its handler is at work
  const waiting = second.call('GET CACHED.v1/?once', 'work=1')
  first.process.kill('SIGKILL')
  assert.equal(await cut, 'ECONNRESET')
  assert.match((await waiting).text, new RegExp(`^${second.process.pid}-`))
})

test('17.10 a clock that is a minute ahead is logged, and keeps no cached response too long or too short', async (t) => {
  const { start } = await openCluster(t, postgres)
  const preload = pathToFileURL(join(import.meta.dirname, '../support/wrong-clock.mjs')).href
  const [right, wrong] = await Promise.all([start(alone), start(alone, { NODE_OPTIONS: `--import ${preload}` })])
  await wrong.until(/"event":"clockOff","message":"This machine's clock is 60 s ahead of the database's\./)
  await untilShared([right, wrong], 'right', 30_000)
  const ofWrong = await wrong.call('GET CACHED.v1/?wrong', 'ttl=1500')
  await poll(async () => (await right.call('GET CACHED.v1/?wrong', 'ttl=0')).text !== ofWrong.text)
})

test('17.10 a clock that is corrected while the process runs keeps no cached response too long', async (t) => {
  const { start } = await openCluster(t, postgres)
  const preload = pathToFileURL(join(import.meta.dirname, '../support/settable-clock.mjs')).href
  const [right, set] = await Promise.all([start(alone), start(alone, { NODE_OPTIONS: `--import ${preload}` })])
  await set.until(/"event":"clockOff","message":"This machine's clock is 3600 s ahead of the database's\./)
  await untilShared([set, right], 'shared', 30_000)
  const made = await set.call('GET CACHED.v1/?set', 'ttl=3000')
  set.process.kill('SIGUSR2')
  await set.until(/"event":"clockOff","message":"This machine's clock agrees with the database's again\./)
  await poll(async () => (await right.call('GET CACHED.v1/?set', 'ttl=0')).text !== made.text)
  await new Promise((resolve) => setTimeout(resolve, 1000)) // what is taken for the same time by either
  assert.notEqual((await set.call('GET CACHED.v1/?set', 'ttl=0')).text, made.text)
})

test('13.8 a process that lacks a handler keeps the previous revision, and serves the new one once the handler exists', async (t) => {
  const { start, folder, env } = await openCluster(t, postgres)
  const instance = await start(alone)
  const config = join(folder, 'gateway.config.js')
  const later = join(folder, 'handlers/later.js')
  writeFileSync(
    config,
    readFileSync(config, 'utf8').replace(
      "name: 'WHO', handler: 'handlers/cluster.js#Who'",
      "name: 'WHO', handler: 'handlers/later.js#Who'",
    ),
  )
  writeFileSync(
    later,
    readFileSync(join(folder, 'handlers/cluster.js'), 'utf8').replace('context, process.pid)', "context, 'later')"),
  )
  assert.equal((await ig(['apply', folder], { env })).code, 0)
  await instance.until(/Revision 2 is active/)
  assert.equal((await instance.call('GET WHO.v1')).text, 'later')
  renameSync(later, `${later}.away`)
  writeFileSync(config, readFileSync(config, 'utf8').replace('handlers/later.js', 'handlers/latest.js'))
  const store = await openStore(env.IG_DATABASE ?? '')
  t.after(() => store.close())
  const second = await store.revisions.find(2)
  const document = (second?.document ?? '').replaceAll('handlers/later.js', 'handlers/latest.js')
  await store.revisions.add({ document, digest: 'three' }, { expectedActive: 2, time: 0 })
  await instance.until(
    /"event":"revisionRefused","message":"Revision 3 is active, but this process cannot serve it and serves revision 2: /,
  )
  assert.equal((await instance.call('GET WHO.v1')).text, 'later')
  renameSync(`${later}.away`, join(folder, 'handlers/latest.js'))
  await instance.until(/Revision 3 is active/)
})

test("8.3 ig.database.connections counts all connections of an instance, including the monitor's", async (t) => {
  const { start, env } = await openCluster(t, postgres)
  const six = { IG_DATABASE_CONNECTIONS: '6', IG_LIMITS_DATABASEWAIT: `${scaled(1000)}ms` }
  const instance = await start(alone, six)
  const client = new pg.Client({ connectionString: env.IG_DATABASE })
  await client.connect()
  const count = async (text: string) => Number((await client.query(`select count(*) from ${text}`)).rows[0].count)
  assert.equal((await instance.call('GET WHO.v1')).status, 200)
  await poll(async () => (await count('ig_monitor')) > 0)

  let refused = 0
  const calls = Array.from({ length: 6 }, () =>
    instance.call('POST NOTE.v1', 'note=held&hold=1').then(
      ({ status }) => (refused += status === 503 ? 1 : 0),
      () => {},
    ),
  )
  await poll(async () => refused >= 2)
  const own = "pg_stat_activity where datname = current_database() and application_name = 'integration-gateway'"
  // Two of its own work and one of the monitor are left, which for a moment are in a transaction too.
  await poll(async () => (await count(`${own} and state = 'idle in transaction'`)) === 3)
  assert.ok((await count(own)) <= 6)
  instance.process.kill('SIGKILL')
  await Promise.all(calls)
  await client.end()
})
