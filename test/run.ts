/**
 * `npm test [-- files…]`: starts one PostgreSQL server, runs the tests against it, then holds their titles against the
 * specification. Exits 0 only where all of it succeeded. `--quick`: pure functions, the wire, and the store on SQLite.
 * `--coverage`: ends with the lines and branches of `src` that ran, in the tests and in every process that they started.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { buildGateway } from './support/build.ts'
import { startPostgres } from './support/postgres.ts'

const root = join(import.meta.dirname, '..')
const everything = ['test/**/*.test.ts', 'examples/**/*.test.ts']
/** Of `--quick`: those that look at their whole process, and run in one of their own. */
const alone = ['test/unit/spool.test.ts', 'test/wire/{handlers,handlers-examples}.test.ts']
/** Not in `--quick`: they compile, fill, start or wait for much, or need PostgreSQL. */
const long = [
  'test/unit/{describe,large-body-heap,types}.test.ts',
  'test/wire/{describe-client,guesses,last-good,memory,rows-memory,store-away,time-zone}.test.ts',
  'test/store/{connections,files,handler-role,leftovers,refuses-writes,silent}.test.ts',
]
const args = process.argv.slice(2)
const isQuick = args.includes('--quick')
const isCounted = args.includes('--coverage')
const named = args.filter((arg) => !arg.startsWith('--'))
const counting = isCounted ? ['--experimental-test-coverage', '--test-coverage-include=src/**/*.ts'] : []
const running = new Set<ChildProcess>()
let isStopped = false

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    isStopped = true
    for (const child of running) child.kill(signal)
  })
}

// What is built has other lines than the sources
const built = isCounted ? undefined : await buildGateway()
process.exitCode = (await (isQuick ? runQuick() : runOnDatabases())) && !isStopped ? 0 : 1

async function runOnDatabases(): Promise<boolean> {
  const server = await startPostgres()
  try {
    const tests = named.length > 0 ? named : everything
    // Twice the cores: tests of processes and of browsers wait half of their time.
    const options = ['--test', `--test-concurrency=${2 * availableParallelism()}`, '--test-timeout=300000', ...counting]
    const more = { IG_TEST_POSTGRES: server.url }
    const passed = !isStopped && (await run([...process.execArgv, ...options, ...tests], more))
    const covered = named.length > 0 || isStopped || (await run(['test/spec.ts'], more))
    return passed && covered
  } finally {
    await server.stop()
  }
}

/** Two processes load what the tests share once each, where every file in a process of its own would load it again. */
async function runQuick(): Promise<boolean> {
  const more = { IG_TEST_DATABASES: 'SQLite' }
  const together = (folder: string) => {
    const files = globSync(`test/${folder}/*.test.ts`, { cwd: root, exclude: [...alone, ...long] }).sort()
    return run([...process.execArgv, 'test/support/together.ts', ...files.map((file) => join(root, file))], more)
  }
  const ofProject = 'test/project/{dependencies,documents,repository,spec}.test.ts'
  const rest = async () => [
    await together('unit'),
    await together('store'),
    await run([...process.execArgv, '--test', ...alone, ofProject], more),
  ]
  const passed = await Promise.all([together('wire'), rest()])
  return passed.flat().every(Boolean)
}

async function run(args: readonly string[], more: Readonly<Record<string, string>>): Promise<boolean> {
  const NODE_COMPILE_CACHE = process.env.NODE_COMPILE_CACHE ?? join(root, 'node_modules/.cache/compiled')
  const env = {
    ...process.env,
    NODE_COMPILE_CACHE,
    ...more,
    ...(built === undefined ? {} : { IG_TEST_BUILT: built }),
  }
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: 'inherit' })
  running.add(child)
  const [code] = await once(child, 'exit')
  running.delete(child)
  return code === 0
}
