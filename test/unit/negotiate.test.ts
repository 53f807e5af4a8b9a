/** Negotiation by `Accept` and `Accept-Language` (specification 6.14). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { firstLanguage, negotiateType } from '../../src/base/negotiate.ts'
import { readKey, withoutVariant } from '../../src/features/rest-cache/cache-key.ts'

const offered = ['application/json', 'text/csv; charset=UTF-8', 'text/html']
const rows: readonly (readonly [accept: string | undefined, type: string | undefined])[] = [
  [undefined, 'application/json'],
  ['', 'application/json'],
  ['*/*', 'application/json'],
  ['text/csv', 'text/csv; charset=UTF-8'],
  ['TEXT/CSV;q=0.5', 'text/csv; charset=UTF-8'],
  ['text/*', 'text/csv; charset=UTF-8'],
  ['text/*;q=0.4, application/json;q=0.3', 'text/csv; charset=UTF-8'],
  ['text/csv;q=0.1, */*;q=0.5', 'application/json'],
  ['application/json;q=0, */*', 'text/csv; charset=UTF-8'],
  ['image/png', undefined],
  ['*/*;q=0', undefined],
  ['*', 'application/json'],
  ['text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2', 'text/html'],
  ['text/xml, image/gif, *; q=.2, */*; q=.2', 'application/json'],
  ['text/csv;q=.9, application/json;q=.25', 'text/csv; charset=UTF-8'],
  [';;,,=', undefined],
]
for (const [accept, type] of rows)
  test(`6.14 of ${JSON.stringify(accept)} the type is ${type}`, () =>
    assert.equal(negotiateType(accept, offered), type))

test('6.14 the first language tag counts, in lower case; an invalid one counts as none', () => {
  assert.equal(firstLanguage('de-CH, en;q=0.8'), 'de-ch')
  assert.equal(firstLanguage(' FR ;q=0.1'), 'fr')
  assert.equal(firstLanguage('*'), '*')
  for (const header of [undefined, '', 'de CH', `${'x'.repeat(9)}`, 'a\tb', ',de'])
    assert.equal(firstLanguage(header), '')
})

test('6.14 lists of entries show the URL without its variant, and one deletion of a URL removes all', () => {
  const key = 'A_GET.v1 print /x?y=1\ttext/csv\tde KIM LEE'
  assert.deepEqual(readKey(key), { url: '/x?y=1', operator: 'KIM LEE' })
  assert.equal(withoutVariant(key), 'A_GET.v1 print /x?y=1 KIM LEE')
})
