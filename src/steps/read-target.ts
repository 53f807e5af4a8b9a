/**
 * Reads the target of a call (specification 1.5 to 1.11): a health check, a path of a feature, or an operation. Checks in this order, so that the first error is the one reported: too long, malformed, outside the
 * connector, an unknown node. Later parts are checked by the operation.
 */

import type { Catalog } from '../configuration/catalog.ts'
import type { Call } from '../model/call.ts'
import { Refusal } from '../model/refusal.ts'
import type { HealthTarget, OwnTarget, PathTarget, RequestTarget } from '../model/request-target.ts'
import { relax } from '../model/uri/relax.ts'
import { connector, decodeUrl, parseSplit, type SplitUrl, splitUrl } from '../model/uri/target.ts'
import type { Settings } from '../settings.ts'
import { findUrlHint } from './find-operation.ts'

/** Finds a path of a feature by its name directly below the connector; undefined if the feature has no such path. */
export type FindPath = (name: string, catalog: Catalog) => PathTarget | undefined

export interface TargetParts {
  readonly settings: Pick<Settings, 'gatewayPath' | 'compatibility' | 'errorStyle'> & {
    readonly limits: Pick<Settings['limits'], 'maxUrlBytes'>
  }
  /** How features find paths of their own. */
  readonly paths: readonly FindPath[]
}

export function readTarget(
  { method, target: raw }: Pick<Call, 'method' | 'target'>,
  catalog: Catalog,
  { settings, paths }: TargetParts,
): RequestTarget {
  const { gatewayPath, limits, compatibility } = settings
  const url = relax(splitUrl(raw), compatibility, gatewayPath)
  const own = method === 'GET' || method === 'HEAD' ? findOwn(url, gatewayPath, catalog, paths) : undefined
  if (own) {
    decodeUrl(url) // refused like any other target if its query is malformed
    return own
  }
  if (raw.length > limits.maxUrlBytes) throw new Refusal('uriTooLong', `more than ${limits.maxUrlBytes} bytes`)
  const target = parseSplit(url, gatewayPath)
  const hint = () => findUrlHint(method, url, catalog, { settings })
  if (!target) throw new Refusal('pathUnknown', () => `The path is outside the connector. ${hint()}`)
  if (!catalog.nodes.has(target.node))
    throw new Refusal('nodeUnknown', () => `There is no active node of this name. ${hint()}`)
  return target
}

function findOwn(
  url: SplitUrl,
  gatewayPath: string,
  catalog: Catalog,
  paths: readonly FindPath[],
): OwnTarget | undefined {
  return healthChecks.get(url.rawPath) ?? (paths.length > 0 ? findPath(url, gatewayPath, catalog, paths) : undefined)
}

const health = { name: '(health)', meaning: 'the health check, answered without any other step' }
const healthChecks: ReadonlyMap<string, HealthTarget> = new Map([
  ['/healthz', { kind: 'healthz', ...health }],
  ['/readyz', { kind: 'readyz', ...health }],
])

/** Without a query, and directly below the connector, where no operation is. */
function findPath(
  { rawPath, rawQuery }: SplitUrl,
  gatewayPath: string,
  catalog: Catalog,
  paths: readonly FindPath[],
): PathTarget | undefined {
  const slash = 1 + gatewayPath.length + 1 + connector.length
  if (rawQuery !== undefined || rawPath.lastIndexOf('/') !== slash) return undefined
  if (!rawPath.startsWith(`/${gatewayPath}/${connector}`)) return undefined
  const name = rawPath.slice(slash + 1)
  for (const find of paths) {
    const found = find(name, catalog)
    if (found) return found
  }
  return undefined
}
