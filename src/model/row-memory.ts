/**
 * Memory of the rows that a call reads from the database (specification 7.10): as much as the largest
 * result so far, reserved while its rows arrive.
 */
import type { MemoryAccount, OpenAccount } from './memory-budget.ts'
import { Refusal } from './refusal.ts'

/** Smaller results are not reserved, in bytes. */
const uncounted = 64 * 1024
const step = 256 * 1024
/** Memory of a row and of a value: as read, and as the XML elements that a handler makes of it. */
const cost = { row: 512, value: 256, character: 4 }

/** Error code of the writer's thread: no memory for more rows. */
export const rowsExceed = 'ROWS_EXCEED'

/** Called for each row of a result, with the number of its values and their total length. */
export type CountRow = (values: number, length: number) => void

export class RowMemory {
  readonly #openAccount: OpenAccount
  #account: MemoryAccount | undefined
  #held = uncounted

  constructor(openAccount: OpenAccount) {
    this.#openAccount = openAccount
  }

  /** For one result. */
  count(): CountRow {
    return countRows(this.#held, (bytes) => this.require(bytes))
  }

  /** Current maximum of a result. */
  get room(): number {
    this.#account ??= this.#openAccount()
    return this.#account.room
  }

  /**
   * @returns the size in bytes to which it may grow
   * @throws as `refuse`
   */
  require(bytes: number): number {
    if (bytes <= this.#held) return this.#held
    this.#account ??= this.#openAccount()
    const wanted = bytes + step
    if (this.#account.hold(wanted)) {
      this.#held = wanted
      return wanted
    }
    this.refuse(bytes)
  }

  /** @throws Refusal overloaded if it would fit with less held by others, Error if it could never fit */
  refuse(bytes: number): never {
    this.#account ??= this.#openAccount()
    const { total } = this.#account.budget
    const reason = `rows of more than ${Math.min(bytes, total)} bytes; all calls have ${total} (ig.limits.memory)`
    if (this.#account.couldHold(bytes + step)) throw new Refusal('overloaded', `memory: ${reason}`)
    throw new Error(`The result of a statement does not fit in memory: ${reason}. Read it with stream(), or in parts`)
  }
}

/** @param exceeded returns the next limit, or throws */
export function countRows(bound: number, exceeded: (bytes: number) => number): CountRow {
  let bytes = 0
  return (values, length) => {
    bytes += cost.row + cost.value * values + cost.character * length
    if (bytes > bound) bound = exceeded(bytes)
  }
}
