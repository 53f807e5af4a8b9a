/** The secrets of the store, which `ig.secretKey` encrypts (specification 27.30 to 27.32). */
import { sealedBy } from '../base/secret-key.ts'
import type { Settings } from '../settings.ts'
import { StoreUnavailable } from './faults.ts'

export interface StoredSecret {
  /** What it is bound to. */
  readonly purpose: string
  readonly sealed: string
  /** @returns false if it was replaced or removed meanwhile */
  replace(sealed: string): Promise<boolean>
}

/** @param sealed as stored @throws StoreUnavailable if the settings lack the key of one of them */
export function requireSecretKey({ secretKey }: Pick<Settings, 'secretKey'>, sealed: readonly string[]): void {
  const known = new Set(secretKey?.all.map(({ id }) => id))
  const missing = [...new Set(sealed.map(sealedBy))].filter((id) => !known.has(id))
  if (missing.length === 0) return
  const state = secretKey ? `ig.secretKey is another one (${secretKey.id})` : 'ig.secretKey is not set'
  throw new StoreUnavailable(
    `The store has secrets that are encrypted with the key ${missing.join(', ')}, and ${state}. Set it as ig.secretKey, or as ig.secretKey.previous until ig secret-key rotate has replaced it.`,
  )
}
