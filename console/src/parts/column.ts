/** A column of a table: one declaration shows, sorts and exports it. */
import type { ReactNode } from 'react'

export type CellValue = string | number | boolean | null | undefined

export interface Column<Row> {
  readonly title: string
  /** What is counted, as the tooltip of the heading. */
  readonly hint?: string
  /** Sorts and exports the column; also shows it, unless `show` does. */
  value?(row: Row): CellValue
  show?(row: Row): ReactNode
  /** The field by which the API sorts the column, if the list comes in pages. */
  readonly sort?: string
  /** A column of buttons, without a heading. */
  readonly isAction?: boolean
  /** Hidden on narrow screens, unless chosen. */
  readonly isOnlyWide?: boolean
  /** Hidden, unless chosen. */
  readonly isExtra?: boolean
  /** Aligned right, with tabular digits. */
  readonly isNumber?: boolean
}
