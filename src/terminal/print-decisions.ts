/** The decisions of a call's steps, one on each line (specification 15.1 to 15.3). */

import { showLine } from '../base/escape.ts'
import type { Decision } from '../explain/recall-decisions.ts'
import { alignColumns, colours, print } from './print.ts'

export function printDecisions(decisions: readonly Decision[]): void {
  const { bold, dim } = colours()
  const rows = decisions.map(({ step, outcome, refusal, text }) => {
    return [step, outcome, showLine(refusal ? `${refusal}: ${text}` : text, 4000)]
  })
  const lines = alignColumns(rows)
  const indent = ' '.repeat(Math.max(...rows.map(([step = '']) => step.length)) + 4)
  for (const [at, { outcome, details = [] }] of decisions.entries()) {
    const line = lines[at] ?? ''
    print(outcome === 'refused' || outcome === 'failed' ? bold(line) : line)
    for (const detail of details) print(dim(`${indent}${showLine(detail, 1000)}`))
  }
}
