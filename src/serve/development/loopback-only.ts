/** The passwords of sample operators are public: `ig dev` serves this machine only (specification 9.15). */

import { isLoopback } from '../../base/loopback.ts'
import type { Settings } from '../../settings.ts'

/** The printed curl commands need the plain port. */
const plainPort = 8080

export function onLoopback<S extends Settings>(settings: S): S & { readonly port: number } {
  const host = isLoopback(settings.host) ? settings.host : '127.0.0.1'
  const { admin, metrics } = settings
  return {
    ...settings,
    host,
    port: settings.port ?? plainPort,
    admin: admin && { ...admin, host: isLoopback(admin.host) ? admin.host : '127.0.0.1' },
    metrics: { ...metrics, port: undefined }, // administration has connections that stay open while code is replaced
  }
}
