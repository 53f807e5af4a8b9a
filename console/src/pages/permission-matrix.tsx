/** Operators against operations: who may call what, and by which permission list. */
import { Group, Stack, Table, Text, Tooltip } from '@mantine/core'
import { useOperations, usePermissionLists } from '../api/configuration.ts'
import { useOperators } from '../api/operators.ts'
import { Pages, Search, useListQuery } from '../parts/data-table.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { OtherSearch } from '../parts/other-search.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Link, useParameter } from '../router.tsx'

/** As many as a table can show. */
const columns = 40

export default function PermissionMatrix() {
  const [ofOperation] = useParameter('operation')
  const operators = useOperators(useListQuery())
  const operations = useOperations({ limit: columns, ...(ofOperation !== '' && { search: ofOperation }) })
  const lists = usePermissionLists()
  return (
    <>
      <PageHead title="Who may call what" />
      <Stack>
        <Group gap="sm">
          <Search label="Operators" />
          <OtherSearch name="operation" label="Operations" />
        </Group>
        <Loaded query={operators} empty="There is no such operator.">
          {({ items: rows, ...page }) => (
            <Loaded query={operations} empty="There is no such operation.">
              {({ items: heads, total }) => (
                <Loaded query={lists}>
                  {({ items: known }) => (
                    <>
                      <Matrix operators={rows} operations={heads} lists={known} />
                      {total > heads.length && (
                        <Text size="sm" c="dimmed">
                          The first {heads.length} of {total.toLocaleString('en')} operations: search for others.
                        </Text>
                      )}
                      <Pages {...page} />
                    </>
                  )}
                </Loaded>
              )}
            </Loaded>
          )}
        </Loaded>
      </Stack>
    </>
  )
}

interface MatrixProps {
  readonly operators: readonly {
    readonly id: string
    readonly isLocked: boolean
    readonly permissionLists: readonly string[]
  }[]
  readonly operations: readonly { readonly id: string; readonly value: { readonly service: string } }[]
  readonly lists: readonly {
    readonly id: string
    readonly value: { readonly operations?: readonly string[]; readonly services?: readonly string[] }
  }[]
}

function Matrix({ operators, operations, lists }: MatrixProps) {
  const listsOf = ({ id, value: { service } }: MatrixProps['operations'][number]) =>
    lists
      .filter(({ value }) => value.operations?.includes(id) || value.services?.includes(service))
      .map((list) => list.id)
  const permitting = operations.map((operation) => ({ id: operation.id, lists: listsOf(operation) }))
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
    <section className="wide" aria-label="Operators and operations" tabIndex={0}>
      <Table className="matrix" withColumnBorders w="auto">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Operator</Table.Th>
            {permitting.map(({ id }) => (
              <Table.Th key={id} scope="col">
                <span>{id}</span>
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {operators.map(({ id, isLocked, permissionLists }) => (
            <Table.Tr key={id}>
              <Table.Th scope="row">
                <Link to={`/operators/${encodeURIComponent(id)}`}>{id}</Link>
                {isLocked && ' (locked)'}
              </Table.Th>
              {permitting.map((operation) => (
                <Table.Td key={operation.id}>
                  <Verdict by={isLocked ? [] : operation.lists.filter((name) => permissionLists.includes(name))} />
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  )
}

function Verdict({ by }: { readonly by: readonly string[] }) {
  if (by.length === 0)
    return (
      <span role="img" aria-label="no">
        ·
      </span>
    )
  const reason = `by ${by.join(', ')}`
  return (
    <Tooltip label={reason} events={{ hover: true, focus: true, touch: true }}>
      <span role="img" aria-label={`yes, ${reason}`}>
        ✓
      </span>
    </Tooltip>
  )
}
