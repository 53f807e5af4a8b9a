/** The figures of one operation over time, or of a group of operations: the charts of the first page. */
import { Group, Stack, Text } from '@mantine/core'
import { Loaded } from '../../parts/loaded.tsx'
import { useHistory } from './api.ts'
import { FiguresOf } from './figures.tsx'
import { RangeBar } from './range-bar.tsx'
import { Slo } from './slo.tsx'
import { useRange } from './use-range.ts'

export default function OperationFigures({ operation }: { readonly operation: string }) {
  const range = useRange()
  const history = useHistory({ ...range.query, operation, sort: 'calls' })
  return (
    <Stack gap="md">
      <Group gap="xs">
        <RangeBar range={range} />
      </Group>
      {history.data?.objective && <Slo operation={operation} />}
      <Loaded query={history}>
        {(found) => (
          <FiguresOf
            found={found}
            range={range}
            operation={operation}
            empty={<Text>No calls {range.words}. Choose a longer period above.</Text>}
          />
        )}
      </Loaded>
    </Stack>
  )
}
