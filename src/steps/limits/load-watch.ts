/**
 * Detects overload of this process (specification 25.13). A turn of the event loop lasts as long as the work of all calls
 * in it, so a call that begins late in a long turn has waited that long, and so have the calls after it.
 */
import { setInterval } from '../../base/timers.ts'
import type { Observe } from '../../model/observation.ts'
import { Refusal } from '../../model/refusal.ts'

export interface LoadOptions {
  readonly observe: Observe
  /** Milliseconds of a turn from which calls are shed. */
  readonly delay: number
  /** Milliseconds of a clock that is never set. */
  readonly now?: (() => number) | undefined
}

/** Milliseconds between two reads of the clock, each at the beginning of a turn. */
const lookEvery = 10
/**
 * A single long turn may be a pause of the machine or one slow call, so another turn of this many milliseconds must have
 * come shortly before it. Turns that accept connections may be between the two.
 */
const alreadyLong = 50
const looksBetween = 20
/** While calls are shed, a call that begins later than this in its turn is refused. */
const target = 15
/** After a longer turn, all calls of the next one are refused as well. */
const farBehind = 4 * target
/** Overload ends after this time without a shed call. */
const overAfter = 1_000
/** With fewer calls at work, turns are long for other reasons, and refusing a call would help no other. */
const crowd = 5

export class LoadWatch {
  isOverloaded = false
  /** Calls that have begun and not ended. */
  atWork = 0
  /** Calls shed since the start. */
  shed = 0
  readonly #observe: Observe
  readonly #delay: number
  readonly #now: () => number
  #timer: NodeJS.Timeout | undefined
  /** Start of this turn, if it has lasted longer than `lookEvery`; duration of the turn before. */
  #turn = 0
  #before = 0
  /** Looks for which a long turn before them counts. */
  #looksLeft = 0
  #hasCalls = false
  #lastCall = 0
  #lastShed = 0

  constructor({ observe, delay, now = () => performance.now() }: LoadOptions) {
    this.#observe = observe
    this.#delay = delay
    this.#now = now
  }

  /** At the beginning of a call, and before its handler. @throws Refusal overloaded */
  requireTime(): void {
    this.#hasCalls = true
    if (!this.#timer) this.#watch()
    if (!this.isOverloaded && this.#looksLeft === 0) return // without reading the clock
    if (this.atWork < crowd) return
    const now = this.#now()
    const waited = now - this.#turn
    if (this.isOverloaded ? waited > target || this.#before > farBehind : waited > this.#delay && this.#begin(waited)) {
      this.shed += 1
      this.#lastShed = now
      throw new Refusal('overloaded', `${this.reason}: this call is one of the newest`)
    }
  }

  /** Whether large bodies are refused. */
  get isShort(): boolean {
    return this.isOverloaded && this.atWork >= crowd
  }

  /** Of a refusal. */
  get reason(): string {
    return `the event loop was behind by more than ig.limits.overloadDelay (${this.#delay} ms)`
  }

  close(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #begin(waited: number): boolean {
    this.isOverloaded = true
    const message = `The process has more calls than it can serve: its event loop was behind by ${Math.round(waited)} ms (ig.limits.overloadDelay: ${this.#delay} ms). It sheds the newest (503) until it keeps up.`
    this.#observe({ kind: 'event', level: 'warning', name: 'overloaded', message })
    return true
  }

  #watch(): void {
    this.#turn = this.#now()
    this.#before = 0
    this.#looksLeft = 0
    this.#timer = setInterval(() => this.look(), lookEvery)
    this.#timer.unref()
  }

  /** At the beginning of a turn. */
  look(): void {
    const now = this.#now()
    this.#before = now - this.#turn
    this.#turn = now
    if (this.#before >= alreadyLong) this.#looksLeft = looksBetween
    else if (this.#looksLeft > 0) this.#looksLeft -= 1
    if (this.#hasCalls) this.#lastCall = now
    this.#hasCalls = false
    if (this.isOverloaded && now - this.#lastShed > overAfter) {
      this.isOverloaded = false
      const message = 'The process keeps up with its calls again.'
      this.#observe({ kind: 'event', level: 'information', name: 'overloadOver', message })
    }
    if (!this.isOverloaded && now - this.#lastCall > overAfter) this.close()
  }
}
