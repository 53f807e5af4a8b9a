/**
 * The REST cache (specification 6): responses of GET operations whose handler called `setRestCache`. Memory answers;
 * the store keeps entries over a restart, shares them between processes, and decides which process runs a handler for
 * all. A store failure is a miss.
 */
import type { Call, OperationResponse } from '../model/call.ts'
import type { Operation } from '../model/operation.ts'
import type { Operator } from '../model/operator.ts'
import { hideSecretParameters } from '../model/secret-name.ts'
import type { Target } from '../model/uri/target.ts'
import type { Settings } from '../settings.ts'
import type { CacheFilter } from '../store/store.ts'
import { cacheKey, readKey, storeKey } from './cache/cache-key.ts'
import { Deletions } from './cache/deletions.ts'
import { Entries, type Entry, toEntry } from './cache/entries.ts'
import type { RestCacheOptions } from './cache/options.ts'
import { runForAll } from './cache/run-for-all.ts'
import { isCutOff } from './handler/failure.ts'

/** What a call does with the cache. */
export type CallCache = Pick<RestCache, 'knows' | 'find' | 'wasCached' | 'keep' | 'keepOnce' | 'deleteOperation'>

interface Parts {
  readonly restCache: CallCache
  readonly settings: Pick<Settings, 'cacheStrict'>
  now(): number
}

/** The unexpired cached response of an identical path and query string, if there is one. */
export function recallResponse(
  call: Pick<Call, 'headers'>,
  target: Target,
  operation: Operation,
  operator: Operator,
  { restCache, settings, now }: Parts,
) {
  if (operation.method !== 'GET' || !restCache.knows(operation.id)) return undefined
  return restCache.find(cacheKey(call, target, operation, operator, settings), operation.id, now)
}

/**
 * Runs the handler and caches its response on request; concurrent misses of an entry that was cached before run it
 * once.
 */
export function rememberResponse(
  call: Pick<Call, 'method' | 'headers'>,
  target: Target,
  operation: Operation,
  operator: Operator,
  { restCache, settings, now }: Parts,
  run: Run,
): OperationResponse | Promise<OperationResponse> {
  if (call.method !== 'GET' || operation.method !== 'GET') return run() // a HEAD answered from GET only reads
  const keyOf = () => cacheKey(call, target, operation, operator, settings)
  if (!restCache.wasCached(keyOf, operation.id)) return restCache.keep(keyOf, operation.id, now, run)
  return restCache.keepOnce(keyOf(), operation.id, now, run)
}

/** A running handler that several calls wait for. */
interface Flight {
  readonly generation: number | undefined
  readonly outcome: Promise<OperationResponse | 'aborted' | undefined>
}

type Now = () => number
/** As named in the log. */
type Work = 'read' | 'written' | 'claimed'
/** Runs the handler; returns at once if it does. */
type Run = () => OperationResponse | Promise<OperationResponse>
const pruneEvery = 64
/** Maximum rows being stored; further ones stay in memory only. */
const maxPendingWrites = 256

export async function openRestCache(options: RestCacheOptions): Promise<RestCache> {
  return new RestCache(options, await options.store.generations())
}

export class RestCache {
  readonly #options: RestCacheOptions
  /** Operations that ever cached anything; entries of an older generation are deleted. */
  readonly #generations: Map<string, number>
  readonly #entries: Entries
  readonly #flights = new Map<string, Flight>()
  readonly #writes = new Set<Promise<void>>()
  readonly #deletions: Deletions
  #puts = 0
  /** Failures of the store since this process started. */
  failures = 0
  /** The last attempt failed: logged once. */
  readonly #failing = new Set<Work>()

  constructor(options: RestCacheOptions, generations: ReadonlyMap<string, number>) {
    this.#options = options
    this.#generations = new Map(generations)
    this.#entries = new Entries(options.limits, options.memory)
    this.#deletions = new Deletions(options.store, (generations) => this.applyGenerations(generations))
  }

