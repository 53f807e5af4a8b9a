/** The setting of overload (specification 25.13). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSettings } from '../../../src/settings.ts'

test('25.13 the work of a turn after which calls are shed', () => {
  const stated = { 'ig.limits.overloadDelay': { value: '1s', option: 'test' } }
  assert.deepEqual(
    [readSettings('/nowhere', {}).overload, readSettings('/nowhere', {}, stated).overload],
    [{ delay: 250 }, { delay: 1000 }],
  )
})
