/** One of many that are searched for while typing, under a name in the address; what is not found any more can still stand there. */
import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useParameter } from '../router.tsx'

interface Props {
  readonly name: string
  readonly label: string
  /** A hook. */
  useFound(search: string): { readonly data: { readonly items: readonly { readonly id: string }[] } | undefined }
}

export function ChooseFound({ name, label, useFound }: Props) {
  const [value, setValue] = useParameter(name)
  const [search, setSearch] = useState('')
  const [settled] = useDebouncedValue(search, 200)
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
      nothingFoundMessage="None is called so"
      clearable
      clearButtonProps={{ 'aria-label': `Any ${label.toLowerCase()}` }}
      style={{ flex: '1 1 180px' }}
      maw={260}
    />
  )
}
