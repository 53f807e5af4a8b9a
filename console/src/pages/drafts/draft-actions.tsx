/** What becomes of a draft: another title, in force, or thrown away. */
import { Button, Checkbox, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { Tagged } from '../../api/client.ts'
import { type Change, type Draft, useActivateDraft, useDeleteDraft, useRenameDraft } from '../../api/drafts.ts'
import { useCurrentDraft } from '../../current-draft.tsx'
import { Dialog } from '../../parts/confirm.tsx'
import { findFault } from '../../parts/find-fault.ts'
import { useSay } from '../../parts/say.tsx'
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
  const say = useSay()
  const breaks = seen.value.changes.filter((change) => change.breaks !== undefined)
  // By the promise: with the draft this button is gone, and its own callbacks with it
  const activate = () =>
    mutateAsync({ draft: id, etag: seen.etag, note, force }).then(
      ({ revision }) => {
        choose('')
        say(`Revision ${revision} is in force.`)
        go('/revisions', { isSaved: true })
      },
      () => {}, // shown as error
    )
  return (
    <>
      <Button onClick={() => setIsOpen(true)} disabled={seen.value.changes.length === 0}>
        Activate
      </Button>
      <Dialog
        title="Put the draft in force?"
        isOpen={isOpen}
        action="Activate"
        isDangerous={breaks.length > 0}
        isDisabled={breaks.length > 0 && !force}
        isPending={isPending}
        error={error}
        onClose={() => setIsOpen(false)}
        onConfirm={() => void activate()}
      >
        <Text size="sm">It becomes the next revision, in force everywhere within a second.</Text>
        <TextInput
          label="Note"
          description="Left empty, the draft's title."
          value={note}
          onChange={(event) => setNote(event.currentTarget.value)}
          data-autofocus
        />
        {breaks.length > 0 && (
          <Checkbox
            label={`Clients would lose what they call: ${breaks.map((change) => change.id).join(', ')}. That is meant.`}
            checked={force}
            onChange={(event) => setForce(event.currentTarget.checked)}
          />
        )}
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
        title="Rename the draft"
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
          error={findFault(error, 'title')}
          required
          maxLength={200}
          data-autofocus
        />
      </Dialog>
    </>
  )
}

export function ThrowAway({ draft: { value, etag } }: OfDraft) {
  const [isOpen, setIsOpen] = useState(false)
  const { mutateAsync, isPending, error } = useDeleteDraft()
  const { draft, choose } = useCurrentDraft()
  const remove = () =>
    mutateAsync({ draft: value.id, etag }).then(
      () => {
        if (draft === value.id) choose('')
        go('/drafts', { isSaved: true })
      },
      () => {}, // shown as error
    )
  return (
    <>
      <Button variant="default" onClick={() => setIsOpen(true)}>
        Throw away
      </Button>
      <Dialog
        title="Throw the draft away?"
        isOpen={isOpen}
        action="Throw away"
        isDangerous
        isPending={isPending}
        error={error}
        onClose={() => setIsOpen(false)}
        onConfirm={() => void remove()}
      >
        <Text size="sm">What it edited is gone then. What is in force stays as it is.</Text>
      </Dialog>
    </>
  )
}
