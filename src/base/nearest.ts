/** The known word nearest to a misspelled one, suggested in every message about an unknown name (specification 8.2). */

/**
 * @param most maximum edits of a misspelling
 * @returns undefined if no word is near enough
 */
export function findNearest(
  word: string,
  known: Iterable<string>,
  most = Math.min(word.length - 1, Math.max(2, Math.ceil(word.length / 3))),
): string | undefined {
  let nearest: string | undefined
  let least = most + 1
  for (const candidate of known) {
    const distance = countEdits(word.toLowerCase(), candidate.toLowerCase())
    if (distance >= least) continue
    nearest = candidate
    least = distance
  }
  return nearest
}

/** `; did you mean "…"?`, or nothing. */
export function suggest(word: string, known: Iterable<string>): string {
  const nearest = findNearest(word, known)
  return nearest === undefined ? '' : `; did you mean ${nearest}?`
}

/** Levenshtein distance, row by row. */
function countEdits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let i = 1; i <= from.length; i++) {
    const next = [i]
    for (let j = 1; j <= to.length; j++) {
      const changed = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1)
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, changed))
    }
    row = next
  }
  return row[to.length] ?? 0
}
