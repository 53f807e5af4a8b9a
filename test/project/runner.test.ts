/** How `npm test` runs the files, and what it ends with (test/run.ts). */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { openStore } from '../../src/store/open-store.ts'
import { compareCoverage, summarizeCoverage } from '../spec.ts'
import { writeBatches } from '../support/batches.ts'
import { findDatabase } from '../support/databases.ts'
import { installed, root } from '../support/installed.ts'
import { findPace } from '../support/patience.ts'
import reportFailures from '../support/report-failures.ts'

test('each test file runs once: in a process of its own, or with others in one of a batch', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'ig-batches-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const own = ['test/unit/spool.test.ts', 'examples/x/test/b.test.ts']
  const shared = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].flatMap((name) => [
    `test/unit/${name}.test.ts`,
    `test/wire/${name}.test.ts`,
  ])
  const all = [...own, ...shared, 'test/cli/ordeal-a.test.ts', 'test/cli/b.test.ts']
  const batches = writeBatches(folder, all, 2)
  assert.deepEqual(batches.map((file) => basename(file)).sort(), [
    ...['14-ordeals-1.test.mjs', '15-cli-1.test.mjs'],
    ...[1, 2, 3, 4, 5, 6].map((at) => `20-wire-${at}.test.mjs`),
    ...['21-unit-1.test.mjs', '21-unit-2.test.mjs'],
    ...['own-examples-x-test-b-test-ts.test.mjs', 'own-test-unit-spool-test-ts.test.mjs'],
  ])
  const imported = batches.flatMap((batch) => {
    const [first, ...others] = [...readFileSync(batch, 'utf8').matchAll(/^import "file:\/\/(.*)"$/gm)]
    assert.match(first?.[1] ?? '', /\/lighter-process\.ts$/)
    return others.map(([, path = '']) => path)
  })
  assert.deepEqual(imported.sort(), all.map((file) => join(root, file)).sort())
})

test('the limit of waits grows with what a fixed piece of work takes, and the number of processes shrinks to that of the cores', () => {
  assert.deepEqual(
    [1, 1.5, 3, 9].map((slowness) => findPace(slowness, 4)),
    [
      { patience: 60_000, processes: 12 },
      { patience: 90_000, processes: 8 },
      { patience: 180_000, processes: 4 },
      { patience: 540_000, processes: 4 },
    ],
  )
})

test('a run ends with the failed tests, their locations and the beginning of their errors, in less than sixty lines', async () => {
  const failure = (name: string, cause: unknown, failureType = 'testCodeFailure') => ({
    type: 'test:fail' as const,
    data: { name, file: join(process.cwd(), 'test/a.test.ts'), line: 7, details: { error: { cause, failureType } } },
  })
  const report = async (events: readonly object[]) => {
    const source = (async function* () {
      yield* events
    })() as Parameters<typeof reportFailures>[0]
    let text = ''
    for await (const part of reportFailures(source)) text += part
    return text
  }
  const wrong = Object.assign(new Error('wrong'), {
    stack: 'Error: \u001b[31mwrong\u001b[0m\n    at run (node:x:1)\n    at a.ts:7',
  })
  const passed = { type: 'test:pass', data: { name: 'right' } }
  assert.equal(
    await report([
      passed,
      failure('it holds', wrong),
      failure('its parent', 'none', 'subtestsFailed'),
      failure('late', 'timed out'),
    ]),
    '✖ it holds (test/a.test.ts:7)\n    Error: wrong\n        at a.ts:7\n✖ late (test/a.test.ts:7)\n    timed out\n',
  )
  const many = await report(Array.from({ length: 50 }, (_, at) => failure(`${at}`, 'line\n'.repeat(50))))
  assert.match(many, /\n… and 44 more, above\n$/)
  assert.ok(many.split('\n').length < 60)
})

test('npm test counts the paragraphs and lists only problems', () => {
  const held = { file: 'test/a.test.ts', line: 7, title: 'it holds', cites: ['3.1'] }
  assert.equal(summarizeCoverage(compareCoverage(['3.1'], [held])), '1 of 1 paragraphs have tests.')
  assert.equal(
    summarizeCoverage(compareCoverage(['3.1', '3.10'], [held])),
    '1 of 2 paragraphs have tests.\n\nNo test holds 3.10',
  )
})

test('threads of SQLite’s writers are used again in a process of tests', async (t) => {
  if (installed === root) return t.skip('without what npm test builds')
  const database = await findDatabase('SQLite').open()
  t.after(() => database.remove())
  const before = nextThread()
  for (let opened = 0; opened < 3; opened += 1) await (await openStore(database.url)).close()
  const started = nextThread() - before - 1
  assert.ok(started <= 2, `${started} threads for three stores`)
})

/** Threads are numbered in the order of their start. */
function nextThread(): number {
  return new Worker('', { eval: true }).threadId
}
