/** Judges the project that it is copied into: 07-overdue-reminders.md. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestGateway } from 'integration-gateway/testing'

const project = new URL('..', import.meta.url)
const day = 24 * 60 * 60 * 1000
/** A Monday, 02:30 in Berlin. */
const now = '2026-03-02T01:30:00Z'

test('the job REMIND is due on weekdays at 02:30 in Berlin', async () => {
  const { default: config } = await import(new URL('gateway.config.ts', project).href)
  const jobs: { name: string; at?: string; timeZone?: string }[] = config.jobs ?? []
  const job = jobs.find(({ name }) => name === 'REMIND')
  assert.ok(job, 'gateway.config.ts has no job REMIND')
  assert.match(job.at ?? '', /^30 0?2 \* \* (?:MON-FRI|1-5|MON,TUE,WED,THU,FRI|1,2,3,4,5)$/i)
  assert.equal(job.timeZone, 'Europe/Berlin')
})

test('each overdue loan gets one reminder a week', async () => {
  await using gateway = await openTestGateway({ project, now })
  const loans = [
    { LOAN_ID: 1, DUE: '2026-02-20', RETURNED: null },
    { LOAN_ID: 2, DUE: '2026-02-20', RETURNED: '2026-02-25' },
    { LOAN_ID: 3, DUE: '2026-03-02', RETURNED: null },
    { LOAN_ID: 4, DUE: '2026-03-30', RETURNED: null },
    { LOAN_ID: 5, DUE: '2026-03-01', RETURNED: null },
  ]
  const read = (database: Parameters<Parameters<typeof gateway.withDatabase>[0]>[0]) =>
    database
      .selectFrom('REMINDERS')
      .select(['LOAN_ID', 'WRITTEN_ON'])
      .orderBy('WRITTEN_ON')
      .orderBy('LOAN_ID')
      .execute()
  const written = async () =>
    (await gateway.withDatabase(read)).map(({ LOAN_ID, WRITTEN_ON }) => `${LOAN_ID} ${WRITTEN_ON}`)
  const run = async () => {
    const { outcome, error } = await gateway.runJob('REMIND')
    assert.equal(outcome, 'succeeded', String(error))
  }

  await gateway.withDatabase((database) => database.insertInto('LOANS').values(loans).execute())
  await run()
  const first = ['1 2026-03-02', '5 2026-03-02']
  assert.deepEqual(await written(), first)
  await run()
  assert.deepEqual(await written(), first, 'a second run in the same night')

  gateway.advance(day)
  await run()
  const second = [...first, '3 2026-03-03']
  assert.deepEqual(await written(), second)

  await gateway.withDatabase((database) =>
    database.updateTable('LOANS').set({ RETURNED: '2026-03-04' }).where('LOAN_ID', '=', 5).execute(),
  )
  gateway.advance(5 * day)
  await run()
  assert.deepEqual(await written(), second, 'six days after the first run')
  gateway.advance(day)
  await run()
  assert.deepEqual(await written(), [...second, '1 2026-03-09'])
})
