/**
 * Parts of a long form, each rendered after the one before is painted: so none keeps a finger waiting for all of them.
 */
import { Stack } from '@mantine/core'
import { type ReactNode, startTransition, useEffect, useState } from 'react'

interface Props {
  /** How many are there at once. */
  readonly first: number
  readonly children: readonly ReactNode[]
}

export function InTurn({ first, children }: Props) {
  const [count, setCount] = useState(first)
  const shown = Math.max(count, first)
  const isWhole = shown >= children.length
  useEffect(() => {
    if (!isWhole) startTransition(() => setCount(count + 1))
  }, [count, isWhole])
  // What is below the parts is not moved by them
  return <Stack {...(!isWhole && { mih: '100vh' })}>{children.slice(0, shown)}</Stack>
}
