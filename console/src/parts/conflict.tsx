/** Somebody else saved first: both versions side by side, and the choice; nothing is lost by either (specification 19.6). */
import { Button, Group, Modal, Stack, Table, Text } from '@mantine/core'
import { showValue } from './show-value.tsx'

type Fields = Readonly<Record<string, unknown>>

interface Props {
  readonly mine: Fields
  /** As it is now; undefined while it is read again. */
  readonly theirs: Fields | undefined
  onTakeTheirs(): void
  /** Goes on editing what is there, to be saved over theirs. */
  onKeepMine(): void
}

export function ConflictDialog({ mine, theirs, onTakeTheirs, onKeepMine }: Props) {
  const fields = [...new Set([...Object.keys(mine), ...Object.keys(theirs ?? {})])]
  const different = fields.filter((field) => JSON.stringify(mine[field]) !== JSON.stringify(theirs?.[field]))
  return (
    <Modal
      opened
      onClose={onKeepMine}
      title="Someone else changed this meanwhile"
      size="lg"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack>
        <Text size="sm">Nothing of yours was saved yet, and nothing of it is lost. These fields differ:</Text>
        {theirs && (
          <div className="wide">
            <Table>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th scope="col">Field</Table.Th>
                  <Table.Th scope="col">Theirs, saved</Table.Th>
                  <Table.Th scope="col">Yours</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {different.map((field) => (
                  <Table.Tr key={field}>
                    <Table.Th scope="row">{field}</Table.Th>
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
            Take theirs
          </Button>
          <Button onClick={onKeepMine}>Go on with mine</Button>
        </Group>
      </Stack>
    </Modal>
  )
}
