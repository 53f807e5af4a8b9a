/** What a chart shows of each step: a line, an area or a layer, or a number of its legend and table only. */

/** How a series is drawn: the three lines differ in dashes, the tones in their place and pattern, too. */
export type Look = 1 | 2 | 3 | 'served' | 'cached' | 'slow' | 'refused' | 'failed' | 'yesterday'

export interface Series {
  readonly label: string
  /** Null leaves a gap. */
  readonly values: readonly (number | null)[]
  /** Undefined: it is not drawn, and not in the legend. */
  readonly look?: Look
  /** Whether the heading leaves it out, too. */
  readonly isInTableOnly?: boolean
  /** Unless as the axis. */
  show?(value: number): string
}
