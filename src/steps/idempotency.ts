/**
 * Idempotency-Key (specification 26): the first answer to a call is kept in the transaction of its handler, and repeated
 * when the same operator sends the same request with the same key again. The unique key of the row decides between two calls; claims
 * make the second one wait for the first.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { OperationResponse } from '../model/call.ts'
import type { SpooledRequest } from '../model/content/request-message.ts'
import type { Observe } from '../model/observation.ts'
import { Refusal } from '../model/refusal.ts'
import type { OpenTransaction } from '../model/transaction.ts'
import type { Settings } from '../settings.ts'
import type { Seal } from '../store/handler-transaction.ts'
import type { IdempotencyStore, KeptRow } from '../store/idempotency/contract.ts'
import { within } from './handler/within.ts'
import { timeLimitOf } from './handler/within-time.ts'
import { Claims, lease } from './idempotency/claims.ts'
import { deleteAnswers } from './idempotency/delete-answers.ts'
import { packAnswer, repeatAnswer, unpackAnswer } from './idempotency/kept-answer.ts'
import { type KeyedCall, nextOwner } from './idempotency/keyed-call.ts'

export interface IdempotencyOptions {
  readonly store: IdempotencyStore
  readonly settings: Pick<Settings, 'limits' | 'idempotency' | 'secretKey'>
  readonly observe: Observe
  /** Epoch milliseconds of the database's clock. */
  now(): number
}

/** Runs the handler, which keeps its answer in the call. */
type Run = () => OperationResponse | Promise<OperationResponse>

/** What a call does with kept answers. */
export type KeptAnswers = Pick<Idempotency, 'answer' | 'find'>

/** The kept answer to the same request, or that of the handler, which is then kept. */
export function answerOnce(
  keyed: KeyedCall,
  request: SpooledRequest,
  transaction: OpenTransaction,
  { idempotency }: { readonly idempotency: KeptAnswers },
  run: Run,
): Promise<OperationResponse> {
  return idempotency.answer(keyed, request, transaction, run)
}

/** How often a call asks whether that of another process has ended, in milliseconds. */
const askEvery = 50
/** Bytes of a row besides the answer. */
const rowSize = 300
/** Milliseconds after which one process of the cluster deletes expired answers; immediately after each part of the total size. */
const deleteEvery = 60_000
const deleteAfterPart = 1 / 16
/** Taken as a claim by the process that deletes; no digest is as short. */
const deletion = 'deletion'

export class Idempotency {
  readonly #options: IdempotencyOptions
  readonly #claims: Claims
  /** By row: calls of this process whose handlers run, or that wait for those of other processes. */
  readonly #flights = new Map<string, Promise<void>>()
  /** Calls that wait for another one. */
  waiting = 0
  readonly #timer: NodeJS.Timeout
  #deleting: Promise<void> | undefined
  /** Bytes since the last deletion. */
  #keptBytes = 0

  constructor(options: IdempotencyOptions) {
    this.#options = options
    this.#claims = new Claims(options.store)
    this.#timer = setInterval(() => void this.#deleteInTurn(), deleteEvery).unref()
  }

  async answer(keyed: KeyedCall, request: SpooledRequest, transaction: OpenTransaction, run: Run) {
    const digest = await keyed.digest(request.call, request.plainUrl, request.body)
    const end = performance.now() + timeLimitOf(keyed.operation, this.#options.settings.limits)
    for (let flight = this.#flights.get(keyed.row); flight; flight = this.#flights.get(keyed.row))
      await this.#wait(untilLanded(flight, end - performance.now(), request.clientSignal))
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#flights.set(keyed.row, promise)
    const land = () => {
      this.#flights.delete(keyed.row)
      resolve()
    }
    let kept: KeptRow | undefined
    try {
      kept = await this.#claim(keyed, end, request)
    } catch (error) {
      land()
      throw error
    }
    if (!kept) return this.#run(keyed, digest, transaction, run, land)
    land()
    return this.#repeat(kept, digest, keyed, transaction)
  }

  /** The stored answer to a call with this key, whatever the request. */
  find({ row }: KeyedCall): Promise<KeptRow | undefined> {
    return this.#options.store.find(row, this.#options.now())
  }

  /** Deletes answers that have expired, the oldest if there are too many, and claims of killed processes. */
  deleteAnswers(): Promise<void> {
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
      const claimed = await store.claim({ key: deletion, owner: nextOwner() }, deleteEvery - lease, now())
      if (claimed === 'claimed') await this.deleteAnswers()
    } catch {
      // The store is away: the next turn tries again
    }
  }

  async #delete(): Promise<void> {
    const { store, now, settings, observe } = this.#options
    const { maxBytes } = settings.idempotency
    this.#keptBytes = 0
    await store.deleteEndedClaims()
    const tooMany = await deleteAnswers(store, now(), maxBytes)
    if (tooMany === 0) return
    const message = `The kept answers to calls with an Idempotency-Key exceeded ig.idempotency.size (${maxBytes} bytes): the ${tooMany} oldest were deleted before they expired. A repeat of their calls runs the handler again.`
    observe({ kind: 'event', level: 'warning', name: 'idempotencyFull', message })
  }

