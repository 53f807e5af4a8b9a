/** A line of a chart. */

export interface Series {
  readonly label: string
  /** Null leaves a gap in the line. */
  readonly values: readonly (number | null)[]
}
