/** A new operator; what it may call, and its addresses, can follow on its own page. */
import { MultiSelect, TextInput } from '@mantine/core'
import { useState } from 'react'
import { usePermissionLists } from '../../api/configuration.ts'
import { useCreateOperator } from '../../api/operators.ts'
import { Dialog } from '../../parts/confirm.tsx'
import { findFault } from '../../parts/find-fault.ts'
import { PasswordField, passwordRule } from '../../parts/password-field.tsx'
import { useSay } from '../../parts/say.tsx'
import { go } from '../../router.tsx'

export function AddOperator({ onClose }: { onClose(): void }) {
  const [id, setId] = useState('')
  const [description, setDescription] = useState('')
  const [password, setPassword] = useState('')
  const [lists, setLists] = useState<string[]>([])
  const { data } = usePermissionLists()
  const say = useSay()
  const { mutate, isPending, error } = useCreateOperator()
  const save = () =>
    mutate(
      { id, description, permissionLists: lists, emails: [], ...(password !== '' && { password }) },
      {
        onSuccess() {
          onClose()
          say(`${id} is added.`)
          go(`/operators/${encodeURIComponent(id)}`, { isSaved: true })
        },
      },
    )
  return (
    <Dialog
      title="Add an operator"
      isOpen
      action="Add"
      isPending={isPending}
      error={error}
      onClose={onClose}
      onConfirm={save}
    >
      <TextInput
        label="Operator id"
        description="1 to 30 characters, no colon. It is what callers send as user name."
        value={id}
        onChange={(event) => setId(event.currentTarget.value)}
        error={findFault(error, 'id')}
        required
        data-autofocus
        autoComplete="off"
      />
      <TextInput
        label="Description"
        value={description}
        onChange={(event) => setDescription(event.currentTarget.value)}
        error={findFault(error, 'description')}
      />
      <PasswordField
        label="Password"
        description={`${passwordRule} Left empty, the operator calls with OAuth2 tokens only.`}
        value={password}
        onChange={setPassword}
        error={findFault(error, 'password')}
      />
      <MultiSelect
        label="Permission lists"
        data={data?.items.map((list) => list.id) ?? []}
        value={lists}
        onChange={setLists}
        error={findFault(error, 'permissionLists')}
        searchable
      />
    </Dialog>
  )
}
