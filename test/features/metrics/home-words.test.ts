/** What Home says: its sentence, the begin of failures and their cause, and the marks of its charts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatherMarks } from '../../../console/src/features/metrics/chart/marks.ts'
import { logScale, logTicks } from '../../../console/src/features/metrics/chart/scale.ts'
import { type CallStep, findBegin, findCause } from '../../../console/src/features/metrics/home/find-begin.ts'
import { listMarks } from '../../../console/src/features/metrics/home/list-marks.ts'
import {
  type SentenceAlert,
  type SentenceFacts,
  writeSentence,
} from '../../../console/src/features/metrics/home/write-sentence.ts'

const minute = 60_000
const noon = Date.parse('2026-11-29T12:00:00Z')
const at = (minutes: number) => new Date(noon + minutes * minute).toISOString()

/** One step a minute from noon on: calls of each, `x` if they failed. */
const steps = (line: string): readonly CallStep[] =>
  [...line].flatMap((sign, index) =>
    sign === ' ' ? [] : { time: noon + index * minute, length: minute, calls: 3, failed: sign === 'x' ? 2 : 0 },
  )
const since = noon - 60 * minute

const calm: SentenceFacts = {
  isStoreAway: false,
  operations: 13,
  total: { calls: 1204, refused: 12, failed: 0 },
  called: [{ operation: 'ECHO_GET.v1', calls: 1204, refused: 12, failed: 0 }],
  alerts: [],
  activations: [],
  begin: undefined,
}
const alertOf = (facts: Partial<SentenceAlert>): SentenceAlert => ({
  name: 'GatewayFaults',
  title: 'Calls fail',
  severity: 'critical',
  operation: 'ECHO_GET.v1',
  instance: null,
  began: at(9),
  detail: 'x',
  silencedUntil: null,
  ...facts,
})
const failing: SentenceFacts = {
  ...calm,
  total: { calls: 1204, refused: 0, failed: 1000 },
  called: [
    { operation: 'ECHO_GET.v1', calls: 1000, refused: 0, failed: 990 },
    { operation: '(others)', calls: 10, refused: 0, failed: 9 },
    { operation: 'RARE_GET.v1', calls: 194, refused: 0, failed: 1 },
  ],
}

test('43.15 the failures began with the first one, unless there were failures in the ten minutes before', () => {
  const begin = (line: string) => {
    const found = findBegin(steps(line), since)
    return found && (found.from - noon) / minute
  }
  assert.equal(begin('.....xxx'), 5)
  assert.equal(begin('.....x.x'), 5, 'good calls between failures end nothing')
  assert.equal(begin('.x..............xx'), 16, 'failures of earlier are others')
  assert.equal(begin('.x.........xx'), 1, 'within ten minutes they are the same')
  assert.equal(begin('..                    x'), 22, 'rarely called')
  assert.equal(begin('xx                    x'), 0, 'never a good call')
  assert.equal(begin('..xx..'), 2)
  assert.equal(begin('......'), undefined)
  assert.equal(findBegin(steps('xxx'), noon), undefined, 'what was before is not known')
})

test('43.15 a revision is the cause only if it was activated at most five minutes before', () => {
  const cause = (line: string, ...minutes: readonly number[]) => {
    const activations = minutes.map((each, index) => ({ revision: minutes.length - index, time: at(each) }))
    const begin = findBegin(steps(line), since)
    return begin && findCause(begin, activations)?.revision
  }
  assert.equal(cause('.....xxx', 5.1, -60), 2)
  assert.equal(cause('.....xxx', 4.9, 4.2), 2, 'the last before')
  assert.equal(cause('.....xxx', 6.5, 5.5), 1, 'what was activated later began nothing')
  assert.equal(cause('.....xxx', 3.5), 1, 'of which some calls are good')
  assert.equal(cause('.             x', 10), 1)
  assert.equal(cause('.             x', 2), undefined, 'too long before')
})

