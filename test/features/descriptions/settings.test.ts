/** Settings of API descriptions (specification 12.1, 12.4). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSettings } from '../../../src/settings.ts'

test('12.1, 12.4 descriptions are served if ig.describe is permitted, with the base URL of ig.describe.baseUrl', () => {
  const read = (environment: Readonly<Record<string, string>>) => {
    const { describe, describeBaseUrl } = readSettings('/nowhere', environment)
    return [describe, describeBaseUrl]
  }
  assert.deepEqual(read({}), ['none', undefined])
  const environment = { IG_DESCRIBE: 'permitted', IG_DESCRIBE_BASEURL: 'https://api.example' }
  assert.deepEqual(read(environment), ['permitted', 'https://api.example'])
})
