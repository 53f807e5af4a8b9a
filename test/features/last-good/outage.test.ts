/** A start without its database, from the last-good copy (specification 17.15 to 17.17). */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { open } from '../../../src/features/last-good/open.ts'
import type { Observation } from '../../../src/model/observation.ts'
import { addRevision, readRevision } from '../../../src/project/activate-revision.ts'
import { openHandlers, openProject } from '../../../src/project/open-project.ts'
import type { OpenGateway } from '../../../src/serve/open-gateway.ts'
import { addSampleOperators } from '../../../src/serve/sample-operators.ts'
import { readSettings } from '../../../src/settings.ts'
import { type Answer, basic } from '../../support/client.ts'
import { openServed, referenceFolder } from '../../support/gateway.ts'
import { hashOnce } from '../../support/hash-once.ts'
import { poll } from '../../support/poll.ts'
import { type PostgresServer, startPostgres } from '../../support/postgres.ts'

const secret = 'the secret key of these tests, long'
const row = '<request><row><key>k</key><value>v</value></row></request>'
const project = await openProject(referenceFolder)

interface Opened extends OpenGateway {
  readonly events: readonly string[]
  call(line: string, id?: string, body?: string): Promise<Answer>
}

interface Site {
  readonly server: PostgresServer
  readonly file: string
  start(environment?: Readonly<Record<string, string>>, now?: () => number): Promise<Opened>
  /** Until the copy was written after this. */
  untilWritten(since: number): Promise<void>
}

async function openSite(t: TestContext): Promise<Site> {
  const server = await startPostgres()
  const folder = await mkdtemp(join(tmpdir(), 'ig-last-good-'))
  const file = join(folder, 'data/last-good')
  const running: OpenGateway[] = []
  t.after(async () => {
    for (const gateway of running) await gateway.close()
    await server.stop()
    await rm(folder, { recursive: true })
  })
  return {
    server,
    file,
    async start(environment = { IG_SECRETKEY: secret }, now = Date.now) {
      const place = { IG_DATABASE: server.url, IG_LASTGOOD_FILE: file, IG_PORT: '0', IG_LIMITS_SHUTDOWNIDLE: '1ms' }
      const settings = readSettings(folder, { ...place, ...environment })
      const events: string[] = []
      const observe = (one: Observation) => void (one.kind === 'event' && events.push(one.name))
      const context = {
        ...{ settings, worker: undefined, workers: 1, administers: false, servesCalls: true, runsJobs: false },
        ...{ isDevelopment: false, observe, reportCounts() {} },
      }
      const lastGood = open(context)
      const gateway = await openServed({
        project,
        settings,
        observe,
        findHandlers: openHandlers(project),
        ...(lastGood && { features: [lastGood] }),
        now,
        prepare: async (store) =>
          void (store.dbType && (await addSampleOperators(store, project.sampleOperators, hashOnce))),
      })
      const close = async () => {
        await gateway.stopCalls()
        await lastGood?.close?.()
        await gateway.close()
      }
      const opened = { ...gateway, close }
      running.push(opened)
      const call: Opened['call'] = (line, id = 'DEMO', body) => {
        return gateway.call(line, { headers: basic(id), ...(body && { body }) })
      }
      return { ...opened, events, call }
    },
    async untilWritten(since) {
      await poll(() => (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) >= since)
    },
  }
}

test('17.15, 17.17 a start without its database serves from the last-good copy, and follows the database when it is back (PostgreSQL)', async (t) => {
  const { server, file, start, untilWritten } = await openSite(t)
  const before = await start()
  assert.equal((await before.call('POST KEY_VALUE.v1', 'DEMO', row)).status, 200)
  await untilWritten(1)
  const locked = Date.now()
  await before.gateway.store.operators.setLocked('DEMO2', true)
  await untilWritten(locked)
  await before.close()
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.doesNotMatch(readFileSync(file, 'latin1'), /argon2|DEMO|KEY_VALUE|example\.com/)
  server.crash()

  const { call, events, gateway } = await start()
  assert.deepEqual(events.slice(0, 1), ['startedFromLastGood'])
  assert.equal((await call('GET METADATA_BASIC.v1')).status, 200)
  assert.equal((await call('GET METADATA_BASIC.v1')).headers['ig-revision'], '1')
  assert.equal((await call('GET METADATA_BASIC.v1', 'DEMO2')).status, 401, 'a lock that was made before holds')
  const refused = await call('POST KEY_VALUE.v1', 'DEMO', row)
  assert.deepEqual([refused.status, refused.headers['ig-refusal']], [503, 'overloaded'])
  const ready = await call('GET /readyz')
  const { status, store, revision, conditions } = JSON.parse(ready.text)
  assert.deepEqual([ready.status, status, store, revision], [200, 'ready', 'stale', 1])
  assert.match(conditions.find(({ name }: { name: string }) => name === 'lastGood').detail, /last-good copy of 20/)
  await assert.rejects(gateway.store.operators.setLocked('DEMO', true), { code: 'overloaded' })

  await server.restart()
  const other = new pg.Client({ connectionString: server.url })
  await other.connect()
  await other.query("update ig_epoch set epoch = epoch + 1 where name = 'operators'")
  const epoch = "(select epoch from ig_epoch where name = 'operators')"
  await other.query(`update ig_operator set is_locked = 0, changed = ${epoch} where id = 'DEMO2'`)
  await other.end()
  await poll(async () => (await call('GET METADATA_BASIC.v1', 'DEMO2')).status === 200)
  assert.equal((await call('POST KEY_VALUE.v1', 'DEMO', row)).status, 200)
  assert.deepEqual(JSON.parse((await call('GET /readyz')).text).conditions, [])
  assert.ok(events.includes('storeBack') && !events.includes('storeChanged'), events.join())
})

