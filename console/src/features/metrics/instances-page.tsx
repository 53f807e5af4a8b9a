/** The instances of the cluster: revision, state, memory and event-loop delay. */
import { Stack } from '@mantine/core'
import { PageHead } from '../../parts/page-head.tsx'
import { useHistory } from './api.ts'
import { InstanceCharts } from './instance-charts.tsx'
import { Instances } from './instances.tsx'
import { RangeBar } from './range-bar.tsx'
import { useRange } from './use-range.ts'

export default function InstancesPage() {
  const range = useRange()
  const { data } = useHistory({ ...range.query, sort: 'calls' })
  return (
    <>
      <PageHead>
        <RangeBar range={range} />
      </PageHead>
      <Stack gap="lg">
        <Instances />
        {data && <InstanceCharts found={data} isNow={!('to' in range.times)} />}
      </Stack>
    </>
  )
}
