/** A table with search and pages in the URL (specification 18.15, 19.3). */
import { Button, Group, Table, Text, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { type ReactNode, useState } from 'react'
import { useParameter } from '../router.tsx'
import { breakLongWords } from './long-words.tsx'

export interface Column<Row> {
  readonly title: string
  /** A column of buttons, without a heading. */
  readonly isAction?: boolean
  /** Hidden on narrow screens. */
  readonly isOnlyWide?: boolean
  /** Aligned right, with tabular digits. */
  readonly isNumber?: boolean
  show(row: Row): ReactNode
}

interface Props<Row> {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  /** On narrow screens each row is a block with all columns. */
  readonly isStacked?: boolean
  keyOf(row: Row): string
}

export function DataTable<Row>({ label, columns, rows, isStacked = false, keyOf }: Props<Row>) {
  const classOf = ({ isOnlyWide, isNumber }: Column<Row>) =>
    [isOnlyWide && !isStacked && 'only-wide', isNumber && 'number'].filter(Boolean).join(' ') || undefined
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
    <section className="wide" aria-label={label} tabIndex={0}>
      <Table verticalSpacing={6} highlightOnHover className={isStacked ? 'stacked' : undefined}>
        <Table.Thead>
          <Table.Tr>
            {columns.map((column) => (
              <Table.Th key={column.title} scope="col" className={classOf(column)}>
                {column.title}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={keyOf(row)}>
              {columns.map((column) => (
                <Table.Td
                  key={column.title}
                  className={classOf(column)}
                  data-label={column.isAction ? undefined : column.title}
                >
                  {showCell(column.show(row))}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  )
}

function showCell(shown: ReactNode): ReactNode {
  return typeof shown === 'string' ? breakLongWords(shown) : shown
}

export const pageSize = 50

/** The query parameters of a list. */
export function useListQuery() {
  const [search] = useParameter('search')
  const [offset] = useParameter('offset')
  return { ...(search !== '' && { search }), offset: Number.parseInt(offset, 10) || 0, limit: pageSize }
}

export function Search({ label }: { readonly label: string }) {
  const [search, setSearch] = useParameter('search')
  const [text, setText] = useState(search)
  const settle = useDebouncedCallback(setSearch, 250)
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
      value={text}
      onChange={({ currentTarget: { value } }) => {
        setText(value)
        settle(value)
      }}
      maw={{ base: '100%', sm: 360 }}
      style={{ flexGrow: 1 }}
    />
  )
}

export function Pages({
  total,
  offset,
  limit,
}: {
  readonly total: number
  readonly offset: number
  readonly limit: number
}) {
  const [, setOffset] = useParameter('offset')
  const to = Math.min(offset + limit, total)
  return (
    <Group justify="space-between">
      <Text size="sm" c="dimmed" role="status">
        {total === 0 ? 'None' : `${offset + 1} to ${to} of ${total.toLocaleString('en')}`}
      </Text>
      {total > limit && (
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            disabled={offset === 0}
            onClick={() => setOffset(offset > limit ? String(offset - limit) : '')}
          >
            Previous
          </Button>
          <Button size="xs" variant="default" disabled={to >= total} onClick={() => setOffset(String(offset + limit))}>
            Next
          </Button>
        </Group>
      )}
    </Group>
  )
}
