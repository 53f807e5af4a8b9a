/** Rows that a handler reads are bounded by the memory budget, on both databases (specification 7.10). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as breathe } from 'node:timers/promises'
import { sql } from 'kysely'
import { MemoryBudget } from '../../src/model/memory-budget.ts'
import { RowMemory } from '../../src/model/row-memory.ts'
import { basic } from '../support/client.ts'
import { forEachDatabase } from '../support/databases.ts'
import { openReference } from '../support/gateway.ts'
import { begin, openTestStore } from '../support/stores.ts'

const total = 2 * 1024 ** 2
const count = 20_000
const headers = basic('DEMO')

forEachDatabase((database) => {
  test(`7.10 a result beyond the budget fails its statement, in any state of a transaction (${database.name})`, async (t) => {
    const { store } = await openTestStore(t, database)
    const budget = new MemoryBudget(total)
    const rows = Array.from({ length: count }, (_, id) => [id + 1, `text ${id}`])
    const filling = begin(store)
    await filling.database.insertRows('NOTE', ['ID', 'TEXT'], rows)
    await filling.commit()
    const open = (account = budget.open()) => ({
      account,
      transaction: begin(store, { rows: new RowMemory(() => account) }),
    })

    const reading = open()
    await assert.rejects(reading.transaction.database.selectFrom('NOTE').selectAll().execute(), /does not fit.*stream/)
    await assert.rejects(reading.transaction.commit(), /does not fit/)
    reading.account.close()

    const writing = open()
    await writing.transaction.database.insertInto('NOTE').values({ ID: 0, TEXT: 'gone' }).execute()
    await assert.rejects(writing.transaction.database.selectFrom('NOTE').selectAll().execute(), /does not fit/)
    await writing.transaction.rollback()
    writing.account.close()

    const few = open()
    const some = await few.transaction.database.selectFrom('NOTE').selectAll().where('ID', '<', 1000).execute()
    assert.ok(some.length < 1001 && budget.reserved > 0, `${budget.reserved}`)
    await few.transaction.rollback()
    few.account.close()
    assert.equal(budget.reserved, 0)

    const streaming = open()
    let seen = 0
    for await (const { ID } of streaming.transaction.database.selectFrom('NOTE').select('ID').stream(100))
      if (ID > 0) seen += 1
    assert.equal(seen, count)
    await streaming.transaction.commit()
    streaming.account.close()

    const other = budget.open()
    other.hold(total - 100_000)
    const waiting = open()
    const half = sql`select * from ${sql.ref('NOTE')} where ${sql.ref('ID')} < 1000`
    await assert.rejects(half.execute(waiting.transaction.database), { name: 'Refusal', code: 'overloaded' })
    await waiting.transaction.rollback()
    other.close()
    waiting.account.close()
    assert.equal(budget.reserved, 0)
    assert.equal(store.load().handlers?.waiting, 0)
  })

  test(`7.10 a key with more rows than fit is a handler's error, or overloaded while others use the budget (${database.name})`, async (t) => {
    const gateway = await openReference({
      database,
      properties: { 'ig.limits.memory': String(8 * 1024 ** 2), 'ig.errorStyle': 'standard' },
    })
    t.after(() => gateway.close())
    const { memory } = gateway.gateway
    const fill = (key: string, rows: number) => {
      const body = `<request>${`<row><key>${key}</key><value>v</value></row>`.repeat(rows)}</request>`
      return gateway.call('POST KEY_VALUE.v1', { headers, body })
    }
    assert.equal((await fill('many', count)).status, 200)
    assert.equal((await fill('some', 1000)).status, 200)
    const never = await gateway.call('GET KEY_VALUE.v1/many', { headers })
    assert.deepEqual([never.status, never.headers['ig-refusal']], [500, 'handlerFailed'], never.text)
    assert.equal((await gateway.call('GET KEY_VALUE.v1/some', { headers })).status, 200)
    const other = memory.open()
    other.hold(memory.total - 300_000)
    const full = await gateway.call('GET KEY_VALUE.v1/some', { headers })
    assert.deepEqual([full.status, full.headers['ig-refusal'], full.headers['retry-after']], [503, 'overloaded', '1'])
    other.close()
    assert.equal((await gateway.call('GET KEY_VALUE.v1/some', { headers })).status, 200)
    while (memory.reserved > 0) await breathe()
  })
})
