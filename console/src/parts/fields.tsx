/** The inputs of an item's fields, from a table of fields. */
import { Paper, Stack } from '@mantine/core'
import type { Field } from '../lists.ts'
import type { ItemEditing } from '../use-item-editing.ts'
import { FieldInput } from './field-input.tsx'

export interface Editing {
  readonly editing: ItemEditing
}

export function Fields({
  editing,
  fields,
  isBare,
}: Editing & { readonly fields: readonly Field[]; readonly isBare?: boolean }) {
  const inputs = (
    <Stack>
      {fields.map((field) => (
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
  )
  return isBare ? (
    inputs
  ) : (
    <Paper withBorder p="md">
      {inputs}
    </Paper>
  )
}
