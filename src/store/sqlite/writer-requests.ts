/** The requests to the thread of an SQLite writer, and its answers. */
import type { StatementResult } from './connection.ts'

export interface WriterOptions {
  readonly file: string
  /** Commits survive a power failure. Otherwise they may be lost; the file stays consistent. */
  readonly isDurable: boolean
  /** See ConnectionOptions. */
  readonly isScattered?: boolean
}

/** `begin`: a transaction begins with this request; waits for another process until then, in epoch milliseconds. */
export type WriterRequest =
  | {
      readonly kind: 'execute'
      readonly begin?: number
      readonly sql: string
      readonly parameters: readonly unknown[]
      /** Maximum bytes of its rows; unlimited if omitted. */
      readonly room?: number | undefined
      /** Whether the rules of restrict.ts apply. */
      readonly isRestricted?: boolean
      /** Portable values. */
      readonly isPortable?: boolean
    }
  | {
      readonly kind: 'insert'
      readonly begin?: number
      readonly sql: string
      readonly rows: readonly (readonly unknown[])[]
      readonly isRestricted?: boolean
    }
  | CommitRequest
  | { readonly kind: 'rollback'; readonly begin?: undefined }
  | { readonly kind: 'close'; readonly begin?: undefined }
  /** Outside any transaction. */
  | {
      readonly kind: 'read'
      readonly begin?: undefined
      readonly sql: string
      readonly parameters: readonly unknown[]
    }

export interface CommitRequest {
  readonly kind: 'commit'
  /** Set if the request also begins the transaction, which then has only its final statement. */
  readonly begin?: number | undefined
  /** The gateway's own last statement: if it changes no row nothing is stored. */
  readonly final?: { readonly sql: string; readonly parameters: readonly unknown[] }
}

/** The error code in that case. */
export const noRow = 'IG_NO_ROW'

export interface NumberedRequest {
  readonly number: number
  readonly request: WriterRequest
}

export type WriterAnswer =
  | { readonly number: number; readonly result: StatementResult | undefined }
  | { readonly number: number; readonly error: StatementFault }

export interface StatementFault {
  readonly message: string
  readonly code?: unknown
  readonly errcode?: unknown
}
