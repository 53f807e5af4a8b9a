/**
 * The catalog: the configuration, compiled once for calls; immutable, replaced by one assignment. A serving process
 * compiles in small steps (specification 13.7).
 */

import type { MessageDefinition } from '../model/content/message-definition.ts'
import type { Deprecation } from '../model/deprecation.ts'
import type { DocumentTemplate } from '../model/document-template.ts'
import { type Fallbacks, openFallbacks } from '../model/fallbacks.ts'
import type { HandlerClass } from '../model/handler.ts'
import type { Limit } from '../model/limit.ts'
import type { Operation } from '../model/operation.ts'
import { operationIdOf, segmentOf } from '../model/operation-name.ts'
import type { Method } from '../model/operation-terms.ts'
import { buildDocument } from './build-document.ts'
import { aliasesOf } from './canonical.ts'
import { anonymousNode } from './check-configuration.ts'
import { compileLimits } from './compile-limits.ts'
import { compileOperation } from './compile-operation.ts'
import type { Configuration, OperationDefinition } from './configuration.ts'
import { compileDeprecation } from './deprecated-schema.ts'
import { listGenerated } from './generated-operations.ts'
import { type Handlers, handlerKeyOf } from './list-references.ts'

export interface Catalog {
  readonly configuration: Configuration
  /** The number of its revision; undefined if files are served. */
  readonly revision: number | undefined
  /** Names of the active nodes, the default local node among them. */
  readonly nodes: ReadonlySet<string>
  readonly defaultNode: string
  /** The ANONYMOUS node's default user. */
  readonly anonymousOperatorId: string | undefined
  /** Active operations by their segment in URLs, then by method. */
  readonly services: ReadonlyMap<string, ReadonlyMap<Method, Operation>>
  /** By id. Features choose the ids of the operations that they make: `NODE_METHOD.upstream`. */
  readonly operations: ReadonlyMap<string, Operation>
  readonly fallbacks: Fallbacks
  readonly routings: readonly Routing[]
  /** The classes that the configuration names, for features. */
  readonly handlers: Handlers
  /** Permission lists by name → ids of the operations they permit. */
  readonly permissionLists: ReadonlyMap<string, ReadonlySet<string>>
  /** The limits by name. */
  readonly limits: ReadonlyMap<string, Limit>
}

/** Generated, read-only: one per operation. */
export interface Routing {
  readonly operationId: string
  readonly description: 'Any to default local node'
  readonly node: string
}

/**
 * @param configuration as `parseConfiguration` returned it
 * @param handlers all that the configuration names
 * @throws Error if the two do not match
 */
