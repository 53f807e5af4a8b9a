/** Drafts: the list, and one of them with its faults and changes, to be activated or thrown away. */
import { Alert, Badge, Button, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { type Draft, useCreateDraft, useDrafts, useDrift } from '../api/drafts.ts'
import { useMay } from '../api/session.ts'
import { useCurrentDraft } from '../current-draft.tsx'
import type { PageProps } from '../page.ts'
import { ChangeList } from '../parts/change-list.tsx'
import { Dialog } from '../parts/confirm.tsx'
import { type Column, DataTable } from '../parts/data-table.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { breakLongWords } from '../parts/long-words.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { showTime } from '../parts/show-value.tsx'
import { go, Link } from '../router.tsx'
import { DraftPage } from './drafts/draft-page.tsx'

export default function Drafts({ id }: PageProps) {
  return id === '' ? <DraftList /> : <DraftPage key={id} id={id} />
}

function DraftList() {
  const drafts = useDrafts()
  const drift = useDrift()
  const [isBeginning, setIsBeginning] = useState(false)
  const isManaged = drift.data?.managedBy === 'revisions'
  const mayChange = useMay('administrator') && isManaged
  return (
    <>
      <PageHead title="Drafts">
        {mayChange && <Button onClick={() => setIsBeginning(true)}>Begin a draft</Button>}
      </PageHead>
      <Stack>
        {drift.data?.managedBy === 'files' && (
          <Text size="sm" c="dimmed">
            The configuration is managed by files (ig dev): there are no drafts. They are for ig start.
          </Text>
        )}
        {drift.data?.hasDrift && (
          <Alert
            color="yellow"
            title="The project's files say otherwise than the revision in force"
            styles={{ title: { color: 'var(--mantine-color-text)' } }}
          >
            <details>
              <summary>What they would change</summary>
              <ChangeList changes={drift.data.changes} />
            </details>
          </Alert>
        )}
        <Loaded query={drafts} empty="There is no draft: a change of the configuration begins one.">
          {({ items }) => <DataTable label="Drafts" columns={columns} rows={items} keyOf={({ id }) => id} />}
        </Loaded>
      </Stack>
      {isBeginning && <BeginDraft onClose={() => setIsBeginning(false)} />}
    </>
  )
}

function BeginDraft({ onClose }: { onClose(): void }) {
  const [title, setTitle] = useState('')
  const { mutate, isPending, error } = useCreateDraft()
  const { choose } = useCurrentDraft()
  const begin = () =>
    mutate(title, {
      onSuccess({ id }) {
        choose(id)
        onClose()
        go(`/drafts/${encodeURIComponent(id)}`)
      },
    })
  return (
    <Dialog
      title="Begin a draft"
      isOpen
      action="Begin"
      isPending={isPending}
      error={error}
      onClose={onClose}
      onConfirm={begin}
    >
      <TextInput
        label="Title"
        value={title}
        onChange={(event) => setTitle(event.currentTarget.value)}
        required
        data-autofocus
      />
    </Dialog>
  )
}

const columns: readonly Column<Draft>[] = [
  {
    title: 'Title',
    show: ({ id, title }) => <Link to={`/drafts/${encodeURIComponent(id)}`}>{breakLongWords(title)}</Link>,
  },
  {
    title: 'Base',
    show: ({ base, isOutdated }) => (
      <>
        revision {base} {isOutdated && <Badge color="gray.7">outdated</Badge>}
      </>
    ),
  },
  { title: 'Last changed', isOnlyWide: true, show: ({ changed }) => showTime(changed) },
  { title: 'By', isOnlyWide: true, show: ({ changedBy }) => changedBy },
]
