/**
 * Reads where a call is directed (specification 1.5 to 1.10). In this order, so that the first thing wrong is the one
 * reported: too long, malformed, outside the connector, an unknown node. What follows is the operation's business.
 */
import type { Call } from '../model/call.ts'
import type { Catalog } from '../model/catalog.ts'
import { Refusal } from '../model/refusal.ts'
import { parseTarget, type Target } from '../model/uri/target.ts'
import type { Settings } from '../settings.ts'

interface Parts {
  readonly settings: Pick<Settings, 'gatewayPath'> & { readonly limits: Pick<Settings['limits'], 'maxUrlBytes'> }
}

export function readTarget(call: Pick<Call, 'target'>, catalog: Pick<Catalog, 'nodes'>, { settings }: Parts): Target {
  const { maxUrlBytes } = settings.limits
  if (call.target.length > maxUrlBytes) throw new Refusal('uriTooLong', `more than ${maxUrlBytes} bytes`)
  const target = parseTarget(call.target, settings.gatewayPath)
  if (!catalog.nodes.has(target.node)) throw new Refusal('nodeUnknown', 'There is no active node of this name.')
  return target
}
