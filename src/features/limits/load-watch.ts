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
  /** Milliseconds of processor time of this thread. */
  readonly worked?: (() => number) | undefined
  /** Milliseconds for which its event loop had nothing to do. */
  readonly idled?: (() => number) | undefined
}

/** Milliseconds between two ticks: each is the beginning of a turn. */
const tick = 10
/** Milliseconds of work in a turn after which calls are shed once one was, until the loop is idle: a full queue helps no one. */
const target = 15
/** Fewer calls at work are no crowd: each is served soon after the others. */
const crowd = 5
/** Overload is over after so many turns without a shed call. */
const calmTurns = 100

export class LoadWatch {
  /** Calls that have begun and not ended. */
  atWork = 0
  /** Calls shed since the start. */
  shed = 0
  readonly #observe: Observe
  readonly #delay: number
  readonly #worked: () => number
  readonly #idled: () => number
  #timer: NodeJS.Timeout | undefined
  /** At the beginning of this turn. */
  #turn = { worked: 0, idled: 0 }
  /** Milliseconds of work in this turn after which calls are shed. */
  #bound: number
  /** Turns since the last shed call; undefined while there is no overload. */
  #calm: number | undefined

  constructor({ observe, delay, worked = readProcessorTime, idled = readIdleTime }: LoadOptions) {
    this.#observe = observe
    this.#delay = delay
    this.#bound = delay
    this.#worked = worked
    this.#idled = idled
  }

  /** At the beginning of a call, and before its handler: others may have taken long in between. @throws Refusal overloaded */
  requireTime(): void {
    if (!this.#timer) this.#watch()
    if (this.atWork < crowd || this.#worked() - this.#turn.worked <= this.#bound) return
    this.#bound = Math.min(target, this.#delay)
    this.shed += 1
    const reason = `the event loop was behind by more than ig.limits.overloadDelay (${this.#delay} ms)`
    const message = `The process has more calls than it can serve: ${reason}. It sheds the newest (503) until it keeps up.`
    if (this.#calm === undefined) this.#observe({ kind: 'event', level: 'warning', name: 'overloaded', message })
    this.#calm = 0
    throw refusedBy('limits', new Refusal('overloaded', `${reason}: this call is one of the newest`))
  }

  beginTurn(): void {
    const { idled } = this.#turn
    this.#turn = { worked: this.#worked(), idled: this.#idled() }
    if (this.#turn.idled > idled) this.#bound = this.#delay
    if (this.#calm !== undefined) this.#calm += 1
    if (this.#calm === calmTurns) {
      this.#calm = undefined
      const message = 'The process keeps up with its calls again.'
      this.#observe({ kind: 'event', level: 'information', name: 'overloadOver', message })
    }
    if (this.#calm === undefined && this.atWork === 0) this.close()
  }

  close(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #watch(): void {
    this.#turn = { worked: this.#worked(), idled: this.#idled() }
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
