/** Who reads the names that refused callers claimed (specification 8.10, 21.14). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestAdmin } from '../../support/admin.ts'
import { basic, send } from '../../support/client.ts'
import { findDatabase } from '../../support/databases.ts'
import { root } from '../../support/gateway.ts'
import { poll } from '../../support/poll.ts'

test('8.10, 21.14 the monitor has a claimed name if an operator has it, and hides it from viewers', async (t) => {
  const database = findDatabase('SQLite')
  const { ask, opened } = await openTestAdmin(t, { database, properties: { 'ig.monitor': 'on' } })
  for (const id of ['hunter2', 'DEMO'])
    await send(opened.url, `GET ${root}/METADATA_BASIC.v1`, { headers: basic(id, 'wrong') })
  const list = async (as: 'viewer' | 'operator') => {
    const { body } = await ask('GET /api/monitor/transactions', { as })
    return body.items.length === 2 ? body.items.map(({ reason }: { reason: string }) => reason) : undefined
  }
  await poll(async () => (await list('viewer')) !== undefined)
  assert.deepEqual(await list('operator'), [
    'Basic authentication failed: wrong password (claimed: DEMO).',
    'Basic authentication failed: no such operator.',
  ])
  assert.deepEqual(await list('viewer'), [
    'Basic authentication failed: wrong password.',
    'Basic authentication failed: no such operator.',
  ])
})
