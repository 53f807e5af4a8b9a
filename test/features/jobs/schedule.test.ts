/** When a job is due (specification 24.2). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { atOnce } from '../../../src/base/at-once.ts'
import { diffConfigurations } from '../../../src/configuration/diff-configurations.ts'
import { parseConfiguration } from '../../../src/configuration/parse-configuration.ts'
import { digestConfiguration, readDocument, writeDocument } from '../../../src/configuration/revision.ts'
import { withoutDefaults } from '../../../src/configuration/without-defaults.ts'
import { findLatest, openSchedule, type ScheduleDefinition } from '../../../src/features/jobs/schedule.ts'

const at = (time: string) => Date.parse(time)

function listNext(definition: ScheduleDefinition, from: string, count: number): readonly string[] {
  const { next } = openSchedule(definition)
  const times: string[] = []
  for (let time = at(from); times.length < count; times.push(new Date(time).toISOString())) time = next(time)
  return times
}

test('24.2 an interval is due at its multiples, a cron expression in its time zone, at a repeated hour once if minute and hour are one value each, otherwise twice', () => {
  assert.deepEqual(listNext({ every: '15min' }, '2026-01-01T10:14:59.999Z', 2), [
    '2026-01-01T10:15:00.000Z',
    '2026-01-01T10:30:00.000Z',
  ])
  assert.deepEqual(listNext({ at: '0 3 * * *' }, '2026-01-01T03:00:00Z', 1), ['2026-01-02T03:00:00.000Z'])
  assert.deepEqual(listNext({ at: '30 2 * * *', timeZone: 'Europe/Berlin' }, '2026-03-28T12:00:00Z', 2), [
    '2026-03-29T01:00:00.000Z', // 02:30 does not exist
    '2026-03-30T00:30:00.000Z',
  ])
  assert.deepEqual(listNext({ at: '30 2 * * *', timeZone: 'Europe/Berlin' }, '2026-10-24T12:00:00Z', 2), [
    '2026-10-25T00:30:00.000Z', // the first of two
    '2026-10-26T01:30:00.000Z',
  ])
  for (const hours of ['1,2', '1-2', '*'])
    assert.deepEqual(listNext({ at: `30 ${hours} * * *`, timeZone: 'Europe/Berlin' }, '2026-10-24T23:00:00Z', 3), [
      '2026-10-24T23:30:00.000Z', // 01:30
      '2026-10-25T00:30:00.000Z', // 02:30, twice
      '2026-10-25T01:30:00.000Z',
    ])
  assert.deepEqual(listNext({ at: '*/30 2 * * *', timeZone: 'Europe/Berlin' }, '2026-10-24T23:00:00Z', 4), [
    '2026-10-25T00:00:00.000Z',
    '2026-10-25T00:30:00.000Z',
    '2026-10-25T01:00:00.000Z',
    '2026-10-25T01:30:00.000Z',
  ])
  assert.deepEqual(listNext({ at: '30 2-2 24,25 * *', timeZone: 'Europe/Berlin' }, '2026-10-24T12:00:00Z', 1), [
    '2026-10-25T00:30:00.000Z', // one minute and one hour
  ])
  assert.deepEqual(listNext({ at: '0 0 13 * FRI' }, '2026-01-01T00:00:00Z', 2), [
    '2026-01-02T00:00:00.000Z', // a Friday or a 13th, as in crontab
    '2026-01-09T00:00:00.000Z',
  ])
})

test('24.3 of all missed times the latest counts', () => {
  const now = at('2026-12-02T10:07:30Z')
  const latest = (definition: ScheduleDefinition, after: string) => {
    const found = findLatest(openSchedule(definition), at(after), now)
    return found === undefined ? undefined : new Date(found).toISOString()
  }
  assert.equal(latest({ every: '5min' }, '2026-12-02T10:05:00Z'), undefined)
  assert.equal(latest({ every: '5min' }, '2020-01-01T00:00:00Z'), '2026-12-02T10:05:00.000Z')
  assert.equal(latest({ at: '* * * 1 *' }, '2020-01-01T00:00:00Z'), '2026-01-31T23:59:00.000Z')
  assert.equal(latest({ at: '0 3 * * *', timeZone: 'Asia/Tokyo' }, '2026-11-01T00:00:00Z'), '2026-12-01T18:00:00.000Z')
})

