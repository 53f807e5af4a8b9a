/** The clock of a listener: one timer checks the time limits of all its connections (specification 7.5, 7.6). */
import { setInterval } from '../base/timers.ts'
import type { Limits } from '../settings.ts'

/** Milliseconds between two checks: a quarter of the shortest limit, within these bounds. */
const maxPeriod = 500
const shortestPeriod = 5

export class Clock {
  readonly #period: number
  readonly #timer: NodeJS.Timeout
  /** Milliseconds, never more than a period behind. */
  #now = performance.now()

  /** @param checkTimes called at each turn */
  constructor(checkTimes: () => void, { headersTimeout, keepAliveTimeout }: Limits) {
    const suitable = Math.floor(Math.min(headersTimeout, keepAliveTimeout) / 4)
    this.#period = Math.min(maxPeriod, Math.max(shortestPeriod, suitable))
    this.#timer = setInterval(() => {
      this.#now = performance.now()
      checkTimes()
    }, this.#period)
  }

  /** The end of a period that begins now: never early, at most one period late. */
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
