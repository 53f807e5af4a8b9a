/** Counters and histograms of handlers in one process (specification 5.48, 20.15). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HandlerCounts, maxSeries } from '../../src/model/handler-metrics.ts'

test('5.48 the order of labels does not matter, and values are texts', () => {
  const counts = new HandlerCounts()
  counts.count('seen', { b: 1, a: true })
  counts.count('seen', { a: 'true', b: '1' }, 2.5)
  assert.equal(counts.read('seen', { b: '1', a: true }), 3.5)
  assert.deepEqual(counts.take(), [{ kind: 'counter', name: 'seen', labels: { a: 'true', b: '1' }, sum: 3.5 }])
})

const refused: readonly { readonly title: string; readonly use: (counts: HandlerCounts) => void }[] = [
  { title: 'a name with a hyphen', use: (counts) => counts.count('a-b') },
  { title: 'an empty name', use: (counts) => counts.count('') },
  { title: 'a name that ends like series of a histogram', use: (counts) => counts.count('a_count') },
  { title: 'a label that begins with two underscores', use: (counts) => counts.count('a', { __x: 1 }) },
  { title: 'the label of bounds', use: (counts) => counts.observe('a', 1, { le: 1 }) },
  { title: 'the label operator', use: (counts) => counts.count('a', { operator: 'KIM' }) },
  { title: 'a counter that decreases', use: (counts) => counts.count('a', {}, -1) },
  { title: 'NaN', use: (counts) => counts.observe('a', Number.NaN) },
  {
    title: 'a name of another kind',
    use(counts) {
      counts.count('a')
      counts.observe('a', 1)
    },
  },
  {
    title: 'a name that OpenMetrics confuses with another',
    use(counts) {
      counts.count('a_total')
      counts.count('a')
    },
  },
]
for (const { title, use } of refused)
  test(`5.48 a TypeError: ${title}`, () => assert.throws(() => use(new HandlerCounts()), { name: 'TypeError' }))

test('20.15 beyond a thousand series further ones count as other, and that is reported once', () => {
  let reports = 0
  const counts = new HandlerCounts(() => void reports++)
  for (let number = 0; number < maxSeries; number++) counts.count('users', { number })
  assert.equal(reports, 0)
  counts.count('users', { number: 'x' })
  counts.count('users', { number: 'y' })
  counts.count('users', { number: 7 })
  counts.count('fresh', { any: 1 })
  counts.observe('late', 1, { any: 1 })
  assert.equal(reports, 1)
  assert.equal(counts.read('users', { number: 'other' }), 2)
  assert.equal(counts.read('users', { number: 7 }), 2)
  assert.equal(counts.read('other_counters'), 1)
  assert.equal(counts.read('other_histograms'), 1)
  for (let number = 0; number < 100; number++) counts.count('users', { [`from_request_${number}`]: 1 })
  assert.equal(counts.read('other_counters'), 101)
  assert.equal(counts.list().length, maxSeries + 3)
})
