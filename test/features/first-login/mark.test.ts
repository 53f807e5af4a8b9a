/** The mark of operators whose first password is verified elsewhere, in files of operators (specification 37.2, 37.3, 37.5, 37.9). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { atOnce } from '../../../src/base/at-once.ts'
import { applyEntry } from '../../../src/configuration/operator-file/apply-entry.ts'
import { readSteps } from '../../../src/configuration/operator-file/read-operator-file.ts'
import { writeSteps } from '../../../src/configuration/operator-file/write-operator-file.ts'
import { firstLoginMark, type Operator } from '../../../src/model/operator.ts'

const kim = (passwordHash?: string): Operator => ({
  ...{ id: 'KIM', description: '', passwordHash, emails: [], isLocked: false, permissionLists: [] },
})
const marking = (cell: string) =>
  atOnce(readSteps(`id,firstLogin\r\nKIM,${cell}\r\n`, 'csv')).entries[0] ?? assert.fail()

const cases: readonly {
  readonly title: string
  readonly cell: string
  readonly before: Operator | undefined
  readonly expected: unknown
}[] = [
  {
    title: 'marks a new operator',
    cell: 'true',
    before: undefined,
    expected: [firstLoginMark, {}, { description: '', firstLogin: true }],
  },
  {
    title: 'marks an operator without a password',
    cell: 'TRUE',
    before: kim(),
    expected: [firstLoginMark, { firstLogin: false }, { firstLogin: true }],
  },
  {
    title: 'removes the mark',
    cell: 'false',
    before: kim(firstLoginMark),
    expected: [undefined, { firstLogin: true }, { firstLogin: false }],
  },
  { title: 'keeps the mark where the cell is empty', cell: '', before: kim(firstLoginMark), expected: undefined },
  { title: 'never replaces a password', cell: 'true', before: kim('$argon2id$'), expected: undefined },
]
for (const { title, cell, before, expected } of cases)
  test(`37.3, 37.9 firstLogin of a file ${title}`, () => {
    const applied = applyEntry(marking(cell), before)
    if (expected === undefined) return assert.equal(applied, undefined)
    const { operator, change, replacesPassword } = applied ?? assert.fail()
    const { description: _, ...after } = change.after
    const [hash, from, { description: __, ...to }] = expected as [unknown, object, Record<string, unknown>]
    assert.deepEqual([operator.passwordHash, change.before, after, replacesPassword], [hash, from, to, false])
  })

test('37.9 a password of the file replaces the mark', () => {
  const digest = { id: 'KIM', passwordSha1Utf16le: 'uXmFVrdBvv293L9kDR3VnRmx4ZM=', wrappedDigest: 'wrapped' }
  assert.equal(applyEntry(digest, kim(firstLoginMark))?.operator.passwordHash, 'wrapped')
})

test('37.2, 37.5 an export has the mark, with and without hashes of passwords, and never as a hash', () => {
  for (const hasPasswords of [false, true]) {
    const csv = atOnce(writeSteps([kim(firstLoginMark), kim('$argon2id$')], { format: 'csv', hasPasswords }))
    assert.match(csv, /^KIM,,false,,,.*true$/m)
    assert.doesNotMatch(csv, /first login/)
    assert.equal(applyEntry(atOnce(readSteps(csv, 'csv')).entries[0] ?? assert.fail(), kim(firstLoginMark)), undefined)
    const json = JSON.parse(atOnce(writeSteps([kim(firstLoginMark)], { format: 'json', hasPasswords })))
    assert.deepEqual([json[0].firstLogin, json[0].passwordArgon2id], [true, undefined])
  }
})
