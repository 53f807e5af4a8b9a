/** What a call of a target found, for its next call: a target is kept for one configuration (decisions D-960). */
import type { Operation } from '../../model/operation.ts'
import type { UriMatch } from '../../model/uri/match-uri-template.ts'
import type { Target } from '../../model/uri/target.ts'

export interface FoundTarget {
  readonly method: string
  readonly operation: Operation
  match: UriMatch | undefined
  /** Of its response in the REST cache, without what a call adds. */
  cacheKey: string | undefined
}

export function keepFound(target: Target, method: string, operation: Operation): void {
  const found: FoundTarget = { method, operation, match: undefined, cacheKey: undefined }
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
