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
/** Not sent yet: a message costs more than what is in it. */
let answers: WriterAnswer[] = []

answer(() => void (connection = new SqliteConnection(workerData as ConnectionOptions)))
send()
port.on('message', (requests: readonly WriterRequest[]) => {
  for (const request of requests) {
    if (request.kind !== 'insert') send() // a batch of rows is quick; for all else what is answered does not wait
    answer(() => serve(request))
  }
  send()
  if (requests.at(-1)?.kind === 'close') port.close()
})

function answer(work: () => StatementResult | undefined): void {
  try {
    const result = work() // which may send what is there
    answers.push({ result })
  } catch (error) {
    const { message, code, errcode } = error as Error & { code?: unknown; errcode?: unknown }
    answers.push({ error: { message, code, errcode } })
  }
}

function send(): void {
  if (answers.length > 0) port?.postMessage(answers)
  answers = []
}

function serve(request: WriterRequest): StatementResult | undefined {
  if (!connection) throw new Error('the database is not open')
  const { database } = connection
  if (request.kind === 'close') return void connection.close()
  if (request.kind === 'read') return connection.execute(request.sql, request.parameters)
  if (request.kind === 'rollback') return void (database.isTransaction && connection.run('rollback'))
  if (request.begin !== undefined) begin(connection, request.begin)
  // A full disk, among others, ends a transaction; what follows must not be stored on its own.
  if (!database.isTransaction) throw new Error('SQLite has rolled the transaction back')
  if (request.kind === 'execute') return connection.execute(request.sql, request.parameters)
  if (request.kind === 'insert') return void connection.insert(request.sql, request.rows)
  try {
    connection.run('commit')
  } catch (error) {
    if (database.isTransaction) connection.run('rollback') // the next session's begin may be the next request
    throw error
  }
  return undefined
}

function begin(connection: SqliteConnection, deadline: number): void {
  if (connection.tryBegin()) return
  send()
  connection.begin(Math.max(0, Math.ceil(deadline - performance.timeOrigin - performance.now())))
}
