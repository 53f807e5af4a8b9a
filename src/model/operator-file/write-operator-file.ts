/** Writes operators as a file that can be imported again without a change (specification 37.5). */
import type { Operator } from '../operator.ts'
import { columns, toEntry } from './columns.ts'
import { type Field, fields } from './entry.ts'
import { guard } from './formula.ts'
import type { FileFormat } from './read-operator-file.ts'

export interface ExportOptions {
  readonly format: FileFormat
  readonly hasPasswords: boolean
}

export function writeOperatorFile(operators: readonly Operator[], { format, hasPasswords }: ExportOptions): string {
  const shown = hasPasswords ? operators : operators.map((operator) => ({ ...operator, passwordHash: undefined }))
  if (format === 'json') return `${JSON.stringify(shown.map(toEntry), null, 2)}\n`
  const written = fields.filter((field) => plain.includes(field) || (hasPasswords && field === 'passwordArgon2id'))
  const rows = shown.map((operator) => written.map((field) => quote(guard(columns[field].write(operator)))).join(','))
  return [written.join(','), ...rows, ''].join('\r\n')
}

const plain: readonly Field[] = ['id', 'description', 'isLocked', 'emails', 'certificates', 'permissionLists']

/** RFC 4180; an empty line would be skipped, and white space at the ends lost in some programs. */
function quote(cell: string): string {
  return /[",\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}
