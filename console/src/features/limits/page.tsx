/** Who is limited now; administrators lift it. */
import { Button } from '@mantine/core'
import { useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { useMay } from '../../api/session.ts'
import { pathOf } from '../../lists.ts'
import type { Column } from '../../parts/column.ts'
import { ConfirmChange } from '../../parts/confirm.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { showTime } from '../../parts/show-value.tsx'
import { Link } from '../../router.tsx'
import { useLiftLimit, useLimited } from './api.ts'

type LimitedCaller = Schemas['LimitedCaller']

export default function LimitedPage() {
  const limited = useLimited()
  const [asked, setAsked] = useState<LimitedCaller>()
  const lift = useLiftLimit()
  const mayLift = useMay('administrator')
  const action: Column<LimitedCaller> = {
    title: 'Lift',
    isAction: true,
    show: (row) => (
      <Button
        size="xs"
        variant="default"
        aria-label={`Lift ${row.limit} for ${nameOf(row)}`}
        onClick={() => setAsked(row)}
      >
        Lift
      </Button>
    ),
  }
  return (
    <>
      <PageHead />
      <Loaded query={limited} empty="No caller is limited.">
        {({ items }) => (
          <DataTable
            label="Limited callers"
            isStacked
            columns={mayLift ? [...fixed, action] : fixed}
            rows={items}
            keyOf={({ limit, subject }) => `${limit} ${subject}`}
            linkOf={({ limit }) => pathOf('limits', limit)}
          />
        )}
      </Loaded>
      {asked && (
        <ConfirmChange
          title={`Lift the limit ${asked.limit}?`}
          action="Lift"
          change={lift}
          input={asked}
          says={() => `The limit ${asked.limit} is lifted for ${nameOf(asked)}.`}
          onClose={() => setAsked(undefined)}
        >
          What {nameOf(asked)} has spent is given back on all instances within a second. The limit itself stays.
        </ConfirmChange>
      )}
    </>
  )
}

function nameOf({ subject }: LimitedCaller): string {
  return subject === '' ? 'all callers' : subject
}

const fixed: readonly Column<LimitedCaller>[] = [
  {
    title: 'Limit',
    value: ({ limit }) => limit,
    show: ({ limit }) => (
      <Link to={pathOf('limits', limit)} className="mono">
        {limit}
      </Link>
    ),
  },
  { title: 'Caller', value: nameOf, show: (row) => <span className="mono">{nameOf(row)}</span> },
  {
    title: 'Resets',
    value: ({ resets }) => resets,
    show: ({ resets }) => (resets === null ? 'now' : showTime(resets)),
  },
  {
    title: 'Last refused',
    value: ({ refused }) => refused,
    show: ({ refused }) => refused !== null && showTime(refused),
  },
]
