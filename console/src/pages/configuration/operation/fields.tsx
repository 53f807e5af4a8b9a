/** Fields of an operation, from a table of them; with what each tab of its editor is given. */
import { Paper, Stack } from '@mantine/core'
import { type Field, getField, type Value } from '../../../lists.ts'
import { FieldInput } from '../../../parts/field-input.tsx'
import type { ItemEditing } from '../../../use-item-editing.ts'

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

export function idOf(value: Value): string {
  return `${getField(value, 'name')}_${getField(value, 'method')}.${getField(value, 'version') ?? 'v1'}`
}
