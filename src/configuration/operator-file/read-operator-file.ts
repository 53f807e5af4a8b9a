/** Reads a file of operators, CSV or JSON, and reports every error with its place (specification 37.2, 37.3). */
import { suggest } from '../../base/nearest.ts'
import { findRepeated } from '../../model/content/json.ts'
import type { Problem } from '../../model/problem.ts'
import { readIssues } from '../schema.ts'
import { columns } from './columns.ts'
import { explanations, type Field, fields, type OperatorEntry, operatorEntrySchema } from './entry.ts'
import { unguard } from './formula.ts'
import { parseCsv } from './parse-csv.ts'

export type FileFormat = 'csv' | 'json'

export interface OperatorFile {
  readonly entries: readonly OperatorEntry[]
  /** All that are named, also by entries with errors. */
  readonly lists: readonly NamedList[]
  readonly problems: readonly Problem[]
}

interface NamedList {
  readonly place: string
  readonly name: string
}

/** An entry before it is checked. @param place `line 7` */
interface Row {
  readonly place: string
  readonly value: unknown
}

export function* readSteps(text: string, format: FileFormat): Generator<void, OperatorFile> {
  const { rows, problems } = formats[format](text)
  const entries: OperatorEntry[] = []
  const first = new Map<string, string>()
  const lists: NamedList[] = []
  for (const { place, value } of rows) {
    const named = (value as { readonly permissionLists?: unknown } | null)?.permissionLists
    if (Array.isArray(named)) for (const name of named) if (typeof name === 'string') lists.push({ place, name })
    const { data, error } = operatorEntrySchema.safeParse(value)
    if (error) {
      problems.push(...readIssues(error.issues, value, [], '').map((issue) => at(place, issue.path, issue.message)))
      continue
    }
    const earlier = first.get(data.id)
    if (earlier !== undefined) problems.push(at(place, 'id', `repeats ${data.id} of ${earlier}`))
    else first.set(data.id, place)
    entries.push(data)
    yield
  }
  return { entries, lists, problems: sortByLine(problems) }
}

function sortByLine(problems: readonly Problem[]): readonly Problem[] {
  return problems.toSorted((one, other) => order.compare(lineOf(one), lineOf(other)))
}

/** Line 9 before line 10. */
const order = new Intl.Collator('en', { numeric: true })
const lineOf = ({ path }: Problem) => path.split(',', 1)[0] ?? ''

/** All errors of the file, with those of permission lists that are not known, in the order of the lines. */
export function withUnknownLists({ lists, problems }: OperatorFile, known: readonly string[]): readonly Problem[] {
  const names = new Set(known)
  const unknown = lists
    .filter(({ name }) => !names.has(name))
    .map(({ place, name }) =>
      at(
        place,
        'permissionLists:',
        `${JSON.stringify(name)} is not a permission list of the configuration${suggest(name, known)}`,
      ),
    )
  return sortByLine([...problems, ...unknown])
}

interface Rows {
  readonly rows: readonly Row[]
  readonly problems: Problem[]
}

const formats: Readonly<Record<FileFormat, (text: string) => Rows>> = { csv: readCsv, json: readJson }

function readJson(text: string): Rows {
  const failed = (message: string) => ({ rows: [], problems: [{ path: 'the file', message }] })
  try {
    const json = text.replace(/^\ufeff/, '')
    const value = JSON.parse(json) as unknown
    const repeated = findRepeated(json)
    if (repeated) {
      const line = json.slice(0, repeated.at).split('\n').length
      return failed(`has ${JSON.stringify(repeated.name)} twice in one object, in line ${line}`)
    }
    if (!Array.isArray(value)) return failed('must be a list of operators: [{ "id": "KIM" }]')
    return { rows: value.map((entry: unknown, index) => ({ place: `[${index}]`, value: entry })), problems: [] }
  } catch (error) {
    return failed(`is not JSON: ${(error as Error).message}`)
  }
}

function readCsv(text: string): Rows {
  const problems: Problem[] = []
  const [head, ...records] = parseCsv(text, problems)
  if (head?.line !== 1)
    return { rows: [], problems: [...problems, { path: 'line 1', message: 'must name the columns' }] }
  const header = head.cells.map((name) => name.trim())
  problems.push(...checkHeader(header))
  const named = header.filter((name): name is Field => fields.includes(name as Field))
  if (!named.includes('id')) return { rows: [], problems }
  const rows = records.flatMap(({ line, cells }): Row[] => {
    if (cells.length !== header.length) {
      problems.push({ path: `line ${line}`, message: `has ${cells.length} cells; the header has ${header.length}` })
      return []
    }
    const read = (name: Field) => columns[name].read(unguard(cells[header.indexOf(name)] ?? ''))
    return [{ place: `line ${line}`, value: Object.fromEntries(named.map((name) => [name, read(name)])) }]
  })
  return { rows, problems }
}

function* checkHeader(header: readonly string[]): Iterable<Problem> {
  const hint = header.length === 1 && header[0]?.includes(';') ? '; columns are separated by commas' : ''
  for (const [index, name] of header.entries()) {
    const path = `line 1, column ${index + 1}: ${JSON.stringify(name)}`
    if (header.indexOf(name) < index) yield { path, message: 'repeats a column' }
    else if (Object.hasOwn(explanations, name)) yield { path, message: explanations[name] ?? '' }
    else if (!fields.includes(name as Field))
      yield {
        path,
        message: `is not a known column${hint || suggest(name, fields) || `; known are ${fields.join(', ')}`}`,
      }
  }
  if (!header.includes('id')) yield { path: 'line 1', message: 'has no column id' }
}

function at(place: string, path: string, message: string): Problem {
  return { path: path === '' ? place : `${place}, ${path}`, message }
}
