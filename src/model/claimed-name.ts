/**
 * Caller-supplied names at the end of a refusal's reason, which viewers must not see (specification 8.10): one pattern
 * writes and removes them.
 */

/** A name that the caller sent and no operator has: it may be a password. */
export const unknownName = '(unknown)'

export function withClaimed(reason: string, claimed: string): string {
  return `${reason} (claimed: ${claimed})`
}

/** The name in a reason. */
export function findClaimed(reason: string): string | undefined {
  return / \(claimed: (.*)\)/.exec(reason)?.[1]
}

/** On one line. A name may contain parentheses: match up to the last one. */
export function hideClaimed(text: string): string {
  return text.replace(/ \(claimed: .*\)/g, '')
}