/** Makes the first revision the next one, with this handler for the first operation that has one. */
async function activateNext({ gateway: { store } }: Opened, handler?: string) {
  const active = await store.revisions.active()
  const found = await store.revisions.find(1)
  assert.ok(active && found)
  const configuration = await readRevision(found)
  const [first, ...rest] = configuration.operations
  assert.ok(first)
  const operations = [{ ...first, ...(handler && { handler }) }, ...rest]
  const options = { expectedActive: active.revision, note: '', time: Date.now() }
  await addRevision(store.revisions, { ...configuration, operations }, options)
}

test('17.15 a process that refuses the active revision starts from the last-good copy with what it served (PostgreSQL)', async (t) => {
  const { server, start, untilWritten } = await openSite(t)
  const before = await start()
  await untilWritten(1)
  await activateNext(before, 'handlers/none.ts#None')
  await poll(() => before.events.includes('revisionRefused'))
  await untilWritten(Date.now())
  await before.close()
  server.crash()
  const { call, events } = await start()
  assert.deepEqual(events.slice(0, 2), ['startedFromLastGood', 'revisionRefused'])
  assert.equal((await call('GET METADATA_BASIC.v1')).headers['ig-revision'], '1')
  const { conditions } = JSON.parse((await call('GET /readyz')).text)
  const names = conditions.map(({ name }: { name: string }) => name)
  assert.ok(names.includes('lastGood') && names.includes('revisionRefused'), names.join())
})

test('17.15 a process that was started from the last-good copy follows activations once the database is back (PostgreSQL)', async (t) => {
  const { server, start, untilWritten } = await openSite(t)
  const before = await start()
  await untilWritten(1)
  await before.close()
  server.end()
  const after = await start()
  await server.restart()
  await poll(() => after.events.includes('storeBack'))
  await activateNext(after)
  await poll(async () => (await after.call('GET METADATA_BASIC.v1')).headers['ig-revision'] === '2')
})

test('17.16 a copy with another key, database or age, or one that was changed, is refused with the reason (PostgreSQL)', async (t) => {
  const { server, file, start, untilWritten } = await openSite(t)
  const before = await start()
  await untilWritten(1)
  await before.close()
  server.crash()
  const refuse = async (reason: RegExp, environment?: Record<string, string>, now?: () => number) =>
    assert.rejects(start(environment, now), (error: Error) => {
      assert.equal(error.name, 'StoreUnavailable')
      assert.match(error.message, reason)
      return true
    })
  await refuse(/^Cannot open the PostgreSQL database (?:(?!last-good).)*$/s, {})
  await refuse(/made with another ig\.secretKey/, { IG_SECRETKEY: `${secret}er` })
  await refuse(/older than ig\.lastGood\.maxAge/, undefined, () => Date.now() + 24 * 3_600_000 + 1000)
  await refuse(/in the future/, undefined, () => Date.now() - 600_000)
  await refuse(/there is no copy at/, { IG_SECRETKEY: secret, IG_LASTGOOD_FILE: `${file}-none` })
  const elsewhere = Object.assign(new URL(server.url), { pathname: '/other' }).href
  await refuse(/or for another ig\.database/, { IG_SECRETKEY: secret, IG_DATABASE: elsewhere })
  const bySocket = `${server.url}?host=${encodeURIComponent(dirname(file))}`
  await refuse(/or for another ig\.database/, { IG_SECRETKEY: secret, IG_DATABASE: bySocket })
  const bytes = readFileSync(file)
  for (const at of [0, 40, 90, bytes.length - 1]) {
    const changed = Buffer.from(bytes)
    changed[at] = (changed[at] ?? 0) ^ 1
    writeFileSync(file, changed)
    await refuse(/is damaged/)
  }
  writeFileSync(file, bytes)
  assert.equal((await (await start()).call('GET METADATA_BASIC.v1')).status, 200)
})

test('17.16 leftovers of a process that was killed while it wrote the copy are removed with the next one (PostgreSQL)', async (t) => {
  const { file, start, untilWritten } = await openSite(t)
  mkdirSync(dirname(file))
  const [left, another] = [`${file}.new-1`, `${file}.new-2`]
  for (const each of [left, another]) writeFileSync(each, '')
  utimesSync(left, 0, 0)
  await start()
  await untilWritten(1)
  assert.deepEqual([existsSync(left), existsSync(another)], [false, true])
})

test('17.16 nothing of the copy stays if the database that comes back is another one, or was restored (PostgreSQL)', async (t) => {
  const { server, start, untilWritten } = await openSite(t)
  const before = await start()
  await untilWritten(1)
  await before.close()
  const sql = async (text: string) => {
    const client = new pg.Client({ connectionString: server.url })
    await client.connect()
    await client.query(text)
    await client.end()
  }
  await sql(
    "update ig_store set id = 'another'; delete from ig_operator_email where operator_id = 'DEMO2'; delete from ig_operator_permission_list where operator_id = 'DEMO2'; delete from ig_operator where id = 'DEMO2'",
  )
  server.end()
  const { call, events } = await start()
  assert.equal((await call('GET METADATA_BASIC.v1', 'DEMO2')).status, 200)
  await server.restart()
  await poll(async () => (await call('GET METADATA_BASIC.v1', 'DEMO2')).status === 401)
  assert.ok(events.includes('storeChanged'), events.join())
})
