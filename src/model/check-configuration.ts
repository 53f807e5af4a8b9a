/**
 * The rules of a configuration that look at several places at once (specification 2.5 to 2.14, 2.21, 3.16). They see what is sound in
 * itself: a field that is null is faulty, and was reported.
 */
import { checkOperations } from './check-operations.ts'
import { type Draft, type Known, namesOf, requireKnown } from './draft.ts'
import type { Problem } from './problem.ts'

export function checkConfiguration(draft: Draft): readonly Problem[] {
  return rules.flatMap((rule) => [...rule(draft)])
}

const rules: readonly ((draft: Draft) => Iterable<Problem>)[] = [
  refuseRepeatedNames,
  checkDefaultLocalNode,
  checkDefaultUser,
  checkMessages,
  checkOperations,
  checkPermissionLists,
  checkServiceApps,
]

function* refuseRepeatedNames(draft: Draft): Iterable<Problem> {
  for (const list of ['nodes', 'documents', 'messages', 'services', 'permissionLists', 'oauth2ServiceApps'] as const) {
    const first = new Map<string, number>()
    for (const [index, item] of (draft[list] ?? []).entries()) {
      const name = item?.name
      if (!name) continue
      const earlier = first.get(name)
      if (earlier === undefined) first.set(name, index)
      else
        yield {
          path: `${list}[${index}].name`,
          message: `repeats ${name} of ${list}[${earlier}]: give it another name`,
        }
    }
  }
}

function* checkDefaultLocalNode({ nodes = [] }: Draft): Iterable<Problem> {
  if (nodes === null) return
  const [first, ...others] = [...nodes.entries()].filter(([, node]) => node?.isDefaultLocal)
  const isUndecided = nodes.some((node) => node === null || node.isDefaultLocal === null)
  if (!first && !isUndecided)
    yield { path: 'nodes', message: 'has no default local node: give one node isDefaultLocal: true' }
  if (first?.[1]?.isActive === false) {
    yield { path: `nodes[${first[0]}].isActive`, message: 'must be true: the default local node is always active' }
  }
  for (const [index] of others) {
    const message = `is true for nodes[${first?.[0]}] already: there is exactly one default local node`
    yield { path: `nodes[${index}].isDefaultLocal`, message }
  }
}

function* checkDefaultUser({ nodes }: Draft): Iterable<Problem> {
  for (const [index, node] of (nodes ?? []).entries()) {
    if (!node?.defaultUser || !node.name || node.name === anonymousNode) continue
    const message = `has no effect here: calls without credentials run as the default user of the node ${anonymousNode}`
    yield { path: `nodes[${index}].defaultUser`, message }
  }
}

export const anonymousNode = 'ANONYMOUS'

function* checkMessages({ messages, documents }: Draft): Iterable<Problem> {
  const known = namesOf(documents)
  for (const [index, message] of (messages ?? []).entries()) {
    yield* requireKnown(`messages[${index}].document`, message?.document, known, 'document')
  }
}

function* checkPermissionLists({ permissionLists, operations, services }: Draft): Iterable<Problem> {
  const knownServices = namesOf(services)
  const knownOperations = idsOf(operations)
  for (const [index, list] of (permissionLists ?? []).entries()) {
    for (const [position, name] of (list?.services ?? []).entries()) {
      yield* requireKnown(`permissionLists[${index}].services[${position}]`, name, knownServices, 'service')
    }
    for (const [position, id] of (list?.operations ?? []).entries()) {
      yield* requireKnown(`permissionLists[${index}].operations[${position}]`, id, knownOperations, 'operation')
    }
  }
}

function* checkServiceApps({ oauth2ServiceApps }: Draft): Iterable<Problem> {
  for (const [index, app] of (oauth2ServiceApps ?? []).entries()) {
    if (!app || app.metadataUrl !== undefined) continue
    for (const field of ['issuer', 'authorizationEndpoint', 'tokenEndpoint'] as const) {
      if (app[field] !== undefined) continue
      const message = "is missing: state it as the provider's metadata document does, or state metadataUrl instead"
      yield { path: `oauth2ServiceApps[${index}].${field}`, message }
    }
  }
}

function idsOf(operations: Draft['operations'] = []): Known {
  const ids = operations?.map((operation) => {
    const { name, method, version = 'v1' } = operation ?? {}
    return name && method && version ? `${name}_${method}.${version}` : undefined
  })
  return ids?.every((id) => id !== undefined) ? new Set(ids) : undefined
}
