/** What the cache has of an operation, beside its figures. */
import { Paper, Text, Title } from '@mantine/core'
import type { OperationFactsProps } from '../../page.ts'
import { Link } from '../../router.tsx'
import { useCacheEntries } from './api.ts'

export default function CacheFacts({ operation, value: { cacheKeyPolicy, cacheVary } }: OperationFactsProps) {
  const { data } = useCacheEntries({ operation, offset: 0, limit: 1 })
  const isCached = cacheKeyPolicy !== undefined || cacheVary !== undefined || (data?.total ?? 0) > 0
  if (!data || !isCached) return null
  const { total } = data
  return (
    <Paper withBorder p="md" component="section" aria-label="Cache">
      <Title order={2} mb={4}>
        Cache
      </Title>
      <Text size="sm" component="div">
        {total === 0 ? 'No entry' : `${total.toLocaleString('en')} ${total === 1 ? 'entry' : 'entries'}`}.{' '}
        <Link to={`/cache?operation=${encodeURIComponent(operation)}`} underline="always">
          Cached responses
        </Link>
      </Text>
    </Paper>
  )
}
