/** The settings of the REST cache (specification 6.7). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSettings } from '../../../src/settings.ts'

test('6.7 the bounds of the REST cache', () => {
  const stated = {
    'ig.limits.cacheSize': { value: '1KiB', option: 'test' },
    'ig.limits.cacheEntries': { value: '5', option: 'test' },
  }
  assert.deepEqual(
    [readSettings('/nowhere', {}).restCache, readSettings('/nowhere', {}, stated).restCache],
    [
      { maxBytes: 64 * 1024 ** 2, maxEntries: 10_000 },
      { maxBytes: 1024, maxEntries: 5 },
    ],
  )
})