export function compileCatalog(configuration: Configuration, handlers: Handlers): Catalog {
  const steps = compileSteps(configuration, handlers)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** The same, one step for each operation, so that calls can run in between. */
export function* compileSteps(
  configuration: Configuration,
  handlers: Handlers,
  revision?: number,
): Generator<void, Catalog> {
  const { nodes } = configuration
  const defaultNode = required(nodes.find(({ isDefaultLocal }) => isDefaultLocal)?.name, 'default local node')
  const aliases = aliasesOf(configuration)
  yield
  const documents = compileDocuments(configuration)
  yield
  const permissions = yield* compilePermissions(configuration)
  const deprecations = compileDeprecations(configuration, aliases)
  const limits = compileLimits(configuration.limits)
  const shareMessage = shareMessages()
  yield

  const services = new Map<string, Map<Method, Operation>>()
  const operations = new Map<string, Operation>()
  for (const definition of configuration.operations) {
    const { name, method, service, isActive, documentTemplate } = definition
    const id = operationIdOf(definition)
    const alias = aliases.get(name) ?? name
    const operation = compileOperation(definition, {
      id,
      alias,
      document: documentTemplate ? required(documents.get(documentTemplate), documentTemplate) : undefined,
      handler: required(handlers.get(handlerKeyOf(definition)) as HandlerClass | undefined, `handler of ${id}`),
      permittedBy: permissions.listsOf(id, service),
      deprecation: deprecations.get(id),
      limits: limits.of(id, service),
      shareMessage,
    })
    operations.set(id, operation)
    yield
    if (!isActive) continue
    const byMethod = services.get(operation.segment) ?? new Map<Method, Operation>()
    services.set(operation.segment, byMethod.set(method, operation))
  }

  const ids = [...operations.keys()]
  const generated = listGenerated(configuration).map(({ id, alias, definition, permissionLists = [], ...made }) =>
    compileOperation(definition, {
      ...made,
      id,
      alias,
      handler: required(handlers.get(handlerKeyOf(definition)) as HandlerClass | undefined, `handler of ${id}`),
      permittedBy: new Set([...permissionLists, ...permissions.listsOf(id, '')]),
      limits: limits.of(id, ''),
      shareMessage,
    }),
  )
  const fallbacks = openFallbacks(
    generated.filter(({ ofNode }) => ofNode !== undefined),
    operations.values(),
  )
  for (const operation of generated) operations.set(operation.id, operation)
  yield

  const active = nodes.filter(({ isActive }) => isActive)
  return Object.freeze({
    configuration,
    revision,
    nodes: new Set(active.map(({ name }) => name)),
    defaultNode,
    anonymousOperatorId: active.find(({ name }) => name === anonymousNode)?.defaultUser,
    services,
    operations,
    fallbacks,
    routings: ids.map(
      (operationId): Routing => ({ operationId, description: 'Any to default local node', node: defaultNode }),
    ),
    handlers,
    permissionLists: permissions.lists,
    limits: limits.byName,
  })
}

function required<Value>(value: Value | undefined, what: string): Value {
  if (value === undefined) throw new Error(`The configuration has no ${what}: it was not validated`)
  return value
}

/** Most of many operations have the same messages: what calls of different operations read is the same object. */
function shareMessages(): (message: MessageDefinition) => MessageDefinition {
  const shared = new Map<string, MessageDefinition>()
  return (message) => {
    const { kind, contentType, httpCode, description, examples } = message
    if (description !== undefined || examples !== undefined) return message
    const key = `${kind} ${httpCode} ${contentType}`
    const one = shared.get(key) ?? message
    shared.set(key, one)
    return one
  }
}

/** The deprecations by the id of the operation. */
function compileDeprecations(
  { operations }: Configuration,
  aliases: ReadonlyMap<string, string>,
): ReadonlyMap<string, Deprecation> {
  const concerned = operations.filter(({ deprecated }) => deprecated)
  const named = new Set(concerned.map(({ deprecated }) => deprecated?.successor))
  const heirs = new Map<string, OperationDefinition>()
  for (const operation of named.size > 0 ? operations : []) {
    const id = operationIdOf(operation)
    if (named.has(id)) heirs.set(id, operation)
  }
  const deprecations = new Map<string, Deprecation>()
  for (const { deprecated, ...operation } of concerned) {
    if (!deprecated) continue
    const heir = heirs.get(deprecated.successor ?? '')
    const segment = heir && segmentOf({ alias: aliases.get(heir.name) ?? heir.name, version: heir.version })
    const keepsPath = operation.uriTemplates.every((source) => heir?.uriTemplates.includes(source))
    const successor = segment === undefined ? deprecated.successor : { segment, keepsPath }
    deprecations.set(operationIdOf(operation), compileDeprecation(deprecated, successor))
  }
  return deprecations
}

/** The documents by the name of the message that is built on them. */
function compileDocuments({ documents, messages }: Configuration): ReadonlyMap<string, DocumentTemplate> {
  const byName = new Map(documents.map((document) => [document.name, buildDocument(document)]))
  return new Map(messages.map(({ name, document }) => [name, required(byName.get(document), `document ${document}`)]))
}

/** Equal sets are shared: a list that is one service, an operation that no list names. */
function* compilePermissions({ permissionLists, operations }: Configuration) {
  const idsOfService = Map.groupBy(operations, ({ service }) => service)
  const setOfService = new Map(
    [...idsOfService].map(([service, owned]) => [service, new Set(owned.map(operationIdOf))]),
  )
  const none: ReadonlySet<string> = new Set()
  const byService = new Map<string, Set<string>>()
  const byOperation = new Map<string, Set<string>>()
  const lists = new Map<string, ReadonlySet<string>>()
  for (const list of permissionLists) {
    yield
    for (const service of list.services) add(byService, service, list.name)
    for (const id of list.operations) add(byOperation, id, list.name)
    const [only, ...others] = list.services
    const isOneService = only !== undefined && others.length === 0 && list.operations.length === 0
    const all = () =>
      new Set([...list.operations, ...list.services.flatMap((name) => [...(setOfService.get(name) ?? [])])])
    lists.set(list.name, isOneService ? (setOfService.get(only) ?? none) : all())
  }
  const listsOf = (id: string, service: string): ReadonlySet<string> => {
    const ofService = byService.get(service) ?? none
    const own = byOperation.get(id)
    return own ? new Set([...own, ...ofService]) : ofService
  }
  return { lists, listsOf }
}

function add(sets: Map<string, Set<string>>, key: string, value: string): void {
  const set = sets.get(key)
  if (set) set.add(value)
  else sets.set(key, new Set([value]))
}
