/** The drafts that are open, and the button that makes one. */
import { Badge, Button, TextInput, Title } from '@mantine/core'
import { useState } from 'react'
import { type Draft, useCreateDraft, useDrafts } from '../../api/drafts.ts'
import { useCurrentDraft } from '../../current-draft.tsx'
import type { Column } from '../../parts/column.ts'
import { Dialog } from '../../parts/confirm.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { breakLongWords } from '../../parts/long-words.tsx'
import { showTime } from '../../parts/show-value.tsx'
import { go, Link } from '../../router.tsx'

export function DraftList() {
  const { data } = useDrafts()
  if (!data || data.items.length === 0) return null
  return (
    <section>
      <Title order={2}>Drafts</Title>
      <DataTable label="Drafts" columns={columns} rows={data.items} keyOf={({ id }) => id} linkOf={linkOf} />
    </section>
  )
}

export function NewDraft() {
  const [isCreating, setIsCreating] = useState(false)
  return (
    <>
      <Button onClick={() => setIsCreating(true)}>New draft</Button>
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
