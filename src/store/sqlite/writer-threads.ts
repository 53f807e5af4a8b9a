/**
 * Threads of writers, started before their files are opened, because loading the code of a thread takes as long as reading
 * a project.
 */
import { Worker } from 'node:worker_threads'
import { packageModule } from '../../base/package-files.ts'
import { isPostgres } from '../is-postgres.ts'
import type { WriterOptions } from './writer-requests.ts'

/** One for the database and one for the cache. */
const max = 2
const started: Worker[] = []

/** Starts the threads for writers that are opened soon; PostgreSQL needs none. */
export function startWriterThreads(database: string): void {
  if (isPostgres(database)) return
  while (started.length < max) {
    const thread = startThread()
    thread.unref()
    thread.once('error', () => {
      if (started.includes(thread)) started.splice(started.indexOf(thread), 1) // its writer starts another one, and reports its error
    })
    started.push(thread)
  }
}

export function takeWriterThread(options: WriterOptions): Worker {
  const waiting = started.pop()
  waiting?.ref()
  const thread = waiting ?? startThread()
  thread.postMessage(options)
  return thread
}

function startThread(): Worker {
  return new Worker(packageModule('store/sqlite/writer-worker'))
}
