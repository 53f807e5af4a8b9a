/**
 * What is known of the tables that rows are inserted into: the types of their columns, and which rows they cannot refuse
 * (specification 5.73): the table has no constraint but NOT NULL and an identity column's key, no trigger, rule or row
 * security and no index but plain B-trees, and each value is one of its column.
 */
import { isDate } from '../../model/primitive.ts'
import { StoreAway } from '../faults.ts'
import type { SizeOf, Unrefusable } from '../kept-rows.ts'
import { type Place, takeClient } from './clients.ts'

export interface Table {
  /** @throws Error if it has no such column */
  insertInto(columns: readonly string[]): Insert
}

export interface Insert {
  /** With one array for each column, of the column's own type, so that values are checked as in any other insert. */
  readonly text: string
  readonly unrefusable: Unrefusable
}

/** The tables of a database, by name as in SQL. */
export class KnownTables {
  readonly #known = new Map<string, { readonly asked: number; readonly table: Table }>()
  readonly #asking = new Map<string, Promise<Table>>()
  readonly #place: Place

  constructor(place: Place) {
    this.#place = place
  }

  /** As it was at some time. */
  find(name: string): Table | undefined {
    return this.#known.get(name)?.table
  }

  /** As it was a second ago at most: a constraint added since refuses the commit. @param wait for a connection */
  look(name: string, wait: number): Table | Promise<Table> {
    const known = this.#known.get(name)
    if (known && performance.now() - known.asked <= believed) return known.table
    const asking = this.#asking.get(name) ?? this.#ask(name, wait).finally(() => this.#asking.delete(name))
    this.#asking.set(name, asking)
    return asking
  }

  async #ask(name: string, wait: number): Promise<Table> {
    const client = await takeClient(this.#place, { wait })
    try {
      const asked = () => client.query<Column>(describeTable, [name])
      const { rows } = await this.#place.breaker.askPromptly(asked)
      client.release()
      return this.keep(name, rows)
    } catch (error) {
      client.release(error instanceof StoreAway)
      throw error
    }
  }

