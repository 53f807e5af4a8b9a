/** The known word nearest to a misspelled one, suggested in every message about an unknown name (specification 8.2). */

/**
 * @param maxEdits of a misspelling
 * @returns undefined if no word is near enough
 */
export function findNearest(
  word: string,
  known: Iterable<string>,
  maxEdits = Math.min(word.length - 1, Math.max(2, Math.ceil(word.length / 3))),
): string | undefined {
  const sought = word.toLowerCase()
  let nearest: string | undefined
  let least = maxEdits + 1
  for (const candidate of known) {
    const distance = countEdits(sought, candidate.toLowerCase(), least)
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

/** Levenshtein distance, row by row in one array; from `enough` on it stops counting. */
function countEdits(from: string, to: string, enough: number): number {
  if (Math.abs(from.length - to.length) >= enough) return enough
  const row: number[] = []
  for (let j = 0; j <= to.length; j++) row.push(j)
  for (let i = 1; i <= from.length; i++) {
    const letter = from.charCodeAt(i - 1)
    let left = i
    let least = i
    let diagonal = i - 1
    row[0] = i
    for (let j = 1; j <= to.length; j++) {
      const above = row[j] ?? 0
      left = Math.min(above + 1, left + 1, diagonal + (letter === to.charCodeAt(j - 1) ? 0 : 1))
      row[j] = left
      diagonal = above
      if (left < least) least = left
    }
    if (least >= enough) return enough
  }
  return row[to.length] ?? 0
}
