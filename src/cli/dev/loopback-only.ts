/** Everyone knows the passwords of sample operators: `ig dev` serves this machine only (specification 9.15). */
import type { Settings } from '../../settings.ts'
import { isLoopback } from '../loopback.ts'

export function onLoopback<S extends Settings>(settings: S): S {
  return isLoopback(settings.host) ? settings : { ...settings, host: '127.0.0.1' }
}
