/**
 * Reads the target of a call (specification 1.5 to 1.11): a health check, an operation, or a path of a feature. Checks in
 * this order, so that the first error is the one reported: too long, malformed, outside the connector, an unknown node.
 * Later parts are checked by the operation.
 */

import type { Catalog } from '../configuration/catalog.ts'
import type { Call } from '../model/call.ts'
import { Refusal } from '../model/refusal.ts'
import type { HealthTarget, PathTarget, RequestTarget } from '../model/request-target.ts'
import { relax } from '../model/uri/relax.ts'
import { decodeUrl, parseSplit, type SplitUrl, splitUrl, type Target } from '../model/uri/target.ts'
import type { Settings } from '../settings.ts'
import { findUrlHint } from './find-operation.ts'

/** Finds what a feature serves outside the URLs of operations; undefined if it serves nothing there. */
export type FindTarget = (
  call: Pick<Call, 'method' | 'headers'>,
  url: SplitUrl,
  catalog: Catalog,
) => PathTarget | Target | undefined

export interface TargetParts {
  readonly settings: Pick<Settings, 'gatewayPath' | 'compatibility' | 'errorStyle'> & {
    readonly limits: Pick<Settings['limits'], 'maxUrlBytes'>
  }
  readonly targets: readonly FindTarget[]
}

export function readTarget(
  call: Pick<Call, 'method' | 'target' | 'headers'>,
  catalog: Catalog,
  { settings, targets }: TargetParts,
): RequestTarget {
  const { method, target: raw } = call
  const { gatewayPath, limits, compatibility } = settings
  const url = relax(splitUrl(raw), compatibility, gatewayPath)
  const health = method === 'GET' || method === 'HEAD' ? healthChecks.get(url.rawPath) : undefined
  if (health) {
    decodeUrl(url) // refused like any other target if its query is malformed
    return health
  }
  if (raw.length > limits.maxUrlBytes) throw new Refusal('uriTooLong', `more than ${limits.maxUrlBytes} bytes`)
  const target = parseSplit(url, gatewayPath)
  const hint = () => findUrlHint(method, url, catalog, { settings })
  const ofFeature = target ? undefined : findFirst(targets, call, url, catalog)
  if (ofFeature) return ofFeature
  if (!target) throw new Refusal('pathUnknown', () => `The path is outside the connector. ${hint()}`)
  if (!catalog.nodes.has(target.node))
    throw new Refusal('nodeUnknown', () => `There is no active node of this name. ${hint()}`)
  return target
}

const healthCheck = { name: '(health)', meaning: 'the health check, answered without any other step' }
const healthChecks: ReadonlyMap<string, HealthTarget> = new Map([
  ['/healthz', { kind: 'healthz', ...healthCheck }],
  ['/readyz', { kind: 'readyz', ...healthCheck }],
])

function findFirst(targets: readonly FindTarget[], ...searched: Parameters<FindTarget>): ReturnType<FindTarget> {
  for (const find of targets) {
    const found = find(...searched)
    if (found) return found
  }
  return undefined
}
