/**
 * The rules of a configuration that involve several places (specification 2.5 to 2.15, 2.21, 3.16). They see only valid
 * fields: an invalid one is null and already reported.
 */

import { listContributions, listsOfFeatures } from '../features.ts'
import type { Problem } from '../model/problem.ts'
import { idFieldOf } from './canonical.ts'
import { checkElements } from './check-elements.ts'
import { checkLimits } from './check-limits.ts'
import { checkOperations } from './check-operations.ts'
import { collectNames } from './collect-names.ts'
import { type KnownNames, requireKnown } from './known-names.ts'
import type { UncheckedDefinition } from './unchecked-definition.ts'

/** @param input the configuration before parsing */
export function* checkSteps(unchecked: UncheckedDefinition, input: unknown): Generator<void, readonly Problem[]> {
  const known = collectNames(unchecked, input)
  const problems: Problem[] = []
  for (const rule of rules) {
    for (const problem of rule(unchecked, known)) {
      if (problem) problems.push(problem)
      yield
    }
    yield
  }
  return problems
}

/** A long check yields between its findings. */
type Rule = (unchecked: UncheckedDefinition, known: KnownNames) => Iterable<Problem | undefined>

const rules: readonly Rule[] = [
  refuseRepeatedNames,
  checkDefaultLocalNode,
  checkDefaultUser,
  checkElements,
  checkMessages,
  checkOperations,
  checkPermissionLists,
  checkServiceApps,
  ...listContributions<Rule>('check'),
  checkLimits,
]

function* refuseRepeatedNames(unchecked: UncheckedDefinition): Iterable<Problem> {
  for (const list of [
    'nodes',
    'documents',
    'messages',
    'services',
    'permissionLists',
    'oauth2ServiceApps',
    ...listsOfFeatures,
    'limits',
  ] as const) {
    const field = idFieldOf(list)
    const first = new Map<unknown, number>()
    for (const [index, item] of (unchecked[list] ?? []).entries()) {
      const name: unknown = item && Reflect.get(item, field)
      if (!name) continue
      const earlier = first.get(name)
      if (earlier === undefined) first.set(name, index)
      else
        yield {
          path: `${list}[${index}].${field}`,
          message: `repeats ${name} of ${list}[${earlier}]: give it another ${field}`,
        }
    }
  }
}

function* checkDefaultLocalNode({ nodes = [] }: UncheckedDefinition): Iterable<Problem> {
  if (nodes === null) return
  const [first, ...others] = [...nodes.entries()].filter(([, node]) => node?.isDefaultLocal)
  const isUndecided = nodes.some((node) => node === null || node.isDefaultLocal === null)
  if (!first && !isUndecided)
    yield { path: 'nodes', message: 'has no default local node: give one node isDefaultLocal: true' }
  if (first?.[1]?.isActive === false) {
    yield { path: `nodes[${first[0]}].isActive`, message: 'must be true: the default local node is always active' }
  }
  for (const [index] of others) {
    const message = `is true for nodes[${first?.[0]}] already: there can be only one default local node`
    yield { path: `nodes[${index}].isDefaultLocal`, message }
  }
}

function* checkDefaultUser({ nodes }: UncheckedDefinition): Iterable<Problem> {
  for (const [index, node] of (nodes ?? []).entries()) {
    if (!node?.defaultUser || !node.name || node.name === anonymousNode) continue
    const message = `has no effect here: calls without credentials run as the default user of the node ${anonymousNode}`
    yield { path: `nodes[${index}].defaultUser`, message }
  }
}

export const anonymousNode = 'ANONYMOUS'

function* checkMessages({ messages }: UncheckedDefinition, { documents }: KnownNames): Iterable<Problem> {
  for (const [index, message] of (messages ?? []).entries()) {
    yield* requireKnown(`messages[${index}].document`, message?.document, documents, 'document')
  }
}

function* checkPermissionLists(
  { permissionLists }: UncheckedDefinition,
  { services, operations }: KnownNames,
): Iterable<Problem> {
  for (const [index, list] of (permissionLists ?? []).entries()) {
    for (const [position, name] of (list?.services ?? []).entries()) {
      yield* requireKnown(`permissionLists[${index}].services[${position}]`, name, services, 'service')
    }
    for (const [position, id] of (list?.operations ?? []).entries()) {
      yield* requireKnown(`permissionLists[${index}].operations[${position}]`, id, operations, 'operation')
    }
  }
}

function* checkServiceApps({ oauth2ServiceApps }: UncheckedDefinition): Iterable<Problem> {
  for (const [index, app] of (oauth2ServiceApps ?? []).entries()) {
    if (!app || app.metadataUrl !== undefined) continue
    for (const field of ['issuer', 'authorizationEndpoint', 'tokenEndpoint'] as const) {
      if (app[field] !== undefined) continue
      const message = "is missing: copy it from the provider's metadata document, or set metadataUrl instead"
      yield { path: `oauth2ServiceApps[${index}].${field}`, message }
    }
  }
}
