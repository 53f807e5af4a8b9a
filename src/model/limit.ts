/** A limit, compiled for calls, and the limits of each operation (specification 25). */

/** What a limit can count by. */
export const limitParts = ['operator', 'address', 'network', 'operation'] as const

export interface Limit {
  readonly name: string
  readonly by: readonly (typeof limitParts)[number][]
  /** Milliseconds that a call takes up; undefined if only concurrency is limited. */
  readonly interval: number | undefined
  /** A call is refused while more than this number of milliseconds is used up. */
  readonly tolerance: number
  /** `100 calls in 60 s` */
  readonly text: string
  /** A member of `RateLimit-Policy`: `"operator";q=100;w=60`. */
  readonly policy: string | undefined
  /** Calls of a caller at a time, from this step to their end. */
  readonly concurrency: number | undefined
  /** Handlers at a time. */
  readonly handlers: number | undefined
  readonly queue: number
  readonly operators: ReadonlySet<string> | undefined
  readonly exceptOperators: ReadonlySet<string> | undefined
}

/** The limits of an operation, in the order in which a call meets them. */
export interface OperationLimits {
  /** Limits that are checked before authentication. */
  readonly ofAddress: readonly Limit[]
  /** Limits that are checked after authentication. */
  readonly ofOperator: readonly Limit[]
  /** Around the handler. */
  readonly ofHandler: readonly Limit[]
}

/** Calls that would be accepted now. @param spent milliseconds */
export function remainingOf({ interval, tolerance }: Limit, spent: number): number {
  if (interval === undefined) return Number.POSITIVE_INFINITY
  return Math.max(0, Math.floor((tolerance - Math.max(0, spent)) / interval + 1 + 1e-9))
}
