/** Parts of a transaction that both list and details show. */
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

/** Three significant digits: 0.42 ms, 7.31 ms, 12.5 ms, 134 ms, 12,300 ms. */
export function showDuration(milliseconds: number): string {
  return `${milliseconds.toLocaleString('en', { minimumSignificantDigits: 3, maximumSignificantDigits: 3 })} ms`
}
