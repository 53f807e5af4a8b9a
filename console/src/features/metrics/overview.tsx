/** The first page: figures of all calls over time, and of each operation. */
import { Stack } from '@mantine/core'
import { useEffect } from 'react'
import { homeParts } from '../../features.ts'
import { pathOfFigures } from '../../lists.ts'
import type { PageProps } from '../../page.ts'
import { FeatureParts } from '../../parts/feature-parts.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { go, useParameter } from '../../router.tsx'
import { useHistory } from './api.ts'
import { FiguresOf } from './figures.tsx'
import { FirstCall } from './first-call.tsx'
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
  return (
    <>
      <PageHead>
        <RangeBar range={range} />
      </PageHead>
      <Stack gap="lg">
        <Loaded query={history}>
          {(found) => (
            <>
              <FiguresOf found={found} range={range} empty={<FirstCall when={range.words} />}>
                <OperationTable found={found} />
              </FiguresOf>
            </>
          )}
        </Loaded>
        <FeatureParts parts={homeParts} props={{}} />
      </Stack>
    </>
  )
}
