/** The numbers of a chart as a table, the newest first. */
import { Table, Text } from '@mantine/core'
import { useState } from 'react'
import type { Series } from './series.ts'

interface Props {
  readonly title: string
  readonly times: readonly string[]
  readonly series: readonly Series[]
  valueAt(series: Series, at: number): string
}

export function Numbers({ title, times, series, valueAt }: Props) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>
        <Text component="span" size="xs" c="dimmed">
          Show as table
        </Text>
      </summary>
      {isOpen && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
        <section className="wide low" aria-label={`${title}, as a table`} tabIndex={0}>
          <Table verticalSpacing={2} className="numbers">
            <Table.Thead>
              <Table.Tr>
                <Table.Th scope="col">From</Table.Th>
                {series.map(({ label }) => (
                  <Table.Th key={label} scope="col" className="number">
                    {label}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {times
                .map((time, at) => (
                  <Table.Tr key={time}>
                    <Table.Td>{time}</Table.Td>
                    {series.map((one) => (
                      <Table.Td key={one.label} className="number">
                        {valueAt(one, at)}
                      </Table.Td>
                    ))}
                  </Table.Tr>
                ))
                .reverse()}
            </Table.Tbody>
          </Table>
        </section>
      )}
    </details>
  )
}
