/** A rule of a table is one row: nothing else in the code lists the codes of refusals. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { problemTable } from '../../src/actions/problem-details.ts'
import { refusalTable } from '../../src/model/refusal.ts'

const root = join(import.meta.dirname, '../..')
/** Errors of calls that handlers make: codes of their own. */
const others = 'src/model/handler-fetch.ts'
const sources = globSync('{src,console/src}/**/*.{ts,tsx}', { cwd: root }).filter(
  (file) => !file.endsWith('.d.ts') && file !== others,
)

test('a code of a refusal is the key of one row, in one table', () => {
  const codes = Object.keys(refusalTable).filter((code) => !Object.hasOwn(problemTable, code))
  const key = new RegExp(`^\\s*(?:\\| )?'?(${codes.join('|')})'?(?::|$)`, 'gm')
  const found = sources.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(key)].map(([, code]) => `${code} in ${file}`),
  )
  assert.ok(codes.length > 10)
  assert.deepEqual(
    found,
    codes.map((code) => `${code} in src/model/refusal.ts`),
  )
})
