/** Revisions: which is in force, what another one says otherwise, and going back to it. */
import { Badge, Button, Stack, Text, TextInput, Title } from '@mantine/core'
import { useState } from 'react'
import { Problem, type Schemas, type Tagged } from '../api/client.ts'
import { useActivation, useDrift, useRevisionChanges, useRevisions, useRollBack } from '../api/drafts.ts'
import { useMay } from '../api/session.ts'
import type { PageProps } from '../page.ts'
import { ChangeList } from '../parts/change-list.tsx'
import { Dialog } from '../parts/confirm.tsx'
import { type Column, DataTable, Pages, useListQuery } from '../parts/data-table.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { NotThere } from '../parts/not-there.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { useSay } from '../parts/say.tsx'
import { showTime } from '../parts/show-value.tsx'
import { go, Link } from '../router.tsx'
import { good } from '../theme.ts'

type Revision = Schemas['Revision']

export default function Revisions({ id }: PageProps) {
  if (id === '') return <RevisionList />
  return /^[1-9]\d{0,8}$/.test(id) ? (
    <RevisionPage key={id} number={Number(id)} />
  ) : (
    <NotThere what={`revision ${id}`} of={of} />
  )
}

function RevisionList() {
  const { offset, limit } = useListQuery()
  const revisions = useRevisions({ offset, limit })
  const drift = useDrift()
  const empty =
    drift.data?.managedBy === 'files'
      ? 'The configuration is managed by files (ig dev): there are no revisions. They are for ig start.'
      : 'There is no revision.'
  return (
    <>
      <PageHead title="Revisions" />
      <Loaded query={revisions} empty={empty}>
        {({ items, ...page }) => (
          <>
            <DataTable label="Revisions" columns={columns} rows={items} keyOf={({ number }) => String(number)} />
            <Pages {...page} />
          </>
        )}
      </Loaded>
    </>
  )
}

const columns: readonly Column<Revision>[] = [
  { title: 'Revision', show: ({ number }) => <Link to={`/revisions/${number}`}>{number}</Link> },
  { title: 'State', show: ({ isActive }) => isActive && <Badge color={good}>in force</Badge> },
  { title: 'Note', show: ({ note }) => note },
  { title: 'Author', isOnlyWide: true, show: ({ author }) => author },
  { title: 'Made', isOnlyWide: true, show: ({ created }) => showTime(created) },
]

const of = { title: 'Revisions', path: '/revisions' }

function RevisionPage({ number }: { readonly number: number }) {
  const activation = useActivation()
  const active = activation.data?.value.revision
  const later = useRevisionChanges(active, number)
  const earlier = useRevisionChanges(number > 1 ? number - 1 : undefined, number)
  const mayChange = useMay('administrator')
  const isGone = later.error instanceof Problem && later.error.code === 'notFound'
  if (isGone) return <NotThere what={`revision ${number}`} of={of} />
  return (
    <>
      <PageHead title={`Revision ${number}`} of={of}>
        {active === number && <Badge color={good}>in force</Badge>}
        {mayChange && activation.data && later.data && active !== number && (
          <RollBack number={number} active={activation.data} />
        )}
      </PageHead>
      <Stack maw={960}>
        {active !== number && (
          <section>
            <Title order={2} mb="sm">
              What going back to it would change{active === undefined ? '' : `, against revision ${active} in force`}
            </Title>
            <Loaded query={activation}>
              {() => <Loaded query={later}>{({ changes }) => <ChangeList changes={changes} />}</Loaded>}
            </Loaded>
          </section>
        )}
        {number > 1 && (
          <section>
            <Title order={2} mb="sm">
              What it changed, against revision {number - 1}
            </Title>
            <Loaded query={earlier}>{({ changes }) => <ChangeList changes={changes} />}</Loaded>
          </section>
        )}
      </Stack>
    </>
  )
}

function RollBack({ number, active }: { readonly number: number; readonly active: Tagged<Schemas['Activation']> }) {
  const [isOpen, setIsOpen] = useState(false)
  const [note, setNote] = useState('')
  const { mutateAsync, isPending, error } = useRollBack()
  const say = useSay()
  // By the promise: this button is gone as soon as the revision is in force, and its own callbacks with it
  const rollBack = () =>
    mutateAsync({ etag: active.etag, revision: number, note }).then(
      () => {
        say(`Revision ${number} is in force.`)
        go('/revisions')
      },
      () => {}, // shown as error
    )
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>Put in force</Button>
      <Dialog
        title={`Put revision ${number} in force?`}
        isOpen={isOpen}
        action="Put in force"
        isPending={isPending}
        error={error}
        onClose={() => setIsOpen(false)}
        onConfirm={() => void rollBack()}
      >
        <Text size="sm">In force everywhere within a second, in place of revision {active.value.revision}.</Text>
        <TextInput label="Note" value={note} onChange={(event) => setNote(event.currentTarget.value)} data-autofocus />
      </Dialog>
    </>
  )
}
