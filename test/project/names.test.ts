/** Names that code may not have, because another word is in use for the same thing. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '../..')
/** Not `longest` alone, which is a field of the administration API. */
const avoided = /\b(?:most|longest|look)[A-Z]\w*|\blook\(|\b(?:const|let) most\b/
const irregular =
  'Begun|Bound|Broken|Built|Chosen|Drawn|Found|Given|Held|Hidden|Kept|Known|Left|Lost|Made|Overtaken|Seen|Sent|Shown|Spent|Taken|Told|Written'
/** A declaration: after the name of an import or export come a comma or a brace. */
const participle = new RegExp(
  `\\b(?:class|interface|type) (?!(?:Feed|Need|Seed|Speed)\\b)(?:[A-Z][a-z]*ed|${irregular})(?=<| [^}])`,
)

function find(name: RegExp, ...folders: string[]): string[] {
  const files = globSync(`{${folders}}/**/*.{ts,tsx}`, { cwd: root, exclude: ['**/node_modules/**'] })
  assert.ok(files.length > 500, `only ${files.length} files found`)
  return files.flatMap((file) => {
    const code = readFileSync(join(root, file), 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*|'[^'\n]*'/g, '')
    return name.exec(code)?.map((name) => `${file}: ${name}`) ?? []
  })
}

test('a maximum is max…, and who asks again and again polls: no name begins with most, longest or look', () => {
  assert.deepEqual(find(avoided, 'src', 'console/src'), [])
})

test('a type is named by a noun: no name is a participle alone', () => {
  assert.deepEqual(find(participle, 'src', 'console/src', 'bench', 'tools', 'test/support', 'test/ordeal'), [])
})
