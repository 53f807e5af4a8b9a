/** The part of stored responses that one operator may have, with several processes (specification 26.10). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '../../src/model/refusal.ts'
import { StoredBytes } from '../../src/steps/idempotency/stored-bytes.ts'

test('26.10 the processes of an instance together store no more than a tenth for an operator, between two counts too', async () => {
  const rows: { operator: string; size: number; expires: number }[] = []
  const store = { sumSizes: async (after: number) => rows.filter(({ expires }) => expires > after) }
  const options = { store, maxBytes: 400_000, processes: 4, reportFull: () => assert.fail('not full') }
  const processes = Array.from({ length: 4 }, () => new StoredBytes(options))
  const storeUntilRefused = (bytes: StoredBytes, operator: string) => {
    try {
      for (;;) {
        bytes.take(operator, 100)
        rows.push({ operator, size: 100, expires: rows.length + 1 })
      }
    } catch (error) {
      assert.ok(error instanceof Refusal)
      assert.equal(error.retryAfter, 60)
      assert.match(error.message, new RegExp(`of ${operator} have a tenth`))
    }
  }
  const sizeOf = (operator: string) => rows.reduce((sum, row) => sum + (row.operator === operator ? row.size : 0), 0)
  for (const bytes of processes) await bytes.count(0)
  const [first] = processes
  assert.ok(first)
  storeUntilRefused(first, 'ONE')
  assert.equal(sizeOf('ONE'), 10_000)
  for (let minute = 0; minute < 30; minute += 1) {
    for (const bytes of processes) storeUntilRefused(bytes, 'ONE')
    assert.ok(sizeOf('ONE') <= 40_000, `${sizeOf('ONE')} bytes`)
    await Promise.all(processes.map((bytes) => bytes.count(0)))
  }
  assert.ok(sizeOf('ONE') > 39_000, `${sizeOf('ONE')} bytes`)
  storeUntilRefused(first, 'TWO')
  assert.equal(sizeOf('TWO'), 10_000)
})
