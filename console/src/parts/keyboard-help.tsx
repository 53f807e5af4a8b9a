/** What the keyboard does. */
import { Kbd, Modal, Table, Text } from '@mantine/core'

const modifier = /Mac|iP/.test(navigator.platform) ? '⌘' : 'Ctrl'

const shortcuts: readonly (readonly [string, string])[] = [
  [`${modifier}+K`, 'Find a page, operation, caller, call or action'],
  ['/', 'Go to the search field of the page'],
  ['?', 'Show this help'],
  ['↑ ↓', 'Move between the rows of a table, starting from a link in a row'],
  ['j k', 'Open the next or the previous call, on the page of a call'],
  ['Enter', 'Open the item of the row, or save the form'],
  ['Esc', 'Close what is open'],
]

export default function KeyboardHelp({ onClose }: { onClose(): void }) {
  return (
    <Modal opened onClose={onClose} title="Keyboard shortcuts" closeButtonProps={{ 'aria-label': 'Close' }}>
      <Table withRowBorders={false}>
        <Table.Tbody>
          {shortcuts.map(([keys, what]) => (
            <Table.Tr key={keys}>
              <Table.Th scope="row" style={{ whiteSpace: 'nowrap' }}>
                <Kbd>{keys}</Kbd>
              </Table.Th>
              <Table.Td>
                <Text size="sm">{what}</Text>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Modal>
  )
}
