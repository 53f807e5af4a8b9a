/** A transaction on a client of a PostgreSQL pool (specification 5.8, 5.9). */
import type { CompiledQuery, QueryResult } from 'kysely'
import type pg from 'pg'
import { Refusal } from '../../model/refusal.ts'
import type { RowMemory } from '../../model/row-memory.ts'
import { type InsertRows, NothingReturned, type Session, type Waiting } from '../database.ts'
import { StoreAway } from '../faults.ts'
import { waitFor } from '../wait-for.ts'
import type { Breaker } from './breaker.ts'
import { isReplicationUnsure } from './primary-client.ts'
import { beginWith, type Ended, endWith, query, type Rows, type Start } from './statement.ts'
import { portableTypes, toPostgres, toPostgresArray } from './values.ts'

type Statement = Pick<CompiledQuery, 'sql' | 'parameters'>

export interface Pools {
  /** The pool of the session's client. */
  readonly pool: pg.Pool
  /** Cancels its running statement, even if `pool` has no free client. */
  readonly canceller: pg.Pool
  readonly breaker: Breaker
  readonly start: Start
  /** Types of columns, by table and column, looked up once. */
  readonly columnTypes: Map<string, Map<string, string>>
}

/** A server that is silent for longer, in milliseconds, counts as lost, with its connection. */
const patience = { cancel: 1_000, rollback: 5_000, commit: 30_000 }

export async function beginSession(pools: Pools, waiting: Waiting): Promise<Session> {
  const { pool, breaker } = pools
  const release = (late: pg.PoolClient) => late.release()
  const connecting = breaker
    .ask(() => pool.connect(), release)
    .catch((cause) => {
      throw cause instanceof StoreAway
        ? cause
        : new Refusal('overloaded', 'The database accepts no connection', { cause })
    })
  const client = await waitFor(connecting, waiting, 'a connection', release)
  return new PostgresSession(client, pools, waiting)
}

class PostgresSession implements Session {
  readonly #client: pg.PoolClient
  readonly #pools: Pools
  readonly #waiting: Waiting
  /** Some of its SQL comes from the project. */
  #hasLeftovers: boolean
  #hasBegun = false
  #running = 0
  #cursors = 0
  #hasEnded = false

  constructor(client: pg.PoolClient, pools: Pools, waiting: Waiting) {
    this.#client = client
    this.#pools = pools
    this.#waiting = waiting
    this.#hasLeftovers = waiting.isRestricted === true
  }

  /** A login role restricts access to the gateway's tables; this only removes what the session leaves behind. */
  restrict(): void {
    this.#hasLeftovers = true
  }

  // biome-ignore lint/suspicious/noExplicitAny: see Session
  async execute({ sql, parameters }: Statement, memory?: RowMemory): Promise<QueryResult<any>> {
    const { command, rowCount, rows } = await this.#query(sql, parameters.map(toPostgres), memory)
    const isWrite = ['INSERT', 'UPDATE', 'DELETE', 'MERGE'].includes(command)
    return { rows, numAffectedRows: isWrite ? BigInt(rowCount ?? 0) : undefined }
  }

  async *stream({ sql, parameters }: CompiledQuery, chunkSize: number, memory?: RowMemory) {
    this.#cursors += 1
    const cursor = `ig_cursor_${this.#cursors}`
    await this.execute({ sql: `declare ${cursor} no scroll cursor for ${sql}`, parameters })
    for (;;) {
      const { rows } = await this.execute({ sql: `fetch ${chunkSize} from ${cursor}`, parameters: [] }, memory)
      if (rows.length > 0) yield { rows }
      if (rows.length < chunkSize) break
    }
    await this.execute({ sql: `close ${cursor}`, parameters: [] })
  }

  /** One array for each column, of the column's own type, so that values are checked as in any other insert. */
  async prepareInsert(table: string, columns: readonly string[]): Promise<InsertRows> {
    const target = table.split('.').map(quote).join('.')
    const known = await this.#columnTypes(target)
    const arrays = columns.map((column, index) => {
      const type = known.get(column)
      if (!type) throw new Error(`The table ${table} has no column ${column}`)
      return `$${index + 1}::${type}[]`
    })
    const text = `insert into ${target} (${columns.map(quote).join(', ')}) select * from unnest(${arrays.join(', ')})`
    return (rows) => this.#query(text, toColumns(rows, columns.length))
  }