  get size(): { readonly entries: number; readonly bytes: number } {
    return this.#entries.size
  }

  /** Only operations that cached something before are looked up: the others cost nothing. */
  knows(operationId: string): boolean {
    return this.#generations.has(operationId)
  }

  find(key: string, operationId: string, now: Now) {
    return this.#recent(key, now()) ?? this.#load(key, operationId, now)
  }

  wasCached(keyOf: () => string, operationId: string): boolean {
    return this.knows(operationId) && this.#entries.has(keyOf())
  }

  keep(keyOf: () => string, operationId: string, now: Now, run: Run) {
    const generation = this.#generations.get(operationId) ?? 0 // read before: a deletion in between stays effective
    const keepIt = (response: OperationResponse) => {
      const expires = response.cacheExpires
      if (expires !== undefined && expires > now())
        this.#put(keyOf(), { operationId, generation, expires, response }, now())
      return response
    }
    const response = run()
    return response instanceof Promise ? response.then(keepIt) : keepIt(response)
  }

  async keepOnce(key: string, operationId: string, now: Now, run: Run) {
    for (;;) {
      const recent = this.#recent(key, now()) // stored while this call read the store, or waited
      if (recent) return recent
      const flight = this.#flights.get(key)
      // After a deletion, no call gets a response whose run began before it
      if (!flight || flight.generation !== this.#generations.get(operationId)) {
        return this.#fly(key, operationId, now, run)
      }
      const outcome = await flight.outcome
      if (outcome === 'aborted') continue // its own client left: the next call runs the handler for the others
      return outcome ?? this.keep(() => key, operationId, now, run) // the awaited run cached nothing
    }
  }

