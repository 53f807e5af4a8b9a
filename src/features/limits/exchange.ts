/**
 * Processes share through the database how much of the limits their calls have used (specification 25.7, 25.8). No call
 * waits for it: it runs a few times a second if there is something to report, and otherwise not at all.
 */
import { setTimeout } from '../../base/timers.ts'
import type { Observe } from '../../model/observation.ts'
import type { Bucket, CallLimits } from './limits.ts'
import type { LimitStore, LimitUsage } from './rows.ts'

export interface ExchangeOptions {
  readonly limits: CallLimits
  readonly store: LimitStore
  readonly observe: Observe
}

/** Milliseconds: with something to report; to learn that a limit was lifted; after a failure. */
const period = { spent: 50, blocked: 500, failed: 1_000 }
/** Buckets of one exchange: those that spent the most. */
const maxBuckets = 500
const prunePeriod = 60_000

export interface LimitExchange {
  /** Exchanges at once, instead of at the next turn. */
  exchange(): Promise<void>
  /** Closes after a last exchange. */
  close(): Promise<void>
}

export function exchangeLimits({ limits, store, observe }: ExchangeOptions): LimitExchange {
  let timer: NodeJS.Timeout | undefined
  /** Delay of the timer. */
  let planned = 0
  let running: Promise<void> | undefined
  let isFailing = false
  let pruned = limits.now()
  let pruning: Promise<void> | undefined
  const stopping = new AbortController()

  /** No exchange waits for it; after a failure it is retried a minute later. */
  const prune = async () => {
    await store.prune(stopping.signal).catch(() => {})
    pruned = limits.now()
    pruning = undefined
  }
  const plan = (delay: number) => {
    if (stopping.signal.aborted || running || (timer && planned <= delay)) return
    clearTimeout(timer)
    planned = delay
    timer = setTimeout(() => {
      timer = undefined
      running = attempt()
    }, delay)
    timer.unref()
  }
  const onTouched = () => plan(isFailing ? period.failed : period.spent)
  const attempt = async () => {
    try {
      await exchange()
      const message = 'Limits count all processes again.'
      if (isFailing) observe({ kind: 'event', level: 'information', name: 'limitsShared', message })
      isFailing = false
      if (limits.now() - pruned > prunePeriod) pruning ??= prune()
    } catch (error) {
      const message =
        'What calls spend of limits cannot be shared with other processes: each counts its own calls; it will retry.'
      if (!isFailing) observe({ kind: 'event', level: 'warning', name: 'limitsAlone', message, error })
      isFailing = true
    }
    running = undefined
    if ([...limits.touched].some(hasNews)) onTouched()
    else if (limits.touched.size > 0) plan(period.blocked)
  }
  const exchange = async () => {
    const buckets = choose(limits.touched)
    if (buckets.length === 0) return
    const asked = limits.now()
    const spent = buckets.map((bucket) => report(bucket, asked))
    const ahead = await store.exchange(spent)
    for (const [at, bucket] of buckets.entries()) {
      bucket.unsent -= spent[at]?.spent ?? 0
      bucket.since = asked
      bucket.full = asked + (ahead[at] ?? 0) + bucket.unsent
      const isBlocked = bucket.full - limits.now() > bucket.limit.tolerance // unless it is lifted
      if (!isBlocked && !hasNews(bucket)) limits.touched.delete(bucket)
    }
  }

  limits.onTouched = onTouched
  return {
    exchange,
    async close() {
      stopping.abort()
      clearTimeout(timer)
      await running
      await pruning
      if (!isFailing) await exchange().catch(() => {}) // others then count a little less
    },
  }
}

function hasNews({ unsent, hasRefused }: Bucket): boolean {
  return unsent > 0 || hasRefused
}

function choose(touched: ReadonlySet<Bucket>): readonly Bucket[] {
  const all = [...touched]
  const chosen = all.length > maxBuckets ? all.sort(byUnsent).slice(0, maxBuckets) : all
  return chosen.sort(byKey) // in one order, so that two processes never wait for each other's rows
}

const byUnsent = (one: Bucket, other: Bucket) => other.unsent - one.unsent
const byKey = (one: Bucket, other: Bucket) => (keyOf(one) < keyOf(other) ? -1 : 1)
const keyOf = ({ limit, subject }: Bucket) => `${limit.name} ${subject}`

/** What was spent stays with the bucket until the store has it. */
function report(bucket: Bucket, now: number): LimitUsage {
  const { limit, subject, unsent, since, hasRefused } = bucket
  bucket.hasRefused = false
  return { limit: limit.name, subject, spent: unsent, age: unsent > 0 ? now - since : 0, hasRefused }
}
