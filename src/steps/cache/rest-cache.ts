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
import { pollEvery } from '../../store/claim-times.ts'
import type { CacheFilter, RestCacheStore } from '../../store/store.ts'
import { isCutOff } from '../handler/failure.ts'
import { readKey, storeKey } from './cache-key.ts'
import { Deletions } from './deletions.ts'
import { Entries, type Entry, toEntry } from './entries.ts'
import { RunClaim } from './run-claim.ts'

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

/** A running handler that several calls wait for. */
interface Flight {
  readonly generation: number | undefined
  readonly outcome: Promise<OperationResponse | 'aborted' | undefined>
}

/** As named in the log. */
type Work = 'read' | 'written' | 'claimed'
/** Runs the handler. */
export type Run = () => Promise<OperationResponse>
const pruneEvery = 64
/** Maximum rows being stored; further ones stay in memory only. */
const maxPendingWrites = 256

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

  async find(key: string, operationId: string): Promise<OperationResponse | undefined> {
    return this.#recent(key) ?? this.#load(key, operationId)
  }

  /** Concurrent misses of an entry that was cached before run the handler once. */
  async answer(keyOf: () => string, operationId: string, run: Run): Promise<OperationResponse> {
    if (!this.knows(operationId)) return this.#keep(keyOf, operationId, run)
    const key = keyOf()
    while (this.#entries.has(key)) {
      const recent = this.#recent(key) // stored while this call read the store, or waited
      if (recent) return recent
      const flight = this.#flights.get(key)
      // After a deletion, no call gets a response whose run began before it
      if (!flight || flight.generation !== this.#generations.get(operationId)) return this.#fly(key, operationId, run)
      const outcome = await flight.outcome
      if (outcome === undefined) break // the awaited run cached nothing
      if (outcome !== 'aborted') return outcome // otherwise its own client left: the next call runs the handler
    }
    return this.#keep(() => key, operationId, run)
  }

  /** Runs the handler. */
  async #keep(keyOf: () => string, operationId: string, run: Run): Promise<OperationResponse> {
    const generation = this.#generations.get(operationId) ?? 0 // read before: a deletion in between stays effective
    const response = await run()
    const expires = response.cacheExpires
    if (expires !== undefined && expires > this.#options.now())
      this.#put(keyOf(), { operationId, generation, expires, response })
    return response
  }

  async #fly(key: string, operationId: string, run: Run): Promise<OperationResponse> {
    const generation = this.#generations.get(operationId)
    const running = this.#runForAll(key, operationId, generation ?? 0, run)
    const outcome = running.then(
      // From the store or just cached: it is there now
      (response) => this.#recent(key) ?? (response.cacheExpires === undefined ? undefined : response),
      (error) => (isCutOff(error) ? 'aborted' : undefined),
    )
    const flight = { generation, outcome }
    this.#flights.set(key, flight)
    try {
      return await running
    } finally {
      if (this.#flights.get(key) === flight) this.#flights.delete(key)
    }
  }

  /**
   * One process of a store runs the handler; the others wait for its response while it is alive (specification 6.10,
   * 17.8). A store failure costs an extra run, never a call.
   */
  async #runForAll(key: string, operationId: string, generation: number, run: Run): Promise<OperationResponse> {
    const { store, limits } = this.#options
    const claim = new RunClaim(store, storeKey(key), generation)
    const end = performance.now() + limits.handlerTimeout
    let isOurs: boolean | undefined = false
    let made: OperationResponse | undefined
    let hasWaited = false
    while (performance.now() < end) {
      isOurs = await claim.take().catch((error) => this.#complain('claimed', error))
      made = isOurs === undefined ? undefined : await this.#load(key, operationId)
      if (made || isOurs !== false) break
      hasWaited = true
      await sleep(pollEvery)
    }
    const keep = () => this.#keep(() => key, operationId, run)
    if (!isOurs) return made ?? keep()
    // A row that is gone: the awaited run cached nothing, and each call runs the handler itself
    if (made || (hasWaited && (await claim.isRowGone()))) {
      this.#later(() => claim.release())
      return made ?? keep()
    }
    return this.#runClaimed(claim, keep)
  }

  async #runClaimed(claim: RunClaim, keep: Run): Promise<OperationResponse> {
    const renewing = claim.renew()
    let forgetsRow = true
    try {
      const response = await keep()
      forgetsRow = response.cacheExpires === undefined
      return response
    } catch (error) {
      if (isCutOff(error)) forgetsRow = false // an aborted run says nothing about caching
      throw error
    } finally {
      clearInterval(renewing)
      const written = this.flush()
      this.#later(async () => {
        await written // the row is stored before the waiting calls continue
        if (forgetsRow) await claim.forgetRow()
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

  #recent(key: string): OperationResponse | undefined {
    const entry = this.#entries.get(key)
    if (!entry || entry.expires <= this.#options.now() || entry.generation !== this.#generations.get(entry.operationId))
      return undefined
    entry.isUsed = true
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

  #put(key: string, entry: Entry): void {
    if (entry.response.body.bytes.length > this.#options.limits.cacheMaxBytes) return
    // Begun before a deletion: it must not replace a response made after it
    if (entry.generation < (this.#generations.get(entry.operationId) ?? 0)) return
    if (this.#entries.isFullOfVariants(key, this.#options.now())) return
    if (this.#recent(key)) return // of several concurrent responses, the first one stored wins
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
