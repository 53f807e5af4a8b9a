/** Which origins may read what an operation answers, and call it with credentials that a browser stores (specification 2.4, 28.12). */

import type { Settings } from '../settings.ts'
import type { Operation } from './operation.ts'

export type CorsSettings = Pick<Settings, 'optionsEnabled' | 'cors'>

/** Whether OPTIONS is answered. */
export function isShared(
  operation: Pick<Operation, 'allowsOptions'> | undefined,
  { optionsEnabled }: Pick<Settings, 'optionsEnabled'>,
): boolean {
  return optionsEnabled || operation?.allowsOptions === true
}

/** @param origin of a shared operation's call; undefined: it states none */
export function isAllowedOrigin(origin: string | undefined, { cors: { origins } }: Pick<Settings, 'cors'>): boolean {
  return !origins || (origin !== undefined && origins.includes(origin))
}

/** Without `-Allow-Credentials`: never with credentials that a browser stores. */
export function writeAllowedOrigin(origin: string | undefined, settings: Pick<Settings, 'cors'>): readonly string[] {
  if (!settings.cors.origins) return ['access-control-allow-origin', '*']
  const allowed = isAllowedOrigin(origin, settings) ? ['access-control-allow-origin', origin ?? ''] : []
  return [...allowed, 'vary', 'origin']
}
