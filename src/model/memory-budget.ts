/**
 * What calls may hold of a process's memory, all together: parsed trees, buffered bodies, replies that are not read yet,
 * cached responses (specification 7.8). Each holder has an account; closing it gives back whatever it still holds.
 */
import { Refusal } from './refusal.ts'

/** Of what waits in files instead, for each byte of memory: clients that do not read must not fill the disk either. */
const filesPerMemory = 8

export class MemoryBudget {
  readonly total: number
  #reserved = 0
  #inFiles = 0
  /** How many calls send the same bytes. */
  readonly #senders = new Map<Buffer, number>()

  constructor(total: number) {
    this.total = total
  }

  get reserved(): number {
    return this.#reserved
  }

  /** Less than half of it is left: what can wait elsewhere does. */
  get isTight(): boolean {
    return this.#reserved > this.total / 2
  }

  open(): MemoryAccount {
    return new MemoryAccount(this)
  }

  /** What waits in files, where it is not in memory. @returns false where there is enough of it */
  moveToFile(bytes: number): boolean {
    if (this.#inFiles + bytes > this.total * filesPerMemory) return false
    this.#inFiles += bytes
    return true
  }

  leaveFile(bytes: number): void {
    this.#inFiles -= bytes
  }

  /** Bytes of a response that several calls may send at the same time: they count once. */
  share(bytes: Buffer): SharedMemory {
    const senders = this.#senders.get(bytes) ?? 0
    if (senders === 0 && !this.reserve(bytes.length)) return { isHeld: false, close() {} }
    this.#senders.set(bytes, senders + 1)
    let sent: Buffer | undefined = bytes
    const close = () => {
      if (sent) this.#unshare(sent)
      sent = undefined
    }
    return { isHeld: true, close }
  }

  #unshare(bytes: Buffer): void {
    const senders = this.#senders.get(bytes) ?? 0
    if (senders > 1) return void this.#senders.set(bytes, senders - 1)
    this.#senders.delete(bytes)
    this.reserve(-bytes.length)
  }

  /** For accounts. @param change of what is reserved */
  reserve(change: number): boolean {
    if (change > 0 && this.#reserved + change > this.total) return false
    this.#reserved += change
    return true
  }
}

export interface SharedMemory {
  /** False where there is no room: nothing is reserved. */
  readonly isHeld: boolean
  /** Again: without effect. */
  close(): void
}

/** For what turns out to be large. */
export type OpenAccount = () => MemoryAccount

export class MemoryAccount {
  readonly budget: MemoryBudget
  /** What all accounts of the same call hold. */
  readonly #call: { held: number }
  #held = 0
  #isClosed = false

  constructor(budget: MemoryBudget, call = { held: 0 }) {
    this.budget = budget
    this.#call = call
  }

  /** Another one for the same call. */
  open(): MemoryAccount {
    return new MemoryAccount(this.budget, this.#call)
  }

  /** From now on it holds so much, more or less than before. @returns false where others hold the rest: nothing changed */
  hold(bytes: number): boolean {
    if (this.#isClosed) return false
    if (!this.budget.reserve(bytes - this.#held)) return false
    this.#call.held += bytes - this.#held
    this.#held = bytes
    return true
  }

  /** Most that it could hold now. */
  get room(): number {
    return this.budget.total - this.budget.reserved + this.#held
  }

  /** Whether it would fit if other calls held nothing. */
  couldHold(bytes: number): boolean {
    return this.#ofCall(bytes) <= this.budget.total
  }

  #ofCall(bytes: number): number {
    return this.#call.held - this.#held + bytes
  }

  /** @throws Refusal bodyTooLarge where it could never fit, overloaded where it would if others held less */
  require(bytes: number): void {
    if (this.hold(bytes)) return
    const wanted = this.#ofCall(bytes)
    if (this.couldHold(bytes)) throw new Refusal('overloaded', `memory: ${describe(wanted, this.budget)}`)
    const detail = 'The request body needs more memory than the gateway has for one call.'
    throw new Refusal('bodyTooLarge', `memory: ${describe(wanted, this.budget)}`, { detail })
  }

  /** Again: without effect. */
  close(): void {
    this.hold(0)
    this.#isClosed = true
  }
}

function describe(bytes: number, { reserved, total }: MemoryBudget): string {
  return `${bytes} bytes wanted; ${reserved} of ${total} are reserved (ig.limits.memory)`
}

/** Where nothing was measured: tests, and the command line's own calls. */
export const unboundedMemory = new MemoryBudget(Number.POSITIVE_INFINITY)
