/** A text filter that keeps its value in the URL. */
import { TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'
import { useParameter } from '../router.tsx'
import { typingPause } from './typing-pause.ts'

interface Props {
  readonly name: string
  readonly label: string
  /** Shows the label above the input. */
  readonly isLabelled?: boolean
}

export function TextFilter({ name, label, isLabelled = false }: Props) {
  const [value, setValue] = useParameter(name)
  const [text, setText] = useState(value)
  const own = useRef(value)
  const settle = useDebouncedCallback((next: string) => {
    own.current = next
    setValue(next)
  }, typingPause)
  useEffect(() => {
    if (value !== own.current) setText(value) // set by a link or by another component
    own.current = value
  }, [value])
  return (
    <TextInput
      type="search"
      {...(isLabelled ? { label } : { 'aria-label': label, placeholder: label })}
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
