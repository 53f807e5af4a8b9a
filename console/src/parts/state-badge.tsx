/** What a draft does to an item. */
import { Badge } from '@mantine/core'
import type { Item } from '../api/items.ts'

const colours = { added: 'green.9', changed: 'blue', removed: 'red.9' } as const

export function StateBadge({ state }: Pick<Item, 'state'>) {
  return state === 'unchanged' ? null : <Badge color={colours[state]}>{state}</Badge>
}
