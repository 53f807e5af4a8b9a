/** The generated routing of an operation. */
import { Table, Text } from '@mantine/core'
import { useItems } from '../../../api/items.ts'
import { useCurrentDraft } from '../../../current-draft.tsx'
import type { EditingProps } from '../../../parts/fields.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { idOf } from './id-of.ts'

export function RoutingsTab({ editing }: EditingProps) {
  const { draft } = useCurrentDraft()
  const nodes = useItems('nodes', draft, { limit: 500 })
  return (
    <Loaded query={nodes}>
      {({ items }) => (
        <section>
          <Text size="sm" mb="sm">
            Generated, one per operation. Routings cannot be configured.
          </Text>
          <Table>
            <Table.Thead>
              <Table.Tr>
                <Table.Th scope="col">Operation</Table.Th>
                <Table.Th scope="col">Routing</Table.Th>
                <Table.Th scope="col">To</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              <Table.Tr>
                <Table.Td className="mono">{idOf(editing.value)}</Table.Td>
                <Table.Td>Any to default local node</Table.Td>
                <Table.Td>{items.find(({ value }) => value.isDefaultLocal === true)?.id ?? 'none yet'}</Table.Td>
              </Table.Tr>
            </Table.Tbody>
          </Table>
        </section>
      )}
    </Loaded>
  )
}
