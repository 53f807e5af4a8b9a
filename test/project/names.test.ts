/** Names that code may not have, because another word is in use for the same thing. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '../..')
/** Not `longest` alone, which is a field of the administration API. */
const avoided = /\b(?:most|longest|look)[A-Z]\w*|\blook\(/

test('a maximum is max…, and who asks again and again polls: no name begins with most, longest or look', () => {
  const files = globSync(['src/**/*.ts', 'console/src/**/*.{ts,tsx}'], { cwd: root })
  assert.ok(files.length > 500, `only ${files.length} files found`)
  const found = files.flatMap((file) => {
    const code = readFileSync(join(root, file), 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*|'[^'\n]*'/g, '')
    return avoided.exec(code)?.map((name) => `${file}: ${name}`) ?? []
  })
  assert.deepEqual(found, [])
})
