/** Light and dark colours. */
import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core'

export function useSchemes() {
  const { setColorScheme } = useMantineColorScheme()
  const other = useComputedColorScheme('light') === 'light' ? ('dark' as const) : ('light' as const)
  return { other, toggle: () => setColorScheme(other) }
}
