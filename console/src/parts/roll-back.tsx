/** Rolls back in two clicks: the button, and what it would change with the question (specification 19.9). */
import { Button, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useActivation, useRevisionChanges, useRollBack } from '../api/drafts.ts'
import { BreakClients, breaksOf } from './break-clients.tsx'
import { ChangeList } from './change-list.tsx'
import { Dialog } from './confirm.tsx'
import { Loaded } from './loaded.tsx'
import { useToast } from './toast.tsx'

interface Props {
  readonly revision: number
}

export function RollBackButton({ revision }: Props) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button size="compact-sm" variant="default" onClick={() => setIsOpen(true)}>
        Roll back to {revision}
      </Button>
      {isOpen && <RollBackDialog revision={revision} onClose={() => setIsOpen(false)} />}
    </>
  )
}

export function RollBackDialog({ revision, onClose }: Props & { onClose(): void }) {
  const activation = useActivation()
  const active = activation.data
  const differences = useRevisionChanges(active?.value.revision, revision)
  const { mutateAsync, isPending, error } = useRollBack()
  const [note, setNote] = useState('')
  const [force, setForce] = useState(false)
  const toast = useToast()
  const breaks = breaksOf(differences.data?.changes ?? [])
  // Awaits the promise, because callbacks end with this dialog
  const rollBack = () =>
    active &&
    mutateAsync({ etag: active.etag, revision, note, force }).then(
      () => {
        onClose()
        toast(`Revision ${revision} is active.`)
      },
      () => {}, // the dialog shows the error
    )
  return (
    <Dialog
      title={`Roll back to revision ${revision}?`}
      isOpen
      action="Roll back"
      size="xl"
      isDangerous={breaks.length > 0}
      isDisabled={!active || !differences.data || (breaks.length > 0 && !force)}
      isPending={isPending}
      error={error}
      onClose={onClose}
      onConfirm={() => void rollBack()}
    >
      <Text size="sm">It replaces revision {active?.value.revision} on all instances within a second.</Text>
      <Loaded query={differences}>
        {({ changes }) => (
          <div className="low">
            <ChangeList changes={changes} />
          </div>
        )}
      </Loaded>
      <BreakClients breaks={breaks} isAllowed={force} onAllow={setForce} />
      <TextInput label="Note" value={note} onChange={({ currentTarget }) => setNote(currentTarget.value)} />
    </Dialog>
  )
}
