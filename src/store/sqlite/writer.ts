/**
 * The writer of an SQLite file: a thread of its own, because a commit of many rows blocks for long, and one, because
 * SQLite has one writer. Sessions take turns (specification 5.9).
 */
import { extname } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'
import type { CompiledQuery, QueryResult } from 'kysely'
import { Refusal } from '../../model/refusal.ts'
import { type RowMemory, rowsExceed } from '../../model/row-memory.ts'
import type { InsertRows, Session, Waiting } from '../database.ts'
import { StoreUnavailable } from '../faults.ts'
import { Turns, waitFor } from '../wait-for.ts'
import { isBusy, type StatementResult } from './connection.ts'
import type { NumberedRequest, WriterAnswer, WriterOptions, WriterRequest } from './writer-worker.ts'

/** How long closing waits for the current session. */
const closeWait = 10_000

export class SqliteWriter {
  readonly #worker: Worker
  readonly #turns = new Turns()
  /** The last commit that was sent: the next session may already follow it. */
  #commit: Promise<unknown> = Promise.resolve()
  /**
   * Unanswered requests, by number: a commit is answered when it is on the disk, which may be after answers to the next
   * session.
   */
  readonly #asked = new Map<number, PromiseWithResolvers<StatementResult | undefined>>()
  #count = 0
  /** Not sent yet: messages are expensive, so a session's commit and the next one's begin share one. */
  #outgoing: NumberedRequest[] = []
  #ended: Error | undefined
  readonly #options: WriterOptions
  #isOpen = false
  /** Replaces errors of the database. */
  explain = (error: unknown): unknown => error

  static async open(options: WriterOptions): Promise<SqliteWriter> {
    const writer = new SqliteWriter(options)
    try {
      await writer.#answer(0)
      writer.#isOpen = true
      return writer
    } catch (error) {
      await writer.#worker.terminate()
      throw error
    }
  }

