/**
 * Portable values of SQLite (specification 5.60, 5.62): the declared type of a column says what its values are, and
 * marks in the SQL what those of an expression are.
 */
import type { StatementColumnMetadata } from 'node:sqlite'
import { findMarks } from '../../model/portable-marks.ts'
import { type PortableKind, portable, roundCalculated } from '../portable-values.ts'

export type ReadValue = (value: unknown) => unknown

/** How the values of each column of a result are read; undefined: as SQLite gives them. */
export function readersOf(
  columns: readonly Pick<StatementColumnMetadata, 'name' | 'type'>[],
  sql: string,
): readonly (ReadValue | undefined)[] {
  const marks = findMarks(sql)
  return columns.map(({ name, type }) => {
    const mark = marks.get(name)
    if (mark === 'decimal') return readCalculated
    const kind = mark ?? (type === null ? undefined : kindOf(type))
    return kind && portable[kind]
  })
}

const readCalculated: ReadValue = (value) => portable.decimal(roundCalculated(value))

const kinds: readonly (readonly [syntax: RegExp, kind: PortableKind])[] = [
  [/^(?:exact_)?(?:decimal|numeric)/i, 'decimal'],
  [/^bool/i, 'boolean'],
  [/^date$/i, 'date'],
  [/^timestamptz|^timestamp.*with time zone/i, 'timestamptz'],
  [/^(?:timestamp|datetime)/i, 'timestamp'],
]
const known = new Map<string, PortableKind | undefined>()

/** @param type as the column was declared: `decimal(10, 2)` */
export function kindOf(type: string): PortableKind | undefined {
  if (!known.has(type)) {
    if (known.size >= 1000) known.clear()
    known.set(type, kinds.find(([syntax]) => syntax.test(type))?.[1])
  }
  return known.get(type)
}
