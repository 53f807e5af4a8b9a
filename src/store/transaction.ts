/**
 * One transaction of a handler, a migration or the gateway itself (specification 5.8, 5.9): nothing is opened before
 * its first statement, and after any failure nothing of it is stored.
 */
import { CompiledQuery, type QueryCompiler, type QueryResult } from 'kysely'
import type { HandlerDatabase } from '../model/handler-database.ts'
import { requireNoControl } from './control.ts'
import { type BeginOptions, type Database, type DatabaseSession, NothingReturned } from './database.ts'
import { StoreOutage } from './faults.ts'
import type { FinalStatement, HandlerTransaction, HandlerTransactionOptions } from './handler-transaction.ts'
import { insertInBatches, type Row, type Rows } from './insert-rows.ts'
import { convertRows, portableWrites } from './sqlite/portable-writes.ts'
import { isRead, summarize } from './statement-kind.ts'
import { requireStorable } from './storable.ts'
import type { Tables } from './tables.ts'
import { TransactionDatabase } from './transaction-database.ts'

export type { FinalStatement, HandlerTransaction, HandlerTransactionOptions } from './handler-transaction.ts'

/** Of the gateway's own statements; handlers have a HandlerTransaction. */
export type DatabaseTransaction = Database['reader']

export interface TransactionOptions
  extends BeginOptions,
    Pick<HandlerTransactionOptions, 'rows' | 'isTrial' | 'watch'> {
  /** Begins with the first statement, even if that only reads. */
  readonly isExclusive?: boolean
}

export function openHandlerTransaction(database: Database, options: TransactionOptions): HandlerTransaction {
  return new OneTransaction(database, options)
}

/** A transaction of the gateway's own; after `restrict`, of the project. @param limit of all of it, in milliseconds */
export async function inTransaction<T>(
  database: Database,
  work: (transaction: HandlerDatabase<Tables>, restrict: () => Promise<void>) => Promise<T>,
  wait = 30_000,
  limit?: number,
): Promise<T> {
  const signal = limit === undefined ? undefined : AbortSignal.timeout(limit)
  const transaction = new OneTransaction(database, { wait, isExclusive: true, ...(signal && { signal }) })
  try {
    const result = await work(transaction.database, () => transaction.restrict())
    await database.beforeCommit?.(transaction.database, result)
    await transaction.commit()
    return result
  } finally {
    await transaction.rollback()
  }
}

class OneTransaction implements HandlerTransaction {
  readonly #source: Database
  readonly #options: TransactionOptions
  readonly #running = new Set<Promise<unknown>>()
  readonly #abort = () => void this.rollback()
  #database: HandlerDatabase | undefined
  #session: Promise<DatabaseSession> | undefined
  #failure: { readonly error: unknown } | undefined
  #ending: Promise<void> | undefined
  #hasWritten = false

  constructor(source: Database, options: TransactionOptions) {
    this.#source = source
    this.#options = options
  }

  get holdsLocks(): boolean {
    return this.#hasWritten || (this.#options.isSerializable === true && this.#session !== undefined)
  }

