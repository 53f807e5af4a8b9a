/** Changes of the configuration, as an administrator makes them. */
import assert from 'node:assert/strict'
import type { TestAdmin } from './admin.ts'

/** Changes an operation, adds another, and activates both. */
export async function activateTwo(ask: TestAdmin['ask'], note: string): Promise<void> {
  const { body: draft } = await ask('POST /api/drafts', { body: { title: 'Two echoes' } })
  const path = `/api/drafts/${draft.id}`
  const { etag, body } = await ask(`GET ${path}/operations/ECHO_GET.v1`)
  const value = { ...body.value, description: 'changed' }
  await ask(`PUT ${path}/operations/ECHO_GET.v1`, { ifMatch: etag, body: value })
  await ask(`POST ${path}/operations`, { body: { ...value, name: 'ECHO_TWO', alias: undefined } })
  const read = await ask(`GET ${path}`)
  const { status, body: made } = await ask(`POST ${path}/activate`, { ifMatch: read.etag, body: { note } })
  assert.equal(status, 200, JSON.stringify(made))
}
