/** Parts of a transaction that both the list and the page of one show. */
import { Badge } from '@mantine/core'
import { good } from '../../theme.ts'
import type { Transaction } from './api.ts'

export function StatusBadge({ status }: Pick<Transaction, 'status'>) {
  return (
    <Badge color={status === 'Done' ? good : 'failed'} style={{ minWidth: 'max-content' }}>
      {status}
    </Badge>
  )
}
