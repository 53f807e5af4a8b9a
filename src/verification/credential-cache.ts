/**
 * Verified credentials, cached under a keyed hash of the whole credential, in a limited number of entries
 * (specification 3.17).
 */
import { hash, randomBytes } from 'node:crypto'
import { LruCache } from '../base/lru-cache.ts'
import type { Catalog } from '../configuration/catalog.ts'

export interface CredentialCache<Entry> {
  keyOf(credential: string): string
  /** Entries of another catalog are dropped: a changed configuration starts empty. */
  find(key: string, catalog: Catalog): Entry | undefined
  remember(key: string, catalog: Catalog, entry: Entry): void
  forget(key: string): void
}

/** @param maxEntries the oldest are dropped beyond it */
export function openCredentialCache<Entry>(maxEntries: number): CredentialCache<Entry> {
  // A prefix instead of HMAC: the digests never leave the process
  const secret = randomBytes(32).toString('hex')
  let current: Catalog | undefined
  const entries = new LruCache<Entry>(maxEntries)

  return {
    keyOf: (credential) => hash('sha256', secret + credential),
    find(key, catalog) {
      if (catalog !== current) entries.clear()
      current = catalog
      return entries.get(key)
    },
    remember(key, catalog, entry) {
      if (catalog === current) entries.set(key, entry) // verified while the configuration changed: not cached
    },
    forget: (key) => entries.delete(key),
  }
}
