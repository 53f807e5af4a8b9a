/** The types of the columns of tables that rows are inserted into. */

export interface Table {
  /**
   * A statement with one array for each column, of the column's own type, so that values are checked as in any other
   * insert. @throws Error if it has no such column
   */
  insertInto(columns: readonly string[]): string
}

/** The tables of a database, by name as in SQL. */
export class KnownTables {
  readonly #known = new Map<string, { readonly asked: number; readonly table: Table }>()

  /** As it was a second ago at most. */
  find(name: string): Table | undefined {
    const known = this.#known.get(name)
    return known && performance.now() - known.asked <= believed ? known.table : undefined
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
  readonly isTemporary: boolean
}

/** Waits for no lock. Its value: the name of the table. */
export const describeTable = `
  select attname as name, format_type(atttypid, -1) as type, relpersistence = 't' as "isTemporary"
  from pg_attribute join pg_class on attrelid = pg_class.oid
  where attrelid = $1::regclass and attnum > 0 and not attisdropped`

function describe(name: string, rows: readonly Column[]): Table {
  const known = new Map<string, string>()
  const byName = new Map(rows.map((column) => [column.name, column]))
  const find = (names: readonly string[]): string => {
    const columns = names.map((column) => {
      const found = byName.get(column)
      if (!found) throw new Error(`The table ${name} has no column ${column}`)
      return found
    })
    const arrays = columns.map(({ type }, index) => `$${index + 1}::${type}[]`).join(', ')
    return `insert into ${name} (${names.map(quote).join(', ')}) select * from unnest(${arrays})`
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

export function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
