/**
 * `npm test [-- files…]`: starts one PostgreSQL server, runs the tests against it, then holds their titles against the
 * specification. Exits 0 only where all of it succeeded. `--quick`: pure functions, the wire, and the store on SQLite.
 * `--coverage`: ends with the lines and branches of `src` that ran, in the tests and in every process that they started.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { buildGateway } from './support/build.ts'
import { startPostgres } from './support/postgres.ts'

const root = join(import.meta.dirname, '..')
const everything = ['test/**/*.test.ts', 'examples/**/*.test.ts']
const quick = ['test/{unit,wire,store}/*.test.ts', 'test/project/{dependencies,documents,repository,spec}.test.ts']
const args = process.argv.slice(2)
const isQuick = args.includes('--quick')
const isCounted = args.includes('--coverage')
const named = args.filter((arg) => !arg.startsWith('--'))
const files = isQuick ? [...quick, ...named] : named
const counting = isCounted ? ['--experimental-test-coverage', '--test-coverage-include=src/**/*.ts'] : []
let running: ChildProcess | undefined
let isStopped = false

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    isStopped = true
    running?.kill(signal)
  })
}

// What is built has other lines than the sources
const [server, built] = await Promise.all([startPostgres(), isCounted ? undefined : buildGateway()])
try {
  const tests = files.length > 0 ? files : everything
  // Twice the cores: tests of processes and of browsers wait half of their time.
  const options = ['--test', `--test-concurrency=${2 * availableParallelism()}`, '--test-timeout=300000', ...counting]
  const passed = !isStopped && (await run([...process.execArgv, ...options, ...tests]))
  const covered = files.length > 0 || isStopped || (await run(['test/spec.ts']))
  process.exitCode = passed && covered && !isStopped ? 0 : 1
} finally {
  await server.stop()
}

async function run(args: readonly string[]): Promise<boolean> {
  const NODE_COMPILE_CACHE = process.env.NODE_COMPILE_CACHE ?? join(root, 'node_modules/.cache/compiled')
  const env = {
    ...process.env,
    NODE_COMPILE_CACHE,
    IG_TEST_POSTGRES: server.url,
    ...(built === undefined ? {} : { IG_TEST_BUILT: built }),
    ...(isQuick ? { IG_TEST_DATABASES: 'SQLite' } : {}),
  }
  running = spawn(process.execPath, args, { cwd: root, env, stdio: 'inherit' })
  const [code] = await once(running, 'exit')
  return code === 0
}
