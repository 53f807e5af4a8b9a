/**
 * Failures of the database: it cannot be used, its file is damaged, or it does not answer, which is an outage
 * (specification 5.14, 17.15, 23).
 */
import { Refusal } from '../model/refusal.ts'

/**
 * The database cannot be opened or used as it is: unreachable, not permitted, not a database, newer than this gateway.
 * The message is for the administrator, complete, and free of passwords.
 */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'
  /** It does not answer: the last known state may still be valid. Once it is open, this is a `StoreOutage`. */
  readonly isOutage: boolean

  constructor(message: string, { isOutage = false, ...options }: ErrorOptions & { readonly isOutage?: boolean } = {}) {
    super(message, options)
    this.isOutage = isOutage
  }
}

export interface StoreFault {
  readonly name: 'storeFileGone' | 'storeDamaged'
  /** For people: what happened, and what to do. */
  readonly message: string
}

/** For a host with several addresses, the driver's error is an AggregateError without a message. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(({ message }) => message).join('; ')
  return (error as Error).message
}

/**
 * The open database does not answer, or the connection is lost. The call gets 503, and nothing is stored. If `isUnsure`, a
 * commit was in progress, and something may be stored: `transaction.ts` then makes it a 500 if the call had written.
 */
export class StoreOutage extends Refusal {
  readonly isUnsure: boolean

  constructor(
    reason: string,
    { cause, isUnsure = false }: { readonly cause?: unknown; readonly isUnsure?: boolean } = {},
  ) {
    super('overloaded', reason, { cause })
    this.isUnsure = isUnsure
  }
}
