import type { Configuration } from '../../configuration/configuration.ts'
import type { Problem } from '../../model/problem.ts'
import { isPassThrough, splitBase } from './configuration.ts'

/**
 * Origins that a draft adds: who edits drafts must not choose where credentials go (specification 36.3).
 * @param allowed `ig.passThrough.origins`
 */
export function findForeignOrigins(
  configuration: Upstreams,
  allowed: readonly string[],
  active: Upstreams,
): readonly Problem[] {
  const known = new Set([...allowed, ...listOrigins(active).map(({ origin }) => origin)])
  return listOrigins(configuration)
    .filter(({ origin }) => !known.has(origin))
    .map(({ origin, path }) => ({
      path: `${path}.passThrough`,
      message: `names ${origin}, which no active operation is passed through to: add it to ig.passThrough.origins`,
    }))
}

type Upstreams = Pick<Configuration, 'operations' | 'nodes'>

function listOrigins({ operations, nodes }: Upstreams): readonly { readonly origin: string; readonly path: string }[] {
  return [
    ...operations.map(({ handler }, index) => [handler, `operations[${index}].handler`] as const),
    ...nodes.map(({ upstream }, index) => [upstream, `nodes[${index}].upstream`] as const),
  ].flatMap(([to, path]) => (isPassThrough(to) ? [{ origin: splitBase(to).origin, path }] : []))
}
