import type { Configuration } from '../../configuration/configuration.ts'
import { listGenerated } from '../../configuration/generated-operations.ts'
import type { Problem } from '../../model/problem.ts'
import { isPassThrough, splitBase } from './configuration.ts'

/**
 * Origins that a draft adds: who edits drafts must not choose where credentials go (specification 36.3).
 * @param allowed `ig.passThrough.origins`
 */
export function findForeignOrigins(
  configuration: Configuration,
  allowed: readonly string[],
  active: Configuration,
): readonly Problem[] {
  const known = new Set([...allowed, ...listOrigins(active).map(({ origin }) => origin)])
  return listOrigins(configuration)
    .filter(({ origin }) => !known.has(origin))
    .map(({ origin, path }) => ({
      path: `${path}.passThrough`,
      message: `names ${origin}, which no active operation is passed through to: add it to ig.passThrough.origins`,
    }))
}

function listOrigins(configuration: Configuration): readonly { readonly origin: string; readonly path: string }[] {
  const places = new Map<string, unknown>([
    ...configuration.operations.map(({ handler }, index) => [`operations[${index}].handler`, handler] as const),
    ...listGenerated(configuration).map(({ place, definition }) => [place, definition.handler] as const),
  ])
  return [...places].flatMap(([path, to]) => (isPassThrough(to) ? [{ origin: splitBase(to).origin, path }] : []))
}
