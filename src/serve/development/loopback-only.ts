/** Everyone knows the passwords of sample operators: `ig dev` serves this machine only (specification 9.15). */

import { isLoopback } from '../../base/loopback.ts'
import type { Settings } from '../../settings.ts'

/** Without its plain port nothing would be left to try the printed lines at. */
const plainPort = 8080

export function onLoopback<S extends Settings>(settings: S): S & { readonly port: number } {
  const host = isLoopback(settings.host) ? settings.host : '127.0.0.1'
  const { admin, metrics } = settings
  return {
    ...settings,
    host,
    port: settings.port ?? plainPort,
    admin: admin && { ...admin, host: isLoopback(admin.host) ? admin.host : '127.0.0.1' },
    metrics: { ...metrics, port: undefined }, // administration has them, which stays open while code is replaced
  }
}
