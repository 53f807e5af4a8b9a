/** The rules of an operation that is passed through (specification 36.2, 36.3, 36.8). */
import type { Problem } from '../problem.ts'
import type { Configuration } from './configuration.ts'
import { findReferenceProblem } from './handler-reference.ts'
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
  const place = `${path}.handler.credentials`
  const isOpen = verification === 'NONE' || verification === 'SSL'
  if (credentials === 'service' && isOpen)
    yield { path: place, message: `must not be service with ${verification}: a call without credentials would use it` }
  if (credentials === 'caller' && verification === 'Certificate')
    yield { path: place, message: 'cannot be caller with Certificate: no certificate can be passed on' }
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

/**
 * Origins that a draft adds: who edits drafts must not choose where credentials go (specification 36.3).
 * @param allowed `ig.passThrough.origins`
 */
export function findForeignOrigins(
  configuration: Pick<Configuration, 'operations'>,
  allowed: readonly string[],
  active: Pick<Configuration, 'operations'>,
): readonly Problem[] {
  const known = new Set([...allowed, ...active.operations.flatMap(({ handler }) => originOf(handler))])
  return configuration.operations.flatMap(({ handler }, index) =>
    originOf(handler)
      .filter((origin) => !known.has(origin))
      .map((origin) => ({
        path: `operations[${index}].handler.passThrough`,
        message: `names ${origin}, which no active operation is passed through to: add it to ig.passThrough.origins`,
      })),
  )
}

function originOf(handler: unknown): readonly string[] {
  return isPassThrough(handler) ? [splitBase(handler).origin] : []
}
