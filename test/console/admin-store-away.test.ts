/** Administration on a real PostgreSQL that is paused or has ended (specification 18.16, 18.8, 20.10). */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import type { Route } from '../../src/admin/route.ts'
import { routes } from '../../src/admin/routes/routes.ts'
import { openTestAdmin, password, type TestAdmin } from '../support/admin.ts'
import { send } from '../support/client.ts'
import type { TestDatabase } from '../support/databases.ts'
import { root } from '../support/gateway.ts'
import { poll } from '../support/poll.ts'
import { type PostgresServer, startPostgres } from '../support/postgres.ts'

interface Away extends TestAdmin {
  readonly server: PostgresServer
  /** Sets the clock forward. */
  later(milliseconds: number): void
}

async function open(t: TestContext): Promise<Away> {
  let ahead = 0
  const server = await startPostgres()
  t.after(() => server.resume()) // before anything of it is closed
  const database: TestDatabase = {
    name: 'PostgreSQL',
    open: async () => ({ url: server.url, remove: () => server.stop() }),
  }
  const properties = { 'ig.monitor': 'on' }
  const admin = await openTestAdmin(t, {
    database,
    properties,
    now: () => Date.now() + ahead,
  })
  const later = (milliseconds: number) => {
    ahead += milliseconds
  }
  return { ...admin, server, later }
}

const partial = ['/metrics', '/api/statistics', '/api/instances', '/api/state', '/api/session', '/api/settings']

async function makeToken({ ask }: Away, as: 'viewer' | 'administrator', name: string) {
  const { status, body } = await ask('POST /api/tokens', { as, body: { name, role: 'viewer' } })
  assert.equal(status, 201)
  return { id: String(body.id), headers: { authorization: `Bearer ${body.token}` } }
}

test('18.16 while PostgreSQL is paused every request is refused before it resumes, and nothing begins late', async (t) => {
  const away = await open(t)
  const { ask, server, sessionOf } = away
  const headers = await sessionOf('administrator')
  await ask('GET /api/monitor/transactions')
  server.pause()
  const lineOf = ({ method, path }: Route) => `${method} ${path.replaceAll(/:\w+/g, 'x')}`
  const lines = routes.map(lineOf)
  const publicLines = new Set(routes.filter(({ access }) => access === 'public').map(lineOf))
  const answers = await Promise.all(
    lines.map(async (line) => {
      const { status, body } = await ask(line, {
        headers: { ...headers, cookie: 'ig-admin-x=y', authorization: `Bearer ${'t'.repeat(43)}` },
      })
      return [line, status, body.code]
    }),
  )
  for (const [line, status, code] of answers) {
    if (!publicLines.has(String(line))) assert.deepEqual([status, code], [503, 'storeAway'], String(line))
  }
  const signingIn = await ask('POST /api/session', { as: 'nobody', body: { name: 'an operator', password: 'x' } })
  assert.deepEqual([signingIn.status, signingIn.body.code], [503, 'storeAway'])
  const changing = await ask('POST /api/operators', { headers, body: { id: 'LATE' } })
  assert.deepEqual([changing.status, changing.body.code], [503, 'storeAway'])
  const reading = await ask('GET /api/monitor/transactions', { headers })
  assert.deepEqual([reading.status, reading.body.code], [503, 'storeAway'])
  server.resume()
  await poll(async () => (await ask('GET /api/operators', { headers })).status === 200)
  assert.equal((await ask('GET /api/operators/LATE', { headers })).status, 404)
})

