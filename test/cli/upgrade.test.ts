/** A store and a project of the version before, opened by this one (specification 9.15, 13.19). */
import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { openHandlers, openProject } from '../../src/project/open-project.ts'
import { openGateway } from '../../src/serve/open-gateway.ts'
import { readSettings } from '../../src/settings.ts'
import { ask, calls, type Reply, storing } from '../fixtures/earlier-version/calls.ts'
import { serve } from '../support/cli.ts'
import { forEachDatabase, type TestDatabase } from '../support/databases.ts'

const fixture = join(import.meta.dirname, '../fixtures/earlier-version')
const readFixture = (name: string) => readFileSync(join(fixture, name), 'utf8')

async function openEarlier(t: TestContext, database: TestDatabase) {
  const folder = mkdtempSync(join(tmpdir(), 'ig-upgrade-'))
  const { url, remove } = await database.open()
  t.after(async () => {
    await remove()
    rmSync(folder, { recursive: true, force: true })
  })
  cpSync(join(fixture, 'project'), folder, { recursive: true })
  if (database.name === 'SQLite') {
    loadSqlite(url, 'sqlite.sql')
    loadSqlite(url.replace(/\.sqlite$/, '-cache.sqlite'), 'sqlite-cache.sql')
  } else {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query(readFixture('postgres.sql'))
    await client.end()
  }
  return { folder, url }
}

function loadSqlite(file: string, dump: string): void {
  const database = new DatabaseSync(file)
  database.exec(readFixture(dump))
  database.close()
}

async function readMigrations(url: string): Promise<readonly unknown[]> {
  const text = 'select name from ig_migration order by name'
  if (!url.startsWith('postgres')) {
    const database = new DatabaseSync(url)
    const rows = database.prepare(text).all()
    database.close()
    return rows
  }
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query(text)
  await client.end()
  return rows
}

async function start(t: TestContext, { folder, url }: { readonly folder: string; readonly url: string }) {
  const place = { IG_PORT: '0', IG_DATABASE: url, IG_LIMITS_SHUTDOWNIDLE: '1ms' }
  const project = await openProject(folder)
  const settings = readSettings(folder, place)
  const opened = await openGateway({ project, settings, observe() {}, findHandlers: openHandlers(project) })
  t.after(opened.close)
  return opened
}

forEachDatabase((database) => {
  test(`13.19 a store and project of the previous version give the same bytes, and keep operators, rows and revisions (${database.name})`, async (t) => {
    const place = await openEarlier(t, database)
    const migrations = await readMigrations(place.url)
    const { url, gateway, hasMadeRevision, close } = await start(t, place)
    assert.equal(hasMadeRevision, false)
    const replies: Reply[] = []
    for (const call of calls) replies.push(await ask(url, ...call))
    assert.deepEqual(replies, JSON.parse(readFixture('replies.json')))
    const operators = [...gateway.operators.values()]
    assert.deepEqual(
      operators.map(({ id, isLocked, emails }) => [id, isLocked, emails.map(({ address }) => address)]).sort(),
      [
        ['ALICE', false, ['alice@example.com']],
        ['BOB', true, ['bob@example.com']],
        ['GUEST', false, []],
      ],
    )
    assert.deepEqual(
      (await gateway.store.revisions.list()).map(({ number, note }) => [number, note]),
      [[1, 'the first']],
    )
    assert.equal((await ask(url, ...storing, 'a later one')).body, '<stored/>')
    await close()

    const again = await start(t, place)
    const [line, headers] = calls.find(([, given]) => given?.authorization !== undefined) ?? ['GET /']
    assert.match((await ask(again.url, line, headers)).body, /^ALICE a later one\nALICE gr/)
    await again.close()

    assert.deepEqual(
      await readMigrations(place.url),
      migrations,
      'the version before refuses one that it does not know',
    )
  })

  test(`9.15 a migration that is killed half way leaves nothing, and the next start resumes (${database.name})`, async (t) => {
    const place = await openEarlier(t, database)
    const migrate = (name: string, rest: string) =>
      writeFileSync(
        join(place.folder, 'migrations', name),
        `export async function up(database) {
  await database.insertInto('STORED_VALUE').values({ OWNER: '${name}', VALUE: '${name}' }).execute()
  ${rest}
}`,
      )
    migrate('0002-two.ts', '')
    migrate('0003-three.ts', "console.error('migrating')\n  await new Promise(() => setInterval(() => {}, 1000))")
    const env = { IG_DATABASE: place.url, IG_ADMIN_PORT: 'off', IG_MONITOR: 'off' }
    const killed = serve(['start', place.folder, '--port', '0', '--workers', '1'], { env })
    await killed.until(/migrating/)
    killed.process.kill('SIGKILL')
    await killed.ended
    migrate('0003-three.ts', '')
    const { url } = await start(t, place)
    const alice = calls.find(([, headers]) => headers?.authorization !== undefined)
    assert.ok(alice)
    const owners = (await ask(url, alice[0], alice[1])).body.split('\n').map((row) => row.split(' ')[0])
    assert.deepEqual(owners.sort(), ['0002-two.ts', '0003-three.ts', 'ALICE', 'ALICE', 'ALICE'])
  })
})
