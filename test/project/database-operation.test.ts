/** What docs/how-to/databases.md says of databases: partitions, retention, PgBouncer and backup, tried with gateways that serve on. */
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import pg from 'pg'
import { basic } from '../support/client.ts'
import { findDatabase, type TestDatabase } from '../support/databases.ts'
import { openReference, type WireGateway } from '../support/gateway.ts'
import { skipWithout } from '../support/proxies.ts'

const postgres = findDatabase('PostgreSQL')
const headers = basic('DEMO')
const bodyOf = (...values: readonly string[]) =>
  `<request>${values.map((value) => `<row><key>day</key><value>${value}</value></row>`).join('')}</request>`
const post = (gateway: WireGateway, ...values: readonly string[]) =>
  gateway.call('POST KEY_VALUE.v1/', { headers, body: bodyOf(...values) })
const valuesOf = async (gateway: WireGateway) => {
  const { text } = await gateway.call('GET KEY_VALUE.v1/day', { headers })
  return [...text.matchAll(/<LONGVALUE>([^<]*)/g)].map(([, value]) => value)
}

test('C_KEY_VALUE becomes a partitioned table while a gateway serves, and loses no row', async () => {
  await using opened = await openWithClient()
  const { gateway, client } = opened
  assert.equal((await post(gateway, 'before 1', 'before 2')).status, 200)
  const script = readFileSync(join(import.meta.dirname, '../../deploy/postgres/partition.sql'), 'utf8')
  const [proof = ''] = script.split(/^begin;$/m)
  await client.query(proof) // psql had committed that when it did not get the lock
  await client.query(script.replace(/^(begin|commit);$/gm, ''))
  await assert.rejects(client.query(proof), /is partitioned already/)
  assert.equal((await post(gateway, 'after')).status, 200)
  assert.deepEqual(await valuesOf(gateway), ['before 1', 'before 2', 'after'])

  // As on a future day, and on one that was not prepared.
  const add = (days: number, value: string) =>
    client.query(
      `insert into "C_KEY_VALUE" ("IBTRANSACTIONID", "KEY1", "LONGVALUE", "ADD_DTTM") values ('t', 'day', $1, localtimestamp + $2 * interval '1 day')`,
      [value, days],
    )
  await add(5, 'in five days')
  await add(400, 'beyond')
  const { rows } = await client.query(
    `select tableoid::regclass::text as part, count(*)::int from "C_KEY_VALUE" group by 1 order by 2 desc, 1`,
  )
  const day = await client.query(`select to_char(current_date + 5, 'YYYYMMDD') as day`)
  assert.deepEqual(rows, [
    { part: '"C_KEY_VALUE_BEFORE"', count: 3 },
    { part: `"C_KEY_VALUE_${day.rows[0].day}"`, count: 1 },
    { part: '"C_KEY_VALUE_REST"', count: 1 },
  ])
  assert.equal((await gateway.call('PUT KEY_VALUE.v1/day', { headers, body: bodyOf('put') })).status, 200)
  assert.deepEqual(await valuesOf(gateway), ['put'])
  await gateway.restart()
  assert.match((await gateway.call('DELETE KEY_VALUE.v1/day', { headers })).text, /<ROWS>1</)
  assert.deepEqual(await valuesOf(gateway), [])
})

test('the lock for preparing days delays calls by at most three seconds', async () => {
  await using opened = await openWithClient()
  const { gateway, client, url } = opened
  const script = readFileSync(join(import.meta.dirname, '../../deploy/postgres/partition.sql'), 'utf8')
  await client.query(script)
  const long = new pg.Client({ connectionString: url })
  await long.connect()
  try {
    await long.query('begin')
    await long.query('lock table "C_KEY_VALUE" in row exclusive mode') // as a large body that is coming in
    const prepared = assert.rejects(client.query('call c_key_value_prepare(15)'), /lock timeout/)
    assert.equal((await post(gateway, 'beside')).status, 200)
    await prepared
    // The script itself may have failed at its last line: what is to be done then, it tells
    await assert.rejects(client.query(script), /is partitioned already: what may be left is call c_key_value_prepare/)
    await long.query('commit')
    await client.query('call c_key_value_prepare(15)')
  } finally {
    await long.end()
  }
})

