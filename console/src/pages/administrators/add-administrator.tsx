/** Somebody more who administers; the password is told them, and changed by them. */
import { Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useCreateAdministrator } from '../../api/administrators.ts'
import type { Role } from '../../api/session.ts'
import { ChooseRole } from '../../parts/choose-role.tsx'
import { Dialog } from '../../parts/confirm.tsx'
import { findFault } from '../../parts/find-fault.ts'
import { isSame, NewPasswordInputs, noPassword } from '../../parts/new-password.tsx'
import { useSay } from '../../parts/say.tsx'

export function AddAdministrator({ onClose }: { onClose(): void }) {
  const [name, setName] = useState('')
  const [role, setRole] = useState<Role>('viewer')
  const [password, setPassword] = useState(noPassword)
  const { mutate, isPending, error } = useCreateAdministrator()
  const say = useSay()
  const add = () =>
    mutate(
      { name, role, password: password.password },
      {
        onSuccess() {
          onClose()
          say(`${name} is added.`)
        },
      },
    )
  return (
    <Dialog
      title="Add an administrator"
      isOpen
      action="Add"
      isDisabled={!isSame(password)}
      isPending={isPending}
      error={error}
      onClose={onClose}
      onConfirm={add}
    >
      <TextInput
        label="Name"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={findFault(error, 'name')}
        autoComplete="off"
        required
        data-autofocus
      />
      <ChooseRole value={role} onChange={setRole} />
      <NewPasswordInputs value={password} error={error} onChange={setPassword} />
      <Text size="sm" c="dimmed">
        Tell it them in a safe way; they change it under their name, above on the right.
      </Text>
    </Dialog>
  )
}
