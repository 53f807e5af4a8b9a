/** The clock of a listener: one timer looks after the time limits of all its connections, and a call costs none (specification 7.5, 7.6). */
import type { Limits } from '../settings.ts'

/** Milliseconds between two looks, where the limits are longer. */
const longestPeriod = 500
const shortestPeriod = 5

export interface Timed {
  /** Looked at at each turn of the clock. */
  checkTime(): void
}

export class Clock {
  readonly #period: number
  readonly #timer: NodeJS.Timeout
  readonly #timed: () => Iterable<Timed>
  /** Milliseconds, never more than a period behind. */
  #now = performance.now()

  constructor(timed: () => Iterable<Timed>, { headersTimeout, keepAliveTimeout }: Limits) {
    this.#timed = timed
    this.#period = Math.min(
      longestPeriod,
      Math.max(shortestPeriod, Math.floor(Math.min(headersTimeout, keepAliveTimeout) / 4)),
    )
    this.#timer = setInterval(() => this.#turn(), this.#period)
  }

  /** When something that begins now is surely over: no limit acts early, and none later than a period. */
  after(milliseconds: number): number {
    return this.#now + this.#period + milliseconds
  }

  isPast(moment: number): boolean {
    return this.#now >= moment
  }

  close(): void {
    clearInterval(this.#timer)
  }

  #turn(): void {
    this.#now = performance.now()
    for (const timed of this.#timed()) timed.checkTime()
  }
}
