/**
 * Loaded before the test files of a process, which it makes cheaper: threads run what `build.ts` made, and no promise is
 * followed.
 */
import { createHook } from 'node:async_hooks'
import { existsSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import workerThreads, { type WorkerOptions } from 'node:worker_threads'
import { installed, root } from './installed.ts'
import { PooledWorker } from './pooled-worker.ts'
import { recordTimes } from './times.ts'

const { Worker } = workerThreads
const sources = join(root, 'src')

/** A thread of 25 modules of TypeScript costs 160 ms of processor time, one of a few built files 55, one used again 10. */
function BuiltWorker(file: string | URL, options?: WorkerOptions) {
  const built = findBuilt(file instanceof URL ? fileURLToPath(file) : file)
  return built === undefined ? new Worker(file, options) : new PooledWorker(built, options)
}

function findBuilt(file: string): string | undefined {
  const place = relative(sources, file)
  const built = join(installed, 'dist', place.replace(/\.ts$/, '.js'))
  return place.startsWith('..') || !existsSync(built) ? undefined : pathToFileURL(built).href
}

if (installed !== root) {
  Object.assign(workerThreads, { Worker: BuiltWorker })
  syncBuiltinESMExports()
}

/**
 * The test runner follows each promise to its test, to name that of an uncaught error: a fifth of the processor time. It
 * has no option for that. Without, such an error fails the file, and `after` within a test may be another's: see
 * `afterwards`.
 */
const prototype = Object.getPrototypeOf(createHook({}))
const { enable } = prototype
prototype.enable = function (this: Record<symbol, boolean>) {
  const isIgnorant = Object.getOwnPropertySymbols(this).find(({ description }) => description === 'kNoPromiseHook')
  if (isIgnorant) this[isIgnorant] = true
  return enable.call(this)
}

if (process.env.IG_TEST_TIMES) recordTimes(process.env.IG_TEST_TIMES)
