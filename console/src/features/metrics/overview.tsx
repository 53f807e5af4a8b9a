/** The first page: what is wrong, what changed, figures of all calls over time, and of each operation. */
import { Skeleton, Stack } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useActivations } from '../../api/drafts.ts'
import { homeParts } from '../../features.ts'
import { pathOfFigures } from '../../lists.ts'
import type { PageProps } from '../../page.ts'
import { FeatureParts } from '../../parts/feature-parts.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { RollBackDialog } from '../../parts/roll-back.tsx'
import { go, useParameter } from '../../router.tsx'
import { useAlerts, useHistory } from './api.ts'
import { FiguresOf } from './figures.tsx'
import { FirstCall } from './first-call.tsx'
import { LastChanges, useLastChanges } from './home/last-changes.tsx'
import { StateSentence } from './home/state-sentence.tsx'
import OperationFigures from './operation-figures.tsx'
import { OperationTable, sortings } from './operation-table.tsx'
import { RangeBar } from './range-bar.tsx'
import { groupNames } from './show.ts'
import { useRange } from './use-range.ts'

export default function Overview({ id }: PageProps) {
  return id === '' ? <AllFigures /> : id.startsWith('(') ? <GroupFigures key={id} id={id} /> : <Moved id={id} />
}

/** The figures of an operation were here before they were on its page. */
function Moved({ id }: PageProps) {
  useEffect(() => go(`${pathOfFigures(id, location.search)}`, { replaces: true }), [id])
  return null
}

function GroupFigures({ id }: PageProps) {
  return (
    <>
      <PageHead item={groupNames[id] ?? id} />
      <OperationFigures operation={id} />
    </>
  )
}

function AllFigures() {
  const range = useRange()
  const [sorting] = useParameter('sort')
  const sort = sortings.find(({ value }) => value === sorting)?.value ?? 'calls'
  const history = useHistory({ ...range.query, sort })
  const recent = useHistory({ minutes: 5, sort: 'failed' })
  // All of it comes at once, so that nothing moves
  const isReady = [useActivations(), useAlerts(false), useLastChanges(), recent].every(({ isPending }) => !isPending)
  const [rollBackTo, setRollBackTo] = useState<number>()
  const calls = <FeatureParts parts={homeParts} props={{}} />
  return (
    <>
      <PageHead>
        <RangeBar range={range} />
      </PageHead>
      <Stack gap="md">
        {isReady && recent.data && <StateSentence recent={recent.data} onRollBack={setRollBackTo} />}
        {isReady && <LastChanges />}
        <Loaded query={isReady ? history : { ...history, data: undefined }} skeleton={<HomeSkeleton />}>
          {(found) => (
            <FiguresOf
              found={found}
              range={range}
              empty={
                <>
                  <FirstCall when={range.words} />
                  {calls}
                </>
              }
              onRollBack={setRollBackTo}
            >
              {calls}
              <OperationTable found={found} />
            </FiguresOf>
          )}
        </Loaded>
      </Stack>
      {rollBackTo !== undefined && <RollBackDialog revision={rollBackTo} onClose={() => setRollBackTo(undefined)} />}
    </>
  )
}

/** Has the height of what replaces it, so that nothing moves. */
function HomeSkeleton() {
  return (
    <Stack gap="md" role="status" aria-label="Loading">
      <Skeleton height={76} />
      <Skeleton height={72} />
      <Skeleton height={60} />
      <div className="chart-pair">
        <Skeleton height={298} />
        <Skeleton height={298} />
      </div>
    </Stack>
  )
}
