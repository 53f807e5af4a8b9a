/**
 * The thread of an SQLite writer: the only connection of this process that writes to its file. It serves requests in
 * order and answers each once; a commit when it is on the disk.
 */
import { once } from 'node:events'
import { parentPort } from 'node:worker_threads'
import { countRows, rowsExceed } from '../../model/row-memory.ts'
import { SqliteConnection, type StatementResult } from './connection.ts'
import { cutShort, type FindMissing, fileGone, rememberFiles, rememberSize } from './file-identity.ts'
import { openWriteAheadLog, type WriteAheadLog } from './write-ahead-log.ts'
import {
  type CommitRequest,
  type NumberedRequest,
  noRow,
  type StatementFault,
  type WriterAnswer,
  type WriterOptions,
  type WriterRequest,
} from './writer-requests.ts'

const port = parentPort
if (!port) throw new Error('writer-worker runs as a worker thread only')
/** The thread starts before its file is known. */
const [{ file, isDurable, isScattered = false }] = (await once(port, 'message')) as [WriterOptions]
let connection: SqliteConnection | undefined
let log: WriteAheadLog | undefined
let findMissing: FindMissing | undefined
let isCut: (() => boolean) | undefined
/** Committed, but not on the disk yet. */
let committed: WriterAnswer[] = []

post([answerRequest(0, open)])
port.on('message', (requests: readonly NumberedRequest[]) => {
  for (const { number, request } of requests) {
    // A batch of rows takes less time than the disk, and its sender continues meanwhile
    if (request.kind !== 'insert') answerCommits()
    const answer = answerRequest(number, () => serve(request))
    if (request.kind === 'commit' && 'result' in answer) committed.push(answer)
    else post([answer])
    if (request.kind === 'close') port.close()
  }
  answerCommits()
})

function open(): undefined {
  connection = new SqliteConnection({ file, isScattered })
  connection.execute('select count(*) from sqlite_schema', []) // now its log exists
  findMissing = rememberFiles(file)
  isCut = rememberSize(file)
}

/** A disk error here ends the thread: the commits are visible already, but may be lost. */
function answerCommits(): void {
  if (committed.length === 0) return
  if (isDurable) {
    log ??= openWriteAheadLog(file)
    log.sync()
  }
  const fault = isDurable ? findFault() : undefined
  post(fault ? committed.map(({ number }) => ({ number, error: fault })) : committed)
  committed = []
}

/** The commit went to an unlinked or truncated file. */
function findFault(): StatementFault | undefined {
  const missing = findMissing?.()
  if (missing !== undefined) return { message: `${missing} was removed or replaced`, code: fileGone }
  return isCut?.() ? cutShort : undefined
}

function post(answers: readonly WriterAnswer[]): void {
  port?.postMessage(answers)
}

function answerRequest(number: number, work: () => StatementResult | undefined): WriterAnswer {
  try {
    return { number, result: work() }
  } catch (error) {
    const { message, code, errcode } = error as Error & { code?: unknown; errcode?: unknown }
    return { number, error: { message, code, errcode } }
  }
}

function serve(request: WriterRequest): StatementResult | undefined {
  if (!connection) throw new Error('the database is not open')
  const { database } = connection
  connection.isRestricted = false
  if (request.kind === 'close') return close(connection)
  if (request.kind === 'read') return connection.execute(request.sql, request.parameters)
  if (request.kind === 'rollback') return void (database.isTransaction && connection.run('rollback'))
  if (request.begin !== undefined) begin(connection, request.begin)
  // A full disk, for example, ends a transaction; its later statements must not be stored on their own.
  if (!database.isTransaction) throw new Error('SQLite rolled back the transaction')
  if (request.kind === 'execute') return execute(connection, request)
  if (request.kind === 'insert') return insert(connection, request)
  return commit(connection, request)
}

function commit(connection: SqliteConnection, { final: last }: CommitRequest): undefined {
  try {
    if (last) runFinal(connection, last)
    connection.run('commit')
  } catch (error) {
    if (connection.database.isTransaction) connection.run('rollback') // the next session's begin may be the next request
    throw error
  }
}

function insert(connection: SqliteConnection, { sql, rows, isRestricted = false }: Request<'insert'>): undefined {
  connection.isRestricted = isRestricted
  connection.insert(sql, rows)
}

function runFinal(connection: SqliteConnection, { sql, parameters }: NonNullable<CommitRequest['final']>): void {
  if (!connection.run(sql, parameters))
    throw Object.assign(new Error('The last statement changed no row'), { code: noRow })
}

/** @returns also the memory of its rows */
function execute(
  connection: SqliteConnection,
  { sql, parameters, room, isRestricted = false, isPortable = false }: Request<'execute'>,
): StatementResult {
  connection.isRestricted = isRestricted
  if (room === undefined) return connection.execute(sql, parameters, undefined, isPortable)
  let size = 0
  const count = countRows(0, (bytes) => {
    if (bytes > room) throw Object.assign(new Error('The rows do not fit in memory'), { code: rowsExceed })
    size = bytes
    return bytes
  })
  return { ...connection.execute(sql, parameters, count, isPortable), size }
}

type Request<Kind> = Extract<WriterRequest, { kind: Kind }>

function begin(connection: SqliteConnection, deadline: number): void {
  if (connection.tryBegin()) return
  answerCommits()
  connection.begin(Math.max(0, Math.ceil(deadline - performance.timeOrigin - performance.now())))
}

function close(connection: SqliteConnection): undefined {
  log?.close()
  connection.close()
}
