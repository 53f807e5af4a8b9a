/** Writes operators as a file that can be imported again without a change (specification 37.5). */
import { hasPassword, type Operator } from '../../model/operator.ts'
import { columns, toEntry } from './columns.ts'
import { type Field, fields } from './entry.ts'
import { guard } from './formula.ts'
import type { FileFormat } from './read-operator-file.ts'

export interface ExportOptions {
  readonly format: FileFormat
  readonly hasPasswords: boolean
}

export function* writeSteps(
  operators: readonly Operator[],
  { format, hasPasswords }: ExportOptions,
): Generator<void, string> {
  const written = fields.filter((field) => plain.includes(field) || (hasPasswords && field === 'passwordArgon2id'))
  const rows: string[] = []
  for (const operator of operators) {
    const shown = hasPasswords || !hasPassword(operator) ? operator : { ...operator, passwordHash: undefined }
    rows.push(
      format === 'json'
        ? JSON.stringify(toEntry(shown), null, 2)
        : written.map((field) => quote(guard(columns[field].write(shown)))).join(','),
    )
    yield
  }
  if (format === 'json') return `[\n${rows.join(',\n')}\n]\n`
  return [written.join(','), ...rows, ''].join('\r\n')
}

const plain: readonly Field[] = [
  'id',
  'description',
  'isLocked',
  'emails',
  'certificates',
  'permissionLists',
  'firstLogin',
]

/** RFC 4180; an empty line would be skipped, and white space at the ends lost in some programs. */
function quote(cell: string): string {
  return /[",\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}
