/**
 * A transaction on a client of a PostgreSQL pool (specification 5.8, 5.9). It takes a client with its first statement.
 */
import type { CompiledQuery, QueryResult } from 'kysely'
import pg from 'pg'
import { Refusal } from '../../model/refusal.ts'
import type { RowMemory } from '../../model/row-memory.ts'
import { type InsertRows, NothingReturned, type Session, type Waiting } from '../database.ts'
import { StoreAway } from '../faults.ts'
import { waitFor } from '../wait-for.ts'
import { type Canceller, cancelStatement, type Place, takeClient } from './clients.ts'
import { asUnsure } from './connection-lost.ts'
import type { Sendable } from './driver-query.ts'
import { explainRights } from './explain-rights.ts'
import { describeTable, type KnownTables, quote, type Table } from './known-tables.ts'
import { isReplicationUnsure } from './primary-client.ts'
import { beginWith, type Ended, endWith, query, type Rows, type Start } from './statement.ts'
import { portableTypes, toColumns, toPostgres } from './values.ts'

type Statement = Pick<CompiledQuery, 'sql' | 'parameters'>

export interface Pools extends Place, Canceller {
  readonly start: Start
  readonly tables: KnownTables
}

/** A server that is silent for longer, in milliseconds, counts as lost, with its connection. */
const patience = { rollback: 5_000, commit: 30_000 }

export class PostgresSession implements Session {
  readonly #pools: Pools
  readonly #waiting: Waiting
  #connecting: Promise<pg.PoolClient> | undefined
  #client: pg.PoolClient | undefined
  /** Some of its SQL comes from the project. */
  #hasLeftovers: boolean
  #hasBegun = false
  #running = 0
  #cursors = 0
  #hasEnded = false

  constructor(pools: Pools, waiting: Waiting) {
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

  async prepareInsert(name: string, columns: readonly string[]): Promise<InsertRows> {
    const table = await this.#findTable(name.split('.').map(quote).join('.'))
    const text = table.insertInto(columns)
    return (rows) => this.#query(text, toColumns(rows, columns.length))
  }

  async commit(final?: CompiledQuery): Promise<void> {
    if (!this.#connecting && !final) return this.#end(false)
    if (!this.#connecting) await this.#beginEmpty()
    return this.#commit(await this.#connect(), final)
  }

  /** The begin finds out whether the connection is lost: then nothing is stored for sure. */
  async #beginEmpty(): Promise<void> {
    try {
      await this.execute(nothing)
    } catch (error) {
      await this.rollback()
      throw error
    }
  }

  async #commit(client: pg.PoolClient, final?: CompiledQuery): Promise<void> {
    let ended: Ended
    try {
      ended = await this.#control(client, 'commit', patience.commit, final)
    } catch (error) {
      if (error instanceof NothingReturned || error instanceof pg.DatabaseError) await this.rollback()
      this.#end(true)
      throw asUnsure(error)
    }
    const isCommitted = ended.command === 'COMMIT'
    // COMMIT after a failed statement is a rollback, and PostgreSQL reports no error
    if (isCommitted) return this.#endSure(client, ended.isClean)
    this.#end(true)
    throw new Error('PostgreSQL rolled back the transaction')
  }

  /** @throws StoreAway if the commit may be on this server alone */
  #endSure(client: pg.PoolClient, isClean: boolean): void {
    const isUnsure = isReplicationUnsure(client)
    this.#end(!isClean || isUnsure)
    if (isUnsure) throw new StoreAway('The server gave up waiting for its synchronous standby', { isUnsure })
  }

  async rollback(): Promise<void> {
    if (this.#hasEnded) return
    const client = this.#client
    if (!client || !this.#hasBegun) return this.#end(false)
    if (this.#running === 0) {
      const isClean = await this.#control(client, 'rollback', patience.rollback).then(
        (ended) => ended.isClean,
        () => false,
      )
      return this.#end(!isClean)
    }
    // The cancellation may arrive late: this client is not reused, because it might hit another statement.
    this.#hasEnded = true
    await cancelStatement(this.#pools, client)
    client.release(true)
  }

  /** Extended protocol, so that one statement is one statement: `select 1; commit` is refused. */
  #query(text: string, values: unknown[], memory?: RowMemory): Promise<pg.QueryResult> {
    const types = this.#waiting.isPortable ? { types: portableTypes } : undefined
    // The server continues a statement whose remaining rows are refused: the rollback cancels it
    const rows = memory && { count: memory.count(), refused: () => void (this.#running += 1) }
    return this.#send({ text, values, queryMode: 'extended', ...types }, rows).catch((error) => {
      throw explainRights(error, this.#client?.user, text)
    })
  }

  /** Statements that wait for a client keep their order. */
  #send(statement: Sendable, rows?: Rows): Promise<pg.QueryResult> {
    if (!this.#client) return this.#connect().then(() => this.#send(statement, rows))
    const client = this.#client
    if (this.#hasBegun) return this.#run(() => query(client, statement, rows))
    this.#hasBegun = true
    return this.#run(() => this.#begin(client, statement, rows))
  }

  #connect(): Promise<pg.PoolClient> {
    this.#connecting ??= this.#takeClient()
    return this.#connecting
  }

  async #takeClient(): Promise<pg.PoolClient> {
    const client = await takeClient(this.#pools, this.#waiting)
    if (this.#hasEnded) {
      client.release()
      throw hasEnded()
    }
    this.#client = client
    return client
  }

  #control(
    client: pg.PoolClient,
    command: 'commit' | 'rollback',
    limit: number,
    final?: CompiledQuery,
  ): Promise<Ended> {
    return this.#run(() => endWith(client, command, { limit, hasLeftovers: this.#hasLeftovers, final }))
  }

  /**
   * Not async: a pending promise must not hold the statement, whose values may be many rows (except a transaction's
   * first one).
   */
  #run<T>(query: () => Promise<T>): Promise<T> {
    if (this.#hasEnded) return Promise.reject(hasEnded())
    this.#running += 1
    return this.#pools.breaker.ask(query).finally(() => {
      this.#running -= 1
    })
  }

  /** Only the wait for the begin is limited: the statement after it may take its time. */
  async #begin(client: pg.PoolClient, statement: Sendable, rows: Rows | undefined): Promise<pg.QueryResult> {
    const { begun, answer } = beginWith(client, this.#pools.start, statement, rows)
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

  async #findTable(name: string): Promise<Table> {
    const { tables } = this.#pools
    const known = tables.find(name)
    if (known) return known
    const { rows } = await this.#query(describeTable, [name]) // it may be one of this transaction
    return tables.keep(name, rows)
  }

  #end(isSpoilt: boolean): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#client?.release(isSpoilt)
  }
}

const nothing: Statement = { sql: 'select 1', parameters: [] }

const hasEnded = () => new Error('The transaction has ended')
