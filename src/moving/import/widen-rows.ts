/**
 * Rows for values that were not recorded (specification 16.11): where rows answer alike whatever the value of a variable,
 * one row without it takes their place; where a person says so, a further row answers all other values.
 */
import type { UriTemplate } from '../../model/uri/uri-template.ts'
import { isRedacted } from './place-url.ts'
import type { RecordedAnswer, Recording } from './recording.ts'

export interface RecordedRow {
  readonly recording: Recording
  readonly template: UriTemplate
  readonly parameters: Readonly<Record<string, string>>
}

export interface WidenedRows {
  readonly rows: readonly RecordedRow[]
  /** Variables whose value no longer matters in some row. */
  readonly loosened: readonly string[]
}

/** @param any names of variables, as the caller of the import gave them */
export function widenRows(rows: readonly RecordedRow[], any: ReadonlySet<string>): WidenedRows {
  const loosened: string[] = []
  let widened = rows
  for (const name of new Set(rows.flatMap(({ parameters }) => Object.keys(parameters)))) {
    const next = joinAlike(widened, name)
    if (next.length < widened.length) loosened.push(name)
    widened = next
  }
  return { rows: [...widened, ...addOthers(widened, any)], loosened }
}

/** Joins rows that differ in this parameter only and have one answer. A single row does not show what other values give. */
function joinAlike(rows: readonly RecordedRow[], name: string): readonly RecordedRow[] {
  const names = new Set([name])
  const groups = Map.groupBy(rows, (row) => keyOf(withoutParameters(row, names)))
  const joined = new Set<RecordedRow>()
  const kept: RecordedRow[] = []
  for (const row of rows) {
    const group = groups.get(keyOf(withoutParameters(row, names))) ?? []
    const [first] = group as [RecordedRow]
    const isAlike =
      group.length > 1 &&
      group.every((one) => name in one.parameters && isSameAnswer(one.recording.answer, first.recording.answer))
    if (!isAlike) kept.push(row)
    else if (!joined.has(first)) {
      joined.add(first)
      kept.push(withoutParameters(first, names))
    }
  }
  return kept
}

/** The first success counts, else the first answer. */
function addOthers(rows: readonly RecordedRow[], any: ReadonlySet<string>): readonly RecordedRow[] {
  const concerned = rows.filter(({ parameters }) => Object.keys(parameters).some((name) => any.has(name)))
  const known = new Set(rows.map(keyOf))
  return [...Map.groupBy(concerned, (row) => keyOf(withoutParameters(row, any)))]
    .filter(([key]) => !known.has(key))
    .map(([, group]) => {
      const success = group.find(({ recording }) => recording.answer.status < 300)
      return withoutParameters(success ?? (group[0] as RecordedRow), any)
    })
}

function keyOf({ template, parameters }: RecordedRow): string {
  return JSON.stringify([template.source, sorted(parameters)])
}

export function sorted(parameters: RecordedRow['parameters']) {
  return Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1))
}

export function withoutParameters(one: RecordedRow, names: ReadonlySet<string>): RecordedRow {
  const kept = Object.entries(one.parameters).filter(([name, value]) => !names.has(name) && !isRedacted(value))
  return { ...one, parameters: Object.fromEntries(kept) }
}

export function isSameAnswer(a: RecordedAnswer, b: RecordedAnswer): boolean {
  const bodyOf = ({ body }: RecordedAnswer) => ('source' in body ? body.source : body.text)
  return a === b || (a.status === b.status && a.contentType === b.contentType && bodyOf(a) === bodyOf(b))
}
