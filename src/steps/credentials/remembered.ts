/**
 * Verified credentials, cached under a keyed hash of the whole credential, in a limited number of entries
 * (specification 3.17).
 */
import { hash, randomBytes } from 'node:crypto'
import type { Catalog } from '../../model/catalog.ts'

export interface Remembered<Entry> {
  keyOf(credential: string): string
  /** Entries of another catalog are dropped: a changed configuration starts empty. */
  find(key: string, catalog: Catalog): Entry | undefined
  remember(key: string, catalog: Catalog, entry: Entry): void
  forget(key: string): void
}

/** @param maxEntries the oldest are dropped beyond it */
export function openRemembered<Entry>(maxEntries: number): Remembered<Entry> {
  // A key prefix, not HMAC, which costs 11 µs instead of 0.3; its protection against length extension is irrelevant,
  // because digests never leave the process.
  const secret = randomBytes(32).toString('hex')
  let current: Catalog | undefined
  // Two generations: an entry in use moves to the recent one; when that is full, the older one is dropped as a whole.
  let recent = new Map<string, Entry>()
  let older = new Map<string, Entry>()

  const remember = (key: string, entry: Entry) => {
    if (recent.size >= maxEntries / 2) {
      older = recent
      recent = new Map()
    }
    recent.set(key, entry)
  }

  return {
    keyOf: (credential) => hash('sha256', secret + credential),
    find(key, catalog) {
      if (catalog !== current) {
        current = catalog
        recent = new Map()
        older = new Map()
      }
      const entry = recent.get(key)
      if (entry !== undefined) return entry
      const aged = older.get(key)
      if (aged !== undefined) remember(key, aged)
      return aged
    },
    remember(key, catalog, entry) {
      if (catalog === current) remember(key, entry) // verified while the configuration changed: not cached
    },
    forget(key) {
      recent.delete(key)
      older.delete(key)
    },
  }
}
