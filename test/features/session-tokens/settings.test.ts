/** The setting of session tokens (specification 27.4). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSettings } from '../../../src/settings.ts'

test('27.4, 8.3 a session token is valid for 720 minutes, or as long as the setting says', () => {
  const stated = { 'ig.sessionToken.lifetime': { value: '90', option: 'test' } }
  assert.deepEqual(
    [readSettings('/nowhere', {}).sessionToken, readSettings('/nowhere', {}, stated).sessionToken],
    [{ lifetime: 43_200_000 }, { lifetime: 5_400_000 }],
  )
})
