/**
 * Detects overload of this process (specification 25.13). A turn of the event loop lasts as long as the work of all calls
 * in it, so a call that begins late in a turn has waited that long, and so have the calls after it.
 */
import { setInterval } from '../../base/timers.ts'
import type { Observe } from '../../model/observation.ts'
import { Refusal } from '../../model/refusal.ts'

export interface LoadOptions {
  readonly observe: Observe
  /** Milliseconds of a turn after which calls are shed. */
  readonly delay: number
  /** Milliseconds of a clock that is never set. */
  readonly now?: (() => number) | undefined
}

/** Milliseconds between two ticks: each is the beginning of a turn. */
const tick = 10
/** After a turn in which calls were shed, those later than this in their turn are: short turns keep the others' wait short. */
const target = 15
/** With fewer calls at work, turns are long for other reasons, and refusing a call would help no other. */
const crowd = 5
/** Overload is over after this time without a shed call. */
const calm = 1_000

export class LoadWatch {
  /** Calls that have begun and not ended. */
  atWork = 0
  /** Calls shed since the start. */
  shed = 0
  readonly #observe: Observe
  readonly #delay: number
  readonly #now: () => number
  #timer: NodeJS.Timeout | undefined
  /** Start of this turn. */
  #turn = 0
  /** Milliseconds of this turn after which calls are shed. */
  #bound: number
  #hasShed = false
  #lastShed = Number.NEGATIVE_INFINITY
  #isOverloaded = false

  constructor({ observe, delay, now = () => performance.now() }: LoadOptions) {
    this.#observe = observe
    this.#delay = delay
    this.#bound = delay
    this.#now = now
  }

  /** At the beginning of a call, and before its handler: others may have taken long in between. @throws Refusal overloaded */
  requireTime(): void {
    if (!this.#timer) this.#watch()
    const now = this.#now()
    if (now - this.#turn <= this.#bound || this.atWork < crowd) return
    this.#bound = Math.min(target, this.#delay)
    this.#hasShed = true
    this.#lastShed = now
    this.shed += 1
    const reason = `the event loop was behind by more than ig.limits.overloadDelay (${this.#delay} ms)`
    if (!this.#isOverloaded)
      this.#report(
        'overloaded',
        `The process has more calls than it can serve: ${reason}. It sheds the newest (503) until it keeps up.`,
      )
    this.#isOverloaded = true
    throw new Refusal('overloaded', `${reason}: this call is one of the newest`)
  }

  /** At the beginning of a turn. */
  look(): void {
    this.#turn = this.#now()
    if (!this.#hasShed) this.#bound = this.#delay
    this.#hasShed = false
    if (this.#turn - this.#lastShed <= calm) return
    if (this.#isOverloaded) this.#report('overloadOver', 'The process keeps up with its calls again.')
    this.#isOverloaded = false
    if (this.atWork === 0) this.close()
  }

  close(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #watch(): void {
    this.#turn = this.#now()
    this.#timer = setInterval(() => this.look(), tick).unref()
  }

  #report(name: 'overloaded' | 'overloadOver', message: string): void {
    this.#observe({ kind: 'event', level: name === 'overloaded' ? 'warning' : 'information', name, message })
  }
}
