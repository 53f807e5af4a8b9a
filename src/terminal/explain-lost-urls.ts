/** Changes that take URLs away from clients require `--force` (specification 13.4, 13.10). */
import { showLine } from '../base/escape.ts'
import type { Problem } from '../model/problem.ts'

export function explainLostUrls(problems: readonly Problem[]): string {
  const lines = problems.slice(0, 20).map(({ path, message }) => `  ${showLine(`${path} ${message}`, 10_000)}`)
  const more = problems.length > lines.length ? [`  and ${problems.length - lines.length} more`] : []
  return [
    'nothing was activated, because clients would lose these URLs. To activate anyway, add --force:',
    ...lines,
    ...more,
  ].join('\n')
}
