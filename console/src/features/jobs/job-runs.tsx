/** The jobs with their last run and their next time; administrators request a run. */
import { Badge, Button } from '@mantine/core'
import { useState } from 'react'
import { useMay } from '../../api/session.ts'
import { pathOf } from '../../lists.ts'
import type { Column } from '../../parts/column.ts'
import { ConfirmChange } from '../../parts/confirm.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { showTime } from '../../parts/show-value.tsx'
import { Link } from '../../router.tsx'
import { useJobRuns, useRequestJobRun } from './api.ts'
import { colourOf, type JobRun, stateOf } from './run-state.ts'

export default function JobRuns() {
  const runs = useJobRuns()
  const [asked, setAsked] = useState<string>()
  const request = useRequestJobRun()
  const mayRun = useMay('administrator')
  const action: Column<JobRun> = {
    title: 'Run',
    isAction: true,
    show: ({ job }) => (
      <Button size="xs" variant="default" aria-label={`Run ${job}`} onClick={() => setAsked(job)}>
        Run
      </Button>
    ),
  }
  return (
    <>
      <PageHead />
      <Loaded query={runs} empty="The configuration has no jobs.">
        {({ items }) => (
          <DataTable
            label="Job runs"
            isStacked
            columns={mayRun ? [...fixed, action] : fixed}
            rows={items}
            keyOf={({ job }) => job}
            linkOf={({ job }) => pathOf('jobs', job)}
          />
        )}
      </Loaded>
      {asked !== undefined && (
        <ConfirmChange
          title={`Run ${asked}?`}
          action="Run"
          change={request}
          input={asked}
          says={() => `A run of ${asked} is requested.`}
          onClose={() => setAsked(undefined)}
        >
          A serving process starts it within a second. If the job is running now, it runs again afterwards.
        </ConfirmChange>
      )}
    </>
  )
}

const fixed: readonly Column<JobRun>[] = [
  {
    title: 'Job',
    value: ({ job }) => job,
    show: ({ job }) => (
      <Link to={pathOf('jobs', job)} className="mono">
        {job}
      </Link>
    ),
  },
  { title: 'Schedule', value: ({ schedule }) => schedule },
  {
    title: 'Next',
    value: ({ next }) => next,
    show: ({ next, isActive }) => (next === null ? (isActive ? '' : 'inactive') : showTime(next)),
  },
  { title: 'State', value: stateOf, show: (run) => <Badge color={colourOf(run)}>{stateOf(run)}</Badge> },
  { title: 'Last run', value: ({ begun }) => begun, show: ({ begun }) => begun !== null && showTime(begun) },
  { title: 'Process', isOnlyWide: true, value: ({ instance }) => instance },
  { title: 'Reason', value: ({ reason }) => reason },
]
