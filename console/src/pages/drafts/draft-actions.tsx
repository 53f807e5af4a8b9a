/** The actions of a draft: rename, activate, discard. */
import { Button, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { TaggedValue } from '../../api/client.ts'
import { type Change, type Draft, useActivateDraft, useDeleteDraft, useRenameDraft } from '../../api/drafts.ts'
import { useCurrentDraft } from '../../current-draft.tsx'
import { ActivateBar } from '../../parts/activate-bar.tsx'
import { Dialog } from '../../parts/confirm.tsx'
import { findError } from '../../parts/find-error.ts'
import { useToast } from '../../parts/toast.tsx'
import { go } from '../../router.tsx'

export function Activate({
  id,
  title,
  seen,
}: {
  readonly id: string
  readonly title: string
  readonly seen: TaggedValue<{ readonly active: number; readonly changes: readonly Change[] }>
}) {
  const { mutateAsync, isPending, error } = useActivateDraft()
  const { choose } = useCurrentDraft()
  const toast = useToast()
  // Awaits the promise, because callbacks end with this form, which goes with the draft
  const activate = (chosen: { readonly note: string; readonly force: boolean }) =>
    mutateAsync({ draft: id, etag: seen.etag, ...chosen }).then(
      ({ revision }) => {
        choose('')
        toast(`Revision ${revision} is active.`)
        go(`/revisions/${revision}`, { isSaved: true })
      },
      () => {}, // the form shows the error
    )
  return (
    <ActivateBar
      action="Activate"
      help="The draft becomes the next revision and is active on all instances within a second."
      placeholder={title}
      changes={seen.value.changes}
      isPending={isPending}
      error={error}
      onActivate={(chosen) => void activate(chosen)}
    />
  )
}

interface OfDraft {
  readonly draft: TaggedValue<Draft>
}

export function Rename({ draft: { value, etag } }: OfDraft) {
  const [title, setTitle] = useState<string>()
  const { mutate, isPending, error, reset } = useRenameDraft()
  const close = () => {
    reset()
    setTitle(undefined)
  }
  const rename = () => title !== undefined && mutate({ draft: value.id, etag, title }, { onSuccess: close })
  return (
    <>
      <Button variant="default" onClick={() => setTitle(value.title)}>
        Rename
      </Button>
      <Dialog
        title="Rename draft"
        isOpen={title !== undefined}
        action="Rename"
        isPending={isPending}
        error={error}
        onClose={close}
        onConfirm={rename}
      >
        <TextInput
          label="Title"
          value={title ?? ''}
          onChange={(event) => setTitle(event.currentTarget.value)}
          error={findError(error, 'title')}
          required
          maxLength={200}
          data-autofocus
        />
      </Dialog>
    </>
  )
}

export function Discard({ draft: { value, etag } }: OfDraft) {
  const [isOpen, setIsOpen] = useState(false)
  const { mutateAsync, isPending, error } = useDeleteDraft()
  const { draft, choose } = useCurrentDraft()
  const remove = () =>
    mutateAsync({ draft: value.id, etag }).then(
      () => {
        if (draft === value.id) choose('')
        go('/changes', { isSaved: true })
      },
      () => {}, // the dialog shows the error
    )
  return (
    <>
      <Button variant="default" onClick={() => setIsOpen(true)}>
        Discard
      </Button>
      <Dialog
        title="Discard the draft?"
        isOpen={isOpen}
        action="Discard"
        isDangerous
        isPending={isPending}
        error={error}
        onClose={() => setIsOpen(false)}
        onConfirm={() => void remove()}
      >
        <Text size="sm">Its edits are deleted. The active configuration does not change.</Text>
      </Dialog>
    </>
  )
}
