/** One transaction at the writer of an SQLite file (specification 5.8, 5.9). */
import type { CompiledQuery, QueryResult } from 'kysely'
import { Refusal } from '../../model/refusal.ts'
import { type RowMemory, rowsExceed } from '../../model/row-memory.ts'
import { type BeginOptions, type DatabaseSession, NothingReturned } from '../database.ts'
import { type Row, writeInsert } from '../insert-rows.ts'
import { waitFor } from '../wait-for.ts'
import { isBusy, type StatementResult, toQueryResult } from './connection.ts'
import type { SqliteWriter, Turn } from './writer.ts'
import { noRow, type WriterRequest } from './writer-requests.ts'

export class WriterSession implements DatabaseSession {
  readonly #writer: SqliteWriter
  readonly #waiting: BeginOptions
  #turn: Promise<Turn> | undefined
  /** It is this session's turn. */
  #isBegun = false
  #isOver = false
  #running = 0
  #isRestricted: boolean

  constructor(writer: SqliteWriter, waiting: BeginOptions) {
    this.#writer = writer
    this.#waiting = waiting
    this.#isRestricted = waiting.isRestricted ?? false
  }

  restrict(): void {
    this.#isRestricted = true
  }

  // biome-ignore lint/suspicious/noExplicitAny: see DatabaseSession
  async execute({ sql, parameters }: CompiledQuery, memory?: RowMemory, isOwn = false): Promise<QueryResult<any>> {
    const room = memory?.room
    const asked = this.#ask({
      kind: 'execute',
      sql,
      parameters: parameters.map(toMessage),
      room,
      isRestricted: this.#isRestricted && !isOwn,
      isPortable: this.#waiting.isPortable ?? false,
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

  async insert(table: string, columns: readonly string[], rows: readonly Row[]): Promise<void> {
    const sql = `${writeInsert(table, columns)} values (${columns.map(() => '?').join()})`
    const plain = rows.map((row) => (row.some(Buffer.isBuffer) ? row.map(toMessage) : row))
    await this.#ask({ kind: 'insert', sql, rows: plain, isRestricted: this.#isRestricted })
  }

  async commit(final?: CompiledQuery): Promise<void> {
    this.#isOver = true
    if (!this.#turn && !final) return
    const { wait } = this.#waiting
    const begin = this.#turn ? undefined : performance.timeOrigin + performance.now() + wait
    try {
      const turn = await (this.#turn ?? this.#writer.takeTurn(this.#waiting))
      await this.#writer.commit({ kind: 'commit', begin, ...(final && { final: toFinal(final) }) }, turn)
    } catch (error) {
      throw (error as { code?: unknown }).code === noRow ? new NothingReturned() : asRefusal(error)
    }
  }

  /** SQLite's thread cannot be interrupted: the rollback runs after the current statement. */
  async rollback(): Promise<void> {
    if (this.#isOver) return
    this.#isOver = true
    const isBehind = this.#running > 0
    const ended = this.#rollBack()
    if (!isBehind) await ended
  }

  async #rollBack(): Promise<void> {
    const turn = await this.#turn?.catch(() => undefined)
    if (!turn) return
    await this.#writer.ask({ kind: 'rollback' }).catch(() => {}) // an ended writer has rolled back
    turn.end()
  }

  /**
   * Not async: a pending promise must not hold the request, which may be many rows (except a transaction's first one).
   */
  #ask(request: Request): Promise<StatementResult | undefined> {
    this.#running += 1
    const asked = this.#isBegun ? this.#writer.ask(request) : this.#sendInTurn(request)
    return asked.finally(() => (this.#running -= 1))
  }

  /** The first statement carries the begin. */
  async #sendInTurn(request: Request): Promise<StatementResult | undefined> {
    const isFirst = this.#turn === undefined
    const deadline = performance.now() + this.#waiting.wait
    this.#turn ??= this.#writer.takeTurn(this.#waiting)
    const { ahead } = await this.#turn
    if (this.#isOver) throw new Error('The transaction has ended')
    if (!isFirst) return this.#writer.ask(request)
    this.#isBegun = true
    try {
      const asked = this.#writer.ask({ ...request, begin: performance.timeOrigin + deadline })
      asked.catch(() => {}) // if the wait below fails, the transaction is rolled back
      const waiting = { ...this.#waiting, wait: Math.max(0, deadline - performance.now()) }
      await waitFor(Promise.race([asked, ahead]), waiting, 'the writer', () => {})
      return await asked
    } catch (error) {
      throw asRefusal(error)
    }
  }
}

type Request = Extract<WriterRequest, { kind: 'execute' | 'insert' }>

function asRefusal(error: unknown): unknown {
  if (!isBusy(error)) return error
  return new Refusal('overloaded', 'Another process kept the database file locked', { cause: error })
}

function toFinal({ sql, parameters }: CompiledQuery) {
  return { sql, parameters: parameters.map(toMessage) }
}

/** A message between threads would copy the whole memory that a Buffer is part of. */
function toMessage(value: unknown): unknown {
  return Buffer.isBuffer(value) && value.length < value.buffer.byteLength ? new Uint8Array(value) : value
}

function restoreBytes(row: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(row)) {
    if (value instanceof Uint8Array) row[name] = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  }
}
