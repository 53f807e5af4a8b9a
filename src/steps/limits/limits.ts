/**
 * The limits of a process (specification 25): what calls have spent, and whether one more fits. No question to the
 * database: `exchange.ts` reports to other processes what was used here, and reads what was used there.
 */
import { rangeOf, subnetOf } from '../../base/network.ts'
import { openPerMinute, type PerMinute } from '../../base/per-minute.ts'
import { type Limit, remainingOf } from '../../model/limit.ts'
import type { Observe } from '../../model/observation.ts'
import { Refusal } from '../../model/refusal.ts'
import type { Standing } from '../../model/transaction.ts'
import type { SpentByAll } from '../../store/limits.ts'
import { Bucket, Buckets } from './buckets.ts'
import { LoadWatch } from './load-watch.ts'
import { Slots } from './slots.ts'

export interface Caller {
  readonly operationId: string
  readonly address: string
  /** Undefined before authentication. */
  readonly operatorId: string | undefined
}

/** What a call has got of its limits. */
export interface Admission {
  standing: Standing | undefined
  /** At its end. */
  readonly releases: (() => void)[]
}

export interface LimitsOptions {
  readonly observe: Observe
  /** Milliseconds of a clock that is never set. */
  readonly now?: (() => number) | undefined
  /** Approximate number of subjects tracked per limit. */
  readonly subjects?: number | undefined
  /** Milliseconds of a turn of the event loop from which calls are shed. */
  readonly delay?: number | undefined
}

/** Minimum number of milliseconds between two events of the same kind. */
const reportEvery = 60_000

/** The buckets of the call being admitted. One array for all calls, because `admit` is synchronous. */
const found: (Bucket | undefined)[] = []

export class Limits {
  readonly now: () => number
  readonly load: LoadWatch
  /** Of the next exchange. */
  readonly touched: Bucket[] = []
  /** Called for the first bucket that is touched. */
  onTouched: (() => void) | undefined
  readonly #observe: Observe
  readonly #subjects: number
  readonly #byName = new Map<string, Buckets>()
  /** Of a revision's limits, each time in their order: a new revision finds those of the same name. */
  readonly #byLimits = new WeakMap<readonly Limit[], readonly Buckets[]>()
  readonly #slots = new Map<string, Slots>()
  readonly #networks = new Map<string, string>()
  #forgotten = 0
  #reported = Number.NEGATIVE_INFINITY
  readonly #refused = new Map<string, number>()
  readonly #reached: PerMinute

  constructor({ observe, now = () => performance.now(), subjects = 50_000, delay = 250 }: LimitsOptions) {
    this.#observe = observe
    this.#reached = openPerMinute((counts) => reportReached(observe, counts))
    this.load = new LoadWatch({ observe, delay })
    this.now = now
    this.#subjects = subjects
  }

