/** The elements of a document, one row each; renaming keeps the position. */
import {
  Button,
  Checkbox,
  Group,
  NumberInput,
  Paper,
  Select,
  Stack,
  TagsInput,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { useState } from 'react'
import type { FieldProblem, Schemas } from '../api/client.ts'
import type { Value } from '../lists.ts'
import { errorOf } from './find-error.ts'

type Type = Schemas['DocumentInput']['elements'][string]['type']
export const elementTypes: readonly Type[] = [
  'Binary',
  'Boolean',
  'Character',
  'Date',
  'DateTime',
  'Decimal',
  'Integer',
  'String',
  'Text',
  'Time',
]

interface Props {
  readonly elements: Value
  readonly problems: readonly FieldProblem[]
  readonly isReadOnly: boolean
  onChange(elements: Value): void
}

interface Element {
  readonly type?: string
  readonly length?: number
  readonly isCollection?: boolean
  readonly isRequired?: boolean
  readonly values?: string[]
  readonly minimum?: string | number
  readonly maximum?: string | number
  readonly pattern?: string
  readonly description?: string
  readonly examples?: string[]
}

/** Texts of an element; bounds are only for numbers. */
const texts = [
  { key: 'minimum', label: 'Minimum', width: 110, isBound: true },
  { key: 'maximum', label: 'Maximum', width: 110, isBound: true },
  { key: 'pattern', label: 'Pattern (RE2)', width: 180, isBound: false },
  { key: 'description', label: 'Description', width: 260, isBound: false },
] as const

export function Elements({ elements, problems, isReadOnly, onChange }: Props) {
  const entries = Object.entries(elements) as [string, Element][]
  const replace = (at: number, entry: readonly [string, Element]) =>
    onChange(Object.fromEntries(entries.map((old, index) => (index === at ? entry : old))))
  const [added, setAdded] = useState('')
  return (
    <Stack gap="sm">
      <Title order={2}>Elements</Title>
      {entries.map(([name, element], at) => {
        const set = (change: Partial<Element>) =>
          replace(at, [name, JSON.parse(JSON.stringify({ ...element, ...change })) as Element])
        return (
          <Paper key={name} withBorder p="sm" role="group" aria-label={`Element ${name}`}>
            <Group justify="space-between" mb="xs">
              <Text fw={600} className="mono">
                {name}
              </Text>
              {!isReadOnly && (
                <Button
                  size="xs"
                  variant="default"
                  aria-label={`Remove ${name}`}
                  onClick={() => onChange(Object.fromEntries(entries.filter((_, index) => index !== at)))}
                >
                  Remove
                </Button>
              )}
            </Group>
            <Group align="flex-end" gap="sm">
              <Select
                label="Type"
                data={[...elementTypes]}
                value={element.type ?? null}
                readOnly={isReadOnly}
                allowDeselect={false}
                onChange={(type) => set({ type: type ?? 'String' })}
                w={130}
              />
              <NumberInput
                label="Length"
                value={element.length ?? ''}
                readOnly={isReadOnly}
                hideControls
                onChange={(length) => set({ length: typeof length === 'number' ? length : undefined })}
                w={90}
              />
              <TagsInput
                label="Allowed values"
                value={element.values ?? []}
                readOnly={isReadOnly}
                onChange={(values) => set({ values: values.length > 0 ? values : undefined })}
                style={{ flex: '1 1 160px', minWidth: 0, maxWidth: '100%' }}
              />
              <Checkbox
                pb={8}
                label="Required"
                checked={element.isRequired ?? false}
                disabled={isReadOnly}
                onChange={(event) => set({ isRequired: event.currentTarget.checked })}
              />
              <Checkbox
                pb={8}
                label="Collection"
                checked={element.isCollection ?? false}
                disabled={isReadOnly}
                onChange={(event) => set({ isCollection: event.currentTarget.checked })}
              />
            </Group>
            <Group align="flex-end" gap="sm" mt="xs">
              {texts
                .filter(({ isBound }) => !isBound || element.type === 'Integer' || element.type === 'Decimal')
                .map(({ key, label, width }) => (
                  <TextInput
                    key={key}
                    label={label}
                    value={String(element[key] ?? '')}
                    readOnly={isReadOnly}
                    autoComplete="off"
                    onChange={({ currentTarget }) => set({ [key]: currentTarget.value || undefined })}
                    w={width}
                    maw="100%"
                  />
                ))}
              <TagsInput
                label="Examples"
                value={element.examples ?? []}
                readOnly={isReadOnly}
                onChange={(examples) => set({ examples: examples.length > 0 ? examples : undefined })}
                style={{ flex: '1 1 160px', minWidth: 0, maxWidth: '100%' }}
              />
            </Group>
            <FieldError text={errorOf(problems, `elements.${name}`)} />
          </Paper>
        )
      })}
      {entries.length === 0 && <Text size="sm">None yet.</Text>}
      {!isReadOnly && (
        <Group align="flex-end">
          <TextInput label="New element" value={added} onChange={(event) => setAdded(event.currentTarget.value)} />
          <Button
            variant="default"
            disabled={added === '' || Object.hasOwn(elements, added)}
            onClick={() => {
              onChange({ ...elements, [added]: { type: 'String' } })
              setAdded('')
            }}
          >
            Add
          </Button>
        </Group>
      )}
    </Stack>
  )
}

export function FieldError({ text }: { readonly text: string | undefined }) {
  if (text === undefined) return null
  return (
    <Text size="xs" c="var(--mantine-color-error)" role="alert" mt={4}>
      {text}
    </Text>
  )
}
