/**
 * Header fields that list choices with a quality, such as `Accept` and `Accept-Encoding` (RFC 9110, specification 4.8,
 * 7.2).
 */

/** Choices in lower case and without other parameters → q from 0 to 1. A malformed q makes a choice unacceptable. */
export function parseQualities(header: string): ReadonlyMap<string, number> {
  const qualities = new Map<string, number>()
  for (const member of header.toLowerCase().split(',')) {
    const [choice = '', ...parameters] = member.split(';').map((part) => part.trim())
    if (choice === '') continue
    const q = parameters.find((parameter) => parameter.startsWith('q='))
    qualities.set(choice, Math.max(q === undefined ? 1 : parseQuality(q.slice(2)), qualities.get(choice) ?? 0))
  }
  return qualities
}

function parseQuality(text: string): number {
  return /^(?:0?\.\d{1,3}|0\.?|1(?:\.0{0,3})?)$/.test(text) ? Number(text) : 0 // Java before 17 writes .2
}