test('43.15 the sentence says the worst first: the database, instances, failing operations, what else is critical, slow ones', () => {
  const say = (facts: Partial<SentenceFacts>) => writeSentence({ ...calm, ...facts })
  assert.deepEqual(say({}), {
    tone: 'served',
    words: 'Everything is served',
    detail: '1,204 calls in the last 5 minutes, 12 refused',
  })
  assert.equal(say({ total: { calls: 0, refused: 0, failed: 0 } }).words, 'Nothing was called in the last 5 minutes')
  assert.deepEqual(say({ total: { calls: 12, refused: 12, failed: 0 } }), {
    tone: 'refused',
    words: 'Nothing is served: 12 calls refused in the last 5 minutes',
  })
  const rare = say({ ...failing, called: [], total: { calls: 1204, refused: 0, failed: 1 } })
  assert.deepEqual(rare, { tone: 'refused', words: '1 of 1,204 calls failed in the last 5 minutes' })
  const slow = alertOf({ name: 'GatewaySlow', severity: 'warning' })
  const late = alertOf({ name: 'GatewayEventLoopLate', severity: 'warning', operation: null, instance: 'a:80' })
  const full = alertOf({
    name: 'GatewayStoreFull',
    title: 'The database cannot be written',
    operation: null,
    instance: 'a:80',
  })
  const missing = alertOf({ name: 'GatewayMissing', operation: null, instance: 'b:80' })
  const alerts = [late, slow]
  assert.deepEqual(say({ alerts }), {
    tone: 'slow',
    words: '1 of 13 operations is slow',
    since: at(9),
    operations: ['ECHO_GET.v1'],
    detail: 'x',
  })
  assert.equal(say({ alerts: [...alerts, full] }).words, 'The database cannot be written')
  assert.equal(say({ ...failing, alerts: [...alerts, full] }).words, '1 of 13 operations fails')
  assert.deepEqual(say({ ...failing, alerts: [...alerts, full, missing] }).instance, 'b:80')
  assert.equal(say({ ...failing, alerts: [missing], isStoreAway: true }).words, 'The database does not answer')
  const silenced = say({ alerts: [{ ...full, silencedUntil: at(60) }] })
  assert.deepEqual([silenced.words, silenced.tone, silenced.silencedUntil], [full.title, 'served', at(60)])
  const two = say({ alerts: [{ ...full, silencedUntil: at(60) }, slow] })
  assert.deepEqual([two.tone, two.silencedUntil], ['slow', undefined], 'what is not silenced comes first')
  const failed = say({ ...failing, alerts: [alertOf({ silencedUntil: at(60) })] })
  assert.deepEqual([failed.words, failed.silencedUntil], ['1 of 13 operations fails', at(60)])
})

test('43.15 failing operations have the revision since which they fail, and the one to roll back to while it is active', () => {
  const begin = findBegin(steps('.....xxx'), since)
  const activations = [
    { revision: 3, time: at(5.1) },
    { revision: 2, time: at(-900) },
  ]
  const found = writeSentence({ ...failing, begin, activations })
  assert.deepEqual(found, {
    tone: 'failed',
    words: '1 of 13 operations fails',
    operations: ['ECHO_GET.v1'],
    detail: '990 of 1,000 calls failed in the last 5 minutes',
    since: at(5.1),
    cause: activations[0],
    rollBackTo: 2,
  })
  const back = { revision: 2, time: at(7.5) }
  const over = writeSentence({ ...failing, begin, activations: [back, ...activations] })
  assert.deepEqual([over.words, over.end, over.rollBackTo], ['1 of 13 operations failed', back, undefined])
  const early = { revision: 4, time: at(6.5) }
  const still = writeSentence({ ...failing, begin, activations: [early, ...activations] })
  assert.deepEqual([still.words, still.end, still.rollBackTo], ['1 of 13 operations fails', undefined, undefined])
  const unknown = writeSentence({ ...failing, begin, activations: [], alerts: [alertOf({})] })
  assert.deepEqual([unknown.since, unknown.cause], [at(9), undefined])
})

test('43.17 the charts have marks for revisions, starts of instances, and critical alerts of instances', () => {
  const alert = { id: 'GatewayMissing:b:80', title: 'An instance is missing', severity: 'critical', instance: 'b:80' }
  const marks = listMarks({
    activations: [
      { sequence: 5, revision: 2, time: at(30), note: 'back' },
      { sequence: 4, revision: 3, time: at(10), note: '' },
    ],
    instances: [{ id: 'a:80', started: at(10) }],
    alerts: [
      { ...alert, began: at(3), ended: null },
      { ...alert, began: at(-9), ended: at(-7) },
      { ...alert, severity: 'warning', began: at(0), ended: null },
      { ...alert, instance: null, began: at(0), ended: null },
    ],
    now: noon + 40 * minute,
  })
  assert.deepEqual(
    marks.map(({ title, from, to, previous, isActive }) => [
      title,
      (from - noon) / minute,
      to && (to - noon) / minute,
      previous,
      isActive,
    ]),
    [
      ['Revision 2', 30, undefined, 3, true],
      ['Revision 3', 10, undefined, undefined, false],
      ['a:80 started', 10, undefined, undefined, undefined],
      ['An instance is missing (b:80)', 3, 40, undefined, undefined],
      ['An instance is missing (b:80)', -9, -7, undefined, undefined],
    ],
  )
  const flags = gatherMarks(marks, (time) => 100 + (time - noon) / minute, 24)
  assert.deepEqual(
    flags.map(({ x, marks }) => [x, marks.length]),
    [
      [91, 4],
      [130, 1],
    ],
  )
})

test('43.17 latencies are on a logarithmic axis: powers of ten, and of few of them also twice and five times each', () => {
  assert.deepEqual(logTicks(3, 4_000), [1, 10, 100, 1_000, 10_000])
  assert.deepEqual(logTicks(3, 40), [2, 5, 10, 20, 50])
  assert.deepEqual(logTicks(0.3, 0.4), [0.2, 0.5])
  assert.deepEqual(logTicks(10, 10), [10, 20, 50, 100])
  assert.deepEqual(logTicks(Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY), [1, 10, 100], 'without calls')
  const { place } = logScale([1, null, 100])
  assert.deepEqual([1, 10, 100, 0, 1_000].map(place), [0, 0.5, 1, 0, 1])
})
