/** What a chart draws. */

export interface Series {
  readonly label: string
  /** Null where there is none: the line has a gap. */
  readonly values: readonly (number | null)[]
}
