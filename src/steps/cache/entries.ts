/** The entries of the REST cache in a process's memory, limited in bytes and number (specification 6.7). */
import { emptyBody, type Keeper, type OperationResponse } from '../../model/call.ts'
import { hasValidators } from '../../model/content/conditional.ts'
import { type MemoryAccount, type MemoryBudget, unboundedMemory } from '../../model/memory-budget.ts'
import type { CacheRow } from '../../store/store.ts'
import { withoutVariant } from './cache-key.ts'

export interface Entry {
  readonly operationId: string
  readonly generation: number
  readonly expires: number
  readonly response: OperationResponse
}

interface Bounds {
  readonly cacheMaxBytes: number
  readonly cacheMaxEntries: number
}

interface Placed extends Entry {
  readonly size: number
  readonly keeper: Keeper
  /** Since eviction last came by. */
  isUsed: boolean
}

/** Of one URL. */
const mostVariants = 16
/** Memory of an entry besides its bytes: key, headers, objects. */
const entryOverhead = 512

/** In order of age; one that was used is passed over once when the oldest are dropped. An expired entry stays as a mark that its key was cached before. */
export class Entries {
  readonly #bounds: Bounds
  readonly #placed = new Map<string, Placed>()
  readonly #memory: MemoryAccount
  /** Keys of the variants of a URL, by the key without a variant; only of operations that vary. */
  readonly #variants = new Map<string, Set<string>>()
  #bytes = 0

  /** @param memory entries take at most a quarter of it */
  constructor(bounds: Bounds, memory: MemoryBudget = unboundedMemory) {
    this.#bounds = { ...bounds, cacheMaxBytes: Math.min(bounds.cacheMaxBytes, memory.total / 4) }
    this.#memory = memory.open()
  }

  get size(): { readonly entries: number; readonly bytes: number } {
    return { entries: this.#placed.size, bytes: this.#bytes }
  }

  has(key: string): boolean {
    return this.#placed.has(key)
  }

  get(key: string): Placed | undefined {
    return this.#placed.get(key)
  }

  /** Whether the URL of a new entry has the most variants that are kept (specification 6.14). */
  isFullOfVariants(key: string, now: number): boolean {
    const keys = this.#variants.get(withoutVariant(key))
    if (!keys || keys.size < mostVariants || keys.has(key)) return false
    return [...keys].filter((each) => (this.#placed.get(each)?.expires ?? 0) > now).length >= mostVariants
  }

  place(key: string, entry: Entry): void {
    const size = entry.response.body.bytes.length * 2 + key.length + entryOverhead // twice: its gzip form may be added
    this.remove(key)
    const { cacheMaxBytes, cacheMaxEntries } = this.#bounds
    if (size > cacheMaxBytes) return // it would evict all others
    const keeper = { isKept: true }
    if (entry.response.body !== emptyBody) entry.response.body.keeper = keeper
    this.#placed.set(key, { ...entry, size, keeper, isUsed: true })
    this.#bytes += size
    if (key.includes('\t')) this.#noteVariant(key)
    for (const [oldest, placed] of this.#placed) {
      const isWithin = this.#bytes <= cacheMaxBytes && this.#placed.size <= cacheMaxEntries
      if (isWithin && this.#memory.hold(this.#bytes)) return
      if (placed.isUsed) this.#passOver(oldest, placed)
      else this.remove(oldest)
    }
  }

  /** Drops the bytes and keeps the marks: of one operation, or of all. */
  forget(operationId?: string): void {
    for (const [key, entry] of this.#placed) {
      if ((operationId ?? entry.operationId) !== entry.operationId || entry.expires === 0) continue
      const response = { status: 0, headers: [], body: { bytes: Buffer.alloc(0) } }
      const size = key.length + entryOverhead
      this.#bytes += size - entry.size
      entry.keeper.isKept = false
      this.#placed.set(key, { ...entry, expires: 0, response, size })
    }
    this.#memory.hold(this.#bytes)
  }

  remove(key: string): void {
    const placed = this.#placed.get(key)
    if (placed) placed.keeper.isKept = false
    this.#bytes -= placed?.size ?? 0
    this.#placed.delete(key)
    if (placed && key.includes('\t')) this.#forgetVariant(key)
    this.#memory.hold(this.#bytes)
  }

  #passOver(key: string, placed: Placed): void {
    placed.isUsed = false
    this.#placed.delete(key)
    this.#placed.set(key, placed)
  }

  #noteVariant(key: string): void {
    const base = withoutVariant(key)
    const keys = this.#variants.get(base)
    if (keys) keys.add(key)
    else this.#variants.set(base, new Set([key]))
  }

  #forgetVariant(key: string): void {
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
