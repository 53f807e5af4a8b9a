/** The rules of an operation that is passed through (specification 36.2, 36.3, 36.8). */
import type { Problem } from '../problem.ts'
import { verificationOf } from '../verification.ts'
import type { Configuration } from './configuration.ts'
import { findReferenceProblem } from './handler-reference.ts'
import type { KnownNames } from './known-names.ts'
import { requireKnown } from './known-names.ts'
import { isPassThrough, splitBase } from './pass-through-schema.ts'
import type { Unchecked } from './unchecked.ts'

interface Placed {
  readonly path: string
  readonly operation: NonNullable<NonNullable<Unchecked['operations']>[number]>
}

export function* checkPassThrough({ path, operation }: Placed): Iterable<Problem> {
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
  const { isOptional, header } = verificationOf(verification)
  if (credentials === 'service' && isOptional)
    yield { path, message: `must not be service with ${verification}: a call without credentials would use it` }
  if (credentials === 'caller' && !isOptional && header === undefined)
    yield { path, message: `cannot be caller with ${verification}: no certificate can be passed on` }
}

/** Specification 36.19. */
export function* checkUpstreams({ nodes }: Unchecked, { permissionLists }: KnownNames): Iterable<Problem> {
  for (const [index, node] of (nodes ?? []).entries()) {
    if (!node?.upstream) continue
    const path = `nodes[${index}].upstream`
    const { credentials, verification = null, permissionLists: named } = node.upstream
    yield* checkCredentials(`${path}.credentials`, credentials, verification)
    for (const [position, name] of (named ?? []).entries())
      yield* requireKnown(`${path}.permissionLists[${position}]`, name, permissionLists, 'permission list')
  }
}

/**
 * Origins that a draft adds: who edits drafts must not choose where credentials go (specification 36.3).
 * @param allowed `ig.passThrough.origins`
 */
export function findForeignOrigins(
  configuration: Passing,
  allowed: readonly string[],
  active: Passing,
): readonly Problem[] {
  const known = new Set([...allowed, ...listOrigins(active).map(({ origin }) => origin)])
  return listOrigins(configuration)
    .filter(({ origin }) => !known.has(origin))
    .map(({ origin, path }) => ({
      path: `${path}.passThrough`,
      message: `names ${origin}, which no active operation is passed through to: add it to ig.passThrough.origins`,
    }))
}

type Passing = Pick<Configuration, 'operations' | 'nodes'>

function listOrigins({ operations, nodes }: Passing): readonly { readonly origin: string; readonly path: string }[] {
  return [
    ...operations.map(({ handler }, index) => [handler, `operations[${index}].handler`] as const),
    ...nodes.map(({ upstream }, index) => [upstream, `nodes[${index}].upstream`] as const),
  ].flatMap(([to, path]) => (isPassThrough(to) ? [{ origin: splitBase(to).origin, path }] : []))
}
