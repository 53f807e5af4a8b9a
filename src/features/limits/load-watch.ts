/**
 * Detects overload of this process (specification 25.13). A turn of the event loop lasts as long as the work of all calls
 * in it, so a call that begins late in a turn has waited that long. Only the processor time of this thread counts: while
 * other work of the machine makes turns long, refusing a call would help no other.
 */
import { setInterval } from '../../base/timers.ts'
import type { Observe } from '../../model/observation.ts'
import { Refusal, refusedBy } from '../../model/refusal.ts'

export interface LoadOptions {
  readonly observe: Observe
  /** Milliseconds of work in a turn after which calls are shed. */
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
/** Milliseconds of work in a turn after which calls are shed during an overload: a full queue helps no one. */
const target = 15
/** Fewer calls at work are no crowd: each is served soon after the others. */
const crowd = 5
/** Overload is over when the event loop had nothing to do for a tenth of the time of so many turns, a second at least. */
const turnsOfCheck = 100
const idleOfCheck = (turnsOfCheck * tick) / 10

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
  /** The beginning of this turn. */
  #turn = { now: 0, worked: 0 }
  /** Undefined while there is none. `turns` since its latest check, when the loop had been idle for `idled`. */
  #overload: { turns: number; readonly idled: number } | undefined

  constructor(options: LoadOptions) {
    const { observe, delay, now = () => performance.now(), worked = readProcessorTime, idled = readIdleTime } = options
    this.#observe = observe
    this.#delay = delay
    this.#now = now
    this.#worked = worked
    this.#idled = idled
  }

  /** At the beginning of a call, and before its handler: others may have taken long in between. @throws Refusal overloaded */
  requireTime(): void {
    if (!this.#timer) this.#watch()
    const bound = this.#overload ? Math.min(target, this.#delay) : this.#delay
    if (this.atWork < crowd || !this.#isLate(bound)) return
    this.shed += 1
    const reason = `the event loop was behind by more than ig.limits.overloadDelay (${this.#delay} ms)`
    const message = `The process has more calls than it can serve: ${reason}. It sheds the newest (503) until it keeps up.`
    if (!this.#overload) this.#observe({ kind: 'event', level: 'warning', name: 'overloaded', message })
    this.#overload ??= { turns: 0, idled: this.#idled() }
    throw refusedBy('limits', new Refusal('overloaded', `${reason}: this call is one of the newest`))
  }

  beginTurn(): void {
    this.#turn = { now: this.#now(), worked: this.#worked() }
    if (this.#overload) this.#check(this.#overload)
    else if (this.atWork === 0) this.close()
  }

  close(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #check(overload: { turns: number; readonly idled: number }): void {
    overload.turns += 1
    if (overload.turns < turnsOfCheck) return
    const idled = this.#idled()
    this.#overload = idled - overload.idled < idleOfCheck ? { turns: 0, idled } : undefined
    const message = 'The process keeps up with its calls again.'
    if (!this.#overload) this.#observe({ kind: 'event', level: 'information', name: 'overloadOver', message })
  }

  /** The wall clock is compared first because it is ten times cheaper; processor time is never larger. */
  #isLate(bound: number): boolean {
    return this.#now() - this.#turn.now > bound && this.#worked() - this.#turn.worked > bound
  }

  #watch(): void {
    this.#turn = { now: this.#now(), worked: this.#worked() }
    this.#timer = setInterval(() => this.beginTurn(), tick).unref()
  }
}

function readProcessorTime(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

function readIdleTime(): number {
  return performance.eventLoopUtilization().idle
}
