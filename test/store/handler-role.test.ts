/** A login role of their own for handlers (specification 5.16), on a real PostgreSQL. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { openIdempotencyRows } from '../../src/features/idempotency/rows.ts'
import type { HandlerDatabase } from '../../src/sdk.ts'
import { referenceFolder } from '../support/gateway.ts'
import { poll } from '../support/poll.ts'
import { openRoles } from '../support/roles.ts'
import { runVerb } from '../support/run-verb.ts'
import { begin, readNotes } from '../support/stores.ts'

const view = {
  name: '0003-view',
  up: async (database: HandlerDatabase) => {
    await sql`create view "OPERATORS" as select * from ig_operator`.execute(database)
    await sql`create view "EVERYONE" as select id from "OPERATORS"`.execute(database)
  },
}

test('5.16, 5.32, 26.7 handlers with a role of their own, and their snapshots, use the tables of the project and none of the gateway (PostgreSQL)', async (t) => {
  const { own, handlers, administer, open } = await openRoles(t)
  await assert.rejects(
    open(),
    new RegExp(`StoreUnavailable: .* cannot cancel a statement .* grant ${handlers} to ${own}\\.`),
  )
  await administer(`grant ${handlers} to ${own}`)
  await open()
  const store = await open() // what is granted is granted once
  const writing = begin(store)
  await writing.database.insertInto('NOTE').values({ ID: 1, TEXT: 'one' }).execute()
  await writing.database.insertRows('NOTE', ['ID', 'TEXT'], [[2, 'two']])
  await writing.database.insertInto('NUMBERED').values({ text: 'x' }).execute()
  await writing.commit()
  assert.deepEqual(await readNotes(store), ['one', 'two'])
  const snapshot = store.openSnapshot({ wait: 10_000, requireDue() {} })
  const reader = await sql<{ role: string }>`select current_user::text as role`.execute(snapshot.database)
  assert.deepEqual(reader.rows, [{ role: handlers }])
  await assert.rejects(sql`select * from ig_operator`.execute(snapshot.database), /permission denied/)
  await snapshot.close()
  for (const statement of [
    'select * from ig_operator',
    'select hash from ig_audit_link',
    'update ig_epoch set epoch = 0',
    "insert into ig_migration values ('9999', '')",
    'delete from ig_audit',
    'select * from ig_idempotency',
    "insert into ig_idempotency values ('k', 'r', 1, 'ANN', 200, 1, '')",
    "insert into ig_idempotency_claim values ('k', 'o', 1)",
    `select * from ig_idempotency_take('[{"key":"k","owner":"o","lease":1000,"now":0}]')`,
    'truncate ig_audit',
    'drop table ig_audit',
    'alter table ig_audit disable trigger all',
    'create table OTHER (id integer references ig_operator (id))',
    'create function f() returns int language sql as $$ select 1 $$',
    `set role ${own}`,
    'set session authorization postgres',
  ]) {
    const transaction = begin(store)
    await assert.rejects(sql.raw(statement).execute(transaction.database), /permission denied|must be owner/, statement)
    await transaction.rollback()
  }
  // The function that keeps an answer does so only for the call whose claim it is given
  const row = {
    key: 'k',
    owner: 'one',
    request: 'r',
    now: 0,
    expires: 1e15,
    operator: 'ANN',
    status: 201,
    size: 1,
    answer: Buffer.from('a'),
  }
  const keepAs = async (caller: string) => {
    const final = {
      query: openIdempotencyRows(store.databases).keep({ ...row, owner: caller }),
      fail: () => new Error('not its claim'),
    }
    await begin(store).commit(final)
  }
  assert.equal(await openIdempotencyRows(store.databases).claim({ key: 'k', owner: 'one' }, 60_000, 0), 'claimed')
  await assert.rejects(keepAs('guessed'), /not its claim/)
  await keepAs('one')
  await assert.rejects(keepAs('one'), /not its claim/)
  assert.equal((await openIdempotencyRows(store.databases).find('k', 0))?.status, 201)

  await store.migrate([view])
  const looking = begin(store)
  await assert.rejects(sql`select * from "EVERYONE"`.execute(looking.database), /permission denied/)
  await looking.rollback()
  assert.equal(await store.operators.add({ id: 'KIM' }), true)
  await store.administration.audit.append({ time: 1, actor: 'a', via: '', address: '', action: '', subject: '' })
  assert.equal((await store.administration.audit.verify()).entries, 1)

  // Its own role must end what it runs
  const aborted = new AbortController()
  const sleeping = begin(store, { signal: aborted.signal })
  const slept = sleeping.database.selectFrom(sql<{ one: number }>`pg_sleep(600)`.as('slept')).selectAll().execute()
  const running = async () =>
    administer(`select 1 as found from pg_stat_activity where usename = '${handlers}' and query like '%pg_sleep%'`)
  await poll(async () => (await running()).length > 0)
  aborted.abort()
  await assert.rejects(slept)
  await poll(async () => (await running()).length === 0)
})

test('5.16 a role that could reach the tables of the gateway stops the start, and says why (PostgreSQL)', async (t) => {
  const { own, ownUrl, handlers, url, administer, open } = await openRoles(t)
  await administer(`grant ${handlers} to ${own}`)
  await open()
  await administer('grant select on ig_operator to public', `grant update on ig_audit to ${handlers}`)
  await open() // its owner takes them back
  assert.deepEqual(await administer(`select has_table_privilege('${handlers}', 'ig_audit', 'update') as may`), [
    { may: false },
  ])

  await administer(`grant select (id) on ig_operator to ${handlers}`)
  await assert.rejects(open(), /has rights on ig_operator/)
  await administer(`revoke select (id) on ig_operator from ${handlers}`)
  await assert.rejects(open({ handlerUrl: ownUrl }), /is the role of ig.database too/)
  await assert.rejects(open({ handlerUrl: url }), /is a superuser/)
  await assert.rejects(open({ handlerUrl: url.replace(/[^/]*$/, 'postgres') }), /names another database/)
  const name = new URL(url).pathname.slice(1)
  const reaching: readonly (readonly [string, string, RegExp])[] = [
    [
      `grant select on ig_operator to ${own}_reads`,
      `revoke all on ig_operator from ${own}_reads`,
      /rights on ig_operator/,
    ],
    [`grant pg_read_all_data to ${own}_reads`, `revoke pg_read_all_data from ${own}_reads`, /rights on ig_/],
    [
      `grant postgres to ${own}_reads`,
      `revoke postgres from ${own}_reads`,
      /a right over the server, by itself or as a member of postgres/,
    ],
    [`alter role ${handlers} createrole`, `alter role ${handlers} nocreaterole`, /by itself .* createrole/],
    [
      `grant create on schema public to ${handlers}`,
      `revoke create on schema public from ${handlers}`,
      /may create objects/,
    ],
    [`alter database ${name} owner to ${handlers}`, `alter database ${name} owner to ${own}`, /may create objects/],
  ]
  // A member that does not inherit has the rights by `set role`
  await administer(`create role ${own}_reads`, `alter role ${handlers} noinherit`, `grant ${own}_reads to ${handlers}`)
  for (const [give, take, message] of reaching) {
    await administer(give)
    await assert.rejects(open(), message, give)
    await administer(take)
  }
  await administer(`drop role ${own}_reads`)
  await open()
  await administer(`create schema ${handlers} authorization ${handlers}`)
  await assert.rejects(open(), /alter role .* set search_path = public/)
  await administer(`alter role ${handlers} password 'other'`)
  await assert.rejects(open(), (error: Error) => {
    assert.match(error.message, /^Cannot open the database for handlers \(ig\.database\.handlers\): /)
    assert.doesNotMatch(error.message, /:handlers@|password 'handlers/)
    return true
  })
})

test('5.16 if there is only one role, ig check warns, as a start does', async () => {
  const check = async (env: Readonly<Record<string, string>>) => {
    const outcome = await runVerb(['check', '--json'], { cwd: referenceFolder, env, input: '' })
    assert.equal(outcome.code, 0, outcome.stdout)
    const { warnings } = JSON.parse(outcome.stdout) as { warnings: { path: string; message: string }[] }
    return warnings.filter(({ path }) => path === 'ig.database.handlers').map(({ message }) => message)
  }
  const [shared = '', ...others] = await check({ IG_DATABASE: 'postgres://u@localhost/d' })
  assert.match(shared, /^is not set: the SQL of handlers has the role of the gateway/)
  assert.deepEqual(others, [])
  const both = { IG_DATABASE: 'postgres://u@localhost/d', IG_DATABASE_HANDLERS: 'postgres://h@localhost/d' }
  assert.deepEqual(await check(both), [])
  assert.deepEqual(await check({}), [])
  assert.match(
    (await check({ IG_DATABASE_HANDLERS: 'postgres://h@localhost/d' }))[0] ?? '',
    /has no effect with SQLite/,
  )
})
