/** A database that is full: it is reported once, and again when it has space (specification 5.8). */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import type { RequestMessage } from '../../src/model/content/message.ts'
import type { Handler, HandlerContext } from '../../src/model/handler.ts'
import type { Event } from '../../src/model/observation.ts'
import { listConditions } from '../../src/steps/built-in/health.ts'
import { fill, full, mount, unmount } from '../ordeal/full.ts'
import { basic } from '../support/client.ts'
import { forEachDatabase, type TestDatabase } from '../support/databases.ts'
import { openReference } from '../support/gateway.ts'

/** Writes the given rows. */
class Write implements Handler {
  async onRequest(request: RequestMessage, { broker, database }: HandlerContext) {
    await sql.raw(request.getHeader('x-sql') ?? '').execute(database)
    return broker.createMessage(request.operationName, 'response')
  }
}

const small = "insert into FULL_NOTE (TEXT) values ('x')"
interface Disk {
  readonly database: TestDatabase
  /** @returns makes room again */
  fill(): () => void
  /** Is not written while it is full. */
  readonly large: string
  readonly says: RegExp
}

/** SQLite is on a small disk of its own; PostgreSQL says what it says when its disk is full. */
const disks: Readonly<Record<TestDatabase['name'], (t: TestContext, database: TestDatabase) => Disk>> = {
  SQLite(t, { name }) {
    const folder = mkdtempSync(join(tmpdir(), 'ig-full-'))
    mount(folder, 16)
    t.after(() => {
      unmount(folder)
      rmSync(folder, { recursive: true })
    })
    return {
      database: { name, open: async () => ({ url: join(folder, 'gateway.sqlite'), remove: async () => {} }) },
      fill: () => fill(folder, () => 1),
      large: 'insert into FULL_NOTE (TEXT) values (hex(zeroblob(3000000)))',
      says: /database or disk is full/,
    }
  },
  PostgreSQL: (_, database) => ({
    database,
    fill: () => () => {},
    large: `do $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$`,
    says: /could not extend file/,
  }),
}

forEachDatabase(({ name, ...rest }) => {
  const skip = name === 'SQLite' && full.needs?.()
  test(`5.8, 20.11 a full database is reported once and is a condition; that it has space again is reported when no write has failed for a while (${name})`, {
    skip: skip || false,
  }, async (t) => {
    const { database, ...disk } = disks[name](t, { name, ...rest })
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
    const makeRoom = disk.fill()
    for (let attempt = 0; attempt < 3; attempt += 1) assert.equal(await write(disk.large), 500)
    await until(1)
    const [first] = told()
    assert.deepEqual([first?.name, first?.level], ['storeFull', 'error'])
    assert.match(String(first?.error), disk.says)
    assert.equal((await gateway.call('GET METADATA_BASIC.v1', { headers: basic('DEMO') })).status, 200)
    const condition = () => listConditions(gateway.gateway).find(({ name }) => name === 'storeFull')
    assert.equal(condition()?.isReady, true)

    makeRoom()
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
