/**
 * The thread of an SQLite writer: the only connection of this process that writes to its file. It does what it is told,
 * in order, and answers each request once.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { type ConnectionOptions, SqliteConnection, type StatementResult } from './connection.ts'

/** `begin`: a transaction begins with this request; until when, in epoch milliseconds, to wait for another process. */
export type WriterRequest =
  | { readonly kind: 'execute'; readonly begin?: number; readonly sql: string; readonly parameters: readonly unknown[] }
  | { readonly kind: 'insert'; readonly begin?: number; readonly sql: string; readonly rows: readonly Row[] }
  | { readonly kind: 'commit' | 'rollback' | 'close'; readonly begin?: undefined }
  /** Outside any transaction. */
  | {
      readonly kind: 'read'
      readonly begin?: undefined
      readonly sql: string
      readonly parameters: readonly unknown[]
    }

export type WriterAnswer =
  | { readonly result: StatementResult | undefined }
  | { readonly error: { readonly message: string; readonly code?: unknown; readonly errcode?: unknown } }

type Row = readonly unknown[]

const port = parentPort
if (!port) throw new Error('writer-worker runs as a worker thread only')
let connection: SqliteConnection | undefined

reply(() => {
  connection = new SqliteConnection(workerData as ConnectionOptions)
})
port.on('message', (requests: readonly WriterRequest[]) => {
  for (const request of requests) {
    reply(() => serve(request))
    if (request.kind === 'close') port.close()
  }
})

function reply(work: () => unknown): void {
  let answer: WriterAnswer
  try {
    answer = { result: work() as StatementResult | undefined }
  } catch (error) {
    const { message, code, errcode } = error as Error & { code?: unknown; errcode?: unknown }
    answer = { error: { message, code, errcode } }
  }
  port?.postMessage(answer)
}

function serve(request: WriterRequest): StatementResult | undefined {
  if (!connection) throw new Error('the database is not open')
  const { database } = connection
  if (request.kind === 'close') return void connection.close()
  if (request.kind === 'read') return connection.execute(request.sql, request.parameters)
  if (request.kind === 'rollback') return void (database.isTransaction && database.exec('rollback'))
  if (request.begin !== undefined) {
    const wait = request.begin - performance.timeOrigin - performance.now()
    database.exec(`pragma busy_timeout=${Math.max(0, Math.ceil(wait))}`)
    database.exec('begin immediate')
  }
  // A full disk, among others, ends a transaction; what follows must not be stored on its own.
  if (!database.isTransaction) throw new Error('SQLite has rolled the transaction back')
  if (request.kind === 'execute') return connection.execute(request.sql, request.parameters)
  if (request.kind === 'insert') return void connection.insert(request.sql, request.rows)
  try {
    database.exec('commit')
  } catch (error) {
    if (database.isTransaction) database.exec('rollback') // the next session's begin may be the next request
    throw error
  }
}
