/** Notes of an import or a recording: what is left out or changed, each with its place (specification 16.9). */

import { showLine } from '../../base/escape.ts'
import type { Problem } from '../../model/problem.ts'
import { show } from '../../terminal/print.ts'

export function writeNotes(notices: readonly Problem[]): readonly string[] {
  return notices.length === 0 ? [] : ['', 'Note:', ...listProblems(notices)]
}

const maxKinds = 100

/** The first of each kind, with the number of the others: a frequent one hides no other. */
export function listProblems(problems: readonly Problem[]): readonly string[] {
  const kinds = [...Map.groupBy(problems, kindOf).values()]
  const shown = kinds.slice(0, maxKinds).flatMap(([first, ...others]) => {
    const more = others.length > 0 ? ` (and ${others.length} more like it; --json has all)` : ''
    return first ? [`  ${showLine(first.path, 100)} ${show(first.message)}${more}`] : []
  })
  const rest = kinds.slice(maxKinds).flat().length
  return rest > 0 ? [...shown, `  … and ${rest} more (--json has all)`] : shown
}

/** Two of a kind differ only in quoted texts, and in words with a digit or a slash. */
function kindOf({ message }: Problem): string {
  const words = message.replace(/"(?:[^"\\]|\\.)*"(?:, )?/g, '').split(' ')
  return words.filter((word) => !/[\d/]/.test(word)).join(' ')
}

const maxNamed = 50

export function joinNames(names: readonly string[]): string {
  const rest = names.length - maxNamed
  return names.slice(0, maxNamed).join(', ') + (rest > 0 ? ` and ${rest} more` : '')
}

/** Quotes names as `kindOf` expects them. */
export function quoteNames(names: readonly unknown[]): string {
  return joinNames(names.map((name) => JSON.stringify(name)))
}
