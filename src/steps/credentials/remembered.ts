/**
 * What was verified, remembered under a keyed hash of the whole credential, in a bounded number of entries
 * (specification 3.17).
 */
import { hash, randomBytes } from 'node:crypto'
import type { Catalog } from '../../model/catalog.ts'

export interface Remembered<Entry> {
  keyOf(credential: string): string
  /** What is remembered under another catalog is forgotten: a changed configuration starts anew. */
  find(key: string, catalog: Catalog): Entry | undefined
  remember(key: string, catalog: Catalog, entry: Entry): void
  forget(key: string): void
}

/** @param maxEntries the oldest are dropped beyond it */
export function openRemembered<Entry>(maxEntries: number): Remembered<Entry> {
  // A key in front, not HMAC: that costs 11 µs instead of 0.3, and what it adds, safety when digests of a known prefix
  // are extended, means nothing where no digest ever leaves the process.
  const secret = randomBytes(32).toString('hex')
  let current: Catalog | undefined
  // Two generations: an entry in use moves to the recent one; when that is full, the older one goes as a whole.
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
      if (catalog === current) remember(key, entry) // verified while the configuration changed: not worth keeping
    },
    forget(key) {
      recent.delete(key)
      older.delete(key)
    },
  }
}
