/**
 * Processes share through the database how much of the limits their calls have used (specification 25.7, 25.8). No call
 * waits for it: it runs a few times a second if there is something to report, and otherwise not at all.
 */
import { setTimeout } from '../../base/timers.ts'
import type { Observe } from '../../model/observation.ts'
import type { LimitStore, Spent, SpentByAll } from '../../store/limits.ts'
import type { Bucket } from './buckets.ts'
import type { Limits } from './limits.ts'

export interface ExchangeOptions {
  readonly limits: Limits
  readonly store: LimitStore
  readonly observe: Observe
}

/** Milliseconds: with something to report; to learn that a limit was lifted; after a failure. */
const every = { spent: 50, blocked: 500, failed: 1_000 }
/** Buckets of one exchange: those that spent the most. */
const most = 500
/** Milliseconds after which a small amount that did not fit into an exchange is dropped. */
const forgottenAfter = 1_000
const pruneEvery = 60_000

export interface LimitExchange {
  /** At once, instead of waiting for the next one. */
  exchange(): Promise<void>
  /** After a last exchange. */
  close(): Promise<void>
}

export function exchangeLimits({ limits, store, observe }: ExchangeOptions): LimitExchange {
  let timer: NodeJS.Timeout | undefined
  /** Delay of the timer. */
  let planned = 0
  /** Buckets whose next calls are refused unless lifted. Those beyond one exchange are asked about at a refused call. */
  const blocked = new Set<Bucket>()
  let running: Promise<void> | undefined
  let isFailing = false
  let isStopped = false
  let pruned = limits.now()
  let pruning: Promise<void> | undefined
  const stop = new AbortController()

  /** No exchange waits for it; after a failure it is retried a minute later. */
  const prune = async () => {
    await store.prune(stop.signal).catch(() => {})
    pruned = limits.now()
    pruning = undefined
  }

  const plan = (delay: number) => {
    if (isStopped || running || (timer && planned <= delay)) return
    clearTimeout(timer)
    planned = delay
    timer = setTimeout(() => {
      timer = undefined
      running = attempt()
    }, delay)
    timer.unref()
  }
  const attempt = async () => {
    try {
      await exchange(choose(limits, blocked))
      if (isFailing)
        observe({
          kind: 'event',
          level: 'information',
          name: 'limitsShared',
          message: 'Limits count all processes again.',
        })
      isFailing = false
      if (limits.now() - pruned > pruneEvery) pruning ??= prune()
    } catch (error) {
      const message =
        'What calls spend of limits cannot be shared with other processes: each counts its own calls; it will retry.'
      if (!isFailing) observe({ kind: 'event', level: 'warning', name: 'limitsAlone', message, error })
      isFailing = true
    }
    running = undefined
    if (limits.touched.length > 0) plan(isFailing ? every.failed : every.spent)
    else if (blocked.size > 0) plan(every.blocked)
  }
  const exchange = async (buckets: readonly Bucket[]) => {
    if (buckets.length === 0) return
    const now = limits.now()
    const spent = buckets.map((bucket) => take(bucket, now))
    try {
      const all = await store.exchange(spent)
      for (const [at, bucket] of buckets.entries()) {
        const isBlocked = limits.learn(bucket, (spent[at] as Spent).spent, all[at] as SpentByAll)
        blocked.delete(bucket)
        if (isBlocked && blocked.size < most) blocked.add(bucket)
      }
    } catch (error) {
      for (const [at, bucket] of buckets.entries()) giveBack(bucket, spent[at] as Spent, now, limits)
      throw error
    }
  }

  limits.onTouched = () => plan(isFailing ? every.failed : every.spent)
  return {
    exchange: () => exchange(choose(limits, blocked)),
    async close() {
      isStopped = true
      stop.abort()
      clearTimeout(timer)
      await running
      await pruning
      if (!isFailing) await exchange(choose(limits, blocked)).catch(() => {}) // others then count a little less
    },
  }
}

/** Those with something to report, and the blocked. A subject that was forgotten meanwhile may be there twice. */
function choose(limits: Limits, blocked: ReadonlySet<Bucket>): readonly Bucket[] {
  const { touched } = limits
  const now = limits.now()
  const waiting = new Map<string, Bucket>()
  const later: Bucket[] = []
  for (const bucket of touched.length > most ? touched.sort((one, other) => other.unsent - one.unsent) : touched) {
    const key = keyOf(bucket)
    if (waiting.has(key) || (waiting.size >= most && now - bucket.since > forgottenAfter)) bucket.isTouched = false
    else if (waiting.size < most) waiting.set(key, bucket)
    else later.push(bucket)
  }
  touched.splice(0, touched.length, ...later)
  for (const bucket of waiting.values()) bucket.isTouched = false
  for (const bucket of blocked) {
    if (waiting.size >= most) break
    if (!waiting.has(keyOf(bucket))) waiting.set(keyOf(bucket), bucket)
  }
  // In one order, so that two processes never wait for each other's rows
  return [...waiting.keys()].sort().map((key) => waiting.get(key) as Bucket)
}

const keyOf = ({ limit, subject }: Bucket) => `${limit} ${subject}`

function take(bucket: Bucket, now: number): Spent {
  const { limit, subject, unsent, since, hasRefused } = bucket
  bucket.unsent = 0
  bucket.hasRefused = false
  return { limit, subject, spent: unsent, age: unsent > 0 ? now - since : 0, hasRefused }
}

function giveBack(bucket: Bucket, { spent, age, hasRefused }: Spent, now: number, limits: Limits): void {
  if (spent > 0) bucket.since = now - age
  bucket.unsent += spent
  bucket.hasRefused ||= hasRefused
  limits.touch(bucket)
}
