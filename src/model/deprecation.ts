/** The deprecation of an operation, compiled (specification 2.32): announce-deprecation.ts writes it. */
export interface Deprecation {
  /** Flat: name, value… */
  readonly headers: readonly string[]
  /** Undefined without one. */
  readonly successor: string | Successor | undefined
}

/** An operation of the same configuration. */
export interface Successor {
  /** `HIRE.v2` */
  readonly segment: string
  /** It has all URI templates of the deprecated operation: what follows the segment is the same. */
  readonly keepsPath: boolean
}

/** A deprecation, as the configuration states it. */
export interface StatedDeprecation {
  /** `2026-12-31`, or `2026-12-31T23:00:00Z` */
  readonly since: string
  readonly sunset?: string | undefined
  readonly successor?: string | undefined
}
