/** The log of `ig dev` (specification 8.56): one who writes handlers wants to see what they log. */
import type { ReadSettings } from '../../settings.ts'

const developersLevel = 4

/** Unless `ig.log.level` is set. */
export function withMoreLog(settings: ReadSettings): ReadSettings {
  const isStated = (settings.given.get('ig.log.level')?.value.trim() ?? '') !== ''
  return isStated ? settings : { ...settings, log: { ...settings.log, level: developersLevel } }
}
