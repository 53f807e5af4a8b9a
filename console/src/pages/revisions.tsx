/** Revisions: the list, the differences from the active one, and rollback. */
import { Badge, Stack, Text, Title } from '@mantine/core'
import { Problem, type Schemas, type TaggedValue } from '../api/client.ts'
import {
  type Change,
  readAllRevisions,
  useActivation,
  useDrift,
  useRevisionChanges,
  useRevisions,
  useRollBack,
} from '../api/drafts.ts'
import { useMay } from '../api/session.ts'
import type { PageProps } from '../page.ts'
import { ActivateBar } from '../parts/activate-bar.tsx'
import { ChangeList } from '../parts/change-list.tsx'
import type { Column } from '../parts/column.ts'
import { DataTable } from '../parts/data-table.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Pages, useListQuery } from '../parts/paging.tsx'
import { showTime } from '../parts/show-value.tsx'
import { useToast } from '../parts/toast.tsx'
import { Link } from '../router.tsx'
import { good } from '../theme.ts'

type Revision = Schemas['Revision']

export default function Revisions({ id }: PageProps) {
  if (id === '') return <RevisionList />
  return /^[1-9]\d{0,8}$/.test(id) ? <RevisionPage key={id} number={Number(id)} /> : <NotFound revision={id} />
}

function RevisionList() {
  const revisions = useRevisions(useListQuery())
  const drift = useDrift()
  const empty =
    drift.data?.managedBy === 'files'
      ? 'The configuration is managed by files (ig dev), without revisions. Revisions are available under ig start.'
      : 'No revisions yet.'
  return (
    <>
      <PageHead />
      <Loaded query={revisions} empty={empty}>
        {({ items, ...page }) => (
          <>
            <DataTable
              label="Revisions"
              columns={columns}
              rows={items}
              isPart
              readAll={readAllRevisions}
              keyOf={({ number }) => String(number)}
              linkOf={linkOf}
            />
            <Pages {...page} />
          </>
        )}
      </Loaded>
    </>
  )
}

const linkOf = ({ number }: Revision) => `/revisions/${number}`

const columns: readonly Column<Revision>[] = [
  {
    title: 'Revision',
    sort: 'number',
    value: ({ number }) => number,
    show: (revision) => <Link to={linkOf(revision)}>{revision.number}</Link>,
  },
  {
    title: 'State',
    value: ({ isActive }) => isActive && 'active',
    show: ({ isActive }) => isActive && <Badge color={good}>active</Badge>,
  },
  { title: 'Note', sort: 'note', value: ({ note }) => note },
  { title: 'Author', isOnlyWide: true, sort: 'author', value: ({ author }) => author },
  {
    title: 'Created',
    isOnlyWide: true,
    sort: 'created',
    value: ({ created }) => created,
    show: ({ created }) => showTime(created),
  },
]

function RevisionPage({ number }: { readonly number: number }) {
  const activation = useActivation()
  const active = activation.data?.value.revision
  const later = useRevisionChanges(active, number)
  const earlier = useRevisionChanges(number > 1 ? number - 1 : undefined, number)
  const mayChange = useMay('administrator')
  const isGone = later.error instanceof Problem && later.error.code === 'notFound'
  if (isGone) return <NotFound revision={number} />
  return (
    <>
      <PageHead item={`Revision ${number}`}>{active === number && <Badge color={good}>active</Badge>}</PageHead>
      <Stack maw={960}>
        {active !== number && (
          <section>
            <Title order={2} mb="sm">
              Changes if activated{active === undefined ? '' : `, compared with the active revision ${active}`}
            </Title>
            <Loaded query={activation}>
              {() => <Loaded query={later}>{({ changes }) => <ChangeList changes={changes} />}</Loaded>}
            </Loaded>
          </section>
        )}
        {mayChange && activation.data && later.data && active !== number && (
          <RollBack number={number} active={activation.data} changes={later.data.changes} />
        )}
        {number > 1 && (
          <section>
            <Title order={2} mb="sm">
              Changes since revision {number - 1}
            </Title>
            <Loaded query={earlier}>
              {({ changes }) => <ChangeList changes={changes} mayTry={active === number} />}
            </Loaded>
          </section>
        )}
      </Stack>
    </>
  )
}

/** The page of a revision that does not exist. */
function NotFound({ revision }: { readonly revision: string | number }) {
  return (
    <>
      <PageHead item="Not found" />
      <Text>There is no revision {revision}.</Text>
    </>
  )
}

interface RollBackProps {
  readonly number: number
  readonly active: TaggedValue<Schemas['Activation']>
  readonly changes: readonly Change[]
}

function RollBack({ number, active, changes }: RollBackProps) {
  const { mutateAsync, isPending, error } = useRollBack()
  const toast = useToast()
  // Awaits the promise, because callbacks end with this form, which goes when the revision is active
  const rollBack = (chosen: { readonly note: string; readonly force: boolean }) =>
    mutateAsync({ etag: active.etag, revision: number, ...chosen }).then(
      () => toast(`Revision ${number} is active.`),
      () => {}, // the form shows the error
    )
  return (
    <ActivateBar
      action={`Activate revision ${number}`}
      help={`It replaces revision ${active.value.revision} on all instances within a second.`}
      changes={changes}
      isPending={isPending}
      error={error}
      onActivate={(chosen) => void rollBack(chosen)}
    />
  )
}
