/** The driver's query with what its types do not declare, to be extended: its version is pinned (decisions D-220). */
import pg from 'pg'

/** By the extended protocol. */
export interface Sendable {
  readonly text: string
  readonly values?: readonly unknown[] | undefined
  readonly queryMode?: 'extended'
  readonly types?: pg.CustomTypesConfig
}

export function submit(client: pg.ClientBase, make: (callback: Callback) => Query): Promise<pg.QueryResult> {
  const answer = Promise.withResolvers<pg.QueryResult>()
  const callback = (error: Error | null, result: pg.QueryResult) => {
    if (!error) return answer.resolve(result)
    Error.captureStackTrace(error) // created here for a more useful stack than the driver's
    answer.reject(error)
  }
  client.query(make(callback) as unknown as pg.Submittable)
  return answer.promise
}

/** Fields of the driver's queries that its types do not declare. */
export interface Connection {
  readonly stream: { cork(): void; uncork(): void }
  parse(statement: { readonly text: string }): void
  bind(portal: object): void
  execute(portal: object): void
  flush(): void
  sync(): void
}

export interface Query {
  values: unknown
  /** @returns an error if it cannot be sent */
  submit(connection: Connection): unknown
  handleDataRow(message: DataRow): void
  handleCommandComplete(message: { readonly text: string }, connection: Connection): void
}

export interface DataRow {
  readonly fields: readonly unknown[]
  /** In bytes. */
  readonly length: number
}

export type Callback = (error: Error | null, result: pg.QueryResult) => void

export const DriversQuery = pg.Query as unknown as new (
  config: Sendable,
  values: undefined,
  callback: Callback,
) => Query
