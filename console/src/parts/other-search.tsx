/** A filter by a text that stands in the address, under a name of its own. */
import { TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useState } from 'react'
import { useParameter } from '../router.tsx'

export function OtherSearch({ name, label }: { readonly name: string; readonly label: string }) {
  const [value, setValue] = useParameter(name)
  const [text, setText] = useState(value)
  const settle = useDebouncedCallback(setValue, 250)
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value)
        settle(currentTarget.value)
      }}
      style={{ flex: '1 1 160px' }}
      maw={{ base: '100%', sm: 360 }}
    />
  )
}
