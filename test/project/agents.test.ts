/** The operation that the AGENTS.md of a new project shows can be copied as it is (specification 14.7). */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { openTestGateway } from 'integration-gateway/testing'
import { writeProjectFiles } from '../../src/project/new/project-files.ts'
import { checkTypes } from '../support/check-types.ts'

const own = { version: '1.0.0', devDependencies: {} }

test('the operation that AGENTS.md of a new project shows compiles and answers as its test says', async (t) => {
  const project = writeProjectFiles('shop', own, '1.0.0')
  const blocks = [...(project['AGENTS.md'] ?? '').matchAll(/^```ts\n\/\/ (\S+?)(?:: .*)?\n([\s\S]*?)^```$/gm)]
  const [config, handler, itsTest] = blocks.map(([, path = '', text = '']) => ({ path, text }))
  assert.ok(config && handler && itsTest)
  const { 'package.json': _, ...others } = project // the name of the SDK leads to that of the nearest one
  const files: Record<string, string> = {
    ...others,
    [config.path]: (others[config.path] ?? '').replace('  operations: [\n', `  operations: [\n${config.text}`),
    [handler.path]: handler.text,
    [itsTest.path]: itsTest.text,
  }
  const folder = mkdtempSync(join(import.meta.dirname, '.agents-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  const sources = Object.fromEntries(Object.entries(files).filter(([path]) => path.endsWith('.ts')))
  assert.deepEqual(await checkTypes(sources), [])
  await using gateway = await openTestGateway({ project: folder })
  const { status, text } = await gateway.call('GET FAREWELL.v1/Kim', { as: 'DEMO' })
  assert.deepEqual([status, JSON.parse(text)], [200, { farewell: 'Goodbye Kim', by: 'DEMO' }])
  assert.match(itsTest.text, /farewell: 'Goodbye Kim', by: 'DEMO'/)
})
