/** What uses an item of the configuration, or an operator: the references between the lists (specification 18.14). */
import { listContributions } from '../features.ts'
import type { itemSchemas } from './configuration.ts'

type List = keyof typeof itemSchemas
type Item = Readonly<Record<string, unknown>>

/** The fields of each list that name items of another list. */
export type References = Readonly<Partial<Record<List, Readonly<Record<string, List | 'operators'>>>>>

const references: References = {
  operations: {
    service: 'services',
    documentTemplate: 'messages',
    'requestMessage.document': 'documents',
    'responseMessage.document': 'documents',
    'faultMessage.document': 'documents',
    'deprecated.successor': 'operations',
  },
  messages: { document: 'documents' },
  nodes: { defaultUser: 'operators' },
  permissionLists: { services: 'services', operations: 'operations' },
  limits: { services: 'services', operations: 'operations', operators: 'operators', exceptOperators: 'operators' },
}

const all = [references, ...listContributions<References>('references')]

export interface Use {
  readonly list: List
  readonly id: string
  /** The field that names the item. */
  readonly field: string
}

/**
 * In the order of the lists. An operation is also used where its service is, because that includes it.
 * @param lists items with their ids; drafts may have invalid ones
 */
export function* findUses(
  lists: Iterable<readonly [List, Iterable<readonly [id: string, item: Item]>]>,
  of: List | 'operators',
  id: string,
  service?: unknown,
): Generator<Use> {
  for (const [list, items] of lists) {
    const fields = all.flatMap((part) => Object.entries(part[list] ?? {}))
    for (const [user, item] of items) {
      for (const [field, target] of fields) {
        const names = readField(item, field)
        const isNamed = target === of && names.includes(id)
        const hasService = of === 'operations' && target === 'services' && list !== 'operations'
        if (isNamed || (hasService && service !== undefined && names.includes(service))) yield { list, id: user, field }
      }
    }
  }
}

/** How many items name each of these, in one pass over the lists. */
export function countUses(
  lists: Iterable<readonly [List, Iterable<readonly [id: string, item: Item]>]>,
  of: List,
  ids: readonly string[],
): ReadonlyMap<string, number> {
  const counts = new Map(ids.map((id) => [id, 0]))
  for (const [list, items] of lists) {
    const fields = all.flatMap((part) => Object.entries(part[list] ?? {})).filter(([, target]) => target === of)
    if (fields.length === 0) continue
    for (const [, item] of items)
      for (const name of new Set(fields.flatMap(([field]) => readField(item, field)))) {
        const count = counts.get(name as string)
        if (count !== undefined) counts.set(name as string, count + 1)
      }
  }
  return counts
}

function readField(item: Item, path: string): readonly unknown[] {
  const value = path.split('.').reduce<unknown>((inner, key) => (inner as Item | undefined)?.[key], item)
  return Array.isArray(value) ? value : [value]
}