  get isConflict(): boolean {
    const code = (this.#failure?.error as { readonly code?: unknown } | undefined)?.code
    return this.#options.isSerializable === true && (code === serializationFailure || code === deadlock)
  }

  get database(): HandlerDatabase {
    this.#database ??= new TransactionDatabase(this.#source, this)
    return this.#database
  }

  execute(query: CompiledQuery): Promise<QueryResult<unknown>> {
    this.#hasWritten ||= !isRead(query)
    return this.#track(query, (target) => target.execute(query, this.#options.rows))
  }

  async *stream(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<unknown>> {
    const chunks = await this.#track(query, async (target) => target.stream(query, chunkSize, this.#options.rows))
    try {
      for await (const chunk of chunks) {
        this.#requireUsable()
        yield chunk
      }
    } catch (error) {
      this.#failure ??= { error }
      throw error
    }
  }

  insertRows(table: string, columns: readonly string[], rows: Rows): Promise<number> {
    this.#hasWritten = true
    const converted = this.#convertRows(table, columns, rows)
    // The session is opened for the first batch: others do not wait while its rows are read and parsed
    const insert = async (batch: readonly Row[]) => {
      const session = await this.#open()
      this.#requireUsable()
      await session.insert(table, columns, batch).catch((error) => {
        this.#failure ??= { error } // before the next row is read
        throw error
      })
    }
    return this.#trackRunning(
      () => `INSERT ${table}`,
      () => insertInBatches(converted, columns.length, insert),
    )
  }

  openCompiler(): QueryCompiler {
    const { dialect, columnsOf } = this.#source
    const compiler = dialect.createQueryCompiler()
    if (!columnsOf || !this.#options.isPortable) return compiler
    return portableWrites(compiler, columnsOf, (error) => void (this.#failure ??= { error }))
  }

  #convertRows(table: string, columns: readonly string[], rows: Rows): Rows {
    const { columnsOf } = this.#source
    return columnsOf && this.#options.isPortable ? convertRows(rows, table, columns, columnsOf) : rows
  }

  /** Permanently: a statement that a migration did not await may come at any time. */
  async restrict(): Promise<void> {
    const session = await this.#open()
    session.restrict()
  }

  async commit(final?: FinalStatement): Promise<void> {
    this.#requireUsable({ evenFailed: true })
    if (this.#database) await untilMicrotasksAreDone() // an unawaited statement gets this far
    while (this.#running.size > 0) await Promise.allSettled(this.#running)
    if (this.#failure) await this.rollback()
    this.#requireUsable()
    if (this.#options.isTrial) return this.rollback()
    this.#ending = this.#commit(final)
    await this.#ending
  }

  async rollback(): Promise<void> {
    this.#ending ??= this.#rollback()
    await this.#ending.catch(() => {})
  }

  async touch(): Promise<void> {
    if (!this.#session || this.#ending || this.#running.size > 0) return
    const session = await this.#session
    await session.execute(nothing, undefined, true).catch(() => {}) // a later statement reports why
  }

  /** Runs in process while there were only reads, then in the session. The first failure decides the transaction's. */
  async #track<T>(
    query: CompiledQuery,
    work: (target: Pick<DatabaseSession, 'execute' | 'stream'>) => Promise<T>,
  ): Promise<T> {
    this.#requireUsable()
    requireNoControl(query)
    const { inProcess: plain, inProcessPortable } = this.#source
    const readable = this.#options.isPortable ? inProcessPortable : plain
    const { isExclusive, isSerializable } = this.#options
    const inProcess = this.#session || isExclusive || isSerializable || !isRead(query) ? undefined : readable
    return this.#trackRunning(
      () => summarize(query),
      async () => {
        for (const value of query.parameters) requireStorable(value)
        return work(inProcess ?? (await this.#open()))
      },
    )
  }

  async #trackRunning<T>(describe: () => string, work: () => Promise<T>): Promise<T> {
    this.#requireUsable()
    const ended = this.#options.watch?.(describe())
    const running = work()
    this.#running.add(running)
    try {
      const result = await running
      ended?.(undefined)
      return result
    } catch (error) {
      ended?.(error)
      this.#failure ??= { error }
      this.#source.diskFull?.failed(error)
      throw error
    } finally {
      this.#running.delete(running)
    }
  }

  #open(): Promise<DatabaseSession> {
    if (!this.#session) {
      this.#options.signal?.addEventListener('abort', this.#abort, { once: true })
      this.#session = this.#source.begin(this.#options)
    }
    return this.#session
  }

  #requireUsable({ evenFailed = false } = {}): void {
    const { signal } = this.#options
    if (this.#failure && !evenFailed) throw this.#failure.error
    if (signal?.aborted) {
      throw new Error('The request was aborted, and its transaction rolled back', { cause: signal.reason })
    }
    if (this.#ending)
      throw new Error(
        'The transaction has ended with its call: it cannot be used any more (a stream reads from context.snapshot)',
      )
  }

  async #commit(final: FinalStatement | undefined): Promise<void> {
    this.#options.signal?.removeEventListener('abort', this.#abort) // too late: a commit in progress is not cancelled
    const { diskFull } = this.#source
    const { watch } = this.#options
    const ended = this.#session && watch?.('COMMIT')
    try {
      const session = final ? await this.#open() : await this.#session
      await session?.commit(final?.query)
      ended?.(undefined)
    } catch (error) {
      ended?.(error)
      this.#failure ??= { error }
      if (final && error instanceof NothingReturned) throw final.fail()
      diskFull?.failed(error)
      const isUnsure = error instanceof StoreOutage && error.isUnsure && this.#hasWritten
      throw isUnsure ? new Error(`The commit was not confirmed: ${error.message}`, { cause: error }) : error
    }
    this.#hasWritten ||= final !== undefined
    if (this.#hasWritten) diskFull?.committed()
  }

  async #rollback(): Promise<void> {
    this.#options.signal?.removeEventListener('abort', this.#abort)
    const session = await this.#session?.catch(() => undefined) // a session that could not begin needs no end
    await session?.rollback()
  }
}

/** The codes of PostgreSQL. */
const serializationFailure = '40001'
const deadlock = '40P01'

/**
 * A turn of the event loop would do as well, but the database's only writer would wait for the work of all other calls
 * in it.
 */
async function untilMicrotasksAreDone(): Promise<void> {
  await undefined // from a microtask, the next tick comes after all others
  await new Promise<void>((resolve) => process.nextTick(resolve))
}

const nothing = CompiledQuery.raw('select 1')
