/** Settings of the Idempotency-Key (specification 26.4, 26.10). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSettings } from '../../../src/settings.ts'

test('26.4, 26.10 lifetime and size of stored responses have units, and defaults', () => {
  const read = (values: Readonly<Record<string, string>>) => {
    const given = Object.entries(values).map(([key, value]) => [key, { value, option: 'test' }] as const)
    return readSettings('/nowhere', {}, Object.fromEntries(given)).idempotency
  }
  assert.deepEqual(read({}), { lifetime: 86_400_000, maxBytes: 536_870_912 })
  assert.deepEqual(read({ 'ig.idempotency.lifetime': '2d', 'ig.idempotency.size': '1MiB' }), {
    lifetime: 172_800_000,
    maxBytes: 1_048_576,
  })
})
