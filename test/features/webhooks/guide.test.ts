/** The receiver of docs/how-to/monitoring.md accepts what the gateway signs, and nothing else (specification 35.4). */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { signWebhook } from '../../../src/features/webhooks/send.ts'

test('35.4 the receiver of the guide accepts a genuine webhook only', async (t) => {
  const guide = readFileSync(join(import.meta.dirname, '../../../docs/how-to/monitoring.md'), 'utf8')
  const [, code = ''] = /```ts\n([\s\S]*?)```/.exec(guide) ?? []
  const folder = mkdtempSync(join(tmpdir(), 'ig-receiver-'))
  t.after(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'receiver.ts'), code)
  const { isGenuine } = await import(join(folder, 'receiver.ts'))
  const [current, previous] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
  const [id, now, body] = ['evt_1', 1_800_000_000_000, '{"type":"storeAway"}']
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(now / 1000),
    'webhook-signature': signWebhook(id, now / 1000, body, [current, previous]),
  }
  const secretOf = (key: Buffer) => `whsec_${key.toString('base64')}`
  assert.equal(isGenuine(headers, body, secretOf(current), now), true)
  assert.equal(isGenuine(headers, body, secretOf(previous), now), true)
  assert.equal(isGenuine(headers, body, secretOf(Buffer.alloc(32, 3)), now), false)
  assert.equal(isGenuine(headers, `${body} `, secretOf(current), now), false)
  assert.equal(isGenuine({ ...headers, 'webhook-id': 'evt_2' }, body, secretOf(current), now), false)
  assert.equal(isGenuine(headers, body, secretOf(current), now + 600_000), false)
})
