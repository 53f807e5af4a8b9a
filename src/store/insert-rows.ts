/**
 * Inserts many rows in batches, of which one is stored while the next one is read, so that a stream of any length needs
 * little memory (specification 5.8).
 */
import { requireStorable } from './storable.ts'

export type Row = readonly unknown[]
export type Rows = Iterable<Row> | AsyncIterable<Row>

const maxRows = 500
/** Maximum number of parameters in a statement of PostgreSQL. */
const maxParameters = 65_535
/** Approximate size in text and bytes: batches of long rows are smaller. */
const maxSize = 1_000_000

/** @returns the number of rows inserted */
export async function insertInBatches(
  rows: Rows,
  width: number,
  insert: (rows: readonly Row[]) => Promise<void>,
): Promise<number> {
  const batch = new Batch(width)
  let storing = Promise.resolve()
  const send = async () => {
    await storing
    storing = insert(batch.take())
    storing.catch(() => {}) // awaited before the next one, or at the end
  }
  try {
    // Awaiting each row of an array would cost more than inserting it
    if (Symbol.iterator in rows) {
      for (const row of rows) if (batch.add(row)) await send()
    } else {
      for await (const row of rows) if (batch.add(row)) await send()
    }
    if (batch.length > 0) await send()
  } finally {
    await storing // its failure is the cause of others
  }
  return batch.seen
}

class Batch {
  readonly #width: number
  readonly #maxRows: number
  #rows: Row[] = []
  #size = 0
  /** Added rows, sent ones included. */
  seen = 0

  constructor(width: number) {
    this.#width = width
    this.#maxRows = Math.min(maxRows, Math.floor(maxParameters / width))
  }

  get length(): number {
    return this.#rows.length
  }

  /** @returns whether the batch is full */
  add(row: Row): boolean {
    this.seen += 1
    if (row.length !== this.#width) {
      throw new TypeError(`Row ${this.seen} has ${row.length} values for ${this.#width} columns`)
    }
    for (const value of row) {
      requireStorable(value)
      // PostgreSQL would make a row of each element, or none
      if (Array.isArray(value)) throw new TypeError(`Row ${this.seen} has an array, which is not a column value`)
      if (typeof value === 'string' || Buffer.isBuffer(value)) this.#size += value.length
    }
    this.#rows.push(row)
    return this.#rows.length >= this.#maxRows || this.#size >= maxSize
  }

  take(): readonly Row[] {
    const rows = this.#rows
    this.#rows = []
    this.#size = 0
    return rows
  }
}

/** Up to its values. */
export function writeInsert(table: string, columns: readonly string[]): string {
  return `insert into ${table.split('.').map(quote).join('.')} (${columns.map(quote).join(', ')})`
}

export function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
