/** Adds an operator; addresses can be added later on its page. */
import { useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { fields } from '../../api/fields.ts'
import { useCreateOperator } from '../../api/operators.ts'
import type { Value } from '../../lists.ts'
import { Dialog } from '../../parts/confirm.tsx'
import { ActionFields } from '../../parts/fields.tsx'
import { useToast } from '../../parts/toast.tsx'
import { go } from '../../router.tsx'

export function AddOperator({ onClose }: { onClose(): void }) {
  const [value, setValue] = useState<Value>({})
  const toast = useToast()
  const { mutate, isPending, error } = useCreateOperator()
  const save = () =>
    mutate(value as Schemas['NewOperatorInput'], {
      onSuccess({ id }) {
        onClose()
        toast(`${id} added.`)
        go(`/callers/${encodeURIComponent(id)}`, { isSaved: true })
      },
    })
  return (
    <Dialog
      title="Add caller"
      isOpen
      action="Add"
      isPending={isPending}
      error={error}
      onClose={onClose}
      onConfirm={save}
    >
      <ActionFields fields={fields.createOperator} value={value} error={error} onChange={setValue} />
    </Dialog>
  )
}
