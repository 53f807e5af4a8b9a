/**
 * Idempotency-Key (specification 26): the first response is stored in the transaction of its handler, and repeated when
 * the same operator sends the same request with the same key again. The unique key of the row decides between two calls;
 * claims make the second one wait for the first.
 */

import { setImmediate as breathe, setTimeout as sleep } from 'node:timers/promises'
import { setInterval } from '../base/timers.ts'
import type { OperationResponse } from '../model/call.ts'
import type { SpooledRequest } from '../model/content/request-message.ts'
import type { Observe } from '../model/observation.ts'
import { Refusal } from '../model/refusal.ts'
import type { Settings } from '../settings.ts'
import { deleteEvery, lease, pollEvery } from '../store/claim-times.ts'
import type { FinalStatement } from '../store/handler-transaction.ts'
import type { IdempotencyStore, StoredRow } from '../store/idempotency/contract.ts'
import { within } from './handler/within.ts'
import { timeLimitOf } from './handler/within-time.ts'
import { Claims } from './idempotency/claims.ts'
import { type KeyedCall, nextOwner } from './idempotency/keyed-call.ts'
import { StoredBytes } from './idempotency/stored-bytes.ts'
import { packResponse, replayResponse, unpackResponse } from './idempotency/stored-response.ts'

export interface IdempotencyOptions {
  readonly store: IdempotencyStore
  readonly settings: Pick<Settings, 'limits' | 'idempotency' | 'secretKey'>
  readonly observe: Observe
  /** Of this instance. */
  readonly processes: number
  /** Epoch milliseconds of the database's clock. */
  now(): number
}

/** Runs the handler and sets `stored` of the call. */
type Run = () => Promise<OperationResponse>

export type StoredResponses = Pick<Idempotency, 'answer' | 'find'>

/** Returns the stored response of the same request, or runs the handler and stores its response. */
export function answerOnce(
  keyed: KeyedCall,
  request: SpooledRequest,
  { idempotency }: { readonly idempotency: StoredResponses },
  run: Run,
): Promise<OperationResponse> {
  return idempotency.answer(keyed, request, run)
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
    const { store, processes, observe } = options
    const { maxBytes } = options.settings.idempotency
    const reportFull = (message: string) =>
      observe({ kind: 'event', level: 'warning', name: 'idempotencyFull', message })
    this.#bytes = new StoredBytes({ store, maxBytes, processes, reportFull })
    this.#claims = new Claims(store)
    this.#timer = setInterval(() => void this.#deleteInTurn(), deleteEvery).unref()
  }

  async answer(keyed: KeyedCall, request: SpooledRequest, run: Run): Promise<OperationResponse> {
    const digest = await keyed.digest(request.call, request.plainUrl, request.body)
    const end = performance.now() + timeLimitOf(keyed.operation, this.#options.settings.limits)
    for (let other = this.#running.get(keyed.row); other; other = this.#running.get(keyed.row))
      await this.#wait(untilFinished(other, end - performance.now(), request.clientSignal))
    const finish = this.#start(keyed.row)
    const stored = await this.#claim(keyed, end, request).catch(async (error) => {
      finish()
      await request.close()
      throw error
    })
    if (!stored) return this.#run(keyed, digest, () => this.#runWithRoom(keyed, request, run), finish)
    finish()
    await request.close()
    return this.#replay(stored, digest, keyed)
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
  find({ row }: KeyedCall): Promise<StoredRow | undefined> {
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
      const claimed = await store.claim({ key: deletion, owner: nextOwner() }, deleteEvery - lease, now())
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
  async #claim(keyed: KeyedCall, end: number, { call }: SpooledRequest): Promise<StoredRow | undefined> {
    const { store, now } = this.#options
    for (;;) {
      const found = await store.claim(keyed.claim, lease, now()).catch((error) => this.#findDespite(error, keyed))
      if (found === 'claimed') return undefined
      if (found !== 'taken') return found
      if (performance.now() > end) throw inUse()
      const asleep = sleep(pollEvery, undefined, { signal: call.signal })
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
  async #findDespite(error: unknown, keyed: KeyedCall): Promise<StoredRow> {
    const stored = await this.find(keyed).catch(() => undefined)
    if (stored) return stored
    if (error instanceof Refusal) throw error
    throw new Refusal('overloaded', `The Idempotency-Key cannot be claimed: ${String(error)}`, { cause: error })
  }

  async #run(keyed: KeyedCall, digest: string, run: Run, finish: () => void): Promise<OperationResponse> {
    const { store, now } = this.#options
    keyed.final = this.#finalStatement(keyed, digest)
    this.#claims.hold(keyed.claim)
    let isStored = false
    try {
      const response = await run()
      isStored = keyed.stored !== undefined
      return { ...response, isKept: isStored }
    } catch (error) {
      if (!(error instanceof KeyTaken)) throw error
      const stored = await store.find(keyed.row, now())
      if (!stored) throw error
      return this.#replay(stored, digest, keyed)
    } finally {
      if (isStored) {
        this.#claims.end(keyed.claim, !store.keepReleases)
        finish()
      } else {
        this.#bytes.giveBack(keyed.operatorId, keyed.taken)
        void this.#claims.release(keyed.claim).then(finish)
      }
    }
  }

  async #runWithRoom(keyed: KeyedCall, request: SpooledRequest, run: Run): Promise<OperationResponse> {
    try {
      await (this.#counting ?? this.#count())
      this.#take(keyed, rowSize)
    } catch (error) {
      await request.close()
      throw error
    }
    return run()
  }

  /** @throws Refusal overloaded */
  #take(keyed: KeyedCall, size: number): void {
    this.#bytes.take(keyed.operatorId, size - keyed.taken)
    keyed.taken = size
  }

  #finalStatement(keyed: KeyedCall, request: string): FinalStatement {
    const { store, now, settings } = this.#options
    const takeRoom = (size: number) => this.#take(keyed, size)
    return {
      query() {
        const { claim, operatorId, stored } = keyed
        if (!stored) throw new Error('There is no response to store')
        const answer = packResponse(stored, claim.key, settings.secretKey)
        const size = rowSize + answer.length
        takeRoom(size)
        const time = now()
        const expires = time + settings.idempotency.lifetime
        return store.keep({
          ...claim,
          request,
          now: time,
          expires,
          operator: operatorId,
          status: stored.status,
          size,
          answer,
        })
      },
      fail: () => new KeyTaken('idempotencyKeyInUse', 'Another call with this Idempotency-Key was faster.'),
    }
  }

  #replay({ request, status, answer }: StoredRow, digest: string, { operation, row }: KeyedCall): OperationResponse {
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
