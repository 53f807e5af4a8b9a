/**
 * What the head of a connection's call holds of the memory budget, or one that arrives slowly, and trailers that do
 * (specification 7.8, decisions D-306). Small ones are not counted: they are part of what a connection may cost.
 */
import type { MemoryAccount, MemoryBudget } from '../model/memory-budget.ts'

/** Heads up to this size are not counted. */
const smallHead = 4 * 1024
/** Besides twice its bytes: the fields. */
const callCost = 16 * 1024

/** Why a call is refused for whose head there is none. */
export const noMemory = { fault: 'overloaded', reason: 'no memory for the head (ig.limits.memory)' } as const

export class HeadMemory {
  readonly #budget: MemoryBudget
  #account: MemoryAccount | undefined
  #cost = 0

  constructor(budget: MemoryBudget) {
    this.#budget = budget
  }

  /** @returns false where there is no memory for so many bytes */
  hold(head: number, trailers = 0): boolean {
    const cost = costOf(head) + costOf(trailers)
    if (cost === this.#cost) return true
    this.#account ??= this.#budget.open()
    if (!this.#account.hold(cost)) return false
    this.#cost = cost
    return true
  }

  close(): void {
    this.#account?.close()
  }
}

function costOf(bytes: number): number {
  return bytes <= smallHead ? 0 : 2 * bytes + callCost
}
