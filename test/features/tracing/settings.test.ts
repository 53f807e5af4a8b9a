/** Settings of traces (specification 20.12). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSettings } from '../../../src/settings.ts'

function read(values: Readonly<Record<string, string>>) {
  const given = Object.entries(values).map(([key, value]) => [key, { value, option: 'test' }] as const)
  return readSettings('/nowhere', {}, Object.fromEntries(given)).tracing
}

test('8.3, 20.12 without settings no call is traced, and the share of calls is one', () => {
  assert.deepEqual(read({}), { endpoint: undefined, ratio: 1 })
})

test('8.3, 20.12 the trace ratio is a number from 0 to 1, and the path of the collector is kept', () => {
  for (const ratio of ['-0.1', '1.1', 'half', 'NaN'])
    assert.throws(() => read({ 'ig.tracing.ratio': ratio }), /ig\.tracing\.ratio must be a number from 0 to 1/)
  const endpoint = 'http://c:4318/otlp/traces'
  assert.deepEqual(read({ 'ig.tracing.endpoint': endpoint, 'ig.tracing.ratio': '0.5' }), { endpoint, ratio: 0.5 })
  assert.equal(read({ 'ig.tracing.endpoint': 'http://c:4318' })?.endpoint, 'http://c:4318/v1/traces')
})
