/** Parts of a transaction that both the list and the page of one show. */
import { Badge, Group } from '@mantine/core'
import type { Transaction } from './api.ts'

export const outcomeNames: Readonly<Record<Transaction['outcome'], string>> = {
  served: 'Served',
  refused: 'Refused',
  failed: 'Failed',
}

/** The colour of an outcome has its name; a slow call was served. */
export function OutcomeBadge({ outcome, isSlow }: Pick<Transaction, 'outcome' | 'isSlow'>) {
  return (
    <Group component="span" gap={4}>
      <Badge color={outcome} style={{ minWidth: 'max-content' }}>
        {outcomeNames[outcome]}
      </Badge>
      {isSlow && (
        <Badge color="slow" style={{ minWidth: 'max-content' }}>
          Slow
        </Badge>
      )}
    </Group>
  )
}
