/** A revision whose operation METADATA fails: for what the console says of failures, and the way back. */
import assert from 'node:assert/strict'
import type { TestAdmin } from './admin.ts'

/** The second revision. */
export async function breakMetadata({ ask }: Pick<TestAdmin, 'ask'>): Promise<void> {
  const { body: configuration, etag } = await ask('GET /api/revisions/1/configuration')
  const handler = 'handlers/key-value.ts#KeyValueGet' // needs a key, which METADATA does not take
  const operations = configuration.operations.map((operation: { readonly name: string }) =>
    operation.name === 'METADATA' ? { ...operation, handler } : operation,
  )
  const changed = { configuration: { ...configuration, operations }, note: 'Metadata from rows' }
  const { status, body } = await ask('PUT /api/configuration', { body: changed, ifMatch: etag })
  assert.equal(status, 200, JSON.stringify(body))
}
