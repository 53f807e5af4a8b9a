/** Adds an administrator with an initial password. */
import { Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useCreateAdministrator } from '../../api/administrators.ts'
import type { Role } from '../../api/session.ts'
import { ChooseRole } from '../../parts/choose-role.tsx'
import { Dialog } from '../../parts/confirm.tsx'
import { findError } from '../../parts/find-error.ts'
import { isSame, NewPasswordInputs, noPassword } from '../../parts/new-password.tsx'
import { useToast } from '../../parts/toast.tsx'

export function AddAdministrator({ onClose }: { onClose(): void }) {
  const [name, setName] = useState('')
  const [role, setRole] = useState<Role>('viewer')
  const [password, setPassword] = useState(noPassword)
  const { mutate, isPending, error } = useCreateAdministrator()
  const toast = useToast()
  const add = () =>
    mutate(
      { name, role, password: password.password },
      {
        onSuccess() {
          onClose()
          toast(`${name} added.`)
        },
      },
    )
  return (
    <Dialog
      title="Add administrator"
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
        error={findError(error, 'name')}
        autoComplete="off"
        required
        data-autofocus
      />
      <ChooseRole value={role} onChange={setRole} />
      <NewPasswordInputs value={password} error={error} onChange={setPassword} />
      <Text size="sm" c="dimmed">
        Send the password over a secure channel. The new administrator can change it under Your account, in the menu at
        the top right.
      </Text>
    </Dialog>
  )
}