  private constructor(options: WriterOptions) {
    // Compiled, this file and the worker end in .js
    const file = new URL(`./writer-worker${extname(import.meta.url)}`, import.meta.url)
    this.#options = options
    // The thread drops everything it receives: a larger nursery would only fill up. The option of `ig` overrides
    // `resourceLimits`.
    setFlagsFromString('--max-semi-space-size=2')
    this.#worker = new Worker(file, { workerData: options })
    this.#worker.on('message', (answers: readonly WriterAnswer[]) => {
      for (const answer of answers) {
        const asked = this.#asked.get(answer.number)
        this.#asked.delete(answer.number)
        if ('error' in answer) asked?.reject(answer.error)
        else asked?.resolve(answer.result)
      }
    })
    this.#worker.on('error', (error) => this.#fail(error))
    this.#worker.on('exit', () => this.#fail(new Error('The database is closed')))
  }

  /** The queue of sessions, and whether one is active. */
  get load() {
    const { count } = this.#turns
    return { open: 1, idle: count === 0 ? 1 : 0, waiting: Math.max(0, count - 1), most: 1 }
  }

  async begin(waiting: Waiting): Promise<Session> {
    if (this.#ended) throw this.#ended
    const deadline = performance.now() + waiting.wait
    const endTurn = await waitFor(this.#turns.ask(), waiting, 'the writer', (end) => end())
    return new WriterSession(this, { ...waiting, wait: deadline - performance.now() }, this.#commit, endTurn)
  }

  /** In the thread, between transactions. */
  async read({ sql, parameters }: Pick<CompiledQuery, 'sql' | 'parameters'>): Promise<StatementResult | undefined> {
    if (this.#ended) throw this.#ended
    const endTurn = await this.#turns.ask()
    try {
      return await this.ask({ kind: 'read', sql, parameters })
    } finally {
      endTurn()
    }
  }

  /** The thread serves in order, and a failed commit rolls back: the next session need not wait for its answer. */
  async commit(endTurn: () => void): Promise<void> {
    const committed = this.ask({ kind: 'commit' })
    this.#commit = committed.catch(() => {})
    endTurn()
    await committed
  }

  async ask(request: WriterRequest): Promise<StatementResult | undefined> {
    if (this.#ended) throw this.#ended
    this.#count += 1
    if (this.#outgoing.push({ number: this.#count, request }) === 1) process.nextTick(() => this.#send())
    return this.#answer(this.#count)
  }

  async close(): Promise<void> {
    this.#isOpen = false
    if (this.#ended) return
    await waitFor(this.#turns.ask(), { wait: closeWait }, 'the writer', () => {}).catch(() => {})
    await this.ask({ kind: 'close' })
    this.#fail(new Error('The database is closed'))
    await this.#worker.terminate()
  }

  #send(): void {
    const requests = this.#outgoing
    this.#outgoing = []
    try {
      this.#worker.postMessage(requests)
    } catch {
      for (const request of requests) this.#sendAlone(request) // one has a value that cannot be cloned: only that one fails
    }
  }

  #sendAlone(request: NumberedRequest): void {
    try {
      this.#worker.postMessage([request])
    } catch (cause) {
      const error = new TypeError(`A value cannot be bound to a statement: ${(cause as Error).message}`, { cause })
      this.#asked.get(request.number)?.reject(error)
      this.#asked.delete(request.number)
    }
  }

  async #answer(number: number): Promise<StatementResult | undefined> {
    const asked = Promise.withResolvers<StatementResult | undefined>()
    this.#asked.set(number, asked)
    try {
      return await asked.promise
    } catch (error) {
      if (error instanceof Error) throw error
      const { message, ...codes } = error as { message: string }
      throw this.explain(Object.assign(new Error(message), codes)) // created here, so that the stack shows the caller
    }
  }

  #fail(error: Error): void {
    this.#ended ??= error
    for (const asked of this.#asked.values()) asked.reject(this.#ended)
    this.#asked.clear()
    if (!this.#isOpen) return
    this.#isOpen = false
    const { file, isDurable } = this.#options
    if (!isDurable) return
    // Deliberately unhandled: this error ends the process in order, and a new one starts.
    const consequence = 'This process can no longer write to it'
    process.nextTick(() => {
      throw new StoreUnavailable(`The SQLite database ${file} failed: ${error.message}. ${consequence}.`)
    })
  }
}

class WriterSession implements Session {
  readonly #writer: SqliteWriter
  readonly #waiting: Waiting
  readonly #deadline: number
  /** Another session's commit that may still be in progress. */
  readonly #ahead: Promise<unknown>
  readonly #endTurn: () => void
  #hasBegun = false
  #running = 0
  #isRestricted: boolean
  readonly #isPortable: boolean

  constructor(writer: SqliteWriter, waiting: Waiting, ahead: Promise<unknown>, endTurn: () => void) {
    this.#writer = writer
    this.#waiting = waiting
    this.#deadline = performance.timeOrigin + performance.now() + waiting.wait
    this.#ahead = ahead
    this.#endTurn = endTurn
    this.#isRestricted = waiting.isRestricted ?? false
    this.#isPortable = waiting.isPortable ?? false
  }

  restrict(): void {
    this.#isRestricted = true
  }

  // biome-ignore lint/suspicious/noExplicitAny: see Session
  async execute({ sql, parameters }: CompiledQuery, memory?: RowMemory, isOwn = false): Promise<QueryResult<any>> {
    const room = memory?.room
    const asked = this.#ask({
      kind: 'execute',
      sql,
      parameters: parameters.map(toMessage),
      room,
      isRestricted: this.#isRestricted && !isOwn,
      isPortable: this.#isPortable,
    })
    const result = await asked.catch((error) => {
      if (error.code === rowsExceed) memory?.refuse((room ?? 0) + 1)
      throw error
    })
    memory?.require(result?.size ?? 0)
    for (const row of result?.rows ?? []) restoreBytes(row)
    return toQueryResult(result)
  }

  /** All rows at once: an open statement would block the commit. */
  async *stream(query: CompiledQuery, chunkSize: number, memory?: RowMemory) {
    const { rows } = await this.execute(query, memory)
    for (let start = 0; start < rows.length; start += chunkSize) yield { rows: rows.slice(start, start + chunkSize) }
  }

  async prepareInsert(table: string, columns: readonly string[]): Promise<InsertRows> {
    const names = columns.map(quote).join(', ')
    const places = columns.map(() => '?').join(', ')
    const sql = `insert into ${table.split('.').map(quote).join('.')} (${names}) values (${places})`
    const isRestricted = this.#isRestricted
    return (rows) => {
      const plain = rows.map((row) => (row.some(Buffer.isBuffer) ? row.map(toMessage) : row))
      return this.#ask({ kind: 'insert', sql, rows: plain, isRestricted })
    }
  }

  async commit(): Promise<void> {
    if (!this.#hasBegun) return this.#endTurn()
    await this.#writer.commit(this.#endTurn)
  }

  /** SQLite's thread cannot be interrupted: the rollback runs after the current statement. */
  async rollback(): Promise<void> {
    const isBehind = this.#running > 0
    const rolledBack = this.#writer.ask({ kind: 'rollback' }).catch(() => {}) // an ended writer has rolled back
    const ended = rolledBack.then(() => this.#endTurn())
    if (!isBehind) await ended
  }

  /**
   * Not async: a pending promise must not hold the request, which may be many rows (except a transaction's first one).
   */
  #ask(request: Request): Promise<StatementResult | undefined> {
    this.#running += 1
    const asked = this.#hasBegun ? this.#writer.ask(request) : this.#askFirst(request)
    return asked.finally(() => (this.#running -= 1))
  }

  /** The first statement carries the begin. */
  async #askFirst(request: Request): Promise<StatementResult | undefined> {
    this.#hasBegun = true
    try {
      const asked = this.#writer.ask({ ...request, begin: this.#deadline })
      asked.catch(() => {}) // if the wait below fails, the transaction is rolled back
      await waitFor(Promise.race([asked, this.#ahead]), this.#waiting, 'the writer', () => {})
      return await asked
    } catch (error) {
      if (!isBusy(error)) throw error
      throw new Refusal('overloaded', 'Another process kept the database file locked', { cause: error })
    }
  }
}

type Request = Extract<WriterRequest, { kind: 'execute' | 'insert' }>

export function toQueryResult(result: StatementResult | undefined): QueryResult<unknown> {
  const { rows = [], changes, lastInsertRowid } = result ?? {}
  return { rows, numAffectedRows: changes, insertId: lastInsertRowid }
}

/** A message between threads would copy a Buffer's whole memory, and deliver a plain Uint8Array. */
function toMessage(value: unknown): unknown {
  return Buffer.isBuffer(value) ? new Uint8Array(value) : value
}

function restoreBytes(row: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(row)) {
    if (value instanceof Uint8Array) row[name] = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  }
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
