/** The figures of one operation over time, or of a group of operations: the charts of the first page. */
import { Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { Loaded } from '../../parts/loaded.tsx'
import { RollBackDialog } from '../../parts/roll-back.tsx'
import { Alerts } from './alerts.tsx'
import { useHistory } from './api.ts'
import { FiguresOf } from './figures.tsx'
import { RangeBar } from './range-bar.tsx'
import { Slo } from './slo.tsx'
import { useRange } from './use-range.ts'

export default function OperationFigures({ operation }: { readonly operation: string }) {
  const range = useRange()
  const history = useHistory({ ...range.query, operation, sort: 'calls' })
  const [rollBackTo, setRollBackTo] = useState<number>()
  return (
    <Stack gap="md">
      <Group gap="xs">
        <RangeBar range={range} />
      </Group>
      <Alerts operation={operation} />
      {history.data?.objective && <Slo operation={operation} />}
      <Loaded query={history}>
        {(found) => (
          <FiguresOf
            found={found}
            range={range}
            operation={operation}
            empty={<Text>No calls {range.words}. Choose a longer period above.</Text>}
            onRollBack={setRollBackTo}
          />
        )}
      </Loaded>
      {rollBackTo !== undefined && <RollBackDialog revision={rollBackTo} onClose={() => setRollBackTo(undefined)} />}
    </Stack>
  )
}
