/** The activations that changed an operation, newest first, with who, when, why and what of it (specification 19.3). */
import { Button, Group, Stack, Text } from '@mantine/core'
import { type TimelineChange, useChanges } from '../../../api/changes.ts'
import { ChangeList } from '../../../parts/change-list.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { breakLongWords } from '../../../parts/long-words.tsx'
import { Moment } from '../../../parts/moment.tsx'
import { Link } from '../../../router.tsx'

export function History({ id }: { readonly id: string }) {
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useChanges({ operation: id })
  const items = data?.pages.flatMap((page) => page.items)
  return (
    <Loaded query={{ data: items, error, refetch }} empty="No activation has changed this operation.">
      {(changes) => (
        <Stack maw={960} gap="lg">
          {changes.map((change) => (
            <Activation key={change.sequence} activation={change} />
          ))}
          {hasNextPage && (
            <Group>
              <Button variant="default" onClick={() => void fetchNextPage()} loading={isFetchingNextPage}>
                Earlier changes
              </Button>
            </Group>
          )}
        </Stack>
      )}
    </Loaded>
  )
}

function Activation({ activation }: { readonly activation: TimelineChange }) {
  const { title, revision, time, who, note, change } = activation
  return (
    <section aria-label={title}>
      <Text size="sm" mb="xs">
        <Link to={`/revisions/${revision}`} underline="always">
          {title}
        </Link>{' '}
        <Text span inherit c="dimmed">
          {who} · <Moment time={time} />
        </Text>
        {note !== null && <> · {breakLongWords(note)}</>}
      </Text>
      {change && <ChangeList changes={[change]} />}
    </section>
  )
}
