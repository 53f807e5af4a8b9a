/**
 * Statements on the wire to PostgreSQL. The first one is sent with its transaction's begin in one message
 * (specification 5.8, decisions D-220): both precede one Sync, so if the begin fails, the server skips the statement,
 * which can never be stored on its own.
 */
import type { CompiledQuery } from 'kysely'
import pg from 'pg'
import type { CountRow } from '../../model/row-memory.ts'
import { NothingReturned } from '../database.ts'
import { type Callback, type Connection, type DataRow, DriversQuery, type Sendable, submit } from './driver-query.ts'

export interface Beginning {
  /** The server has begun; never rejects. */
  readonly begun: Promise<void>
  /** To the statement. */
  readonly answer: Promise<pg.QueryResult>
}

/** The memory of its rows. */
export interface Rows {
  /** Throws if there is no room for more. */
  readonly count: CountRow
  /** The statement fails at once, while the server still sends. */
  refused(): void
}

export interface Start {
  /** Milliseconds after which the server ends an idle transaction. */
  readonly idleLimit: number
  /** Of the gateway's own transactions. */
  readonly searchPath?: string | undefined
  /** Otherwise the server's own. */
  readonly isolation?: 'repeatable read read only' | 'serializable'
}

export function beginWith(client: pg.ClientBase, start: Start, statement: Sendable, rows?: Rows): Beginning {
  const begun = Promise.withResolvers<void>()
  const beginning = { ...start, onBegun: begun.resolve }
  const answer = submit(client, (callback) => new FirstStatement(statement, rows, beginning, callback))
  return { begun: begun.promise, answer }
}

/** After the first. */
export function query(client: pg.ClientBase, statement: Sendable, rows?: Rows): Promise<pg.QueryResult> {
  return submit(client, (callback) => new Statement(statement, rows, callback))
}

export interface Ended {
  /** `ROLLBACK` also if a commit found a failed transaction. */
  readonly command: string
  /** Otherwise the connection must not be reused. */
  readonly isClean: boolean
}

export interface Ending {
  readonly limit: number
  /** Some of its SQL came from the project. */
  readonly hasLeftovers: boolean
  /** The gateway's own last statement. */
  readonly final?: CompiledQuery | undefined
}

/** In one message instead of the five of the extended protocol. @throws NothingReturned if the final statement finds no row */
export async function endWith(
  client: pg.ClientBase,
  command: 'commit' | 'rollback',
  { limit, hasLeftovers, final }: Ending,
): Promise<Ended> {
  const text = [final && writeFinal(final), command, hasLeftovers && leaveNothing].filter(Boolean).join('; ')
  let last: LastStatement | undefined
  const answer = submit(
    client,
    (callback) => (last = new LastStatement({ text, query_timeout: limit }, final !== undefined, callback)),
  )
  const isClean = await answer.then(
    () => true,
    (error) => {
      if (last?.isFinalDone === false && error.code === divisionByZero) throw new NothingReturned()
      if (last?.ended === undefined) throw error
      return false // a committed transaction stays committed
    },
  )
  return { command: last?.ended ?? '', isClean }
}

function writeFinal({ sql, parameters }: CompiledQuery): string {
  return sql.replace(/\$(\d+)/g, (_, position) => writeLiteral(parameters[position - 1]))
}

/** How the final statement fails if it finds no row: the server skips the rest of the message. */
const divisionByZero = '22012'

function writeLiteral(value: unknown): string {
  if (typeof value === 'number') return String(value)
  return Buffer.isBuffer(value) ? `decode('${value.toString('hex')}', 'hex')` : pg.escapeLiteral(String(value))
}

/**
 * Everything that outlives a transaction in its session (specification 5.17): `discard all` except plans, which
 * triggers and functions would have to rebuild, and with the role from the login role's settings.
 */
const leaveNothing = [
  'reset session authorization',
  'reset role',
  'reset all',
  'close all',
  'deallocate all',
  'unlisten *',
  'select pg_advisory_unlock_all()',
  'discard sequences',
  'discard temp',
].join('; ')

class Statement extends DriversQuery {
  readonly #rows: Rows | undefined
  readonly #callback: Callback
  #isRefused = false

  constructor(config: Sendable, rows: Rows | undefined, callback: Callback) {
    super(config, undefined, callback)
    this.#rows = rows
    this.#callback = callback
  }

  override handleDataRow(message: DataRow): void {
    if (this.#isRefused) return
    try {
      this.#rows?.count(message.fields.length, message.length)
      super.handleDataRow(message)
    } catch (error) {
      this.#isRefused = true
      this.#rows?.refused()
      this.#callback(error as Error, undefined as never)
    }
  }

  /**
   * Nothing holds the data being sent: a batch of rows would outlive a young collection until the server has received
   * it.
   */
  override submit(connection: Connection): unknown {
    const fault = super.submit(connection)
    this.values = undefined
    return fault
  }
}

interface Begun extends Start {
  readonly onBegun: () => void
}

class FirstStatement extends Statement {
  readonly #before: readonly string[]
  readonly #onBegun: () => void
  #completed = 0

  constructor(config: Sendable, rows: Rows | undefined, start: Begun, callback: Callback) {
    super(config, rows, callback)
    const { idleLimit, isolation, searchPath } = start
    this.#onBegun = start.onBegun
    this.#before = [
      isolation ? `begin isolation level ${isolation}` : 'begin',
      `set local idle_in_transaction_session_timeout = ${idleLimit}`,
      ...(searchPath === undefined ? [] : [`set local search_path = ${searchPath}`]),
    ]
  }

  override submit(connection: Connection): unknown {
    const { stream } = connection
    stream.cork()
    try {
      for (const text of this.#before) {
        connection.parse({ text })
        connection.bind({})
        connection.execute({})
      }
      connection.flush() // otherwise the server holds its answer back until it has one to the statement
      return super.submit(connection)
    } finally {
      stream.uncork()
    }
  }

  override handleCommandComplete(message: { readonly text: string }, connection: Connection): void {
    this.#completed += 1
    if (this.#completed === 1) this.#onBegun()
    if (this.#completed > this.#before.length) super.handleCommandComplete(message, connection)
  }
}

class LastStatement extends DriversQuery {
  /** Read by the driver. */
  readonly query_timeout: number
  /** Or there is no final statement. */
  isFinalDone: boolean
  ended: string | undefined

  constructor(config: pg.QueryConfig & { readonly query_timeout: number }, hasFinal: boolean, callback: Callback) {
    super(config, undefined, callback)
    this.query_timeout = config.query_timeout
    this.isFinalDone = !hasFinal
  }

  override handleCommandComplete(message: { readonly text: string }, connection: Connection): void {
    if (this.isFinalDone) this.ended ??= message.text
    this.isFinalDone = true
    super.handleCommandComplete(message, connection)
  }
}
