/** Adds an administrator with an initial password. */
import { Text } from '@mantine/core'
import { useState } from 'react'
import { useCreateAdministrator } from '../../api/administrators.ts'
import type { Schemas } from '../../api/client.ts'
import { fields } from '../../api/fields.ts'
import type { Value } from '../../lists.ts'
import { Dialog } from '../../parts/confirm.tsx'
import { ActionFields } from '../../parts/fields.tsx'
import { isSame, NewPasswordInputs, noPassword } from '../../parts/new-password.tsx'
import { useToast } from '../../parts/toast.tsx'

export function AddAdministrator({ onClose }: { onClose(): void }) {
  const [value, setValue] = useState<Value>({ role: 'viewer' })
  const [password, setPassword] = useState(noPassword)
  const { mutate, isPending, error } = useCreateAdministrator()
  const toast = useToast()
  const add = () =>
    mutate(
      { ...(value as Pick<Schemas['NewAdministratorInput'], 'name' | 'role'>), password: password.password },
      {
        onSuccess({ name }) {
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
      <ActionFields fields={fields.createAdministrator} value={value} error={error} onChange={setValue} />
      <NewPasswordInputs value={password} error={error} onChange={setPassword} />
      <Text size="sm" c="dimmed">
        Send the password over a secure channel. The new administrator can change it under Your account, in the menu at
        the top right.
      </Text>
    </Dialog>
  )
}