  keep(name: string, columns: readonly Column[]): Table {
    if (this.#known.size > mostKnown) this.#known.clear()
    const table = describe(name, columns)
    if (!columns[0]?.isTemporary) this.#known.set(name, { asked: performance.now(), table }) // hides another one only in its session
    return table
  }
}

/** Milliseconds. */
const believed = 1_000
const mostKnown = 1_000

export interface Column {
  readonly name: string
  readonly type: string
  /** Of the type, such as the length of a text; -1 without one. */
  readonly modifier: number
  readonly mayBeNull: boolean
  readonly isIndexed: boolean
  readonly isWritable: boolean
  /** Without a value it gets one that it cannot refuse. */
  readonly fillsItself: boolean
  /** Of its table, as the next. */
  readonly isPlain: boolean
  readonly isTemporary: boolean
}

/** Waits for no lock. Its value: the name of the table. */
export const describeTable = `
  select attname as name, format_type(atttypid, -1) as type, atttypmod as modifier, not attnotnull as "mayBeNull",
    relpersistence = 't' as "isTemporary", attidentity = '' and attgenerated = '' and (attstorage <> 'p' or attlen > 0) as "isWritable",
    attidentity <> '' or not (attnotnull or atthasdef) as "fillsItself",
    exists (select from pg_index where indrelid = attrelid and attnum = any (indkey)) as "isIndexed",
    relkind = 'r' and relpersistence <> 't' and reloftype = 0 and relnatts <= 100
      and not (relhastriggers or relhasrules or relrowsecurity or relispartition)
      and current_setting('server_encoding') = 'UTF8' and has_table_privilege(attrelid, 'insert')
      and not exists (select from pg_constraint where conrelid = attrelid and contype not in ('n', 'p'))
      and not exists (
        select from pg_index join pg_class as named on named.oid = indexrelid join pg_am on pg_am.oid = named.relam
        where indrelid = attrelid and (amname <> 'btree' or indpred is not null or indexprs is not null or indisunique
          and not exists (select from pg_attribute as one
            where one.attrelid = indrelid and indnkeyatts = 1 and one.attnum = indkey[0] and one.attidentity = 'a'))
      ) as "isPlain"
  from pg_attribute join pg_class on attrelid = pg_class.oid
  where attrelid = $1::regclass and attnum > 0 and not attisdropped`

function describe(name: string, rows: readonly Column[]): Table {
  const known = new Map<string, Insert>()
  const byName = new Map(rows.map((column) => [column.name, column]))
  const find = (names: readonly string[]): Insert => {
    const columns = names.map((column) => {
      const found = byName.get(column)
      if (!found) throw new Error(`The table ${name} has no column ${column}`)
      return found
    })
    const arrays = columns.map(({ type }, index) => `$${index + 1}::${type}[]`).join(', ')
    const text = `insert into ${name} (${names.map(quote).join(', ')}) select * from unnest(${arrays})`
    return { text, unrefusable: findUnrefusable(rows, columns) }
  }
  return {
    insertInto(columns) {
      const key = JSON.stringify(columns)
      const insert = known.get(key) ?? find(columns)
      known.set(key, insert)
      return insert
    },
  }
}

function findUnrefusable(all: readonly Column[], given: readonly Column[]): Unrefusable {
  const asked = new Set(given)
  if (!all[0]?.isPlain || asked.size < given.length) return undefined
  if (!all.every((column) => asked.has(column) || column.fillsItself)) return undefined
  const indexed = all.filter(({ isIndexed }) => isIndexed).length
  const sizes = given.map((column) => sizeOf(column, indexed))
  return sizes.every((size) => size !== undefined) ? sizes : undefined
}

/** Characters in all indexed columns of a row: an entry of an index has at most 2,704 bytes. */
const longestEntry = 800

function sizeOf(column: Column, indexed: number): SizeOf | undefined {
  const size = column.isWritable ? sizes.get(column.type) : undefined
  if (!size) return undefined
  const ofType = size(column.modifier)
  const longest = column.isIndexed ? longestEntry / indexed : Number.POSITIVE_INFINITY
  const fits: SizeOf = (value) => (typeof value === 'string' && value.length > longest ? undefined : ofType(value))
  return column.mayBeNull ? (value) => (value === undefined || value === null ? 1 : fits(value)) : fits
}

/** By type, from its modifier. Other types may refuse any value. */
const sizes: ReadonlyMap<string, (modifier: number) => SizeOf> = new Map([
  ['text', ofText],
  ['character varying', ofText],
  ['bpchar', ofText],
  ['smallint', () => ofWhole(2 ** 15)],
  ['integer', () => ofWhole(2 ** 31)],
  ['bigint', () => ofWhole(2 ** 53)],
  ['boolean', () => (value) => (typeof value === 'boolean' ? 1 : undefined)],
  ['date', () => (value) => (typeof value === 'string' && isDate(value) ? value.length : undefined)],
  ['timestamp without time zone', () => ofTime],
  ['timestamp with time zone', () => ofTime],
])

/** Its length is the modifier less four, in characters; JavaScript counts at least as many. */
function ofText(modifier: number): SizeOf {
  const longest = modifier < 0 ? Number.POSITIVE_INFINITY : modifier - 4
  return (value) => (typeof value === 'string' && value.length <= longest ? value.length : undefined)
}

function ofWhole(limit: number): SizeOf {
  return (value) => (Number.isInteger(value) && Math.abs(value as number) < limit ? 8 : undefined)
}

const timeSyntax = /^(\d{4}-\d\d-\d\d) (?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?$/

function ofTime(value: unknown): number | undefined {
  const date = typeof value === 'string' ? timeSyntax.exec(value)?.[1] : undefined
  return date !== undefined && isDate(date) ? date.length : undefined
}

export function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
