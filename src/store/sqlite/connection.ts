/** One SQLite connection, used where it was opened: in process for reading, in the writer's thread for writing. */
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite'
import type { QueryResult } from 'kysely'
import type { CountRow } from '../../model/row-memory.ts'
import { writeTimestamp } from '../portable-values.ts'
import { type ReadValue, readersOf } from './portable-columns.ts'
import { type Restriction, restrict } from './restrict.ts'

export interface ConnectionOptions {
  readonly file: string
  readonly isReadOnly?: boolean
  /** For a file with scattered writes: more pages stay in memory, and checkpoints are rarer. */
  readonly isScattered?: boolean
}

export interface StatementResult {
  readonly rows: Record<string, unknown>[]
  /** Undefined if the statement returned rows. */
  readonly changes?: bigint
  readonly lastInsertRowid?: bigint
  /** Bytes of its rows, if requested. */
  readonly size?: number
}

/** How long a statement outside a handler's transaction waits for another process. */
const patience = 30_000
/** Number of prepared statements kept; more are prepared again. */
const maxStatements = 500

export class SqliteConnection {
  readonly database: DatabaseSync
  readonly #statements = { own: new Map<string, StatementSync>(), restricted: new Map<string, StatementSync>() }
  readonly #restriction: Restriction

  constructor({ file, isReadOnly = false, isScattered = false }: ConnectionOptions) {
    this.database = new DatabaseSync(file, { readOnly: isReadOnly, timeout: patience, readBigInts: true })
    this.#restriction = restrict(this.database)
    if (isReadOnly) return
    this.#useWriteAheadLog()
    // The writer syncs the log: write-ahead-log.ts
    this.database.exec('pragma synchronous=normal; pragma journal_size_limit=67108864; pragma busy_timeout=0')
    // More than SQLite's 1,000 pages: rows with random keys change the same pages again, and each is written back once.
    this.database.exec(`pragma wal_autocheckpoint=${isScattered ? 8000 : 4000}`)
    if (isScattered) this.database.exec('pragma cache_size=-16000')
  }

  /** Whether the following statements are of handlers: see restrict.ts */
  set isRestricted(value: boolean) {
    this.#restriction.isActive = value
  }

  /** @returns false if another process holds the file's lock */
  tryBegin(): boolean {
    try {
      this.run('begin immediate')
      return true
    } catch (error) {
      if (isBusy(error)) return false
      throw error
    }
  }

  /** @param wait for another process, in milliseconds */
  begin(wait: number): void {
    this.database.exec(`pragma busy_timeout=${wait}`)
    try {
      this.run('begin immediate')
    } finally {
      this.database.exec('pragma busy_timeout=0')
    }
  }

  /** Runs a statement that returns no rows. @returns how many it changed */
  run(sql: string, parameters: readonly unknown[] = []): bigint {
    return BigInt(this.prepare(sql).run(...parameters.map(toSqlite)).changes)
  }

  /** @param isPortable with portable values (specification 5.60) */
  execute(sql: string, parameters: readonly unknown[], count?: CountRow, isPortable = false): StatementResult {
    const statement = this.prepare(sql)
    const columns = statement.columns()
    const bound = parameters.map(isPortable ? toPortable : toSqlite)
    if (columns.length === 0) {
      const { changes, lastInsertRowid } = statement.run(...bound)
      return { rows: [], changes: BigInt(changes), lastInsertRowid: BigInt(lastInsertRowid) }
    }
    const toRow = rowReader(columns, isPortable ? readersOf(columns, sql) : undefined)
    if (!count) return { rows: (statement.all(...bound) as unknown as Values[]).map(toRow) }
    const rows: Record<string, unknown>[] = []
    for (const values of statement.iterate(...bound) as unknown as Iterable<Values>) {
      count(values.length, measure(values))
      rows.push(toRow(values))
    }
    return { rows }
  }

