/** What the REST cache is opened with. */
import type { MemoryBudget } from '../../model/memory-budget.ts'
import type { Observe } from '../../model/observation.ts'
import type { RestCacheStore } from '../../store/store.ts'

export interface RestCacheOptions {
  readonly store: RestCacheStore
  readonly limits: {
    readonly cacheMaxBytes: number
    readonly cacheMaxEntries: number
    /** The single run of a handler that other calls wait for. */
    readonly handlerTimeout: number
  }
  /** Undefined: only the limits apply. */
  readonly memory?: MemoryBudget
  readonly observe: Observe
  now(): number
}
