/** Which items name this one, and in which field (specification 18.14). */
import { Paper, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { api, read, type Schemas } from '../api/client.ts'
import { useCurrentDraft } from '../current-draft.tsx'
import { lists, pathOf } from '../lists.ts'
import { Link } from '../router.tsx'
import { Loaded } from './loaded.tsx'
import { breakLongWords } from './long-words.tsx'

interface Props {
  readonly list: Schemas['Use']['list'] | 'operators'
  readonly id: string
}

export function UsedBy({ list, id }: Props) {
  const { draft } = useCurrentDraft()
  const uses = useQuery({
    queryKey: ['items', 'uses', list, id, draft], // refetched after changes of items
    queryFn: () => read(api.GET('/api/uses', { params: { query: { list, id, ...(draft !== '' && { draft }) } } })),
  })
  return (
    <Paper withBorder p="md" component="section" aria-label="Used by">
      <Title order={2} mb={4}>
        Used by
      </Title>
      <Loaded query={uses}>
        {({ items, total }) =>
          total === 0 ? (
            <Text size="sm" c="dimmed">
              Nothing in the configuration.
            </Text>
          ) : (
            <>
              {[...Map.groupBy(items, (use) => use.list)].map(([of, those]) => (
                <Text key={of} size="sm" component="div" mb={4}>
                  {lists[of].many}:{' '}
                  {those.map(({ id: user, field }, at) => (
                    <span key={`${user} ${field}`}>
                      {at > 0 && ', '}
                      <Link to={pathOf(of, user)} underline="always">
                        {breakLongWords(user)}
                      </Link>{' '}
                      <Text span size="xs" c="dimmed">
                        ({field})
                      </Text>
                    </span>
                  ))}
                </Text>
              ))}
              {total > items.length && (
                <Text size="sm" c="dimmed">
                  and {(total - items.length).toLocaleString('en')} more
                </Text>
              )}
            </>
          )
        }
      </Loaded>
    </Paper>
  )
}
