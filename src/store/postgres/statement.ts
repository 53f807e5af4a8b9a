/**
 * Statements as PostgreSQL gets them. The first brings its transaction's begin along, in one message (specification 5.8,
 * decisions D-220): both stand before one Sync, so that where the begin fails the server passes over the statement, which
 * can never be stored on its own.
 */
import pg from 'pg'
import type { CountRow } from '../../model/row-memory.ts'

export interface Beginning {
  /** The server has begun; never rejects. */
  readonly begun: Promise<void>
  /** To the statement. */
  readonly answer: Promise<pg.QueryResult>
}

/** What its rows may hold. */
export interface Rows {
  /** Throws where there is no room for more. */
  readonly count: CountRow
  /** The statement fails at once, though the server still sends. */
  refused(): void
}

/** @param idleLimit milliseconds after which the server ends the transaction where nothing is asked in it */
export function beginWith(client: pg.ClientBase, idleLimit: number, statement: pg.QueryConfig, rows?: Rows): Beginning {
  const begun = Promise.withResolvers<void>()
  const beginning = { idleLimit, onBegun: begun.resolve }
  const answer = submit(client, (callback) => new FirstStatement(statement, rows, beginning, callback))
  return { begun: begun.promise, answer }
}

/** Behind the first. */
export function query(client: pg.ClientBase, statement: pg.QueryConfig, rows?: Rows): Promise<pg.QueryResult> {
  return submit(client, (callback) => new Statement(statement, rows, callback))
}

export interface Ended {
  /** `ROLLBACK` also where a commit found a failed transaction. */
  readonly command: string
  /** Otherwise the connection is not to be used again. */
  readonly isClean: boolean
}

/** In one message, where the extended protocol has five. @param hasLeftovers where its SQL was of the project */
export async function endWith(
  client: pg.ClientBase,
  command: 'commit' | 'rollback',
  { limit, hasLeftovers }: { readonly limit: number; readonly hasLeftovers: boolean },
): Promise<Ended> {
  const statement = {
    text: hasLeftovers ? `${command}; ${leaveNothing}` : command,
    query_timeout: limit,
  }
  let last: LastStatement | undefined
  const answer = submit(client, (callback) => (last = new LastStatement(statement, callback)))
  const isClean = await answer.then(
    () => true,
    (error) => {
      if (last?.ended === undefined) throw error
      return false // what was committed is committed
    },
  )
  return { command: last?.ended ?? '', isClean }
}

/**
 * All that outlives a transaction in its session (specification 5.17): `discard all` without the plans, which triggers and
 * functions would make anew, and with the role that the login role has by its settings.
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

function submit(client: pg.ClientBase, make: (callback: Callback) => Query): Promise<pg.QueryResult> {
  const answer = Promise.withResolvers<pg.QueryResult>()
  const callback = (error: Error | null, result: pg.QueryResult) => {
    if (!error) return answer.resolve(result)
    Error.captureStackTrace(error) // made here, it tells more than the driver's
    answer.reject(error)
  }
  client.query(make(callback) as unknown as pg.Submittable)
  return answer.promise
}

/** What the driver's queries are made of, and its types do not tell. */
interface Connection {
  readonly stream: { cork(): void; uncork(): void }
  parse(statement: { readonly text: string }): void
  bind(portal: object): void
  execute(portal: object): void
  flush(): void
}
interface Query {
  values: unknown
  /** @returns an error where it cannot be sent */
  submit(connection: Connection): unknown
  handleDataRow(message: DataRow): void
  handleCommandComplete(message: { readonly text: string }, connection: Connection): void
}
interface DataRow {
  readonly fields: readonly unknown[]
  /** In bytes. */
  readonly length: number
}
type Callback = (error: Error | null, result: pg.QueryResult) => void
const DriversQuery = pg.Query as unknown as new (config: pg.QueryConfig, values: undefined, callback: Callback) => Query

class Statement extends DriversQuery {
  readonly #rows: Rows | undefined
  readonly #callback: Callback
  #isRefused = false

  constructor(config: pg.QueryConfig, rows: Rows | undefined, callback: Callback) {
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

  /** What is on its way is kept by nobody: a batch of rows would outlive a young collection until the server has taken it. */
  override submit(connection: Connection): unknown {
    const fault = super.submit(connection)
    this.values = undefined
    return fault
  }
}

interface Start {
  readonly idleLimit: number
  readonly onBegun: () => void
}

class FirstStatement extends Statement {
  readonly #start: Start
  #completed = 0

  constructor(config: pg.QueryConfig, rows: Rows | undefined, start: Start, callback: Callback) {
    super(config, rows, callback)
    this.#start = start
  }

  override submit(connection: Connection): unknown {
    const { stream } = connection
    stream.cork()
    try {
      for (const text of ['begin', `set local idle_in_transaction_session_timeout = ${this.#start.idleLimit}`]) {
        connection.parse({ text })
        connection.bind({})
        connection.execute({})
      }
      connection.flush() // the server would keep its answer until it has one to the statement
      return super.submit(connection)
    } finally {
      stream.uncork()
    }
  }

  override handleCommandComplete(message: { readonly text: string }, connection: Connection): void {
    this.#completed += 1
    if (this.#completed === 1) this.#start.onBegun()
    if (this.#completed > 2) super.handleCommandComplete(message, connection)
  }
}

class LastStatement extends DriversQuery {
  /** Looked up by the driver. */
  readonly query_timeout: number
  ended: string | undefined

  constructor(config: pg.QueryConfig & { readonly query_timeout: number }, callback: Callback) {
    super(config, undefined, callback)
    this.query_timeout = config.query_timeout
  }

  override handleCommandComplete(message: { readonly text: string }, connection: Connection): void {
    this.ended ??= message.text
    super.handleCommandComplete(message, connection)
  }
}