  /** @returns undefined if the claim is ours */
  async #claim(keyed: KeyedCall, end: number, { call }: SpooledRequest): Promise<KeptRow | undefined> {
    const { store, now } = this.#options
    for (;;) {
      const found = await store.claim(keyed.claim, lease, now()).catch((error) => this.#findDespite(error, keyed))
      if (found === 'claimed') return undefined
      if (found !== 'taken') return found
      if (performance.now() > end) throw inUse()
      const asleep = sleep(askEvery, undefined, { signal: call.signal })
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

  /** A kept answer is repeated even if nothing can be written. */
  async #findDespite(error: unknown, keyed: KeyedCall): Promise<KeptRow> {
    const kept = await this.find(keyed).catch(() => undefined)
    if (kept) return kept
    if (error instanceof Refusal) throw error
    throw new Refusal('overloaded', `The Idempotency-Key cannot be claimed: ${String(error)}`, { cause: error })
  }

  async #run(keyed: KeyedCall, digest: string, transaction: OpenTransaction, run: Run, land: () => void) {
    const { store, now } = this.#options
    keyed.seal = this.#openSeal(keyed, digest)
    this.#claims.hold(keyed.claim)
    let isKept = false
    try {
      const response = await run()
      isKept = keyed.kept !== undefined
      transaction.isKept = isKept
      return response
    } catch (error) {
      if (!(error instanceof KeyTaken)) throw error
      const kept = await store.find(keyed.row, now())
      if (!kept) throw error
      return this.#repeat(kept, digest, keyed, transaction)
    } finally {
      if (isKept) {
        this.#claims.end(keyed.claim, !store.keepReleases)
        this.#countKept(keyed)
        land()
      } else void this.#claims.release(keyed.claim).then(land)
    }
  }

  /** A flood of keys does not wait for the next turn. */
  #countKept({ kept }: KeyedCall): void {
    this.#keptBytes += rowSize + (kept?.body.length ?? 0)
    const { maxBytes } = this.#options.settings.idempotency
    if (this.#keptBytes > maxBytes * deleteAfterPart) void this.deleteAnswers().catch(() => {})
  }

  #openSeal(keyed: KeyedCall, request: string): Seal {
    const { store, now, settings } = this.#options
    return {
      query() {
        const { claim, kept } = keyed
        if (!kept) throw new Error('There is no answer to keep')
        const answer = packAnswer(kept, claim.key, settings.secretKey)
        const time = now()
        const expires = time + settings.idempotency.lifetime
        return store.keep({
          ...claim,
          request,
          now: time,
          expires,
          status: kept.status,
          size: rowSize + answer.length,
          answer,
        })
      },
      fail: () => new KeyTaken('idempotencyKeyInUse', 'Another call with this Idempotency-Key was faster.'),
    }
  }

  #repeat(
    { request, status, answer }: KeptRow,
    digest: string,
    { operation, row }: KeyedCall,
    transaction: OpenTransaction,
  ) {
    if (request !== digest) {
      const reason = `The Idempotency-Key was used for another request of ${operation.id}.`
      throw new Refusal('idempotencyKeyReused', reason)
    }
    const kept = unpackAnswer(answer, row, this.#options.settings.secretKey)
    transaction.replay = kept.isTruncated ? 'truncated' : 'whole'
    return repeatAnswer(status, kept)
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

async function untilLanded(flight: Promise<void>, patience: number, signal: AbortSignal): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>()
  const leave = () => reject(hasLeft(signal))
  signal.addEventListener('abort', leave)
  try {
    if (signal.aborted) leave()
    await within(patience, Promise.race([flight, promise]), inUse())
  } finally {
    signal.removeEventListener('abort', leave)
  }
}
