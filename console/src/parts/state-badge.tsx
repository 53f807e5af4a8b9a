/** The state of an item in a draft. */
import { Badge } from '@mantine/core'
import type { Item } from '../api/items.ts'
import { good } from '../theme.ts'

const colours = { added: good, changed: 'cached', removed: 'failed' } as const

export function StateBadge({ state }: Pick<Item, 'state'>) {
  return state === 'unchanged' ? null : <Badge color={colours[state]}>{state}</Badge>
}
