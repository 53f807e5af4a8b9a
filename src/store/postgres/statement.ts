/** Statements to PostgreSQL by the driver's documented interface. */
import pg from 'pg'
import type { CountRow } from '../../model/row-memory.ts'

export interface Statement {
  readonly text: string
  readonly values?: unknown[]
  /** By the extended protocol one statement is one statement: `select 1; commit` is refused. */
  readonly queryMode?: 'extended'
  readonly types: pg.CustomTypesConfig
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
  /** The search path of the gateway's own transactions. */
  readonly searchPath?: string | undefined
  /** Otherwise the server's own. */
  readonly isolation?: 'repeatable read read only' | 'serializable'
}

/**
 * The last result has the `pid` of the server's process. The idle limit is part of each transaction, because PgBouncer
 * refuses it as a parameter of the connection.
 */
export function writeBegin({ idleLimit, isolation, searchPath }: Start): string {
  return [
    isolation ? `begin isolation level ${isolation}` : 'begin',
    `set local idle_in_transaction_session_timeout = ${idleLimit}`,
    ...(searchPath === undefined ? [] : [`set local search_path = ${searchPath}`]),
    'select pg_backend_pid() as pid',
  ].join('; ')
}

export function query(client: pg.ClientBase, statement: Statement, rows?: Rows): Promise<pg.QueryResult> {
  return rows ? queryCounted(client, statement, rows) : client.query(statement)
}

/** Counts each row when it arrives, by the length of its values on the wire. */
function queryCounted(client: pg.ClientBase, statement: Statement, { count, refused }: Rows): Promise<pg.QueryResult> {
  let length = 0
  const types = measureValues(statement.types, (bytes) => {
    length += bytes
  })
  const answer = Promise.withResolvers<pg.QueryResult>()
  let isRefused = false
  const running = client.query(new pg.Query({ ...statement, types }))
  running.on('row', (row, result) => {
    if (isRefused) return
    try {
      count(result?.fields.length ?? 0, length)
      length = 0
      result?.addRow(row)
    } catch (error) {
      isRefused = true
      refused()
      answer.reject(error)
    }
  })
  running.on('end', answer.resolve)
  running.on('error', answer.reject)
  return answer.promise
}

function measureValues({ getTypeParser }: pg.CustomTypesConfig, measure: (bytes: number) => void) {
  const parserOf = (oid: number, format: 'text' | 'binary') => {
    const parse = (getTypeParser as (oid: number, format: string) => (value: string) => unknown)(oid, format)
    return (value: string) => {
      measure(value.length)
      return parse(value)
    }
  }
  return { getTypeParser: parserOf as never }
}

/**
 * Everything that outlives a transaction in its session (specification 5.17): `discard all` except plans, which
 * triggers and functions would have to rebuild, and with the role from the login role's settings.
 */
export const leaveNothing = [
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
