/** A breaker for each origin that handlers call (specification 5.52): an origin that is away is not asked again and again. */

/** Failures in a row. */
const opensAfter = 5
/** Milliseconds until one call may try again. */
const opensFor = 5_000
const maxOrigins = 256

interface Breaker {
  failures: number
  /** By the clock. */
  openUntil: number
  /** One call tries whether the origin works again. */
  isTrying: boolean
}

export class Breakers {
  /** Only origins that failed last; those that failed longest ago first. */
  readonly #failing = new Map<string, Breaker>()
  readonly #clock: () => number

  constructor(clock: () => number) {
    this.#clock = clock
  }

  /** Whether a call may be made now; its end must then be reported by one of the others. */
  admit(origin: string): boolean {
    const breaker = this.#failing.get(origin)
    if (!breaker || breaker.failures < opensAfter) return true
    if (breaker.isTrying || this.#clock() < breaker.openUntil) return false
    breaker.isTrying = true
    return true
  }

  succeeded(origin: string): void {
    this.#failing.delete(origin)
  }

  failed(origin: string): void {
    const failures = (this.#failing.get(origin)?.failures ?? 0) + 1
    this.#failing.delete(origin)
    if (this.#failing.size >= maxOrigins)
      for (const [oldest] of [...this.#failing].slice(0, 1)) this.#failing.delete(oldest)
    this.#failing.set(origin, { failures, openUntil: this.#clock() + opensFor, isTrying: false })
  }

  /** Aborted by the caller, which says nothing about the origin. */
  gaveUp(origin: string): void {
    const breaker = this.#failing.get(origin)
    if (breaker) breaker.isTrying = false
  }
}
