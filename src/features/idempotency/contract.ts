/**
 * The contract of stored responses in the store (specification 26): a row for each Idempotency-Key whose call was answered,
 * and a claim for each whose handler runs.
 */
import type { CompiledQuery, RawBuilder } from 'kysely'

/** Times are epoch milliseconds of the database. */
export interface IdempotencyStore {
  /** The stored response; otherwise takes the claim for the given number of milliseconds, unless another call has it. */
  claim(claim: Claim, lease: number, now: number): Promise<StoredRow | 'claimed' | 'taken'>
  find(key: string, now: number): Promise<StoredRow | undefined>
  /** Extends claims of running handlers to the given number of milliseconds from now. */
  renew(claims: readonly Claim[], lease: number): Promise<void>
  release(claims: readonly Claim[]): Promise<void>
  /** Deletes claims that ended an hour ago: of processes that were killed. */
  deleteEndedClaims(): Promise<void>
  /** The last statement of the handler's transaction: keeps the answer. Without a row another call was faster. */
  keep(row: NewRow): CompiledQuery
  /** Whether `keep` releases the claim. */
  readonly keepReleases: boolean
  /** Deletes some of the rows that expired before. @returns how many */
  deleteExpired(before: number): Promise<number>
  /** By operator, the sizes of some rows that expire later, the next ones first, and until when they expire. */
  sumSizes(after: number): Promise<readonly Pick<NewRow, 'operator' | 'size' | 'expires'>[]>
}

export interface Claim {
  /** Digest of operator, operation and Idempotency-Key. */
  readonly key: string
  /** No one else knows it. */
  readonly owner: string
}

export interface StoredRow {
  /** Digest of the request. */
  readonly request: string
  readonly status: number
  readonly answer: Buffer
}

export interface NewRow extends StoredRow, Claim {
  readonly operator: string
  readonly now: number
  readonly expires: number
  /** Approximate bytes in the database. */
  readonly size: number
}

/** What the two databases spell differently. */
export interface IdempotencyStatements {
  /** May run again. */
  readonly createClaims: readonly RawBuilder<unknown>[]
  /** Takes claims. Its value, and that of `findStored`: key, owner, lease and now of each, as JSON. */
  readonly claim: RawBuilder<ClaimedRow>
  /** The stored responses, if `claim` cannot find them, because the claims are in another file. */
  readonly findStored?: RawBuilder<ClaimedRow>
  /** Claims that are still held. Its value: key and owner of each, as JSON. */
  readonly release: RawBuilder<unknown>
  /** The same; the first value is how long, in milliseconds. */
  readonly renew: RawBuilder<unknown>
  /** The last statement of a handler's transaction: changes or returns no row if another call was faster. */
  readonly keep: RawBuilder<unknown>
  valuesOf(row: NewRow): readonly unknown[]
  readonly keepReleases: boolean
}

export interface ClaimedRow {
  /** If the claim was taken. */
  readonly owner?: string | null
  /** Present, as the rest, if a response is stored. */
  readonly key?: string
  readonly request?: string | null
  readonly status?: number | null
  readonly answer?: Buffer | null
}
