/** A list of objects whose members are texts: one row each. */
import { ActionIcon, Button, Group, Input, Stack, TextInput } from '@mantine/core'
import { X } from 'lucide-react'
import type { Field } from '../field.ts'
import type { Value } from '../lists.ts'

interface Props {
  readonly label: string
  readonly description: string | undefined
  readonly error: string | undefined
  readonly readOnly: boolean
  readonly columns: NonNullable<Field['columns']>
  readonly rows: readonly Value[]
  onChange(rows: readonly Value[]): void
}

export function Rows({ label, description, error, readOnly, columns, rows, onChange }: Props) {
  const set = (at: number, path: string, text: string) =>
    onChange(rows.map((row, index) => (index === at ? withText(row, path, text) : row)))
  return (
    <Input.Wrapper label={label} description={description} error={error} labelElement="div">
      <Stack gap="xs" mt="xs" role="group" aria-label={label}>
        {rows.map((row, at) => (
          <Group key={at} gap="xs" align="flex-end" wrap="wrap">
            {columns.map(({ path, label: title }) => (
              <TextInput
                key={path}
                label={`${title} ${at + 1}`}
                value={String(row[path] ?? '')}
                readOnly={readOnly}
                autoComplete="off"
                onChange={({ currentTarget }) => set(at, path, currentTarget.value)}
                style={{ flex: '1 1 140px' }}
              />
            ))}
            {!readOnly && (
              <ActionIcon
                variant="default"
                size="lg"
                aria-label={`Remove ${at + 1}`}
                onClick={() => onChange(rows.filter((_, index) => index !== at))}
              >
                <X size={16} />
              </ActionIcon>
            )}
          </Group>
        ))}
        {!readOnly && (
          <Group>
            <Button size="xs" variant="default" onClick={() => onChange([...rows, {}])}>
              Add a row
            </Button>
          </Group>
        )}
      </Stack>
    </Input.Wrapper>
  )
}

function withText(row: Value, path: string, text: string): Value {
  const { [path]: _, ...others } = row
  return text === '' ? others : { ...row, [path]: text }
}
