/** What the documents say of settings, refusals and verbs is what the code has: `npm run docs:tables` writes it. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { routes } from '../../src/admin/routes/routes.ts'
import { actionsFile, writeActions } from '../../tools/docs/actions.ts'
import { rulesFile, writeRules } from '../../tools/docs/alerts.ts'
import { readSdk, writeSdk } from '../../tools/docs/sdk.ts'
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

test('the alert rules for Prometheus are those of the tables of alerts', async () => {
  assert.equal(readFileSync(join(root, rulesFile), 'utf8'), await writeRules(), 'npm run docs:tables writes them')
})

test('every table that can be generated is in a document', () => {
  const used = new Set(documents.flatMap(({ text }) => listRegions(text)))
  assert.deepEqual([...used].sort(), names.toSorted())
})

test('everything that handlers and tests import, and every member of it, has a docstring', () => {
  const sdk = readSdk()
  const parts = sdk.flatMap(({ isForeign, members, ...named }) => {
    return isForeign ? [] : [named, ...members.map((member) => ({ ...member, name: `${named.name}.${member.name}` }))]
  })
  assert.ok(sdk.length > 60 && parts.length > 200, `${sdk.length} exports, ${parts.length} with members`)
  assert.deepEqual(
    parts.filter(({ text }) => text === '').map(({ name }) => name),
    [],
  )
  assert.ok(sdk.every(({ group }) => group !== ''))
})

test('every type of the gateway that the reference of the SDK names has a section in it', () => {
  const named = readSdk().flatMap((section) => [section, ...section.members])
  assert.deepEqual(
    named.flatMap(({ name, unexplained }) => unexplained.map((type) => `${type} of ${name}`)),
    [],
    'export it from src/sdk.ts or src/testing.ts, or write the type in plain words',
  )
})

test('a link of the reference of the SDK shows the title of its page', () => {
  const [page] = documents.filter(({ file }) => file.endsWith('sdk.md'))
  assert.doesNotMatch(page?.text ?? '', /\[[^\]]*\.md\]/)
})

test('the reference of the SDK has signatures, parameters, examples and links', () => {
  const docstring = (text: string, tags: readonly { readonly tag: string; readonly text: string }[] = []) => ({
    text,
    tags,
  })
  const example = { tag: 'example', text: '```ts\nadd(1)\n```' }
  const add = {
    name: 'add',
    signatures: ['add(to: Sum): Sum'],
    unexplained: [],
    ...docstring('Adds.', [{ tag: 'param', text: 'to a `Sum`' }, example]),
  }
  const section = { group: 'Sums', unexplained: [] }
  const page = writeSdk([
    { ...section, isForeign: false, name: 'Sum', signatures: ['class Sum'], ...docstring('A sum.'), members: [add] },
    { ...section, isForeign: true, name: 'sql', signatures: [], ...docstring(''), members: [] },
  ])
  const item = '- `add(to: Sum): Sum`: Adds.\n\n  - `to`: a [`Sum`](#sum)\n\n  ```ts\n  add(1)\n  ```'
  const note = 'From [Kysely](https://kysely.dev): `sql`.'
  assert.equal(page, `## Sums\n\n${note}\n\n### Sum\n\n\`\`\`ts\nclass Sum\n\`\`\`\n\nA sum.\n\n${item}`)
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
