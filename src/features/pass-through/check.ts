/** The rules of operations that are passed through, and of upstreams of nodes (specification 36.2, 36.3, 36.8, 36.19). */
import { findReferenceProblem } from '../../configuration/handler-reference.ts'
import { type KnownNames, requireKnown } from '../../configuration/known-names.ts'
import type { Problem } from '../../model/problem.ts'
import { verificationOf } from '../../model/verification.ts'
import { isPassThrough } from './configuration.ts'

/** Each is null if it is invalid. */
interface UncheckedLists {
  readonly operations?: readonly (UncheckedOperation | null)[] | null | undefined
  readonly nodes?: readonly ({ readonly upstream?: UncheckedUpstream | null | undefined } | null)[] | null | undefined
}
interface UncheckedOperation {
  readonly handler?: unknown
  readonly method?: string | null | undefined
  readonly verification?: string | null | undefined
  readonly idempotency?: unknown
  readonly cacheKeyPolicy?: unknown
  readonly cacheVary?: unknown
}
interface UncheckedUpstream {
  readonly credentials?: unknown
  readonly verification?: string | null | undefined
  readonly permissionLists?: readonly (string | null)[] | null | undefined
}

export function* check({ operations, nodes }: UncheckedLists, known: KnownNames): Iterable<Problem | undefined> {
  yield* checkUpstreams(nodes, known)
  for (const [index, operation] of (operations ?? []).entries()) {
    if (operation) yield* checkPassThrough(`operations[${index}]`, operation)
    yield undefined
  }
}

function* checkPassThrough(path: string, operation: UncheckedOperation): Iterable<Problem> {
  const { handler, verification = 'NONE', idempotency, cacheKeyPolicy, cacheVary } = operation
  if (!isPassThrough(handler)) return
  const { credentials, shadow, shadowUnsafe } = handler as Partial<Record<keyof typeof handler, unknown>>
  yield* checkCredentials(`${path}.handler.credentials`, credentials, verification)
  if (typeof shadow === 'string') {
    const problem = findReferenceProblem(shadow)
    if (problem) yield { path: `${path}.handler.shadow`, message: problem }
    if (operation.method !== 'GET' && operation.method !== 'HEAD' && shadowUnsafe !== true)
      yield {
        path: `${path}.handler.shadow`,
        message: `is for GET and HEAD; for ${operation.method} add shadowUnsafe: true`,
      }
  }
  for (const [field, value] of Object.entries({ idempotency, cacheKeyPolicy, cacheVary })) {
    if (value === undefined || value === null || value === 'off') continue
    yield { path: `${path}.${field}`, message: 'has no effect with passThrough: the other server decides. Remove it' }
  }
}

function* checkCredentials(path: string, credentials: unknown, verification: string | null): Iterable<Problem> {
  const { allowsAnonymous, header } = verificationOf(verification)
  if (credentials === 'service' && allowsAnonymous)
    yield { path, message: `must not be service with ${verification}: a call without credentials would use it` }
  if (credentials === 'caller' && !allowsAnonymous && header === undefined)
    yield { path, message: `cannot be caller with ${verification}: no certificate can be passed on` }
}

/** Specification 36.19. */
function* checkUpstreams(nodes: UncheckedLists['nodes'], { permissionLists }: KnownNames): Iterable<Problem> {
  for (const [index, node] of (nodes ?? []).entries()) {
    if (!node?.upstream) continue
    const path = `nodes[${index}].upstream`
    const { credentials, verification = null, permissionLists: named } = node.upstream
    yield* checkCredentials(`${path}.credentials`, credentials, verification)
    for (const [position, name] of (named ?? []).entries())
      yield* requireKnown(`${path}.permissionLists[${position}]`, name, permissionLists, 'permission list')
  }
}

/** Specification 36.19. */
export function findNodeBreach(
  fields: readonly { readonly field: string; readonly after: unknown }[],
  { upstream }: { readonly upstream?: { readonly passThrough: string } | undefined },
): string | undefined {
  return fields.some(({ field, after }) => field === 'upstream.passThrough' && after === undefined)
    ? `loses its upstream: clients that call operations which only ${upstream?.passThrough} has are refused`
    : undefined
}
