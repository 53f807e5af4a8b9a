/** Offers the operations and their URI templates, with a field for each variable, and writes the URL. */
import { Group, Select, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'
import { segmentOf } from '../../../../src/model/operation-name.ts'
import type { OperationEntry } from '../../api/configuration.ts'
import { type Item, useItem, useItems } from '../../api/items.ts'
import { typingPause } from '../../parts/typing-pause.ts'
import { useParameter } from '../../router.tsx'
import type { Trial, Verification } from '../../trial.ts'
import { fillTemplate, variablesOf } from '../../uri-variables.ts'

/** In a draft, what has a default may be missing. */
type Operation = Pick<Item, 'id'> & { readonly value: Partial<OperationEntry['value']> }

interface Props {
  /** Empty for the active configuration. */
  readonly draft: string
  onChange(chosen: Partial<Pick<Trial, 'method' | 'path'>> & { readonly verification?: Verification }): void
}

export function ChooseOperation({ draft, onChange }: Props) {
  const [search, setSearch] = useState('')
  const [settled] = useDebouncedValue(search, typingPause)
  const [operation, setOperation] = useState<Operation>()
  const [template, setTemplate] = useState('')
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const [startId] = useParameter('operation')
  const [startPath] = useParameter('path')
  const start: Operation | undefined = useItem('operations', draft, startId).data
  const first = useRef<HTMLInputElement>(null)
  const wantsFocus = useRef(false)
  useEffect(() => {
    if (!start || operation) return
    if (startPath !== '') return choose(start, '', {})
    write(start, start.value.uriTemplates?.[0] ?? '', {})
    wantsFocus.current = true // once the field is rendered
  })
  useEffect(() => {
    if (!wantsFocus.current || !first.current) return
    first.current.focus()
    wantsFocus.current = false
  })
  const isChosen = settled === operation?.id
  const query = { limit: 50, ...(settled !== '' && !isChosen && { search: settled }) }
  const found: readonly Operation[] = useItems('operations', draft, query).data?.items ?? []
  const templates = operation?.value.uriTemplates ?? []
  const ids = found.map(({ id }) => id)
  const choose = (of: Operation, chosen: string, given: Readonly<Record<string, string>>) => {
    setOperation(of)
    setTemplate(chosen)
    setValues(given)
    onChange({ verification: of.value.verification })
  }
  const write = (of: Operation, chosen: string, given: Readonly<Record<string, string>>) => {
    choose(of, chosen, given)
    const { name = '', alias = name, version = 'v1', method, verification } = of.value
    onChange({
      verification,
      method,
      path: `/${segmentOf({ alias, version })}/${fillTemplate(chosen.replace(/^\//, ''), given)}`,
    })
  }
  return (
    <>
      <Group gap="sm" grow>
        <Select
          label="Operation"
          placeholder="Any"
          data={operation && !ids.includes(operation.id) ? [operation.id, ...ids] : ids}
          value={operation?.id ?? null}
          onChange={(id) => {
            const next = found.find((each) => each.id === id)
            if (next) write(next, next.value.uriTemplates?.[0] ?? '', {})
          }}
          searchable
          onSearchChange={setSearch}
          onClick={(event) => event.currentTarget.select()}
          filter={({ options }) => options}
          nothingFoundMessage="No matches"
        />
        {operation && templates.length > 1 && (
          <Select
            label="URI template"
            data={[...new Set(templates)]}
            value={template}
            onChange={(next) => next !== null && write(operation, next, values)}
            allowDeselect={false}
          />
        )}
      </Group>
      {operation && template.includes('{') && (
        <Group gap="sm">
          {variablesOf([template]).map(({ name: variable, isCollection }, at) => (
            <TextInput
              key={variable}
              ref={at === 0 ? first : undefined}
              label={isCollection ? `${variable}, separated by commas` : variable}
              value={values[variable] ?? ''}
              onChange={({ currentTarget }) =>
                write(operation, template, { ...values, [variable]: currentTarget.value })
              }
            />
          ))}
        </Group>
      )}
    </>
  )
}