for (const [how, leave] of [
  ['stands still', (server: PostgresServer) => server.pause()],
  ['has ended', (server: PostgresServer) => server.crash()],
] as const)
  test(`18.8, 20.10 while PostgreSQL ${how}, recently known people read what this instance knows by itself`, async (t) => {
    const away = await open(t)
    const { ask, server, opened, later } = away
    const { headers } = await makeToken(away, 'administrator', 'scraper')
    const revoked = await makeToken(away, 'administrator', 'revoked')
    const unknown = await makeToken(away, 'administrator', 'unknown')
    for (const known of [headers, revoked.headers])
      assert.equal((await ask('GET /api/state', { headers: known })).status, 200)
    assert.equal((await ask(`DELETE /api/tokens/${revoked.id}`)).status, 204)
    await ask('GET /api/state', { headers })
    await ask('GET /api/session', { as: 'viewer' })
    await send(opened.url, `GET ${root}/METADATA.v1/`)
    await ask('GET /metrics')
    later(9_000)
    leave(server)
    await poll(async () => (await ask('GET /api/state', { headers })).body.storeAnswers === false) // one that ends may answer once more

    for (const path of partial) {
      assert.equal((await ask(`GET ${path}`, { headers })).status, 200, path)
      assert.equal((await ask(`GET ${path}`, { as: 'viewer' })).status, 200, path)
    }
    const { body } = await ask('GET /api/statistics', { headers })
    assert.deepEqual([body.isPartial, body.instances, body.total.calls], [true, 1, 1])
    const { isPartial, items } = (await ask('GET /api/instances', { headers })).body
    assert.deepEqual([isPartial, items.length, items[0].isThis], [true, 1, true])
    const state = (await ask('GET /api/state', { headers })).body
    assert.deepEqual([state.storeAnswers, state.restCache, state.revision], [false, null, 1])
    assert.equal((await ask('GET /api/session', { as: 'viewer' })).body.role, 'viewer')

    const codeOf = async (line: string, options: Parameters<typeof ask>[1]) => (await ask(line, options)).body.code
    assert.equal(await codeOf('GET /api/operators', { headers }), 'storeAway')
    assert.equal(await codeOf('GET /api/administrators', { as: 'viewer' }), 'roleMissing', 'the role is as it was')
    assert.equal(await codeOf('DELETE /api/session', { as: 'viewer' }), 'storeAway', 'changes nothing')
    assert.equal(await codeOf('POST /api/try', { headers, body: {} }), 'storeAway', 'nor may it try')
    for (const other of [revoked, unknown])
      assert.equal(await codeOf('GET /api/state', { headers: other.headers }), 'storeAway')
    later(5 * 60_000)
    assert.equal(await codeOf('GET /api/state', { headers }), 'storeAway', 'no longer than minutes')
  })

test('18.8 no cached session counts once the store answers again', async (t) => {
  const away = await open(t)
  const { ask, server, opened } = away
  const { id, headers } = await makeToken(away, 'administrator', 'scraper')
  assert.equal((await ask('GET /api/state', { headers })).status, 200)
  server.pause()
  assert.equal((await ask('GET /api/state', { headers })).status, 200)
  server.resume()
  await poll(async () => (await ask('GET /api/operators', { headers })).status === 200)
  assert.ok(await opened.gateway.store.administration.tokens.revoke(id, Date.now()))
  assert.equal((await ask('GET /api/state', { headers })).status, 401)
})

test('18.10 attempts to sign in during a store outage do not count as guesses', async (t) => {
  const { ask, server } = await open(t)
  const signIn = (secret: string) =>
    ask('POST /api/session', { as: 'nobody', body: { name: 'an operator', password: secret } })
  server.pause()
  for (let n = 0; n < 12; n++) assert.equal((await signIn(password)).body.code, 'storeAway')
  server.resume()
  await poll(async () => (await signIn(password)).status === 201)
})

test('18.8, 18.16 changes that wait for another transaction block no reads, and are not made late', async (t) => {
  const away = await open(t)
  const { ask, server, opened } = away
  const { id, headers } = await makeToken(away, 'administrator', 'scraper')
  assert.equal((await ask('GET /api/state', { headers })).status, 200)
  const other = new pg.Client({ connectionString: server.url })
  await other.connect()
  await other.query('begin')
  await other.query('select * from ig_epoch for update')
  const changes = Array.from({ length: 8 }, (_, n) => ask('POST /api/operators', { body: { id: `LATE_${n}` } }))
  const revoking = opened.gateway.store.administration.tokens.revoke(id, Date.now())
  for (const { status, body } of await Promise.all(changes)) assert.deepEqual([status, body.code], [503, 'overloaded'])
  await revoking
  assert.equal((await ask('GET /api/state', { headers })).status, 401, 'it is asked, and not believed')
  await other.query('rollback')
  await other.end()
  assert.equal(
    (await ask('GET /api/operators?search=LATE')).body.items.filter(({ id }: { id: string }) => id.startsWith('LATE'))
      .length,
    0,
  )
})
