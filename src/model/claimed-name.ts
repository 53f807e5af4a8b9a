/**
 * Names in the reason of a refusal that are not for viewers (specification 8.10): at its end, written and removed by one
 * pattern.
 */

/** A name that a caller typed, and no operator has: it may be a password. */
export const unknownName = '(unknown)'

export function sayClaimed(reason: string, claimed: string): string {
  return `${reason} (claimed: ${claimed})`
}

/** Of one line. A name may have parentheses: up to the last one. */
export function hideClaimed(text: string): string {
  return text.replace(/ \(claimed: .*\)/g, '')
}
