/**
 * The REST cache (specification 6): responses of GET operations whose handler called `setRestCache`. Memory answers;
 * the store keeps entries over a restart, shares them between processes, and decides which process runs a handler for
 * all. A store failure is a miss.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { OperationResponse } from '../../model/call.ts'
import type { MemoryBudget } from '../../model/memory-budget.ts'
import type { Observe } from '../../model/observation.ts'
import { hideSecretParameters } from '../../model/secret-name.ts'
import { isCutOff } from '../../steps/handler/failure.ts'
import type { RunHandler } from '../../steps/handler/run.ts'
import { claimPollInterval } from '../../store/claim-times.ts'
import { isDamage } from '../../store/sqlite/files.ts'
import { readKey, storeKey } from './cache-key.ts'
import type { CacheFilter, CacheRows } from './contract.ts'
import { Deletions } from './deletions.ts'
import { type Bounds, Entries, type Entry, toEntry } from './entries.ts'
import { RunClaim } from './run-claim.ts'

export interface RestCacheOptions {
  readonly store: CacheRows
  readonly settings: {
    readonly restCache: Bounds
    /** The single run of a handler that other calls wait for. */
    readonly limits: { readonly handlerTimeout: number }
  }
  /** Undefined: only the bounds apply. */
  readonly memory?: MemoryBudget
  readonly observe: Observe
  now(): number
}

/** What a run of the handler has for the calls that wait for it: nothing if it cached none, or its own client left. */
type SharedResponse = OperationResponse | 'aborted' | undefined

/** What can fail in the store, in the words of the log: it could not be read. */
type Work = 'read' | 'written' | 'claimed'
const pruneEvery = 64
/** Before the first change. */
const beginning = -1
/** Maximum rows being stored; further ones stay in memory only. */
const maxPendingWrites = 256

export class RestCache {
  readonly #options: RestCacheOptions
  /** Each deletion begins a new generation of its operation; entries of an older one are deleted. */
  readonly #generations = new Map<string, number>()
  /** Up to this one, changes of generations were read from the store. */
  #epoch = beginning
  /** The store may be another one, with lower generations than those known here. */
  #isReset = false
  readonly #entries: Entries
  /** Runs of handlers in this process, by claim. */
  readonly #runs = new Map<string, Promise<SharedResponse>>()
  readonly #writes = new Set<Promise<void>>()
  readonly #deletions: Deletions
  #puts = 0
  /** Failures of the store since this process started. */
  failures = 0
  /** The last attempt failed: logged once. */
  readonly #failing = new Set<Work>()

  constructor(options: RestCacheOptions) {
    this.#options = options
    this.#entries = new Entries(options.settings.restCache, options.memory)
    this.#deletions = new Deletions(options.store, (generations) => this.#takeGenerations(generations))
  }

  get size(): { readonly entries: number; readonly bytes: number } {
    return this.#entries.size
  }

  /** Only operations that cached something before are looked up: the others cost nothing. */
  knows(operationId: string): boolean {
    return this.#generations.has(operationId)
  }

  async find(key: string, operationId: string): Promise<OperationResponse | undefined> {
    return this.#recent(key) ?? this.#load(key, operationId)
  }

