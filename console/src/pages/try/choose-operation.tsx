/** Offers the operations and their URI templates, with a field for each variable, and writes the URL. */
import { Group, Select, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { type OperationEntry, useOperations } from '../../api/configuration.ts'
import type { Trial } from './trial.ts'

interface Props {
  onChange(chosen: Pick<Trial, 'method' | 'path'>): void
}

export function ChooseOperation({ onChange }: Props) {
  const [search, setSearch] = useState('')
  const [settled] = useDebouncedValue(search, 200)
  const [operation, setOperation] = useState<OperationEntry>()
  const [template, setTemplate] = useState('')
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const isChosen = settled === operation?.id
  const found = useOperations({ limit: 50, ...(settled !== '' && !isChosen && { search: settled }) }).data?.items ?? []
  const templates = operation?.value.uriTemplates ?? []
  const ids = found.map(({ id }) => id)
  const write = (of: OperationEntry, chosen: string, given: Readonly<Record<string, string>>) => {
    setOperation(of)
    setTemplate(chosen)
    setValues(given)
    const { alias, name, version = 'v1', method } = of.value
    onChange({ method, path: `/${alias ?? name}.${version}/${fill(chosen, given)}` })
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
          {variablesOf(template).map((variable) => (
            <TextInput
              key={variable}
              label={variable}
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

function variablesOf(template: string): readonly string[] {
  return [...new Set([...template.matchAll(/\{([^}]*)\}/g)].map(([, name = '']) => name))]
}

function fill(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/^\//, '').replace(/\{([^}]*)\}/g, (_, name) => encodeURIComponent(values[name] ?? ''))
}
