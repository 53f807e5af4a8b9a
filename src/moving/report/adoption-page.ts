/** The adoption report in words, and as an HTML page without scripts (specification 40.1). */
import { escapeHtml, showLine } from '../../base/escape.ts'
import { type AdoptedOperation, type Adoption, stateWords } from '../../project/report-adoption.ts'

/** `3 of 1,204` compared calls; empty if none was. */
export function showCompared(compared: AdoptedOperation['compared']): string {
  const write = (count: number) => count.toLocaleString('en-US')
  return compared ? `${write(compared.differ)} of ${write(compared.calls)}` : ''
}

/** `JOB_GET.v1 leaves out headers: request x-custom.` */
export function showLeftOut({ operation, headers }: Adoption['leftOut'][number]): string {
  return `${operation} leaves out headers: ${headers.join(', ')}.`
}

/** `3 operations: 1 moved, 1 passed through, 1 stand-in.` */
export function countStates({ operations }: Adoption): string {
  const counts = Object.entries(stateWords).map(
    ([state, words]) => `${operations.filter((operation) => operation.state === state).length} ${words}`,
  )
  return `${operations.length} ${operations.length === 1 ? 'operation' : 'operations'}: ${counts.join(', ')}.`
}

export function writeAdoptionPage(adoption: Adoption, days: number): string {
  const cell = (text: string | number) => `<td>${escapeHtml(showLine(String(text), 500))}</td>`
  const row = (cells: readonly (string | number)[]) => `<tr>${cells.map(cell).join('')}</tr>`
  const table = (heads: readonly string[], rows: readonly (readonly (string | number)[])[]) =>
    `<table><thead><tr>${heads.map((head) => `<th>${head}</th>`).join('')}</tr></thead><tbody>
${rows.map(row).join('\n')}
</tbody></table>`
  const operations = adoption.operations.map(({ id, state, calls, callers, compared }) => [
    id,
    stateWords[state],
    calls,
    showCompared(compared),
    callers.join(', '),
  ])
  const losses = adoption.losses.map(({ operator = 'unknown', operation, calls, lacks, reason }) => [
    operator,
    operation,
    calls,
    lacks,
    reason,
  ])
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Adoption report</title><style>
body { font-family: sans-serif; margin: 2em } table { border-collapse: collapse }
td, th { border: 1px solid #ccc; padding: 0.3em 0.6em; text-align: left; vertical-align: top; overflow-wrap: anywhere }
</style></head><body>
<h1>Adoption report</h1>
<p>${countStates(adoption)} Calls of the last ${days === 1 ? 'day' : `${days} days`}${adoption.isMonitored ? '' : ': none are known, the monitor is off'}${adoption.isComplete ? '' : '; older ones were not read'}.</p>
${table(['Operation', 'State', 'Calls', 'Differ', 'Callers'], operations)}
${adoption.leftOut.map((each) => `<p>${escapeHtml(showLine(showLeftOut(each), 2000))}</p>`).join('\n')}
<h2>Callers that would lose access</h2>
${losses.length === 0 ? '<p>No caller.</p>' : table(['Caller', 'Operation', 'Calls', 'Lacks', 'Reason'], losses)}
</body></html>
`
}
