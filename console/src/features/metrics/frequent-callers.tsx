/** The most frequent callers of an operation, where the monitor does not have all of them. */
import { Group, Stack, Text } from '@mantine/core'
import { Loaded } from '../../parts/loaded.tsx'
import { useHistory } from './api.ts'
import { TopCallers } from './counts.tsx'
import { RangeBar } from './range-bar.tsx'
import { useRange } from './use-range.ts'

export default function FrequentCallers({ operation }: { readonly operation: string }) {
  const range = useRange()
  const history = useHistory({ ...range.query, operation, sort: 'calls' })
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        The monitor is off (ig.monitor): of each hour the 20 most frequent callers are counted, without their last call.
      </Text>
      <Group gap="xs">
        <RangeBar range={range} />
      </Group>
      <Loaded query={history}>
        {(found) =>
          found.total.calls === 0 ? (
            <Text>No calls {range.words}. Choose a longer period above.</Text>
          ) : (
            <TopCallers found={found} linkTo={({ operator = '' }) => `/callers/${encodeURIComponent(operator)}`} />
          )
        }
      </Loaded>
    </Stack>
  )
}
