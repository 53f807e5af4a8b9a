/**
 * Converts the values of inserts and updates of Kysely's query builder to what SQLite stores of them, by the declared
 * types of their columns (specification 5.60, 5.62): in the compiler, behind plugins that rename columns. Raw SQL is not
 * analysed.
 */
import {
  ColumnNode,
  type ColumnUpdateNode,
  type InsertQueryNode,
  type OperationNode,
  PrimitiveValueListNode,
  type QueryCompiler,
  type RootOperationNode,
  type UpdateQueryNode,
  ValueListNode,
  ValueNode,
  ValuesNode,
} from 'kysely'
import type { Row, Rows } from '../insert-rows.ts'
import { nameOf } from '../statement-kind.ts'
import { type WriteValue, writerOf } from './portable-parameters.ts'

/** Column → declared type, both in lower case; none for an unknown table. */
export type ColumnsOf = (table: string) => ReadonlyMap<string, string>

/** @param onError of a value that is refused */
export function portableWrites(
  compiler: QueryCompiler,
  columnsOf: ColumnsOf,
  onError: (error: unknown) => void,
): QueryCompiler {
  return {
    compileQuery(node, queryId) {
      try {
        return compiler.compileQuery(convert(node, columnsOf), queryId)
      } catch (error) {
        onError(error)
        throw error
      }
    },
  }
}

/** The writers of columns, in their order; undefined where all values are stored as they are. */
function writersOf(
  table: string,
  columns: readonly string[],
  columnsOf: ColumnsOf,
): readonly (WriteValue | undefined)[] | undefined {
  const types = columnsOf(table)
  const writers = columns.map((column) => {
    const type = types.get(column.toLowerCase())
    return type === undefined ? undefined : writerOf(`${table}.${column}`, type)
  })
  return writers.some((writer) => writer !== undefined) ? writers : undefined
}

/** @param table with or without its schema */
export function convertRows(rows: Rows, table: string, columns: readonly string[], columnsOf: ColumnsOf): Rows {
  const writers = writersOf(table.split('.').at(-1) ?? table, columns, columnsOf)
  if (!writers) return rows
  const convert = (row: readonly unknown[]) => row.map((value, index) => writers[index]?.(value) ?? value)
  return Symbol.iterator in rows ? mapRows(rows, convert) : mapLater(rows, convert)
}

type Convert = (row: Row) => Row

function* mapRows(rows: Iterable<Row>, convert: Convert): Iterable<Row> {
  for (const row of rows) yield convert(row)
}

async function* mapLater(rows: AsyncIterable<Row>, convert: Convert): AsyncIterable<Row> {
  for await (const row of rows) yield convert(row)
}

function convert(node: RootOperationNode, columnsOf: ColumnsOf): RootOperationNode {
  if (node.kind === 'InsertQueryNode') return convertInsert(node, columnsOf)
  return node.kind === 'UpdateQueryNode' ? convertUpdate(node, columnsOf) : node
}

function convertInsert(node: InsertQueryNode, columnsOf: ColumnsOf): InsertQueryNode {
  const table = node.into && nameOf(node.into)
  if (table === undefined) return node
  const { values, columns = [], onConflict } = node
  const names = columns.map(({ column }) => column.name)
  const writers = writersOf(table, names, columnsOf)
  const rows = writers && values && ValuesNode.is(values) ? values : undefined
  return {
    ...node,
    ...(rows && { values: ValuesNode.create(rows.values.map((row) => convertRow(row, writers ?? []))) }),
    ...(onConflict?.updates && {
      onConflict: { ...onConflict, updates: convertUpdates(onConflict.updates, table, columnsOf) },
    }),
  }
}

type Item = ValuesNode['values'][number]

function convertRow(row: Item, writers: readonly (WriteValue | undefined)[]): Item {
  if (PrimitiveValueListNode.is(row)) {
    return PrimitiveValueListNode.create(row.values.map((value, index) => writers[index]?.(value) ?? value))
  }
  return ValueListNode.create(row.values.map((value, index) => convertValue(value, writers[index])))
}

function convertValue(node: OperationNode, writer: WriteValue | undefined): OperationNode {
  if (!writer || !ValueNode.is(node)) return node
  return { ...node, value: writer(node.value) ?? node.value } as ValueNode
}

function convertUpdate(node: UpdateQueryNode, columnsOf: ColumnsOf): UpdateQueryNode {
  const table = node.table && nameOf(node.table)
  if (table === undefined || !node.updates) return node
  return { ...node, updates: convertUpdates(node.updates, table, columnsOf) }
}

function convertUpdates(updates: readonly ColumnUpdateNode[], table: string, columnsOf: ColumnsOf): ColumnUpdateNode[] {
  return updates.map((update) => {
    const column = columnIn(update.column)
    const [writer] = (column !== undefined && writersOf(table, [column], columnsOf)) || []
    return writer ? { ...update, value: convertValue(update.value, writer) } : update
  })
}

function columnIn(node: OperationNode): string | undefined {
  if (node.kind === 'ReferenceNode')
    return columnIn((node as OperationNode & { readonly column: OperationNode }).column)
  return ColumnNode.is(node) ? node.column.name : undefined
}
