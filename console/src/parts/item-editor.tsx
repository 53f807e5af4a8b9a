/** The form of an item, from the table of fields of its list. */
import { Paper, Stack } from '@mantine/core'
import { type ListName, lists } from '../lists.ts'
import { useItemEditing } from '../use-item-editing.ts'
import { FieldInput } from './field-input.tsx'
import { ItemFrame } from './item-frame.tsx'

export function ItemEditor({ list, id }: { readonly list: ListName; readonly id: string }) {
  const editing = useItemEditing(list, id)
  return (
    <ItemFrame list={list} editing={editing}>
      <Paper withBorder p="md">
        <Stack>
          {lists[list].fields.map((field) => (
            <FieldInput
              key={field.path}
              field={field}
              value={editing.value}
              problems={editing.problems}
              isReadOnly={editing.whyReadOnly !== undefined}
              onChange={editing.change}
            />
          ))}
        </Stack>
      </Paper>
    </ItemFrame>
  )
}
