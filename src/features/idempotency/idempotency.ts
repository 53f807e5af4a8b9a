/**
 * Idempotency-Key (specification 26): the first response is stored in the transaction of its handler, and repeated when
 * the same operator sends the same request with the same key again. The unique key of the row decides between two calls;
 * claims make the second one wait for the first.
 */

import { randomUUID } from 'node:crypto'
import { setImmediate as breathe, setTimeout as sleep } from 'node:timers/promises'
import { setInterval } from '../../base/timers.ts'
import { within } from '../../base/within.ts'
import type { OperationResponse } from '../../model/call.ts'
import type { SpooledRequest } from '../../model/content/request-message.ts'
import type { Observe } from '../../model/observation.ts'
import { Refusal } from '../../model/refusal.ts'
import type { Settings } from '../../settings.ts'
import type { MakeStoreStatement, RunHandler } from '../../steps/handler/run.ts'
import { timeLimitOf } from '../../steps/handler/within-time.ts'
import { claimPollInterval, deleteEvery, lease } from '../../store/claim-times.ts'
import { Claims } from './claims.ts'
import type { Claim, IdempotencyStore, StoredRow } from './contract.ts'
import { digestRequest, type IdempotencyKey } from './idempotency-key.ts'
import { StoredBytes } from './stored-bytes.ts'
import { packResponse, replayResponse, toStored, unpackResponse } from './stored-response.ts'

export interface IdempotencyOptions {
  readonly store: IdempotencyStore
  readonly settings: Pick<Settings, 'limits' | 'idempotency' | 'secretKey'>
  readonly observe: Observe
  /** Epoch milliseconds of the database's clock. */
  now(): number
}

/** What the pipeline and the actions use of it. */
export type IdempotentCalls = Pick<Idempotency, 'answer' | 'find' | 'waiting' | 'deleteResponses'>

/** A call whose handler may run. */
interface ClaimedCall {
  readonly key: IdempotencyKey
  readonly claim: Claim
  readonly digest: string
  readonly request: SpooledRequest
  /** Ends the wait of other calls of this process. */
  finish(): void
}

/** Bytes of a row without its response. */
const rowSize = 300
/** Taken as a claim by the process that deletes; no digest is as short. */
const deletion = 'deletion'

export class Idempotency {
  readonly #options: IdempotencyOptions
  readonly #claims: Claims
  /** By row: calls of this process whose handlers run, or that wait for those of other processes. */
  readonly #running = new Map<string, Promise<void>>()
  /** Calls that wait for another one. */
  waiting = 0
  readonly #timer: NodeJS.Timeout
  #deleting: Promise<void> | undefined
  readonly #bytes: StoredBytes
  #counting: Promise<void> | undefined

  constructor(options: IdempotencyOptions) {
    this.#options = options
    const { store, observe } = options
    const { maxBytes } = options.settings.idempotency
    const reportFull = (message: string) =>
      observe({ kind: 'event', level: 'warning', name: 'idempotencyFull', message })
    this.#bytes = new StoredBytes({ store, maxBytes, reportFull })
    this.#claims = new Claims(store)
    this.#timer = setInterval(() => void this.#deleteInTurn(), deleteEvery).unref()
  }

  async answer(key: IdempotencyKey, request: SpooledRequest, run: RunHandler): Promise<OperationResponse> {
    const digest = await digestRequest(key, request)
    const end = performance.now() + timeLimitOf(key.operation, this.#options.settings.limits)
    for (let other = this.#running.get(key.row); other; other = this.#running.get(key.row))
      await this.#wait(untilFinished(other, end - performance.now(), request.clientSignal))
    const finish = this.#start(key.row)
    const claim = { key: key.row, owner: randomUUID() }
    const stored = await this.#claim(claim, end, request).catch(async (error) => {
      finish()
      await request.close()
      throw error
    })
    if (!stored) return this.#run({ key, claim, digest, request, finish }, run)
    finish()
    await request.close()
    return this.#replay(stored, digest, key)
  }

