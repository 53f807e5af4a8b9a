/** Sorts the items of a list by a field (specification 18.15). */

/**
 * Stable; items without the field come last, in both directions.
 * @param sort `value.method`, `-id`
 */
export function sortItems<Item>(items: readonly Item[], sort: string): readonly Item[] {
  const isDescending = sort.startsWith('-')
  const path = sort.slice(isDescending ? 1 : 0).split('.')
  const keyed = items.map((item) => ({ item, key: readKey(item, path) }))
  const sign = isDescending ? -1 : 1
  keyed.sort((one, other) => {
    if (one.key === undefined || other.key === undefined) {
      return Number(one.key === undefined) - Number(other.key === undefined)
    }
    return one.key < other.key ? -sign : one.key > other.key ? sign : 0
  })
  return keyed.map(({ item }) => item)
}

/** What `<` compares as a person expects: numbers and flags as they are, everything else as text in lower case. */
function readKey(item: unknown, path: readonly string[]): string | number | boolean | undefined {
  const value = path.reduce<unknown>((inner, key) => {
    return typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key)
      ? (inner as Readonly<Record<string, unknown>>)[key]
      : undefined
  }, item)
  if (typeof value === 'number' || typeof value === 'boolean') return value
  const text = String(value ?? '').toLowerCase() // also of an empty list
  return text === '' ? undefined : text
}
