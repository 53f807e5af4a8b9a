/** The entries of the REST cache in a process's memory, limited in bytes and number (specification 6.7). */
import { type CacheHold, emptyBody, type OperationResponse } from '../../model/call.ts'
import { hasValidators } from '../../model/content/conditional.ts'
import { type MemoryAccount, type MemoryBudget, unboundedMemory } from '../../model/memory-budget.ts'
import { withoutVariant } from './cache-key.ts'
import type { CacheRow } from './contract.ts'

export interface Entry {
  readonly operationId: string
  readonly generation: number
  readonly expires: number
  readonly response: OperationResponse
}

export interface Bounds {
  readonly maxBytes: number
  readonly maxEntries: number
}

interface CachedEntry extends Entry {
  readonly size: number
  readonly cacheHold: CacheHold
}

/** Variants of one URL. */
const maxVariants = 16
/** Memory of an entry besides its bytes: key, headers, objects. */
const entryOverhead = 512

/**
 * A least-recently-used cache: a map keeps its entries in the order of their last use. An expired entry stays as a mark
 * that its key was cached before.
 */
export class Entries {
  readonly #bounds: Bounds
  readonly #entries = new Map<string, CachedEntry>()
  readonly #memory: MemoryAccount
  /** Keys of the variants of a URL, by the key without a variant; only of operations that vary. */
  readonly #variants = new Map<string, Set<string>>()
  #bytes = 0

  /** @param memory entries take at most a quarter of it */
  constructor(bounds: Bounds, memory: MemoryBudget = unboundedMemory) {
    this.#bounds = { ...bounds, maxBytes: Math.min(bounds.maxBytes, memory.total / 4) }
    this.#memory = memory.open()
  }

  get size(): { readonly entries: number; readonly bytes: number } {
    return { entries: this.#entries.size, bytes: this.#bytes }
  }

  has(key: string): boolean {
    return this.#entries.has(key)
  }

  get(key: string): CachedEntry | undefined {
    const entry = this.#entries.get(key)
    if (!entry) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry
  }

  /** Whether the URL of a new entry has the most variants that are kept (specification 6.14). */
  isFullOfVariants(key: string, now: number): boolean {
    const keys = this.#variants.get(withoutVariant(key))
    if (!keys || keys.size < maxVariants || keys.has(key)) return false
    return [...keys].filter((each) => (this.#entries.get(each)?.expires ?? 0) > now).length >= maxVariants
  }

  set(key: string, entry: Entry): void {
    const size = entry.response.body.bytes.length * 2 + key.length + entryOverhead // twice: its gzip form may be added
    this.remove(key)
    const { maxBytes, maxEntries } = this.#bounds
    if (size > maxBytes) return // it would evict all others
    const cacheHold = { isHeld: true }
    if (entry.response.body !== emptyBody) entry.response.body.cacheHold = cacheHold
    this.#entries.set(key, { ...entry, size, cacheHold })
    this.#bytes += size
    if (key.includes('\t')) this.#addVariant(key)
    for (const oldest of this.#entries.keys()) {
      const isWithin = this.#bytes <= maxBytes && this.#entries.size <= maxEntries
      if (isWithin && this.#memory.hold(this.#bytes)) return
      this.remove(oldest)
    }
  }

  /** Keeps only the marks of the entries: of one operation, or of all. */
  dropResponses(operationId?: string): void {
    for (const [key, entry] of this.#entries) {
      if ((operationId ?? entry.operationId) !== entry.operationId || entry.expires === 0) continue
      const response = { status: 0, headers: [], body: { bytes: Buffer.alloc(0) } }
      const size = key.length + entryOverhead
      this.#bytes += size - entry.size
      entry.cacheHold.isHeld = false
      this.#entries.set(key, { ...entry, expires: 0, response, size })
    }
    this.#memory.hold(this.#bytes)
  }

  remove(key: string): void {
    const entry = this.#entries.get(key)
    if (entry) entry.cacheHold.isHeld = false
    this.#bytes -= entry?.size ?? 0
    this.#entries.delete(key)
    if (entry && key.includes('\t')) this.#removeVariant(key)
    this.#memory.hold(this.#bytes)
  }

  #addVariant(key: string): void {
    const base = withoutVariant(key)
    const keys = this.#variants.get(base)
    if (keys) keys.add(key)
    else this.#variants.set(base, new Set([key]))
  }

  #removeVariant(key: string): void {
    const base = withoutVariant(key)
    const keys = this.#variants.get(base)
    keys?.delete(key)
    if (keys?.size === 0) this.#variants.delete(base)
  }
}

export function toEntry({ operationId, generation, expires, status, headers, body }: CacheRow): Entry {
  const response = { status, headers, body: { bytes: body }, isConditional: hasValidators(headers) }
  return { operationId, generation, expires: status === 0 ? 0 : expires, response } // a deleted entry leaves its mark
}
