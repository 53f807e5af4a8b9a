/** Reads CSV and continues after malformed lines, so that all of them are reported with their place (specification 37.3). */
import { type CsvError, parse } from 'csv-parse/sync'
import type { Problem } from '../../model/problem.ts'

export interface CsvRecord {
  readonly line: number
  readonly cells: readonly string[]
}

/** Continues with the next line after a malformed one. */
export function parseCsv(text: string, problems: Problem[]): readonly CsvRecord[] {
  const records: CsvRecord[] = []
  let left = Buffer.from(text)
  let before = 0
  const onRecord = (cells: readonly string[], { lines }: { readonly lines: number }) => {
    records.push({ line: before + lines - cells.join('').split('\n').length + 1, cells })
    return null
  }
  while (left.length > 0) {
    try {
      parse(left, { bom: true, relax_column_count: true, skip_empty_lines: true, on_record: onRecord })
      break
    } catch (error) {
      const { code, lines = 1 } = error as CsvError & { readonly lines?: number }
      problems.push({ path: `line ${before + lines}`, message: quoting[code] ?? `is not CSV: ${code}` })
      if (problems.length >= maxUnreadable) break
      left = left.subarray(findLine(left, lines))
      before += lines
    }
  }
  return records
}

const maxUnreadable = 10_000

const quoting: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'has a cell that begins with a quote and does not end: double the quotes within a cell',
  CSV_INVALID_CLOSING_QUOTE: 'has text after the closing quote of a cell: double the quotes within a cell',
  INVALID_OPENING_QUOTE: 'has a quote within a cell: put the cell in quotes, and double those within it',
}

/** @returns where the line after that many lines begins */
function findLine(text: Buffer, lines: number): number {
  let at = 0
  for (let passed = 0; passed < lines; passed++) {
    const end = text.indexOf('\n', at)
    if (end < 0) return text.length
    at = end + 1
  }
  return at
}
