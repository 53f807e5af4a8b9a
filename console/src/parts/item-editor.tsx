/** The form of an item, from its list's table of fields. */
import { type ListName, lists } from '../lists.ts'
import { useItemEditing } from '../use-item-editing.ts'
import { Fields } from './fields.tsx'
import { ItemFrame } from './item-frame.tsx'
import { ProviderSettings } from './provider-settings.tsx'

export function ItemEditor({ list, id }: { readonly list: ListName; readonly id: string }) {
  const editing = useItemEditing(list, id)
  return (
    <ItemFrame list={list} editing={editing}>
      <Fields editing={editing} fields={lists[list].fields} />
      {list === 'oauth2ServiceApps' && !editing.isNew && <ProviderSettings value={editing.value} />}
    </ItemFrame>
  )
}
