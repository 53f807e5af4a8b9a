/**
 * Slots of handlers that run at a time, and the bounded queue for them (specification 25.6): operators take turns, so
 * that no operator's calls keep those of another waiting.
 */
import { setTimeout } from '../../base/timers.ts'
import type { Limit } from '../../model/limit.ts'

interface Waiting {
  readonly admit: () => void
  readonly refuse: () => void
}

export class Slots {
  #most = 0
  #queue = 0
  #taken = 0
  #waiting = 0
  /** By operator, in the order of their turns. */
  readonly #lines = new Map<string, Waiting[]>()

  configure({ handlers = 0, queue }: Pick<Limit, 'handlers' | 'queue'>): void {
    this.#most = handlers
    this.#queue = queue
    while (this.#waiting > 0 && this.#taken < this.#most) this.#admitNext()
  }

  get taken(): number {
    return this.#taken
  }

  get waiting(): number {
    return this.#waiting
  }

  /**
   * @param wait milliseconds
   * @returns undefined if a slot is free; otherwise false, at once or later, if the call gets none
   */
  acquire(operatorId: string, signal: AbortSignal, wait: number): Promise<boolean> | false | undefined {
    if (this.#taken < this.#most) {
      this.#taken += 1
      return undefined
    }
    if (signal.aborted || !this.#makeRoom(operatorId)) return false
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const end = (isAdmitted: boolean) => {
      signal.removeEventListener('abort', leave)
      clearTimeout(timer)
      resolve(isAdmitted)
    }
    const waiting: Waiting = { admit: () => end(true), refuse: () => end(false) }
    const leave = () => {
      this.#remove(operatorId, waiting)
      end(false)
    }
    signal.addEventListener('abort', leave, { once: true })
    const timer = setTimeout(leave, wait)
    const line = this.#lines.get(operatorId)
    if (line) line.push(waiting)
    else this.#lines.set(operatorId, [waiting])
    this.#waiting += 1
    return promise
  }

  release(): void {
    this.#taken -= 1
    if (this.#waiting > 0 && this.#taken < this.#most) this.#admitNext()
  }

  /** If the queue is full, removes the newest call of the operator with the most, unless this operator has as many. */
  #makeRoom(operatorId: string): boolean {
    if (this.#waiting < this.#queue) return true
    let longest: Waiting[] = []
    let whose = operatorId
    for (const [each, line] of this.#lines) if (line.length > longest.length) [longest, whose] = [line, each]
    const newest = longest.at(-1)
    if (newest === undefined || longest.length <= (this.#lines.get(operatorId)?.length ?? 0) + 1) return false
    this.#remove(whose, newest)
    newest.refuse()
    return true
  }

  #admitNext(): void {
    for (const [operatorId, line] of this.#lines) {
      const first = line[0] as Waiting
      this.#remove(operatorId, first)
      if (this.#lines.delete(operatorId)) this.#lines.set(operatorId, line) // its next turn comes after all others
      this.#taken += 1
      first.admit()
      return
    }
  }

  #remove(operatorId: string, waiting: Waiting): void {
    const line = this.#lines.get(operatorId)
    const at = line?.indexOf(waiting) ?? -1
    if (!line || at < 0) return
    line.splice(at, 1)
    this.#waiting -= 1
    if (line.length === 0) this.#lines.delete(operatorId)
  }
}
