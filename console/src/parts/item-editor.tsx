/** The form of an item, from the fields of its list. */
import { fields } from '../api/fields.ts'
import type { ListName } from '../field.ts'
import { useItemEditing } from '../use-item-editing.ts'
import { Fields } from './fields.tsx'
import { ItemFrame } from './item-frame.tsx'
import { ProviderSettings } from './provider-settings.tsx'

export function ItemEditor({ list, id }: { readonly list: ListName; readonly id: string }) {
  const editing = useItemEditing(list, id)
  return (
    <ItemFrame list={list} editing={editing}>
      <Fields editing={editing} fields={fields[list]} />
      {list === 'oauth2ServiceApps' && !editing.isNew && <ProviderSettings value={editing.value} />}
    </ItemFrame>
  )
}
