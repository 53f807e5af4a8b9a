/** The end of every import and recording: what is wrong, left out or changed, each with its place (specification 16.9). */

import { showLine } from '../base/escape.ts'
import type { Problem } from '../model/problem.ts'
import { show } from '../terminal/print.ts'

const maxShown = 20

export function writeFailure(file: string, problems: readonly Problem[], notices: readonly Problem[]): string {
  const count = problems.length === 1 ? 'an error' : `${problems.length} errors`
  return [`${show(file)} has ${count}; nothing is written:`, ...list(problems), ...writeNotes(notices)].join('\n')
}

export function writeNotes(notices: readonly Problem[]): readonly string[] {
  return notices.length === 0 ? [] : ['', 'Note:', ...list(notices)]
}

/** The first, and the number of the others. */
function list(problems: readonly Problem[]): readonly string[] {
  const rest = problems.length - maxShown
  const more = rest > 0 ? [`  … and ${rest} more (--json has all)`] : []
  return [
    ...problems.slice(0, maxShown).map(({ path, message }) => `  ${showLine(path, 100)} ${show(message)}`),
    ...more,
  ]
}
