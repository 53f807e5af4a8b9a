/** Limits of several processes on one database (specification 25.7 to 25.9). */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { compileLimits } from '../../../src/configuration/compile-limits.ts'
import { limit } from '../../../src/configuration/limit-schema.ts'
import { exchangeLimits } from '../../../src/features/limits/exchange.ts'
import { CallLimits } from '../../../src/features/limits/limits.ts'
import { type LimitStore, openLimitRows } from '../../../src/features/limits/rows.ts'
import type { Observation } from '../../../src/model/observation.ts'
import { openStore } from '../../../src/store/open-store.ts'
import type { Store } from '../../../src/store/store.ts'
import { forEachDatabase, type TestDatabase } from '../../support/databases.ts'

const day = 24 * 3_600_000
const [operator] = compileLimits([
  limit.parse({ name: 'operator', by: ['operator'], calls: 24, per: '24h', burst: 10 }),
]).byName.values()
assert.ok(operator)

async function openShared(t: TestContext, database: TestDatabase): Promise<Store> {
  const place = await (database.openMigrated?.() ?? database.open())
  const store = await openStore(place.url)
  t.after(async () => {
    await store.close()
    await place.remove()
  })
  return store
}

/** A process; its exchanges come when the test asks for one. */
function openProcess(t: TestContext, store: LimitStore, clock = 0) {
  const events: string[] = []
  const observe = (observation: Observation) => {
    if (observation.kind === 'event') events.push(observation.name)
  }
  let passed = 0
  const limits = new CallLimits({ observe, now: () => performance.now() + clock + passed })
  const { exchange, close } = exchangeLimits({ limits, store, observe })
  limits.onTouched = () => {}
  t.after(close)
  const call = (operatorId: string): boolean => {
    try {
      limits.admit([operator as never], { operationId: 'X', address: '192.0.2.1', operatorId }, [])
      return true
    } catch {
      return false
    }
  }
  return {
    events,
    exchange,
    pass: (milliseconds: number) => (passed += milliseconds),
    call,
    /** How many of so many calls are accepted. */
    calls: (count: number, operatorId = 'DEMO') =>
      Array.from({ length: count }, () => call(operatorId)).filter(Boolean).length,
  }
}

forEachDatabase((database) => {
  const on = `(${database.name})`

  test(`25.7 processes count together, whatever their clocks say, and whichever of them the calls reach ${on}`, async (t) => {
    const store = await openShared(t, database)
    const [one, other, third] = [
      openProcess(t, openLimitRows(store.databases)),
      openProcess(t, openLimitRows(store.databases), 60_000),
      openProcess(t, openLimitRows(store.databases), -60_000),
    ]
    assert.equal(one.calls(4), 4)
    await one.exchange()
    assert.equal(other.calls(1), 1)
    await other.exchange()
    assert.equal(other.calls(20), 5)
    await other.exchange()
    assert.equal(third.calls(1), 1) // it did not know
    await third.exchange()
    assert.equal(third.calls(20), 0)
    assert.equal(third.calls(20, 'DEMO2'), 10)
    assert.equal(one.calls(20), 6) // before it learns what the others spent
    await one.exchange()
    const [row] = (await openLimitRows(store.databases).list(10)).filter(({ subject }) => subject === 'DEMO')
    assert.ok(row && Math.abs(row.ahead - 17 * (day / 24)) < 60_000, `${row?.ahead}`) // what was too much is owed
  })

  test(`25.7 a process that was idle learns from the next exchange what is free again ${on}`, async (t) => {
    const store = await openShared(t, database)
    const one = openProcess(t, openLimitRows(store.databases))
    assert.equal(one.calls(20), 10)
    await one.exchange()
    const [row] = await openLimitRows(store.databases).list(10)
    assert.equal(row?.limit, 'operator')
    assert.ok(row.refused !== null && row.refused < 60_000)
    assert.equal(await openLimitRows(store.databases).lift('operator', 'DEMO'), true)
    assert.equal(await openLimitRows(store.databases).lift('operator', 'NOBODY'), false)
    assert.equal(one.calls(1), 0)
    await one.exchange()
    assert.equal(one.calls(20), 10)
  })

  test(`25.9 rows of which nothing is left are removed after a minute ${on}`, async (t) => {
    const store = await openShared(t, database)
    const spent = { limit: 'operator', subject: 'DEMO', hasRefused: false }
    await openLimitRows(store.databases).exchange([{ ...spent, spent: 1000, age: 70_000 }])
    await openLimitRows(store.databases).exchange([{ ...spent, subject: 'DEMO2', spent: 60_000, age: 70_000 }])
    await openLimitRows(store.databases).prune()
    assert.equal(await openLimitRows(store.databases).lift('operator', 'DEMO'), false)
    assert.equal(await openLimitRows(store.databases).lift('operator', 'DEMO2'), true)
  })

  test(`25.9 rows of very many subjects are removed in slices ${on}`, async (t) => {
    const store = await openShared(t, database)
    const gone = { limit: 'address', spent: 1000, age: 70_000, hasRefused: false }
    for (const part of [1, 2]) {
      const subjects = Array.from({ length: 1_200 }, (_, at) => `${part}${String(at).padStart(4, '0')}`)
      await openLimitRows(store.databases).exchange(subjects.map((subject) => ({ ...gone, subject })))
    }
    await openLimitRows(store.databases).exchange([{ ...gone, subject: '20000 kept', spent: 60_000 }])
    await openLimitRows(store.databases).prune(AbortSignal.abort()) // a slice has begun
    assert.deepEqual([await isThere('10000'), await isThere('20000'), await isThere('21199')], [false, false, true])
    await openLimitRows(store.databases).prune()
    assert.deepEqual([await isThere('21199'), await isThere('20000 kept')], [false, true])

    function isThere(subject: string): Promise<boolean> {
      return openLimitRows(store.databases).knows('address', subject)
    }
  })
})

test('25.8 without the database each process counts its own calls; afterwards it tells the others what was spent meanwhile', async (t) => {
  let isAway = true
  const told: number[] = []
  const store: LimitStore = {
    async exchange(spent) {
      if (isAway) throw new Error('away')
      told.push(...spent.map((each) => each.spent))
      return spent.map(() => 9.5 * (day / 24))
    },
    find: async () => -1,
    knows: async () => false,
    list: async () => [],
    lift: async () => false,
    prune: async () => {},
  }
  const one = openProcess(t, store)
  assert.equal(one.calls(3), 3)
  await assert.rejects(one.exchange())
  assert.equal(one.calls(20), 7)
  await assert.rejects(one.exchange())
  isAway = false
  await one.exchange()
  assert.deepEqual(told, [10 * (day / 24)])
  assert.equal(one.calls(1), 0)
})
