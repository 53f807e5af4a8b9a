/**
 * The limits of a process (specification 25): what calls have spent, and whether one more fits. No question to the
 * database: `exchange.ts` reports to other processes what was used here, and reads what was used there.
 */
import { LruCache } from '../../base/lru-cache.ts'
import { networkOf, subnetOf } from '../../base/network.ts'
import { openPerMinute } from '../../base/per-minute.ts'
import type { Call } from '../../model/call.ts'
import { type Limit, remainingOf } from '../../model/limit.ts'
import type { Observe } from '../../model/observation.ts'
import type { RateLimitStatus } from '../../model/rate-limit-status.ts'
import { Refusal, refusedBy } from '../../model/refusal.ts'
import type { Transaction } from '../../model/transaction.ts'
import { LoadWatch } from './load-watch.ts'
import { Slots } from './slots.ts'

export interface CallIdentity {
  readonly operationId: string
  readonly address: string
  /** Undefined before authentication. */
  readonly operatorId: string | undefined
}

/** What one subject has spent of a limit, by the generic cell rate algorithm: one time records all calls that were counted. */
export interface Bucket {
  /** The limit as the revision of the last call has it. */
  limit: Limit
  /** An operator, an address, or a combination with a space between its parts; empty if all calls are counted together. */
  readonly subject: string
  /** Time, in milliseconds, at which everything spent will be free again. */
  full: number
  /** Calls in progress, if concurrency is limited. */
  held: number
  /** Milliseconds spent that other processes do not know, and since when. */
  unsent: number
  since: number
  /** Whether a call was refused since the last exchange. */
  hasRefused: boolean
}

export interface LimitsOptions {
  readonly observe: Observe
  /** Milliseconds of a clock that is never set. */
  readonly now?: (() => number) | undefined
  /** Approximate number of subjects tracked per limit. */
  readonly subjects?: number | undefined
  /** Milliseconds of a turn of the event loop from which calls are shed. */
  readonly delay?: number | undefined
  /** Milliseconds that all processes have spent. */
  readonly findSpent?: ((limit: string, subject: string) => Promise<number>) | undefined
}

export class CallLimits {
  readonly now: () => number
  readonly load: LoadWatch
  /** What the next exchange reports. */
  readonly touched = new Set<Bucket>()
  /** Set by the exchange; without one nothing is kept for it. */
  onTouched: (() => void) | undefined
  readonly #subjects: number
  /** By limit, then by subject: a new revision finds those of the same name. */
  readonly #buckets = new Map<string, LruCache<Bucket>>()
  readonly #slots = new Map<string, Slots>()
  readonly #refused = new Map<string, number>()
  readonly #findSpent: LimitsOptions['findSpent']
  readonly #reached
  readonly #forgotten

  constructor({ observe, now = () => performance.now(), subjects = 50_000, delay = 250, findSpent }: LimitsOptions) {
    this.#reached = openPerMinute((counts) => reportReached(observe, counts))
    this.#forgotten = openPerMinute((counts) => reportForgotten(observe, counts, subjects))
    this.load = new LoadWatch({ observe, delay })
    this.now = now
    this.#subjects = subjects
    this.#findSpent = findSpent
  }

  /**
   * Counts a call with every limit that applies to it, or with none.
   * @param releases what is to be done at its end
   * @param earlier what the call has got of other limits
   * @throws Refusal rateLimited
   */
  admit(
    limits: readonly Limit[],
    caller: CallIdentity,
    releases: (() => void)[],
    earlier?: RateLimitStatus,
  ): RateLimitStatus | undefined {
    const now = this.now()
    const counted: Bucket[] = []
    for (const limit of limits) {
      if (!appliesTo(limit, caller.operatorId)) continue
      const bucket = this.#find(limit, subjectOf(limit, caller))
      const wait = bucket.full - now - limit.tolerance
      if (wait > 0 || isFull(bucket)) throw this.#refuse(bucket, wait, now)
      counted.push(bucket)
    }
    let status = earlier
    for (const bucket of counted) {
      this.#count(bucket, now, releases)
      status = statusOf(bucket, now, status)
    }
    return status
  }

