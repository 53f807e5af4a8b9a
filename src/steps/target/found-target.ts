/** What a call of a target found, for its next call: a target is kept for one configuration (decisions D-960). */
import type { Operation } from '../../model/operation.ts'
import type { Operator } from '../../model/operator.ts'
import type { Target } from '../../model/uri/target.ts'
import type { UriDocument } from '../../model/uri/uri-document.ts'

export interface FoundTarget {
  readonly method: string
  readonly operation: Operation
  /** The last operator that may call the operation; a changed operator is a new object. */
  permitted: Operator | undefined
  uri: UriDocument | undefined
  /** Of its response in the REST cache, without what a call adds. */
  cacheKey: string | undefined
}

export function keepFound(target: Target, method: string, operation: Operation): void {
  const found: FoundTarget = { method, operation, permitted: undefined, uri: undefined, cacheKey: undefined }
  target.found = found
}

export function foundBy({ found }: Target, method: string): FoundTarget | undefined {
  const last = found as FoundTarget | undefined
  return last?.method === method ? last : undefined
}

export function foundOf({ found }: Target, operation: object): FoundTarget | undefined {
  const last = found as FoundTarget | undefined
  return last?.operation === operation ? last : undefined
}
