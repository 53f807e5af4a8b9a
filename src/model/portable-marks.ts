/**
 * The marks behind expressions of a stated type, by which SQLite's results are read (specification 5.60). Without Kysely:
 * each writer's thread reads them, and would load it.
 */
import type { RawNode } from 'kysely'

export type Mark = 'decimal' | 'boolean' | 'date'

const fragments = /^ as \w+\)\/\*ig:(decimal|boolean|date)\*\/$/

/** The mark of a node that a function of `portable-expressions.ts` made. */
export function findMark({ sqlFragments }: RawNode): Mark | undefined {
  if (sqlFragments.length !== 2) return undefined
  return fragments.exec(sqlFragments[1] ?? '')?.[1] as Mark | undefined
}

export function writeMark(mark: Mark): string {
  return `/*ig:${mark}*/`
}

const marked = /\/\*ig:(decimal|boolean|date)\*\/\s+as\s+(?:"((?:[^"]|"")*)"|(\w+))/gi
const noMarks: ReadonlyMap<string, Mark> = new Map()

/** The marks of a result's columns, by the names of the columns. */
export function findMarks(text: string): ReadonlyMap<string, Mark> {
  if (!text.includes('/*ig:')) return noMarks
  return new Map(
    [...text.matchAll(marked)].map(([, mark, quoted, plain]) => [
      quoted?.replaceAll('""', '"') ?? plain ?? '',
      mark as Mark,
    ]),
  )
}
