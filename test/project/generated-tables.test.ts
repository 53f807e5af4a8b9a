/** What the documents say of settings, refusals and verbs is what the code has: `npm run docs:tables` writes it. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fillRegions, listRegions, names } from '../../tools/docs/tables.ts'

const root = join(import.meta.dirname, '../..')
const documents = globSync(['*.md', 'docs/**/*.md'], { cwd: root }).map((file) => {
  return { file, text: readFileSync(join(root, file), 'utf8') }
})

test('every generated table of a document is as the code has it', async () => {
  const old: string[] = []
  for (const { file, text } of documents) if ((await fillRegions(text)) !== text) old.push(file)
  assert.deepEqual(old, [], 'npm run docs:tables writes them')
})

test('every table that can be generated is in a document', () => {
  const used = new Set(documents.flatMap(({ text }) => listRegions(text)))
  assert.deepEqual([...used].sort(), names.toSorted())
})

test('a region is replaced between its marks, whatever is around it', async () => {
  const [before, after] = ['Before $1.\n', '\nAfter.\n']
  const filled = await fillRegions(`${before}<!-- generated: settings -->old<!-- end -->${after}`)
  assert.ok(filled.startsWith(before) && filled.endsWith(after))
  assert.match(filled, /\| `ig\.limits\.url` \| `8KiB` \|/)
  await assert.rejects(fillRegions('<!-- generated: nothing --><!-- end -->'), /nothing generates nothing/)
})
