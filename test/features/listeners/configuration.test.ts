/** What the import of an access log and the feature both know. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { passing } from '../../../src/features/listeners/parameters.ts'
import { names } from '../../../src/moving/import/logged-listener.ts'

test('16.19, 44.3 the import takes the parameters that a listener lets pass', () => {
  assert.deepEqual([...names], Object.keys(passing))
})
