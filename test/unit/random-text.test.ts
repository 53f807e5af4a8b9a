/** Random texts (specification 3.18, 7.3). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openRandomTexts } from '../../src/base/random-text.ts'

const draws = 10_000

test('7.3 ids of sessions and traces are random in every character, and all differ', () => {
  for (const [bytes, encoding, form] of [
    [24, 'base64url', /^[\w-]{32}$/],
    [16, 'hex', /^[0-9a-f]{32}$/],
  ] as const) {
    const ids = Array.from({ length: draws }, openRandomTexts(bytes, encoding))
    for (const id of ids) assert.match(id, form)
    assert.equal(new Set(ids).size, draws)
    assert.deepEqual(findConstantDigits(ids), [])
  }
})

function findConstantDigits(ids: readonly string[]): readonly number[] {
  const [first = ''] = ids
  return Array.from(first, (_, place) => place).filter((place) => ids.every((id) => id[place] === first[place]))
}
