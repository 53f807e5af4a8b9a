/** A job whose SQL has the role of handlers (specification 24.9). */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { sql } from 'kysely'
import { openJobs } from '../../../src/features/jobs/rows.ts'
import type { Store } from '../../../src/store/store.ts'
import { openRoles } from '../../support/roles.ts'
import { begin, readNotes } from '../../support/stores.ts'

test('24.9 the transaction of a job, with the role of handlers, ends with the record that it ran; that role cannot end a run itself (PostgreSQL)', async (t) => {
  const { own, handlers, administer, open } = await openRoles(t)
  await administer(`grant ${handlers} to ${own}`)
  const { databases, openHandlerTransaction } = await open()
  const jobs = openJobs(databases)
  await jobs.plan('WORK', { schedule: 'every 5min', sequence: 1, last: 0 })
  const [row] = await jobs.list()
  assert.ok(row)
  const token = randomUUID()
  const run = { token, run: 'run', instance: 'here', begun: 1, due: 1, attempt: 1, last: 1, lease: 15_000 }
  assert.equal(await jobs.begin(row, run), true)
  const work = async (held: string) => {
    const final = {
      query: jobs.finalStatementOf({ name: 'WORK', token: held }, 2),
      fail: () => new Error('lost'),
    }
    const transaction = openHandlerTransaction({ wait: 10_000, signal: new AbortController().signal })
    await transaction.database.insertInto('NOTE').values({ ID: 1, TEXT: held }).execute()
    await transaction.commit(final)
  }
  const reading = begin({ openHandlerTransaction } as Store)
  await assert.rejects(sql`select token from ig_job`.execute(reading.database), /permission denied/)
  await reading.rollback()
  await assert.rejects(work(randomUUID()), /lost/)
  await work(token)
  await assert.rejects(work(token), /lost/)
  assert.deepEqual(await readNotes({ openHandlerTransaction } as Store), [token])
  assert.deepEqual(
    (await jobs.list()).map(({ outcome, ended }) => [outcome, ended]),
    [['succeeded', 2]],
  )
})
