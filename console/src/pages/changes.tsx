/** What has changed, by whom: the open drafts, and a timeline of activations, drafts and callers (specification 19.14). */
import { Alert, Badge, Button, Group, SegmentedControl, Stack, Text, Title } from '@mantine/core'
import { GitBranch, History, type LucideIcon, Undo2, Users } from 'lucide-react'
import { type ChangesQuery, changeKinds, readAllChanges, type TimelineChange, useChanges } from '../api/changes.ts'
import { gatewayClock } from '../api/clock.ts'
import { useActivation, useDrafts, useDrift } from '../api/drafts.ts'
import { useMay } from '../api/session.ts'
import { ChangeList } from '../parts/change-list.tsx'
import type { Column } from '../parts/column.ts'
import { Loaded } from '../parts/loaded.tsx'
import { breakLongWords } from '../parts/long-words.tsx'
import { nameZone, useZone, writeTime } from '../parts/moment.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { RollBackButton } from '../parts/roll-back.tsx'
import { TableTools, useHiddenColumns } from '../parts/table-tools.tsx'
import { TextFilter } from '../parts/text-filter.tsx'
import { TimeFilter } from '../parts/time-filter.tsx'
import { Link, useParameter } from '../router.tsx'
import { doubtful } from '../theme.ts'
import { DraftList, NewDraft } from './drafts/draft-list.tsx'

type Kind = TimelineChange['kind']
const icons: Readonly<Record<Kind, LucideIcon>> = {
  revision: History,
  rollback: Undo2,
  draft: GitBranch,
  caller: Users,
}
const kinds = Object.keys(changeKinds) as Kind[]

export default function Changes() {
  const { data: drift } = useDrift()
  const mayChange = useMay('administrator') && drift?.managedBy === 'revisions'
  return (
    <>
      <PageHead>{mayChange && <NewDraft />}</PageHead>
      <Stack>
        {drift?.managedBy === 'files' && (
          <Text size="sm" c="dimmed">
            The configuration is managed by files (ig dev), without drafts and revisions. They are available under ig
            start.
          </Text>
        )}
        {drift?.hasDrift && (
          <Alert
            color={doubtful}
            title="The project files differ from the active revision"
            styles={{ title: { color: 'var(--mantine-color-text)' } }}
          >
            <details>
              <summary>Differences</summary>
              <ChangeList changes={drift.changes} />
            </details>
          </Alert>
        )}
        <DraftList />
        <Timeline />
      </Stack>
    </>
  )
}

function useChangesQuery(): ChangesQuery {
  const [[kind], [who], [from], [to]] = [
    useParameter('kind'),
    useParameter('who'),
    useParameter('from'),
    useParameter('to'),
  ]
  const known = kinds.find((each) => each === kind)
  return { ...(known && { kind: known }), ...(who && { who }), ...(from && { from }), ...(to && { to }) }
}

function Timeline() {
  const asked = useChangesQuery()
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useChanges(asked)
  const hidden = useHiddenColumns('Changes', exported)
  const [, setKind] = useParameter('kind')
  const items = data?.pages.flatMap((page) => page.items)
  return (
    <section className="table-frame" aria-label="Timeline">
      <TableTools label="Changes" columns={exported} hidden={hidden} readAll={() => readAllChanges(asked)} />
      <Title order={2} mb="xs">
        Timeline
      </Title>
      <Group gap="sm" align="flex-end" mb="sm">
        <SegmentedControl
          aria-label="Kind"
          data={[{ value: '', label: 'All' }, ...kinds.map((value) => ({ value, label: changeKinds[value] }))]}
          value={asked.kind ?? ''}
          onChange={setKind}
        />
        <TextFilter name="who" label="Person" isLabelled />
        <TimeFilter name="from" label="From" />
        <TimeFilter name="to" label="Until" />
      </Group>
      <Loaded query={{ data: items, error, refetch }} empty="No changes match.">
        {(changes) => (
          <>
            <Days changes={changes} />
            {hasNextPage && (
              <Group>
                <Button variant="default" onClick={() => void fetchNextPage()} loading={isFetchingNextPage}>
                  Earlier changes
                </Button>
              </Group>
            )}
          </>
        )}
      </Loaded>
    </section>
  )
}

function Days({ changes }: { readonly changes: readonly TimelineChange[] }) {
  const zone = useZone()
  const dayOf = (time: number | string) => writeTime(new Date(time), zone).slice(0, 10)
  const now = gatewayClock.now()
  const active = useActivation().data?.value.revision
  const newest = changes.find(({ revision }) => revision !== null && revision === active)
  const names = new Map([
    [dayOf(now - 86_400_000), 'Yesterday'],
    [dayOf(now), 'Today'],
  ])
  return [...Map.groupBy(changes, ({ time }) => dayOf(time))].map(([day, ofDay]) => (
    <section key={day}>
      <Title order={3} c="dimmed" mb={4}>
        {names.get(day) ?? day}
      </Title>
      <ol className="timeline">
        {ofDay.map((change) => (
          <Line key={change.sequence} change={change} zone={zone} active={active} isActive={change === newest} />
        ))}
      </ol>
    </section>
  ))
}

interface LineProps {
  readonly change: TimelineChange
  readonly zone: string
  /** The active revision; undefined until it is known, or if there is none. */
  readonly active: number | undefined
  readonly isActive: boolean
}

function Line({ change, zone, active, isActive }: LineProps) {
  const { time, kind, title, who, note, revision, difference } = change
  const mayRollBack = useMay('administrator')
  const to = useTarget(change)
  const Icon = icons[kind]
  const date = new Date(time)
  return (
    <li className="change">
      <time dateTime={time} title={`${writeTime(date, zone, true)} ${nameZone(date, zone)}`} className="numbers">
        {writeTime(date, zone).slice(11)}
      </time>
      <Icon size={16} strokeWidth={1.8} aria-hidden />
      <div>
        {to === undefined ? <span>{breakLongWords(title)}</span> : <Link to={to}>{breakLongWords(title)}</Link>}{' '}
        {isActive && <Badge>active</Badge>}{' '}
        {difference !== null && (
          <Text span size="sm" c="dimmed">
            {difference}
          </Text>
        )}
        {note !== null && <Text size="xs">{breakLongWords(note)}</Text>}
      </div>
      <Text size="sm" c="dimmed" className="change-who">
        {who}
      </Text>
      <div className="change-action">
        {mayRollBack && active !== undefined && revision !== null && revision !== active && (
          <RollBackButton revision={revision} />
        )}
      </div>
    </li>
  )
}

/** A draft that is activated or discarded has no page. */
function useTarget({ revision, draft, operator }: TimelineChange): string | undefined {
  const { data } = useDrafts()
  if (revision !== null) return `/revisions/${revision}`
  if (operator !== null) return `/callers/${encodeURIComponent(operator)}`
  return data?.items.some(({ id }) => id === draft) ? `/drafts/${draft}` : undefined
}

/** What the export has; there are no columns to choose. */
const exported: readonly Column<TimelineChange>[] = (
  ['time', 'kind', 'title', 'difference', 'note', 'who', 'revision', 'draft', 'operator'] as const
).map((key) => ({ title: key, isAction: true, value: (change) => change[key] }))
