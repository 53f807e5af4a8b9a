/** How the command line prints: aligned, and coloured only where someone looks. */
import { showLine } from '../observe/visible.ts'
import { terminal } from './terminal.ts'

export type Paint = (text: string) => string

export interface Colours {
  readonly bold: Paint
  readonly dim: Paint
  readonly accent: Paint
  readonly warning: Paint
}

/** Restrained colours on a terminal; NO_COLOR takes them away. */
export function colours(stream: { readonly isTTY?: boolean } = terminal().stdout): Colours {
  const isColoured = hasColour(stream)
  const paint =
    (code: string): Paint =>
    (text) =>
      isColoured ? `\x1b[${code}m${text}\x1b[0m` : text
  return { bold: paint('1'), dim: paint('2'), accent: paint('36'), warning: paint('33') }
}

export function hasColour({ isTTY }: { readonly isTTY?: boolean }): boolean {
  const environment = terminal().env
  return isTTY === true && !environment.NO_COLOR && environment.TERM !== 'dumb'
}

/** Columns as wide as they need to be; the last one is not padded. */
export function alignColumns(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = rows.reduce<number[]>((known, row) => row.map((cell, at) => Math.max(known[at] ?? 0, cell.length)), [])
  return rows.map((row) =>
    row
      .map((cell, at) => (at < row.length - 1 ? cell.padEnd(widths[at] ?? 0) : cell))
      .join('  ')
      .trimEnd(),
  )
}

/** A value of the store or the configuration, harmless to a terminal. */
export function show(value: string): string {
  return showLine(value, 200)
}

export function print(text: string): void {
  terminal().stdout.write(`${text}\n`)
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2))
}

/** To standard error: what a script that reads standard output must not see. */
export function warn(text: string): void {
  terminal().stderr.write(`${colours(terminal().stderr).warning('warning:')} ${text}\n`)
}
