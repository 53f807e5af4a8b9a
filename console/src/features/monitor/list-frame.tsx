/** The frame of the list: number of newer calls, the follow switch, and older pages. */
import { Button, Group, Switch, Text } from '@mantine/core'
import { Moment } from '../../parts/moment.tsx'
import type { LiveList } from './use-live-list.ts'

interface Matches {
  readonly count: number
  readonly isComplete: boolean
}

/** Counting stops at this many. */
const maxCounted = 10_000

function writeMatches({ count, isComplete }: Matches): string {
  const number = count.toLocaleString('en')
  if (isComplete && count === 0) return 'None match'
  if (isComplete) return `About ${number} match`
  return count >= maxCounted ? `More than ${number} match` : `${number} of the newest 10,000 match`
}

interface HeadProps {
  readonly extent: { readonly transactions: number; readonly oldest: string | null }
  readonly list: LiveList
  readonly matches: Matches | undefined
}

export function ListHead({ extent: { transactions, oldest }, list, matches }: HeadProps) {
  const { newer, isFollowing, isSlowestFirst, follow, showNewer } = list
  return (
    <Group className="monitor-head" justify="space-between" gap="xs">
      <Text size="sm" c="dimmed">
        {oldest !== null && (
          <>
            About {transactions.toLocaleString('en')} kept, back to <Moment time={oldest} />
          </>
        )}
        {matches && `. ${writeMatches(matches)}`}
      </Text>
      {isSlowestFirst ? (
        <Button size="xs" variant="default" onClick={showNewer}>
          Refresh
        </Button>
      ) : (
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
                Up to date
              </Text>
            )}
          </span>
          <Switch
            label="Follow"
            checked={isFollowing}
            onChange={({ currentTarget }) => follow(currentTarget.checked)}
          />
        </Group>
      )}
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
            ? 'No matches among the calls searched so far.'
            : isFiltered
              ? 'No calls match.'
              : 'No calls yet.'}
        </Text>
      )}
      {older.isThere && (
        <Button variant="default" onClick={older.fetch} loading={older.isPending}>
          {isEmpty ? 'Search older calls' : 'Older calls'}
        </Button>
      )}
    </Group>
  )
}
