/** The first page: current statistics, of all operations or one, and the instances (specification 22.1). */
import { Alert, Button, Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { Problem } from '../api/client.ts'
import { useOperations } from '../api/configuration.ts'
import { type Statistics, useStatistics } from '../api/statistics.ts'
import { Loaded } from '../parts/loaded.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Link, useParameter } from '../router.tsx'
import { Charts } from './overview/charts.tsx'
import { FirstCall } from './overview/first-call.tsx'
import { Instances } from './overview/instances.tsx'
import { OperationTable, sortings } from './overview/operation-table.tsx'
import { Refusals } from './overview/refusals.tsx'

const spans = [
  { value: '', label: '5 minutes' },
  { value: '15', label: '15 minutes' },
]

export default function Overview() {
  const [span, setSpan] = useParameter('minutes')
  const [operation, setOperation] = useParameter('operation')
  const [sorting] = useParameter('sort')
  const sort = sortings.find(({ value }) => value === sorting)?.value ?? 'calls'
  const statistics = useStatistics({
    minutes: span === '15' ? 15 : 5,
    sort,
    ...(operation !== '' && { operation }),
  })
  const isOff = statistics.error instanceof Problem && statistics.error.code === 'metricsOff'
  return (
    <>
      <PageHead>
        <SegmentedControl aria-label="Period" data={spans} value={span === '15' ? '15' : ''} onChange={setSpan} />
      </PageHead>
      <Stack gap="lg">
        {operation !== '' && (
          <Group gap="sm">
            <Text size="sm">
              Only <b className="mono">{operation}</b>
            </Text>
            <Button size="xs" variant="default" onClick={() => setOperation('')}>
              Show all operations
            </Button>
            <Link to={`/monitor?operation=${encodeURIComponent(operation)}`} size="sm">
              Transactions
            </Link>
            <NoSuchOperation operation={operation} />
          </Group>
        )}
        <Loaded query={statistics}>{(found) => <Shown found={found} operation={operation} />}</Loaded>
        {!isOff && <Instances />}
      </Stack>
    </>
  )
}

/** Ignores groups such as `(unknown)`, which are not operations. */
function NoSuchOperation({ operation }: { readonly operation: string }) {
  const named = useOperations({ search: operation, limit: 200 }).data
  if (named === undefined || operation.startsWith('(') || named.items.some(({ id }) => id === operation)) return null
  return (
    <Text size="sm" role="status">
      The active configuration does not have this operation.
    </Text>
  )
}

function Shown({ found, operation }: { readonly found: Statistics; readonly operation: string }) {
  return (
    <Stack gap="lg">
      {found.isPartial && (
        <Alert color="yellow" role="status" title="Only this instance" styles={titleStyle}>
          The database is not responding. The gateway still answers calls, but calls of other instances are not counted
          until the database is back.
        </Alert>
      )}
      {found.operationCount === 0 ? (
        <FirstCall minutes={Math.round((Date.parse(found.to) - Date.parse(found.from)) / 60_000)} />
      ) : (
        <>
          <Charts found={found} />
          <Refusals found={found} operation={operation} />
          <OperationTable found={found} />
        </>
      )}
    </Stack>
  )
}

const titleStyle = { title: { color: 'var(--mantine-color-text)' } }
