/** Everyone knows the passwords of sample operators: `ig dev` serves this machine only (specification 9.15). */

import { isLoopback } from '../../model/loopback.ts'
import type { Settings } from '../../settings.ts'

export function onLoopback<S extends Settings>(settings: S): S {
  const host = isLoopback(settings.host) ? settings.host : '127.0.0.1'
  const { admin, metrics } = settings
  return {
    ...settings,
    host,
    admin: admin && { ...admin, host: isLoopback(admin.host) ? admin.host : '127.0.0.1' },
    metrics: { ...metrics, port: undefined }, // administration has them, which stays open while code is replaced
  }
}
