/**
 * The memory that all calls of a process may use together: parsed trees, buffered bodies, unread replies, cached
 * responses (specification 7.8). Each holder has an account; closing it releases all that it holds.
 */
import { Refusal } from './refusal.ts'

/** Bytes allowed in files for each byte of memory: clients that do not read must not fill the disk either. */
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

  open(): MemoryAccount {
    return new MemoryAccount(this)
  }

  /** Bytes moved to files instead of memory. @returns false if files have no room for them */
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

  /** For accounts. @param change in reserved bytes */
  reserve(change: number): boolean {
    if (change > 0 && this.#reserved + change > this.total) return false
    this.#reserved += change
    return true
  }
}

export interface SharedMemory {
  /** False if there is no room: nothing is reserved. */
  readonly isHeld: boolean
  /** Calling it again has no effect. */
  close(): void
}

/** For data that turns out to be large. */
export type OpenAccount = () => MemoryAccount

export class MemoryAccount {
  readonly budget: MemoryBudget
  /** The sum over all accounts of the same call. */
  readonly #call: { held: number }
  #held = 0
  #inFiles = 0
  #isClosed = false

  constructor(budget: MemoryBudget, call = { held: 0 }) {
    this.budget = budget
    this.#call = call
  }

  /** Another account for the same call. */
  open(): MemoryAccount {
    return new MemoryAccount(this.budget, this.#call)
  }

  /**
   * Sets how many bytes it holds, more or fewer than before. @returns false if others hold the rest: nothing changed
   */
  hold(bytes: number): boolean {
    if (this.#isClosed) return false
    if (!this.budget.reserve(bytes - this.#held)) return false
    this.#call.held += bytes - this.#held
    this.#held = bytes
    return true
  }

  /** Maximum that it could hold now. */
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

  /** @throws Refusal bodyTooLarge if it could never fit, overloaded if it would with less held by others */
  require(bytes: number): void {
    if (this.hold(bytes)) return
    const wanted = this.#ofCall(bytes)
    if (this.couldHold(bytes)) throw new Refusal('overloaded', `memory: ${describe(wanted, this.budget)}`)
    const detail = 'The request body needs more memory than the gateway has for one call.'
    throw new Refusal('bodyTooLarge', `memory: ${describe(wanted, this.budget)}`, { detail })
  }

  /** Sets how many bytes it has in files instead of memory. @returns false if files have no room for more */
  holdInFiles(bytes: number): boolean {
    if (this.#isClosed) return false
    if (bytes > this.#inFiles && !this.budget.moveToFile(bytes - this.#inFiles)) return false
    if (bytes < this.#inFiles) this.budget.leaveFile(this.#inFiles - bytes)
    this.#inFiles = bytes
    return true
  }

  /** Calling it again has no effect. */
  close(): void {
    this.hold(0)
    this.holdInFiles(0)
    this.#isClosed = true
  }
}

function describe(bytes: number, { reserved, total }: MemoryBudget): string {
  return `${bytes} bytes wanted; ${reserved} of ${total} are reserved (ig.limits.memory)`
}

/** Unlimited: for tests, and for calls of the command line. */
export const unboundedMemory = new MemoryBudget(Number.POSITIVE_INFINITY)
