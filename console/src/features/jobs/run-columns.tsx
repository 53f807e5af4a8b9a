/** The runs in the list of jobs. */
import { Badge } from '@mantine/core'
import { figuresColumns, type ReadColumns } from '../../parts/figures-columns.tsx'
import { Moment } from '../../parts/moment.tsx'
import { useJobRuns } from './api.ts'
import { colourOf, type JobRun, stateOf } from './run-state.ts'

export const useRunColumns: ReadColumns = () =>
  figuresColumns<JobRun>(useJobRuns(), ({ job }) => job, [
    { title: 'State', show: (run) => <Badge color={colourOf(run)}>{stateOf(run)}</Badge> },
    { title: 'Last run', show: ({ begun }) => begun && <Moment time={begun} isRelative /> },
    { title: 'Next', show: ({ next }) => next && <Moment time={next} isRelative /> },
  ])