  *iterate(
    sql: string,
    parameters: readonly unknown[],
    chunkSize: number,
    openCount?: () => CountRow,
    isPortable = false,
  ): Generator<Record<string, unknown>[]> {
    const statement = this.#prepareAnew(sql) // the same text may be iterated twice at a time
    const columns = statement.columns()
    const toRow = rowReader(columns, isPortable ? readersOf(columns, sql) : undefined)
    const bound = parameters.map(isPortable ? toPortable : toSqlite)
    let rows: Record<string, unknown>[] = []
    let count = openCount?.()
    for (const values of statement.iterate(...bound) as unknown as Iterable<Values>) {
      count?.(values.length, measure(values))
      if (rows.push(toRow(values)) < chunkSize) continue
      yield rows
      rows = []
      count = openCount?.()
    }
    if (rows.length > 0) yield rows
  }

  insert(sql: string, rows: readonly (readonly unknown[])[]): void {
    const statement = this.prepare(sql)
    for (const row of rows) statement.run(...row.map(toSqlite))
  }

  prepare(sql: string): StatementSync {
    const statements = this.#restriction.isActive ? this.#statements.restricted : this.#statements.own
    let statement = statements.get(sql)
    if (!statement) {
      if (statements.size >= maxStatements) statements.clear()
      statement = this.#prepareAnew(sql)
      statements.set(sql, statement)
    }
    return statement
  }

  #prepareAnew(sql: string): StatementSync {
    const statement = this.#restriction.prepare(sql, (text) => this.database.prepare(text))
    statement.setReturnArrays(true)
    return statement
  }

  close(): void {
    for (const statements of Object.values(this.#statements)) statements.clear()
    this.database.close()
  }

  /** If two processes do this at once, SQLite refuses one without waiting. */
  #useWriteAheadLog(): void {
    const end = Date.now() + patience
    for (;;) {
      try {
        const mode = this.database.prepare('pragma journal_mode=wal').get()?.journal_mode
        if (mode === 'wal') return
        throw new Error('Its file system cannot hold a write-ahead log')
      } catch (error) {
        if (!isBusy(error) || Date.now() > end) throw error
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
      }
    }
  }
}

export function toQueryResult(result: StatementResult | undefined): QueryResult<unknown> {
  const { rows = [], changes, lastInsertRowid } = result ?? {}
  return { rows, numAffectedRows: changes, insertId: lastInsertRowid }
}

export function isBusy(error: unknown): boolean {
  const code = (error as { errcode?: unknown }).errcode
  return typeof code === 'number' && (code & 0xff) === 5 // SQLITE_BUSY and its extended codes
}

function toSqlite(value: unknown): SQLInputValue {
  if (value === undefined) return null
  if (typeof value === 'boolean') return value ? 1n : 0n
  if (isLong(value)) return BigInt(value) // as a number, 1 would be '1.0' in a text column
  if (value instanceof Date) return value.toISOString()
  // node:sqlite takes an object as first value for named parameters, and binds each value after it one position early
  if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)) {
    throw new TypeError('An object is not a column value: store it as text or bytes')
  }
  return value as SQLInputValue // SQLite itself refuses what it cannot store
}

/** A time in the form of all portable timestamps, so that texts compare as times. */
function toPortable(value: unknown): SQLInputValue {
  return toSqlite(value instanceof Date ? writeTimestamp(value.toISOString()) : value)
}

/** An integer that SQLite stores in 64 bits. */
function isLong(value: unknown): value is number {
  return Number.isInteger(value) && Math.abs(value as number) < 2 ** 63
}

type Values = readonly SQLOutputValue[]

function measure(values: Values): number {
  let length = 0
  for (const value of values) {
    if (typeof value === 'string') length += value.length
    else if (value instanceof Uint8Array) length += value.byteLength
  }
  return length
}

function rowReader(columns: readonly { readonly name: string }[], readers?: readonly (ReadValue | undefined)[]) {
  const names = columns.map(({ name }) => name)
  return (values: Values): Record<string, unknown> => {
    const row: Record<string, unknown> = {}
    for (const [index, name] of names.entries()) {
      const value = fromSqlite(values[index])
      const read = readers?.[index]
      row[name] = read ? read(value) : value
    }
    return row
  }
}

function fromSqlite(value: SQLOutputValue | undefined): unknown {
  if (typeof value === 'bigint') {
    return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value
  }
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  return value
}
