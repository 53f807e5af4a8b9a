/** The parts of a transaction that list and details show alike. */
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

/** One digit behind the point everywhere, so that the points stand below each other. */
export function showDuration(milliseconds: number): string {
  return `${milliseconds.toLocaleString('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 })} ms`
}
