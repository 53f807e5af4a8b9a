/** A row of the history of metrics: calls of one operation, or of all, in a minute or an hour (specification 43.1). */

export interface MetricRow {
  /** Its length in seconds. */
  readonly resolution: Resolution
  /** Its begin in epoch milliseconds of the database. */
  readonly time: number
  /** Empty: all calls, and the process that reports. */
  readonly operation: string
  readonly calls: number
  readonly refused: number
  readonly failed: number
  readonly slow: number
  readonly seconds: number
  readonly longest: number
  /** JSON. */
  readonly details: string
}

export type Resolution = 60 | 3600
export const resolutions: readonly Resolution[] = [60, 3600]

/** Milliseconds. */
export const rowsKept: Readonly<Record<Resolution, number>> = { 60: 48 * 3_600_000, 3600: 9 * 24 * 3_600_000 }

/** Part of a time span: rows of one length that begin in it. */
export interface Piece {
  readonly resolution: Resolution
  /** Epoch milliseconds; the end is excluded. */
  readonly from: number
  readonly to: number
}

/** A row as it is read. */
export interface WrittenRow extends MetricRow {
  /** `host:8080`: of the process that reported. */
  readonly instance: string
}

export type OperationTotal = Pick<MetricRow, 'operation' | 'calls' | 'refused' | 'failed' | 'slow' | 'seconds'>
