/** Changes that take URLs away from clients require `--force` (specification 13.4, 13.20). */
import type { Change } from '../configuration/diff-configurations.ts'
import { Failure } from './explain-failure.ts'

export function requireForce(
  changes: readonly Pick<Change, 'id' | 'breaks'>[],
  { force }: { readonly force?: boolean } = {},
): void {
  const broken = changes.filter(({ breaks }) => breaks !== undefined)
  if (force || broken.length === 0) return
  const lines = broken.slice(0, 20).map(({ id, breaks }) => `  ${id} ${breaks}`)
  const more = broken.length > lines.length ? [`  and ${broken.length - lines.length} more`] : []
  throw new Failure(
    [
      'nothing was activated, because clients would lose these URLs. To activate anyway, add --force:',
      ...lines,
      ...more,
    ].join('\n'),
  )
}
