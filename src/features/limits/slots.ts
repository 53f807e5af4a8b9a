/**
 * Slots of handlers that run at a time, and the bounded queue for them (specification 25.6): operators take turns, so
 * that no operator's calls keep those of another waiting.
 */
import { setTimeout } from '../../base/timers.ts'
import type { Limit } from '../../model/limit.ts'

export class Slots {
  #max = 0
  #queue = 0
  #taken = 0
  #waiting = 0
  /** What admits each waiting call, by operator, in the order of their turns. */
  readonly #lines = new Map<string, (() => void)[]>()

  configure({ handlers = 0, queue }: Pick<Limit, 'handlers' | 'queue'>): void {
    this.#max = handlers
    this.#queue = queue
    while (this.#waiting > 0 && this.#taken < this.#max) this.#admitNext()
  }

  get taken(): number {
    return this.#taken
  }

  get waiting(): number {
    return this.#waiting
  }

  /** @param wait milliseconds @returns whether the call has got one, at once or later */
  async acquire(operatorId: string, signal: AbortSignal, wait: number): Promise<boolean> {
    if (this.#taken < this.#max) {
      this.#taken += 1
      return true
    }
    if (signal.aborted || this.#waiting >= this.#queue) return false
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const admit = () => resolve(true)
    const leave = () => {
      this.#remove(operatorId, admit)
      resolve(false)
    }
    signal.addEventListener('abort', leave, { once: true })
    const timer = setTimeout(leave, wait)
    const line = this.#lines.get(operatorId)
    if (line) line.push(admit)
    else this.#lines.set(operatorId, [admit])
    this.#waiting += 1
    try {
      return await promise
    } finally {
      signal.removeEventListener('abort', leave)
      clearTimeout(timer)
    }
  }

  release(): void {
    this.#taken -= 1
    if (this.#waiting > 0 && this.#taken < this.#max) this.#admitNext()
  }

  #admitNext(): void {
    for (const [operatorId, line] of this.#lines) {
      const first = line[0] as () => void
      this.#remove(operatorId, first)
      if (this.#lines.delete(operatorId)) this.#lines.set(operatorId, line) // its next turn comes after all others
      this.#taken += 1
      first()
      return
    }
  }

  #remove(operatorId: string, admit: () => void): void {
    const line = this.#lines.get(operatorId)
    const at = line?.indexOf(admit) ?? -1
    if (!line || at < 0) return
    line.splice(at, 1)
    this.#waiting -= 1
    if (line.length === 0) this.#lines.delete(operatorId)
  }
}
