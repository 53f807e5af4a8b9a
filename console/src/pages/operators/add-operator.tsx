/** Adds an operator; permission lists and addresses can be added later on its page. */
import { MultiSelect, TextInput } from '@mantine/core'
import { useState } from 'react'
import { usePermissionLists } from '../../api/configuration.ts'
import { useCreateOperator } from '../../api/operators.ts'
import { Dialog } from '../../parts/confirm.tsx'
import { findError } from '../../parts/find-error.ts'
import { PasswordField, passwordRule } from '../../parts/password-field.tsx'
import { useToast } from '../../parts/toast.tsx'
import { go } from '../../router.tsx'

export function AddOperator({ onClose }: { onClose(): void }) {
  const [id, setId] = useState('')
  const [description, setDescription] = useState('')
  const [password, setPassword] = useState('')
  const [lists, setLists] = useState<string[]>([])
  const { data } = usePermissionLists()
  const toast = useToast()
  const { mutate, isPending, error } = useCreateOperator()
  const save = () =>
    mutate(
      { id, description, permissionLists: lists, emails: [], ...(password !== '' && { password }) },
      {
        onSuccess() {
          onClose()
          toast(`${id} added.`)
          go(`/operators/${encodeURIComponent(id)}`, { isSaved: true })
        },
      },
    )
  return (
    <Dialog
      title="Add operator"
      isOpen
      action="Add"
      isPending={isPending}
      error={error}
      onClose={onClose}
      onConfirm={save}
    >
      <TextInput
        label="Operator ID"
        description="1 to 30 characters, no colon. Callers send it as their user name."
        value={id}
        onChange={(event) => setId(event.currentTarget.value)}
        error={findError(error, 'id')}
        required
        data-autofocus
        autoComplete="off"
      />
      <TextInput
        label="Description"
        value={description}
        onChange={(event) => setDescription(event.currentTarget.value)}
        error={findError(error, 'description')}
      />
      <PasswordField
        label="Password"
        description={`${passwordRule} Without a password, the operator can call only with OAuth2 tokens.`}
        value={password}
        onChange={setPassword}
        error={findError(error, 'password')}
      />
      <MultiSelect
        label="Permission lists"
        data={data?.items.map((list) => list.id) ?? []}
        value={lists}
        onChange={setLists}
        error={findError(error, 'permissionLists')}
        searchable
      />
    </Dialog>
  )
}
