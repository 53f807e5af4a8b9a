/** Columns with figures of the rows of a page, which a feature reads by one request for all of them. */
import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Problem } from '../api/client.ts'
import type { Column } from './column.ts'

export interface WithId {
  readonly id: string
}

/** A hook. @returns none while the feature is off */
export type ReadColumns = (ids: readonly string[]) => readonly Column<WithId>[]

interface Answer<Figures> {
  readonly data: { readonly items: readonly Figures[] } | undefined
  readonly error: Error | null
}

interface FiguresColumn<Figures> extends Pick<Column<WithId>, 'title' | 'hint' | 'isOnlyWide'> {
  /** Null if there is nothing to tell. */
  show(figures: Figures, id: string): ReactNode
}

/** An id without figures has a dash in each column; until the answer is there, nothing. */
export function figuresColumns<Figures>(
  { data, error }: Answer<Figures>,
  idOf: (figures: Figures) => string,
  columns: readonly FiguresColumn<Figures>[],
): readonly Column<WithId>[] {
  if (error instanceof Problem && /Off$/.test(error.code)) return []
  const found = data && new Map(data.items.map((each) => [idOf(each), each]))
  return columns.map(({ show, ...column }) => ({
    ...column,
    isNumber: true,
    show({ id }) {
      const figures = found?.get(id)
      return found && ((figures && show(figures, id)) ?? <None />)
    },
  }))
}

function None() {
  return (
    <Text span inherit c="dimmed">
      –
    </Text>
  )
}

/** Of calls: coloured if they failed. */
export function showCount(count: number, isFailed = false): ReactNode {
  const text = count.toLocaleString('en')
  return isFailed && count > 0 ? <strong style={{ color: 'var(--failed)' }}>{text}</strong> : text
}
