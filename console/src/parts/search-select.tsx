/** A select that searches while typing and keeps its value in the URL, even one that is no longer found. */
import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useParameter } from '../router.tsx'
import { typingPause } from './typing-pause.ts'

interface Props {
  readonly name: string
  readonly label: string
  /** A hook. */
  useFound(search: string): { readonly data: { readonly items: readonly { readonly id: string }[] } | undefined }
}

export function SearchSelect({ name, label, useFound }: Props) {
  const [value, setValue] = useParameter(name)
  const [search, setSearch] = useState('')
  const [settled] = useDebouncedValue(search, typingPause)
  const ids = useFound(settled === value ? '' : settled).data?.items.map(({ id }) => id) ?? []
  return (
    <Select
      aria-label={label}
      placeholder={label}
      data={value === '' || ids.includes(value) ? ids : [value, ...ids]}
      value={value === '' ? null : value}
      onChange={(next) => setValue(next ?? '')}
      searchable
      onSearchChange={setSearch}
      filter={({ options }) => options}
      nothingFoundMessage="No matches"
      clearable
      clearButtonProps={{ 'aria-label': `Clear ${label.toLowerCase()}` }}
      style={{ flex: '1 1 180px' }}
      maw={260}
    />
  )
}
