/** The question before an activation that takes URLs away from clients (specification 13.10, 18.24). */
import { Checkbox } from '@mantine/core'
import type { Change } from '../api/drafts.ts'

export function breaksOf(changes: readonly Change[]): readonly Change[] {
  return changes.filter(({ breaks }) => breaks !== undefined)
}

interface Props {
  readonly breaks: readonly Change[]
  readonly isAllowed: boolean
  onAllow(isAllowed: boolean): void
}

export function BreakClients({ breaks, isAllowed, onAllow }: Props) {
  if (breaks.length === 0) return null
  return (
    <Checkbox
      label={`Break existing clients of ${breaks.map(({ id }) => id).join(', ')}`}
      checked={isAllowed}
      onChange={(event) => onAllow(event.currentTarget.checked)}
    />
  )
}