  async commit(seal?: CompiledQuery): Promise<void> {
    if (!this.#hasBegun && seal) await this.execute(nothing)
    if (!this.#hasBegun) return this.#end(false)
    let ended: Ended
    try {
      ended = await this.#control('commit', patience.commit, seal)
    } catch (error) {
      if (error instanceof NothingReturned) await this.rollback()
      this.#end(true)
      // An unsent statement has no effect; a sent one may have
      const isSent = error instanceof StoreAway && !/not queryable/.test(error.message)
      throw isSent ? new StoreAway(error.message, { cause: error, isUnsure: true }) : error
    }
    const isCommitted = ended.command === 'COMMIT'
    const isUnsure = isReplicationUnsure(this.#client)
    this.#end(!isCommitted || !ended.isClean || isUnsure)
    // COMMIT after a failed statement is a rollback, and PostgreSQL reports no error
    if (!isCommitted) throw new Error('PostgreSQL rolled back the transaction')
    if (isUnsure) throw new StoreAway('The server gave up waiting for its synchronous standby', { isUnsure })
  }

  async rollback(): Promise<void> {
    if (this.#hasEnded) return
    if (!this.#hasBegun) return this.#end(false)
    if (this.#running === 0) {
      const isClean = await this.#control('rollback', patience.rollback).then(
        (ended) => ended.isClean,
        () => false,
      )
      return this.#end(!isClean)
    }
    // The cancellation may arrive late: this client is not reused, because it might hit another statement.
    const { processID } = this.#client as unknown as { processID: number }
    this.#hasEnded = true
    const cancel = { text: 'select pg_cancel_backend($1)', values: [processID], query_timeout: patience.cancel }
    const cancelled = this.#pools.breaker.ask(() => this.#pools.canceller.query(cancel))
    await waitFor(cancelled, { wait: patience.cancel }, 'the cancellation', () => {}).catch(() => {})
    this.#client.release(true)
  }

  /** Extended protocol, so that one statement is one statement: `select 1; commit` is refused. */
  #query(text: string, values: unknown[], memory?: RowMemory): Promise<pg.QueryResult> {
    const types = this.#waiting.isPortable ? { types: portableTypes } : undefined
    const statement = { text, values, queryMode: 'extended', ...types } as pg.QueryConfig
    const rows = memory && { count: memory.count(), refused: () => this.#keepRunning() }
    if (this.#hasBegun) return this.#run(() => query(this.#client, statement, rows))
    this.#hasBegun = true
    return this.#run(() => this.#begin(statement, rows))
  }

  /** The server continues a statement whose remaining rows are not needed: the rollback cancels it. */
  #keepRunning(): void {
    this.#running += 1
  }

  #control(command: 'commit' | 'rollback', limit: number, seal?: CompiledQuery): Promise<Ended> {
    return this.#run(() => endWith(this.#client, command, { limit, hasLeftovers: this.#hasLeftovers, seal }))
  }

  /**
   * Not async: a pending promise must not hold the statement, whose values may be many rows (except a transaction's
   * first one).
   */
  #run<T>(query: () => Promise<T>): Promise<T> {
    if (this.#hasEnded) return Promise.reject(new Error('The transaction has ended'))
    this.#running += 1
    return this.#pools.breaker.ask(query).finally(() => {
      this.#running -= 1
    })
  }

  /** Only the wait for the begin is limited: the statement after it may take its time. */
  async #begin(config: pg.QueryConfig, rows: Rows | undefined): Promise<pg.QueryResult> {
    const { begun, answer } = beginWith(this.#client, this.#pools.start, config, rows)
    try {
      await this.#pools.breaker.askPromptly(() =>
        waitFor(Promise.race([begun, answer]), this.#waiting, 'the database', () => {}),
      )
    } catch (error) {
      answer.catch(() => {})
      if (error instanceof Refusal || this.#waiting.signal?.aborted) this.#end(true) // no one waits for its running query
      throw error
    }
    return answer
  }

  async #columnTypes(table: string): Promise<Map<string, string>> {
    const known = this.#pools.columnTypes.get(table)
    if (known) return known
    const { rows } = await this.#query(
      `select attname, format_type(atttypid, -1) as type, relpersistence = 't' as "isTemporary"
       from pg_attribute join pg_class on attrelid = pg_class.oid
       where attrelid = $1::regclass and attnum > 0 and not attisdropped`,
      [table],
    )
    const types = new Map(rows.map(({ attname, type }) => [attname as string, type as string]))
    if (!rows[0]?.isTemporary) this.#pools.columnTypes.set(table, types) // hides another table only in this call
    return types
  }

  #end(isSpoilt: boolean): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#client.release(isSpoilt)
  }
}

const nothing: Statement = { sql: 'select 1', parameters: [] }

function toColumns(rows: readonly (readonly unknown[])[], width: number): unknown[] {
  return Array.from({ length: width }, (_, index) => toPostgresArray(rows.map((row) => toPostgres(row[index]) ?? null)))
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