  /**
   * Counts a call with every limit that applies to it, or with none.
   * @throws Refusal rateLimited
   */
  admit(limits: readonly Limit[], caller: Caller, admission: Admission): void {
    const now = this.now()
    const buckets = this.#byLimits.get(limits) ?? this.#findBuckets(limits)
    for (let at = 0; at < limits.length; at += 1) {
      const limit = limits[at] as Limit
      found[at] = undefined
      if (!appliesTo(limit, caller.operatorId)) continue
      const bucket = (buckets[at] as Buckets).find(this.#subjectOf(limit, caller), this.#forget)
      const wait = bucket.full - now - limit.tolerance
      if (wait > 0) throw this.#refuse(limit, bucket, wait, now, admission)
      if (limit.concurrency !== undefined && bucket.held >= limit.concurrency)
        throw this.#refuse(limit, bucket, 0, now, admission)
      found[at] = bucket
    }
    for (let at = 0; at < limits.length; at += 1) {
      const bucket = found[at]
      if (bucket) this.#count(limits[at] as Limit, bucket, now, admission)
    }
  }

  #count(limit: Limit, bucket: Bucket, now: number, admission: Admission): void {
    if (limit.interval !== undefined) {
      if (bucket.unsent === 0) {
        bucket.since = now
        if (now - bucket.refused > shortFor) bucket.weight = 1
      }
      bucket.full = (bucket.full > now ? bucket.full : now) + limit.interval * bucket.weight
      bucket.tolerance = limit.tolerance
      bucket.unsent += limit.interval
      if (!bucket.isTouched) this.touch(bucket)
      addStanding(admission, limit, bucket, now)
    }
    if (limit.concurrency !== undefined) {
      bucket.held += 1
      admission.releases.push(() => {
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
  look(
    limit: Limit,
    caller: Caller,
  ): { readonly subject: string; readonly spent: number; readonly isFull: boolean } | undefined {
    if (!appliesTo(limit, caller.operatorId)) return undefined
    const subject = this.#subjectOf(limit, caller)
    const bucket = this.#byName.get(limit.name)?.peek(subject) ?? new Bucket(limit.name, subject)
    const isFull = limit.concurrency !== undefined && bucket.held >= limit.concurrency
    return { subject, spent: bucket.full - this.now(), isFull }
  }

  /**
   * What is not sent yet comes on top.
   * @param own milliseconds that this process had spent since the last exchange
   * @returns whether it refuses calls, unless it is lifted
   */
  learn(bucket: Bucket, own: number, { ahead, total }: SpentByAll): boolean {
    const now = this.now()
    weigh(bucket, own, total, now)
    bucket.full = now + ahead + bucket.unsent * bucket.weight
    return bucket.full - now > bucket.tolerance
  }

  touch(bucket: Bucket): void {
    if (bucket.isTouched || !this.onTouched) return
    bucket.isTouched = true
    if (this.touched.push(bucket) === 1) this.onTouched()
  }

  /** Refused calls since the start, by limit. */
  get refused(): ReadonlyMap<string, number> {
    return this.#refused
  }

  #refuse(limit: Limit, bucket: Bucket, wait: number, now: number, admission: Admission): Refusal {
    const seconds = Math.max(1, Math.ceil(wait / 1000))
    if (limit.interval !== undefined) {
      admission.standing = undefined
      addStanding(admission, limit, bucket, now)
    }
    bucket.hasRefused = true
    if (wait > 0) bucket.refused = now
    this.touch(bucket)
    this.countRefused(limit)
    const who = bucket.subject === '' ? '' : ` of ${bucket.subject}`
    const reason = `limited by ${limit.name}${who} (${limit.text}), resets in ${seconds} s`
    return new Refusal('rateLimited', reason, { retryAfter: seconds })
  }

  countRefused({ name }: Pick<Limit, 'name'>): void {
    this.#refused.set(name, (this.#refused.get(name) ?? 0) + 1)
    this.#reached.count(name)
  }

  close(): void {
    this.#reached.close()
    this.load.close()
  }

  #findBuckets(limits: readonly Limit[]): readonly Buckets[] {
    const found = limits.map(({ name }) => {
      const buckets = this.#byName.get(name) ?? new Buckets(name, this.#subjects)
      this.#byName.set(name, buckets)
      return buckets
    })
    this.#byLimits.set(limits, found)
    return found
  }

  /** Forgetting one that has nothing left is a loss, and reported. */
  readonly #forget = (forgotten: readonly Bucket[]): void => {
    const now = this.now()
    for (const { full } of forgotten) if (full > now) this.#forgotten += 1
    if (this.#forgotten === 0 || now - this.#reported < reportEvery) return
    const message = `More than ${this.#subjects} callers of a limit: ${this.#forgotten} that had spent some of it were forgotten, and begin anew. A limit by address can be by network instead.`
    this.#observe({ kind: 'event', level: 'warning', name: 'limitsForgotten', message })
    this.#reported = now
    this.#forgotten = 0
  }

  #subjectOf({ by }: Limit, { operationId, address, operatorId = '' }: Caller): string {
    if (by.length === 1) {
      if (by[0] === 'operator') return operatorId
      if (by[0] === 'operation') return operationId
    }
    const parts: string[] = []
    if (by.includes('operation')) parts.push(operationId)
    if (by.includes('address')) parts.push(this.#remember(address, 'a', subnetOf))
    if (by.includes('network')) parts.push(this.#remember(address, 'n', rangeOf))
    if (by.includes('operator')) parts.push(operatorId)
    return parts.length === 1 ? (parts[0] as string) : parts.join(' ')
  }

  /** Reading an address takes longer than everything else here. */
  #remember(address: string, kind: string, read: (address: string) => string): string {
    const key = kind + address
    const known = this.#networks.get(key)
    if (known !== undefined) return known
    if (this.#networks.size >= 10_000) this.#networks.clear()
    const network = read(address)
    this.#networks.set(key, network)
    return network
  }
}

/** Specification 35.9. */
function reportReached(observe: Observe, counts: ReadonlyMap<string, number>): void {
  for (const [limit, count] of counts) {
    const message = `The limit ${limit} refused ${count === 1 ? 'a call' : `${count} calls in the last minute`}.`
    observe({ kind: 'event', level: 'warning', name: 'limitReached', message, detail: { limit, count } })
  }
}

/** Milliseconds: half-life of what was spent; time without a refusal after which a process is no longer short. */
const halfLife = 250
const shortFor = 1_000
/** Minimum share of a process: with less it could not spend enough to get a larger one. */
const leastShare = 1 / 16
/** Shares add up to more than the limit, because now and then a process pauses and spends nothing. */
const generosity = 1.5

/**
 * If several processes that refuse calls each spent all that is left, it would be spent several times. So each spends its
 * share, in proportion to what it has spent recently.
 */
function weigh(bucket: Bucket, own: number, total: number, now: number): void {
  const elapsed = now - bucket.learned
  const isKnown = elapsed < shortFor && total >= bucket.total
  const kept = isKnown ? 0.5 ** (elapsed / halfLife) : 0
  bucket.own = bucket.own * kept + own
  bucket.all = bucket.all * kept + (isKnown ? Math.max(own, total - bucket.total) : own)
  bucket.learned = now
  bucket.total = total
  const isShort = bucket.all > 0 && now - bucket.refused < shortFor
  bucket.weight = isShort ? 1 / Math.min(1, generosity * Math.max(leastShare, bucket.own / bucket.all)) : 1
}

function appliesTo({ operators, exceptOperators }: Limit, operatorId: string | undefined): boolean {
  if (operators === undefined && exceptOperators === undefined) return true
  if (operatorId === undefined) return false
  return operators?.has(operatorId) !== false && exceptOperators?.has(operatorId) !== true
}

function addStanding(admission: Admission, limit: Limit, bucket: Bucket, now: number): void {
  const ahead = bucket.full - now
  const remaining = remainingOf(limit, ahead)
  const { left } = limit
  const policy = limit.policy as string
  const reset = Math.max(1, Math.ceil(ahead / 1000))
  const { standing } = admission
  if (standing === undefined) {
    admission.standing = { policies: policy, left, remaining, reset }
    return
  }
  const { joined } = limit
  if (joined.before !== standing.policies) {
    joined.before = standing.policies
    joined.after = `${standing.policies}, ${policy}`
  }
  standing.policies = joined.after
  if (standing.remaining <= remaining) return
  standing.left = left
  standing.remaining = remaining
  standing.reset = reset
}
