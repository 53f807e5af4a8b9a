/** A revision whose operation METADATA fails: for what the console says of failures, and the way back. */
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import type { TestAdmin } from './admin.ts'
import { patience } from './patience.ts'

/** The next revision, over SQLite. */
export async function breakMetadata({ ask, opened }: Pick<TestAdmin, 'ask' | 'opened'>): Promise<void> {
  using file = new DatabaseSync(opened.gateway.settings.database, { timeout: patience })
  file.exec('drop table C_KEY_VALUE')
  const { body: configuration, etag } = await ask('GET /api/revisions/1/configuration')
  const handler = 'handlers/key-value.ts#KeyValueGet' // needs the table
  const operations = configuration.operations.map((operation: { readonly name: string }) =>
    operation.name === 'METADATA' ? { ...operation, handler } : operation,
  )
  const changed = { configuration: { ...configuration, operations }, note: 'Metadata from rows' }
  const { status, body } = await ask('PUT /api/configuration', { body: changed, ifMatch: etag })
  assert.equal(status, 200, JSON.stringify(body))
}
