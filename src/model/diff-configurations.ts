/** What is different between two configurations, and which of it breaks the URLs that clients hold (specification 13.3, 13.4). */
import { aliasesOf, type CanonicalItem, canonicalItems, type ListName, operationIdOf } from './canonical.ts'
import type { Configuration, OperationDefinition } from './configuration.ts'
import { handlerKeyOf } from './handler-reference.ts'

export interface Change {
  readonly kind: 'added' | 'removed' | 'changed'
  readonly list: ListName
  /** `ECHO_GET.v1` of an operation, the name of anything else. */
  readonly id: string
  /** Of something changed: which fields, in order. */
  readonly fields: readonly FieldChange[]
  /** Why clients that hold a URL would no longer reach what they called: asks for `--force`. */
  readonly breaks?: string
}

export interface FieldChange {
  /** `responseMessage.contentType` */
  readonly field: string
  /** Undefined where it was, or is, left out. */
  readonly before: unknown
  readonly after: unknown
}

/** Sorted by list and id. Nothing, where both say the same. */
export function diffConfigurations(before: Configuration, after: Configuration): readonly Change[] {
  const earlier = new Map(canonicalItems(before).map((item) => [keyOf(item), item]))
  const later = canonicalItems(after)
  const kept = new Set(later.map(keyOf))
  const changes = [
    ...later.flatMap((item) => compare(earlier.get(keyOf(item)), item)),
    ...[...earlier.values()].filter((item) => !kept.has(keyOf(item))).map(({ list, id }) => removed(list, id)),
  ]
  const order = new Map([...canonicalItems(before), ...later].map(({ list }, index) => [list, index]))
  const findBreach = openBreaches(before, after)
  return changes
    .map((change) => {
      const breaks = findBreach(change)
      return breaks === undefined ? change : { ...change, breaks }
    })
    .sort((a, b) => (order.get(a.list) ?? 0) - (order.get(b.list) ?? 0) || (a.id < b.id ? -1 : 1))
}

function keyOf({ list, id }: Pick<CanonicalItem, 'list' | 'id'>): string {
  return `${list} ${id}`
}

function removed(list: ListName, id: string): Change {
  return { kind: 'removed', list, id, fields: [] }
}

function compare(before: CanonicalItem | undefined, after: CanonicalItem): readonly Change[] {
  const { list, id } = after
  if (!before) return [{ kind: 'added', list, id, fields: [] }]
  if (before.text === after.text) return []
  const names = [...new Set([...before.fields.keys(), ...after.fields.keys()])].sort()
  const fields = names
    .filter((field) => before.fields.get(field) !== after.fields.get(field))
    .map((field) => ({ field, before: read(before.fields.get(field)), after: read(after.fields.get(field)) }))
  return [{ kind: 'changed', list, id, fields }]
}

function read(json: string | undefined): unknown {
  return json === undefined ? undefined : JSON.parse(json)
}

type FindBreach = (change: Change) => string | undefined

/** Clients hold the node, the alias, the version and the method. What was not active, none of them reached. */
function openBreaches(before: Configuration, after: Configuration): FindBreach {
  const operations = new Map(before.operations.map((operation) => [operationIdOf(operation), operation]))
  const nodes = new Map(before.nodes.map((node) => [node.name, node]))
  const aliases = aliasesOf(before)
  const urlOf = (operation: OperationDefinition, known = aliases) =>
    `${operation.method} ${known.get(operation.name) ?? operation.name}.${operation.version}`
  const rules: Readonly<Partial<Record<ListName, FindBreach>>> = {
    operations({ kind, id, fields }) {
      const operation = operations.get(id)
      if (!operation?.isActive || kind === 'added') return undefined
      if (kind === 'removed') {
        const successor = findSuccessor(operation, operations, after)
        return `is ${successor ? `renamed to ${successor}` : 'removed'}: clients that call ${urlOf(operation)} are refused`
      }
      if (!fields.some(({ field }) => field === 'alias')) return undefined
      return `moves from ${urlOf(operation)} to ${urlOf(operation, aliasesOf(after))}: clients hold the old URL`
    },
    nodes({ kind, id }) {
      if (kind !== 'removed' || !nodes.get(id)?.isActive || id === 'ANONYMOUS') return undefined
      return 'is removed: clients that have it in their URLs are refused'
    },
  }
  return (change) => rules[change.list]?.(change)
}

/** The new operation that looks like the one that is gone. */
function findSuccessor(
  gone: OperationDefinition,
  earlier: ReadonlyMap<string, OperationDefinition>,
  { operations }: Configuration,
): string | undefined {
  const isAlike = (other: OperationDefinition) =>
    other.method === gone.method &&
    other.version === gone.version &&
    handlerKeyOf(other) === handlerKeyOf(gone) &&
    !earlier.has(operationIdOf(other))
  const found = operations.find(isAlike)
  return found && operationIdOf(found)
}
