/** Matrix of operators and operations: who may call what, and by which permission list (specification 21.13). */
import { Button, Group, Stack, Table, Text, UnstyledButton } from '@mantine/core'
import { useState } from 'react'
import { type PermissionMatrix as Answer, usePermissionMatrix } from '../api/permission-matrix.ts'
import { pathOf } from '../lists.ts'
import { Empty } from '../parts/empty.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { breakLongWords } from '../parts/long-words.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Pages, Search, useSearchQuery } from '../parts/paging.tsx'
import { TextFilter } from '../parts/text-filter.tsx'
import { Link, setParameters, useParameter } from '../router.tsx'
import { Permission } from './permission-matrix/permission.tsx'

/** Operations per page. */
const columns = 40

export default function PermissionMatrix() {
  const { search, offset, limit } = useSearchQuery()
  const [operation] = useParameter('operation')
  const [from] = useParameter('operationOffset')
  const matrix = usePermissionMatrix({
    operatorOffset: offset,
    operatorLimit: limit,
    ...(search !== undefined && { operator: search }),
    operationOffset: Number.parseInt(from, 10) || 0,
    operationLimit: columns,
    ...(operation !== '' && { operation }),
  })
  return (
    <>
      <PageHead />
      <Stack>
        <Group gap="sm">
          <Search label="Callers" />
          <TextFilter name="operation" label="Operations" />
        </Group>
        <Loaded query={matrix}>
          {({ operators, operations, cells }) => {
            if (operators.total === 0)
              return <Empty message={`No callers ${search === undefined ? 'yet' : 'match'}.`} />
            if (operations.total === 0)
              return <Empty message={`No operations ${operation === '' ? 'yet' : 'match'}.`} />
            return (
              <>
                <Columns {...operations} />
                <Matrix operators={operators} operations={operations} cells={cells} />
                <Pages {...operators} />
              </>
            )
          }}
        </Loaded>
      </Stack>
    </>
  )
}

/** Pages through the operations if one table cannot show all. */
function Columns({ total, offset, limit }: Answer['operations']) {
  if (total <= limit) return null
  const to = Math.min(offset + limit, total)
  const go = (next: number) => setParameters({ operationOffset: next <= 0 ? '' : String(next) })
  return (
    <Group gap="xs">
      <Text size="sm" c="dimmed" role="status">
        Operations {offset + 1} to {to} of {total.toLocaleString('en')}
      </Text>
      <Button size="xs" variant="default" disabled={offset === 0} onClick={() => go(offset - limit)}>
        Previous operations
      </Button>
      <Button size="xs" variant="default" disabled={to >= total} onClick={() => go(offset + limit)}>
        Next operations
      </Button>
    </Group>
  )
}

function Matrix({ operators, operations, cells }: Answer) {
  const [opened, setOpened] = useState<{ readonly operator: string; readonly operation: string }>()
  const operator = operators.items.find(({ id }) => id === opened?.operator)
  const operation = operations.items.find(({ id }) => id === opened?.operation)
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
      <section className="wide" aria-label="Callers and operations" tabIndex={0}>
        <Table className="matrix" withColumnBorders w="auto">
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">Caller</Table.Th>
              {operations.items.map(({ id }) => (
                <Table.Th key={id} scope="col">
                  <span>
                    <Link to={pathOf('operations', id)}>{id}</Link>
                  </span>
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {operators.items.map(({ id, isLocked }, row) => (
              <Table.Tr key={id}>
                <Table.Th scope="row">
                  <div>
                    <Link to={`/callers/${encodeURIComponent(id)}`}>{breakLongWords(id)}</Link>
                    {isLocked && ' (locked)'}
                  </div>
                </Table.Th>
                {operations.items.map((operation, column) => (
                  <Table.Td key={operation.id}>
                    <Verdict
                      by={cells[row]?.[column] ?? null}
                      onOpen={() => setOpened({ operator: id, operation: operation.id })}
                    />
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </section>
      {operator && operation && (
        <Permission operator={operator} operation={operation} onClose={() => setOpened(undefined)} />
      )}
    </>
  )
}

interface VerdictProps {
  readonly by: readonly string[] | null
  onOpen(): void
}

function Verdict({ by, onOpen }: VerdictProps) {
  const words = by === null ? 'no' : `yes, by ${by.join(', ')}`
  return (
    <UnstyledButton className="verdict" aria-label={words} title={words} onClick={onOpen}>
      {by === null ? '·' : '✓'}
    </UnstyledButton>
  )
}
