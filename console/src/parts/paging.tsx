/** Search and pages of a list, in the URL (specification 18.15, 19.1). */
import { Button, Group, Text } from '@mantine/core'
import { useParameter } from '../router.tsx'
import { TextFilter } from './text-filter.tsx'

const pageSize = 50

/** The query parameters of a list with a search. */
export function useSearchQuery() {
  const [search] = useParameter('search')
  return { ...(search !== '' && { search }), ...useListQuery() }
}

/** Those of a list without a search, which the API refuses to search. */
export function useListQuery() {
  const [sort] = useParameter('sort')
  const [offset] = useParameter('offset')
  return {
    ...(sort !== '' && { sort }),
    offset: Number.parseInt(offset, 10) || 0,
    limit: pageSize,
  }
}

export function Search({ label }: { readonly label: string }) {
  return <TextFilter name="search" label={label} />
}

export function Pages({
  total,
  offset,
  limit,
  isMore = false,
}: {
  readonly total: number
  /** Whether there are more entries than `total` says. */
  readonly isMore?: boolean
  readonly offset: number
  readonly limit: number
}) {
  const [, setOffset] = useParameter('offset')
  const to = Math.min(offset + limit, total)
  return (
    <Group justify="space-between">
      <Text size="sm" c="dimmed" role="status">
        {total === 0 ? 'None' : `${offset + 1} to ${to} of ${isMore ? 'more than ' : ''}${total.toLocaleString('en')}`}
      </Text>
      {total > limit && (
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            disabled={offset === 0}
            onClick={() => setOffset(offset > limit ? String(offset - limit) : '')}
          >
            Previous
          </Button>
          <Button
            size="xs"
            variant="default"
            disabled={to >= total && !isMore}
            onClick={() => setOffset(String(offset + limit))}
          >
            Next
          </Button>
        </Group>
      )}
    </Group>
  )
}
