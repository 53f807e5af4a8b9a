/** Parts of a transaction that both list and details show. */
import { Badge } from '@mantine/core'
import type { Transaction } from '../../api/monitor.ts'
import { good } from '../../theme.ts'

export function StatusBadge({ status }: Pick<Transaction, 'status'>) {
  return (
    <Badge color={status === 'Done' ? good : 'red.9'} style={{ minWidth: 'max-content' }}>
      {status}
    </Badge>
  )
}

/** Always one decimal, so that decimal points align. */
export function showDuration(milliseconds: number): string {
  return `${milliseconds.toLocaleString('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 })} ms`
}
