/**
 * Refuses calls that would wait too long for the processor or for memory (specification 25.13): calls with bodies over
 * 64 KiB first, then the newest calls.
 */
import type { Call } from '../model/call.ts'
import type { MemoryBudget } from '../model/memory-budget.ts'
import { Refusal } from '../model/refusal.ts'
import type { OpenTransaction } from '../model/transaction.ts'
import type { Limits } from './limits/limits.ts'

interface Parts {
  readonly limits: Pick<Limits, 'load'>
  readonly memory: Pick<MemoryBudget, 'reserved' | 'total'>
}

/** Counts the call as at work until its end. @throws Refusal overloaded */
export function shedLoad(
  call: Pick<Call, 'headers'>,
  transaction: Pick<OpenTransaction, 'releases'>,
  { limits: { load }, memory }: Parts,
): void {
  load.atWork += 1
  transaction.releases.push(() => {
    load.atWork -= 1
  })
  load.requireTime()
  const { isShort } = load
  if ((isShort || memory.reserved > memory.total * nearlyFull) && hasLargeBody(call))
    throw new Refusal('overloaded', `the body is large, and ${isShort ? load.reason : fullMemory(memory)}`)
}

/** Part of the memory budget. Small bodies fit into the rest, and each call still reserves what it needs. */
const nearlyFull = 0.95
const largeBody = 64 * 1024

function fullMemory({ reserved, total }: Parts['memory']): string {
  return `${reserved} of ig.limits.memory (${total} bytes) are in use`
}

/** A chunked body has no stated length and counts as large. */
function hasLargeBody({ headers }: Pick<Call, 'headers'>): boolean {
  const length = headers['content-length']
  return length === undefined ? headers['transfer-encoding'] !== undefined : Number(length) > largeBody
}
