/** The name nearest to a misspelled one among many, at a bounded cost: only neighbours in the order of the alphabet, from both ends of the name. */
import { findNearest } from './nearest.ts'

/** On each side, in each order. A typing error leaves a long beginning or a long end as it is. */
const neighbours = 8

export function openNearNames(names: Iterable<string>): (word: string, maxEdits?: number) => string | undefined {
  const known = [...names]
  const byBeginning = known.map((name) => [name.toLowerCase(), name] as const).sort(compare)
  const byEnd = known.map((name) => [reverse(name.toLowerCase()), name] as const).sort(compare)
  return (word, maxEdits) => {
    const text = word.slice(0, 100).toLowerCase()
    const near = new Set(around(byBeginning, text))
    for (const name of around(byEnd, reverse(text))) near.add(name)
    return findNearest(word.slice(0, 100), near, maxEdits)
  }
}

type Entry = readonly [key: string, name: string]

function compare([one]: Entry, [two]: Entry): number {
  return one < two ? -1 : one > two ? 1 : 0
}

function reverse(text: string): string {
  return text.split('').reverse().join('')
}

function around(entries: readonly Entry[], key: string): readonly string[] {
  let low = 0
  let high = entries.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((entries[middle]?.[0] ?? '') < key) low = middle + 1
    else high = middle
  }
  return entries.slice(Math.max(0, low - neighbours), low + neighbours).map(([, name]) => name)
}