  #count(bucket: Bucket, now: number, releases: (() => void)[]): void {
    const { interval, concurrency } = bucket.limit
    if (interval !== undefined) {
      if (bucket.unsent === 0) bucket.since = now
      bucket.full = Math.max(bucket.full, now) + interval
      bucket.unsent += interval
      this.#touch(bucket)
    }
    if (concurrency !== undefined) {
      bucket.held += 1
      releases.push(() => {
        bucket.held -= 1
      })
    }
  }

  /** The slots of handlers: those of the operation, or of all operations together. */
  slotsOf(limit: Limit, operationId: string): Slots {
    const key = `${limit.name} ${limit.by.includes('operation') ? operationId : ''}`
    const known = this.#slots.get(key)
    const slots = known ?? new Slots()
    if (!known) this.#slots.set(key, slots)
    slots.configure(limit)
    return slots
  }

  /** What is spent here, in milliseconds, without counting a call. @returns undefined if the limit does not apply */
  peek(
    limit: Limit,
    caller: CallIdentity,
  ): { readonly subject: string; readonly spent: number; readonly isFull: boolean } | undefined {
    if (!appliesTo(limit, caller.operatorId)) return undefined
    const bucket = this.#find(limit, subjectOf(limit, caller))
    return { subject: bucket.subject, spent: bucket.full - this.now(), isFull: isFull(bucket) }
  }

  /**
   * What the limits of a call decide, without counting it (specification 25.11): those by address, and if the operator is
   * known the others. @returns the refusal of the one that refuses
   */
  async explain(
    { remoteAddress }: Pick<Call, 'remoteAddress'>,
    { operation, operator }: Pick<Transaction, 'operation' | 'operator'>,
  ): Promise<{ readonly text: string; readonly details: readonly string[] } | Refusal | undefined> {
    if (!operation?.limits) return undefined
    const { ofAddress, ofOperator, ofHandler } = operation.limits
    const caller = { operationId: operation.id, address: remoteAddress, operatorId: operator?.id }
    const details: string[] = []
    for (const limit of new Set([...ofAddress, ...(operator ? [...ofOperator, ...ofHandler] : [])])) {
      const found = this.peek(limit, caller)
      if (!found) {
        details.push(`${limit.name} does not apply`)
        continue
      }
      const { subject, isFull } = found
      const spent = (await this.#findSpent?.(limit.name, subject).catch(() => undefined)) ?? found.spent
      const wait = isFull ? 1000 : spent - limit.tolerance
      const who = subject === '' ? '' : ` of ${subject}`
      const seconds = Math.max(1, Math.ceil(wait / 1000))
      const reason = `limited by ${limit.name}${who} (${limit.text}), resets in ${seconds} s`
      if (wait > 0) return refusedBy('limits', new Refusal('rateLimited', reason))
      const left = limit.interval === undefined ? '' : `: ${remainingOf(limit, spent)} left`
      details.push(`${limit.name}${who} (${limit.text})${left}`)
    }
    return { text: 'within its limits', details }
  }

  /** Refused calls since the start, by limit. */
  get refused(): ReadonlyMap<string, number> {
    return this.#refused
  }

  countRefused({ name }: Pick<Limit, 'name'>): void {
    this.#refused.set(name, (this.#refused.get(name) ?? 0) + 1)
    this.#reached.count(name)
  }

  close(): void {
    this.#reached.close()
    this.#forgotten.close()
    this.load.close()
  }

  #refuse(bucket: Bucket, wait: number, now: number): Refusal {
    const { limit, subject } = bucket
    const seconds = Math.max(1, Math.ceil(wait / 1000))
    bucket.hasRefused = true
    this.#touch(bucket)
    this.countRefused(limit)
    const who = subject === '' ? '' : ` of ${subject}`
    const reason = `limited by ${limit.name}${who} (${limit.text}), resets in ${seconds} s`
    const rateLimit = statusOf(bucket, now)
    return refusedBy('limits', new Refusal('rateLimited', reason, { retryAfter: seconds, rateLimit }))
  }

  #touch(bucket: Bucket): void {
    if (!this.onTouched) return
    this.touched.add(bucket)
    this.onTouched()
  }

  #find(limit: Limit, subject: string): Bucket {
    const buckets = this.#buckets.get(limit.name) ?? new LruCache<Bucket>(this.#subjects, this.#forget)
    this.#buckets.set(limit.name, buckets)
    const known = buckets.get(subject)
    const bucket = known ?? newBucket(limit, subject)
    if (!known) buckets.set(subject, bucket)
    bucket.limit = limit
    return bucket
  }

  /** Forgetting one that has nothing left is a loss, and reported. */
  readonly #forget = (bucket: Bucket): void => {
    this.touched.delete(bucket)
    if (bucket.full > this.now()) this.#forgotten.count()
  }
}

function newBucket(limit: Limit, subject: string): Bucket {
  return { limit, subject, full: Number.NEGATIVE_INFINITY, held: 0, unsent: 0, since: 0, hasRefused: false }
}

/** Specification 35.9. */
function reportReached(observe: Observe, counts: ReadonlyMap<string, number>): void {
  for (const [limit, count] of counts) {
    const message = `The limit ${limit} refused ${count === 1 ? 'a call' : `${count} calls in the last minute`}.`
    observe({ kind: 'event', level: 'warning', name: 'limitReached', message, detail: { limit, count } })
  }
}

function reportForgotten(observe: Observe, counts: ReadonlyMap<string, number>, subjects: number): void {
  const message = `More than ${subjects} callers of a limit: ${counts.get('')} that had spent some of it were forgotten, and begin anew. A limit by address can be by network instead.`
  observe({ kind: 'event', level: 'warning', name: 'limitsForgotten', message })
}

function isFull({ limit: { concurrency }, held }: Bucket): boolean {
  return concurrency !== undefined && held >= concurrency
}

function appliesTo({ operators, exceptOperators }: Limit, operatorId: string | undefined): boolean {
  if (operators === undefined && exceptOperators === undefined) return true
  if (operatorId === undefined) return false
  return operators?.has(operatorId) !== false && exceptOperators?.has(operatorId) !== true
}

function subjectOf({ by }: Limit, { operationId, address, operatorId = '' }: CallIdentity): string {
  const parts: string[] = []
  if (by.includes('operation')) parts.push(operationId)
  if (by.includes('address')) parts.push(subnetOf(address))
  if (by.includes('network')) parts.push(networkOf(address))
  if (by.includes('operator')) parts.push(operatorId)
  return parts.join(' ')
}

/** Unchanged by a limit without a rate. */
function statusOf({ limit, full }: Bucket, now: number, earlier?: RateLimitStatus): RateLimitStatus | undefined {
  if (limit.interval === undefined) return earlier
  const spent = full - now
  const remaining = remainingOf(limit, spent)
  const policies = earlier ? `${earlier.policies}, ${limit.policy}` : String(limit.policy)
  const isLeast = earlier === undefined || remaining < earlier.remaining
  const least = isLeast ? { name: limit.name, remaining, reset: Math.max(1, Math.ceil(spent / 1000)) } : earlier
  return { ...least, policies }
}
