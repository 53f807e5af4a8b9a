/** Output of the command line: aligned, with control characters escaped, and coloured only on a terminal (specification 8.8). */
import { randomBytes } from 'node:crypto'
import { showLine, showLines, writeJson } from '../base/escape.ts'
import { terminal } from './terminal.ts'

export type Paint = (text: string) => string

interface Stream {
  readonly isTTY?: boolean
}

export interface Colours {
  readonly bold: Paint
  readonly dim: Paint
  readonly accent: Paint
  readonly warning: Paint
  readonly error: Paint
}

export function colours(stream: Stream = terminal().stdout): Colours {
  const isColoured = hasColour(stream)
  const paint =
    (code: string): Paint =>
    (text) =>
      isColoured ? `${ownEscape}[${code}m${text}${ownEscape}[0m` : text
  return { bold: paint('1'), dim: paint('2'), accent: paint('36'), warning: paint('33'), error: paint('31') }
}

/** Whether output has colours: on a terminal, or with FORCE_COLOR, but never with NO_COLOR. */
export function hasColour({ isTTY }: Stream): boolean {
  const { NO_COLOR: none, FORCE_COLOR: forced, TERM: kind } = terminal().env
  if (none) return false
  if (forced) return forced !== '0'
  return isTTY === true && kind !== 'dumb'
}

/** Replaces the escape character of our colours, so that foreign text cannot imitate them. */
const ownEscape = `\x1b${randomBytes(12).toString('hex')}`

/** Keeps no control characters but line ends, tabs and our own colours. */
export function toTerminal(text: string): string {
  const parts = text.split(ownEscape)
  return parts.map((part) => showLines(part, Number.POSITIVE_INFINITY)).join('\x1b')
}

/** Columns as wide as they need to be, each cell on one line; the last one is not padded. */
export function alignColumns(table: readonly (readonly string[])[]): readonly string[] {
  const rows = table.map((row) => row.map((cell) => showLine(cell, maxCell)))
  const widths = rows.reduce<number[]>((known, row) => row.map((cell, at) => Math.max(known[at] ?? 0, cell.length)), [])
  return rows.map((row) =>
    row
      .map((cell, at) => (at < row.length - 1 ? cell.padEnd(widths[at] ?? 0) : cell))
      .join('  ')
      .trimEnd(),
  )
}

const maxCell = 4200

/** A value of the store or the configuration, on one line. */
export function show(value: string): string {
  return showLine(value, 200)
}

export function print(text: string): void {
  terminal().stdout.write(`${toTerminal(text)}\n`)
}

/** Aligned, with the first row as a dimmed head. */
export function printTable(rows: readonly (readonly string[])[]): void {
  const [head = '', ...lines] = alignColumns(rows)
  print([colours().dim(head), ...lines].join('\n'))
}

export function printJson(value: unknown): void {
  print(writeJson(value, 2))
}

/** To standard error, which scripts that parse standard output do not read. */
export function report(text: string): void {
  terminal().stderr.write(`${toTerminal(text)}\n`)
}

export function reportFailure(text: string): void {
  report(paintFailure(text, terminal().stderr))
}

/** @param text its first words say what it is: `ig:`, or `The project has 2 errors:` above a list */
export function paintFailure(text: string, stream: Stream = terminal().stdout): string {
  return text.replace(/^(?:ig:|error:|[^\n]+:(?=\n))/, colours(stream).error)
}

export function warn(text: string): void {
  report(`${colours(terminal().stderr).warning('warning:')} ${text}`)
}
