/**
 * A whole transaction in one message (specification 5.73, decisions D-1143): its statements precede one Sync, so the server
 * commits all of them or none, without a begin.
 */
import type pg from 'pg'
import { NothingReturned } from '../database.ts'
import { type Callback, type Connection, DriversQuery, submit } from './driver-query.ts'
import { divisionByZero, type Ending } from './statement.ts'

/** A statement whose values are already those of the wire. */
export interface Written {
  readonly text: string
  readonly values: readonly (string | Buffer | null)[]
}

/** @throws NothingReturned if the final statement finds no row */
export async function storeWhole(
  client: pg.ClientBase,
  inserts: readonly Written[],
  { limit, final, hasLeftovers }: Ending,
): Promise<void> {
  const statements = [...inserts]
  if (final) statements.push({ text: final.sql, values: final.parameters.map(toWire) })
  if (hasLeftovers) statements.push({ text: 'discard sequences', values: [] }) // of identity columns
  try {
    await submit(client, (callback) => new Whole(statements, limit, callback))
  } catch (error) {
    throw final && (error as { readonly code?: unknown }).code === divisionByZero ? new NothingReturned() : error
  }
}

function toWire(value: unknown): string | Buffer {
  return Buffer.isBuffer(value) ? value : String(value)
}

class Whole extends DriversQuery {
  /** Read by the driver. */
  readonly query_timeout: number
  #statements: readonly Written[]

  constructor(statements: readonly Written[], limit: number, callback: Callback) {
    super({ text: '' }, undefined, callback)
    this.query_timeout = limit
    this.#statements = statements
  }

  override submit(connection: Connection): unknown {
    const { stream } = connection
    stream.cork()
    for (const { text, values } of this.#statements) {
      connection.parse({ text })
      connection.bind({ values })
      connection.execute({})
    }
    connection.sync()
    stream.uncork()
    this.#statements = []
    return null
  }

  /** Its rows are not read. */
  override handleDataRow(): void {}
}
