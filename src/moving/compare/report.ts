/** The result of a comparison as one HTML page, without scripts (specification 36.9). */
import { escapeHtml, showLine } from '../../base/escape.ts'
import { hideSecretParameters } from '../../model/secret-name.ts'
import type { ComparedOperation } from '../../project/report-adoption.ts'
import type { ComparedCall } from './replay.ts'

export interface Comparison {
  readonly original: string
  readonly gateway: string
  readonly calls: number
  readonly same: number
  readonly differ: number
  /** Not sent: their methods change something. */
  readonly skipped: number
  readonly operations: readonly ComparedOperation[]
  readonly differing: readonly ComparedCall[]
}

/** The call as reports show it. */
export function showCall({ call: { method, target } }: Pick<ComparedCall, 'call'>): string {
  return `${method} ${hideSecretParameters(target)}`
}

export function summarise({ calls, same, differ, skipped }: Comparison): string {
  const write = (count: number) => count.toLocaleString('en-US')
  const left = skipped > 0 ? `, ${write(skipped)} not sent (--unsafe sends them)` : ''
  return `${write(calls)} ${calls === 1 ? 'call' : 'calls'}: ${write(same)} the same, ${write(differ)} ${differ === 1 ? 'differs' : 'differ'}${left}.`
}

export function writeReport(comparison: Comparison): string {
  const cell = (text: string) => `<td>${escapeHtml(showLine(text, 500))}</td>`
  const rows = comparison.differing.flatMap((compared) =>
    compared.differences.map(
      ({ what, original, gateway }, index) =>
        `<tr>${index === 0 ? cell(showCall(compared)) : '<td></td>'}${[what, original, gateway].map(cell).join('')}</tr>`,
    ),
  )
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Comparison</title><style>
body { font-family: sans-serif; margin: 2em } table { border-collapse: collapse }
td, th { border: 1px solid #ccc; padding: 0.3em 0.6em; text-align: left; vertical-align: top; overflow-wrap: anywhere }
</style></head><body>
<h1>Comparison</h1>
<p>${escapeHtml(comparison.original)} and ${escapeHtml(comparison.gateway)}</p>
<p>${escapeHtml(summarise(comparison))}</p>
<table><thead><tr><th>Call</th><th>What</th><th>Original</th><th>Gateway</th></tr></thead><tbody>
${rows.join('\n')}
</tbody></table>
</body></html>
`
}
