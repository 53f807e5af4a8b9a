/** Drafts: the list, and one with its errors and changes. */
import { Alert, Badge, Button, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { type Draft, useCreateDraft, useDrafts, useDrift } from '../api/drafts.ts'
import { useMay } from '../api/session.ts'
import { useCurrentDraft } from '../current-draft.tsx'
import type { PageProps } from '../page.ts'
import { ChangeList } from '../parts/change-list.tsx'
import type { Column } from '../parts/column.ts'
import { Dialog } from '../parts/confirm.tsx'
import { DataTable } from '../parts/data-table.tsx'
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
  const [isCreating, setIsCreating] = useState(false)
  const isManaged = drift.data?.managedBy === 'revisions'
  const mayChange = useMay('administrator') && isManaged
  return (
    <>
      <PageHead>{mayChange && <Button onClick={() => setIsCreating(true)}>New draft</Button>}</PageHead>
      <Stack>
        {drift.data?.managedBy === 'files' && (
          <Text size="sm" c="dimmed">
            The configuration is managed by files (ig dev), without drafts. Drafts are available under ig start.
          </Text>
        )}
        {drift.data?.hasDrift && (
          <Alert
            color="yellow"
            title="The project files differ from the active revision"
            styles={{ title: { color: 'var(--mantine-color-text)' } }}
          >
            <details>
              <summary>Differences</summary>
              <ChangeList changes={drift.data.changes} />
            </details>
          </Alert>
        )}
        <Loaded query={drafts} empty="No drafts. Changing the configuration creates one.">
          {({ items }) => (
            <DataTable label="Drafts" columns={columns} rows={items} keyOf={({ id }) => id} linkOf={linkOf} />
          )}
        </Loaded>
      </Stack>
      {isCreating && <CreateDraft onClose={() => setIsCreating(false)} />}
    </>
  )
}

function CreateDraft({ onClose }: { onClose(): void }) {
  const [title, setTitle] = useState('')
  const { mutate, isPending, error } = useCreateDraft()
  const { choose } = useCurrentDraft()
  const create = () =>
    mutate(title, {
      onSuccess({ id }) {
        choose(id)
        onClose()
        go(`/drafts/${encodeURIComponent(id)}`)
      },
    })
  return (
    <Dialog
      title="New draft"
      isOpen
      action="Create"
      isPending={isPending}
      error={error}
      onClose={onClose}
      onConfirm={create}
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

const linkOf = ({ id }: Draft) => `/drafts/${encodeURIComponent(id)}`

const columns: readonly Column<Draft>[] = [
  {
    title: 'Title',
    value: ({ title }) => title,
    show: (draft) => <Link to={linkOf(draft)}>{breakLongWords(draft.title)}</Link>,
  },
  {
    title: 'Base',
    value: ({ base }) => base,
    show: ({ base, isOutdated }) => (
      <>
        revision {base} {isOutdated && <Badge color="served">outdated</Badge>}
      </>
    ),
  },
  {
    title: 'Last changed',
    isOnlyWide: true,
    value: ({ changed }) => changed,
    show: ({ changed }) => showTime(changed),
  },
  { title: 'Changed by', isOnlyWide: true, value: ({ changedBy }) => changedBy },
]
