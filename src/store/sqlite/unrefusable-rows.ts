/**
 * Finds rows that their table cannot refuse (specification 5.73): it has no constraint but NOT NULL, no trigger and no
 * index that is unique, partial or on expressions, and SQLite can store each value. Errors that remain, such as a full
 * disk, do not depend on the row.
 */
import type { SizeOf, Unrefusable } from '../kept-rows.ts'
import type { SqliteConnection } from './connection.ts'

export type FindUnrefusable = (table: string, columns: readonly string[]) => Unrefusable

/** Milliseconds for which the schema is cached: a constraint added meanwhile is checked at the commit. */
const believed = 1_000

/** @param connection that reads */
export function openUnrefusable(connection: SqliteConnection): FindUnrefusable {
  const known = new Map<string, Unrefusable>()
  let version: unknown
  let looked = Number.NEGATIVE_INFINITY
  const look = (table: string, columns: readonly string[]) => {
    const now = performance.now()
    if (now - looked > believed) {
      connection.isRestricted = false
      const [schema] = connection.execute('pragma schema_version', []).rows
      if (schema?.schema_version !== version) known.clear()
      version = schema?.schema_version
      looked = now
    }
    const key = `${table} ${columns.join(' ')}`
    if (!known.has(key)) {
      if (known.size > mostKnown) known.clear()
      known.set(key, find(connection, table, columns))
    }
    return known.get(key)
  }
  return (table, columns) => {
    try {
      return look(table, columns)
    } catch {
      return undefined // the statement itself reports what is wrong with the file
    }
  }
}

const mostKnown = 1_000

function find(connection: SqliteConnection, name: string, columns: readonly string[]): Unrefusable {
  const table = name.replace(/^main\./i, '')
  if (table.includes('.') || /^ig_/i.test(table)) return undefined
  connection.isRestricted = false
  const [isPlain] = connection.execute(plainTable, [table, table, table, table, table]).rows
  if (!isPlain) return undefined
  const rows = connection.execute('select * from pragma_table_xinfo(?)', [table]).rows as unknown as Column[]
  const asked = new Set(columns.map((column) => column.toLowerCase()))
  const fits = rows.every(({ name, notnull, dflt_value, pk, hidden }) =>
    asked.has(name.toLowerCase())
      ? pk === 0 && hidden === 0
      : hidden === 0 && (pk === 1 || notnull === 0 || dflt_value !== null),
  )
  const found = columns.map((column) => rows.find(({ name }) => name.toLowerCase() === column.toLowerCase()))
  if (!fits || asked.size < columns.length || found.includes(undefined)) return undefined
  return found.map((column) => (column?.notnull === 0 ? sizeOrNull : sizeOf))
}

interface Column {
  readonly name: string
  readonly notnull: number
  readonly dflt_value: string | null
  readonly pk: number
  /** A generated column, or one of a virtual table. */
  readonly hidden: number
}

/** Its values: the name, five times. A primary key that is not the rowid has a unique index. */
const plainTable = `
  select 1 from sqlite_schema join pragma_table_list as list on list.schema = 'main' and list.name = sqlite_schema.name
  where sqlite_schema.name = ? collate nocase and list.type = 'table' and list.strict = 0 and list.wr = 0
    and sql not like '%check%'
    and not exists (select 1 from sqlite_schema where type = 'trigger' and tbl_name = ? collate nocase)
    and not exists (select 1 from pragma_foreign_key_list(?))
    and not exists (select 1 from pragma_index_list(?) where "unique" or partial)
    and not exists (select 1 from pragma_index_list(?) as list, pragma_index_xinfo(list.name) where cid = -2)`

const sizeOrNull: SizeOf = (value) => (value === undefined || value === null ? 1 : sizeOf(value))

function sizeOf(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string') return value.length
  if (typeof value === 'boolean') return 1
  if (typeof value === 'number') return Number.isNaN(value) ? undefined : 8 // SQLite stores it as null
  if (typeof value === 'bigint') return BigInt.asIntN(64, value) === value ? 8 : undefined
  if (value instanceof Uint8Array) return value.byteLength
  return value instanceof Date && !Number.isNaN(value.getTime()) ? 24 : undefined
}