test('24.2 errors of a job are reported with the others, each with its place', () => {
  const handler = 'handlers/job.ts'
  const jobs = [
    { name: 'NEITHER', handler },
    { name: 'BOTH', every: '5min', at: '0 3 * * *', handler },
    { name: 'ZONE', every: '5min', timeZone: 'Europe/Berlin', handler },
    { name: 'ZONE', at: '0 3 * * *', timeZone: 'Mars/Base', handler },
    { name: 'PATTERN', at: '61 * * * *', handler },
    { name: 'SECONDS', at: '* * * * * *', handler },
    { name: 'NEVER', at: '0 0 30 2 *', handler },
    { name: 'NOW', at: '? * * * *', handler },
    { name: 'SOON', every: '0s', handler },
    { name: 'LONG', every: '5min', timeLimit: '25h', retries: 11, handler: '../job.ts' },
    { name: 'GOOD', at: '*/5 8-17 * * MON-FRI', timeZone: 'America/New_York', handler },
  ]
  const parsed = parseConfiguration({ nodes: [{ name: 'LOCAL_NODE', isDefaultLocal: true }], jobs } as never)
  assert.ok('problems' in parsed)
  const cron = 'must be a cron expression: minute, hour, day, month and weekday, such as 0 3 * * *'
  assert.deepEqual(
    parsed.problems.map(({ path, message }) => `${path} ${message}`),
    [
      "jobs[0] needs every or at: every: '5min', or at: '0 3 * * *'",
      'jobs[1].at cannot be combined with every: leave one of them out',
      'jobs[2].timeZone has no effect with every: leave it out, or use at',
      'jobs[3].name repeats ZONE of jobs[2]: give it another name',
      'jobs[3].timeZone must be a time zone, such as Europe/Berlin',
      `jobs[4].at ${cron} (Invalid value for minute: 61)`,
      `jobs[5].at ${cron}`,
      `jobs[6].at ${cron} (no day is like that)`,
      `jobs[7].at ${cron}`,
      'jobs[8].every must be an interval with its unit, 1s to 30d: 30s, 5min, 12h, 7d',
      "jobs[9].handler must stay in the project folder: '..' leads out of it",
      'jobs[9].retries must be 0 to 10',
      'jobs[9].timeLimit must be a time with its unit, up to 24h: 500ms, 30s, 5min',
    ],
  )
})

test('24.1 jobs are part of differences and exports; a revision without them is the same configuration', () => {
  const parse = (jobs?: readonly object[]) => {
    const parsed = parseConfiguration({ nodes: [{ name: 'LOCAL_NODE', isDefaultLocal: true }], jobs } as never)
    assert.ok('configuration' in parsed)
    return parsed.configuration
  }
  const without = parse()
  const absent = writeDocument(without).replace(/,\n"jobs": \[\n\]/, '')
  assert.doesNotMatch(absent, /jobs/)
  const read = atOnce(readDocument(absent))
  assert.deepEqual(read, without)
  const handler = 'handlers/job.ts'
  const [five, ten] = ['5min', '10min'].map((every) => parse([{ name: 'JOB', every, handler }]))
  assert.ok(five && ten)
  assert.notEqual(digestConfiguration(five), digestConfiguration(read))
  assert.deepEqual(diffConfigurations(five, ten), [
    { kind: 'changed', list: 'jobs', id: 'JOB', fields: [{ field: 'every', before: '5min', after: '10min' }] },
  ])
  assert.deepEqual(withoutDefaults(five).jobs, [{ name: 'JOB', every: '5min', handler }])
})
