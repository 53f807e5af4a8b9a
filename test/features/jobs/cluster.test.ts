/** Jobs of several instances on one database (specification 24.3 to 24.9). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { JobContext } from '../../../src/features/jobs/job.ts'
import { openJobs } from '../../../src/features/jobs/rows.ts'
import { forEachDatabase, runOutside } from '../../support/databases.ts'
import { begin, readNotes } from '../../support/stores.ts'
import { everyFive, fiveMinutes, openJobCluster } from './cluster.ts'

const write = ({ database, attempt, due }: JobContext) =>
  database
    .insertInto('NOTE')
    .values({ ID: attempt, TEXT: new Date(due).toISOString() })
    .execute()

forEachDatabase((database) => {
  const on = `(${database.name})`

  test(`24.3, 24.7 one of two instances runs a job when it is due, and commits what it wrote; missed times are made up for once ${on}`, async (t) => {
    const cluster = await openJobCluster(t, { database, work: write })
    const [one, other] = [await cluster.open(), await cluster.open()]
    const both = async () => void (await Promise.all([one.run(), other.run()]))
    await both() // plans it: nothing was missed before
    await both()
    assert.deepEqual(await readNotes(one.gateway.store), [])
    cluster.advance(fiveMinutes)
    await both()
    await both()
    assert.deepEqual([...one.runs, ...other.runs], ['succeeded 1'])
    assert.deepEqual(await readNotes(one.gateway.store), ['2026-01-01T12:05:00.000Z'])
    cluster.advance(100 * fiveMinutes + 1)
    await both()
    await both()
    assert.deepEqual(await readNotes(one.gateway.store), ['2026-01-01T12:05:00.000Z', '2026-01-01T20:25:00.000Z'])
    const [row] = await openJobs(one.gateway.store.databases).list()
    assert.equal(row?.outcome, 'succeeded')
    assert.equal(row.hasBegun, false)
  })

  test(`24.3, 24.10 a process has at most four runs, and one that does not serve the active revision begins none ${on}`, async (t) => {
    const end = Promise.withResolvers<void>()
    const begun: string[] = []
    const cluster = await openJobCluster(t, {
      database,
      async work({ name }) {
        begun.push(name)
        await end.promise
      },
    })
    const jobs = ['A', 'B', 'C', 'D', 'E'].map((name) => ({ ...everyFive[0], name }))
    const [one, other, stale] = [await cluster.open(jobs), await cluster.open(jobs), await cluster.open(jobs)]
    stale.gateway.condition.revisionRefusal = 'its handlers are missing'
    await one.run()
    cluster.advance(fiveMinutes)
    await stale.follower.poll()
    await one.follower.poll()
    await one.follower.poll()
    assert.deepEqual(begun, ['A', 'B', 'C', 'D'])
    await stale.follower.poll()
    await other.follower.poll()
    assert.deepEqual(begun, ['A', 'B', 'C', 'D', 'E'])
    end.resolve()
    await Promise.all([one.follower.settled(), other.follower.settled()])
    assert.deepEqual([one.runs.length, other.runs.length, stale.runs.length], [4, 1, 0])
  })

  test(`24.6 if a run is still running when the job is next due, that time is skipped, and one instance reports it ${on}`, async (t) => {
    const begun = Promise.withResolvers<void>()
    const end = Promise.withResolvers<void>()
    const cluster = await openJobCluster(t, {
      database,
      async work(context) {
        await write(context)
        begun.resolve()
        await end.promise
      },
    })
    const [one, other] = [await cluster.open(), await cluster.open()]
    await one.run()
    cluster.advance(fiveMinutes)
    await one.follower.poll()
    await begun.promise
    cluster.advance(fiveMinutes)
    await Promise.all([one.follower.poll(), other.follower.poll()]) // on SQLite the run holds the writer: noted at its end
    end.resolve()
    await one.follower.settled()
    await Promise.all([one.run(), other.run()])
    await Promise.all([one.run(), other.run()])
    assert.deepEqual([...one.events, ...other.events], ['jobSkipped'])
    assert.deepEqual(await readNotes(one.gateway.store), ['2026-01-01T12:05:00.000Z'])
    cluster.advance(fiveMinutes)
    await other.run()
    assert.deepEqual((await readNotes(one.gateway.store)).at(-1), '2026-01-01T12:15:00.000Z')
  })

  test(`24.5 a job that throws is rolled back and repeated as configured, with growing delays ${on}`, async (t) => {
    const cluster = await openJobCluster(t, {
      database,
      async work(context) {
        await write(context)
        throw new Error('not today')
      },
    })
    const instance = await cluster.open([{ ...everyFive[0], retries: 2 }])
    await instance.run()
    cluster.advance(fiveMinutes)
    await instance.run()
    for (const pause of [10_000, 20_000, 40_000]) {
      cluster.advance(pause - 1)
      await instance.run()
      cluster.advance(1)
      await instance.run()
    }
    assert.deepEqual(instance.runs, ['failed 1', 'failed 2', 'failed 3'])
    assert.deepEqual(await readNotes(instance.gateway.store), [])
    const [row] = await openJobs(instance.gateway.store.databases).list()
    assert.deepEqual([row?.outcome, row?.reason, row?.retry], ['failed', 'Error: not today', null])
  })

  test(`24.5 a failed statement that a job catches, and a statement on tables of the gateway, store nothing ${on}`, async (t) => {
    const statements = ['insert into MISSING values (1)', "update ig_job set outcome = 'succeeded'"]
    const cluster = await openJobCluster(t, {
      database,
      async work(context) {
        await write(context)
        await sql
          .raw(statements.shift() ?? '')
          .execute(context.database)
          .catch(() => {})
      },
    })
    const instance = await cluster.open()
    await instance.run()
    for (const outcome of ['failed 1', database.name === 'SQLite' ? 'failed 1' : 'succeeded 1']) {
      cluster.advance(fiveMinutes)
      await instance.run()
      assert.equal(instance.runs.at(-1), outcome) // on PostgreSQL a role restricts it: 24.9
    }
  })

  test(`24.5 the time limit ends a job that waits, aborts its signal and rolls it back ${on}`, async (t) => {
    const aborted = Promise.withResolvers<unknown>()
    const cluster = await openJobCluster(t, {
      database,
      async work(context) {
        await write(context)
        context.signal.addEventListener('abort', () => aborted.resolve(context.signal.reason))
        await new Promise(() => {})
      },
    })
    const instance = await cluster.open([{ ...everyFive[0], timeLimit: '1s' }])
    await instance.run()
    cluster.advance(fiveMinutes)
    await instance.run()
    assert.deepEqual(instance.runs, ['timedOut 1'])
    assert.equal(await aborted.promise, instance.errors[0])
    assert.deepEqual(await readNotes(instance.gateway.store), [])
    assert.equal(
      (await openJobs(instance.gateway.store.databases).list())[0]?.reason,
      'The job exceeded its time of 1000 ms',
    )
  })

  test(`24.7, 24.8 a process that lost its lease commits nothing; the run is repeated once besides its retries ${on}`, async (t) => {
    const begun: PromiseWithResolvers<void>[] = []
    const end = Promise.withResolvers<void>()
    const cluster = await openJobCluster(t, {
      database,
      async work(context) {
        begun[context.attempt]?.resolve()
        if (context.attempt === 1) await end.promise
        await write(context)
      },
    })
    begun[1] = Promise.withResolvers<void>()
    const [one, other] = [await cluster.open(), await cluster.open()]
    await one.run()
    cluster.advance(fiveMinutes)
    await one.follower.poll()
    await begun[1].promise
    await other.run()
    assert.deepEqual(other.runs, [])
    await runOutside(cluster.url, 'update ig_job set until = 0') // as if it had been paused for that long
    await other.run()
    assert.deepEqual([other.runs, other.events], [['succeeded 2'], ['jobLost']])
    end.resolve()
    await one.follower.settled()
    assert.deepEqual(one.runs, ['lost 1'])
    assert.deepEqual(await readNotes(one.gateway.store), ['2026-01-01T12:05:00.000Z'])
    assert.equal((await openJobs(one.gateway.store.databases).list())[0]?.outcome, 'succeeded')
  })

  test(`24.8 a run that fails after another process has taken it over is lost ${on}`, async (t) => {
    const begun = Promise.withResolvers<void>()
    const end = Promise.withResolvers<void>()
    const cluster = await openJobCluster(t, {
      database,
      async work({ attempt }) {
        begun.resolve()
        if (attempt === 1) await end.promise
      },
    })
    const [one, other] = [await cluster.open(), await cluster.open()]
    await one.run()
    cluster.advance(fiveMinutes)
    await one.follower.poll()
    await begun.promise
    await runOutside(cluster.url, 'update ig_job set until = 0')
    await other.run()
    end.reject(new Error('terminating connection due to idle-in-transaction timeout'))
    await one.follower.settled()
    assert.deepEqual([one.runs, other.runs], [['lost 1'], ['succeeded 2']])
  })

  if (database.name === 'PostgreSQL')
    test(`24.7 the server ends the transaction of a process that is paused for longer than its lease, and keeps that of one that waits ${on}`, async (t) => {
      const found: unknown[] = []
      const cluster = await openJobCluster(t, {
        database,
        async work({ database }) {
          const { rows } = await sql<object>`show idle_in_transaction_session_timeout`.execute(database)
          found.push(rows[0])
        },
      })
      const { run, gateway } = await cluster.open()
      await run()
      cluster.advance(fiveMinutes)
      await run()
      assert.deepEqual(found, [{ idle_in_transaction_session_timeout: '20s' }])
      const waiting = begin(gateway.store, { idleLimit: 60_000 })
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(waiting.database)
      await waiting.touch()
      const activity = `select query, state from pg_stat_activity where pid = ${rows[0]?.pid}`
      assert.deepEqual(await runOutside(cluster.url, activity), [{ query: 'select 1', state: 'idle in transaction' }])
      await waiting.rollback()
    })

  test(`24.8 a run whose processes are lost repeatedly is abandoned ${on}`, async (t) => {
    const cluster = await openJobCluster(t, { database, work: () => new Promise(() => {}) })
    const instances = [await cluster.open(), await cluster.open(), await cluster.open()]
    await instances[0]?.run()
    cluster.advance(fiveMinutes)
    for (const { follower } of instances) {
      await follower.poll()
      await runOutside(cluster.url, 'update ig_job set until = 0')
    }
    const jobs = openJobs((await cluster.open()).gateway.store.databases)
    const [row] = await jobs.list()
    assert.deepEqual([row?.attempt, row?.outcome, row?.hasBegun], [2, 'lost', false])
    assert.deepEqual(
      instances.flatMap(({ events }) => events),
      ['jobLost', 'jobLost'],
    )
  })

  test(`24.8 a process that shuts down ends its runs after the grace time, and another repeats them at once ${on}`, async (t) => {
    const begun = Promise.withResolvers<void>()
    const cluster = await openJobCluster(t, {
      database,
      async work(context) {
        await write(context)
        begun.resolve()
        if (context.attempt === 1) await new Promise(() => {})
      },
    })
    const [one, other] = [await cluster.open(), await cluster.open()]
    await one.run()
    cluster.advance(fiveMinutes)
    await one.follower.poll()
    await begun.promise
    await one.follower.stop(0)
    assert.deepEqual(one.runs, ['stopped 1'])
    await other.run()
    assert.deepEqual(other.runs, ['succeeded 2'])
    assert.deepEqual(await readNotes(other.gateway.store), ['2026-01-01T12:05:00.000Z'])
  })

  test(`24.2, 24.10 an inactive job runs only on request; a job that was removed and added again makes up for nothing ${on}`, async (t) => {
    const cluster = await openJobCluster(t, { database, work: write })
    const inactive = await cluster.open([{ ...everyFive[0], isActive: false }])
    await openJobs(inactive.gateway.store.databases).request('WORK', 'KIM', cluster.now()) // before it is planned
    await inactive.run()
    await inactive.run()
    assert.deepEqual(inactive.runs, ['succeeded 1'])
    cluster.advance(10 * fiveMinutes)
    await inactive.run()
    assert.deepEqual(inactive.runs, ['succeeded 1'])
    const active = await cluster.open()
    await active.run()
    await active.run()
    assert.deepEqual(active.runs, [])
    await (await cluster.open([])).run()
    assert.deepEqual(await openJobs(active.gateway.store.databases).list(), [])
    cluster.advance(10 * fiveMinutes)
    await active.run()
    await active.run()
    assert.deepEqual(active.runs, [])
  })
})
