/** The actions of a draft: rename, activate, discard. */
import { Button, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { Tagged } from '../../api/client.ts'
import { type Change, type Draft, useActivateDraft, useDeleteDraft, useRenameDraft } from '../../api/drafts.ts'
import { useCurrentDraft } from '../../current-draft.tsx'
import { BreakClients, breaksOf } from '../../parts/break-clients.tsx'
import { Dialog } from '../../parts/confirm.tsx'
import { findError } from '../../parts/find-error.ts'
import { useToast } from '../../parts/toast.tsx'
import { go } from '../../router.tsx'

interface Seen {
  readonly active: number
  readonly changes: readonly Change[]
}

export function Activate({ id, seen }: { readonly id: string; readonly seen: Tagged<Seen> }) {
  const [isOpen, setIsOpen] = useState(false)
  const [note, setNote] = useState('')
  const [force, setForce] = useState(false)
  const { mutateAsync, isPending, error } = useActivateDraft()
  const { choose } = useCurrentDraft()
  const toast = useToast()
  const breaks = breaksOf(seen.value.changes)
  // Awaits the promise, because callbacks end with this button, which goes with the draft
  const activate = () =>
    mutateAsync({ draft: id, etag: seen.etag, note, force }).then(
      ({ revision }) => {
        choose('')
        toast(`Revision ${revision} is active.`)
        go('/revisions', { isSaved: true })
      },
      () => {}, // the dialog shows the error
    )
  return (
    <>
      <Button onClick={() => setIsOpen(true)} disabled={seen.value.changes.length === 0}>
        Activate
      </Button>
      <Dialog
        title="Activate the draft?"
        isOpen={isOpen}
        action="Activate"
        isDangerous={breaks.length > 0}
        isDisabled={breaks.length > 0 && !force}
        isPending={isPending}
        error={error}
        onClose={() => setIsOpen(false)}
        onConfirm={() => void activate()}
      >
        <Text size="sm">It becomes the next revision and is active on all instances within a second.</Text>
        <TextInput
          label="Note"
          description="Default: the draft's title."
          value={note}
          onChange={(event) => setNote(event.currentTarget.value)}
          data-autofocus
        />
        <BreakClients breaks={breaks} isAllowed={force} onAllow={setForce} />
      </Dialog>
    </>
  )
}

interface OfDraft {
  readonly draft: Tagged<Draft>
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
        go('/drafts', { isSaved: true })
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
