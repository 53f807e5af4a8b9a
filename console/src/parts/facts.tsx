/** Facts beside a form or a chart: a heading, and a label with each value. */
import { Paper, Table, Title } from '@mantine/core'
import type { ReactNode } from 'react'

interface Props {
  readonly title: string
  readonly rows: readonly (readonly [label: string, value: ReactNode])[]
  /** Numbers: aligned right. */
  readonly areNumbers?: boolean
  /** Below the facts. */
  readonly children?: ReactNode
}

export function Facts({ title, rows, areNumbers = false, children }: Props) {
  return (
    <Paper withBorder p="md" component="section" aria-label={title}>
      <Title order={2} mb={4}>
        {title}
      </Title>
      <Table withRowBorders={false}>
        <Table.Tbody>
          {rows.map(([label, value]) => (
            <Table.Tr key={label}>
              <Table.Th scope="row" c="dimmed" fw={400} w="40%">
                {label}
              </Table.Th>
              <Table.Td className={areNumbers ? 'number' : undefined}>{value}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {children}
    </Paper>
  )
}
