/** The inputs of an item's fields, or of an action's, from a table of fields. */
import { Paper, Stack } from '@mantine/core'
import { useRef, useState } from 'react'
import { Problem } from '../api/client.ts'
import { type Field, setField, type Value } from '../lists.ts'
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

interface ActionFieldsProps {
  readonly fields: readonly Field[]
  readonly value: Value
  readonly error: Error | null
  onChange(value: Value): void
}

export function ActionFields({ fields, value, error, onChange }: ActionFieldsProps) {
  return fields.map((field, at) => (
    <FieldInput
      key={field.path}
      field={field}
      value={value}
      problems={error instanceof Problem ? error.problems : []}
      isReadOnly={false}
      isFirst={at === 0}
      onChange={(path, to) => onChange(setField(value, path, to))}
    />
  ))
}
