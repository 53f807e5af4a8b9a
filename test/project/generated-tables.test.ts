/** What the documents say of settings, refusals and verbs is what the code has: `npm run docs:tables` writes it. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { routes } from '../../src/admin/routes/routes.ts'
import { actionsFile, writeActions } from '../../tools/docs/actions.ts'
import { fillRegions, listRegions, names } from '../../tools/docs/tables.ts'

const root = join(import.meta.dirname, '../..')
const documents = globSync(['*.md', 'docs/**/*.md', 'src/features/*/README.md'], { cwd: root }).map((file) => {
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

test("the console's words for the audit are those of the routes, and every change of the API has some", () => {
  assert.equal(readFileSync(join(root, actionsFile), 'utf8'), writeActions())
  const reading = ['matchUriTemplates', 'buildUri', 'beginTotp', 'beginPasskey'] // they are given a body, and change nothing
  const changes = routes.filter(({ method, operationId }) => method !== 'GET' && !reading.includes(operationId))
  const wordless = changes.filter(({ done }) => done === undefined)
  assert.ok(changes.length > 30)
  assert.deepEqual(
    wordless.map(({ operationId }) => operationId),
    [],
  )
})

test('a region is replaced between its markers, whatever surrounds it', async () => {
  const [before, after] = ['Before $1.\n', '\nAfter.\n']
  const filled = await fillRegions(`${before}<!-- generated: settings -->old<!-- end -->${after}`)
  assert.ok(filled.startsWith(before) && filled.endsWith(after))
  assert.match(filled, /\| `ig\.limits\.url` \| `8KiB` \|/)
  await assert.rejects(fillRegions('<!-- generated: nothing --><!-- end -->'), /nothing generates nothing/)
})
