/**
 * Reads the target of a call (specification 1.5 to 1.11, 12.1): a health check, a description of the API, or an
 * operation. Checks in this order, so that the first error is the one reported: too long, malformed, outside the
 * connector, an unknown node. Later parts are checked by the operation.
 */
import type { Call } from '../model/call.ts'
import type { Catalog } from '../model/catalog.ts'
import { Refusal } from '../model/refusal.ts'
import { relax } from '../model/uri/relax.ts'
import {
  type DescriptionTarget,
  decodeUrl,
  type HealthTarget,
  type OwnTarget,
  parseSplit,
  type RequestTarget,
  type SplitUrl,
  splitUrl,
} from '../model/uri/target.ts'
import type { Settings } from '../settings.ts'
import { findUrlHint } from './find-operation.ts'

interface Parts {
  readonly settings: Pick<Settings, 'gatewayPath' | 'describe' | 'compatibility' | 'errorStyle'> & {
    readonly limits: Pick<Settings['limits'], 'maxUrlBytes'>
  }
}

export function readTarget(
  { method, target: raw }: Pick<Call, 'method' | 'target'>,
  catalog: Pick<Catalog, 'nodes' | 'services' | 'upstreams'>,
  { settings }: Parts,
): RequestTarget {
  const { gatewayPath, limits, compatibility, describe } = settings
  const url = relax(splitUrl(raw), compatibility, gatewayPath)
  const own = method === 'GET' || method === 'HEAD' ? findOwn(url, { describe, gatewayPath }) : undefined
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
  { describe, gatewayPath }: Pick<Parts['settings'], 'describe' | 'gatewayPath'>,
): OwnTarget | undefined {
  return healthChecks.get(url.rawPath) ?? (describe === 'none' ? undefined : findDescription(url, gatewayPath))
}

const healthChecks: ReadonlyMap<string, HealthTarget> = new Map([
  ['/healthz', { kind: 'healthz' }],
  ['/readyz', { kind: 'readyz' }],
])

/**
 * `<SERVICE>.1.wadl`, `<SERVICE>.openapi.json` or `openapi.json`, directly below the connector, where no operation is.
 */
function findDescription({ rawPath, rawQuery }: SplitUrl, gatewayPath: string): DescriptionTarget | undefined {
  if (rawQuery !== undefined || (!rawPath.endsWith('.wadl') && !rawPath.endsWith('openapi.json'))) return undefined
  const parent = `/${gatewayPath}/RESTListeningConnector/`
  if (!rawPath.startsWith(parent)) return undefined
  const match = /^(?:([A-Z][A-Z0-9_]{0,29})\.(1\.wadl|openapi\.json)|(openapi\.json))$/.exec(
    rawPath.slice(parent.length),
  )
  if (!match) return undefined
  return { kind: 'description', ofService: match[1], format: (match[2] ?? match[3]) as DescriptionTarget['format'] }
}