  /**
   * Runs the handler, and caches its response. Concurrent misses of an entry that was cached before run it once, in all
   * processes of the store (specification 6.10, 17.8). A store failure costs an extra run, never a call.
   */
  async answer(key: string, operationId: string, run: RunHandler): Promise<OperationResponse> {
    const { store, settings } = this.#options
    const generation = this.#generations.get(operationId) ?? 0 // before the run: a deletion in between stays effective
    const runAndKeep = async () => {
      const response = await run()
      this.#put(key, operationId, generation, response)
      return response
    }
    if (!this.#entries.has(key)) return runAndKeep() // never cached: it is unknown whether the response can be shared
    const recent = this.#recent(key) // stored while this call read the store, or waited
    if (recent) return recent

    // Another call of this process runs it: its response, unless its run began before a deletion
    const claim = new RunClaim(store, storeKey(key), generation)
    const other = this.#runs.get(claim.key)
    if (other) {
      const shared = await other
      return shared === 'aborted' ? this.answer(key, operationId, run) : (shared ?? runAndKeep())
    }
    const { promise, resolve } = Promise.withResolvers<SharedResponse>()
    this.#runs.set(claim.key, promise)
    let shared: SharedResponse
    let renewing: NodeJS.Timeout | undefined
    try {
      // Another process runs it: its response, as soon as that is stored
      const end = performance.now() + settings.limits.handlerTimeout
      const isOurs = () => claim.take().catch((error) => this.#complain('claimed', error) ?? true)
      while (!(await isOurs()) && performance.now() < end) {
        shared = await this.#load(key, operationId)
        if (shared) return shared
        await sleep(claimPollInterval)
      }
      shared = await this.#load(key, operationId)
      if (shared) return shared

      renewing = claim.renew()
      const response = await runAndKeep()
      shared = this.#recent(key) ?? (response.cacheExpires === undefined ? undefined : response)
      if (!shared) this.#entries.remove(key) // no longer cached: its next misses do not wait for each other
      return response
    } catch (error) {
      if (isCutOff(error)) shared = 'aborted' // the next call runs the handler
      throw error
    } finally {
      clearInterval(renewing)
      this.#runs.delete(claim.key)
      resolve(shared)
      const written = this.flush()
      this.#later(async () => {
        await written // the row is stored before the calls of other processes continue
        if (!shared) await claim.removeMark()
        await claim.release()
      })
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
   * @param operator only entries of this one, for the policy `perOperator`; the others are read again from the store
   */
  async deleteOperation(operationId: string, operator?: string): Promise<void> {
    this.#beginGeneration(operationId)
    await this.flush() // a row being stored must not arrive after the deletion
    await this.#deletions.run({ operationId, operator })
  }

  /** Deletes the entries of one URL, as sent or as listed; the operation's others stay. @returns how many */
  async deleteUrl(operationId: string, url: string): Promise<number> {
    await this.flush()
    const only = { url: hideSecretParameters(url) }
    const { generation, deleted } = await this.#options.store.deleteSome(operationId, only)
    this.#takeGenerations(new Map([[operationId, generation]]))
    return deleted
  }

  /** The entries of the store that can answer calls. */
  async list(filter: Omit<CacheFilter, 'now'>) {
    await this.flush()
    return this.#options.store.list({ ...filter, now: this.#options.now() })
  }

  /** Operations newly cached, or deleted, by other processes. The store answers: deletions that failed are repeated. */
  async follow(): Promise<void> {
    const { epoch, generations } = await this.#options.store.changedSince(this.#epoch).catch((error) => {
      // A damaged cache, recreated at the next start, must not hide a change of an operator
      if (isDamage(error)) return { epoch: this.#epoch, generations: new Map<string, number>() }
      throw error
    })
    const isReset = this.#isReset
    if (isReset) this.#generations.clear()
    this.#takeGenerations(generations)
    if (isReset) for (const operationId of this.#deletions.waiting) this.#beginGeneration(operationId)
    this.#epoch = epoch
    this.#isReset = false
    if (this.#deletions.waiting.length > 0) this.#later(() => this.#deletions.repeat(), 'written')
  }

  /** The store is another one, or a clock was set: only the store knows the expiries of entries in memory. */
  reset(): void {
    this.#entries.dropResponses()
    this.#epoch = beginning
    this.#isReset = true
  }

  /** Waits for rows being stored. */
  async flush(): Promise<void> {
    await Promise.all(this.#writes)
  }

  #beginGeneration(operationId: string): void {
    this.#takeGenerations(new Map([[operationId, (this.#generations.get(operationId) ?? 0) + 1]]))
  }

  #takeGenerations(generations: ReadonlyMap<string, number>): void {
    for (const [operationId, generation] of generations) {
      const known = this.#generations.get(operationId)
      this.#generations.set(operationId, Math.max(generation, known ?? 0))
      // An operation that was unknown has no entries here
      if (known !== undefined && generation > known) this.#entries.dropResponses(operationId)
    }
  }

  #recent(key: string): OperationResponse | undefined {
    const entry = this.#entries.get(key)
    if (!entry || entry.expires <= this.#options.now() || entry.generation !== this.#generations.get(entry.operationId))
      return undefined
    return entry.response
  }

  async #load(key: string, operationId: string): Promise<OperationResponse | undefined> {
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
    return this.#recent(key)
  }

  #put(key: string, operationId: string, generation: number, response: OperationResponse): void {
    const { now, settings } = this.#options
    const { cacheExpires: expires = 0, body } = response
    if (expires <= now() || body.bytes.length > settings.restCache.maxBytes) return
    // Begun before a deletion, or on another store: it must not replace a response made after it
    if (generation !== (this.#generations.get(operationId) ?? 0)) return
    if (this.#entries.isFullOfVariants(key, now())) return
    if (this.#recent(key)) return // of several concurrent responses, the first one stored wins
    if (!this.#generations.has(operationId)) this.#generations.set(operationId, generation)
    const entry = { operationId, generation, expires, response }
    this.#entries.set(key, entry)
    if (this.#writes.size < maxPendingWrites) this.#later(() => this.#write(key, entry), 'written')
  }

  async #write(key: string, { operationId, generation, expires, response }: Entry): Promise<void> {
    const { store, settings, now } = this.#options
    const { status, headers, body } = response
    const row = { operationId, generation, expires, status, headers, body: body.bytes }
    const isStored = await store.put(storeKey(key), { ...row, ...readKey(key) }, now())
    if (!isStored) await this.#giveWay(key, response)
    this.#puts += 1
    if (this.#puts % pruneEvery !== 0) return
    await store.prune(now(), settings.restCache)
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
