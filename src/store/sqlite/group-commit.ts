/**
 * Group commit (specification 5.73): transactions that arrive while others are being stored go to the writer's thread in
 * one message and share one flush to disk. Each stays a transaction of its own.
 */
import { Refusal } from '../../model/refusal.ts'
import type { CommitRequest } from './writer-requests.ts'

interface Writer {
  takeTurn(): Promise<() => void>
  /** Resolves when the commit before has been answered. */
  settled(): Promise<unknown>
  askTogether(requests: readonly CommitRequest[]): readonly Promise<unknown>[]
}

interface Waiting {
  readonly request: CommitRequest
  readonly timer: NodeJS.Timeout
  readonly stored: (answer: Promise<unknown>) => void
}

export class GroupCommit {
  readonly #writer: Writer
  /** Not sent yet: they can still be refused. */
  readonly #waiting = new Set<Waiting>()
  #isStoring = false

  constructor(writer: Writer) {
    this.#writer = writer
  }

  get waiting(): number {
    return this.#waiting.size
  }

  /** @param wait in milliseconds, until it is sent @throws Refusal overloaded; then nothing is stored */
  store(request: CommitRequest, wait: number): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const timer = setTimeout(() => {
      this.#waiting.delete(waiting)
      reject(new Refusal('overloaded', `Waited ${wait} ms for the writer`))
    }, wait)
    const waiting: Waiting = { request, timer, stored: resolve }
    this.#waiting.add(waiting)
    if (!this.#isStoring) {
      this.#isStoring = true
      setImmediate(() => void this.#storeAll()) // the calls of this turn of the event loop go together
    }
    return promise
  }

  async #storeAll(): Promise<void> {
    while (this.#waiting.size > 0) {
      const endTurn = await this.#writer.takeTurn()
      await this.#writer.settled() // while a disk hangs, transactions wait here, where they can still be refused
      const group = [...this.#waiting]
      this.#waiting.clear()
      for (const { timer } of group) clearTimeout(timer)
      const answers = this.#writer.askTogether(group.map(({ request }) => request))
      for (const [index, { stored }] of group.entries()) stored(answers[index] as Promise<unknown>)
      await Promise.allSettled(answers)
      endTurn()
    }
    this.#isStoring = false
  }
}
