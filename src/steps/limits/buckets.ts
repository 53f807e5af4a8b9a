/**
 * What has been spent of limits in this process, by limit and subject: an operator, an address, or a combination
 * (specification 25.3, 25.9). Memory is bounded: the subjects that called least lately are forgotten.
 */

/** The generic cell rate algorithm: a single time records all calls that were counted. */
export class Bucket {
  readonly limit: string
  /** Of a combination, its parts with a space in between, the operator last; empty if all calls are counted together. */
  readonly subject: string
  /** Time, in milliseconds, at which everything spent will be free again. */
  full = Number.NEGATIVE_INFINITY
  /** Tolerance of the limit: calls are refused while more is spent. */
  tolerance = Number.POSITIVE_INFINITY
  /** Calls in progress, if concurrency is limited. */
  held = 0
  /** Milliseconds spent that other processes do not know, and since when. */
  unsent = 0
  since = 0
  /** Whether a call was refused since the last exchange; time of the last refusal because of the rate. */
  hasRefused = false
  refused = Number.NEGATIVE_INFINITY
  /** Factor for what a call spends until the next exchange, because other processes spend meanwhile too. */
  weight = 1
  /** Decaying sums, in milliseconds: spent by this process, and by all. */
  own = 0
  all = 0
  /** Time of the last exchange, and the total that all processes had ever spent. */
  learned = Number.NEGATIVE_INFINITY
  total = 0
  /** Waits for the next exchange. */
  isTouched = false

  constructor(limit: string, subject: string) {
    this.limit = limit
    this.subject = subject
  }
}

/** The subjects of one limit. */
export class Buckets {
  readonly #limit: string
  readonly #most: number
  #young = new Map<string, Bucket>()
  #old: ReadonlyMap<string, Bucket> = new Map()

  /** @param most approximate number of subjects to track */
  constructor(limit: string, most: number) {
    this.#limit = limit
    this.#most = most
  }

  /** @param forget receives those that are forgotten; a bucket with calls in progress stays */
  find(subject: string, forget: (forgotten: readonly Bucket[]) => void): Bucket {
    const known = this.#young.get(subject)
    if (known) return known
    const bucket = this.#old.get(subject) ?? new Bucket(this.#limit, subject)
    if (this.#young.size >= this.#most / 2) {
      const gone = this.#old
      this.#old = this.#young
      this.#young = new Map()
      for (const each of gone.values()) if (each.held > 0) this.#young.set(each.subject, each)
      const stays = (each: Bucket) => each === bucket || this.#old.has(each.subject) || this.#young.has(each.subject)
      forget([...gone.values()].filter((each) => !stays(each)))
    }
    this.#young.set(subject, bucket)
    return bucket
  }

  /** Does not count as use. */
  peek(subject: string): Bucket | undefined {
    return this.#young.get(subject) ?? this.#old.get(subject)
  }
}
