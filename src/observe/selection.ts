/**
 * Selects the calls to keep between two writes if there are more than fit: the first ones, higher ranks before lower
 * ones, strays last (specification 15.2, 21.3).
 */
import type { AnsweredCall } from '../model/call-record.ts'
import type { Note } from '../model/observation.ts'
import { verificationOf } from '../model/verification.ts'

export type Rank = 'failed' | 'done' | 'stray'

/** Calls that need no credentials rank last: without an operation, or failed without credentials. */
export function rankOf({ call, transaction: { operation, operator }, reply, refusal }: AnsweredCall): Rank {
  if (!operation) return 'stray'
  const isFailed = refusal !== undefined || reply.status >= 400
  if (!isFailed) return 'done'
  const { allowsAnonymous, header } = verificationOf(operation.verification)
  const needsOther = !allowsAnonymous && header !== 'authorization'
  const isAnybodys = operator === undefined || (call.headers.authorization === undefined && !needsOther)
  return isAnybodys ? 'stray' : 'failed'
}

/** The same for a note, which may come before the headers are read: the operation's verification replaces them. */
export function rankOfNote({ transaction }: Note): Rank {
  const isAnybodys = !transaction?.operator || verificationOf(transaction.operation?.verification).allowsAnonymous
  return isAnybodys ? 'stray' : 'failed'
}

export interface Selection<Item> {
  /** Adds an item, if there is room for one more of this rank; it may displace one of a lower rank. */
  add(rank: Rank, make: () => Item): void
  /** The selection, rank by rank, with the number of unselected ones of each; then resets. */
  take(): { readonly items: Item[]; readonly lost: Readonly<Record<Rank, number>> }
}

export function openSelection<Item>(max: number, maxStrays = max): Selection<Item> {
  let held: Record<Rank, Item[]> = { failed: [], done: [], stray: [] }
  let lost: Record<Rank, number> = { failed: 0, done: 0, stray: 0 }

  const makeRoom = (rank: Rank): boolean => {
    if (rank !== 'stray' && held.stray.pop()) lost.stray += 1
    else if (rank === 'failed' && held.done.pop()) lost.done += 1
    else return false
    return true
  }
  return {
    add(rank, make) {
      const isFull = held.failed.length + held.done.length + held.stray.length >= max
      const hasRoom = rank === 'stray' && held.stray.length >= maxStrays ? false : !isFull || makeRoom(rank)
      if (hasRoom) held[rank].push(make())
      else lost[rank] += 1
    },
    take() {
      const taken = { items: [...held.failed, ...held.done, ...held.stray], lost }
      held = { failed: [], done: [], stray: [] }
      lost = { failed: 0, done: 0, stray: 0 }
      return taken
    },
  }
}
