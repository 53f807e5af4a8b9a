/**
 * The canonical form of a configuration: the order of keys and of list items does not affect it (specification 13.2).
 */
import { listsOfFeatures, mergeContributions } from '../features.ts'
import { operationIdOf } from '../model/operation-name.ts'
import type { Configuration, itemSchemas, OperationDefinition } from './configuration.ts'
import type { ListRow } from './list-row.ts'

/** `gateway` has the fields of the configuration that are no lists, each as an item. */
export type ListName = keyof typeof itemSchemas | 'gateway'

export interface CanonicalItem {
  readonly list: ListName
  /** What identifies it in its list. */
  readonly id: string
  /** Field by field, in order, as JSON: see `fieldsOf`. */
  readonly text: string
}

/** Sorted by list and id. */
export function* canonicalSteps(configuration: Configuration): Generator<void, readonly CanonicalItem[]> {
  const aliases = aliasesOf(configuration)
  const all: CanonicalItem[] = []
  const { databaseValues } = configuration
  if (databaseValues !== undefined)
    all.push({
      list: 'gateway',
      id: 'databaseValues',
      text: JSON.stringify([['value', JSON.stringify(databaseValues)]]),
    })
  for (const list of listNames) {
    const items: CanonicalItem[] = []
    for (const item of configuration[list]) {
      const id = idOf(list, item)
      const stated = 'method' in item ? { ...item, alias: aliases.get(item.name) ?? item.name } : item
      items.push({ list, id, text: JSON.stringify([...new Map([...flatten(stated, '')].sort(byKey))]) })
      yield
    }
    for (const item of items.sort((a, b) => (a.id < b.id ? -1 : 1))) all.push(item)
  }
  return all
}

/** Fields of nested objects by their path: `responseMessage.contentType` → JSON. */
export function fieldsOf({ text }: CanonicalItem): ReadonlyMap<string, string> {
  return new Map(JSON.parse(text) as readonly [string, string][])
}

export const listNames: readonly Exclude<ListName, 'gateway'>[] = [
  'operations',
  'services',
  'permissionLists',
  'nodes',
  'documents',
  'messages',
  'oauth2ServiceApps',
  ...listsOfFeatures,
  'limits',
]

const rows: Readonly<Record<string, ListRow>> = mergeContributions('lists')

/** The field that identifies the items of a list. */
export function idFieldOf(list: string): string {
  return rows[list]?.id ?? 'name'
}

/** Drafts may leave out the version of an operation. */
export function idOf(list: string, item: object): string {
  if (list !== 'operations') return String(Reflect.get(item, idFieldOf(list)))
  return operationIdOf({ version: 'v1', ...(item as Pick<OperationDefinition, 'name' | 'method'>) })
}

/** By name: one alias for all of its operations, set at any of them. */
export function aliasesOf({ operations }: Configuration): ReadonlyMap<string, string> {
  return new Map(operations.flatMap(({ name, alias }) => (alias ? [[name, alias] as const] : [])))
}

/**
 * Lists whose order has no meaning: those of permission lists, service apps, limits and nodes, and the enumerated
 * values of an element.
 */
const sets =
  /^(?:by|exceptOperators|operations|operators|services|audience|scopes|elements\.\w+\.values|\w+\.permissionLists)$/

function* flatten(value: object, path: string): Generator<[string, string]> {
  for (const [key, field] of Object.entries(value)) {
    const place = path === '' ? key : `${path}.${key}`
    if (field === undefined) continue
    if (Array.isArray(field))
      yield [place, JSON.stringify(sets.test(place) ? [...new Set(field)].sort() : field, sortKeys)]
    else if (typeof field === 'object' && field !== null) yield* flatten(field, place)
    else yield [place, JSON.stringify(field)]
  }
}

/** A replacer that sorts keys: their order has no meaning either. */
function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(byKey))
}

function byKey([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1
}
