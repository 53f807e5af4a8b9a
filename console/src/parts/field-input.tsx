/** The input of a field by its kind, with its error below (specification 19.7). */
import {
  Autocomplete,
  NumberInput,
  Radio,
  Select,
  SimpleGrid,
  Switch,
  TagsInput,
  Textarea,
  TextInput,
} from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { memo, useState } from 'react'
import type { FieldProblem } from '../api/client.ts'
import { useItems } from '../api/items.ts'
import { useCurrentDraft } from '../current-draft.tsx'
import { type Field, getField, type ListName, type Value } from '../lists.ts'
import { Elements } from './elements.tsx'
import { errorOf } from './find-error.ts'
import { PasswordField } from './password-field.tsx'
import { Rows } from './rows.tsx'
import { typingPause } from './typing-pause.ts'

interface Props {
  readonly field: Field
  readonly value: Value
  readonly problems: readonly FieldProblem[]
  readonly isReadOnly: boolean
  /** It has the focus when the form opens. */
  readonly isFirst?: boolean
  onChange(path: string, value: unknown): void
}

/** Rendered again only if its own value or error changes: a form has dozens, and each query of its page renders it. */
export const FieldInput = memo(Input, (one, other) => {
  const { path } = one.field
  return (
    one.field === other.field &&
    one.isReadOnly === other.isReadOnly &&
    one.onChange === other.onChange &&
    getField(one.value, path) === getField(other.value, path) &&
    (one.problems === other.problems || JSON.stringify(one.problems) === JSON.stringify(other.problems))
  )
})

function Input({ field, value, problems, isReadOnly, isFirst = false, onChange }: Props) {
  const {
    path,
    label,
    missing,
    kind,
    fallback,
    options = [],
    meanings = {},
    of = 'operations',
    isRequired = false,
  } = field
  const present = getField(value, path)
  const isMissing = missing !== undefined && (present === undefined || (Array.isArray(present) && present.length === 0))
  const texts = [field.help, kind === 'lines' && 'One per line', isMissing && missing].filter(Boolean)
  const help = texts.length > 0 ? texts.join('. ') : undefined
  const set = (next: unknown) => onChange(path, next === '' ? undefined : next)
  const error = errorOf(problems, path)
  const shown = { label, description: help, error, readOnly: isReadOnly, 'data-autofocus': isFirst || undefined }
  const common = isRequired ? { ...shown, withAsterisk: true, 'aria-required': true } : shown
  const text = present === undefined ? '' : String(present)
  const placeholder = fallback === undefined ? {} : { placeholder: String(fallback) }
  if (kind === 'switch') {
    return (
      <Switch
        label={label}
        description={help}
        error={error}
        checked={Boolean(present ?? fallback)}
        disabled={isReadOnly}
        onChange={(event) => set(event.currentTarget.checked)}
      />
    )
  }
  if (kind === 'select') {
    return (
      <Select
        {...common}
        {...placeholder}
        data={[...options]}
        value={present === undefined ? (fallback === undefined ? null : String(fallback)) : text}
        onChange={(next) => set(next ?? undefined)}
        clearable={fallback === undefined && !isReadOnly && path !== 'method'}
        clearButtonProps={{ 'aria-label': `Clear ${label}` }}
        allowDeselect={false}
      />
    )
  }
  if (kind === 'choice') {
    return (
      <Radio.Group {...shown} withAsterisk={isRequired} value={text} onChange={set}>
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xs" mt="xs">
          {options.map((option) => (
            <Radio key={option} value={option} label={option} description={meanings[option]} disabled={isReadOnly} />
          ))}
        </SimpleGrid>
      </Radio.Group>
    )
  }
  if (kind === 'number') {
    return (
      <NumberInput
        {...common}
        {...placeholder}
        value={typeof present === 'number' ? present : ''}
        onChange={(next) => set(next)}
        hideControls
      />
    )
  }
  if (kind === 'area') {
    return <Textarea {...common} value={text} onChange={(event) => set(event.currentTarget.value)} rows={1} />
  }
  if (kind === 'lines') {
    const lines = Array.isArray(present) ? present.join('\n') : ''
    return (
      <Textarea
        {...common}
        value={lines}
        onChange={({ currentTarget }) => set(currentTarget.value === '' ? undefined : currentTarget.value.split('\n'))}
        rows={1}
      />
    )
  }
  if (kind === 'password') return <PasswordField {...common} value={text} onChange={set} />
  if (kind === 'reference') return <Reference {...common} of={of} value={text} onChange={set} />
  if (kind === 'references') {
    return <References {...common} of={of} value={Array.isArray(present) ? (present as string[]) : []} onChange={set} />
  }
  if (kind === 'elements') {
    return <Elements elements={(present ?? {}) as Value} problems={problems} isReadOnly={isReadOnly} onChange={set} />
  }
  if (kind === 'rows') {
    const rows = Array.isArray(present) ? (present as Value[]) : []
    return <Rows {...common} columns={field.columns ?? []} rows={rows} onChange={set} />
  }
  if (kind === 'text' && options.length > 0)
    return (
      <Autocomplete
        {...common}
        {...placeholder}
        data={[...options]}
        filter={({ options: all }) => all}
        value={text}
        onChange={set}
      />
    )
  return (
    <TextInput
      {...common}
      {...placeholder}
      value={text}
      onChange={(event) => set(event.currentTarget.value)}
      autoComplete="off"
    />
  )
}

interface ReferenceProps<Chosen> {
  readonly label: string
  readonly description: string | undefined
  readonly error: string | undefined
  readonly readOnly: boolean
  readonly of: ListName
  readonly value: Chosen
  onChange(value: Chosen): void
}

/** Accepts free text, because the referenced item may be added later. */
function Reference({ of, ...rest }: ReferenceProps<string>) {
  return <Autocomplete {...rest} data={useNames(of, rest.value)} />
}

function References({ of, ...rest }: ReferenceProps<string[]>) {
  const [search, setSearch] = useState('')
  return (
    <TagsInput
      {...rest}
      data={useNames(of, search).filter((name) => !rest.value.includes(name))}
      searchValue={search}
      onSearchChange={setSearch}
    />
  )
}

function useNames(of: ListName, search: string): string[] {
  const { draft } = useCurrentDraft()
  const [settled] = useDebouncedValue(search, typingPause)
  const { data } = useItems(of, draft, { limit: 50, ...(settled !== '' && { search: settled }) })
  return (data?.items ?? []).filter(({ state }) => state !== 'removed').map(({ id }) => id)
}
