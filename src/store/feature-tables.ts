/** The tables of a feature: it declares their columns in `Tables`, and opens its rows from the database itself. */
import type { Kysely } from 'kysely'
import type { ColumnTypes, Database } from './database.ts'
import type { Tables } from './tables.ts'

/** One step for each feature: a change after 1.0.0 needs a list of steps here. */
export interface FeatureTables {
  create(database: Kysely<Tables>, columnTypes: ColumnTypes): Promise<void>
  readonly times?: readonly StoredTimes[]
}

/** The same one on PostgreSQL. */
export interface Databases {
  /** Written in transactions of administration and of handlers. */
  readonly main: Database
  /** On SQLite another file, where nothing waits for a handler's transaction. */
  readonly cache: Database
}

/** Where a feature may have tables; `separate` is a database that the feature opens itself. */
export type TablePlace = keyof Databases | 'separate'

/** Times of a table: those in the future count as now, after a clock was ahead (specification 17.10). */
export interface StoredTimes {
  readonly table: keyof Tables
  /** Columns, and how far ahead each may be, in milliseconds. */
  readonly times: Readonly<Record<string, number>>
  /** Another column that counts as now where the first is in the future: how far ahead it may be is not limited. */
  readonly with?: { readonly column: string; readonly where: string }
  /** A column that counts changes of the row. */
  readonly version?: string
  /** Processes keep the rows in memory: they read them again. */
  readonly epoch?: 'operators'
  /** The column that takes the new epoch, if only changed rows are read. */
  readonly changed?: string
  /** Rows made in the future are deleted; their time is in microseconds. */
  readonly isDeleted?: true
}
