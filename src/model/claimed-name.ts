/**
 * Caller-supplied names at the end of a refusal's reason, which viewers must not see (specification 8.10): one pattern
 * writes and removes them.
 */
import { writeJson } from '../base/escape.ts'

const maxClaim = 200

/** A name that the caller sent and no operator has: it may be a password. */
export const unknownName = '(unknown)'

export function withClaimed(reason: string, claimed: string): string {
  return `${reason} (claimed: ${claimed})`
}

/** A claim of a token: text of a stranger, so bounded and without control characters. */
export function quoteClaim(claim: unknown): string {
  return claim === undefined ? 'absent' : writeJson(claim).slice(0, maxClaim)
}

/** The name in a reason. */
export function findClaimed(reason: string): string | undefined {
  return / \(claimed: (.*)\)/.exec(reason)?.[1]
}

/** Removes the name from a text of one line. The name may contain parentheses, so the match extends to the last one. */
export function hideClaimed(text: string): string {
  return text.replace(/ \(claimed: .*\)/g, '')
}
