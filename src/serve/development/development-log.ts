/** The log of `ig dev` (specification 8.56): authors of handlers want to see their own log entries. */
import type { ReadSettings } from '../../settings.ts'

const developersLevel = 4

/** Unless `ig.log.level` is set. */
export function withDevelopmentLog(settings: ReadSettings): ReadSettings {
  const isStated = (settings.given.get('ig.log.level')?.value.trim() ?? '') !== ''
  return isStated ? settings : { ...settings, log: { ...settings.log, level: developersLevel } }
}