test('staged rows expire in slices, with partitions and without', async () => {
  await using opened = await openWithClient()
  const { gateway, client } = opened
  const read = (file: string) => readFileSync(join(import.meta.dirname, '../../deploy/postgres', file), 'utf8')
  const addOld = (value: string, days: number) =>
    client.query(
      `insert into "C_KEY_VALUE" ("IBTRANSACTIONID", "KEY1", "LONGVALUE", "ADD_DTTM") select 't', 'day', $1, localtimestamp - $2 * interval '1 day' from generate_series(1, 25)`,
      [value, days],
    )
  await addOld('old', 100)
  await post(gateway, 'new')
  await client.query(read('retention.sql'))
  await client.query('call c_key_value_expire(90, 10)')
  assert.deepEqual(await valuesOf(gateway), ['new'])

  await client.query(read('partition.sql'))
  await client.query(
    'create table "C_KEY_VALUE_LATER" partition of "C_KEY_VALUE" for values from (\'2099-01-01\') to (\'2099-01-02\')',
  )
  await addOld('old again', 100)
  await client.query('call c_key_value_expire(90, 10)')
  assert.deepEqual(await valuesOf(gateway), ['new'])
  await client.query('call c_key_value_expire(-10)') // all that is over in ten days
  const { rows } = await client.query(
    `select inhrelid::regclass::text as part from pg_inherits where inhparent = '"C_KEY_VALUE"'::regclass`,
  )
  const parts = rows.map(({ part }) => part as string)
  assert.ok(
    !parts.includes('"C_KEY_VALUE_BEFORE"') &&
      parts.includes('"C_KEY_VALUE_LATER"') &&
      parts.includes('"C_KEY_VALUE_REST"'),
  )
  assert.equal(parts.length, 2 + 6) // of fourteen, the first of them the day after tomorrow
  assert.deepEqual(await valuesOf(gateway), [])
})

test('a gateway works through PgBouncer with transaction pooling', skipWithout('pgbouncer'), async () => {
  await using place = await openPgBouncer()
  const gateway = await openReference({ database: place.database })
  try {
    const posts = Array.from({ length: 30 }, (_, index) => post(gateway, `value ${index}`))
    const statuses = (await Promise.all(posts)).map(({ status }) => status)
    assert.deepEqual(new Set(statuses), new Set([200]))
    assert.equal((await valuesOf(gateway)).length, 30)
    assert.equal((await post(gateway, 'x'.repeat(2_000_000))).status, 200)
    assert.equal((await gateway.call('GET CACHED_TIME.v1/', { headers })).status, 200)
  } finally {
    await gateway.close()
  }
})

test('VACUUM INTO makes a complete copy of an SQLite database while a gateway writes to it', async () => {
  await using scratch = makeScratch('ig-backup-')
  const copy = join(scratch.path, 'copy.sqlite')
  const [gateway, path] = await openAt(findDatabase('SQLite'))
  try {
    assert.equal((await post(gateway, 'kept 1', 'kept 2')).status, 200)
    const writing = Array.from({ length: 20 }, (_, index) => post(gateway, `meanwhile ${index}`))
    const backup = new DatabaseSync(path)
    backup.prepare('vacuum into ?').run(copy)
    backup.close()
    for (const { status } of await Promise.all(writing)) assert.equal(status, 200)
  } finally {
    await gateway.close()
  }
  const restored: TestDatabase = { name: 'SQLite', open: async () => ({ url: copy, remove: async () => {} }) }
  const again = await openReference({ database: restored })
  assert.deepEqual((await valuesOf(again)).slice(0, 2), ['kept 1', 'kept 2'])
  await again.close()
})

async function openAt(source: TestDatabase): Promise<readonly [WireGateway, string]> {
  let url = ''
  const database: TestDatabase = {
    name: source.name,
    async open() {
      const opened = await source.open()
      url = opened.url
      return opened
    },
  }
  return [await openReference({ database }), url]
}

function makeScratch(prefix: string): AsyncDisposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), prefix))
  return { path, [Symbol.asyncDispose]: async () => rmSync(path, { recursive: true, force: true }) }
}

async function openWithClient() {
  const [gateway, url] = await openAt(postgres)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return {
    gateway,
    client,
    url,
    async [Symbol.asyncDispose]() {
      await client.end()
      await gateway.close()
    },
  }
}

/** Four connections to the server for all clients together. */
async function openPgBouncer() {
  const server = await postgres.open()
  const { hostname, port, username, password, pathname } = new URL(server.url)
  const folder = mkdtempSync(join(tmpdir(), 'ig-pgbouncer-'))
  const listen = await findPort()
  writeFileSync(join(folder, 'users'), `"${username}" "${password}"\n`)
  writeFileSync(
    join(folder, 'pgbouncer.ini'),
    `[databases]
* = host=${hostname} port=${port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listen}
unix_socket_dir =
auth_type = plain
auth_file = ${folder}/users
pool_mode = transaction
default_pool_size = 4
max_client_conn = 200
`,
  )
  execFileSync('chmod', ['-R', 'a+rX', folder])
  const isRoot = process.getuid?.() === 0
  const child = spawn('pgbouncer', [...(isRoot ? ['-u', 'nobody'] : []), join(folder, 'pgbouncer.ini')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const exited = once(child, 'exit')
  let said = ''
  await new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (chunk) => {
      said += chunk
      if (/process up/.test(said)) resolve()
    })
    child.once('exit', () => reject(new Error(said)))
  })
  const url = Object.assign(new URL(server.url), { port: String(listen), pathname }).href
  const database: TestDatabase = { name: 'PostgreSQL', open: async () => ({ url, remove: async () => {} }) }
  return {
    database,
    async [Symbol.asyncDispose]() {
      child.kill('SIGINT')
      await exited
      await server.remove()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
