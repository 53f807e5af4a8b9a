/**
 * Detects overload of this process (specification 25.13). A turn of the event loop lasts as long as the work of all calls
 * in it, so a call that begins late in a turn has waited that long, and so have the calls after it. Only the processor time
 * of this thread counts: while other work of the machine makes turns long, refusing a call would help no other.
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
  /** Milliseconds of processor time of this thread. */
  readonly worked?: (() => number) | undefined
  /** Milliseconds for which its event loop had nothing to do. */
  readonly idled?: (() => number) | undefined
}

/** Milliseconds between two ticks: each is the beginning of a turn. */
const tick = 10
/** Milliseconds of a turn after which calls are shed once one was: short turns keep the wait of the others short. */
const target = 15
/** Fewer calls at work are no crowd: each is served soon after the others. */
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
  readonly #worked: () => number
  readonly #idled: () => number
  #timer: NodeJS.Timeout | undefined
  /** Start of this turn. */
  #turn = { time: 0, worked: 0, idled: 0 }
  /** Milliseconds of this turn after which calls are shed. */
  #bound: number
  #lastShed = Number.NEGATIVE_INFINITY
  #isOverloaded = false

  constructor({
    observe,
    delay,
    now = () => performance.now(),
    worked = readProcessorTime,
    idled = () => performance.eventLoopUtilization().idle,
  }: LoadOptions) {
    this.#observe = observe
    this.#delay = delay
    this.#bound = delay
    this.#now = now
    this.#worked = worked
    this.#idled = idled
  }

  /** At the beginning of a call, and before its handler: others may have taken long in between. @throws Refusal overloaded */
  requireTime(): void {
    if (!this.#timer) this.#watch()
    if (this.atWork < crowd || !this.#isLate()) return
    this.#bound = Math.min(target, this.#delay)
    this.#lastShed = this.#now()
    this.shed += 1
    const reason = `the event loop was behind by more than ig.limits.overloadDelay (${this.#delay} ms)`
    const message = `The process has more calls than it can serve: ${reason}. It sheds the newest (503) until it keeps up.`
    if (!this.#isOverloaded) this.#observe({ kind: 'event', level: 'warning', name: 'overloaded', message })
    this.#isOverloaded = true
    throw new Refusal('overloaded', `${reason}: this call is one of the newest`)
  }

  /** The clock, which cannot show less, is cheaper to read than the processor time. */
  #isLate(): boolean {
    const { time, worked } = this.#turn
    return this.#now() - time > this.#bound && this.#worked() - worked > this.#bound
  }

  /** At the beginning of a turn. */
  look(): void {
    const { idled } = this.#turn
    this.#beginTurn()
    // Twice as long after each turn for whose calls the loop had to wait
    if (this.#turn.idled > idled) this.#bound = Math.min(this.#delay, 2 * this.#bound)
    if (this.#turn.time - this.#lastShed <= calm) return
    const message = 'The process keeps up with its calls again.'
    if (this.#isOverloaded) this.#observe({ kind: 'event', level: 'information', name: 'overloadOver', message })
    this.#isOverloaded = false
    if (this.atWork === 0) this.close()
  }

  close(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #beginTurn(): void {
    this.#turn = { time: this.#now(), worked: this.#worked(), idled: this.#idled() }
  }

  #watch(): void {
    this.#beginTurn()
    this.#timer = setInterval(() => this.look(), tick).unref()
  }
}

function readProcessorTime(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
