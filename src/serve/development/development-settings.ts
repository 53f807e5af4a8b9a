/** What `ig dev` sets otherwise: only this machine is served, and authors see their log entries (specification 8.56, 9.15). */
import { isLoopback } from '../../base/loopback.ts'
import type { ReadSettings, Settings } from '../../settings.ts'

const developersLevel = 4
/** The printed curl commands need the plain port. */
const plainPort = 8080

/** Unless `ig.log.level` is set. */
export function withDevelopmentLog(settings: ReadSettings): ReadSettings {
  const isStated = (settings.given.get('ig.log.level')?.value.trim() ?? '') !== ''
  return isStated ? settings : { ...settings, log: { ...settings.log, level: developersLevel } }
}

/** The passwords of sample operators are public. */
export function onLoopback<S extends Settings>(settings: S): S & { readonly port: number } {
  const host = isLoopback(settings.host) ? settings.host : '127.0.0.1'
  const { admin } = settings
  return {
    ...settings,
    host,
    port: settings.port ?? plainPort,
    admin: admin && { ...admin, host: isLoopback(admin.host) ? admin.host : '127.0.0.1' },
  }
}
