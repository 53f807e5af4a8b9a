/**
 * A transaction on a client of a PostgreSQL pool (specification 5.8, 5.9). It takes a client with its first statement.
 */
import type { CompiledQuery, QueryResult } from 'kysely'
import type pg from 'pg'
import { Refusal } from '../../model/refusal.ts'
import type { RowMemory } from '../../model/row-memory.ts'
import { type BeginOptions, type DatabaseSession, NothingReturned } from '../database.ts'
import { StoreOutage } from '../faults.ts'
import { type Row, writeInsert } from '../insert-rows.ts'
import { waitFor } from '../wait-for.ts'
import { type Canceller, cancelStatement, type Place, takeClient } from './clients.ts'
import { asUnsure } from './connection-lost.ts'
import { explainRights } from './explain-rights.ts'
import { isReplicationUnsure } from './primary-client.ts'
import { leaveNothing, query, type Rows, type Start, writeBegin } from './statement.ts'
import { portableTypes, toPostgres, types } from './values.ts'

type Statement = Pick<CompiledQuery, 'sql' | 'parameters'>

export interface Pools extends Place, Canceller {
  readonly start: Start
}

/** A server that is silent for longer, in milliseconds, counts as lost, with its connection. */
const patience = { rollback: 5_000, commit: 30_000 }

export class PostgresSession implements DatabaseSession {
  readonly #pools: Pools
  readonly #waiting: BeginOptions
  #begun: Promise<pg.PoolClient> | undefined
  #client: pg.PoolClient | undefined
  /** The server's process number. */
  #processId: number | undefined
  /** Some of its SQL comes from the project. */
  #hasLeftovers: boolean
  #running = 0
  #cursors = 0
  #hasEnded = false

  constructor(pools: Pools, waiting: BeginOptions) {
    this.#pools = pools
    this.#waiting = waiting
    this.#hasLeftovers = waiting.isRestricted === true
  }

  /** A login role restricts access to the gateway's tables; this only removes what the session leaves behind. */
  restrict(): void {
    this.#hasLeftovers = true
  }

  // biome-ignore lint/suspicious/noExplicitAny: see DatabaseSession
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

  async insert(table: string, columns: readonly string[], rows: readonly Row[]): Promise<void> {
    let last = 0
    const places = rows.map((row) => `(${row.map(() => `$${(last += 1)}`).join()})`)
    await this.#query(`${writeInsert(table, columns)} values ${places.join()}`, rows.flat().map(toPostgres))
  }

  async commit(final?: CompiledQuery): Promise<void> {
    if (!this.#begun && !final) return this.#end()
    if (final) await this.#runFinal(final)
    const client = await this.#begin()
    let command: string
    try {
      ;({ command } = await this.#control(client, 'commit', patience.commit))
    } catch (error) {
      this.#end(true)
      throw asUnsure(error)
    }
    // COMMIT after a failed statement is a rollback, and PostgreSQL reports no error
    if (command === 'COMMIT') return this.#endSure(client)
    this.#end(true)
    throw new Error('PostgreSQL rolled back the transaction')
  }

  async #runFinal({ sql, parameters }: CompiledQuery): Promise<void> {
    try {
      const { rowCount } = await this.#query(sql, [...parameters])
      if (rowCount === 0) throw new NothingReturned()
    } catch (error) {
      await this.rollback()
      throw error
    }
  }

  /** @throws StoreOutage if the commit may be on this server alone */
  #endSure(client: pg.PoolClient): void {
    const isUnsure = isReplicationUnsure(client)
    this.#end(isUnsure)
    if (isUnsure) throw new StoreOutage('The server gave up waiting for its synchronous standby', { isUnsure })
  }

  async rollback(): Promise<void> {
    if (this.#hasEnded) return
    const client = this.#client
    if (!client) return this.#end()
    if (this.#running === 0) {
      const isClean = await this.#control(client, 'rollback', patience.rollback).then(
        () => true,
        () => false,
      )
      return this.#end(!isClean)
    }
    // The cancellation may arrive late: this client is not reused, because it might hit another statement.
    this.#hasEnded = true
    if (this.#processId !== undefined) await cancelStatement(this.#pools, this.#processId)
    client.release(true)
  }

  async #query(text: string, values: unknown[], memory?: RowMemory): Promise<pg.QueryResult> {
    const client = await this.#begin()
    // The server continues a statement whose remaining rows are refused: the rollback cancels it
    const rows: Rows | undefined = memory && { count: memory.count(), refused: () => void (this.#running += 1) }
    const statement = {
      text,
      values,
      queryMode: 'extended',
      types: this.#waiting.isPortable ? portableTypes : types,
    } as const
    return this.#run(() => query(client, statement, rows)).catch((error) => {
      throw explainRights(error, client.user, text)
    })
  }

  /** Statements that wait for it keep their order. */
  #begin(): Promise<pg.PoolClient> {
    this.#begun ??= this.#beginTransaction()
    return this.#begun
  }

  async #beginTransaction(): Promise<pg.PoolClient> {
    const { breaker, start } = this.#pools
    const client = await takeClient(this.#pools, this.#waiting)
    if (this.#hasEnded) {
      client.release()
      throw hasEnded()
    }
    this.#client = client
    try {
      const begin = () => waitFor(client.query(writeBegin(start)), this.#waiting, 'the database', () => {})
      const results = (await this.#run(begin, breaker.askPromptly)) as unknown as pg.QueryResult[] // one a statement
      this.#processId = results.at(-1)?.rows[0].pid
    } catch (error) {
      if (error instanceof Refusal || this.#waiting.signal?.aborted) this.#end(true) // no one waits for its running query
      throw error
    }
    return client
  }

  #control(client: pg.PoolClient, command: 'commit' | 'rollback', limit: number): Promise<pg.QueryResult> {
    const ending = { text: command, query_timeout: limit }
    return this.#run(() => client.query(ending))
  }

  async #run<T>(work: () => Promise<T>, ask = this.#pools.breaker.ask): Promise<T> {
    if (this.#hasEnded) throw hasEnded()
    this.#running += 1
    try {
      return await ask(work)
    } finally {
      this.#running -= 1
    }
  }

  #end(isSpoilt = false): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    const client = this.#client
    const release = (mustClose: boolean) => client?.release(mustClose)
    if (!client || isSpoilt || !this.#hasLeftovers) return void release(isSpoilt)
    // Its caller need not wait until the next one finds nothing of it
    const left = { text: leaveNothing, query_timeout: patience.rollback }
    void this.#pools.breaker
      .ask(() => client.query(left))
      .then(
        () => release(false),
        () => release(true),
      )
  }
}

const hasEnded = () => new Error('The transaction has ended')
