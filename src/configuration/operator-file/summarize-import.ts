/** An import in a few lines, for the audit and for answers (specification 37.1). */
import type { OperatorChange } from './apply-entry.ts'

/** Changes in one audit entry. */
const maxChanges = 1000

export function summarizeImport(changes: readonly OperatorChange[]) {
  const added = changes.filter(({ kind }) => kind === 'added').length
  return { added, changed: changes.length - added, changes: changes.slice(0, maxChanges) }
}