  async #fly(key: string, operationId: string, now: Now, run: Run) {
    const { store, limits } = this.#options
    const running = runForAll({
      store,
      row: storeKey(key),
      generation: this.#generations.get(operationId) ?? 0,
      timeout: limits.handlerTimeout,
      find: () => this.#load(key, operationId, now),
      run: () => this.keep(() => key, operationId, now, run),
      flush: () => this.flush(),
      later: (work) => this.#later(work),
      onFailure: (error) => this.#complain('claimed', error),
    })
    const outcome = running.then(
      // From the store or just cached: it is there now
      (response) => this.#recent(key, now()) ?? (response.cacheExpires === undefined ? undefined : response),
      (error) => (isCutOff(error) ? 'aborted' : undefined),
    )
    const flight = { generation: this.#generations.get(operationId), outcome }
    this.#flights.set(key, flight)
    try {
      return await running
    } finally {
      if (this.#flights.get(key) === flight) this.#flights.delete(key)
    }
  }

  /** Work on the store that no call waits for, but a stop does. */
  #later(work: () => Promise<void>, what: Work = 'claimed'): void {
    const working = work()
      .then(() => void this.#failing.delete(what))
      .catch((error) => this.#complain(what, error))
      .then(() => void this.#writes.delete(working))
    this.#writes.add(working)
  }

  /**
   * Deletes an operation's entries: here immediately, even if the store fails; everywhere through the change feed.
   * @param operator only entries of this one, for the policy `perOperator`
   */
  async deleteOperation(operationId: string, operator?: string): Promise<void> {
    this.applyGenerations(new Map([[operationId, (this.#generations.get(operationId) ?? 0) + 1]]))
    const deletion = { operationId, operator }
    this.#deletions.add(deletion)
    await this.flush() // a row being stored must not arrive after the deletion
    await this.#deletions.run(deletion)
  }

  /** Deletes the entries of one URL, as sent or as listed; the operation's others stay. @returns how many */
  async deleteUrl(operationId: string, url: string): Promise<number> {
    await this.flush()
    const only = { url: hideSecretParameters(url) }
    const { generation, deleted } = await this.#options.store.deleteSome(operationId, only)
    this.applyGenerations(new Map([[operationId, generation]]))
    return deleted
  }

  /** The entries of the store that can answer calls. */
  async list(filter: Omit<CacheFilter, 'now'>) {
    await this.flush()
    return this.#options.store.list({ ...filter, now: this.#options.now() })
  }

  /** Repeats deletions that failed in the store; called while it answers. */
  repeatDeletions(): Promise<void> {
    return this.#deletions.repeat()
  }

  /** Changes from the change feed: operations newly cached, or deleted. */
  applyGenerations(generations: ReadonlyMap<string, number>): void {
    for (const [operationId, generation] of generations) {
      const known = this.#generations.get(operationId)
      this.#generations.set(operationId, Math.max(generation, known ?? 0))
      if (known !== undefined && generation > known) this.#entries.forget(operationId)
    }
  }

  /** This clock was set: only the store knows the expiries of entries in memory. */
  forget(): void {
    this.#entries.forget()
  }

  /** Waits for rows being stored. */
  async flush(): Promise<void> {
    await Promise.all(this.#writes)
  }

  #recent(key: string, now: number): OperationResponse | undefined {
    const entry = this.#entries.get(key)
    if (!entry || entry.expires <= now || entry.generation !== this.#generations.get(entry.operationId))
      return undefined
    entry.isUsed = true
    return entry.response
  }

  async #load(key: string, operationId: string, now: Now): Promise<OperationResponse | undefined> {
    const { store } = this.#options
    const row = await store.find(storeKey(key)).then(
      (found) => {
        this.#failing.delete('read')
        return found
      },
      (error) => this.#complain('read', error),
    )
    if (!row || row.operationId !== operationId) return undefined
    const entry = toEntry(row)
    const known = this.#entries.get(key)
    const isMadeMeanwhile = known && known.generation >= entry.generation && known.expires >= entry.expires
    if (!isMadeMeanwhile) this.#entries.set(key, entry)
    return this.#recent(key, now())
  }

  #put(key: string, entry: Entry, now: number): void {
    if (entry.response.body.bytes.length > this.#options.limits.cacheMaxBytes) return
    // Begun before a deletion: it must not replace a response made after it
    if (entry.generation < (this.#generations.get(entry.operationId) ?? 0)) return
    if (this.#entries.isFullOfVariants(key, now)) return
    if (this.#recent(key, now)) return // of several concurrent responses, the first one stored wins
    if (!this.#generations.has(entry.operationId)) this.#generations.set(entry.operationId, entry.generation)
    this.#entries.set(key, entry)
    if (this.#writes.size < maxPendingWrites) this.#later(() => this.#write(key, entry), 'written')
  }

  async #write(key: string, { operationId, generation, expires, response }: Entry): Promise<void> {
    const { store, limits, now } = this.#options
    const { status, headers, body } = response
    const row = { operationId, generation, expires, status, headers, body: body.bytes }
    const isStored = await store.put(storeKey(key), { ...row, ...readKey(key) }, now())
    if (!isStored) await this.#giveWay(key, response)
    this.#puts += 1
    if (this.#puts % pruneEvery !== 0) return
    await store.prune(now(), { maxBytes: limits.cacheMaxBytes, maxEntries: limits.cacheMaxEntries })
  }

  /** Another process was faster: serves its response from now on, unless ours was removed meanwhile. */
  async #giveWay(key: string, ours: OperationResponse): Promise<void> {
    const row = await this.#options.store.find(storeKey(key))
    if (this.#entries.get(key)?.response !== ours) return
    if (row) this.#entries.set(key, toEntry(row))
    else this.#entries.remove(key)
  }

  #complain(what: Work, error: unknown): undefined {
    this.failures += 1
    if (this.#failing.has(what)) return undefined
    this.#failing.add(what)
    const message = `The REST cache could not be ${what} in the store. Calls are served without it; further failures are counted (ig_cache_failures_total).`
    this.#options.observe({ kind: 'event', level: 'error', name: 'restCacheFailed', message, error })
    return undefined
  }
}
