/** A setting is one row: it gives the type, the validation, `ig settings`, the console's page and the documentation's table. */
import type { Kind } from './kinds.ts'

export interface Row<T = unknown> {
  readonly key: `ig.${string}`
  /** The option of verbs of `ig` that overrides it. */
  readonly option?: string
  /** Its allowed values. */
  readonly kind: Kind<T>
  /** The text that the file would have: `'5'`. A row without a default may be undefined. */
  readonly default?: string
  readonly help: string
  /** Paragraphs of the specification. */
  readonly see?: string
  /** It may come from a file of its own (`IG_…_FILE`, credentials), and its value is not shown, or not whole. */
  readonly isSecret?: boolean
  /** Refused in the properties file, because a project is copied and shared. */
  readonly isNeverInProject?: boolean
}

/** Rows by their names in the code: `settings.limits.maxBodyBytes`. */
export interface Rows {
  readonly [name: string]: Row | Rows
}

export type Values<T extends Rows> = {
  readonly [Name in keyof T]: T[Name] extends Row ? Value<T[Name]> : T[Name] extends Rows ? Values<T[Name]> : never
}

type Value<R extends Row> =
  | ReturnType<R['kind']['parse']>
  | (R extends { readonly default: string } ? never : undefined)

/** Reads every row, in the order of the table. */
export function readRows<T extends Rows>(rows: T, readRow: (row: Row) => unknown): Values<T> {
  const entries = Object.entries(rows).map(([name, row]) => [name, isRow(row) ? readRow(row) : readRows(row, readRow)])
  return Object.fromEntries(entries) as Values<T>
}

export function listRows(rows: Rows): readonly Row[] {
  return Object.values(rows).flatMap((row) => (isRow(row) ? [row] : listRows(row)))
}

function isRow(row: Row | Rows): row is Row {
  return typeof row.key === 'string'
}
