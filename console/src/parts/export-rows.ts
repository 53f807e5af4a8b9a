/** The rows of a table as a file: CSV for spreadsheets, JSON as the API has them (specification 19.12). */
import { byteOrderMark, writeCell } from '../../../src/configuration/operator-file/formula.ts'
import type { Column } from './column.ts'

export const exportFormats = ['CSV', 'JSON'] as const
export type ExportFormat = (typeof exportFormats)[number]

export function exportRows<Row>(
  label: string,
  format: ExportFormat,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): void {
  const text = format === 'CSV' ? writeCsv(columns, rows) : `${JSON.stringify(rows, null, 2)}\n`
  const type = format === 'CSV' ? 'text/csv' : 'application/json'
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = `${label.toLowerCase().replaceAll(/\W+/g, '-')}.${format.toLowerCase()}`
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000) // the browser reads it after the click
}

/** Every column that has values, hidden ones too; RFC 4180. */
function writeCsv<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const written = columns.flatMap(({ title, value }) => (value ? [{ title, value }] : []))
  const lines = [written.map(({ title }) => title), ...rows.map((row) => written.map(({ value }) => value(row)))]
  return byteOrderMark + lines.map((cells) => `${cells.map(writeCell).join(',')}\r\n`).join('')
}
