/** What has moved, who calls it, and who would lose what (specification 40.1). */
import { Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { api, read, type Schemas } from '../api/client.ts'
import { substituteStates } from '../features.ts'
import { pathOf } from '../lists.ts'
import type { Column } from '../parts/column.ts'
import { DataTable } from '../parts/data-table.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { breakLongWords } from '../parts/long-words.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { showTime } from '../parts/show-value.tsx'
import { Link } from '../router.tsx'

type Adoption = Schemas['Adoption']
type Operation = Adoption['operations'][number]
type Loss = Adoption['losses'][number]

const days = 7
const maxCallers = 5

const states: Readonly<Record<Operation['state'], string>> = {
  moved: 'Moved',
  ...substituteStates,
}

export default function AdoptionPage() {
  const adoption = useQuery({
    queryKey: ['adoption'],
    queryFn: () => read(api.GET('/api/adoption', { params: { query: { days } } })),
  })
  return (
    <>
      <PageHead />
      <Loaded query={adoption}>
        {({ operations, losses, isMonitored, isComplete }) => (
          <Stack>
            <Text>
              {Object.entries(states)
                .map(([state, word]) => [word, operations.filter((each) => each.state === state).length] as const)
                .map(([word, count]) => `${word}: ${count.toLocaleString('en')}`)
                .join(' · ')}
            </Text>
            <Text size="sm" c="dimmed">
              {isMonitored ? `Calls of the last ${days} days` : 'There are no calls: the monitor is off'}
              {!isComplete && '; older calls were not read'}.
            </Text>
            <DataTable
              label="Operations"
              columns={operationColumns}
              rows={operations.toSorted(byWhatIsLeft)}
              keyOf={({ id }) => id}
              linkOf={({ id }) => pathOf('operations', id)}
            />
            <Title order={2} size="h4">
              Callers that would lose access
            </Title>
            {losses.length === 0 ? (
              <Text c="dimmed">No caller.</Text>
            ) : (
              <DataTable
                label="Callers that would lose access"
                columns={lossColumns}
                rows={losses}
                keyOf={({ operation, operator, lacks }) => JSON.stringify([operation, operator, lacks])}
              />
            )}
          </Stack>
        )}
      </Loaded>
    </>
  )
}

/** What has not moved first, and of that what is called most. */
function byWhatIsLeft(one: Operation, other: Operation): number {
  return Number(one.state === 'moved') - Number(other.state === 'moved') || other.calls - one.calls
}

const operationColumns: readonly Column<Operation>[] = [
  {
    title: 'Operation',
    value: ({ id }) => id,
    show: ({ id }) => (
      <Link to={pathOf('operations', id)} className="mono">
        {breakLongWords(id)}
      </Link>
    ),
  },
  { title: 'State', value: ({ state }) => states[state] },
  { title: 'Calls', isNumber: true, value: ({ calls }) => calls, show: ({ calls }) => calls.toLocaleString('en') },
  {
    title: 'Differ',
    isOnlyWide: true,
    value: ({ compared }) => compared?.differ,
    show: ({ compared }) =>
      compared && `${compared.differ.toLocaleString('en')} of ${compared.calls.toLocaleString('en')}`,
  },
  { title: 'Callers', isOnlyWide: true, show: ({ callers }) => listCallers(callers) },
  {
    title: 'Last call',
    isOnlyWide: true,
    value: ({ last }) => last,
    show: ({ last }) => last !== null && showTime(last),
  },
]

const lossColumns: readonly Column<Loss>[] = [
  { title: 'Caller', value: ({ operator }) => operator ?? 'unknown' },
  {
    title: 'Operation',
    value: ({ operation }) => operation,
    show: ({ operation }) => <span className="mono">{breakLongWords(operation)}</span>,
  },
  { title: 'Calls', isNumber: true, value: ({ calls }) => calls, show: ({ calls }) => calls.toLocaleString('en') },
  { title: 'Lacks', value: ({ lacks }) => lacks },
  { title: 'Reason', isOnlyWide: true, value: ({ reason }) => reason },
  { title: 'Last call', isOnlyWide: true, value: ({ last }) => last, show: ({ last }) => showTime(last) },
]

function listCallers(callers: readonly string[]): string {
  const more = callers.length - maxCallers
  return `${callers.slice(0, maxCallers).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
