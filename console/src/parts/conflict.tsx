/** Shown if someone else saved first: both versions side by side, to choose from (specification 19.6). */
import { Button, Group, Modal, Stack, Table, Text } from '@mantine/core'
import type { ListName } from '../field.ts'
import { labelOf } from '../name-field.ts'
import { showValue } from './show-value.tsx'

type Fields = Readonly<Record<string, unknown>>

interface Props {
  readonly mine: Fields
  /** The saved version; undefined while it is loading. */
  readonly theirs: Fields | undefined
  /** That the item belongs to. */
  readonly list?: ListName
  onTakeTheirs(): void
  /** Continues editing; saving then replaces the other version. */
  onKeepMine(): void
}

export function ConflictDialog({ mine, theirs, list, onTakeTheirs, onKeepMine }: Props) {
  const fields = [...new Set([...Object.keys(mine), ...Object.keys(theirs ?? {})])]
  const different = fields.filter((field) => JSON.stringify(mine[field]) !== JSON.stringify(theirs?.[field]))
  return (
    <Modal
      opened
      onClose={onKeepMine}
      title="Changed by someone else"
      size="lg"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack>
        <Text size="sm">Your changes have not been saved yet. These fields differ:</Text>
        {theirs && (
          <div className="wide">
            <Table>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th scope="col">Field</Table.Th>
                  <Table.Th scope="col">Saved</Table.Th>
                  <Table.Th scope="col">Yours</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {different.map((field) => (
                  <Table.Tr key={field}>
                    <Table.Th scope="row">{labelOf(list, field)}</Table.Th>
                    <Table.Td>{showValue(theirs[field])}</Table.Td>
                    <Table.Td>{showValue(mine[field])}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </div>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onTakeTheirs} disabled={!theirs}>
            Discard mine
          </Button>
          <Button onClick={onKeepMine}>Keep mine</Button>
        </Group>
      </Stack>
    </Modal>
  )
}
