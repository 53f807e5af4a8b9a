/**
 * The differences between two configurations, and which of them break the URLs that clients use (specification 2.30,
 * 13.3, 13.4).
 */
import { atOnce } from '../base/at-once.ts'
import { listContributions, mapContributions } from '../features.ts'
import { operationIdOf, segmentOf } from '../model/operation-name.ts'
import { aliasesOf, type CanonicalItem, canonicalSteps, fieldsOf, type ListName, listNames } from './canonical.ts'
import type { Configuration, OperationDefinition } from './configuration.ts'
import { findNarrowed, openUsers } from './find-narrowed.ts'
import { handlerKeyOf } from './list-references.ts'

export interface Change {
  readonly kind: 'added' | 'removed' | 'changed'
  readonly list: ListName
  /** The id of an operation, the name of anything else. */
  readonly id: string
  /** Of a changed item: its changed fields, in order; of an added one all, if they are asked for. */
  readonly fields: readonly FieldChange[]
  /** Why clients of a URL would no longer reach the same operation, or be refused: needs `--force`. */
  readonly breaks?: string
}

export interface FieldChange {
  /** `responseMessage.contentType` */
  readonly field: string
  /** Undefined if omitted. */
  readonly before: unknown
  readonly after: unknown
}

/** What a first revision is compared with. */
export const noConfiguration: Configuration = {
  nodes: [],
  documents: [],
  messages: [],
  services: [],
  operations: [],
  permissionLists: [],
  oauth2ServiceApps: [],
  ...mapContributions('lists', () => []),
  limits: [],
}

/** Sorted by list and id; empty if both are equal. */
export function diffConfigurations(before: Configuration, after: Configuration): readonly Change[] {
  return atOnce(diffSteps(before, after))
}

/**
 * The same, one step for each item, so that calls can run in between.
 * @param described number of added items, from the first, that include their fields
 */
export function* diffSteps(
  before: Configuration,
  after: Configuration,
  { described = 0 } = {},
): Generator<void, readonly Change[]> {
  const gone = new Map<string, CanonicalItem>()
  for (const item of yield* canonicalSteps(before)) {
    gone.set(keyOf(item), item)
    yield
  }
  const found: Change[] = []
  let added = 0
  for (const item of yield* canonicalSteps(after)) {
    const key = keyOf(item)
    const was = gone.get(key)
    if (!was) added += 1
    found.push(...(was ? compare(was, item) : [addition(item, added <= described)]))
    gone.delete(key)
    yield
  }
  for (const { list, id } of gone.values()) found.push(removed(list, id))
  if (found.length === 0) return found
  const findBreach = yield* breachSteps(before, after)
  const changes: Change[] = []
  for (const change of found) {
    const breaks = findBreach(change)
    changes.push(breaks === undefined ? change : { ...change, breaks })
    yield
  }
  const order: readonly string[] = listNames // `gateway`, which is no list, is before all of them
  return changes.sort((a, b) => order.indexOf(a.list) - order.indexOf(b.list) || (a.id < b.id ? -1 : 1))
}

function keyOf({ list, id }: Pick<CanonicalItem, 'list' | 'id'>): string {
  return `${list} ${id}`
}

function removed(list: ListName, id: string): Change {
  return { kind: 'removed', list, id, fields: [] }
}

function addition(item: CanonicalItem, isDescribed: boolean): Change {
  const stated = isDescribed ? [...fieldsOf(item)] : []
  const fields = stated.map(([field, json]) => ({ field, before: undefined, after: read(json) }))
  return { kind: 'added', list: item.list, id: item.id, fields }
}

function compare(before: CanonicalItem, after: CanonicalItem): readonly Change[] {
  const { list, id } = after
  if (before.text === after.text) return []
  const [was, is] = [fieldsOf(before), fieldsOf(after)]
  const fields = [...new Set([...was.keys(), ...is.keys()])]
    .sort()
    .filter((field) => was.get(field) !== is.get(field))
    .map((field) => ({ field, before: read(was.get(field)), after: read(is.get(field)) }))
  return [{ kind: 'changed', list, id, fields }]
}

function read(json: string | undefined): unknown {
  return json === undefined ? undefined : JSON.parse(json)
}

type FindNodeBreach = (fields: readonly FieldChange[], node: Configuration['nodes'][number]) => string | undefined
const nodeBreaches = listContributions<FindNodeBreach>('findNodeBreach')

type FindBreach = (change: Change) => string | undefined

/** Clients know the node, the alias, the version, the method and the values. Inactive operations have no clients. */
function* breachSteps(before: Configuration, after: Configuration): Generator<void, FindBreach> {
  const nodes = new Map(before.nodes.map((node) => [node.name, node]))
  const [urlOf, laterUrlOf] = [openUrls(before), openUrls(after)]
  const operations = new Map<string, OperationDefinition>()
  for (const operation of before.operations) {
    operations.set(operationIdOf(operation), operation)
    yield
  }
  const heirs = new Map<string, string>()
  const successors = new Map<string, string>()
  for (const operation of after.operations.toReversed()) {
    const id = operationIdOf(operation)
    const url = laterUrlOf(operation)
    if (operation.isActive && !heirs.has(url)) heirs.set(url, id)
    if (!operations.has(id)) successors.set(likenessOf(operation), id)
    yield
  }
  let users: ReturnType<typeof openUsers> | undefined
  const usersOf = () => (users ??= openUsers(before))
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
      if (fields.some(({ field }) => field === 'alias'))
        return `moves from ${url} to ${laterUrlOf(operation)}: clients hold the old URL`
      const becomes = (name: string, value: string) =>
        fields.some(({ field, after }) => field === name && after === value)
      if (becomes('unknownParameters', 'refuse'))
        return `refuses unknown parameters: clients that send them to ${url} are refused`
      return becomes('idempotency', 'required')
        ? `requires an Idempotency-Key: clients that call ${url} without one are refused`
        : undefined
    },
    documents({ kind, id, fields }) {
      const narrowed = kind === 'changed' ? findNarrowed(fields) : []
      const [user] = narrowed.length > 0 ? (usersOf().get(id) ?? []) : []
      if (!user) return undefined
      return `accepts less in ${narrowed.join(', ')}: clients of ${urlOf(user)} that send other values are refused`
    },
    nodes({ kind, id, fields }) {
      const node = nodes.get(id)
      if (!node?.isActive || id === 'ANONYMOUS') return undefined
      if (kind === 'removed') return 'is removed: clients that have it in their URLs are refused'
      return nodeBreaches.map((find) => find(fields, node)).find((breach) => breach !== undefined)
    },
  }
  return (change) => rules[change.list]?.(change)
}

function openUrls(configuration: Configuration): (operation: OperationDefinition) => string {
  const aliases = aliasesOf(configuration)
  return ({ method, name, version }) => `${method} ${segmentOf({ alias: aliases.get(name) ?? name, version })}`
}

/** Identifies a new operation that replaces a removed one. */
function likenessOf(operation: OperationDefinition): string {
  return `${operation.method} ${operation.version} ${handlerKeyOf(operation)}`
}

/** For the audit, shortened: the first revision may have ten thousand operations, and the revisions keep them. */
export function summarise(changes: readonly Change[]) {
  return { changes: changes.slice(0, 100), ...(changes.length > 100 && { changesInAll: changes.length }) }
}
