/**
 * Rows that a transaction keeps until its next statement or its commit, because their table cannot refuse them
 * (specification 5.73).
 */

/** The approximate size of a value; undefined if the column might refuse it. */
export type SizeOf = (value: unknown) => number | undefined

/** For each column; undefined if the table may refuse rows. */
export type Unrefusable = readonly SizeOf[] | undefined

/** Rows and approximate bytes at most. */
const most = { rows: 499, bytes: 256 * 1024 }

export class KeptRows<Insert> {
  #inserts: Insert[] = []
  #rows = 0
  #bytes = 0

  /** @returns false if one of them might be refused, or they are too many */
  keep(rows: readonly (readonly unknown[])[], columns: Unrefusable, makeInsert: () => Insert): boolean {
    const bytes = columns && sizeOfRows(rows, columns)
    if (bytes === undefined || this.#rows + rows.length > most.rows || this.#bytes + bytes > most.bytes) return false
    this.#rows += rows.length
    this.#bytes += bytes
    this.#inserts.push(makeInsert())
    return true
  }

  take(): readonly Insert[] {
    const inserts = this.#inserts
    this.#inserts = []
    this.#rows = 0
    this.#bytes = 0
    return inserts
  }
}

function sizeOfRows(rows: readonly (readonly unknown[])[], columns: readonly SizeOf[]): number | undefined {
  let size = 0
  for (const row of rows) {
    for (let index = 0; index < columns.length; index += 1) {
      const bytes = columns[index]?.(row[index])
      if (bytes === undefined) return undefined
      size += bytes
    }
  }
  return size
}
