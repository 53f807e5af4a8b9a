/** The values under the pointer, beside it. */
import { Group, Paper, Text } from '@mantine/core'
import { Key } from './key.tsx'
import type { Series } from './series.ts'

interface Props {
  readonly time: string
  readonly lines: readonly (Pick<Series, 'label' | 'look'> & { readonly value: string })[]
  /** Position of the pointed step and width of the chart, in pixels. */
  readonly x: number
  readonly width: number
  /** Whether the tip is to the left of the pointer. */
  readonly isLeft: boolean
}

const distance = 10

export function Tip({ time, lines, x, width, isLeft }: Props) {
  const place = isLeft ? { right: width - x + distance } : { left: x + distance }
  return (
    <Paper withBorder shadow="sm" px="xs" py={4} className="chart-tip" aria-hidden="true" style={place}>
      <Text size="xs" c="dimmed" className="numbers">
        {time}
      </Text>
      {lines.map(({ label, look, value }) => (
        <Group key={label} gap={6} wrap="nowrap">
          <Key look={look} />
          <Text size="xs">{label}</Text>
          <Text size="xs" fw={600} className="numbers" ml="auto">
            {value}
          </Text>
        </Group>
      ))}
    </Paper>
  )
}
