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
  const [urlOf, laterUrlOf] = [openUrls(before), openUrls(after)]
  const active = after.operations.filter(({ isActive }) => isActive)
  const heirs = new Map(active.map((operation) => [laterUrlOf(operation), operationIdOf(operation)]))
  const added = after.operations.filter((operation) => !operations.has(operationIdOf(operation)))
  const successors = new Map(added.toReversed().map((operation) => [likenessOf(operation), operationIdOf(operation)]))
  const rules: Readonly<Partial<Record<ListName, FindBreach>>> = {
    operations({ kind, id, fields }) {
      const operation = operations.get(id)
      if (!operation?.isActive || kind === 'added') return undefined
      const url = urlOf(operation)
      if (kind === 'removed') {
        const [successor, heir] = [successors.get(likenessOf(operation)), heirs.get(url)]
        const fate = successor ? `is renamed to ${successor}` : 'is removed'
        return `${fate}: clients that call ${url} ${heir ? `reach ${heir}` : 'are refused'}`
      }
      if (!fields.some(({ field }) => field === 'alias')) return undefined
      return `moves from ${url} to ${laterUrlOf(operation)}: clients hold the old URL`
    },
    nodes({ kind, id }) {
      if (kind !== 'removed' || !nodes.get(id)?.isActive || id === 'ANONYMOUS') return undefined
      return 'is removed: clients that have it in their URLs are refused'
    },
  }
  return (change) => rules[change.list]?.(change)
}

function openUrls(configuration: Configuration): (operation: OperationDefinition) => string {
  const aliases = aliasesOf(configuration)
  return ({ method, name, version }) => `${method} ${aliases.get(name) ?? name}.${version}`
}

/** By this a new operation looks like one that is gone. */
function likenessOf(operation: OperationDefinition): string {
  return `${operation.method} ${operation.version} ${handlerKeyOf(operation)}`
}
