/** What stands above and below the transactions: how many came since, following them, and going further back. */
import { Button, Group, Switch, Text } from '@mantine/core'
import { showTime } from '../../parts/show-value.tsx'
import type { LiveList } from './use-live-list.ts'

interface HeadProps {
  readonly extent: { readonly transactions: number; readonly oldest: string | null }
  readonly list: LiveList
}

export function ListHead({ extent: { transactions, oldest }, list }: HeadProps) {
  const { newer, isFollowing, follow, showNewer } = list
  return (
    <Group className="monitor-head" justify="space-between" gap="xs">
      <Text size="sm" c="dimmed">
        {oldest !== null && (
          <>
            About {transactions.toLocaleString('en')} kept, back to {showTime(oldest)}
          </>
        )}
      </Text>
      <Group gap="sm">
        <span role="status">
          {newer.count > 0 || newer.isMore ? (
            <Button size="xs" onClick={showNewer}>
              {newer.isMore
                ? `More than ${newer.count.toLocaleString('en')} newer`
                : `${newer.count.toLocaleString('en')} newer`}
            </Button>
          ) : (
            <Text span size="sm" c="dimmed">
              Nothing newer
            </Text>
          )}
        </span>
        <Switch label="Follow" checked={isFollowing} onChange={({ currentTarget }) => follow(currentTarget.checked)} />
      </Group>
    </Group>
  )
}

interface FootProps {
  readonly list: LiveList
  readonly isEmpty: boolean
  readonly isFiltered: boolean
}

export function ListFoot({ list: { older }, isEmpty, isFiltered }: FootProps) {
  return (
    <Group justify="center" gap="sm" py="md">
      {isEmpty && (
        <Text c="dimmed" role="status">
          {older.isThere
            ? 'None among the latest that were looked through.'
            : isFiltered
              ? 'No transaction that is kept is such a one.'
              : 'No calls were answered yet, or none is kept.'}
        </Text>
      )}
      {older.isThere && (
        <Button variant="default" onClick={older.fetch} loading={older.isPending}>
          {isEmpty ? 'Search further back' : 'Earlier transactions'}
        </Button>
      )}
    </Group>
  )
}
