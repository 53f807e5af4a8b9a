/** A database that has no room for what calls write: it is told once, and again when it has (specification 5.8). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { Handler, HandlerContext } from '../src/model/handler.ts'
import type { RequestMessage } from '../src/model/message.ts'
import type { Event } from '../src/model/observation.ts'
import { listConditions } from '../src/steps/health.ts'
import { basic } from './support/client.ts'
import { forEachDatabase } from './support/databases.ts'
import { openReference } from './support/gateway.ts'

/** Writes what it is told to. */
class Write implements Handler {
  async onRequest(request: RequestMessage, { broker, database }: HandlerContext) {
    await sql.raw(request.getHeader('x-sql') ?? '').execute(database)
    return broker.createMessage(request.operationName, 'response')
  }
}

const small = "insert into FULL_NOTE (TEXT) values ('x')"
/** SQLite has a bound of its own; PostgreSQL says what it says when its disk is full. */
const bounds = {
  SQLite: {
    toFull: 'pragma max_page_count=1', // as many as there are
    large: `insert into FULL_NOTE (TEXT) values (hex(zeroblob(100000)))`,
    toRoom: 'pragma max_page_count=1000000',
    says: /database or disk is full/,
  },
  PostgreSQL: {
    toFull: 'select 1',
    large: `do $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$`,
    toRoom: 'select 1',
    says: /could not extend file/,
  },
}

forEachDatabase((database) => {
  test(`5.8, 20.11 a database that is full is told once and a condition, and that it has room again when no write has failed for a while (${database.name})`, async (t) => {
    let time = 1_800_000_000_000
    const gateway = await openReference({
      database,
      now: () => time,
      handlers: { 'handlers/write.ts': Write },
      configure(configuration) {
        const [model] = configuration.operations.filter(({ name }) => name === 'METADATA_BASIC')
        assert(model)
        const write = { ...model, name: 'WRITE', alias: 'WRITE', method: 'POST' as const, handler: 'handlers/write.ts' }
        return { ...configuration, operations: [...configuration.operations, write] }
      },
    })
    t.after(() => gateway.close())
    const ways = bounds[database.name as keyof typeof bounds]
    const write = async (statement: string) =>
      (await gateway.call('POST WRITE.v1', { headers: { ...basic('DEMO'), 'x-sql': statement } })).status
    const told = () =>
      gateway.observations.filter(
        (one): one is Event => one.kind === 'event' && /^store(?:Full|HasRoom)$/.test(one.name),
      )
    const until = async (count: number) => {
      while (told().length < count && !t.signal.aborted) await new Promise(setImmediate)
    }

    assert.equal(await write('create table FULL_NOTE (TEXT text)'), 200)
    assert.equal(await write(ways.toFull), 200)
    for (let attempt = 0; attempt < 3; attempt += 1) assert.equal(await write(ways.large), 500)
    await until(1)
    const [full] = told()
    assert.deepEqual([full?.name, full?.level], ['storeFull', 'error'])
    assert.match(String(full?.error), ways.says)
    assert.equal((await gateway.call('GET METADATA_BASIC.v1', { headers: basic('DEMO') })).status, 200)
    const condition = () => listConditions(gateway.gateway).find(({ name }) => name === 'storeFull')
    assert.equal(condition()?.isReady, true)

    assert.equal(await write(ways.toRoom), 200)
    assert.equal(await write(small), 200)
    time += 9_999
    assert.ok(gateway.gateway.store.full, 'small writes may be taken where large ones are not')
    time += 1
    await until(2)
    assert.deepEqual(
      told().map(({ name, level }) => [name, level]),
      [
        ['storeFull', 'error'],
        ['storeHasRoom', 'warning'],
      ],
    )
    assert.equal(condition(), undefined)
  })
})
