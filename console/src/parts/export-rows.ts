/** The rows of a table as a file: CSV for spreadsheets, JSON lines as the API has them (specification 19.12). */
import { byteOrderMark, writeCell } from '../../../src/configuration/operator-file/formula.ts'
import type { Column } from './column.ts'

export const exportFormats = { CSV: 'csv', 'JSON lines': 'jsonl' } as const
export type ExportFormat = (typeof exportFormats)[keyof typeof exportFormats]

const types = { csv: 'text/csv', jsonl: 'application/jsonl' } as const

export function exportRows<Row>(
  label: string,
  format: ExportFormat,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): void {
  const text = format === 'csv' ? writeCsv(columns, rows) : rows.map((row) => `${JSON.stringify(row)}\n`).join('')
  const url = URL.createObjectURL(new Blob([text], { type: types[format] }))
  const link = document.createElement('a')
  link.href = url
  link.download = `${label.toLowerCase().replaceAll(/\W+/g, '-')}.${format}`
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000) // the browser reads it after the click
}

/** Every column that has values, hidden ones too; RFC 4180. */
function writeCsv<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const written = columns.flatMap(({ title, value }) => (value ? [{ title, value }] : []))
  const lines = [written.map(({ title }) => title), ...rows.map((row) => written.map(({ value }) => value(row)))]
  return byteOrderMark + lines.map((cells) => `${cells.map(writeCell).join(',')}\r\n`).join('')
}
