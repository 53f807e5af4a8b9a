/**
 * `npm test [-- files…]`: starts one PostgreSQL server, runs the tests against it, then holds their titles against the
 * specification, and ends with what failed. Exits 0 only where all of it succeeded. `--quick`: pure functions, the wire, and
 * the store on SQLite. `--coverage`: ends with the lines and branches of `src` that ran, in the tests and in every process
 * that they started. `--times`: ends with the processor time that they took.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { writeBatches } from './support/batches.ts'
import { buildGateway } from './support/build.ts'
import { makeMemoryFolder } from './support/memory-folder.ts'
import { findPace, measureSlowness, waitsOfTest } from './support/patience.ts'
import { startPostgres } from './support/postgres.ts'
import { summarizeTimes } from './support/times.ts'

const root = join(import.meta.dirname, '..')
const cores = availableParallelism()
const everything = ['test/**/*.test.ts', 'examples/**/*.test.ts']
const quick = ['test/{store,unit,wire}/*.test.ts', 'test/project/{dependencies,documents,repository,spec}.test.ts']
const args = process.argv.slice(2)
const isQuick = args.includes('--quick')
const isCounted = args.includes('--coverage')
const isTimed = args.includes('--times')
/** `npm test` in a folder below, such as examples/hr, runs the tests of this folder. */
const below = relative(root, process.env.INIT_CWD ?? root)
const inFolder = below === '' || below.startsWith('..') ? [] : findFiles([`${below}/**/*.test.ts`])
const files = args.filter((arg) => !arg.startsWith('--'))
const named = files.length > 0 || isQuick ? files : inFolder
const made = mkdtempSync(join(tmpdir(), 'ig-tests-'))
const failures = join(made, 'failures.txt')
const times = join(made, 'times.jsonl')
const reporters = [
  ...['--test-reporter=spec', '--test-reporter-destination=stdout'],
  ...[`--test-reporter=${join(root, 'test/support/report-failures.ts')}`, `--test-reporter-destination=${failures}`],
]
const counting = isCounted ? ['--experimental-test-coverage', '--test-coverage-include=src/**/*.ts'] : []
const pace = findPace(await measureSlowness(), cores)
const running = new Set<ChildProcess>()
let isStopped = false

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    isStopped = true
    for (const child of running) child.kill(signal)
  })
}

const memory = isCounted ? undefined : makeMemoryFolder() // what is counted takes gigabytes
if (memory !== undefined) process.env.TMPDIR = memory

// What is built has other lines than the sources
const built = isCounted ? undefined : await buildGateway()
await run(['tools/build/bundle-dependencies.js'], {})
process.exitCode = (await (isQuick ? runQuick() : runOnDatabases())) && !isStopped ? 0 : 1
const failed = existsSync(failures) ? readFileSync(failures, 'utf8') : ''
if (isTimed && existsSync(times)) process.stdout.write(summarizeTimes(times))
if (failed !== '') process.stdout.write(`\nFailed:\n${failed}`)
for (const folder of [made, memory]) if (folder !== undefined) rmSync(folder, { recursive: true, force: true })

async function runOnDatabases(): Promise<boolean> {
  // Each is built again only if a source has changed
  const hasPages = named.length === 0 || named.some(needsPages)
  for (const build of hasPages ? ['console/build.js', 'site/build.js'] : []) if (!(await run([build], {}))) return false
  const server = await startPostgres()
  try {
    const files = named.length > 0 ? named : findFiles(everything)
    const tests = writeBatches(made, files, cores)
    const more = { IG_TEST_POSTGRES: server.url }
    const passed = !isStopped && (await run([...options(), ...counting, ...tests], more))
    const covered = named.length > 0 || isStopped || (await run(['test/spec.ts', '--brief'], more))
    return passed && covered
  } finally {
    await server.stop()
  }
}

function runQuick(): Promise<boolean> {
  const tests = writeBatches(made, findFiles(quick), cores)
  return run([...options(), '--test-skip-pattern=/\\(PostgreSQL\\)/', ...tests], { IG_TEST_DATABASES: 'SQLite' })
}

function needsPages(file: string): boolean {
  return /console[./]/.test(file) || /test\/console\/|support\/(?:browser|packed)/.test(readFileSync(file, 'utf8'))
}

function findFiles(patterns: readonly string[]): readonly string[] {
  return globSync(patterns, { cwd: root }).sort()
}

function options(): readonly string[] {
  // A process of tests makes much garbage and holds little: with room for it, collections take a tenth less of the processor
  const own = ['--min-semi-space-size=16', `--import=${pathToFileURL(join(root, 'test/support/use-bundled.js')).href}`]
  const usual = [
    ...own,
    '--test',
    `--test-concurrency=${pace.processes}`,
    `--test-timeout=${waitsOfTest * pace.patience}`,
  ]
  return [...process.execArgv, ...usual, ...reporters]
}

async function run(args: readonly string[], more: Readonly<Record<string, string>>): Promise<boolean> {
  // V8 does not count the first runs of functions that it reads from the cache
  const compiling = isCounted
    ? { NODE_DISABLE_COMPILE_CACHE: '1' }
    : { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(root, 'node_modules/.cache/compiled') }
  const env = {
    ...process.env,
    ...compiling,
    ...more,
    IG_TEST_PATIENCE: String(pace.patience),
    ...(isTimed ? { IG_TEST_TIMES: times } : {}),
    ...(built === undefined ? {} : { IG_TEST_BUILT: built }),
  }
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: 'inherit' })
  running.add(child)
  const [code] = await once(child, 'exit')
  running.delete(child)
  return code === 0
}
