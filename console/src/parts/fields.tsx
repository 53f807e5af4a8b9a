/** The inputs of an item's fields, from a table of fields. */
import { Paper, Stack } from '@mantine/core'
import { useRef, useState } from 'react'
import type { Field } from '../lists.ts'
import type { ItemEditing } from '../use-item-editing.ts'
import { FieldInput } from './field-input.tsx'

export interface EditingProps {
  readonly editing: ItemEditing
}

export function Fields({
  editing,
  fields,
  isBare,
}: EditingProps & { readonly fields: readonly Field[]; readonly isBare?: boolean }) {
  const latest = useRef(editing.change)
  latest.current = editing.change
  const [change] = useState(() => (path: string, to: unknown) => latest.current(path, to))
  const inputs = (
    <Stack>
      {fields.map((field) => (
        <FieldInput
          key={field.path}
          field={field}
          value={editing.value}
          problems={editing.problems}
          isReadOnly={editing.whyReadOnly !== undefined}
          onChange={change}
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
