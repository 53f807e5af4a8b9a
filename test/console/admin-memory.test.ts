/** Bodies of administration and the memory budget (specification 18.18). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestAdmin } from '../support/admin.ts'
import { findDatabase } from '../support/databases.ts'

test('7.8, 18.18 bodies of administration count against the memory budget, and those of a sign-in are short', async (t) => {
  const properties = { 'ig.limits.memory': '8MiB' }
  const { admin, opened, sessionOf } = await openTestAdmin(t, { database: findDatabase('SQLite'), properties })
  const session = await sessionOf('administrator')
  const post = async (path: string, size: number, headers: Readonly<Record<string, string>> = {}) => {
    const body = `{"id":"${'x'.repeat(size)}"}`
    const url = `${admin.url}${path}`
    const sent = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body }
    const response = await fetch(url, sent)
    return [response.status, ((await response.json()) as { code: string }).code]
  }
  const { memory } = opened.gateway
  assert.deepEqual(await post('/api/operators', 500_000, session), [503, 'overloaded'])
  assert.deepEqual(await post('/api/operators', 200_000, session), [400, 'invalid'])
  assert.deepEqual(await post('/api/session', 20_000), [413, 'tooLarge'])
  const held = memory.open()
  assert.equal(held.hold(memory.total - memory.reserved), true)
  assert.deepEqual(await post('/api/operators', 200_000, session), [503, 'overloaded'])
  assert.deepEqual(await post('/api/operators', 1000, session), [400, 'invalid'])
  held.close()
  while (memory.reserved > 0) await fetch(`${admin.url}/api/session`)
})
