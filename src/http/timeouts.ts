/** The clock of a listener: one timer looks after the time limits of all its connections, and a call costs none (specification 7.5, 7.6). */
import type { Limits } from '../settings.ts'

/** Milliseconds between two looks, where the limits are longer. */
const longestPeriod = 500
const shortestPeriod = 5

export class Clock {
  readonly #period: number
  readonly #timer: NodeJS.Timeout
  /** Milliseconds, never more than a period behind. */
  #now = performance.now()

  /** @param checkTimes called at each turn */
  constructor(checkTimes: () => void, { headersTimeout, keepAliveTimeout }: Limits) {
    const suitable = Math.floor(Math.min(headersTimeout, keepAliveTimeout) / 4)
    this.#period = Math.min(longestPeriod, Math.max(shortestPeriod, suitable))
    this.#timer = setInterval(() => {
      this.#now = performance.now()
      checkTimes()
    }, this.#period)
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
}
