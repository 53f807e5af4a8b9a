/** Who is limited now; administrators lift it. */
import { Button, Text } from '@mantine/core'
import { useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { useMay } from '../../api/session.ts'
import { pathOf } from '../../lists.ts'
import type { Column } from '../../parts/column.ts'
import { Dialog } from '../../parts/confirm.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { showTime } from '../../parts/show-value.tsx'
import { useToast } from '../../parts/toast.tsx'
import { Link } from '../../router.tsx'
import { useLiftLimit, useLimited } from './api.ts'

type LimitedCaller = Schemas['LimitedCaller']

export default function LimitedPage() {
  const limited = useLimited()
  const [asked, setAsked] = useState<LimitedCaller>()
  const { mutate, isPending, error, reset } = useLiftLimit()
  const mayLift = useMay('administrator')
  const toast = useToast()
  const close = () => {
    reset()
    setAsked(undefined)
  }
  const lift = () =>
    asked &&
    mutate(asked, {
      onSuccess() {
        toast(`The limit ${asked.limit} is lifted for ${nameOf(asked)}.`)
        close()
      },
    })
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
      <Dialog
        title={`Lift the limit ${asked?.limit}?`}
        isOpen={asked !== undefined}
        action="Lift"
        isPending={isPending}
        error={error}
        onClose={close}
        onConfirm={lift}
      >
        <Text size="sm">
          What {asked && nameOf(asked)} has spent is given back on all instances within a second. The limit itself
          stays.
        </Text>
      </Dialog>
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
