/** What `ig` prints of an action's answer: JSON, a file, a table, or what its row says (specification 31.1). */
import type { CommandLine } from '../actions/command-line.ts'
import { showLine, showLines } from '../base/escape.ts'
import { Failure } from '../terminal/explain-failure.ts'
import { alignColumns, print, printJson, printTable, report, show } from '../terminal/print.ts'
import { terminal } from '../terminal/terminal.ts'
import { openWhole, type WholeFile } from '../terminal/write-whole.ts'

export type Item = Readonly<Record<string, unknown>>

export interface ItemList extends Item {
  readonly items: readonly Item[]
  readonly total?: number
}

interface OutputOptions {
  readonly json?: boolean
  readonly out?: string
  readonly force?: boolean
}

interface AnswerContext {
  readonly commandLine: CommandLine<Item, Item>
  readonly given: Item
  /** What `ig` made, to be shown once. */
  readonly made: { readonly password?: string | undefined }
  /** A list that may leave out rows. */
  readonly isNarrowed: boolean
  readonly options: OutputOptions
  /** That of `--out`. */
  readonly output: WholeFile | undefined
}

/** The file of `--out`, before anything is done. @throws Failure */
export function openOutput(
  { isSecret }: Pick<CommandLine, 'isSecret'>,
  { json = false, out, force = false }: OutputOptions,
): WholeFile | undefined {
  if (out !== undefined && out !== '-') return openWhole(out, force, 0o600) // for its owner only
  if (!isSecret || json || out !== undefined || terminal().stdout.isTTY) return undefined
  throw new Failure('a secret is printed only to a terminal. Name a file with --out <file>, or print it with --out -.')
}

export function printAnswer(answer: Item = {}, context: AnswerContext): void {
  const { commandLine, given, made, isNarrowed, options, output } = context
  const { file, columns, says } = commandLine
  const { json = false, out = '' } = options
  const { [file ?? '']: content, ...facts } = answer
  const text = `${content}`.endsWith('\n') ? `${content}` : `${content}\n`
  const isPrinted = file && !output
  output?.write(text)
  output?.finish()
  if (isPrinted && !json)
    terminal().stdout.write(terminal().stdout.isTTY ? showLines(text, Number.POSITIVE_INFINITY) : text)
  else if (json) printJson({ ...(isPrinted ? answer : facts), ...made })
  else if (columns) printItems((answer as ItemList).items, commandLine, isNarrowed)
  else if (!says && Object.keys(answer).length > 0) printMembers(answer)
  else {
    const said = [says?.(answer, given) ?? 'Done.'].flat()
    const lines = said.map((line) => showLine(line, 5_000))
    if (output) lines.push(`See ${show(out)}.`)
    if (made.password !== undefined) lines.push(`Password, shown this once: ${made.password}`)
    if (lines.length > 0) print(lines.join('\n'))
  }
  if (answer.isMore && !json) reportLeftOut(answer as ItemList)
}

function reportLeftOut({ items, total }: ItemList): void {
  report(`${items.length} of ${total ?? `more than ${items.length}`} rows`)
}

function printItems(
  items: readonly Item[],
  { columns = {}, empty = 'There are none.' }: Pick<CommandLine, 'columns' | 'empty'>,
  isNarrowed: boolean,
): void {
  const cellOf = (item: Item, column: string | ((item: never) => string)) =>
    typeof column === 'string' ? textOf(item[column]) : column(item as never)
  const cells: readonly (string | ((item: never) => string))[] = Object.values(columns)
  if (items.length === 0) print(isNarrowed ? 'No row matches.' : empty)
  else printTable([Object.keys(columns), ...items.map((item) => cells.map((column) => cellOf(item, column)))])
}

function printMembers(answer: Item): void {
  print(alignColumns(Object.entries(answer).map(([name, value]) => [name, textOf(value)])).join('\n'))
}

export function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map(textOf).join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