  /** Other calls of this process with the same key wait from now on. @returns a function that ends their wait */
  #start(row: string): () => void {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#running.set(row, promise)
    return () => {
      this.#running.delete(row)
      resolve()
    }
  }

  /** The stored response to a call with this key, whatever the request. */
  find({ row }: Pick<IdempotencyKey, 'row'>): Promise<StoredRow | undefined> {
    return this.#options.store.find(row, this.#options.now())
  }

  /** Deletes responses that have expired, and claims of killed processes, and counts what is left. */
  deleteResponses(): Promise<void> {
    this.#deleting ??= this.#delete().finally(() => {
      this.#deleting = undefined
    })
    return this.#deleting
  }

  /** Waits for the rows that are being changed. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#claims.flush()
    await this.#deleting?.catch(() => {})
  }

  async #deleteInTurn(): Promise<void> {
    const { store, now } = this.#options
    try {
      if (this.#counting) await this.#count()
      const claimed = await store.claim({ key: deletion, owner: randomUUID() }, deleteEvery - lease, now())
      if (claimed === 'claimed') await this.deleteResponses()
    } catch {
      // The store is away: the next turn tries again
    }
  }

  async #delete(): Promise<void> {
    const { store, now } = this.#options
    await store.deleteEndedClaims()
    const before = now()
    while ((await store.deleteExpired(before)) > 0) await breathe()
    await this.#count()
  }

  #count(): Promise<void> {
    this.#counting = this.#bytes.count(this.#options.now())
    this.#counting.catch(() => {
      this.#counting = undefined // the next call with a key tries again
    })
    return this.#counting
  }

  /** @returns undefined if the claim is ours */
  async #claim(claim: Claim, end: number, { call }: SpooledRequest): Promise<StoredRow | undefined> {
    const { store, now } = this.#options
    for (;;) {
      const found = await store.claim(claim, lease, now()).catch((error) => this.#findDespite(error, claim.key))
      if (found === 'claimed') return undefined
      if (found !== 'taken') return found
      if (performance.now() > end) throw inUse()
      const asleep = sleep(claimPollInterval, undefined, { signal: call.signal })
      await this.#wait(asleep).catch(() => {
        throw hasLeft(call.signal)
      })
    }
  }

  async #wait(other: Promise<void>): Promise<void> {
    this.waiting += 1
    try {
      await other
    } finally {
      this.waiting -= 1
    }
  }

  /** A stored response is repeated even if the claim cannot be written. */
  async #findDespite(error: unknown, row: string): Promise<StoredRow> {
    const stored = await this.find({ row }).catch(() => undefined)
    if (stored) return stored
    if (error instanceof Refusal) throw error
    throw new Refusal('overloaded', `The Idempotency-Key cannot be claimed: ${String(error)}`, { cause: error })
  }

  async #run({ key, claim, digest, request, finish }: ClaimedCall, run: RunHandler): Promise<OperationResponse> {
    const { store, now, settings } = this.#options
    const { row, operatorId } = key
    let taken = 0
    const takeRoom = (size: number) => {
      this.#bytes.take(operatorId, size - taken)
      taken = size
    }
    const storeInTransaction: MakeStoreStatement = (status, headers, body) => {
      const answer = packResponse(toStored(headers, body), row, settings.secretKey)
      const size = rowSize + answer.length
      takeRoom(size)
      const time = now()
      const expires = time + settings.idempotency.lifetime
      const query = store.keep({
        ...claim,
        request: digest,
        now: time,
        expires,
        operator: operatorId,
        status,
        size,
        answer,
      })
      const fail = () => new KeyTaken('idempotencyKeyInUse', 'Another call with this Idempotency-Key was faster.')
      return { query, fail }
    }
    this.#claims.hold(claim)
    let isReplayable = false
    try {
      await this.#requireRoom(() => takeRoom(rowSize), request)
      const response = await run(storeInTransaction)
      isReplayable = response.isReplayable === true
      return { ...response, isReplayable }
    } catch (error) {
      if (!(error instanceof KeyTaken)) throw error
      const stored = await store.find(row, now())
      if (!stored) throw error
      return this.#replay(stored, digest, key)
    } finally {
      if (isReplayable) {
        this.#claims.end(claim, !store.keepReleases)
        finish()
      } else {
        this.#bytes.giveBack(operatorId, taken)
        void this.#claims.release(claim).then(finish)
      }
    }
  }

  async #requireRoom(take: () => void, request: SpooledRequest): Promise<void> {
    try {
      await (this.#counting ?? this.#count())
      take()
    } catch (error) {
      await request.close()
      throw error
    }
  }

  #replay(
    { request, status, answer }: StoredRow,
    digest: string,
    { operation, row }: IdempotencyKey,
  ): OperationResponse {
    if (request !== digest) {
      const reason = `The Idempotency-Key was used for another request of ${operation.id}.`
      throw new Refusal('idempotencyKeyReused', reason)
    }
    return replayResponse(status, unpackResponse(answer, row, this.#options.settings.secretKey))
  }
}

/** The transaction was rolled back. */
class KeyTaken extends Refusal {}

function inUse(): Refusal {
  return new Refusal('idempotencyKeyInUse', 'The first call with this Idempotency-Key is still at work.')
}

/** A refusal if the gateway itself ends the call, as a stop does. */
function hasLeft({ reason }: AbortSignal): Refusal {
  return reason instanceof Refusal
    ? reason
    : new Refusal('idempotencyKeyInUse', 'The client left while it waited for the first call.')
}

async function untilFinished(other: Promise<void>, timeout: number, signal: AbortSignal): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>()
  const leave = () => reject(hasLeft(signal))
  signal.addEventListener('abort', leave)
  try {
    if (signal.aborted) leave()
    await within(timeout, Promise.race([other, promise]), inUse())
  } finally {
    signal.removeEventListener('abort', leave)
  }
}
