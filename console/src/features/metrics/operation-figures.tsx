/** The page of one operation's figures: the charts of the overview, its latest calls and what uses it. */
import { Group, Stack, Text } from '@mantine/core'
import { Problem } from '../../api/client.ts'
import { useOperations } from '../../api/configuration.ts'
import { latestCalls } from '../../features.ts'
import { pathOf } from '../../lists.ts'
import { FeatureLink } from '../../parts/feature-link.tsx'
import { FeatureParts } from '../../parts/feature-parts.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { UsedBy } from '../../parts/used-by.tsx'
import { Link } from '../../router.tsx'
import { useHistory } from './api.ts'
import { FiguresOf } from './figures.tsx'
import { RangeBar } from './range-bar.tsx'
import { groupNames } from './show.ts'
import { useRange } from './use-range.ts'

export function OperationFigures({ id }: { readonly id: string }) {
  const range = useRange()
  const history = useHistory({ ...range.query, operation: id, sort: 'calls' })
  const isGroup = id.startsWith('(')
  const isOff = history.error instanceof Problem && history.error.code === 'metricsOff'
  return (
    <>
      <PageHead item={groupNames[id] ?? id}>
        <RangeBar range={range} />
      </PageHead>
      <Stack gap="lg">
        {!isGroup && <Links operation={id} />}
        <Loaded query={history}>
          {(found) => (
            <FiguresOf
              found={found}
              range={range}
              operation={id}
              empty={<Text>No calls {range.words}. Choose a longer period above.</Text>}
            />
          )}
        </Loaded>
        {!isGroup && !isOff && (
          <FeatureParts parts={latestCalls} props={{ query: { operation: id }, ofWhom: 'of this operation' }} />
        )}
        {!isGroup && <UsedBy list="operations" id={id} />}
      </Stack>
    </>
  )
}

function Links({ operation }: { readonly operation: string }) {
  const named = useOperations({ search: operation, limit: 200 }).data
  const isKnown = named?.items.some(({ id }) => id === operation)
  return (
    <Group gap="md">
      {isKnown !== false && <Link to={pathOf('operations', operation)}>Configuration</Link>}
      <FeatureLink to={`/calls?operation=${encodeURIComponent(operation)}`}>Calls</FeatureLink>
      {isKnown === false && (
        <Text size="sm" role="status">
          The active configuration does not have this operation.
        </Text>
      )}
    </Group>
  )
}
